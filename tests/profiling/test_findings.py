import polars as pl
import pytest
from tests.profiling.columns import cells

import likeness as lk
from likeness.profiling.findings import Link, describe, redundant, share
from likeness.profiling.meaning import Meaning, interpret
from likeness.profiling.reach import measure_reach
from likeness.wording import count


def described(values, name="x", given=None, dropped=None, links=()):
    own = cells(values, name)
    return describe(own, interpret(own), given, dropped, links)


def meanings(**roles):
    return {name: Meaning("category", role, "", {}) for name, role in roles.items()}


BY = Link("a", "b", both_ways=False)
SAME = Link("a", "b", both_ways=True)


@pytest.mark.parametrize(
    ("link", "a", "b", "goes"),
    [
        (BY, "quasi", "quasi", "b"),
        (SAME, "quasi", "quasi", "b"),
        (BY, "quasi", "sensitive", "a"),
        (SAME, "quasi", "sensitive", "a"),
        (SAME, "sensitive", "quasi", "b"),
        (BY, "sensitive", "quasi", None),
    ],
)
def test_which_of_two_linked_columns_goes(link, a, b, goes):
    assert list(redundant([link], meanings(a=a, b=b), {})) == ([goes] if goes else [])


def test_of_two_sensitive_columns_the_one_that_suits_beta_likeness_stays():
    coarse, fine = measure_reach(cells(["x", "y"] * 100)), measure_reach(cells([str(i) for i in range(200)]))
    roles = meanings(a="sensitive", b="sensitive")
    assert list(redundant([BY], roles, {"a": fine, "b": coarse})) == ["a"]
    assert list(redundant([BY], roles, {"a": coarse, "b": coarse})) == ["b"]
    assert list(redundant([SAME], roles, {"a": fine, "b": coarse})) == ["b"]


def test_a_column_with_a_given_role_stays():
    assert redundant([BY], meanings(a="quasi", b="quasi"), {}, {"b": "quasi"}) == {}


def test_nothing_goes_for_the_sake_of_what_goes_itself():
    links = [
        Link("a", "b", both_ways=False),
        Link("b", "c", both_ways=False),
        Link("a", "c", both_ways=False),
    ]
    assert list(redundant(links, meanings(a="quasi", b="quasi", c="quasi"), {})) == ["b", "c"]


def test_what_tells_a_sensitive_value_takes_nothing_along():
    links = [Link("age", "group", both_ways=False), Link("age", "disease", both_ways=False)]
    roles = meanings(age="quasi", group="quasi", disease="sensitive")
    assert list(redundant(links, roles, {})) == ["age"]


def test_missing_values_become_a_category():
    assert described(["a", "", "a", "b", "b"]).settings == {
        "role": "quasi",
        "missing": {"policy": "category"},
    }
    assert described(["1", "?", "1", "4"]).settings == {
        "role": "quasi",
        "kind": "integer",
        "missing": {"markers": ["", "?"], "policy": "category"},
    }


def test_only_what_is_published_in_classes_has_settings():
    assert described(["Ann", "", "Bob"], "name").settings == {"role": "identifier"}
    assert described(["a", "", "b"], "x", given="other").settings == {"role": "other"}


def test_a_given_role_is_kept_and_the_proposed_one_told():
    found = described(["Ann", "Bob"], "name", given="quasi")
    assert (found.role, found.settings) == ("quasi", {"role": "quasi"})
    assert "proposed was identifier" in found.reason
    assert described(["Ann", "Bob"], "name", given="identifier").reason == "as given"


def test_a_redundant_column_is_dropped_with_its_links():
    found = described([1, 2] * 9, dropped="'x' and 'y' say the same", links=[Link("y", "x", both_ways=True)])
    assert (found.role, found.settings) == ("drop", {"role": "drop"})
    assert found.links == ("'x' and 'y' say the same, value by value",)


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("name", ["Ann", "Bob"], "would identify"),
        ("x", [f"{i} {i} a text about it" for i in range(40)], "would identify"),
        ("x", ["a"] * 40 + ["b"], "fewer than 5 share the value of 1 record"),
        ("zip", ["02139", "10001"] * 20, "known by their ZIP"),
        ("x", ["a", "b"] * 20, None),
    ],
)
def test_what_is_published_as_it_is_is_warned_of_when_it_identifies(name, values, said):
    warnings = described(values, name, given="other").warnings
    assert said in warnings[0] if said else warnings == ()


def test_exact_numbers_that_are_sensitive_are_warned_of():
    values = [100] * 90 + [1000 + i for i in range(10)]
    assert "10.0 %" in described(values, "income").warnings[0]
    assert described([100, 200] * 50, "income").warnings == ()


def test_mixed_columns_are_warned_of():
    assert "declared categorical" in described(["1", "2", "1", "2", "x", "x"]).warnings[0]


def test_questions_are_about_what_is_not_declared():
    (question,) = described(["?", "?", "a", "a"]).questions
    assert question.startswith("does '?' (2 records) mean a missing value?")
    assert described(["?", "1", "1", "2"]).questions == ()


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 0, "0 %"), (0, 5, "0 %"), (5, 5, "100 %"), (1, 2000, "under 0.1 %"), (1999, 2000, "over 99.9 %"), (1, 3, "33.3 %")],
)  # fmt: skip
def test_shares_never_round_to_nothing_or_all(part, whole, text):
    assert share(part, whole) == text


def test_counts_agree_with_their_noun():
    assert (count(1, "value"), count(0, "value"), count(2000, "value")) == (
        "1 value",
        "0 values",
        "2,000 values",
    )


def test_texts_that_run_in_a_spreadsheet_and_spellings_are_told():
    frame = pl.DataFrame({"job": ["=1+1", "nurse", "Nurse ", "clerk"] * 10, "pay": ["1.234,5", "12"] * 20})
    found = {
        column.name: column for column in lk.profile(frame, roles={"job": "quasi", "pay": "drop"}).columns
    }
    formulas, spellings = found["job"].warnings
    assert formulas.startswith(
        "10 cells begin as formulas do, such as '=1+1', which a spreadsheet program may run"
    )
    assert formulas.endswith("say output: {formulas: escape}, or correct the table")  # as it is to be pasted
    assert spellings.startswith(
        "2 of 4 values differ from another only in capital letters or blanks, such as "
    )
    (thousands,) = found["pay"].warnings
    assert (
        "separates thousands by a point in 20 cells, the first '1.234,5' at row 1, so it is taken for text"
        in thousands
    )
    assert "read the table with thousands='.'" in thousands


def test_dates_in_several_ways_are_read_where_each_can_be_one_day_only(tmp_path):
    days = ["31/12/2020", "2020-12-30", "1.1.2021", "unknown"] * 20
    path = tmp_path / "days.csv"
    disease = [("flu", "cold", "hiv")[i % 3] for i in range(80)]
    pl.DataFrame({"day": days, "disease": disease}).write_csv(path)
    found = lk.profile(path)
    assert found["day"].settings["hierarchy"] == {"dates": ["month", "year"]}
    assert "writes dates in 3 ways: YYYY-MM-DD (20 cells" in found["day"].warnings[0]
    assert "each is read as the one day it can be" in found["day"].warnings[0]
    release = lk.anonymize(path, found.policy(), seed=1)
    assert set(release.table["day"]) <= {"2020-12-30", "2020-12-31", "2021-01-01", "2020-12", "2020", "", "*"}
    declared = {"columns": {"day": lk.quasi(kind="date"), "disease": lk.drop()}, "privacy": lk.KAnonymity(2)}
    policy = lk.Policy(**declared, missing={"markers": ["unknown"], "policy": "drop"})
    assert lk.anonymize(path, policy, seed=1).table.height == 60


def test_dates_that_may_be_two_days_are_named_where_they_are_dropped():
    frame = pl.DataFrame({"day": ["01/02/2020", "2020-12-30", "2021-01-01"] * 20})
    (column,) = lk.profile(frame).columns
    assert column.role == "drop"
    assert column.reason.startswith("dates in several ways")
    assert "YYYY-MM-DD (40 cells" in column.warnings[0]


def test_codes_with_a_point_are_told():
    frame = pl.DataFrame(
        {"race": ["1.0", "2.0", ""] * 20, "score": ["31.0", "32.0", "33.0", "34.0", ""] * 12}
    )
    found = {column.name: column for column in lk.profile(frame).columns}
    assert found["race"].settings["kind"] == "categorical"
    assert any("they are read as 1, and published so" in line for line in found["race"].warnings)
    assert found["score"].settings["kind"] == "integer"
    assert any("it is declared integer, and published as 1" in line for line in found["score"].warnings)


def test_what_is_found_has_a_code_and_figures():
    found = described([100 + i for i in range(10)] + [99] * 90, "income")
    assert [(one.code, dict(one.facts)) for one in found.findings] == [
        ("numbers-of-their-own", {"alone": 10, "records": 100})
    ]
    assert found.warnings == tuple(map(str, found.findings))


def test_codes_that_went_through_floats_are_proposed_and_published_as_the_codes_they_are(tmp_path):
    rows = [
        f"{(91911, 10012, 60601, 33101)[i % 4]}.0,{(250, 401, 486)[i % 3]}.0,{1000 + i // 2}.0,{20 + i % 30}\n"
        for i in range(120)
    ]
    (tmp_path / "t.csv").write_text("zip,icd9,pid,age\n" + "".join(rows))
    found = lk.profile(tmp_path / "t.csv")
    assert found["zip"].settings == {"role": "quasi", "hierarchy": {"prefix": 5}}
    assert found["icd9"].settings == {"role": "sensitive", "kind": "categorical"}
    assert (found["pid"].role, found.individual) == ("identifier", "pid")
    release = lk.anonymize(tmp_path / "t.csv", found.policy(), seed=1)
    assert set(release.table["icd9"]) == {"250", "401", "486"}
    assert all(code == "*" or (len(code) == 5 and not code.endswith(".0")) for code in release.table["zip"])
    release.write(tmp_path / "out")
    assert lk.verify(tmp_path / "out", original=tmp_path / "t.csv").ok


def test_thousands_that_can_be_nothing_else_are_read_and_told(tmp_path):
    path = tmp_path / "t.csv"
    for marks, decimal in ((",", "."), (".", ",")):
        pay = [f"{900_000 + 50_000 * (i % 9):,}{'.5' * (i % 2)}" for i in range(90)]
        swapped = pay if marks == "," else [one.translate(str.maketrans(",.", ".,")) for one in pay]
        path.write_text("pay;age\n" + "".join(f"{one};{20 + i % 9}\n" for i, one in enumerate(swapped)))
        found = lk.profile(path)
        assert found["pay"].settings == {"role": "sensitive", "kind": "real"}
        (told,) = [one for one in found["pay"].findings if one.code == "thousands-found"]
        assert told.facts["mark"] == marks != decimal
        release = lk.anonymize(path, found.policy(), seed=1)
        assert release.table.height == 90
    path.write_text("pay;age\n" + "925,000;20\n850,000;21\n" * 30)
    (warning,) = lk.profile(path)["pay"].warnings
    assert "may be a decimal mark or separate thousands" in warning
    assert "--decimal , or --thousands ," in warning


def test_codes_that_may_have_got_a_decimal_place_among_others_are_told():
    rest = ["E11", "V57", "I10", "J45"]
    (found,) = lk.profile(pl.DataFrame({"icd": ["250.0", "401.0", *rest] * 20})).columns
    assert found.settings == {"role": "sensitive"}
    (warning,) = found.warnings
    assert warning.startswith("40 codes are written like ")
    assert "a program may have taken '" in warning
    (found,) = lk.profile(pl.DataFrame({"icd": ["250.0", "401.9", "250.1", "428.0", *rest] * 20})).columns
    assert (found.settings, found.warnings) == ({"role": "sensitive", "kind": "categorical"}, ())
