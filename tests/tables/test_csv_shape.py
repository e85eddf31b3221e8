import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import TableError
from likeness.tables import csv_files as csv_shape
from likeness.tables.csv_files import Dialect, check_records, count_records

COMMA = Dialect(",")


@pytest.mark.parametrize(
    ("data", "width", "records"),
    [
        (b"a,b\n1,2\n", 2, 2),
        (b"a,b\n1,2", 2, 2),
        (b"a,b\r\n1,2\r\n", 2, 2),
        (b'a,b\n"1,1","2\n2"\n', 2, 2),
        (b'a,b\n"say ""a,b""",2\n', 2, 2),
        (b"a\n\n1\n", 1, 3),
        (b'a\n""\n', 1, 2),
    ],
)
def test_whole_records_are_counted(data, width, records):
    assert count_records(data, COMMA, width) == records
    assert check_records(data, COMMA, width, source="a") == records


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,b\n1,2\n3\n", r"^a\.csv: line 3 has 1 cell, but there are 2 columns; correct the line$"),
        (b"a,b\n1,2\n3,4,5\n", "line 3 has 3 cells"),
        (b"a,b\n1\n2,3,4\n", "line 2 has 1 cell,"),
        (b"a,b\n1,2\n\n3,4\n", "line 3 is blank"),
        (b'a,b\n"x\ny",2\n3\n', "line 4 has 1 cell"),
        (
            b'a,b\n1,2\n3,"open\n4,5\n',
            "the record after line 2 cannot be read: unexpected end of data; close every",
        ),
    ],
)
def test_the_first_odd_record_is_named(data, message):
    assert count_records(data, COMMA, 2) is None
    with pytest.raises(TableError, match=message):
        check_records(data, COMMA, 2, source="a.csv")


def test_one_column_is_no_plural():
    with pytest.raises(TableError, match=r"line 2 has 2 cells, but there is 1 column; correct the line$"):
        check_records(b"a\n1,5\n", COMMA, 1, source="a.csv")


def test_text_after_a_closing_quote_is_refused_when_looked_at():
    with pytest.raises(TableError, match="the record after line 1 cannot be read"):
        check_records(b'a,b\n1,"2"x\n', COMMA, 2, source="a")


def test_an_inch_mark_is_only_looked_at_more_closely():
    data = b'size,n\n5",1\n6,2\n'
    assert count_records(data, COMMA, 2) is None
    assert check_records(data, COMMA, 2, source="a") == 3


def test_quotes_may_have_no_meaning():
    assert count_records(b'a,b\n",1\n', Dialect(",", None), 2) == 2


@pytest.mark.parametrize(
    "data", [b'a,b\n1,2"\n3,4"\n', b'a,b\na",a",\n', b'a,b\n""x"",1\n', b'a,b\n"1"x,2\n']
)
def test_quotes_that_enclose_no_cell_are_looked_at_more_closely(data):
    assert count_records(data, COMMA, 2) is None


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_quotes_are_followed_across_blocks(monkeypatch, block):
    monkeypatch.setattr(csv_shape, "_BLOCK", block)
    assert count_records(b'"a","b"\r\n"1,""x""","2\n"\r\n"",""\r\n', COMMA, 2) == 3
    assert count_records(b'"a","b"\n1,2"\n3,4"\n', COMMA, 2) is None


CELLS = st.text(alphabet='ab",\n\r é', max_size=4)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=1, max_size=6))
def test_counting_agrees_with_reading(rows):
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    width = len(rows[0])
    even = all(len(row) == width for row in rows)
    assert count_records(text.getvalue().encode(), COMMA, width) == (len(rows) if even else None)


@given(
    data=st.lists(st.sampled_from(["a", ",", '"', "\n", "\r\n", "é"]), max_size=60).map(
        lambda text: f"a,b\n{''.join(text)}".encode()
    ),
    block=st.integers(1, 40),
)
@settings(max_examples=400)
def test_a_file_is_looked_at_block_by_block_as_at_once(data, block, tmp_path_factory):
    path = tmp_path_factory.mktemp("blocks") / "a.csv"
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_shape, "_BLOCK", block)
        by_blocks = outcome(lambda: csv_shape.count_in_file(path, COMMA, 2))
    assert by_blocks == outcome(lambda: check_records(data, COMMA, 2, source=str(path)) - 1)


def outcome(ask):
    try:
        return ask()
    except TableError as problem:
        # Of a record that cannot be read: where the one before it begins, or ends, at the end of a block.
        return re.sub(r"after line \d+", "after line", str(problem))


def test_a_record_without_an_end_is_not_held(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_shape, "_BLOCK", 64)
    monkeypatch.setattr(csv_shape, "_LONGEST", 1024)
    path = tmp_path / "a.csv"
    path.write_text('a,b\n1,2\n"3,4\n' + "5,6\n" * 1000)
    with pytest.raises(TableError, match=r"a\.csv: a record does not end within 0 MB; close every quote$"):
        csv_shape.count_in_file(path, COMMA, 2)
