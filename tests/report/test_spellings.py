"""People who are written in several ways, and so count as several."""

from __future__ import annotations

import polars as pl
import pytest

import likeness as lk
from likeness.report.people import people_findings, spelling_findings


def made(who: list[object], individual: str | None = "who") -> lk.Release:
    """A release of ten records."""
    frame = pl.DataFrame({"who": who, "age": [30] * len(who), "disease": ["flu", "cold"] * (len(who) // 2)})
    columns = {"who": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}
    return lk.anonymize(
        frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(2), individual=individual), seed=1
    )


@pytest.mark.parametrize(
    ("who", "people", "names"),
    [
        (["p1", "p1 ", "p2", "p3"], "2 of 4 people", "'p1' and 'p1 '"),
        (["p1", "P1", "p 1", "p3"], "3 of 4 people", "'P1' and 'p 1' and 'p1'"),
        (["7", "7.0", "07", "70"], "3 of 4 people", "'07' and '7' and '7.0'"),
        (["7,00", "7", "8", "9"], "2 of 4 people", "'7' and '7,00'"),
    ],
)
def test_names_that_may_be_one(who, people, names):
    release = made(who)
    (line,) = [str(found) for found in people_findings(release) if found.warned]
    assert [str(found) for found in spelling_findings(release)] == [line]
    assert line == (
        f"column 'who': {people} differ from another only in spaces, capital letters, leading zeros or decimal places, such as "
        f"{names}; if they are one, classes hold fewer people than is proven: write each person in one way"
    )


@pytest.mark.parametrize(
    "who", [["p1", "p1", "p2", "p3"], [1, 10, 100, 1000], ["0", "00x", "a0", "a00"], [1.5, 1.05, 15.0, 1.0]]
)
def test_names_that_are_not(who):
    assert spelling_findings(made(who)) == []


def test_where_records_are_not_of_people_nothing_is_said():
    assert spelling_findings(made(["p1", "p1 ", "p2", "P2"], individual=None)) == []
