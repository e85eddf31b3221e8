"""What the private page says of people with several records."""

from __future__ import annotations

import re
from html import unescape
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.report.html_check import check_html

import likeness as lk
from likeness.folder.audit import plain_policy
from likeness.folder.class_map import class_map_of
from likeness.report.people import people_findings, people_rows, values_asked
from likeness.report.report_page import report_page
from likeness.wording import figure

COLUMNS = {"who": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}


def people_warnings(release: lk.Release) -> list[str]:
    """What is warned of people with several records."""
    return [str(found) for found in people_findings(release) if found.warned]


def visits() -> pl.DataFrame:
    """One person with five visits, four with one, two with three; all of whom have a cold."""
    who = ["ann"] * 5 + ["bob", "cat", "dan", "eve"] + ["fay"] * 3 + ["gus"] * 3
    age = [30] * 5 + [31, 31, 32, 32] + [40] * 6
    disease = [
        "cold",
        "flu",
        "gout",
        "acne",
        "cough",
        *["cold"] * 4,
        "cold",
        "flu",
        "gout",
        "cold",
        "flu",
        "acne",
    ]
    return pl.DataFrame({"who": who, "age": age, "disease": disease})


def made(frame: pl.DataFrame, *privacy: Any, **changes: Any) -> lk.Release:
    """A release of people."""
    given = {
        "columns": COLUMNS,
        "individual": "who",
        "privacy": list(privacy),
        "method": {"name": "mondrian"},
    }
    return lk.anonymize(frame, lk.Policy(**(given | changes)), seed=2)


def page_of(release: lk.Release) -> str:
    """The private page."""
    private = release.private
    policy = plain_policy(private.policy, release.certificate, private.encoded.renamed)
    found = class_map_of(release)
    return report_page(release, policy, found.counts(), release.loss(), found.persons)


def rows_of(page: str, caption: str) -> list[list[str]]:
    """Rows of the first table after some text."""
    table = page[page.index(caption) :]
    table = table[table.index("<tbody>") : table.index("</tbody>")]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL)] for row in rows]


def test_counts_of_people_and_records():
    release = made(visits(), lk.KAnonymity(3))
    found = dict(people_rows(release))
    assert found["people of the input"] == found["people published"] == "7"
    assert found["people withheld"] == "0"
    assert found["records published"] == "15"
    assert found["records of a published person, most"] == "5"
    assert found["records of a published person, mean"] == figure(15 / 7)
    page = page_of(release)
    check_html(page)
    assert dict(rows_of(page, "People with several records")) == found


def test_what_a_count_of_records_would_miss():
    # Ann's five records and the two people of age 40 with three each pass as 5-anonymous, by records.
    (line,) = people_warnings(made(visits(), lk.KAnonymity(5)))
    assert "2 of 4 groups of equal quasi-identifiers" in line
    assert "fewer than 5 people, 1 of them a single person" in line


def test_values_that_are_everybodys():
    # Everybody has a cold: distinct values, and shares of values, say nothing of that.
    release = made(visits(), lk.DistinctLDiversity(2))
    (line,) = people_warnings(release)
    number = release.certificate.classes
    assert f"in {number} of {number} classes one value is everybody's" in line
    assert "eir-l-diversity with l = 2" in line
    assert people_warnings(made(visits(), lk.IrKAnonymity(2), form="identity-reserved")) == []


def test_the_classes_that_identity_reserved_models_leave_vulnerable_are_measured():
    # Everybody has a cold: whatever the classes, one value is everybody's.
    assert made(visits(), lk.IrKlAnonymity(2, 2)).loss()["vulnerable-classes"] == 1
    assert "vulnerable-classes" not in made(visits(), lk.KAnonymity(2)).loss()


@pytest.mark.parametrize("least", [2, 3, 4])
def test_classes_in_which_few_values_suffice_are_counted(least):
    rng = np.random.default_rng(least)
    who = np.repeat(np.arange(50), rng.integers(1, 5, 50))
    frame = pl.DataFrame(
        {
            "who": who,
            "age": rng.integers(20, 80, 50)[who],
            "disease": np.array(list("abcdef"))[rng.integers(0, 6, who.size)],
        }
    )
    release = made(frame, lk.DistinctLDiversity(least))
    classes, private = release.private.solution.plan.classes, release.private
    sets: dict[int, dict[int, set[int]]] = {}
    codes, people = private.encoded.data.sensitive_codes[0], private.encoded.data.individuals
    for own, person, code in zip(classes.tolist(), people.tolist(), codes.tolist(), strict=True):
        sets.setdefault(own, {}).setdefault(person, set()).add(code)
    failing = sum(
        any(all(set(few) & own for own in of.values()) for few in combinations(range(6), least - 1))
        for of in sets.values()
    )
    *_, found = people_findings(release)
    line, missed = str(found), found.warned
    assert f"in {failing} of {len(sets)} classes" in line
    assert missed == (failing > 0)
    shown = unescape(page_of(release))
    assert line in shown
    assert (f"<strong>Warning:</strong> {line}" in shown) == missed


def test_heavy_people_are_named_by_pseudonym_in_the_private_page_only(tmp_path):
    rng = np.random.default_rng(0)
    who = np.concatenate([np.repeat(np.arange(60), 2), np.full(26, 60)])
    disease = [f"d{i}" for i in rng.permutation(26)]
    frame = pl.DataFrame(
        {
            "who": [f"patient {i:02}" for i in who],
            "age": rng.integers(20, 60, 61)[who],
            "disease": [f"d{(7 * i) % 26}" for i in range(120)] + disease,
        }
    )
    release = made(
        frame,
        lk.IrAlphaBetaAnonymity("1/8", "1/3"),
        method={"name": "danonyir"},
        withhold={"at_most": 0.1},
    )
    found = class_map_of(release)
    heavy = set(found.persons[frame["who"].to_numpy() == "patient 60"].tolist())
    page = page_of(release)
    check_html(page)
    assert len(heavy) == 1
    first, *_ = rows_of(page, "People withheld, by their number")
    assert first[0] == str(heavy.pop())
    assert first[1] == "26"
    assert "more records than any class" in first[3]
    assert "patient 60" not in page
    folder = release.write(tmp_path / "out")
    assert (folder / "private" / "report.html").read_text() == page
    for file in (folder / "public").iterdir():
        assert first[3] not in file.read_text()


def test_nothing_is_said_where_every_record_is_another_persons():
    columns = {name: column for name, column in COLUMNS.items() if name != "who"}
    release = made(visits().drop("who"), lk.KAnonymity(2), columns=columns, individual=None)
    assert people_rows(release) == []
    assert people_findings(release) == []
    assert "People with several records" not in page_of(release)


def chronic(again: int) -> pl.DataFrame:
    """Ten people with two visits each for other diseases, the first of them with some more for the same disease."""
    who = [f"p{i}" for i in range(10)] * 2 + ["p0"] * again
    disease = [f"d{i % 4}" for i in range(10)] + [f"d{(i + 1) % 4}" for i in range(10)] + ["d0"] * again
    age = {f"p{i}": 30 + i // 5 for i in range(10)}
    return pl.DataFrame({"who": who, "age": [age[name] for name in who], "disease": disease})


def test_many_records_that_say_nothing_new_are_warned_of():
    linked = {"form": "identity-reserved"}
    assert people_warnings(made(chronic(5), lk.IrKAnonymity(2), **linked)) == []  # 5 of 25 are 20 %
    release = made(chronic(6), lk.IrKAnonymity(2), **linked)
    (line,) = people_warnings(release)
    assert line == (
        "6 of 26 records say the same sensitive values of the same person again and are left out, with their other columns; "
        "ir-k-anonymity needs that, and hygiene: {duplicates: drop} in the policy says that it is all right"
    )
    assert f"<strong>Warning:</strong> {line}" in unescape(page_of(release))
    (line,) = people_warnings(made(chronic(6), lk.KAnonymity(2)))
    assert line.endswith("with their other columns; hygiene: {duplicates: keep} keeps them")


def test_a_rule_that_was_given_is_not_warned_of():
    release = made(chronic(6), lk.KAnonymity(2), hygiene={"duplicates": "drop"})
    assert people_warnings(release) == []
    assert "6 of 26 records say the same" in unescape(page_of(release))
    kept = made(chronic(6), lk.KAnonymity(2), hygiene={"duplicates": "keep"})
    assert "again" not in "".join(map(str, people_findings(kept)))


def test_what_the_policy_refuses_and_is_not_there():
    frame = chronic(0)
    rules = {"duplicates": "error", "inconsistent_quasi": "error"}
    rows = dict(people_rows(made(frame, lk.IrKAnonymity(2), hygiene=rules)))
    assert rows["duplicate records of one person, refused"] == "0"
    assert rows["people whose records differ in a quasi-identifier, refused"] == "0"


def test_values_asked():
    assert values_asked(lk.EntropyLDiversity("7/2")) == 4
    assert values_asked(lk.DistinctLDiversity(1)) == 2
    assert values_asked(lk.TCloseness("0.2")) == 2


def test_a_guarantee_that_nobody_else_can_check_is_warned_of():
    said = "which records are one person's is not published, so ir-k-anonymity can be checked by you alone"
    (line,) = [line for line in people_warnings(made(visits(), lk.IrKAnonymity(2))) if "you alone" in line]
    assert line.startswith(said)
    asked = made(visits(), lk.IrKAnonymity(2), form={"name": "generalized"})
    assert [found.warned for found in people_findings(asked) if str(found) == line] == [False]
    linked = made(visits(), lk.IrKAnonymity(2), form={"name": "identity-reserved"})
    assert not any("you alone" in str(found) for found in people_findings(linked))
