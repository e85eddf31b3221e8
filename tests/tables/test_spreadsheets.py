import builtins
import datetime as dt
import io
import random

import polars as pl
import pytest
import xlsxwriter

from likeness.cli import main
from likeness.errors import TableError
from likeness.tables import compression, read

RECORDS = [
    {
        "age": 20 + i % 50,
        "zip": f"{i:05}",
        "dose": i / 4,
        "since": dt.date(2020, 1 + i % 12, 3),
        "disease": "flu" if i % 3 else "naïve",
    }
    for i in range(300)
]
CSV = pl.DataFrame(RECORDS).write_csv()
ROWS = [list(RECORDS[0]), *(list(one.values()) for one in RECORDS)]


def workbook(hidden=(), **sheets):
    """The bytes of an Excel file with these rows a sheet."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"default_date_format": "yyyy-mm-dd"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            if name in hidden:
                sheet.hide()
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if cell is not None:
                        sheet.write(i, j, cell)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["a.xlsx", "a.xlsm", "A.XLSX"])
def test_a_sheet_is_the_table(csv_file, name):
    table, plain = read(csv_file(workbook(people=ROWS), name)), read(csv_file(CSV))
    assert (table.library, table.format, table.names) == ("polars", "excel", plain.names)
    assert table.frame.equals(pl.DataFrame(RECORDS))
    assert table.digest == plain.digest
    assert [table.kind(name) for name in table.names] == [plain.kind(name) for name in plain.names]
    assert table.where(2) == "row 3"


def test_what_is_blank_is_no_record_and_no_column(csv_file, capfd):
    rows = [[], [], ["age", "note", None, "zip"], [40], [None] * 4, [None, None, None, "02139"], [3.0], []]
    table = read(csv_file(workbook(a=rows), "a.xlsx"))
    assert table.frame.to_dict(as_series=False) == {
        "age": [40, None, 3],
        "note": [None, None, None],
        "zip": [None, "02139", None],
    }
    assert capfd.readouterr().err == ""


def test_kinds_of_cells(csv_file):
    late = [["n", "half", "at", "on", "code", "yes"]]
    late += [[i, i, dt.datetime(2020, 1, 1, 12), dt.date(2020, 1, 2), i, True] for i in range(1500)]  # noqa: DTZ001
    late += [[1, 0.5, dt.datetime(2020, 1, 1), dt.date(2020, 1, 2), "x", False]]  # noqa: DTZ001
    frame = read(csv_file(workbook(a=late), "a.xlsx")).frame
    kinds = [pl.Int64, pl.Float64, pl.Datetime, pl.Date, pl.String, pl.Boolean]
    assert [type(one) if one == pl.Datetime else one for one in frame.dtypes] == kinds
    assert frame["code"].to_list()[-2:] == ["1499", "x"]


def test_formulas_are_what_they_came_to_and_errors_are_missing(csv_file):
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["n", "word", "id"])
        sheet.write_formula(1, 0, "=1+1", None, 2)
        sheet.write_formula(1, 1, '="a"&"b"', None, "ab")
        sheet.write_formula(2, 0, "=1/0", None, "#DIV/0!")
        sheet.write_formula(2, 1, "=NA()", None, "#N/A")
        sheet.write_row(3, 0, [5, "x"])
        sheet.write_column(1, 2, [1, 2, 3])
    frame = read(csv_file(buffer.getvalue(), "a.xlsx")).frame
    assert frame.to_dict(as_series=False) == {"n": [2, None, 5], "word": ["ab", None, "x"], "id": [1, 2, 3]}


def test_dates_beside_texts_are_dates(csv_file):
    rows = [["since", "at"], [dt.date(2020, 1, 2), dt.datetime(2020, 1, 1, 12)], ["unknown", "00:00:00"]]  # noqa: DTZ001
    rows += [[None, dt.date(2020, 1, 2)], [dt.date(2021, 3, 4), "x 00:00:00"]]
    table = read(csv_file(workbook(a=rows), "a.xlsx"))
    assert table.frame.to_dict(as_series=False) == {
        "since": ["2020-01-02", "unknown", None, "2021-03-04"],
        "at": ["2020-01-01 12:00:00", "00:00:00", "2020-01-02 00:00:00", "x 00:00:00"],
    }
    assert table.encode("since", missing=("unknown",)).kind == "date"


def test_the_one_sheet_that_is_not_blank_is_read(csv_file):
    data = workbook(hidden=["codes"], empty=[], people=[["a"], [1]], codes=[["c"], [2]], last=[])
    path = csv_file(data, "a.xlsx")
    assert read(path).names == ("a",)
    assert read(path, sheet="codes").names == ("c",)
    with pytest.raises(TableError, match=r"no sheet 'person'.*; it has 'empty', 'people', 'codes', 'last'"):
        read(path, sheet="person")
    with pytest.raises(TableError, match="the sheet 'empty' is empty"):
        read(path, sheet="empty")


def test_several_sheets_are_named(csv_file):
    path = csv_file(workbook(one=[["a"], [1]], two=[["b"], [2]]), "a.xlsx")
    with pytest.raises(
        TableError, match=r"has several sheets: 'one', 'two'; say which with sheet= \(--sheet\)"
    ):
        read(path)
    assert read(path, sheet="two").names == ("b",)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "the sheet 'a' is empty"),
        ([["x", "y"]], "has columns and no records"),
        ([["x", "x"], [1, 2]], "the name 'x' stands for columns 1 and 2"),
        ([["x", None, "y"], [1, 2, 3]], "column 2 has no name"),
        ([["Report of 2020"], ["x", "y"], [1, 2]], "column 2 has no name"),
    ],
)
def test_sheets_that_are_no_tables(csv_file, rows, message):
    with pytest.raises(TableError, match=message):
        read(csv_file(workbook(a=rows), "a.xlsx"))


def test_bad_files_are_one_line(csv_file):
    whole = workbook(people=ROWS)
    draw = random.Random(1)
    bad = [whole[:keep] for keep in (1, 30, 200, len(whole) // 2, len(whole) - 30)]
    bad += [b"a,b\n1,2\n", draw.randbytes(500), b"PK\x03\x04rubbish"]
    for data in bad:
        with pytest.raises(TableError, match=r"a\.xlsx: not a whole Excel file") as caught:
            read(csv_file(data, "a.xlsx"))
        assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(TableError, match="the file is empty"):
        read(csv_file(b"", "a.xlsx"))
    with pytest.raises(TableError, match="is protected by a password"):
        read(csv_file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.xlsx"))
    good = read(csv_file(whole, "a.xlsx")).digest
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        try:
            assert read(csv_file(bytes(damaged), "a.xlsx")).digest == good
        except TableError as problem:
            assert len(str(problem).splitlines()) == 1


def test_far_more_than_a_table_takes_is_refused(csv_file, monkeypatch):
    monkeypatch.setattr(compression, "_ALWAYS", 1000)
    monkeypatch.setattr(compression, "_TIMES", 1)
    with pytest.raises(TableError, match="unpacks to more than 0 MB; save the sheet as CSV"):
        read(csv_file(workbook(people=ROWS), "a.xlsx"))


def test_options_of_other_kinds_are_refused(csv_file):
    path = csv_file(workbook(a=[["x"], [1]]), "a.xlsx")
    with pytest.raises(TableError, match="delimiter and header and encoding can be given for CSV files only"):
        read(path, delimiter=";", header=False, encoding="cp1252")
    with pytest.raises(TableError, match="sheet can be given for Excel files only"):
        read(csv_file("a\n1\n"), sheet="a")
    assert read(csv_file(workbook(a=[["x"], ["3,5"]]), "a.xlsx"), decimal=",").encode(
        "x"
    ).values.tolist() == [3.5]


def test_a_library_that_is_not_there_is_named(csv_file, monkeypatch):
    path = csv_file(workbook(a=[["x"], [1]]), "a.xlsx")
    load = builtins.__import__

    def without(name, *args, **options):
        if name == "fastexcel":
            raise ModuleNotFoundError(name)
        return load(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(TableError, match=r"pip install 'likeness\[excel\]'"):
        read(path)


POLICY = """
columns:
  age: {role: quasi, kind: integer}
  zip: {role: drop}
  dose: {role: drop}
  since: {role: quasi}
  disease: {role: sensitive}
privacy: {model: k-anonymity, k: 5}
effort: quick
seed: 7
"""


def test_a_release_of_a_sheet_is_that_of_the_csv(csv_file, tmp_path, capsys):
    policy = csv_file(f"{POLICY}output: {{format: csv}}\n", "policy.yaml")
    sheets = csv_file(workbook(people=ROWS, notes=[["by"], ["me"]]), "people.xlsx")
    said = [str(sheets), "--sheet", "people"]
    for table, out in (([str(csv_file(CSV))], "plain"), (said, "sheet")):
        assert main(["anonymize", *table, str(policy), "-o", str(tmp_path / out)]) == 0
    release = "public/release.csv"
    assert (tmp_path / "plain" / release).read_bytes() == (tmp_path / "sheet" / release).read_bytes()
    assert main(["verify", str(tmp_path / "sheet"), "--original", *said]) == 0
    capsys.readouterr()
    assert main(["check", str(sheets), str(policy)]) == 2
    assert "has several sheets: 'people', 'notes'" in capsys.readouterr().err


def test_the_second_table_may_be_a_sheet(csv_file, tmp_path, capsys):
    people = csv_file("id,age\n" + "".join(f"{i},{20 + i % 5}\n" for i in range(60)), "people.csv")
    rows = [["id", "disease"], *([i, f"d{i % 7}"] for i in range(60))]
    csv_file(workbook(visits=rows, notes=[["by"], ["me"]]), "both.xlsx")
    text = """
individual: id
records: {table: both.xlsx, on: id%s}
columns:
  id: {role: identifier}
  age: {role: quasi, kind: integer}
  disease: {role: sensitive}
privacy: {model: k-anonymity, k: 5}
effort: quick
seed: 7
"""
    policy, out = csv_file(text % ", sheet: visits", "policy.yaml"), str(tmp_path / "out")
    assert main(["anonymize", str(people), str(policy), "-o", out]) == 0
    assert main(["verify", out, "--original", str(people)]) == 0
    policy = csv_file(text % "", "policy.yaml")
    capsys.readouterr()
    assert main(["check", str(people), str(policy)]) == 2
    assert "has several sheets" in capsys.readouterr().err
    assert main(["check", str(people), str(policy), "--records-sheet", "visits"]) == 0


def test_what_a_release_does_not_keep_of_a_workbook(csv_file):
    data = workbook(people=ROWS, notes=[["by"], ["me"]])
    plain = read(csv_file(workbook(people=ROWS), "plain.xlsx")).written
    assert (plain.format.ending, plain.other) == ("xlsx", {})
    found = read(csv_file(data, "people.xlsm"), sheet="people").written
    assert (found.format.ending, found.other) == ("xlsx", {"sheet": "people", "macros": ".xlsm"})
