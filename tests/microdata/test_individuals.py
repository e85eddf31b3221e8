from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.identity_reserved import S4_TABLE3, S4_TABLE4, s4_microdata, s4_statistics

from likeness.microdata import individuals
from likeness.microdata.individuals import find_individuals
from likeness.microdata.plan import Plan, Reason, spread
from likeness.microdata.statistics import count_classes, count_within


@st.composite
def records(draw: st.DrawFn):
    """Classes, people who may be in several of them, and values; -1: left out."""
    n = draw(st.integers(0, 25))
    column = lambda low, high: draw(st.lists(st.integers(low, high), min_size=n, max_size=n))  # noqa: E731
    return column(-1, 3), column(0, 5), column(0, 4)


def arrays(*columns: list[int]) -> list[np.ndarray]:
    return [np.array(column, np.int64) for column in columns]


@given(records())
@settings(deadline=None)
def test_people_of_every_class_and_their_values(drawn):
    classes, people, values = drawn
    stats = count_classes(*arrays(classes), 4, *arrays(values), 5, *arrays(people))
    found = stats.individuals
    rows = list(zip(classes, people, values, strict=True))
    for number in range(4):
        here = [(person, value) for own, person, value in rows if own == number]
        everybody = sorted({person for person, _ in here})
        assert stats.sizes[number] == len(everybody) == found.sizes[number]
        assert found.records[number] == len(here)
        assert found.most[number] == max(
            (sum(p == person for p, _ in here) for person in everybody), default=0
        )
        own = range(found.start[number], found.start[number + 1])
        assert [int(found.number[i]) for i in own] == everybody
        for i, person in zip(own, everybody, strict=True):
            mine = sorted({value for p, value in here if p == person})
            assert found.value[found.first[i] : found.first[i + 1]].tolist() == mine
        counts = {
            value: len({person for person, own in here if own == value})
            for value in {value for _, value in here}
        }
        entries = slice(stats.start[number], stats.start[number + 1])
        assert dict(zip(stats.value[entries].tolist(), stats.count[entries].tolist(), strict=True)) == counts
        assert stats.of_values().sizes[number] == sum(counts.values())
    assert found.class_of.tolist() == sorted(found.class_of.tolist())


@given(records(), st.lists(st.integers(0, 3), max_size=4, unique=True))
@settings(deadline=None)
def test_some_classes_are_those_classes(drawn, chosen):
    classes, people, values = drawn
    kept = [row for row in zip(classes, people, values, strict=True) if row[0] >= 0]
    own, who, what = (
        arrays(*(list(column) for column in zip(*kept, strict=True))) if kept else arrays([], [], [])
    )
    whole = find_individuals(own, 4, who, what, 5)
    part = whole.take(np.array(chosen, np.int64))
    order = np.array([*chosen, *[4] * 4])
    place = np.full(5, -1)
    place[order[: len(chosen)]] = np.arange(len(chosen))
    inside = place[own] >= 0
    again = find_individuals(place[own][inside].astype(np.int64), len(chosen), who[inside], what[inside], 5)
    for name in ("records", "most", "start", "number", "first", "value"):
        assert getattr(part, name).tolist() == getattr(again, name).tolist(), name


@given(records())
@settings(deadline=None)
def test_records_of_nobody_in_particular_are_people_of_one_record(drawn):
    classes, _, values = drawn
    plain = count_classes(*arrays(classes), 4, *arrays(values), 5)
    alone = count_classes(*arrays(classes), 4, *arrays(values), 5, np.arange(len(classes)))
    for name in ("sizes", "class_of", "value", "count"):
        assert getattr(plain, name).tolist() == getattr(alone, name).tolist()
    left, right = plain.individuals, alone.individuals
    assert left.records.tolist() == right.records.tolist()
    assert left.most.tolist() == right.most.tolist()
    assert left.start.tolist() == right.start.tolist()
    assert left.first.tolist() == right.first.tolist()
    for number in range(4):
        own = slice(left.first[left.start[number]], left.first[left.start[number + 1]])
        assert sorted(left.value[own]) == sorted(right.value[own])


@given(records(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_parts_count_a_person_wherever_they_have_a_record(drawn, random):
    classes, people, values = drawn
    known = [random.randrange(3) for _ in classes]
    stats = count_within(*arrays(classes, known, values), 5, *arrays(people))
    rows = [row for row in zip(classes, known, people, values, strict=True) if row[0] >= 0]
    parts = sorted({(own, part) for own, part, _, _ in rows})
    assert stats.parent is not None
    assert stats.parent.tolist() == [own for own, _ in parts]
    assert stats.sizes.tolist() == [len({p for own, k, p, _ in rows if (own, k) == part}) for part in parts]


def test_the_tables_of_the_paper():
    three, four = s4_statistics(S4_TABLE3), s4_statistics(S4_TABLE4)
    assert three.individuals.records.tolist() == [5, 5]
    assert three.sizes.tolist() == [4, 3]
    assert four.individuals.most.tolist() == [2, 2]
    assert four.sizes.tolist() == [3, 4]


def test_a_table_of_individuals_has_all_their_records():
    data = s4_microdata()
    people = data.people
    assert people.size == 7
    assert people.members is not None
    assert people.members.of.tolist() == data.individuals.tolist()
    assert people.rows.tolist() == [0, 2, 3, 4, 6, 7, 9]
    assert data.units is people
    some = people.take(np.array([5, 0]))
    assert some.members is not None
    assert some.members.of.tolist() == [1, 1, 0, 0]
    assert some.members.records.rows.tolist() == [0, 1, 7, 8]
    assert some.rows.tolist() == [7, 0]
    again = some.take(np.array([1]))
    assert again.members is not None
    assert again.members.records.rows.tolist() == [0, 1]


def test_without_individuals_units_are_records():
    data = s4_microdata()
    alone = data.__class__(data.quasi, data.codes, data.sensitive, data.sensitive_codes, data.rows)
    assert alone.units is alone


def test_what_is_withheld_of_individuals_is_withheld_of_all_their_records():
    plan = Plan(
        np.array([0, -1, -1, 1]),
        because={Reason(name, name): number for name, number in (("alone", 1), ("late", 1), ("never", 0))},
        reasons=np.array([-1, 1, 0, -1], np.int32),
    )
    whole = spread(plan, np.array([0, 1, 1, 1, 2, 3, 3]))
    assert whole.classes.tolist() == [0, -1, -1, -1, -1, 1, 1]
    assert whole.withheld_because == {"alone": 1, "late": 3, "never": 0}
    assert whole.reason_of.tolist() == [-1, 1, 1, 1, 0, -1, -1]
    bounded = spread(
        Plan(np.array([0, 0]), bounds=np.arange(4, dtype=np.int32).reshape(2, 1, 2)), np.array([1, 0, 1])
    )
    assert bounded.bounds is not None
    assert bounded.bounds.tolist() == [[[1, 0, 1]], [[3, 2, 3]]]


@given(records(), st.booleans())
@settings(deadline=None)
def test_people_whose_keys_would_be_too_large_are_found_alike(drawn, looks_at_values):
    classes, who, what = arrays(*drawn)
    inside = classes >= 0
    told = (classes[inside], 4, who[inside], *([what[inside], 5] if looks_at_values else []))
    plain = find_individuals(*told)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(individuals, "_MOST", 0)
        numbered = find_individuals(*told)
    for name in ("records", "most", "start", "number", "first", "value"):
        assert getattr(plain, name).tolist() == getattr(numbered, name).tolist(), name
