"""What is kept of sensitive values where quasi-identifiers are published exactly."""

from __future__ import annotations

import html

import numpy as np
import polars as pl
import pytest

import likeness as lk

ROWS = 1200
RNG = np.random.default_rng(9)
TABLE = pl.DataFrame(
    {
        "age": RNG.integers(20, 60, ROWS),
        "zip": RNG.integers(0, 90, ROWS),
        "disease": RNG.choice(["flu", "cold", "acne", "gout"], ROWS, p=[0.4, 0.3, 0.2, 0.1]),
    }
)
COLUMNS = {"age": lk.quasi(), "zip": lk.quasi(), "disease": lk.sensitive()}


def made(model: lk.BetaLikeness, method: object, table: pl.DataFrame = TABLE) -> lk.Release:
    """A release by a method that keeps quasi-identifiers."""
    return lk.anonymize(table, lk.Policy(columns=COLUMNS, privacy=model, method=method), seed=3)


def facts(release: lk.Release, code: str) -> dict[str, object]:
    """The facts of a finding."""
    (found,) = [one for one in release.findings if one.code == code]
    return dict(found.facts)


def besides_the_seed(release):
    """What is warned of, but for the seed that these tests give."""
    return [found for found in release.warnings if found.code != "weakened-by-seed"]


def test_the_share_of_perturbed_values_that_are_kept():
    release = made(lk.BetaLikeness(2), "perturbation")
    said = facts(release, "sensitive-values-kept")
    plan, data = release.private.solution.plan, release.private.encoded.data
    own, shown = data.sensitive_codes[0], plan.sensitive[0]
    assert said["kept"] == int((own == shown).sum())
    assert said["kept"] / ROWS == pytest.approx(said["expected"], abs=0.05)
    # Published values that were drawn again, from the published ones alone.
    other = np.random.default_rng(0).permutation(shown)
    assert (own == other).mean() == pytest.approx(said["chance"], abs=0.05)
    assert besides_the_seed(release) == []
    line = next(str(one) for one in release.findings if one.code == "sensitive-values-kept")
    assert f"{said['expected']:.1%} are expected to be kept ({said['kept']:,} were; " in line


def test_the_expected_error_of_a_reconstructed_number():
    release = made(lk.BetaLikeness(2), "perturbation")
    said = facts(release, "sensitive-values-kept")
    mechanism, data = release.private.solution.plan.mechanism, release.private.encoded.data
    codes, rng = data.sensitive_codes[0], np.random.default_rng(1)
    draws = [
        mechanism.reconstruct(np.bincount(mechanism.perturb(codes, rng), minlength=mechanism.values))
        for _ in range(300)
    ]
    seen = np.std(draws, axis=0)
    assert seen == pytest.approx(mechanism.standard_errors(), rel=0.2)
    assert said["error"] == pytest.approx(np.median(seen[mechanism.active]), rel=0.2)
    assert said["largest_error"] == pytest.approx(seen.max(), rel=0.2)


def test_perturbed_values_that_tell_nothing_are_warned_of():
    release = made(lk.BetaLikeness("1/100"), "perturbation")
    (found,) = besides_the_seed(release)
    assert found.code == "perturbed-values-tell-nothing"
    assert found.facts["expected"] - found.facts["chance"] < 0.05
    assert "'disease' tell next to nothing of the original ones" in str(found)


def test_values_by_bucket():
    release = made(lk.DistinctLDiversity(2), {"name": "anatomy", "l": 2})
    said = facts(release, "sensitive-values-by-bucket")
    shown = release.publication
    rows = pl.DataFrame({"bucket": shown.classes, "code": shown.sensitive_codes[0]})
    largest = rows.group_by("bucket", "code").len().group_by("bucket").agg(pl.col("len").max().alias("most"))
    sizes = largest.join(rows.group_by("bucket").len(), on="bucket")
    assert said["told"] == largest["most"].sum() / ROWS
    assert said["most"] == (sizes["most"] / sizes["len"]).max() <= 1 / 2
    assert release.warnings == ()


def test_one_bucket_links_nothing_and_is_warned_of():
    few = pl.DataFrame({"age": [30, 40, 50], "zip": [1, 2, 3], "disease": ["flu", "cold", "acne"]})
    release = made(lk.DistinctLDiversity(3), {"name": "anatomy", "l": 3}, few)
    (found,) = release.warnings
    assert (found.code, found.facts["buckets"]) == ("sensitive-values-by-bucket", 1)
    assert "no sensitive value of 'disease' is kept beside its record" in str(found)


def test_a_baseline_says_that_it_keeps_no_value():
    release = made(lk.BetaLikeness(2), "baseline")
    said = facts(release, "sensitive-values-by-bucket")
    assert said["overall"] == TABLE["disease"].value_counts()["count"].max() / ROWS
    assert release.warnings == ()


@pytest.mark.parametrize("method", ["perturbation", "baseline", {"name": "anatomy", "l": 2}], ids=str)
def test_records_alone_with_exact_quasi_identifiers_are_counted(method):
    model = lk.DistinctLDiversity(2) if isinstance(method, dict) else lk.BetaLikeness(2)
    said = facts(made(model, method), "alone-exactly")
    assert said["alone"] == int((TABLE.group_by("age", "zip").len()["len"] == 1).sum())
    assert said["records"] == ROWS


def test_generalized_releases_keep_every_sensitive_value():
    release = lk.anonymize(TABLE, lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(3)), seed=1)
    assert release.findings == ()


def test_the_report_says_it_and_no_metric_claims_to_keep_every_value(tmp_path):
    release = made(lk.BetaLikeness(2), "perturbation")
    page = html.unescape((release.write(tmp_path / "out") / "private/report.html").read_text())
    for one in release.findings:
        assert str(one)[1:] in page
    assert "keeps every value" not in page
    assert "0 keeps every quasi-identifier value" in page
