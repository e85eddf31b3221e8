"""What adversaries achieve who know sensitive values of people whose records are linked."""

from __future__ import annotations

from html import unescape
from importlib import import_module

import numpy as np
import polars as pl
import pytest
from tests.report.html_check import check_html
from tests.report.test_people import made, page_of, rows_of, visits

import likeness as lk
from likeness.report.report_page import adversary_rows
from likeness.wording import figure

HEADING = "Homogeneity, fingerprint, membership"
LINKED = {"form": {"name": "identity-reserved"}}


def test_every_attack_is_run_on_everybody_of_a_small_table():
    release = made(visits(), lk.IrKAnonymity(3), **LINKED)
    rows, targets = adversary_rows(release)
    assert targets == 7
    found = {name: [row[1:] for row in rows if row[0] == name] for name in {row[0] for row in rows}}
    attacks = {
        "homogeneity": lk.HomogeneityAttack(),
        "fingerprint": lk.FingerprintAttack(known=1),
        "membership": lk.MembershipAttack(known=1),
    }
    assert set(found) == set(attacks)
    for name, attack in attacks.items():
        result = release.attack(attack)
        assert found[name][0] == [result.meaning, figure(result.baseline), figure(result.success)]
    # Everybody has a cold.
    assert found["homogeneity"][1][-1] == "1"
    assert found["fingerprint"][1][1:] == [
        figure(release.attack(attacks["fingerprint"]).details[detail])
        for detail in ("by_all_values_before", "by_all_values")
    ]
    page = page_of(release)
    check_html(page)
    assert rows_of(page, HEADING) == rows
    assert "drawn at random" not in page


def test_people_are_drawn_where_there_are_many(monkeypatch):
    monkeypatch.setattr(import_module("likeness.report.report_page"), "TARGETS", 20)
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(50), 3)
    frame = pl.DataFrame(
        {
            "who": who,
            "age": rng.integers(20, 60, 50)[who],
            "disease": [f"d{i}" for i in rng.integers(0, 6, who.size)],
        }
    )
    release = made(frame, lk.IrKAnonymity(4), **LINKED)
    rows, targets = adversary_rows(release)
    assert (rows, targets) == adversary_rows(release)
    assert targets == 20
    result = release.attack(lk.FingerprintAttack(known=1, targets=20))
    assert next(row[3] for row in rows if row[0] == "fingerprint") == figure(result.success)
    assert "Measured on at most 20 of 50 people" in unescape(page_of(release))


def test_membership_is_left_out_where_everybody_has_one_value():
    frame = pl.DataFrame({"who": list(range(12)), "age": [30, 31] * 6, "disease": ["a", "b", "c"] * 4})
    rows, _ = adversary_rows(made(frame, lk.IrKAnonymity(2), **LINKED))
    assert {row[0] for row in rows} == {"homogeneity", "fingerprint"}


@pytest.mark.parametrize("frame", [visits(), visits().drop("who")])
def test_nothing_is_said_of_records_that_are_not_linked(frame):
    named = "who" in frame.columns
    columns = {"age": lk.quasi(), "disease": lk.sensitive()} | ({"who": lk.identifier()} if named else {})
    release = made(frame, lk.KAnonymity(2), columns=columns, individual="who" if named else None)
    assert adversary_rows(release)[0] == []
    assert HEADING not in page_of(release)
