"""False answers that appear in large tables only: overflows, groups that nobody checks (`peers.md` 8)."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction

import polars as pl
import pytest
from tests.properties.brute_force import tree_movement
from tests.properties.plain_regions import Field

import likeness as lk

QUASI = ["age", "sex", "education"]


@pytest.fixture(scope="module")
def adult(data_folder):
    """The 30,162 complete records."""
    frame = pl.read_csv(data_folder / "adult/adult_raw_48842.csv", infer_schema=False)
    complete = frame.filter(pl.all_horizontal(pl.all() != "?")).head(30_162)
    return complete.select(*QUASI, "occupation")


def farthest(published: pl.DataFrame, column: Field) -> Fraction:
    """Largest earth mover's distance of a class, in exact arithmetic."""
    counted = published.group_by(*QUASI, "occupation").len()
    table = Counter(dict(counted.group_by("occupation").agg(pl.col("len").sum()).rows()))
    p = {value: Fraction(count, published.height) for value, count in table.items()}
    largest = Fraction(0)
    for _, group in counted.group_by(*QUASI):
        q = Counter(dict(group.select("occupation", "len").rows()))
        extra = {value: Fraction(q[value], q.total()) - p[value] for value in p}
        largest = max(largest, tree_movement(column, extra))
    return largest


@pytest.mark.slow
def test_8_hierarchical_t_closeness_does_not_overflow(adult, data_folder):
    file = data_folder / "adult/adult_hierarchy_occupation.csv"
    with file.open(newline="") as lines:
        rows = list(csv.reader(lines, delimiter=";"))
    column = Field("occupation", "hierarchical", [], {}, None, {row[0]: row for row in rows})
    table = pl.concat([adult] * 10)
    assert table.height == 301_620
    policy = lk.Policy(
        columns={name: lk.quasi() for name in QUASI} | {"occupation": lk.sensitive(hierarchy=str(file))},
        privacy=lk.TCloseness("1/10", distance="hierarchical"),
        method=lk.Mondrian(),
    )
    release = lk.anonymize(table, policy, seed=1)
    assert release.table.height == 301_620
    assert release.certificate.classes > 1
    largest = farthest(release.table, column)
    assert Fraction(0) < largest <= Fraction(1, 10)
    (proof,) = release.certificate.guarantee
    assert proof["measured"]["t"] == pytest.approx(float(largest), abs=1e-12)
    # The text that is published is rounded up; the binary number next to it may be lower.
    assert Fraction(repr(proof["measured"]["t"])) >= largest


def test_8_no_group_of_withheld_records_is_published():
    # The level limit keeps the regions apart; the south is all of one disease, so that it must be withheld.
    north = pl.DataFrame({"town": ["N1", "N2"] * 200, "disease": ["flu", "cold", "gout", "mumps"] * 100})
    south = pl.DataFrame({"town": ["S1"] * 20, "disease": ["plague"] * 20})
    towns = [["N1", "north", "*"], ["N2", "north", "*"], ["S1", "south", "*"]]
    policy = lk.Policy(
        columns={"town": lk.quasi(hierarchy=towns, max_level=1), "disease": lk.sensitive()},
        privacy=lk.BetaLikeness(4),
        withhold={"at_most": 0.05},
    )
    release = lk.anonymize(pl.concat([north, south]), policy, seed=1)
    assert release.table.height == 400
    assert release.private.solution.plan.withheld == 20
    assert set(release.table["town"]) == {"N1", "N2"}
    assert release.loss("ncp-total")["ncp-total"] == pytest.approx(20 / 420)
    with pytest.raises(lk.CannotBeMetError, match=r"20 of 420 records would have to be withheld"):
        lk.anonymize(pl.concat([north, south]), policy.replace(withhold={"at_most": 0.04}), seed=1)


def test_8_means_are_not_taken_for_the_values_themselves():
    table = pl.DataFrame({"age": list(range(20, 60))})
    asked = {"columns": {"age": lk.quasi()}, "privacy": lk.KAnonymity(4)}
    release = lk.anonymize(table, lk.Policy(**asked, form={"name": "microaggregated"}), seed=1)
    # Ages in classes of four neighbours lie 1.5, 0.5, 0.5 and 1.5 from their mean.
    assert set(release.table["age"]) == {21.5 + 4 * i for i in range(10)}
    assert release.loss("sse")["sse"] == pytest.approx(10 * 2 * (1.5**2 + 0.5**2) / 39**2)
    with pytest.raises(lk.PolicyError, match="ncp"):
        release.loss("ncp")
