"""Whose quasi-identifiers and values stand together in the output, and of whom an attack makes something certain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.table_12 import BUCKETS, GROUPS, LOOSE, PEOPLE, PUBLISHED
from tests.forms.publications import integers, publish, table, words
from tests.identity_reserved import S4_TABLE3, s4_classes, s4_microdata
from tests.metrics.examples import MINI, NOTHING

from likeness.attacks.membership import MembershipAttack
from likeness.errors import PolicyError
from likeness.forms.angelized import AngelizedForm
from likeness.hierarchies import from_rows
from likeness.metrics.base import Evaluation
from likeness.metrics.vulnerable_records import VulnerableRecords
from likeness.microdata.node_sets import NodeSets
from likeness.microdata.plan import Added, Plan
from likeness.microdata.regions import recode

LITERAL = VulnerableRecords()


def evaluation(data, classes, buckets=None, added=None):
    buckets = None if buckets is None else np.array(buckets)
    plan, recoding = recode(data, Plan(np.array(classes), buckets=buckets, added=added))
    return Evaluation(data, plan, recoding)


def test_nobody_of_the_papers_example_is_vulnerable_to_the_letter():
    assert LITERAL.measure(evaluation(PEOPLE, GROUPS, BUCKETS)) == 0
    # With exact quasi-identifiers and categories, p7 is: to have no symptoms is all there is in that category.
    assert LITERAL.measure(evaluation(PEOPLE, range(8), range(8))) == 1


def test_what_an_attack_makes_certain_is_counted():
    publication, _, _ = publish(AngelizedForm(), PUBLISHED, LOOSE)
    published = replace(evaluation(PEOPLE, GROUPS, BUCKETS), publication=publication)
    details = MembershipAttack().run(publication, PEOPLE).details
    found = VulnerableRecords(attack="membership").measure(published)
    assert found == pytest.approx(details["certain"] * details["targets"])
    share = VulnerableRecords(attack={"name": "membership"}, normalised=True)
    assert share.measure(published) == pytest.approx(found / 8)


def test_one_record_of_a_person_suffices():
    data = s4_microdata(trees=False)
    assert LITERAL.measure(Evaluation(data, *recode(data, Plan(s4_classes(S4_TABLE3))))) == 0
    alone = Evaluation(data, *recode(data, Plan(np.arange(data.size))))
    assert LITERAL.measure(alone) == data.units.size
    assert VulnerableRecords(normalised=True).measure(alone) == 1
    assert LITERAL.measure(NOTHING) == 0


def test_of_sets_of_nodes_only_leaves_are_values():
    rows = [("flu", "low", "*"), ("headache", "low", "*"), ("chills", "mild", "*")]
    sets = NodeSets(from_rows(rows, "symptom", where=str), ((1, 5), (0,), (3,)))
    shown = np.array([sets.tree.is_leaf(np.array(own)).all() for own in sets.nodes])
    data = table([(integers("age", [1, 2, 3]), [0, 1, 2])], [(words("s", ["a", "b", "c"]), [0, 1, 2])])
    data = replace(data, sensitive=(replace(data.sensitive[0], sets=sets),))
    assert LITERAL.measure(evaluation(data, [0, 1, 2])) == shown.sum() < 3


def test_changed_values_are_nobodys():
    data = table([(integers("age", [1, 2]), [0, 1])], [(words("s", ["a", "b"]), [0, 1])])
    own = evaluation(data, [0, 1])
    assert LITERAL.measure(own) == 2
    changed = replace(own, plan=replace(own.plan, sensitive=np.array([[1, 1]], np.int32)))
    assert LITERAL.measure(changed) == 1


@settings(deadline=None, max_examples=80)
@given(draw=st.data())
def test_as_counted_row_by_row(draw):
    n = draw.draw(st.integers(1, 10))
    ages, values, classes, buckets = (
        draw.draw(st.lists(st.integers(0, most), min_size=n, max_size=n)) for most in (2, 1, 3, 3)
    )
    numbered = [[sorted(set(own)).index(one) for one in own] for own in (classes, buckets)]
    data = table([(integers("age", [0, 1, 2]), ages)], [(words("s", ["a", "b"]), values)])
    copied = draw.draw(st.lists(st.integers(0, n - 1), max_size=2))
    invented = draw.draw(st.lists(st.integers(0, 1), min_size=len(copied), max_size=len(copied)))
    added = Added(np.array(copied, np.int64), np.array([invented], np.int32)) if copied else None
    found = evaluation(data, *numbered, added)
    shown = found.plan.classes.tolist()
    entries = list(zip(numbered[1], values, strict=True))
    entries += [(numbered[1][of], value) for of, value in zip(copied, invented, strict=True)]
    by_hand = sum(
        len({age for age, own in zip(ages, shown, strict=True) if own == shown[i]}) == 1
        and {value for bucket, value in entries if bucket == numbered[1][i]} == {values[i]}
        for i in range(n)
    )
    assert LITERAL.measure(found) == by_hand


@pytest.mark.parametrize(
    ("attack", "words"),
    [
        ("linkage", "does not say of whom something is certain; composition, homogeneity, membership"),
        ("membreship", "attack"),
        ({"known": 1}, "say which"),
        ({"name": "membership", "known": 0}, "attack: membership: known"),
        (3, "say which"),
    ],
)
def test_what_is_no_such_attack_is_refused(attack, words):
    with pytest.raises(PolicyError, match=words):
        VulnerableRecords(attack=attack)


def test_without_published_tables_no_attack_can_be_made():
    with pytest.raises(PolicyError, match="published tables"):
        VulnerableRecords(attack="homogeneity").measure(replace(MINI, publication=None))
