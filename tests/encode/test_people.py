"""Who each row is of: by the texts of a column, as they are; rows that name nobody are errors or dropped."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import likeness as lk
from likeness.encode import Encoded, encode
from likeness.tables import read

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
    keys = {"columns": columns or COLUMNS, "privacy": lk.KAnonymity(1), "individual": "who"} | given
    return encode(read(frame), lk.Policy(**keys))


def problems(frame: Any, columns: dict[str, Any] | None = None, **given: Any) -> tuple[str, ...]:
    """What is wrong, one line each."""
    with pytest.raises(lk.InvalidError) as caught:
        encoded(frame, columns, **given)
    assert all("\n" not in line for line in caught.value.problems)
    return caught.value.problems


NAMELESS = FRAME.with_columns(who=pl.when(pl.col("age") == 31).then(pl.lit("?")).otherwise("who"))


@pytest.mark.parametrize("policy", ["error", "category"])
def test_records_that_name_no_person_are_an_error(policy):
    found = problems(NAMELESS, missing={"markers": ["?"], "policy": policy})
    assert found[0] == (
        "column 'who': records that name no person: 2, the first in row 3; correct them, or drop them with "
        "missing: {policy: drop} in this column"
    )
    # What else they lack is not what is wrong with them.
    lacking = NAMELESS.with_columns(age=pl.when(pl.col("who") != "?").then("age"))
    assert problems(lacking, missing={"markers": ["?"], "policy": policy}) == found


def test_records_that_name_no_person_may_be_dropped_first():
    columns = COLUMNS | {"who": lk.identifier(missing={"markers": ["?"], "policy": "drop"})}
    found = encoded(NAMELESS, columns)
    assert found.dropped == {"missing who": 2, "missing disease": 1, "duplicate records of one person": 1}
    assert found.hygiene.nobody == 2
    assert found.data.individuals.tolist() == [0, 1, 2, 0, 2]
    everywhere = encoded(NAMELESS, missing={"markers": ["?"], "policy": "drop"})
    assert everywhere.dropped == found.dropped
    # What else such a record lacks is no matter.
    lacking = NAMELESS.with_columns(age=pl.when(pl.col("who") != "?").then("age"))
    assert encoded(lacking, columns).missing == {"disease": 1}


def test_who_is_told_by_texts_as_they_are():
    frame = pl.DataFrame(
        {
            "who": ["7", "07", " 7", "7", "A", "a"],
            "age": range(6),
            "sex": ["f"] * 6,
            "disease": list("uvwxyz"),
        }
    )
    assert encoded(frame).data.individuals.tolist() == [0, 1, 2, 0, 3, 4]
    numbers = frame.with_columns(who=pl.Series([2**62, -5, 0, 2**62, 1, 1]))
    assert encoded(numbers).data.individuals.tolist() == [0, 1, 2, 0, 3, 3]
