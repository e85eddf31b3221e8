"""Census income: 199,523 records, `?` for what is missing, `NA` for a value."""

from __future__ import annotations

import gzip

import polars as pl
import pytest
from tests.real_tables import checking

import likeness as lk

COLUMNS = {
    0: "age",
    4: "education",
    7: "marital status",
    10: "race",
    11: "hispanic origin",
    12: "sex",
    25: "migration code MSA",
    34: "country of birth self",
    9: "major occupation",
    41: "income",
}
QUASI = [
    "age",
    "education",
    "marital status",
    "race",
    "sex",
    "hispanic origin",
    "country of birth self",
    "migration code MSA",
]


@pytest.fixture(scope="module")
def census(data_folder):
    """The columns used here, every cell a text without the blank after the comma."""
    file = data_folder / "census_income/census_income_1994_1995_train.csv.gz"
    frame = pl.read_csv(gzip.decompress(file.read_bytes()), has_header=False, infer_schema=False)
    assert frame.height == 199_523
    return frame.select(pl.nth(number).str.strip_chars().alias(name) for number, name in COLUMNS.items())


def released(census, quasi, sensitive, privacy, **given):
    """A release in which `?` is a category of its own."""
    policy = checking.policy(
        quasi,
        [sensitive],
        {},
        privacy=privacy,
        missing={"markers": ["?"], "policy": "category"},
        withhold={"at_most": 0},
        **given,
    )
    frame = census.select(*quasi, sensitive)
    release = lk.anonymize(frame, policy, seed=1)
    shown = frame.with_columns(pl.col(name).replace("?", None) for name in quasi)
    checking.check_rows(release, shown, checking.columns_of(shown, quasi, "tight", {}), [sensitive], "tight")
    assert release.table.height == 199_523
    return release


@pytest.mark.slow
@pytest.mark.parametrize(("d", "most"), [pytest.param(3, 0.10, marks=pytest.mark.whole_search), (8, 0.12)])
def test_k_anonymity_and_beta_likeness(census, d, most):
    """Three columns by the default effort, eight by a short search."""
    quasi = QUASI[:d]
    release = released(census, quasi, "income", lk.KAnonymity(10) & lk.BetaLikeness(2))
    assert checking.smallest_class(release.table, quasi) >= 10
    checking.check_beta(checking.counts(release.table, quasi, "income"), 2)
    assert 0 < release.loss("glm")["glm"] <= most


@pytest.mark.slow
def test_burel(census):
    quasi = QUASI[:5]
    release = released(
        census, quasi, "major occupation", lk.KAnonymity(5) & lk.BetaLikeness(4), method=lk.Burel()
    )
    assert checking.smallest_class(release.table, quasi) >= 5
    checking.check_beta(checking.counts(release.table, quasi, "major occupation"), 4)
    assert release.loss("ail")["ail"] <= 0.5


@pytest.mark.slow
def test_t_closeness(census):
    quasi = QUASI[:6]
    release = released(census, quasi, "major occupation", lk.TCloseness("1/5"))
    checking.check_t(checking.counts(release.table, quasi, "major occupation"), quasi, 0.2)
    assert 0 < release.loss("glm")["glm"] <= 0.5


def test_na_is_a_value_and_question_marks_are_missing(census):
    assert (census["hispanic origin"] == "NA").sum() > 0
    release = released(
        census.head(199_523), ["sex", "hispanic origin", "migration code MSA"], "income", lk.KAnonymity(5)
    )
    origins = "|".join(release.table["hispanic origin"].unique())
    assert "NA" in origins
    assert "?" not in "|".join(release.table["migration code MSA"].unique())
