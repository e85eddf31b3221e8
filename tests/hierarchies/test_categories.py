from __future__ import annotations

import copy
import csv
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import HierarchyError
from likeness.hierarchies import Categories, categories_from_mapping, categories_from_rows, read_categories

SEVERITY = {
    "Asymptomatic": ["No Symptoms"],
    "Low": ["Flu", "Headache", "Tiredness"],
    "Mild": ["Loss of Appetite", "Cough", "Chills", "Fever"],
    "High": ["Stomach Pain", "Difficult Breathing", "Chest Pain"],
    "Severe": ["Lungs Infection", "Respiratory Problem"],
}
"""Fazal et al. 2023, table 3."""
PEOPLE = {
    "Susan": ("Flu", "Chills", "Fever"),
    "Ronald": ("Difficult Breathing", "Lungs Infection"),
    "Keran": ("Cough", "Chest Pain"),
    "Heather": ("Stomach Pain", "Lungs Infection"),
    "Cynthia": ("Headache", "Tiredness", "Flu"),
    "Peter": ("Headache", "Flu"),
    "Helan": ("No Symptoms",),
    "Jonas": ("Headache",),
}
"""Table 2 there: the sets of values of eight people."""
AFTER = "after severity.csv, line 1"
FILE = "Low;Flu;Headache\r\nMild;Fever\r\n"


def written(tmp_path, data, name="severity.csv"):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def refused(tmp_path, data, name="severity.csv"):
    with pytest.raises(HierarchyError) as found:
        read_categories(written(tmp_path, data, name))
    assert "\n" not in "".join(found.value.problems)
    return list(found.value.problems)


@pytest.mark.parametrize(
    "data",
    [
        FILE,
        FILE.replace("\r\n", "\n"),
        b"\xef\xbb\xbf" + FILE.encode(),
        FILE.replace("Flu", '"Flu"'),
        "\n" + FILE + "\n\n",
        FILE.rstrip(),
        "Low;Flu;Headache;\r\nMild;Fever;;\r\n",
    ],
    ids=["crlf", "lf", "bom", "quoted", "blank lines", "no last line end", "as spreadsheets write it"],
)
def test_one_line_a_category_least_severe_first(tmp_path, data):
    found = read_categories(written(tmp_path, data))
    assert found == Categories(("Low", "Mild"), (("Flu", "Headache"), ("Fever",)))
    assert found.rank == {"Flu": 0, "Headache": 0, "Fever": 1}


def test_the_highest_category_counts_of_a_set_of_values():
    severity = categories_from_mapping(SEVERITY, "severity")
    highest = {name: severity.labels[severity.highest(values)] for name, values in PEOPLE.items()}
    assert list(highest.values()) == ["Mild", "Severe", "High", "Severe", "Low", "Low", "Asymptomatic", "Low"]
    # The case of Fazal et al. 2023, scenario I: one of four symptoms is mild.
    assert severity.labels[severity.highest(["Headache", "Flu", "Tiredness", "Chills"])] == "Mild"
    with pytest.raises(KeyError):
        severity.highest(["Flu", "Gout"])


def test_a_value_of_two_categories_counts_in_the_higher_one(tmp_path):
    found = read_categories(written(tmp_path, "Low;Flu;Cough\nMild;Cough;Fever\nHigh;Fever"))
    assert found.rank == {"Flu": 0, "Cough": 1, "Fever": 2}
    assert found.to_rows() == [["Low", "Flu", "Cough"], ["Mild", "Cough", "Fever"], ["High", "Fever"]]


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (
            "",
            [
                "severity.csv: the file is empty; give one line a category, least severe first, such as Low;Flu;Headache"
            ],
        ),
        (
            "Low;Flu",
            [
                "severity.csv: there must be two categories at least; found 1; give all of them, least severe first"
            ],
        ),
        (
            "Low,Flu\nMild,Fever",
            [
                "severity.csv: no line has a semicolon; write label and values between semicolons, such as Low;Flu;Headache"
            ],
        ),
        (";Flu\nMild;Fever", ["severity.csv, line 1: category has no label; write it before its values"]),
        (
            "Low;Flu\n\nMild;Fever\nLow;Cough",
            [
                f"severity.csv, line 4: category 'Low' stands there again, {AFTER}; put all of its values together"
            ],
        ),
        ("Low;Flu\nMild", ["severity.csv, line 2: category 'Mild' has no values; write them, or remove it"]),
        (
            "Low;Flu;;Cough\nMild;Fever",
            ["severity.csv, line 1: category 'Low' has an empty value; remove it"],
        ),
        (
            "Low;Flu;Flu\nMild;Fever",
            ["severity.csv, line 1: category 'Low' has the value 'Flu' twice; remove one"],
        ),
        (b"Low;Gr\xfctze\nMild;x", ["severity.csv, line 1: byte 0xfc is not UTF-8; save the file as UTF-8"]),
        ('Low;"Flu\nMild;x', ["severity.csv, line 1: unexpected end of data; check the quotes on this line"]),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_place(tmp_path, data, problems):
    assert refused(tmp_path, data) == problems


def test_files_that_are_none(tmp_path):
    assert refused(tmp_path, FILE, "severity.xlsx") == [
        "severity.xlsx: a file of categories ends in .csv or .txt; got 'severity.xlsx'"
    ]
    with pytest.raises(HierarchyError, match=r"nowhere.csv: no such file .*; check the path in the policy"):
        read_categories(tmp_path / "nowhere.csv")


def test_of_many_problems_the_first_are_shown(tmp_path):
    found = refused(tmp_path, "\n".join(["Low;Flu"] * 40))
    assert len(found) == 11
    assert found[-1] == "and 29 more"


def test_a_mapping_is_refused_by_its_name():
    with pytest.raises(
        HierarchyError, match=r"^severity: category 'Mild' has no values; write them, or remove it$"
    ):
        categories_from_mapping({"Low": ["Flu"], "Mild": []}, "severity")


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4).filter(str.strip)


@given(
    st.lists(
        st.tuples(texts, st.lists(texts, min_size=1, max_size=4, unique=True)),
        min_size=2,
        max_size=4,
        unique_by=lambda own: own[0],
    )
)
@settings(max_examples=60)
def test_what_was_written_is_read(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "severity.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows([label, *own] for label, own in rows)
    found = read_categories(path)
    assert found == categories_from_rows([[label, *own] for label, own in rows], "x", where=str)
    for label, own in rows:
        for value in own:
            assert found.rank[value] >= found.labels.index(label)
    assert copy.copy(found) == pickle.loads(pickle.dumps(found)) == found
