import pytest

from likeness.errors import TableError
from likeness.tables.csv_files import Dialect, find_delimiter, without_padding

COMMA = Dialect(",")


def find(data, header=True, quote='"'):
    return find_delimiter(data, source="a.csv", quote=quote, header=header)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_each_delimiter_is_found(delimiter):
    data = "a,b\n1,2\n3,4\n".replace(",", delimiter).encode()
    assert find(data) == find(data, header=False) == delimiter


@pytest.mark.parametrize(
    ("data", "delimiter"),
    [
        (b"age;dose\n40;3,5\n31;2,5\n", ";"),
        (b'name,age\n"Doe; John",4\n"Roe; Jane",5\n', ","),
        (b"a|b;c\n1|2;3\n1|2\n", "|"),
        (b"a,b,c\n1,2,3\n1,2\n", ","),
        (b"name\nx\ny\n", ","),
        (b"name\nSmith; John\n", ","),
        (b'a;b\n"never closed;1\n', ";"),
    ],
)
def test_the_header_says_how_many_cells(data, delimiter):
    assert find(data) == delimiter


def test_two_delimiters_that_fit_are_an_error():
    with pytest.raises(
        TableError,
        match=r"a.csv: the delimiter may be ',' or ';'; say which: delimiter= in Python, --delimiter",
    ):
        find(b"1,5;2,5\n2,5;3,5\n".replace(b"5\n", b"5;1\n"), header=False)


def padded(data, dialect=None, **options):
    return without_padding(data, dialect or Dialect(","), **options)


def test_padding_after_every_delimiter_goes():
    assert padded(b"a, b, c\n1, x y, 3\n") == b"a,b,c\n1,x y,3\n"


def test_padding_of_some_cells_is_content():
    assert padded(b"a,b\n1, x\n2,y\n") == b"a,b\n1, x\n2,y\n"


def test_padding_inside_quotes_is_content():
    assert padded(b'a, b\n"Doe, John", "x, ""y"""\n') == b'a,b\n"Doe, John","x, ""y"""\n'


def test_declared_padding_need_not_be_everywhere():
    assert padded(b"a,b\n1, x\n2,y\n", declared=True) == b"a,b\n1,x\n2,y\n"


def test_a_single_column_has_no_padding():
    assert padded(b"a\nx\n") == b"a\nx\n"


def test_records_know_their_line():
    data = b'a,b\n"x\ny",1\n2,3\n'
    assert list(Dialect(",").records(data)) == [(1, ["a", "b"]), (2, ["x\ny", "1"]), (4, ["2", "3"])]


def test_records_are_written_with_every_cell_quoted():
    data = COMMA.write([["a", 'b"'], [], ["x\ny", ","]])
    assert data == b'"a","b"""\n""\n"x\ny",","\n'
    assert [record for _, record in COMMA.records(data)] == [["a", 'b"'], [""], ["x\ny", ","]]


def test_quotes_may_have_no_meaning():
    assert list(Dialect(",", None).records(b'"a,b"\n')) == [(1, ['"a', 'b"'])]
