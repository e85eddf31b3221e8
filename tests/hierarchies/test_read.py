from __future__ import annotations

import csv

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.hierarchies.trees import Plain, assert_is, assert_same, plain_trees

from likeness.errors import HierarchyError
from likeness.hierarchies import check_covers, read_hierarchy

TREE = "11th;school;*\r\nMasters;university;*\r\n12th;school;*\r\n"


@pytest.mark.parametrize(
    "data",
    [
        TREE.encode(),
        TREE.replace("\r\n", "\n").encode(),
        TREE.replace("\r\n", "\r").encode(),
        b"\xef\xbb\xbf" + TREE.encode(),
        TREE.replace(";", ",").encode(),
        TREE.replace(";", "\t").encode(),
        TREE.replace("school", '"school"').encode(),
        b"\n" + TREE.encode() + b"\r\n\r\n",
        TREE.rstrip().encode(),
    ],
    ids=["crlf", "lf", "cr", "bom", "comma", "tab", "quoted", "blank lines", "no last line end"],
)
@pytest.mark.parametrize("suffix", ["csv", "txt", "TSV"])
def test_arx_lines_in_every_dress(tmp_path, data, suffix):
    path = tmp_path / f"education.{suffix}"
    path.write_bytes(data)
    tree = read_hierarchy(path)
    assert tree.leaves == ("11th", "12th", "Masters")
    assert tree.labels == ("*", "school", "11th", "12th", "university", "Masters")
    assert tree.name == f"education.{suffix}"


def test_commas_stand_inside_labels_of_semicolon_files(tmp_path):
    path = tmp_path / "month.txt"
    path.write_text("1;1,3;*\n2;1,3;*\n4;4,6;*\n")
    assert read_hierarchy(path).labels == ("*", "1,3", "1", "2", "4,6", "4")


def test_semicolons_stand_inside_labels_of_comma_files(tmp_path):
    path = tmp_path / "month.csv"
    path.write_text("1,a;b,*\n2,c,*\n")
    assert read_hierarchy(path).labels == ("*", "a;b", "1", "c", "2")


def test_quotes_hold_delimiters_and_line_ends(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text('"a;1";"two\nlines";*\nb;c;*\nb;c;*\n')
    with pytest.raises(
        HierarchyError, match=r"^odd.csv, line 4: leaf 'b' is listed twice, .* on odd.csv, line 3;"
    ):
        read_hierarchy(path)
    path.write_text('"a;1";"two\nlines";*\nb;c;*\n')
    assert read_hierarchy(path).labels == ("*", "two\nlines", "a;1", "c", "b")


@given(plain_trees(), st.sampled_from(";,\t"))
@settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_written_rows_are_read_back(tmp_path, plain: Plain, delimiter: str):
    path = tmp_path / "tree.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(plain.rows())
    assert_is(read_hierarchy(path), plain)


def test_a_name_of_ones_own_stands_in_messages(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a;*\na;*\n")
    with pytest.raises(HierarchyError, match=r"^column age, line 2: leaf 'a' is listed twice"):
        read_hierarchy(path, "column age")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("no.xls", b"a;*", r"^no.xls: a hierarchy file ends in .csv, .json, .*; got 'no.xls'$"),
        ("empty.csv", b"", r"^empty.csv: the file is empty; "),
        ("blank.yaml", b" \n\n", r"^blank.yaml: the file is empty; "),
        (
            "latin.csv",
            b"a;*\nM\xfcnchen;*\n",
            r"^latin.csv, line 2: byte 0xfc is not UTF-8; save .* as UTF-8$",
        ),
        ("quote.csv", b'a;*\n"b"c;*\n', r"^quote.csv, line 2: .*; check the quotes on this line$"),
        ("open.csv", b'a;*\n"b;*\n', r"^open.csv, line 2: .*; check the quotes on this line$"),
        ("one.csv", b"a\nb\n", r"^one.csv, line 1: 'a' is alone on its line; "),
        ("gap.csv", b"a;A;*\nb;B\n", r"^gap.csv, line 2: the line of 'b' has 2 cells where most have 3; "),
        (
            "dup.csv",
            b"a;A;*\n\na;B;*\n",
            r"^dup.csv, line 3: leaf 'a' is listed twice, with other parents on dup",
        ),
        (
            "roots.csv",
            b"a;A;*\nb;B;+\n",
            r"^roots.csv, line 2: two roots: 'b' ends in '\+', .* '\*';",
        ),
        (
            "empty_cell.csv",
            b"a;;*\nb;B;*\n",
            r"^empty_cell.csv, line 1: the line of 'a' has nothing in cell 2;",
        ),
    ],
)
def test_what_cannot_be_read(tmp_path, name, data, message):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(HierarchyError, match=message):
        read_hierarchy(path)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(HierarchyError, match=r"^zip.csv: no such file .*check the path in the policy$"):
        read_hierarchy(tmp_path / "zip.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(HierarchyError, match=r"^folder.csv: cannot be read"):
        read_hierarchy(tmp_path / "folder.csv")


def test_nested_files(tmp_path):
    yaml, json = tmp_path / "world.yml", tmp_path / "world.json"
    yaml.write_text("'*':\n  Europe: [Germany, France]\n  US:\n")
    json.write_text('\ufeff{"*": {"Europe": ["Germany", "France"],\n\t"US": null}}', encoding="utf-8")
    assert read_hierarchy(yaml).leaves == ("Germany", "France", "US")
    assert_same(read_hierarchy(yaml), read_hierarchy(json))


# The files of the public tables: shape, and the gaps that are to be found.
@pytest.mark.parametrize(
    ("column", "leaves", "height"),
    [
        ("age", 100, 4),
        ("education", 16, 3),
        ("marital-status", 7, 2),
        ("native-country", 41, 2),
        ("occupation", 14, 2),
        ("race", 5, 1),
        ("salary-class", 2, 1),
        ("sex", 2, 1),
        ("workclass", 8, 2),
    ],
)
def test_arx_files_of_adult(data_folder, column, leaves, height):
    tree = read_hierarchy(data_folder / "adult" / f"adult_hierarchy_{column}.csv")
    assert (tree.size, tree.height, tree.labels[0]) == (leaves, height, "*")
    assert {len(set(row)) for row in tree.to_rows()} == {height + 1}


@pytest.mark.parametrize(
    ("name", "leaves", "height"),
    [("DOBMM", 12, 3), ("DOBYY", 111, 5), ("RACEX", 6, 1), ("marry", 6, 1), ("income", 23_784, 7)],
)
def test_files_of_informs(data_folder, name, leaves, height):
    path = data_folder / "informs2008" / "hierarchies" / f"informs_{name}.txt"
    tree = read_hierarchy(path)
    assert (tree.size, tree.height) == (leaves, height)
    file_rows = [line.split(";") for line in path.read_text().split()]
    assert sorted(tree.to_rows()) == sorted(file_rows)


@pytest.mark.parametrize(
    ("name", "first", "count"),
    [
        ("EDUCYEAR", "line 2: the line of '1' has 3 cells where most have 2", 11),
        ("ICD9", "line 1: the line of '-9' has 3 cells where most have 4", 152),
        ("even", "line 1: the line of '-9' has 4 cells where most have 7", 298),
        ("treeseed_ICD9", "line 1: the line of '-9' has 3 cells where most have 4", 29),
        ("treeseed_even", "line 2: two roots: '001' ends in '999'", 3),
    ],
)
def test_gaps_of_informs(data_folder, name, first, count):
    with pytest.raises(HierarchyError) as caught:
        read_hierarchy(data_folder / "informs2008" / "hierarchies" / f"informs_{name}.txt")
    shown = caught.value.problems
    assert shown[0].startswith(f"informs_{name}.txt, {first}")
    assert len(shown) == min(count, 11)
    assert count <= 10 or shown[10] == f"and {count - 10} more"


def test_the_values_that_informs_marry_lacks(data_folder):
    tree = read_hierarchy(data_folder / "informs2008" / "hierarchies" / "informs_marry.txt")
    with pytest.raises(HierarchyError) as caught:
        check_covers(["-9", "1", "6", "-7", "-8"], tree, "marry")
    assert caught.value.problems == tuple(
        f"value '{value}' of column 'marry' is not a leaf of informs_marry.txt; add a line for it"
        for value in ("-9", "-7", "-8")
    )
