from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiling.columns import all_cells

from likeness.profiling.persons import BELOW, PAIRED, SHOWN, measure_uniqueness

FRAME = {"sex": ["f", "f", "m", "m", "m"], "age": [30, 31, 31, 31, 31], "zip": ["1", "1", "1", "1", ""]}


def test_groups_together_alone_and_in_pairs():
    found = measure_uniqueness(all_cells(FRAME))
    together = found.together
    assert together is not None
    assert (together.groups, together.smallest, together.below) == (4, 1, {2: 3, 5: 5, 10: 5})
    assert [(own.columns, own.below[2]) for own in found.alone] == [
        (("age",), 1),
        (("zip",), 1),
        (("sex",), 0),
    ]
    assert [own.below[2] for own in found.pairs] == [2, 2, 1]
    assert not found.of_people


def test_groups_of_people():
    cells = all_cells({"person": ["a", "a", "a", "b", "b"], **FRAME})
    person = cells.pop("person")
    found = measure_uniqueness(cells, person)
    sex = next(own for own in found.alone if own.columns == ("sex",))
    assert (sex.groups, sex.smallest, sex.below) == (2, 1, {2: 2, 5: 5, 10: 5})
    assert found.of_people


def test_without_quasi_identifiers():
    found = measure_uniqueness({})
    assert (found.together, found.alone, found.pairs) == (None, (), ())
    assert found.to_mapping()["together"] is None


def test_one_quasi_identifier_has_no_pair():
    found = measure_uniqueness(all_cells({"sex": ["f", "m"]}))
    assert found.pairs == ()
    assert found.together == found.alone[0]


def test_pairs_are_of_the_columns_that_identify_most():
    frame = {f"c{i}": [j if j < 50 - 4 * i else 99 for j in range(60)] for i in range(PAIRED + 2)}
    found = measure_uniqueness(all_cells(frame))
    assert [own.columns[0] for own in found.alone] == list(frame)
    assert [own.below[2] for own in found.alone] == [50 - 4 * i for i in range(PAIRED + 2)]
    assert len(found.pairs) == SHOWN
    paired = {name for own in found.pairs for name in own.columns}
    assert paired <= set(list(frame)[:PAIRED])


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 1), st.sampled_from(["", "a", "b"]), st.integers(0, 4)),
        min_size=1,
        max_size=40,
    ),
    st.booleans(),
)
def test_every_number_is_what_counting_by_hand_gives(records, with_people):
    cells = all_cells({name: [record[i] for record in records] for i, name in enumerate("abcp")})
    person = cells.pop("p")
    found = measure_uniqueness(cells, person if with_people else None)
    sets = [tuple("abc"), *("a", "b", "c"), *combinations("abc", 2)]
    standings = {frozenset(own.columns): own for own in (found.together, *found.alone, *found.pairs)}
    assert len(standings) == len(sets)
    for names in sets:
        places = ["abc".index(name) for name in names]
        groups: dict[tuple, list] = {}
        for i, record in enumerate(records):
            groups.setdefault(tuple(record[j] for j in places), []).append(record[3] if with_people else i)
        own = standings[frozenset(names)]
        assert own.groups == len(groups)
        assert own.smallest == min(len(set(group)) for group in groups.values())
        for size in BELOW:
            assert own.below[size] == sum(len(g) for g in groups.values() if len(set(g)) < size)
