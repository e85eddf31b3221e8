import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiling.columns import cells, meaning

from likeness.profiling.meaning import settings_of

DAYS = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(60)]
WORDS = "amber birch cedar delta ember frost grove haven inlet jewel".split()  # noqa: SIM905


def role_and_look(values, name="x"):
    found = meaning(values, name)
    return found.role, found.looks_like


@pytest.mark.parametrize(
    ("name", "values", "role", "look"),
    [
        ("x", ["", ""], "drop", "empty"),
        ("x", ["a", "a"], "drop", "constant"),
        ("name", ["Ann", "Bob"], "identifier", "name"),
        ("lastName", ["Lee", "Roy", "Lee"], "identifier", "name"),
        ("x", ["a@b.org", "c@d.org"], "identifier", "e-mail address"),
        ("x", ["078-05-1120", "078-05-1121"], "identifier", "social security number"),
        ("x", ["617-555-0199", "617-555-0100"], "identifier", "phone number"),
        ("phone", [6175550199, 6175550100], "identifier", "phone number"),
        ("home_address", ["Elm 1", "Oak 2"], "identifier", "address"),
        ("patient_id", [1, 1, 2, 2] * 100, "identifier", "id"),
        ("visit_id", range(40), "identifier", "id"),
        ("id", [7, 9, 8], "identifier", "id"),
        ("DUID", [i // 3 for i in range(120)], "identifier", "id"),
        ("hospital_id", [1, 2] * 100, "quasi", "number"),
        ("covid", ["yes", "no"] * 40, "quasi", "category"),
        ("has_phone", ["yes", "no"] * 40, "quasi", "category"),
        ("fnlwgt", [77516, 83311, 215646], "drop", "survey weights"),
        ("weight", [77, 83, 64], "quasi", "body"),
        ("latitude", [42 + i / 977 for i in range(200)], "drop", "location"),
        ("admitted", DAYS, "quasi", "date"),
        ("x", [str(day) for day in DAYS], "quasi", "date"),
        ("x", [f"{i % 12 + 1:02d}/0{i % 9 + 1}/2024" for i in range(60)], "drop", "date"),
        ("x", [f"2024-01-01 10:{i:02d}" for i in range(60)], "drop", "moment"),
        ("zip", ["02139", "10001"], "quasi", "ZIP or similar code"),
        ("zip", [48103, 10001], "quasi", "ZIP or similar code"),
        ("zip", [2139, 10001], "quasi", "ZIP or similar code"),
        ("x", [f"{i % 40:05d}" for i in range(4000)], "quasi", "ZIP or similar code"),
        ("diagnosis", ["flu", "flu", "hiv"], "sensitive", "health"),
        ("x", ["E11.9", "I10", "F32.1", "J45"] + [f"K{i:02d}" for i in range(9)] * 9, "sensitive", "health"),
        ("x", ["asthma", "diabetes", "none", "flu"] * 9, "sensitive", "health"),
        ("salary-class", ["<=50K", ">50K"], "sensitive", "money"),
        ("income", [20_000, 20_000, 31_000] * 20, "sensitive", "money"),
        ("income", [20_000 + 7 * i for i in range(60)], "drop", "money"),
        ("age", [20, 40], "quasi", "age"),
        ("age", range(100), "quasi", "age"),
        ("gender", ["f", "m"], "quasi", "sex"),
        ("x", ["Male", "Female"] * 20, "quasi", "sex"),
        ("x", ["Married", "Divorced"] * 20, "quasi", "marital status"),
        ("u", ["m", "w", "d"] * 20, "quasi", "sex"),
        ("u", ["x", "y"] * 20, "quasi", "category"),
        ("u", ["m", "s"] * 20, "quasi", "category"),
        ("room", ["single", "double"] * 20, "quasi", "category"),
        ("x", [1, 2, 2, 5], "quasi", "number"),
        ("x", ["a", "b"], "drop", "unique text"),
        ("x", [1, 2, 3, 4], "identifier", "id"),
        ("x", [10_000 + 13 * i for i in range(60)], "identifier", "id"),
        ("x", [i + 1 / 7 for i in range(60)], "drop", "unique number"),
        ("x", [f"P{i:06d}" for i in range(60)], "identifier", "id"),
        ("x", [f"P{i // 5:06d}" for i in range(300)], "identifier", "id"),
        ("x", [f"{i // 5:07d}" for i in range(300)], "identifier", "id"),
        ("x", [f"Ann {chr(65 + i % 26)}. Lee{chr(97 + i // 26)}" for i in range(60)], "identifier", "name"),
        ("x", [f"{WORDS[i % 10]} {WORDS[i // 10]}" for i in range(60)], "drop", "unique text"),
        ("x", ["Ann Lee", "Bob Roy"] * 2, "identifier", "name"),
        ("x", ["a", "b"] * 2, "quasi", "category"),
        ("notes", [f"seen on ward {i}, was well and went home" for i in range(60)], "drop", "free text"),
        ("diagnosis", [f"acute pain of the left leg, case {i}" for i in range(60)], "drop", "free text"),
        ("city", [f"{WORDS[i % 10]}{WORDS[i % 7]}" for i in range(200)], "quasi", "place of residence"),
    ],
)
def test_what_columns_are_taken_for(name, values, role, look):
    assert role_and_look(list(values), name) == (role, look)


def test_how_many_are_alone_with_a_number_is_said_as_counted():
    found = meaning([i + 1 / 7 for i in range(60)] + [1.5] * 40)
    assert (found.role, found.looks_like) == ("drop", "unique number")
    assert found.reason.startswith("60 % of the records have a number that no other has, a fingerprint")


def test_dates_and_codes_bring_their_hierarchies():
    assert meaning(DAYS).settings == {"hierarchy": {"dates": ["month", "year"]}}
    assert meaning(["02139", "10001"], "zip").settings == {"hierarchy": {"prefix": 5}}
    assert meaning([dt.datetime(2024, 1, day, 8) for day in range(1, 30)]).settings == {  # noqa: DTZ001
        "hierarchy": {"dates": ["month", "year"]}
    }


def test_masked_codes_are_not_masked_again():
    assert meaning(["021**", "100**"], "zip").settings == {}


def test_codes_whose_zeros_were_lost_are_warned_of():
    assert "leading zeros" in meaning([2139, 10001], "zip").warning
    assert meaning([48103, 10001], "zip").warning == ""


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("sex", [1, 2], {"kind": "categorical"}),
        ("age", [1, 2], {"kind": "integer"}),
        ("industry_code", list(range(100)), {"kind": "categorical"}),
        ("industry_code", list(range(101)), {"kind": "integer"}),
        ("dose", [1.5, 2], {"kind": "real"}),
        ("x", ["1", "2", "x", "3"], {"kind": "categorical"}),
        ("x", ["a", "b"], {}),
        ("x", [True, False], {}),
    ],
)
def test_kinds_to_declare(name, values, expected):
    assert settings_of(cells(values, name)) == expected


def test_addresses_among_other_values_are_warned_of():
    values = ["yes", "no"] * 200 + [WORDS[i % 10] for i in range(400)] + ["ask ann@example.org"]
    found = meaning(values)
    assert found.role == "quasi"
    assert "e-mail address" in found.warning


def test_a_sensitive_constant_is_warned_of():
    assert "gives it away" in meaning(["HIV", "HIV"], "disease").warning
    assert meaning(["HIV", "HIV"], "x").warning == ""


@settings(deadline=None, max_examples=60)
@given(
    values=st.lists(st.text(max_size=8), min_size=1, max_size=60),
    name=st.sampled_from(["x", "age", "disease", "city", "notes", "code"]),
)
def test_texts_are_never_published_as_they_are_and_unique_ones_not_at_all(values, name):
    own, found = cells(values, name), meaning(values, name)
    assert found.role in {"identifier", "drop", "quasi", "sensitive"}
    if own.kind == "text" and own.unique >= 0.5 and own.distinct > 1 and name in {"x", "notes"}:
        assert found.role in {"identifier", "drop"}
