"""Values beside nodes above values: the example of the paper, and random sets against every target by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.attacks.table_12 import LOOSE, PEOPLE, PUBLISHED, making
from tests.forms.publications import publish
from tests.methods.test_one_to_many_generalization import asked
from tests.microdata.test_highest import TABLE
from tests.oracles.attacks_guessing import PlainRelease

import likeness as lk
from likeness.attacks.membership import MembershipAttack
from likeness.attacks.non_membership import NonMembershipAttack
from likeness.attacks.sensitive_vertical import SensitiveVerticalAttack
from likeness.errors import HierarchyError
from likeness.forms.angelized import AngelizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.hierarchies import from_rows
from likeness.microdata.data import Members
from likeness.microdata.domain import Domain
from likeness.microdata.node_sets import NodeSets
from likeness.published.columns import write_node_set

ROWS = [("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*"), ("d", "C", "*"), ("e", "E", "*"), ("f", "E", "*")]
TREE = from_rows(ROWS, "disease", where=str)
PARENT = {leaf: group for leaf, group, _ in ROWS}


def test_the_example_of_the_paper():
    release = lk.anonymize(TABLE, asked(withhold={"at_most": 1}), seed=1)
    found = {own: release.attack(SensitiveVerticalAttack(record=own)) for own in ("any", "first", "last")}
    # p2 and p4 are {High, Lungs Infection}: whoever knows the first of their two records is certain of the second.
    assert {own: one.success for own, one in found.items()} == pytest.approx(
        {"any": 1 / 6, "first": 2 / 6, "last": 0}
    )
    assert found["first"].details == pytest.approx(
        {"certain": 2 / 6, "in_class": 2 / 6, "mixed": 2 / 8, "targets": 6}
    )
    # A set that covers all that is known; everything is below the root.
    labels = release.publication.sensitive[0].labels
    assert [
        label for label, out in zip(labels, release.publication.consistent(0, ["Cough"]), strict=True) if out
    ] == ["*"]
    assert [
        label
        for label, out in zip(
            labels, release.publication.consistent(0, ["Chest Pain", "Lungs Infection"]), strict=True
        )
        if out
    ] == ["*", "{High|Lungs Infection}"]
    with pytest.raises(HierarchyError, match="value 'Vertigo' is not a leaf"):
        release.publication.consistent(0, ["Vertigo"])
    for attack in (MembershipAttack(), NonMembershipAttack()):
        with pytest.raises(lk.PolicyError, match=f"{attack.name}: .*not for generalized sets of values"):
            release.attack(attack)


def test_nobody_is_found_where_all_is_of_one_level():
    publication, _, made = publish(AngelizedForm(), PUBLISHED, LOOSE)
    found = SensitiveVerticalAttack().run(publication, PUBLISHED, making(made))
    assert (found.success, found.details["in_class"], found.details["mixed"]) == (0, 0, 0)
    assert SensitiveVerticalAttack().run(publication, PEOPLE).details["targets"] == 6


@st.composite
def published_sets(draw):
    """People with up to three values each, some of which are published as the node above."""
    found = draw(attacked("generalized", rows=8))
    data, n = found.data, found.data.size
    values = st.lists(st.sampled_from(TREE.leaves), min_size=1, max_size=3, unique=True)
    had = draw(st.lists(values, min_size=n, max_size=n))
    nodes = []
    for own in had:
        above = {PARENT[value] for value in own if draw(st.booleans())}
        nodes.append(above | {value for value in own if PARENT[value] not in above})
    numbers = [tuple(sorted(TREE.node_of(label) for label in own)) for own in nodes]
    texts = {write_node_set(TREE, own): own for own in numbers}
    labels = sorted(texts)
    codes = [labels.index(write_node_set(TREE, own)) for own in numbers]
    domain = Domain(
        "disease",
        "categorical",
        np.array(labels, object),
        "set",
        sets=NodeSets(TREE, tuple(texts[label] for label in labels)),
    )
    of = np.repeat(np.arange(n), [len(own) for own in had])
    leaves = np.array([[TREE.rank_of[value] for own in had for value in own]], np.int32)
    single = Domain("disease", "hierarchical", np.array(TREE.leaves, object), "tree", TREE)
    records = replace(
        data.take(of), sensitive=(single,), sensitive_codes=leaves, individuals=of, knowledge=()
    )
    table = replace(
        data,
        sensitive=(domain,),
        sensitive_codes=np.array([codes], np.int32),
        knowledge=(),
        source=Members(of, records),
    )
    return table, found, had, nodes


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_figures_are_those_of_every_target_by_hand(draw):
    data, found, had, nodes = draw.draw(published_sets())
    publication, _, made = publish(GeneralizedForm(), data, found.plan)
    assume(publication.size > 0)
    record = draw.draw(st.sampled_from(["any", "first", "last"]))
    threshold = draw.draw(st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(1)]))
    attack = SensitiveVerticalAttack(record=record, threshold=str(threshold))
    plain = PlainRelease("generalized", data, made)
    rows = np.flatnonzero(made.published).tolist()
    people = [p for p in range(data.size) if len(had[p]) > 1]
    sums = {"": Fraction(0), "certain": Fraction(0), "in_class": Fraction(0), "usual": Fraction(0)}

    def shares(sets, known):
        fit = [own for own in sets if known in own or PARENT[known] in own]
        return {
            v: Fraction(sum(v in own for own in fit), len(fit)) for own in fit for v in own if v in PARENT
        }

    def named(belief, person, known):
        belief = {v: share for v, share in belief.items() if v != known}
        top = max(belief.values(), default=Fraction(0))
        best = [v for v, share in belief.items() if share == top]
        right = sum(v in had[person] for v in best)
        return Fraction(right, len(best)) if best and top >= threshold else Fraction(0)

    for person in people:
        choices = {"any": had[person], "first": had[person][:1], "last": had[person][-1:]}[record]
        candidates = [nodes[rows[i]] for i in plain.candidates(plain.targets[person])]
        own = made.classes[person]
        there = [nodes[p] for p in rows if made.classes[p] == own] if own >= 0 else []
        for known in choices:
            chance = Fraction(1, len(choices))
            belief = shares(candidates, known)
            sums[""] += chance * named(belief, person, known)
            sums["certain"] += chance * any(
                share == 1 for v, share in belief.items() if v != known and v in had[person]
            )
            sums["in_class"] += chance * named(shares(there, known), person, known)
            everybody = [own_values for own_values in had if known in own_values]
            usual = {
                v: Fraction(sum(v in own_values for own_values in everybody), len(everybody)) for v in PARENT
            }
            sums["usual"] += chance * named({v: x for v, x in usual.items() if x}, person, known)
    result = attack.run(publication, data, replace(found.making, plan=made))
    n = max(1, len(people))
    assert result.success == pytest.approx(float(sums[""] / n))
    assert result.details["certain"] == pytest.approx(float(sums["certain"] / n))
    assert result.details["in_class"] == pytest.approx(float(sums["in_class"] / n))
    assert result.baseline == pytest.approx(float(sums["usual"] / n))
    mixed = [any(v in PARENT for v in nodes[p]) and any(v not in PARENT for v in nodes[p]) for p in rows]
    assert result.details["mixed"] == pytest.approx(sum(mixed) / len(mixed))
    assert set(result.details) <= set(SensitiveVerticalAttack.explained)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"record": "second"}, "record must be one of any, first, last"),
        ({"threshold": 2}, "threshold must be a number above 0"),
        ({"targets": 0}, "targets must be a whole number"),
    ],
)
def test_parameters_out_of_range(given_, message):
    with pytest.raises(lk.PolicyError, match=f"sensitive-vertical: {message}"):
        SensitiveVerticalAttack(**given_)
