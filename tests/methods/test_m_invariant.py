"""The four phases of Xiao & Tao 2007; releases over time are in `tests/folder/test_ledger.py`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, table, words

from likeness.errors import PolicyError
from likeness.methods.base import Problem
from likeness.methods.m_invariant import MInvariant
from likeness.microdata.regions import LOWERED
from likeness.microdata.signatures import Signatures
from likeness.models.base import PrivacyModel
from likeness.models.k_anonymity import KAnonymity
from likeness.models.m_invariance import MInvariance
from likeness.models.requirements import require

AGE = integers("age", list(range(20, 60)))
SICK = words("disease", ["a", "b", "c", "d", "e"])


def problem(
    ages: list[int], sick: list[int], models: list[PrivacyModel], signatures: Signatures | None = None
) -> Problem:
    data = replace(table([(AGE, ages)], [(SICK, sick)]), signatures=signatures)
    bound = require(models, data.sensitive, data.sensitive_codes)
    return Problem(data, bound, LOWERED["glm"], np.random.default_rng(1))


@st.composite
def people(draw: st.DrawFn) -> tuple[list[int], list[int], Signatures]:
    """Up to thirty records, some of whom have signatures of two or three values."""
    n = draw(st.integers(1, 30))
    sick = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    ages = draw(st.lists(st.integers(0, 39), min_size=n, max_size=n))
    sets = draw(
        st.lists(
            st.lists(st.booleans(), min_size=5, max_size=5).filter(lambda own: sum(own) >= 2), max_size=3
        )
    )
    of = draw(st.lists(st.integers(-1, len(sets) - 1), min_size=n, max_size=n))
    more = draw(st.lists(st.integers(0, 5).map(lambda k: k == 0), min_size=len(sets), max_size=len(sets)))
    sizes = [sum(own) + lacking for own, lacking in zip(sets, more, strict=True)]
    known = Signatures(
        np.array(of, np.int64), np.array(sets, np.bool_).reshape(-1, 5), np.array(sizes, np.int64)
    )
    return ages, sick, known


@given(drawn=people())
@settings(deadline=None, max_examples=100)
def test_everybody_has_their_signature_or_is_withheld_for_a_reason(drawn):
    ages, sick, known = drawn
    plan = MInvariant().run(problem(ages, sick, [MInvariance(2)], known))
    assert plan.buckets is not None
    groups: dict[int, list[int]] = {}
    for record, group in enumerate(plan.buckets.tolist()):
        if group >= 0:
            groups.setdefault(group, []).append(record)
    because = [reason.name for reason in plan.because]
    for members in groups.values():
        values = [sick[record] for record in members]
        assert len(set(values)) == len(values) >= 2
        for record in members:
            if known.of[record] >= 0:
                signature = int(known.of[record])
                assert {*np.flatnonzero(known.sets[signature]).tolist()} == {*values}
                assert known.sizes[signature] == len(values)
    for record, group in enumerate(plan.buckets.tolist()):
        if group < 0:
            old = known.of[record] >= 0
            other = old and not known.sets[known.of[record], sick[record]]
            expected = (
                "value-outside-signature" if other else "signature-unfilled" if old else "value-too-frequent"
            )
            assert because[plan.reason_of[record]] == expected


@given(sick=st.lists(st.integers(0, 4), min_size=2, max_size=40), m=st.integers(2, 3))
@settings(deadline=None, max_examples=100)
def test_nobody_is_left_over_where_no_value_is_too_frequent(sick, m):
    """m-eligible tables, where nobody was published before, are published whole: Xiao & Tao's assignment phase."""
    plan = MInvariant().run(problem([i % 40 for i in range(len(sick))], sick, [MInvariance(m)]))
    if max(Counter(sick).values()) * m <= len(sick):
        assert plan.withheld == 0
        assert plan.count == len(sick) // m or plan.count >= len(sick) // (m + 1)
    assert {reason.name for reason in plan.because} <= {"value-too-frequent"}


def test_groups_are_of_people_who_are_alike():
    """Two values, fifty of each at every tenth of the ages: groups are pairs of one age."""
    ages = [i % 40 for i in range(80)]
    plan = MInvariant().run(problem(ages, [i // 40 for i in range(80)], [MInvariance(2)]))
    of = np.array(ages)
    apart = [int(np.ptp(of[plan.classes == group])) for group in range(plan.count)]
    assert plan.count == 40
    assert max(apart) == 0


def test_what_it_does_not_take_is_refused():
    for models, what in (
        ([KAnonymity(2)], "makes groups of m different values, and the policy asks for no m"),
        ([MInvariance(2), KAnonymity(3)], "makes groups of 2 people, and k-anonymity asks for 3"),
    ):
        asked = problem([0, 1], [0, 1], models)
        with pytest.raises(PolicyError, match=what):
            MInvariant().check(asked.requirements)
    assert MInvariant().made_for((MInvariance(2),))
    assert not MInvariant().made_for((KAnonymity(2),))
