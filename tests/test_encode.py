"""A table and a policy to microdata: columns, roles, what is dropped and why, weights, renamed columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.encode import encode
from likeness.tables import read

K = lk.KAnonymity(1)


def encoded(frame: pl.DataFrame, columns: dict[str, Any], **given: Any) -> Any:
    """The table as its policy says."""
    return encode(read(frame), lk.Policy(columns=columns, privacy=given.pop("privacy", K), **given))


FRAME = pl.DataFrame(
    {
        "name": ["x", "y", "z", "w"],
        "age": [40, None, 20, 30],
        "job": ["cook", "nurse", "?", None],
        "disease": ["flu", None, "flu", "cold"],
        "note": ["", None, "n", "?"],
        "weight": [1.5, 2.0, 0.0, 1.0],
    }
)
COLUMNS = {
    "name": lk.identifier(),
    "age": lk.quasi(),
    "job": lk.quasi(),
    "disease": lk.sensitive(),
    "note": lk.other(),
    "weight": lk.drop(),
}


def test_attributes_stand_in_the_order_of_the_table():
    given = dict(reversed(COLUMNS.items()))
    found = encoded(FRAME, given, missing={"markers": ["?"], "policy": "category"})
    assert [domain.name for domain in found.data.quasi] == ["age", "job"]
    assert [domain.name for domain in found.data.sensitive] == ["disease"]
    assert found.roles == {name: column.role for name, column in COLUMNS.items()}
    assert found.with_role("other") == ["note"]
    assert found.data.codes.tolist() == [[2, 3, 0, 1], [0, 1, 2, 2]]
    assert found.data.sensitive_codes.tolist() == [[1, 2, 1, 0]]
    assert found.missing == {"age": 1, "job": 2, "disease": 1}
    assert found.dropped == {}
    assert found.reasons is None
    assert found.data.rows.tolist() == [0, 1, 2, 3]


def test_dropped_records_are_counted_once_with_their_first_reason():
    found = encoded(FRAME, COLUMNS, missing={"markers": ["?"], "policy": "drop"})
    assert found.dropped == {"missing age": 1, "missing job": 2, "missing disease": 0}
    assert found.missing == {"age": 1, "job": 2, "disease": 1}
    assert found.data.rows.tolist() == [0]
    assert found.reasons.tolist() == [-1, 0, 1, 1]
    assert found.data.size + sum(found.dropped.values()) == FRAME.height


def test_each_column_may_have_its_own_rule():
    own = COLUMNS | {"age": lk.quasi(missing={"policy": "drop"}), "job": lk.quasi(missing={"markers": []})}
    found = encoded(FRAME, own, missing={"markers": ["?"], "policy": "category"})
    assert found.data.rows.tolist() == [0, 2, 3]
    job = found.data.quasi[1]
    assert job.labels == ["?", "cook", "nurse"]
    assert found.data.codes[1].tolist() == [1, 0, job.missing_code]


def test_what_is_not_published_may_miss_anything():
    columns = COLUMNS | dict.fromkeys(("age", "job", "disease"), lk.drop())
    assert encoded(FRAME, columns).data.size == 4


def test_survey_weights_follow_the_records():
    found = encoded(FRAME, COLUMNS, weights="weight", missing={"markers": ["?"], "policy": "drop"})
    assert found.data.survey_weights.tolist() == [1.5]
    everybody = encoded(FRAME, COLUMNS, weights="weight", missing={"policy": "category"})
    assert everybody.data.survey_weights.tolist() == [1.5, 2.0, 0.0, 1.0]


def test_attribute_weights_reach_the_domains():
    found = encoded(FRAME, COLUMNS | {"age": lk.quasi(weight=2.5)}, missing={"policy": "category"})
    assert [domain.weight for domain in found.data.quasi] == [2.5, 1.0]


@pytest.mark.parametrize(
    ("taken", "fresh"), [([], "person_original"), (["person_original"], "person_original_")]
)
def test_columns_whose_names_releases_use_are_renamed(taken, fresh):
    frame = pl.DataFrame({"person": ["a", "b"], "bucket": ["c", "d"]} | {name: [1, 2] for name in taken})
    columns = {"person": lk.sensitive(), "bucket": lk.quasi()} | dict.fromkeys(taken, lk.drop())
    models = lk.DistinctLDiversity(1, sensitive="person") & lk.KAnonymity(1)
    found = encoded(frame, columns, privacy=models)
    assert found.renamed == {"person": fresh, "bucket": "bucket_original"}
    assert [found.data.quasi[0].name, found.data.sensitive[0].name] == ["bucket_original", fresh]
    named = found.name_models(models)
    assert named == (lk.DistinctLDiversity(1, sensitive=fresh), lk.KAnonymity(1))
    assert found.published_name("person") == fresh
    assert found.published_name("other") == "other"


def test_a_dropped_column_needs_no_other_name():
    found = encoded(pl.DataFrame({"person": [1, 2], "age": [1, 2]}), {"person": lk.drop(), "age": lk.quasi()})
    assert found.renamed == {}


def problems(frame: pl.DataFrame, columns: dict[str, Any], **given: Any) -> tuple[str, ...]:
    """What is wrong, one line each."""
    with pytest.raises(lk.InvalidError) as caught:
        encoded(frame, columns, **given)
    assert all("\n" not in line for line in caught.value.problems)
    return caught.value.problems


def test_table_and_policy_must_name_the_same_columns():
    columns = {key: column for key, column in COLUMNS.items() if key not in {"note", "weight"}}
    found = problems(FRAME, columns | {"wieght": lk.drop(), "agee": lk.drop()})
    assert found == (
        (
            "polars frame: the policy does not name column 'note'; add it under columns with a role "
            "(role: drop leaves it out)"
        ),
        (
            "polars frame: the policy does not name column 'weight'; add it under columns with a role "
            "(role: drop leaves it out)"
        ),
        "the policy names column 'wieght', which polars frame does not have; did you mean 'weight'?",
        "the policy names column 'agee', which polars frame does not have; known: note, weight",
    )


def test_all_columns_are_looked_at_before_anything_is_said():
    columns = COLUMNS | {"age": lk.quasi(domain=[30, 35]), "job": lk.quasi(hierarchy="none.csv")}
    found = problems(FRAME, columns, missing={"markers": ["?"], "policy": "error"})
    assert len(found) == 3
    assert found[0].startswith("column 'age': 1 missing values, the first in row 2")
    assert found[1].startswith("column 'job': 2 missing values, the first in row 3")
    assert found[2].startswith("column 'disease': 1 missing values, the first in row 2")
    later = problems(FRAME, columns, missing={"markers": ["?"], "policy": "category"})
    assert later[0].startswith(
        "column 'age': '20' is outside its declared domain [30, 35] (and 1 more values)"
    )
    assert "none.csv" in later[1]


def test_a_table_must_hold_records():
    assert problems(FRAME.head(0), COLUMNS) == ("polars frame: has columns and no records",)
    (line,) = problems(FRAME[1:3], COLUMNS, missing={"markers": ["?"], "policy": "drop"})
    assert line == "polars frame: every record has a missing value and is dropped; choose missing: category"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([-1.0, 1.0], "weights: column 'w' holds a negative weight"),
        (["a", "b"], "weights: column 'w' must hold a number for every record"),
        ([None, 1.0], "weights: column 'w' must hold a number for every record"),
    ],
)
def test_survey_weights_must_be_numbers(weights, message):
    frame = pl.DataFrame({"age": [1, 2], "w": weights})
    assert problems(frame, {"age": lk.quasi(), "w": lk.drop()}, weights="w") == (message,)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("individual", "name", "people with several records come with a later version"),
        ("categories", {"disease": "c.csv"}, "categories of sensitive values come with a later version"),
        ("knowledge", {"kernel": {"bandwidth": 0.3}}, "background knowledge comes with a later version"),
    ],
)
def test_what_comes_later_is_refused_before_the_table_is_looked_at(key, value, words):
    (line,) = problems(FRAME, COLUMNS, **{key: value})
    assert line.startswith(f"{key}: ")
    assert words in line


def test_codes_are_what_methods_expect():
    data = encoded(FRAME, COLUMNS, missing={"markers": ["?"], "policy": "category"}).data
    for codes, domain in zip(data.codes, data.quasi, strict=True):
        assert codes.dtype == np.int32
        assert codes.min() >= 0
        assert codes.max() < domain.codes
    assert data.codes.flags.c_contiguous


def test_an_encoded_table_without_quasi_identifiers_has_no_codes():
    found = encoded(pl.DataFrame({"s": ["a", "b"]}), {"s": lk.sensitive()})
    assert found.data.codes.shape == (0, 2)
    assert found.data.tuples.count == 1
