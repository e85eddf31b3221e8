"""One record a person: that of the highest category, and nothing else of theirs is published."""

from __future__ import annotations

import filecmp
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likeness as lk
from likeness.encode import encode
from likeness.microdata.highest import HISTORY

SEVERITY = {
    "Asymptomatic": ["No Symptoms"],
    "Low": ["Flu", "Headache", "Tiredness"],
    "Mild": ["Loss of Appetite", "Cough", "Chills", "Fever"],
    "High": ["Stomach Pain", "Difficult Breathing", "Chest Pain"],
    "Severe": ["Lungs Infection", "Respiratory Problem"],
}
PEOPLE = [  # Fazal et al. 2023, table 1
    ("p1", 40, 2139, "Female", ["Flu", "Chills", "Fever"]),
    ("p2", 45, 2545, "Male", ["Difficult Breathing", "Lungs Infection"]),
    ("p3", 45, 2238, "Female", ["Cough", "Chest Pain"]),
    ("p4", 38, 2843, "Male", ["Stomach Pain", "Lungs Infection"]),
    ("p5", 42, 2341, "Female", ["Headache", "Tiredness", "Flu"]),
    ("p6", 40, 2548, "Male", ["Headache", "Flu"]),
    ("p7", 45, 2544, "Female", ["No Symptoms"]),
    ("p8", 32, 2538, "Male", ["Headache"]),
]
TABLE = pl.DataFrame(
    [(*person, symptom) for *person, symptoms in PEOPLE for symptom in symptoms],
    schema=["id", "age", "zip", "sex", "symptom"],
    orient="row",
)
COLUMNS = {
    "id": lk.identifier(),
    "age": lk.quasi(),
    "zip": lk.quasi(),
    "sex": lk.quasi(),
    "symptom": lk.sensitive(),
}


def asked(categories=SEVERITY, **more):
    settings = {
        "columns": COLUMNS,
        "individual": "id",
        "categories": {"symptom": categories} if categories else {},
        "privacy": [lk.KAnonymity(2), lk.DistinctLDiversity(2)],
        "method": lk.Angel(publish="highest"),
    }
    return lk.Policy(**{**settings, **more})


def encoded(table=TABLE, policy=None):
    return encode(lk.read(table), policy or asked())


def test_the_papers_table_becomes_its_table_10():
    found = encoded()
    data = found.data
    names = TABLE["id"].gather(data.rows).to_list()
    shown = [data.sensitive[0].labels[code] for code in data.sensitive_codes[0].tolist()]
    assert dict(zip(names, shown, strict=True)) == {
        "p1": "Mild",
        "p2": "Severe",
        "p3": "High",
        "p4": "Severe",
        "p5": "Low",
        "p6": "Low",
        "p7": "Asymptomatic",
        "p8": "Low",
    }
    # Of equal ones the last: Fever after Chills, Flu after Headache and Tiredness.
    assert TABLE["symptom"].gather(data.rows).to_list() == [
        "Fever", "Lungs Infection", "Chest Pain", "Lungs Infection", "Flu", "Flu", "No Symptoms", "Headache",
    ]  # fmt: skip
    assert found.because == {HISTORY: 8}
    assert data.individuals is None
    assert data.source.records.size == 16
    assert names == [names[row] for row in range(8)]
    assert TABLE["id"].to_list() == [names[row] for row in data.source.of]


@settings(deadline=None, max_examples=100)
@given(draw=st.data())
def test_is_what_a_plain_loop_finds(draw):
    symptoms = [value for own in SEVERITY.values() for value in own]
    rank = {value: number for number, own in enumerate(SEVERITY.values()) for value in own}
    every = [own[0] for own in SEVERITY.values()]
    rows = draw.draw(st.lists(st.tuples(st.integers(0, 6), st.sampled_from(symptoms)), max_size=25))
    # Somebody has every category, and nothing else, so that none is nobody's highest.
    rows = draw.draw(st.permutations(rows + [(10 + number, value) for number, value in enumerate(every)]))
    rows = list(dict.fromkeys(rows))
    table = pl.DataFrame(
        [(f"p{who}", 30, 2000, "Female", value) for who, value in rows], schema=TABLE.columns, orient="row"
    )
    best: dict[int, int] = {}
    for row, (who, value) in enumerate(rows):
        if who not in best or rank[value] >= rank[rows[best[who]][1]]:
            best[who] = row
    found = encoded(table)
    assert found.data.rows.tolist() == sorted(best.values())
    assert found.data.sensitive_codes[0].tolist() == [rank[rows[row][1]] for row in sorted(best.values())]
    assert sum(found.because.values()) + found.data.size == len(rows)
    source = found.data.source
    for record in range(source.records.size):
        who = rows[source.records.rows[record]][0]
        assert found.data.rows[source.of[record]] == best[who]


def test_everybody_is_accounted_for_and_the_release_opens_again(tmp_path):
    table = tmp_path / "symptoms.csv"
    TABLE.write_csv(table)
    release = lk.anonymize(table, asked(), seed=1)
    history = str(HISTORY)
    assert release.counts == {
        "input": 16,
        "published": 8,
        "withheld": {},
        "dropped": {history: 8},
        "added": 0,
    }
    assert release.individual_counts == {"input": 8, "published": 8, "withheld": 0, "dropped": 0}
    assert set(release.tables["sensitive"]["symptom"]) <= set(SEVERITY)
    release.write(tmp_path / "out")
    certificate = json.loads((tmp_path / "out/public/certificate.json").read_text())
    [note] = [note for note in certificate["columns"] if note["name"] == "symptom"]
    assert note["order"] == list(SEVERITY)
    assert note["categories"][1] == ["Low", "Low", "Flu", "Headache", "Tiredness"]
    for original in (None, table):
        assert lk.verify(tmp_path / "out", original=original).problems == ()
    public = "".join(path.read_text() for path in (tmp_path / "out/public").glob("*.csv"))
    assert "Chest Pain" not in public
    assert history not in (tmp_path / "out/public/certificate.html").read_text()
    opened = lk.open_release(tmp_path / "out", original=table)
    assert opened.counts == release.counts
    opened.write(tmp_path / "again")
    for name in ("quasi.csv", "sensitive.csv", "certificate.json", "certificate.html"):
        assert filecmp.cmp(tmp_path / "out/public" / name, tmp_path / "again/public" / name, shallow=False)


def test_a_row_of_history_among_the_published_is_found(tmp_path):
    lk.anonymize(TABLE, asked(), seed=1).write(tmp_path / "out")
    sensitive = tmp_path / "out/public/sensitive.csv"
    sensitive.write_text(sensitive.read_text().replace("Severe", "Flu"))
    verdict = lk.verify(tmp_path / "out")
    assert any("'Flu'" in problem for problem in verdict.problems)
    assert not verdict.proofs


def test_a_table_of_one_record_a_person_needs_nobodys_name():
    table = TABLE.group_by("id", maintain_order=True).last()
    policy = asked(individual=None)
    assert encoded(table, policy).because == {}
    assert lk.anonymize(table, policy, seed=1).counts["published"] == 8


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"categories": {}},
            "angel: needs categories of 'symptom', the highest of everybody is published; give them, as in categories: ",
        ),
        (
            {"columns": {**COLUMNS, "sex": lk.sensitive()}},
            "angel: publish: highest keeps the highest category of one sensitive column; this table has 2",
        ),
        (
            {"categories": {"Flu": ["No Symptoms"]} | dict(list(SEVERITY.items())[1:])},
            "angel: column 'symptom': 'Flu' is a category, and a value of the category 'Low'; give the category another label",
        ),
        (
            {"categories": {"None": ["Tiredness"], **SEVERITY, "Low": ["Flu", "Headache"]}},
            "angel: column 'symptom': 'None' is nobody's highest category; join it with another one",
        ),
    ],
    ids=["no categories", "two columns", "a label that is a value", "nobody's highest"],
)
def test_what_it_cannot_work_with_is_refused_in_one_line(changes, said):
    with pytest.raises(lk.PolicyError) as caught:
        encoded(policy=asked(**changes))
    [problem] = caught.value.problems
    assert problem.startswith(said)


def test_the_word_is_checked():
    with pytest.raises(lk.PolicyError, match="publish must be one of values, highest; got 'top'"):
        lk.Angel(publish="top")


def test_quasi_identifiers_are_those_of_the_record_that_is_kept():
    moved = TABLE.with_columns(zip=pl.when(pl.col("symptom") == "Flu").then(2000).otherwise("zip"))
    data = encoded(moved).data
    at = [domain.name for domain in data.quasi].index("zip")
    zips = np.array(data.quasi[at].labels)[data.codes[at]]
    assert zips.tolist() == ["2139", "2545", "2238", "2843", "2000", "2000", "2544", "2538"]
