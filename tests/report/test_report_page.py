"""The private page says what was asked, proven, lost, and what became of the records."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import polars as pl
import pytest
from tests.report.html_check import check_html, without_scripts

import likeness as lk
from likeness.errors import Refusal
from likeness.folder.audit import plain_policy
from likeness.folder.class_map import class_map_of
from likeness.report.measured import skipped_rows
from likeness.report.report_page import report_page, smallest_class_tables
from likeness.wording import figure

ODD = "<script>"


def _release(**changes: Any) -> lk.Release:
    table = pl.DataFrame(
        {
            "person": [30, 31, 60, 61, None] * 4,
            ODD: ["a", "b", "a", "b", "a"] * 4,
            "disease": ["flu", "cold", "gout", "flu", "cold"] * 4,
            "side": ["x", "y"] * 10,
        }
    )
    columns = {"person": lk.quasi(), ODD: lk.quasi(), "disease": lk.sensitive(), "side": lk.sensitive()}
    given = {
        "columns": columns,
        "privacy": lk.KAnonymity(4) & lk.BetaLikeness(3, sensitive="disease", others="unknown"),
        "missing": {"policy": "drop"},
        "form": {"name": "generalized", "recoding": "tight"},
    }
    return lk.anonymize(table, lk.Policy(**(given | changes)), seed=changes.pop("seed", 2))


def _page(release: lk.Release) -> str:
    private = release.private
    policy = plain_policy(private.policy, release.certificate, private.encoded.renamed)
    return report_page(release, policy, class_map_of(release).counts(), release.loss())


@pytest.fixture(scope="module")
def page() -> str:
    """The report of a release."""
    return _page(_release())


def _rows(page: str, caption: str) -> list[list[str]]:
    """Rows of the first table after some text."""
    table = page[page.index(caption) :]
    table = table[table.index("<tbody>") : table.index("</tbody>")]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL)] for row in rows]


def test_valid_escaped_self_contained(page: str) -> None:
    check_html(page)
    assert "<script" not in without_scripts(page)
    assert "&lt;script&gt;" in page
    assert page == _page(_release())


def test_what_was_asked(page: str) -> None:
    said = unescape(page)
    assert "model: k-anonymity, k: 4" in said
    assert "A seed was given" in said
    assert "<code>exchange-cuts</code>" in said
    rows = {row[0]: row for row in _rows(page, "Columns of the input")}
    assert rows["person"] == ["person", "quasi", "integer", "4", "published as 'person_original'"]
    assert rows["side"] == ["side", "sensitive", "categorical", "0", ""]


def test_what_was_proven(page: str) -> None:
    k, beta = _rows(page, "What was proven")
    assert k[:5] == ["k-anonymity", "", "k = 4", "public", "yes"]
    assert beta[:2] == ["beta-likeness", "disease"]
    assert float(k[6]) == float(k[5].removeprefix("k = ")) - 4
    assert float(beta[6]) == pytest.approx(3 - float(beta[5].removeprefix("beta = ")))
    assert "beta-likeness on 'disease': 'side' taken as not known to the adversary" in unescape(page)


def test_what_became_of_the_records(page: str) -> None:
    assert _rows(page, "What became of the records") == [
        ["input", "", "20"], ["published", "", "16"], ["withheld", "", "0"], ["dropped", "missing person", "4"],
        ["added", "", "0"],
    ]  # fmt: skip


def test_classes(page: str) -> None:
    sizes = dict(_rows(page, "Records of a class"))
    classes = _rows(page, "Classes by size")
    assert sum(int(row[2]) for row in classes) == 16
    assert int(sizes["smallest"]) >= 4
    assert float(sizes["mean"]) == pytest.approx(16 / sum(int(row[1]) for row in classes))


def test_loss(page: str) -> None:
    release = _release()
    found = {row[0]: row[1] for row in _rows(page, "Information loss")}
    measured = release.loss()
    assert measured["c-avg"] == release.loss()["average-class-size"] / 4
    assert found == {name: figure(value) for name, value in measured.items()}
    assert [row[0] for row in _rows(page, "By quasi-identifier")] == ["person_original", ODD]
    skipped = _rows(page, "Not measured")
    names = [name for row in skipped for name in row[0].split(", ")]
    assert len(names) == len(set(names))
    assert set(names) == set(measured.skipped)
    # The metrics' names are not said again, and no reason twice.
    assert len({why for _, why in skipped}) == len(skipped)
    assert not any(f"{name}:" in why for name in names for _, why in skipped)


def test_risk(page: str) -> None:
    result = _release().attack("linkage")
    first, *details = _rows(page, "What an adversary achieves")
    assert first == [result.meaning, figure(result.baseline), figure(result.success)]
    figures = {name: (before, after) for name, before, after in details}
    assert figures["prosecutor_mean"] == tuple(
        figure(result.details[name]) for name in ("prosecutor_mean_before", "prosecutor_mean")
    )


def test_smallest_classes() -> None:
    page = _page(_release(privacy=lk.BetaLikeness("0.3", sensitive="disease", others="unknown")))
    rows = _rows(page, "Smallest classes that rare values need")
    assert sorted(row[0] for row in rows) == ["cold", "flu", "gout"]
    assert sum(int(row[1]) for row in rows) == 16
    sizes = [int(row[2]) for row in rows]
    # Caps: 0.65 for the half that have the flu, 0.325 for the quarters.
    assert sizes == [4, 4, 2]
    assert "smallest class that may hold it" in page


def test_without_what_does_not_apply() -> None:
    page = _page(_release(privacy=lk.KAnonymity(2)))
    assert "Smallest classes" not in page
    check_html(page)


def test_many_values_are_cut_off() -> None:
    frame = pl.DataFrame({"age": list(range(200)), "code": [f"c{i % 60:02}" for i in range(200)]})
    columns = {"age": lk.quasi(), "code": lk.sensitive()}
    page = _page(lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.BetaLikeness(5)), seed=1))
    assert "… and 10 more values" in page
    assert len(_rows(page, "Smallest classes")) == 50


def test_values_that_need_the_same_class_are_said_in_one_line() -> None:
    release = _release(privacy=lk.DistinctLDiversity(2, sensitive="disease", others="unknown"))
    page = _page(release)
    check_html(page)
    after = unescape(page[page.index("Smallest classes") :])
    said = "distinct-l-diversity on 'disease': Each of the 3 published values needs a class of at least 2 records."
    assert said in after
    assert "<table" not in after[: after.index("</main>")]
    ((_, line, rows, more),) = smallest_class_tables(release)
    assert (line != "", rows, more) == (True, [], 0)


def test_one_value_more_is_not_several() -> None:
    frame = pl.DataFrame({"age": list(range(205)), "code": [f"c{i % 51:02}" for i in range(205)]})
    columns = {"age": lk.quasi(), "code": lk.sensitive()}
    page = _page(lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.BetaLikeness(5)), seed=1))
    assert "… and 1 more value, which needs no larger class." in page


def test_reasons_why_nothing_was_measured() -> None:
    skipped = {
        name: [
            *(Refusal("has no levels", (name,), column=column, remedy="give it some") for column in "ab"),
            Refusal("is odd", (name,), column="c"),
        ]
        for name in ("height", "depth")
    }
    skipped["c-avg"] = [Refusal("the parameter 'k' is missing", ("c-avg",))]
    assert skipped_rows(skipped) == [
        ["height, depth", "'a' has no levels; give it some (so it is with 'b'); 'c' is odd"],
        ["c-avg", "the parameter 'k' is missing"],
    ]
    assert skipped_rows({}) == []


def _perturbed(**changes: Any) -> lk.Release:
    columns = {"person": lk.quasi(), ODD: lk.quasi(), "disease": lk.sensitive(), "side": lk.drop()}
    given = {"privacy": lk.BetaLikeness(1), "method": {"name": "perturbation"}, "form": {"name": "perturbed"}}
    return _release(columns=columns, **(given | changes))


def test_perturbed_values_are_judged_by_the_mechanism() -> None:
    release = _perturbed()
    page = _page(release)
    check_html(page)
    (row,) = _rows(page, "What was proven")
    mechanism = release.publication.mechanism
    assert mechanism is not None
    (requirement,) = release.private.solution.requirements
    limits = [float(limit) for limit in requirement.bound.posterior_limits() or ()]
    slack = min(limit - float(q) for limit, q in zip(limits, mechanism.largest_posteriors(), strict=True))
    assert row[:2] == ["beta-likeness", "disease"]
    assert row[3:5] == ["mechanism", "yes"]
    assert float(row[6]) == pytest.approx(slack, abs=1e-6)
    assert slack >= 0
    # Perturbed values are in no classes that could be too small.
    assert "Smallest classes" not in page
