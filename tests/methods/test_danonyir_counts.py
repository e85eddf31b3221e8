"""What is counted of finished classes: kept up to date as individuals move, and deciding as a count of everybody does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.people import asked, people

from likeness import registry
from likeness.methods.danonyir.kernels.counts import count_classes, counts_hold, enter, leave
from likeness.methods.danonyir.run import lay_out_limits

CLASSES = 3
MODELS = (
    ("ir-k-anonymity", 3),
    ("ir-kl-anonymity", 3, 4),
    ("ir-alpha-beta-anonymity", "0.3", "0.35"),
    ("eir-alpha-beta-anonymity", "0.3", "0.5"),
)


def chains(label: np.ndarray) -> tuple[list[int], np.ndarray]:
    """First individual of each class, and who follows each."""
    heads, behind = [], np.full(label.size, -1, np.int64)
    for own in range(CLASSES):
        members = np.flatnonzero(label == own)
        heads.append(int(members[0]) if members.size else -1)
        behind[members[:-1]] = members[1:]
    return heads, behind


@pytest.mark.parametrize("model", MODELS, ids=lambda own: own[0])
@given(seed=st.integers(0, 10_000), size=st.integers(2, 30), most=st.integers(1, 5), moves=st.integers(0, 8))
@settings(deadline=None, max_examples=25)
def test_counts_kept_up_to_date_decide_as_the_proof_does(model, seed, size, most, moves):
    data = people(seed, size, most=most)
    problem = asked(data, [registry.load("models", model[0])(*model[1:])])
    laid = lay_out_limits(problem)
    records = np.bincount(data.members.of, minlength=size).astype(np.int64)
    rng = np.random.default_rng(seed)
    label = rng.integers(-1, CLASSES, size)
    label[:2] = 0
    counts = count_classes(laid.sets, records, label, CLASSES, laid.values)
    # There are so few values that a class of one is large enough for a row.
    assert ((counts.row >= 0) == (np.bincount(label[label >= 0], minlength=CLASSES) > 0)).all()
    for person in rng.integers(0, size, moves).tolist():
        if label[person] < 0:
            continue
        heads, behind = chains(label)
        leave(laid.sets, records, counts, label[person], person, heads[label[person]], behind)
        label[person] = rng.integers(0, CLASSES)
        enter(laid.sets, records, counts, label[person], person)
    heads, behind = chains(label)
    for own in range(CLASSES):
        if counts.row[own] < 0:
            continue
        members = label == own
        filled, weight = int(members.sum()), int(records[members].sum())
        for person in range(size):
            leaving = bool(members[person])
            if leaving and filled == 1:
                continue
            after = members.copy()
            after[person] = not leaving
            decided = counts_hold(
                laid.sets,
                laid.limits,
                counts,
                records,
                own,
                filled,
                weight,
                person,
                leaving,
                heads[own],
                behind,
            )
            assert decided == problem.holding(np.where(after, 0, -1), 1)[0], (own, person)


def test_small_classes_have_no_row():
    data = people(1, 40, most=3)
    laid = lay_out_limits(asked(data, [registry.load("models", "distinct-l-diversity")(2)]))
    records = np.bincount(data.members.of, minlength=40).astype(np.int64)
    label = np.zeros(40, np.int64)
    label[0] = 1
    counts = count_classes(laid.sets, records, label, 2, 100)
    assert counts.row.tolist() == [0, -1]
    assert counts.table.sum() == np.diff(laid.sets.first)[1:].sum()
    # Nothing is counted of it, whoever joins.
    enter(laid.sets, records, counts, 1, 1)
    assert counts.table.sum() == np.diff(laid.sets.first)[1:].sum()
