from __future__ import annotations

import pytest

from likeness.errors import HierarchyError
from likeness.hierarchies.nested import Branch, Report, json_roots


def test_scalars_are_the_texts_that_stand_there():
    text = '{"*":\n [1.50, 007.0]}'.replace("007.0", "1e3") + "\n"
    assert json_roots(text, Report("w"))[0].below == [Branch("1.50", 2), Branch("1e3", 2)]
    words = '{"*": [true, false, NaN, 0, ""]}'
    report = Report("w")
    assert [entry.label for entry in json_roots(words, report)[0].below] == ["true", "false", "NaN", "0"]
    assert report.problems == ["w, line 1: an empty label below '*'; write a text"]


def test_a_null_in_a_list_is_no_text():
    report = Report("w")
    assert [entry.label for entry in json_roots('{"*": ["a",\n null]}', report)[0].below] == ["a"]
    assert report.problems == ["w, line 2: an empty label below '*'; write a text"]


def test_lines_are_counted_past_quotes_brackets_and_escapes():
    text = '{"a: [{\\"":\n {"b\\\\": ["c,d",\n\n "\\u00e9"], "e":\nnull},\n"x": [["y"],\n "z"]}'
    report = Report("w")
    first, second = json_roots(text, report)
    assert first == Branch(
        'a: [{"', 1, [Branch("b\\", 2, [Branch("c,d", 2), Branch("é", 4)]), Branch("e", 4)]
    )
    assert second == Branch("x", 6, [Branch("y", 6), Branch("z", 7)])
    assert report.problems == [
        "w, line 6: a list inside the list of 'x' has no label; write a label before it"
    ]


def test_what_is_not_json():
    with pytest.raises(HierarchyError, match=r"^w, line 2: is not JSON: "):
        json_roots('{"*":\n [a]}', Report("w"))
