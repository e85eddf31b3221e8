import polars as pl
import pytest

from likeness.profiling import profile
from likeness.profiling.result import _down, _up

FRAME = {
    "name": [f"Ann {i % 40}" for i in range(80)],
    "age": ["31", "40", "?", "50"] * 20,
    "age_code": ["1", "2", "?", "3"] * 20,
    "work": ["a", "a", "?", "b", "b"] * 16,
    "disease": ["flu"] * 40 + ["hiv", "<b>"] * 20,
}


@pytest.fixture(scope="module")
def found():
    return profile(pl.DataFrame(FRAME))


DISEASE = (
    "  disease: distinct l up to 3; entropy l up to 2.8284; recursive (c,l)-diversity: c above 1 at l = 2, "
    "c above 2 at l = 3; (α,k)-anonymity: α from 0.5\n"
)


@pytest.mark.parametrize(
    "part",
    [
        "Profile of polars frame: 80 records, 5 columns, less than 0.01 MB in memory, less than 0.01 MB once encoded\n",
        "\nMissing values\n  age: '?' (20 records) is declared missing: stands among whole numbers\n",
        "\n  work: does '?' (16 records) mean a missing value? it is a usual word for a missing value\n",
        "\nCheck\n  people have several records: 40 values of 'name', up to 2 records each.",
        "\nColumns that say the same\n  'age_code' and 'age' say the same, value by value\n",
        "\nWho stands out, by 2 quasi-identifiers: age, work\n  together: 0 % unique, 100 % in groups below 5, ",
        "; the smallest of 12 groups has 2\n",
        "\n  in pairs:\n    work and age: 0 % unique, ",
        "\nWhat this table can meet\n  k-anonymity: k up to 80, the number of records; they are of 40 people\n",
        DISEASE,
        "    '<b>', 20 records: at least 2 (β = 1), 2 (β = 2), 2 (β = 4) records\n",
        "\nProposed guarantee\n  k-anonymity (k = 9): records of at least 5 people in every class",
    ],
)
def test_the_page_has_every_part(found, part):
    assert part in str(found)


def test_columns_stand_under_each_other(found):
    lines = str(found).splitlines()
    head = next(line for line in lines if line.startswith("column"))
    rows = lines[lines.index(head) + 1 :][: len(FRAME)]
    at = head.index("role")
    assert [row[at:].split()[0] for row in rows] == [column.role for column in found.columns]


def test_the_notebook_shows_the_same_and_escapes_it(found):
    html = found._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>'" not in html
    assert html.count("<tr>") == 1 + len(FRAME)
    assert "Who stands out, by 2 quasi-identifiers: age, work" in html


def test_one_line(found):
    assert (
        repr(found)
        == "Profile(polars frame: 80 records, 5 columns: 1 identifier, 2 quasi, 1 sensitive, 1 drop)"
    )


def test_names_that_would_break_lines():
    page = str(profile(pl.DataFrame({"a\nb": ["u", "u", "v"]})))
    assert "'a\\nb'  text" in page


def test_parts_with_nothing_to_say_are_left_out():
    page = str(profile(pl.DataFrame({"name": ["Ann", "Bob"]})))
    assert "Who stands out" not in page
    assert "Columns that say the same" not in page


@pytest.mark.parametrize(
    ("number", "down", "up"), [(1 / 3, "0.3333", "0.3334"), (2.0, "2", "2"), (0.25, "0.25", "0.25")]
)
def test_limits_are_never_rounded_beyond_what_can_be_met(number, down, up):
    assert (_down(number), _up(number)) == (down, up)


def test_people_are_counted_where_the_policy_will_say_who_they_are():
    rows = [(f"p{i % 30}", 20 + i % 9, "ab"[i % 2]) for i in range(90)]
    found = profile(pl.DataFrame(rows, schema=["patient_id", "age", "disease"], orient="row"))
    assert found.individual == "patient_id"
    assert "k-anonymity: k up to 30, the number of people; they have 90 records\n" in str(found)
    said = str(found)
    assert "(α,k)-anonymity: α from 0.5 of the people\n" in said
    assert "  eir-l-diversity: l up to 2\n" in said
    assert "    'a', 15 people: at least 2 (β = 1), 2 (β = 2), 2 (β = 4) people\n" in said
