import csv
import gzip
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import TableError
from likeness.tables import Table, read
from likeness.tables.csv_files import Dialect, parse

ROWS = [("40", "x"), ("31", "y")]


def rows(path, **options):
    return read(path, **options).frame.rows()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ", ", "; "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_delimiters_line_ends_and_encodings(csv_file, delimiter, end, encoding):
    text = end.join(delimiter.join(cells) for cells in [("age", "sex"), *ROWS]) + end
    table = read(csv_file(text.encode(encoding)))
    assert table.names == ("age", "sex")
    assert table.frame.rows() == ROWS


def test_given_delimiter_quote_and_encoding(csv_file):
    path = csv_file("a^b\n'1^1'^é\n".encode("cp1252"))
    assert rows(path, delimiter="^", quote="'", encoding="cp1252") == [("1^1", "é")]
    assert rows(csv_file("a,b\n1, x\n2,y\n"), delimiter=", ") == [("1", "x"), ("2", "y")]
    assert rows(csv_file('a,b\n"1,2"\n'), quote=None) == [('"1', '2"')]


def test_gzip_and_tabs(csv_file):
    assert rows(csv_file(gzip.compress(b"age,sex\n40,x\n31,y\n"), "a.csv.gz")) == ROWS
    assert rows(csv_file("a,b\tc\n1,2\t3\n", "a.tsv")) == [("1,2", "3")]


def test_raw_cells_survive(csv_file):
    cells = ["02139", " x ", "NA", "null", "NaN", "1e5", "TRUE", "-0", "+1", "2024-1-1", "é", ""]
    path = csv_file("a,b\n" + "".join(f"{cell},1\n" for cell in cells))
    assert [a for a, _ in rows(path)] == cells


def test_columns_of_a_csv_file_by_kind(csv_file):
    table = read(csv_file("zip,age,dose,seen,sex\n02139,40,1.5,2024-01-31,f\n10001,31,2,2024-02-01,m\n"))
    assert [table.kind(name) for name in table.names] == ["text", "integer", "real", "date", "text"]
    assert table.encode("seen").values.tolist() == [date(2024, 1, 31), date(2024, 2, 1)]


def test_decimal_commas_detected_and_given(csv_file):
    assert read(csv_file("a;b\n3,5;x\n2;y\n")).encode("a").values.tolist() == [2.0, 3.5]
    with pytest.raises(
        TableError,
        match=r"column 'a' is of numbers with a decimal comma, as '3,5'; read the table with decimal=','",
    ):
        read(csv_file('a,b\n"3,5",x\n')).kind("a")
    with pytest.raises(
        TableError,
        match=r"is declared real, but '3,5' at line 2 is a number with a decimal comma; read the table with",
    ):
        read(csv_file('a,b\n"3,5",x\n')).encode("a", kind="real")
    assert read(csv_file('a,b\n"3,5",x\n"1,2,3",x\n')).kind("a") == "text"
    assert read(csv_file('a,b\n"3,5",x\n'), decimal=",").encode("a").values.tolist() == [3.5]
    assert read(csv_file("a;b\n1,234;x\n"), decimal=",").encode("a").values.tolist() == [1.234]
    with pytest.raises(TableError, match="column 'a': the comma in '1,234' may be a decimal mark"):
        read(csv_file("a;b\n1,234;x\n")).encode("a")
    with pytest.raises(
        TableError, match=r"column 'a': the point in '1.234' may be a decimal mark or separate thousands"
    ):
        read(csv_file("a;b\n1.234;x\n980;x\n")).encode("a")
    # Where the comma delimits, it is no decimal mark, and the point is.
    assert read(csv_file("a,b\n1.234,x\n980,x\n")).encode("a").values.tolist() == [1.234, 980]


def test_no_header(csv_file):
    path = csv_file("40,x\n31,y\n")
    assert read(path, header=False).names == ("column_1", "column_2")
    named = read(path, header=["age", "sex"])
    assert named.names == ("age", "sex")
    assert named.frame.rows() == ROWS
    assert named.where(0) == "line 1"
    with pytest.raises(TableError, match="line 1 has 2 cells, and the header that was given has 3 names"):
        read(path, header=["a", "b", "c"])


def test_trailing_blank_lines_are_nothing(csv_file):
    assert rows(csv_file("age,sex\n40,x\n31,y\n\n\r\n")) == ROWS


def test_blank_lines_of_a_single_column_are_empty_cells(csv_file):
    assert rows(csv_file("a\n\nx\n\n")) == [("",), ("x",), ("",)]


def test_odd_names_are_kept(csv_file):
    table = read(csv_file('hours-per-week,"a, ""b""", é x ,"two\nlines"\n1,2,3,4\n'))
    assert table.names == ("hours-per-week", 'a, "b"', " é x ", "two\nlines")
    assert table.where(0) == "line 3"


def test_lines_are_those_of_the_file(csv_file):
    table = read(csv_file('age,note\n1,"a\nb"\n2,c\nunknown,"d\n\ne"\n4,f\n5,g\n'))
    assert [table.where(i) for i in range(5)] == ["line 2", "line 4", "line 5", "line 8", "line 9"]
    with pytest.raises(TableError, match="'unknown' at line 5"):
        table.encode("age")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"table\.csv: the file is empty$"),
        (" \n\n", "the file is empty"),
        ("\ufeff", "the file is empty"),
        ("a,b\n", "holds a header and no records"),
        ("a,b", "holds a header and no records"),
        ("a,b,a\n1,2,3\n", "the name 'a' stands for columns 1 and 3; give each its own"),
        ("a,,c\n1,2,3\n", "column 2 has no name; name every column$"),
        (
            ',a\n"1",2\n',
            r"column 1 has no name; name every column, or write .* pandas \(index=False\) put first$",
        ),
        ("a,b,\n1,2,3\n", "column 3 has no name"),
        ("\na,b\n1,2\n", "line 1 is blank"),
        ("sep=;\na;b\n1;2\n", "line 1 is 'sep=;', a mark for spreadsheets alone; remove that line"),
        ("a,b\n1,2\n3\n", "line 3 has 1 cell, but there are 2 columns"),
        ("a,b\n1,2\n3,4,5\n", "line 3 has 3 cells, but there are 2 columns"),
        ('a,b\n1,2\n3,"4\n', "the record after line 2 cannot be read"),
        ('a,b\n1,"2"x\n', "the record after line 1 cannot be read: .*; close every quote"),
        ('"a,b\n1,2\n', "the first record cannot be read"),
        (b"a,b\n1,\xe9\n", "not utf-8 at line 2"),
        (b"a,b\n1,\x00\n", "zero bytes"),
    ],
)
def test_bad_files_get_one_line(csv_file, content, message):
    with pytest.raises(TableError, match=message) as caught:
        read(csv_file(content))
    assert caught.value.exit_code == 2
    assert len(str(caught.value).splitlines()) == 1


def test_all_bad_names_are_reported_at_once(csv_file):
    with pytest.raises(TableError) as caught:
        read(csv_file("a,,a,b,b\n1,2,3,4,5\n"))
    assert len(caught.value.problems) == 3


def test_a_quote_inside_an_unquoted_cell_opens_nothing(csv_file):
    assert rows(csv_file('a,b\n5",x\n6",y\n')) == [('5"', "x"), ('6"', "y")]
    assert rows(csv_file('a;b\n5";"x;\n,"\n7;y\n')) == [('5"', "x;\n,"), ("7", "y")]
    assert rows(csv_file('a\n5"\n\n7\n')) == [('5"',), ("",), ("7",)]


def test_adult(data_folder):
    table = read(data_folder / "adult" / "adult_raw_48842.csv")
    assert table.height == 48_842
    assert table.kind("age") == table.kind("education-num") == "integer"
    workclass = table.encode("workclass", missing=["?"])
    assert (len(workclass.values), workclass.missing) == (8, 2_799)


@pytest.mark.slow
def test_census_income(data_folder):
    path = data_folder / "census_income" / "census_income_1994_1995_train.csv.gz"
    table = read(path, header=False)
    assert (table.height, len(table.names)) == (199_523, 42)
    eleven = table.encode("column_12", missing=["?"])
    assert "NA" in eleven.values.tolist()
    assert eleven.missing == 0
    assert table.kind("column_25") == "real"


def test_informs(data_folder):
    table = read(data_folder / "informs2008" / "demographics05test.csv")
    assert table.height == 33_961
    year = table.encode("EDUCYEAR", missing=["-1", "-7", "-8", "-9"])
    assert year.kind == "integer"
    assert year.values.dtype == np.int64
    assert year.values.min() >= 0


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 3), st.lists(st.sampled_from([*'aé",\n ', "\r\n"]), max_size=24).map("".join))
def test_every_sound_file_reads_as_the_standard_library_reads_it_or_is_an_error(width, body):
    names = ["x", "y", "z"][:width]
    data = (",".join(names) + "\n" + body).encode()
    try:
        records = [record or [""] for _, record in Dialect(",").records(data)]
        lines = [line for line, _ in Dialect(",").records(data)]
        frame, first_line = parse(data, Dialect(","), source="a.csv")
    except (csv.Error, TableError):
        return
    while width > 1 and records[-1] == [""]:
        records.pop()
    assert [list(row) for row in frame.rows()] == records[1:]
    table = Table(frame, source="a.csv", library="polars", first_line=first_line)
    assert [table.where(row) for row in range(frame.height)] == [
        f"line {line}" for line in lines[1 : len(records)]
    ]


def test_text_is_kept_as_codes_and_shown_as_text(tmp_path):
    rows = 300_000  # several threads read as many
    rng = np.random.default_rng(2)
    words = np.array([f"a text of some length, number {i:03d}" for i in range(500)])
    frame = pl.DataFrame({"id": np.arange(rows), "word": words[rng.integers(0, 500, rows)]})
    frame.write_csv(tmp_path / "in.csv")
    table = read(tmp_path / "in.csv")
    assert table.held.select("word").estimated_size() < 5 * rows
    column = table.column("word", np.array([0, rows - 1]))
    assert column.to_list() == [frame["word"][0], frame["word"][-1]]
    assert column.dtype == pl.String
    assert table.take(np.array([7]), ["word", "id"]).schema == {"word": pl.String, "id": pl.String}
    assert "str" in str(table)
    assert "cat" not in str(table)
    # Threads number texts in any order; what is made of them stands in the order of the records.
    assert table.raw("word").values.to_list() == frame["word"].unique(maintain_order=True).to_list()
    encoded = table.encode("word")
    assert (encoded.values[encoded.codes] == frame["word"].to_numpy()).all()


@pytest.mark.parametrize("text", ["34,m,m\n40,f,m\n", "34,m,\n40,f,m\n"])
def test_names_that_cannot_be_names_may_be_a_record(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(TableError) as found:
        read(path)
    assert found.value.problems[1].endswith(
        "its first line may be a record already, as '34' is a number; read the table with header=False (--no-header) then"
    )
    assert read(path, header=False).height == 2
    path.write_text(text.replace("34", "age"))
    with pytest.raises(TableError) as found:
        read(path)
    assert len(found.value.problems) == 1
