"""Small classes whose regions grow: what moves look at is what is published, and they keep the guarantee."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.test_downcoding import AGE, CITY, DAYS, ORDER, PLACE
from tests.forms.publications import table, words

import likeness as lk
from likeness.encode.column import EncodedAttribute
from likeness.encode.lattice import that_grows
from likeness.methods.base import Problem, charged_loss
from likeness.methods.growing import _rule, _SmallClasses, improve_growing
from likeness.methods.growing.kernels import best_partition, class_loss
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import LOSSES, geometry, recode, region_losses
from likeness.models.requirements import require_of
from likeness.progress import Progress

SICK = words("sick", ["no", "yes"])
KINDS = [AGE, replace(AGE, declared=True), ORDER, DAYS, PLACE, CITY, words("town", list("pqrstuv"))]


def grown(columns, least):
    """A table whose regions grow."""
    laid = [
        that_grows(EncodedAttribute(domain, np.array(codes, np.int32), 0, "category"), least, lk.quasi())
        for domain, codes in columns
    ]
    of = [np.where(own.codes < 0, own.domain.missing_code, own.codes).tolist() for own in laid]
    n = len(of[0])
    return table(
        [(own.domain, codes) for own, codes in zip(laid, of, strict=True)],
        [(SICK, [i % 2 for i in range(n)])],
    )


def problem_of(data, k, loss="ncp"):
    models = (lk.KAnonymity(k),)
    return Problem(
        data, require_of(models, data, data), LOSSES[loss], np.random.default_rng(0), None, 0, Progress()
    )


@st.composite
def tables(draw, classes=4):
    least = draw(st.sampled_from([2, 2, 3]))
    chosen = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique_by=lambda own: own.name))
    sizes = draw(st.lists(st.integers(least, 6), min_size=1, max_size=classes))
    n = sum(sizes)
    columns = []
    for domain in chosen:
        own = replace(domain, missing=draw(st.sampled_from([False, False, True])))
        near = draw(st.integers(1, own.size - 1))
        codes = st.lists(st.integers(-int(own.missing), near), min_size=n, max_size=n)
        columns.append((own, draw(codes)))
    return grown(columns, least), np.repeat(np.arange(len(sizes)), sizes), least


def partitions(records):
    """All partitions of some records, one after the other."""
    if not records:
        yield []
        return
    for others in partitions(records[1:]):
        yield [[records[0]], *others]
        for i, own in enumerate(others):
            yield [*others[:i], [records[0], *own], *others[i + 1 :]]


@pytest.mark.parametrize("seed", range(12))
def test_the_best_partition_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    least, n = 2 + seed % 2, 7
    columns = [
        (own, rng.integers(0, own.size, n + 2).tolist()) for own in rng.choice(KINDS, 2, replace=False)
    ]
    data = grown(columns, least)
    rule, laid = _rule(data, np.arange(data.size), least), geometry(data.quasi, LOSSES["glm"])
    codes = np.ascontiguousarray(data.codes, dtype=np.int64)
    own = rng.permutation(n + 2)[:n]

    def lost(classes):
        return sum(class_loss(rule, laid, codes, np.array(one), len(one)) for one in classes)

    some = [classes for classes in partitions(own.tolist()) if min(map(len, classes)) >= least]
    found, labels = best_partition(rule, laid, codes, own, least)
    assert found == pytest.approx(min(map(lost, some)))
    made = [own[labels == number].tolist() for number in range(labels.max() + 1)]
    assert min(map(len, made)) >= least
    assert lost(made) == pytest.approx(found)
    # Too few for a class.
    assert best_partition(rule, laid, codes, own, n + 1)[0] == np.inf


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(found=tables(), loss=st.sampled_from(["ncp", "glm"]))
def test_what_moves_look_at_is_what_is_published(found, loss):
    data, classes, least = found
    rule, laid = _rule(data, np.arange(data.size), least), geometry(data.quasi, LOSSES[loss])
    codes = np.ascontiguousarray(data.codes, dtype=np.int64)
    # One class is judged at a time, among the values that all have: `recode` would merge those of equal regions.
    plan, recoding = recode(data, Plan(classes))
    for number in range(recoding.classes):
        members = np.flatnonzero(plan.classes == number)
        own = class_loss(rule, laid, codes, members, members.size)
        if recoding.tells[number]:
            assert own == members.size
            continue
        weight = 1 / len(data.quasi)
        lost = sum(
            weight * region_losses(regions, LOSSES[loss])[regions.of[number]]
            for regions in recoding.attributes
        )
        # Kernels take the loss of everything where numbers are missing.
        assert own == pytest.approx(members.size * lost)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(found=tables(classes=6))
def test_moves_lower_the_loss_and_keep_the_guarantee(found):
    data, classes, least = found
    problem = problem_of(data, least)
    plan, recoding = recode(data, Plan(renumber(classes)))
    before = charged_loss(problem, plan) + recoding.tells[plan.classes].sum() * len(data.quasi)
    after = improve_growing(problem, plan)
    again, shown = recode(data, after)
    assert np.bincount(again.classes).min() >= least
    assert again.published.all()
    lost = charged_loss(problem, after) + shown.tells[again.classes].sum() * len(data.quasi)
    assert lost <= before + 1e-9
    assert np.array_equal(improve_growing(problem, plan).classes, after.classes)


def test_moves_that_break_a_model_are_not_made():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 200).tolist(),
            "city": rng.choice(list("pqrstu"), 200).tolist(),
            "disease": rng.choice(["flu", "cold", "hiv"], 200).tolist(),
        }
    )
    columns = {"age": lk.quasi(), "city": lk.quasi(), "disease": lk.sensitive()}
    form = {"name": "generalized", "attained": 2}
    policy = lk.Policy(
        columns=columns,
        privacy=lk.KAnonymity(2) & lk.DistinctLDiversity(2),
        form=form,
        method={"name": "mondrian"},
    )
    release = lk.anonymize(frame, policy, seed=1)
    assert release.private.solution.plan.history["moves of small classes whose regions grow"] > 0
    assert release.verify().ok
    found = release.attack("downcoding")
    assert (found.success, found.details["values_known"]) == (0, 0)


def test_classes_know_their_members():
    data = grown([(AGE, [0, 1, 5, 6, 9, 9])], 2)
    problem = problem_of(data, 2)
    plan, recoding = recode(data, Plan(np.array([0, 0, 1, 1, 2, 2])))
    classes = _SmallClasses.of(problem, plan, recoding, 2)
    assert np.array_equal(classes.labels(plan), plan.classes)
    assert classes.loss[plan.classes[4]] == 0
