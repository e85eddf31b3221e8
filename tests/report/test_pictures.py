"""Pictures: their numbers are those of plain counting, whatever the form, and nothing in them can end the page's script."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import altair as alt
import polars as pl
import pytest

import likeness as lk
from likeness.errors import InvalidError, PolicyError
from likeness.report.pictures import Plots, pictures

HOSTILE = "</script><b>&\u2028"


def _release(**changes: Any) -> lk.Release:
    table = pl.DataFrame(
        {
            "age": [30, 31, 60, 61, None, 30] * 10,
            HOSTILE: ["a", "b", "a", HOSTILE, "a", "c"] * 10,
            "disease": ["flu", "cold", "gout", "flu", "cold", "cold"] * 10,
        }
    )
    given: dict[str, Any] = {
        "columns": {"age": lk.quasi(), HOSTILE: lk.quasi(), "disease": lk.sensitive()},
        "privacy": lk.KAnonymity(4),
        "missing": {"policy": "drop"},
        **({} if "method" in changes else {"effort": "quick"}),
    }
    return lk.anonymize(table, lk.Policy(**(given | changes)), seed=2)


def _by_name(release: lk.Release) -> dict[str, Any]:
    drawn, _ = pictures(release)
    assert len({one.name for one in drawn}) == len(drawn)
    return {one.name: one for one in drawn}


def test_shares_of_a_column_are_those_of_its_values() -> None:
    release = _release()
    found = _by_name(release)["column-1"]
    plain = Counter(v for v in [30, 31, 60, 61, None, 30] * 10 if v is not None)
    assert {row[0]: row[1] for row in found.rows} == {
        str(value): f"{many / 50:.2%}" for value, many in plain.items()
    }
    assert [one["original"] for one in found.spec["data"]["values"]] == [
        float(f"{many / 50:.5g}") for _, many in sorted(plain.items())
    ]


def test_class_sizes_are_those_of_the_published_rows() -> None:
    release = _release()
    rows = list(zip(*(release.table[name].to_list() for name in ("age", HOSTILE)), strict=True))
    sizes = Counter(Counter(rows).values())
    found = _by_name(release)["class-sizes"]
    assert sum(int(row[1]) for row in found.rows) == sum(sizes.values())
    assert sum(int(row[2]) for row in found.rows) == sum(size * many for size, many in sizes.items()) == 50


def test_risk_counts_those_who_share_what_is_known() -> None:
    found = {row[0]: row[1:] for row in _by_name(_release())["risk"].rows}
    groups = Counter(
        (age, place)
        for age, place in zip(
            [30, 31, 60, 61, None, 30] * 10, ["a", "b", "a", HOSTILE, "a", "c"] * 10, strict=True
        )
        if age is not None
    )
    for most, (before, after) in found.items():
        share = sum(many for many in groups.values() if many <= int(most.replace(",", ""))) / 50
        assert before == f"{share:.2%}"
        if int(most.replace(",", "")) < 4:
            assert after == "0.00%"


def test_loss_of_columns_adds_up_to_the_loss() -> None:
    release = _release(columns={"age": lk.quasi(), HOSTILE: lk.quasi(), "disease": lk.sensitive()})
    lost = [float(one["loss"]) for one in _by_name(release)["losses"].spec["data"]["values"]]
    assert sum(lost) / len(lost) == pytest.approx(release.loss("ncp")["ncp"], rel=1e-3)


@pytest.mark.parametrize(
    "changes",
    [
        {
            "method": {"name": "anatomy", "l": 2},
            "privacy": lk.DistinctLDiversity(2),
            "withhold": {"at_most": 1},
        },
        {"method": "angel", "privacy": lk.KAnonymity(4) & lk.DistinctLDiversity(2)},
        {"method": "perturbation", "privacy": lk.BetaLikeness(2)},
        {"form": {"name": "microaggregated"}},
        {"form": {"name": "mixed"}},
        {"method": "baseline", "privacy": lk.BetaLikeness(2)},
        {
            "columns": {"age": lk.other(), HOSTILE: lk.other(), "disease": lk.other()},
            "privacy": lk.KAnonymity(4),
        },
    ],
)
def test_every_form_has_pictures_or_says_why_not(changes: dict[str, Any]) -> None:
    drawn, left = pictures(_release(**changes))
    assert drawn or left or changes.get("columns")
    for one in drawn:
        assert one.rows
        assert all(len(row) == len(one.head) for row in one.rows)
        assert "</" not in one.text
        assert json.loads(one.text) == json.loads(json.dumps(one.spec))
        assert len(one.spec["data"]["values"]) < 2_000


def test_plots_are_altairs() -> None:
    # Something is lost, so that several methods are tried.
    release = _release(privacy=lk.KAnonymity(11))
    for name in repr(release.plot).removeprefix("Plots: ").split(", "):
        given = ("age",) if name == "column" else ()
        chart = getattr(release.plot, name)(*given)
        assert isinstance(chart, alt.TopLevelMixin)
        chart.to_dict()
    with pytest.raises(
        PolicyError, match="'nobody' is no quasi-identifier or sensitive column; there are age"
    ):
        release.plot.column("nobody")
    with pytest.raises(PolicyError, match="risk: there is nothing to show of this release"):
        _release(method="perturbation", privacy=lk.BetaLikeness(2)).plot.risk()


def test_without_altair_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    with pytest.raises(InvalidError, match=r"pip install 'likeness\[plot\]'"):
        Plots(_release()).risk()


def test_days_and_many_numbers_are_drawn_as_wide_as_they_are() -> None:
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2021, 12, 31), eager=True)
    frame = pl.DataFrame(
        {"day": days, "pay": [float(i * i) for i in range(days.len())], "sick": ["a", "b"] * 365 + ["a"]}
    )
    columns = {"day": lk.quasi(), "pay": lk.quasi(), "sick": lk.sensitive()}
    release = lk.anonymize(
        frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(5), effort="quick"), seed=1
    )
    for name, first, last in (("column-1", "2020-01-01", "2021-12-31"), ("column-2", "0.0", "532900.0")):
        found = _by_name(release)[name]
        assert found.rows[0][0].startswith(first)
        assert found.rows[-1][0].endswith(last)
        assert sum(one["original"] for one in found.spec["data"]["values"]) == pytest.approx(1, abs=1e-3)
        assert 30 <= len(found.rows) <= 60


def test_a_column_of_which_too_little_is_said_does_not_hide_the_others() -> None:
    """Of `*` in a hierarchy made from the values nobody knows what it stands for."""
    frame = pl.DataFrame(
        {
            "zip": [f"{i % 7}{i % 5}" for i in range(40)],
            "age": [20 + i % 9 for i in range(40)],
            "sick": ["a", "b"] * 20,
        }
    )
    columns = {"zip": lk.quasi(hierarchy={"prefix": 2}), "age": lk.quasi(), "sick": lk.sensitive()}
    release = lk.anonymize(
        frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(20), effort="quick"), seed=1
    )
    drawn, left = pictures(release)
    assert {"column-2", "column-3"} <= {one.name for one in drawn}
    assert "column-1" not in {one.name for one in drawn}
    assert next(what for what, _ in left) == "zip"


@pytest.mark.slow
def test_a_stretch_of_one_value_is_as_wide_as_others_and_missing_values_are_told() -> None:
    pays: list[float | None] = [float(i) / 3 for i in range(300)] + [250.5] * 90 + [None] * 60
    frame = pl.DataFrame({"pay": pays, "sick": ["a", "b", "c"] * 150})
    policy = lk.Policy(
        columns={"pay": lk.quasi(), "sick": lk.sensitive()},
        privacy=lk.KAnonymity(5),
        missing={"policy": "category"},
        effort="quick",
    )
    found = _by_name(lk.anonymize(frame, policy, seed=1))["column-1"]
    assert max(one["before"] for one in found.spec["data"]["values"]) < 10
    assert found.rows[-1][:2] == ("(missing)", "13.33%")
