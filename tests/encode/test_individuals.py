"""People with several records: who is who, the hygiene rules, and what is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.hygiene import tidy
from tests.pace import argsorts

import likeness as lk
from likeness.encode import Encoded, encode
from likeness.tables import read

K = lk.KAnonymity(1)
COLUMNS = {"who": lk.identifier(), "age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive()}
FRAME = pl.DataFrame(
    {
        "who": ["b", "a", "b", "c", "a", "b", "d", "b", "d"],
        "age": [30, 40, 31, 50, 40, 31, 20, 30, 21],
        "sex": ["f", "m", "f", "m", "m", "f", "f", "f", "f"],
        "disease": ["flu", "flu", "cold", None, "flu", "hiv", "flu", "gout", "cold"],
    }
)


def encoded(frame: Any, columns: dict[str, Any] | None = None, **given: Any) -> Encoded:
    """The table as its policy says."""
    keys = {"columns": columns or COLUMNS, "privacy": K, "individual": "who"} | given
    return encode(read(frame), lk.Policy(**keys))


def problems(frame: Any, columns: dict[str, Any] | None = None, **given: Any) -> tuple[str, ...]:
    """What is wrong, one line each."""
    with pytest.raises(lk.InvalidError) as caught:
        encoded(frame, columns, **given)
    assert all("\n" not in line for line in caught.value.problems)
    return caught.value.problems


def ages(found: Encoded) -> list[Any]:
    """The age of every record that goes on."""
    domain = found.data.quasi[0]
    return [domain.values[code] for code in found.data.codes[0]]


def test_people_are_numbered_in_order_of_first_appearance_among_the_records_that_go_on():
    found = encoded(FRAME)
    assert found.data.rows.tolist() == [0, 1, 2, 5, 6, 7, 8]
    assert found.data.individuals.tolist() == [0, 1, 0, 0, 2, 0, 2]
    assert found.data.individuals.dtype == np.int64
    assert found.individual == "who"
    assert found.dropped == {"missing disease": 1, "duplicate records of one person": 1}
    assert found.reasons.tolist() == [-1, -1, -1, 0, 1, -1, -1, -1, -1]


def test_everything_is_counted():
    counts = encoded(FRAME).hygiene
    assert (counts.people_before, counts.people, counts.individuals_dropped) == (4, 3, 1)
    assert (counts.records, counts.most, counts.mean) == (7, 4, 7 / 3)
    assert (counts.without_sensitive, counts.without_records, counts.nobody) == (1, 0, 0)
    assert (counts.duplicates, counts.duplicates_rule) == (1, "drop")
    assert (counts.inconsistent, counts.inconsistent_rule) == (2, "hull")


def test_a_table_without_individual_has_nobody():
    found = encoded(FRAME.drop_nulls(), individual=None)
    assert (found.individual, found.hygiene, found.data.individuals) == (None, None, None)


def test_the_hull_leaves_codes_as_they_are():
    assert ages(encoded(FRAME)) == [30, 40, 31, 31, 20, 30, 21]


def test_the_first_record_speaks_for_all():
    found = encoded(FRAME, hygiene={"inconsistent_quasi": "first"})
    assert ages(found) == [30, 40, 30, 30, 20, 30, 20]
    assert (found.hygiene.inconsistent, found.hygiene.inconsistent_rule) == (2, "first")


def test_the_most_frequent_tuple_speaks_for_all_and_of_equals_the_first():
    # b says 30 and 31 twice each, d says 20 and 21 once each.
    assert ages(encoded(FRAME, hygiene={"inconsistent_quasi": "mode"})) == [30, 40, 30, 30, 20, 30, 20]
    more = pl.concat([FRAME, FRAME[[2]].with_columns(disease=pl.lit("measles"))])
    assert ages(encoded(more, hygiene={"inconsistent_quasi": "mode"})) == [31, 40, 31, 31, 20, 31, 20, 31]


def test_whole_tuples_are_counted_and_not_single_values():
    frame = pl.DataFrame(
        {
            "who": ["a"] * 5,
            "age": [1, 1, 2, 3, 2],
            "sex": ["f", "m", "f", "f", "f"],
            "disease": ["v", "w", "x", "y", "z"],
        }
    )
    found = encoded(frame, hygiene={"inconsistent_quasi": "mode"})
    assert ages(found) == [2] * 5
    assert len({*found.data.codes[1].tolist()}) == 1


def test_differing_quasi_identifiers_may_be_an_error():
    assert problems(FRAME, hygiene={"inconsistent_quasi": "error"}) == (
        (
            "hygiene.inconsistent_quasi: people whose records differ in quasi-identifiers: 2, the first in row 1 and row 3 "
            "(age); correct them, or choose hygiene: {inconsistent_quasi: hull}"
        ),
    )
    assert encoded(FRAME[[1, 0, 7]], hygiene={"inconsistent_quasi": "error"}).hygiene.inconsistent == 0


def test_columns_are_called_what_they_are_called_in_the_table():
    columns = {name if name != "age" else "class": role for name, role in COLUMNS.items()}
    (found,) = problems(FRAME.rename({"age": "class"}), columns, hygiene={"inconsistent_quasi": "error"})
    assert "row 3 (class);" in found


def test_duplicates_may_be_an_error_or_kept():
    assert problems(FRAME, hygiene={"duplicates": "error"}) == (
        (
            "hygiene.duplicates: records of one person with the same values in all sensitive columns as an earlier one: 1, "
            "the first in row 5, as in row 2; correct them, or drop them with hygiene: {duplicates: drop}"
        ),
    )
    found = encoded(FRAME, hygiene={"duplicates": "keep"})
    assert found.data.rows.tolist() == [0, 1, 2, 4, 5, 6, 7, 8]
    assert (found.hygiene.duplicates, found.hygiene.duplicates_rule) == (1, "keep")
    assert found.dropped == {"missing disease": 1}


def test_duplicates_agree_in_all_sensitive_columns():
    frame = pl.DataFrame(
        {"who": ["a"] * 4, "age": [1] * 4, "disease": ["flu", "flu", "cold", "flu"], "cost": [1, 2, 1, 1]}
    )
    columns = {"who": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}
    found = encoded(frame, columns | {"cost": lk.sensitive()})
    assert found.data.rows.tolist() == [0, 1, 2]
    assert encoded(frame, columns | {"cost": lk.drop()}).data.rows.tolist() == [0, 2]


def test_what_a_dropped_duplicate_says_of_its_person_is_gone():
    frame = pl.DataFrame({"who": ["a", "a"], "age": [1, 9], "sex": ["f", "f"], "disease": ["flu", "flu"]})
    found = encoded(frame)
    assert ages(found) == [1]
    assert (found.hygiene.inconsistent, found.hygiene.duplicates) == (0, 1)


def test_without_sensitive_columns_no_record_is_a_duplicate():
    found = encoded(FRAME, COLUMNS | {"disease": lk.drop()})
    assert (found.data.size, found.dropped, found.reasons) == (9, {}, None)
    assert found.hygiene.without_sensitive == 0


def test_without_quasi_identifiers_nobody_differs():
    found = encoded(FRAME, COLUMNS | {"age": lk.drop(), "sex": lk.drop()})
    assert found.hygiene.inconsistent == 0
    assert found.data.codes.shape == (0, 7)


def test_missing_sensitive_values_may_be_values_or_errors():
    found = encoded(FRAME, hygiene={"no_sensitive": "value"})
    assert found.data.sensitive[0].missing
    assert found.data.sensitive_codes[0].tolist().count(found.data.sensitive[0].missing_code) == 1
    assert (found.hygiene.people, found.hygiene.without_sensitive) == (4, 1)
    assert found.dropped == {"duplicate records of one person": 1}
    (line,) = problems(FRAME, hygiene={"no_sensitive": "error"})
    assert line.startswith("column 'disease': 1 missing value, the first in row 4")
    (line,) = problems(FRAME, missing={"policy": "error"})
    assert line.startswith("column 'disease': 1 missing value, the first in row 4")


def test_a_missing_value_is_dropped_twice_only_where_it_is_a_value():
    frame = pl.DataFrame(
        {
            "who": ["a", "a"],
            "age": [1, 1],
            "sex": ["f", "f"],
            "disease": pl.Series([None, None], dtype=pl.String),
        }
    )
    frame = pl.concat([frame, FRAME])
    found = encoded(frame, hygiene={"no_sensitive": "value"})
    assert found.hygiene.duplicates == 2
    assert encoded(frame).dropped == {"missing disease": 3, "duplicate records of one person": 1}


def test_everything_dropped_is_an_error_that_says_why():
    assert problems(FRAME.with_columns(disease=pl.when(pl.col("who") == "zz").then(pl.lit("flu")))) == (
        "column 'disease': every value is missing; give it role: drop",
    )
    two = pl.DataFrame({"who": [None, "a"], "age": [1, 2], "sex": ["f", "m"], "disease": ["flu", None]})
    columns = COLUMNS | {"who": lk.identifier(missing={"policy": "drop"})}
    (line,) = problems(two, columns)
    assert line == (
        "polars frame: every record is one of missing who, missing disease and is dropped; choose missing: category"
    )


def test_survey_weights_are_needed_of_records_that_go_on_only():
    frame = FRAME.with_columns(weight=pl.when(pl.col("who") != "c").then(2.5))
    found = encoded(frame, COLUMNS | {"weight": lk.drop()}, weights="weight")
    assert found.data.survey_weights.tolist() == [2.5] * 7
    (line,) = problems(
        frame, COLUMNS | {"weight": lk.drop()}, weights="weight", hygiene={"no_sensitive": "value"}
    )
    assert line == "weights: column 'weight' must hold a number for every record"


record = st.fixed_dictionaries(
    {
        "who": st.sampled_from(["a", "b", "c", None]),
        "age": st.integers(0, 2),
        "sex": st.sampled_from(["f", "m"]),
        "disease": st.sampled_from(["flu", "cold", None]),
        "cost": st.sampled_from([1, 2, None]),
    }
)


@given(
    st.lists(record, max_size=14),
    st.sampled_from(["drop", "keep"]),
    st.sampled_from(["hull", "first", "mode"]),
    st.sampled_from(["drop", "value"]),
    st.integers(0, 2),
    st.integers(0, 2),
)
@settings(max_examples=150, deadline=None)
def test_the_rules_do_what_a_plain_loop_does(records, duplicates, inconsistent, no_sensitive, d, s):
    records = [*records, {"who": "a", "age": 1, "sex": "f", "disease": "flu", "cost": 1}]
    quasi, sensitive = ["age", "sex"][:d], ["disease", "cost"][:s]
    frame = pl.DataFrame(
        records,
        schema={"who": pl.String, "age": pl.Int64, "sex": pl.String, "disease": pl.String, "cost": pl.Int64},
    )
    columns = {"who": lk.identifier(missing={"policy": "drop"})} | {
        name: lk.quasi() if name in quasi else lk.sensitive() if name in sensitive else lk.drop()
        for name in ("age", "sex", "disease", "cost")
    }
    rules = {"duplicates": duplicates, "inconsistent_quasi": inconsistent, "no_sensitive": no_sensitive}
    found = encoded(frame, columns, hygiene=rules)
    expected, dropped, counts = tidy(
        records, quasi=quasi, sensitive=sensitive, duplicates=duplicates, inconsistent=inconsistent,
        no_sensitive=no_sensitive,
    )  # fmt: skip
    data = found.data
    values = [
        [domain.values[code] for code in own] for domain, own in zip(data.quasi, data.codes, strict=True)
    ]
    tuples = list(zip(*values, strict=True)) if quasi else [()] * data.size
    made = list(zip(data.rows.tolist(), data.individuals.tolist(), tuples, strict=True))
    assert made == expected
    assert {why: number for why, number in found.dropped.items() if number} == dict(dropped)
    assert data.size + sum(found.dropped.values()) == frame.height
    assert {key: getattr(found.hygiene, key) for key in counts} == counts
    if found.reasons is not None:
        assert np.bincount(found.reasons + 1, minlength=len(found.dropped) + 1)[1:].tolist() == [
            *found.dropped.values()
        ]


@pytest.mark.slow
def test_a_million_records_take_a_moment():
    from likeness.encode.individuals import put_in_order
    from likeness.policy import Hygiene

    rng = np.random.default_rng(3)
    n = 1_000_000
    who = rng.integers(0, 200_000, n)
    frame = pl.DataFrame(
        {
            "who": who,
            "age": rng.integers(0, 90, n),
            "sex": rng.integers(0, 2, n),
            "disease": rng.integers(0, 600, n),
        }
    )
    data = encoded(frame).data
    for rule in ("hull", "mode"):
        hygiene = Hygiene(inconsistent_quasi=rule)
        assert argsorts(lambda: put_in_order(data, data.individuals, hygiene, str), n) < 15  # noqa: B023
