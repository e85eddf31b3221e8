"""What follows from runs."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.comparing.runs import COLUMNS, TABLE, comparison, run

import likeness as lk
from likeness.comparing.comparison import moved
from likeness.errors import Refusal

RUNS = (
    run("best", 2, 0.1, 2, made_by="mondrian"),
    run("mondrian", 2, 0.12, 3),
    run("best", 5, 0.2, 5, made_by="mondrian", withheld=1),
    run("mondrian", 5, 0.25, 5),
    run("best", 10, 0.4, 10, made_by="mondrian"),
    run("mondrian", 10, None, outcome="out-of-time", why=(Refusal("it was not done after 1 s"),)),
)


def test_the_strongest_at_a_loss():
    found = comparison(RUNS)
    assert found.strongest_within(0.3) is RUNS[2]
    assert found.strongest_within("0.25") is RUNS[2]
    assert found.strongest_within(0.15) is RUNS[0]
    assert comparison(RUNS, loss="utility").strongest_within(0.7) is RUNS[2]
    with pytest.raises(lk.CannotBeMetError, match=r"ncp-total 0.05; best has 0.1; allow more"):
        found.strongest_within(0.05)


def test_the_least_loss_at_a_guarantee():
    found = comparison(RUNS)
    assert found.least_loss_at() is RUNS[2]
    assert found.least_loss_at({"k": 3}) is RUNS[1]
    assert found.least_loss_at({"k-anonymity.k": "6"}) is RUNS[4]
    with pytest.raises(lk.CannotBeMetError, match=r"holds k-anonymity\.k = 11"):
        found.least_loss_at({"k": 11})
    with pytest.raises(lk.PolicyError, match="no such parameter"):
        found.least_loss_at({"beta": 1})


def test_what_is_recommended_and_why_is_data():
    found = comparison(RUNS).recommend()
    assert found.run is RUNS[2]
    facts = {one.code: dict(one.facts) for one in found.findings}
    assert list(facts) == [
        *("recommended", "next-best", "stronger-guarantee", "weaker-guarantee"),
        *("attack", "took", "without-release"),
    ]
    assert facts["next-best"] == {
        "method": "mondrian",
        "metric": "ncp-total",
        "loss": 0.25,
        "than": 0.2,
        "others": 1,
    }
    assert facts["stronger-guarantee"]["holds"] == {"k-anonymity.k": 10}
    assert facts["weaker-guarantee"]["holds"] == {"k-anonymity.k": 2}
    assert facts["took"]["withheld"] == 1
    assert facts["without-release"] == {"outcomes": {"out-of-time": 1}, "runs": 6}
    assert "best (here mondrian) under k-anonymity.k = 5" in str(found.findings[0])
    assert "25.0% more" in str(found.findings[1])
    # No seed was asked for, so what is handed out is made without.
    assert found.policy.seed is None
    assert found.policy.privacy == (lk.KAnonymity(5),)
    json.dumps(found.to_json(), allow_nan=False)


def test_where_the_guarantee_is_out_of_reach_the_strongest_is_recommended():
    found = comparison([RUNS[0], RUNS[1], RUNS[5]]).recommend()
    assert found.run is RUNS[0]
    assert comparison(RUNS[:2], loss="utility").recommend().run is RUNS[0]
    assert found.findings[0].code == "strongest-found"
    assert found.findings[0].warned


def test_no_weaker_guarantee_is_recommended_than_the_policy_asks_for():
    """Of releases that lose as much the weakest was, as on this table it holds what was asked."""
    found = comparison([run("best", 2, 0.2, 6), run("best", 5, 0.2, 6), run("best", 7, 0.3, 7)]).recommend()
    assert found.policy.privacy == (lk.KAnonymity(5),)
    # Even where it loses less, for another table may show less.
    found = comparison([run("best", 2, 0.1, 6), run("best", 7, 0.3, 7)]).recommend()
    assert found.policy.privacy == (lk.KAnonymity(7),)
    # Where nothing else was tried, it is asked for.
    found = comparison([run("best", 2, 0.1, 6), run("mondrian", 4, 0.3, 4)]).recommend()
    assert found.run.label == "best"
    assert found.policy.privacy == (lk.KAnonymity(5),)


def test_nothing_to_recommend():
    found = comparison([RUNS[5]])
    with pytest.raises(lk.CannotBeMetError, match="made a release"):
        found.recommend()
    assert found.to_json()["recommendation"] is None
    assert "risk-utility" not in found.page()
    assert "it was not done after 1 s" in found.page()


@pytest.mark.parametrize(
    ("table", "kind"),
    [(TABLE, pl.DataFrame), (TABLE.to_pandas(), pd.DataFrame), (TABLE.to_arrow(), pa.Table)],
    ids=["polars", "pandas", "pyarrow"],
)
def test_a_frame_of_the_library_the_table_came_in(table, kind):
    frame = comparison(RUNS, table=table).to_frame()
    assert type(frame) is kind
    assert len(frame) == len(RUNS)


def test_a_row_for_each_run():
    frame = comparison(RUNS).frame
    assert frame["frontier"].to_list() == [True, False, True, False, True, False]
    assert frame["asked: k-anonymity.k"].to_list() == [2, 2, 5, 5, 10, 10]
    assert frame["strength: k-anonymity.k"].to_list() == [2, 3, 5, 5, 10, None]
    assert frame["loss: ncp-total"].to_list() == [0.1, 0.12, 0.2, 0.25, 0.4, None]
    assert frame["attack: linkage"].to_list()[:1] == [0.2]
    assert frame["outcome"].to_list()[-1] == "out-of-time"
    assert frame["why"].to_list() == [None] * 5 + ["it was not done after 1 s"]
    assert frame["withheld"].to_list() == [0, 0, 1, 0, 0, None]


def test_how_it_shows_itself():
    found = comparison(RUNS)
    assert repr(found) == "Comparison: 6 runs, 2 methods × 3 values of k-anonymity.k; 5 made a release"
    assert "mondrian, 10: out of time: it was not done after 1 s" in str(found)
    assert "<table>" in found._repr_html_()
    spec = found.plot().to_dict()
    assert spec["encoding"]["x"]["field"] == "strength"
    page = found.page()
    assert "for the steward only" in page
    assert "risk-utility" in page
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["runs"][0]["frontier"] is True


def test_paths_of_a_policy_are_meant_from_where_it_lies(tmp_path):
    columns = COLUMNS | {"zip": lk.quasi(hierarchy="trees/zip.csv"), "sex": lk.quasi(hierarchy={"prefix": 2})}
    categories = {"disease": "severity.csv"}
    told = lk.Policy(columns=columns, privacy=lk.KAnonymity(5), categories=categories).in_folder(tmp_path)
    found = moved(told, tmp_path / "comparison")
    assert found["columns"]["zip"]["hierarchy"] == "../trees/zip.csv"
    assert found["columns"]["sex"]["hierarchy"] == {"prefix": 2}
    assert found["categories"] == {"disease": "../severity.csv"}
    knowledge = [
        {"name": "a", "sequence": {"earlier": ["2022.csv", str(tmp_path / "x.csv")], "on": "age"}},
        {"name": "b", "table": "morbidity.csv"},
        {"name": "c", "release": "../2024/out"},
        {"name": "d", "kernel": {"bandwidth": {"age": 0.1}, "from": "registry.csv"}},
    ]
    records = {"table": "visits.csv", "on": "who"}
    columns |= {"who": lk.identifier()}
    told = told.replace(knowledge=knowledge, records=records, columns=columns, individual="who")
    found = moved(told.in_folder(tmp_path), tmp_path / "comparison")
    assert found["records"]["table"] == "../visits.csv"
    sequence, table, release, kernel = found["knowledge"]
    assert sequence["sequence"]["earlier"] == ["../2022.csv", str(tmp_path / "x.csv")]
    assert sequence["sequence"]["on"] == "age"
    assert table["table"] == {"file": "../morbidity.csv"}
    assert release["release"] == {"folder": "../../2024/out"}
    assert kernel["kernel"]["from"] == "../registry.csv"
    assert lk.Policy.from_mapping(found, folder=tmp_path / "comparison").with_role("quasi") == told.with_role(
        "quasi"
    )
