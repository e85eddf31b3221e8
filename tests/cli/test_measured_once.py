"""Each number is measured once for a release, whoever asks: console, report, audit and JSON say the same."""

from __future__ import annotations

import json
import pickle
from collections import Counter

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness import registry
from likeness.cli._making import summarise
from likeness.metrics import non_uniform_entropy
from likeness.metrics.base import Metric
from likeness.metrics.query_error import QueryError
from likeness.queries import drawing as _workload
from likeness.queries.axes import RegionAxis
from likeness.report.measured import loss_rows
from likeness.report.pictures import pictures
from likeness.report.warned import findings_of
from likeness.wording import figure


def made(rows=300, words=40, column="quasi"):
    rng = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "word": [f"w{i:05d}" for i in rng.integers(0, words, rows)],
            "pay": rng.integers(0, 9, rows),
        }
    )
    columns = {"age": lk.quasi(), "word": getattr(lk, column)(), "pay": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(4), method=lk.Mondrian())
    return lk.anonymize(frame, policy, seed=1)


def test_every_metric_is_measured_once_by_everything_a_command_shows(tmp_path, monkeypatch):
    calls = Counter()
    for name in registry.names("metrics"):
        metric = registry.load("metrics", name)

        def counting(self, evaluation, measure=metric.measure):
            found = measure(self, evaluation)  # what does not apply says so, and is no measurement
            calls[self] += 1
            return found

        monkeypatch.setattr(metric, "measure", counting)
    monkeypatch.setattr(
        "likeness.metrics.query_error.draw_workload",
        lambda *given, **named: calls.update(["drawn"]) or _workload.draw_workload(*given, **named),
    )
    bits = non_uniform_entropy._table_bits
    monkeypatch.setattr(
        non_uniform_entropy, "_table_bits", lambda *given: calls.update(["bits"]) or bits(*given)
    )
    release = made()
    release.write(tmp_path / "out")
    summary = summarise(release)
    findings_of(release)
    value = release.loss(QueryError())
    drawn = sum(found.name == "query-error" for found in pictures(release)[0]) * len(
        release.evaluation.data.quasi
    )
    # A workload of query-error, one of query-error-quasi, and in the report one for each number of columns asked of.
    assert (calls["drawn"], drawn) == (4, 2)
    assert calls["bits"] == 2  # once for each quasi-identifier
    measured = {times for metric, times in calls.items() if isinstance(metric, Metric)}
    assert measured == {1}
    audit = json.loads((tmp_path / "out/private/audit.json").read_text())
    assert audit["metrics"] == summary["loss"]
    assert value[repr(QueryError())] == summary["loss"]["query-error"]
    assert summary["loss_details"]["query-error"]["queries"] == 10_000
    assert value.details[repr(QueryError())] == summary["loss_details"]["query-error"]


def test_what_is_remembered_is_not_pickled():
    release = made()
    release.loss()
    assert b"evaluation" not in pickle.dumps(release)


def test_fewer_queries_are_told_in_the_report_and_to_who_measures(tmp_path, monkeypatch):
    monkeypatch.setattr("likeness.metrics.query_error.MOST_RECORD_LOOKS", 60_000)
    release = made()
    release.write(tmp_path / "out")
    note = release.loss().notes["query-error"]
    assert note == (
        "200 queries instead of 10,000: the table has too many different records or sensitive values for more"
    )
    assert f"query-error: {note}." in (tmp_path / "out/private/report.html").read_text()


@pytest.mark.parametrize("column", ["quasi", "sensitive"])
def test_no_table_of_values_by_regions_is_laid_out(column, monkeypatch):
    """What drawn queries ask of sets and leaves is laid out by the ends of ranges, whatever the numbers of both."""

    def refuse(self, conditions, power):
        raise AssertionError("a table of values by regions")

    monkeypatch.setattr(RegionAxis, "_table", refuse)
    release = made(2_000, 1_500, column)
    assert release.loss("query-error")["query-error"] >= 0


@pytest.mark.parametrize(
    ("model", "more", "taken"),
    [
        (lk.KAnonymity(4), {"method": "mondrian"}, {"c-avg": lk.CAvg(4)}),
        (lk.DistinctLDiversity(2), {"method": {"name": "anatomy", "l": 2}}, {}),
        (lk.BetaLikeness(4), {"method": "perturbation"}, {}),
        (
            lk.IrKlAnonymity(3, 2),
            {"method": "danonyir", "individual": "who"},
            {"c-avg": lk.CAvg(3), "vulnerable-classes": lk.VulnerableClasses(l=2, sensitive="pay")},
        ),
    ],
)
def test_python_report_and_console_measure_the_same(model, more, taken, tmp_path):
    rng = np.random.default_rng(5)
    ages, pays = rng.integers(20, 60, 60), rng.permutation(np.arange(60) % 4)
    frame = pl.DataFrame({"who": [f"p{i // 2}" for i in range(60)], "age": ages, "pay": pays})
    columns = {"who": lk.identifier(), "age": lk.quasi(), "pay": lk.sensitive()}
    release = lk.anonymize(frame, lk.Policy(columns=columns, privacy=model, **more), seed=1)
    found = release.loss()
    release.write(tmp_path / "out")
    audit = json.loads((tmp_path / "out/private/audit.json").read_text())
    joined = lk.open_release(tmp_path / "out", original=frame)
    measured = {name: one["value"] for name, one in joined.measure()["metrics"].items()}
    assert found == audit["metrics"] == summarise(release)["loss"] == pytest.approx(measured)
    assert {name: found.metrics[name] for name in taken} == taken
    assert {"c-avg", "vulnerable-classes"} & found.keys() == taken.keys()
    assert all(release.loss(name) == {name: found[name]} for name in found)
    rows = {row[0]: row[1] for row in loss_rows(found)}
    assert rows == {name: figure(value) for name, value in found.items()}
    page = (tmp_path / "out/private/report.html").read_text()
    assert all(name in page for name in found)
