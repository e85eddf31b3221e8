from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiling.columns import all_cells

from likeness.profiling.meaning import interpret
from likeness.profiling.persons import count_groups, find_persons, group_sizes, keys_of

MAILS = ["a@x.org", "b@x.org", "c@x.org"]


def persons(frame):
    columns = all_cells(frame)
    return find_persons(columns, {name: interpret(own) for name, own in columns.items()})


def test_a_person_with_several_records():
    found = persons({"patient_id": [1, 1, 1, 2, 3], "x": ["a", "a", "b", "a", "a"]})
    assert (found.column, found.people, found.most, found.duplicates) == ("patient_id", 3, 3, 1)


def test_one_record_a_person():
    found = persons({"patient_id": [1, 2, 3], "name": ["Ann", "Ann", "Bob"]})
    assert (found.column, found.people, found.most) == (None, 3, 1)


def test_numbers_of_records_do_not_hide_the_people():
    found = persons({"visit_id": [1, 2, 3], "name": ["Ann", "Ann", "Bob"]})
    assert (found.column, found.most) == ("name", 2)


def test_numbers_of_people_come_before_their_addresses_and_names():
    frame = {"name": ["Ann", "Ann", "Ann"], "mail": [*MAILS[:2], MAILS[0]], "patient_id": [7, 7, 8]}
    assert persons(frame).column == "patient_id"
    del frame["patient_id"]
    assert persons(frame).column == "mail"


def test_a_column_that_is_called_as_its_people_are():
    visits = {"subject": [i // 4 for i in range(160)], "sex": ["f", "m"] * 80}
    assert (persons(visits).column, persons(visits).people, persons(visits).most) == ("subject", 40, 4)
    assert (
        persons({name: own[:40] for name, own in visits.items()}).column is None
    )  # ten values may be anything


def test_people_are_not_counted_by_a_column_that_lacks_some():
    assert persons({"patient_id": ["1", "1", ""], "x": ["a", "b", "c"]}).column is None


def test_without_identifiers_there_are_only_duplicates():
    found = persons({"x": [1, 1, 2, 1]})
    assert (found.duplicates, found.column, found.people, found.most) == (2, None, 4, 1)
    assert found.to_mapping()["duplicates"] == 2


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.tuples(*[st.sampled_from(["", "a", "b", "c"])] * 2, st.integers(-3, 3)), min_size=1, max_size=40
    )
)
def test_groups_are_those_of_equal_records(records):
    columns = list(all_cells({name: [r[i] for r in records] for i, name in enumerate("xyz")}).values())
    expected = Counter(records)
    assert sorted(group_sizes(columns)) == sorted(expected.values())
    assert count_groups(columns) == len(expected)
    keys = keys_of(columns)
    assert len(set(zip(keys.tolist(), records, strict=True))) == len(expected) == len(set(keys.tolist()))


def test_many_columns_do_not_overflow():
    rng = np.random.default_rng(1)
    frame = {f"c{i}": rng.integers(0, 1000, 2000).tolist() for i in range(12)}
    frame |= {f"d{i}": frame[f"c{i}"] for i in range(12)}
    assert count_groups(list(all_cells(frame).values())) == 2000
    twice = {name: own * 2 for name, own in frame.items()}
    assert set(group_sizes(list(all_cells(twice).values()))) == {2}
