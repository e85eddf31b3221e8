from __future__ import annotations

from pathlib import Path

import pytest

from likeness.errors import PolicyError
from likeness.hierarchies import Hierarchy, from_rows
from likeness.policy.hierarchy import is_made, plain_hierarchy, read_hierarchy, rule_of


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("zip.csv", "zip.csv"),
        (Path("zip.csv"), "zip.csv"),
        ({"prefix": 5}, {"prefix": 5}),
        ({"prefix": {"digits": 5}}, {"prefix": 5}),
        ({"prefix": {"digits": 5, "kept": (3, 1)}}, {"prefix": {"digits": 5, "kept": [3, 1]}}),
        ({"intervals": (0, 18, 40.5)}, {"intervals": [0, 18, 40.5]}),
        ({"intervals": [[0, 18, 40], [0, 40]]}, {"intervals": [[0, 18, 40], [0, 40]]}),
        ({"intervals": {"width": 5}}, {"intervals": {"width": 5}}),
        ({"intervals": {"width": [5, 10]}}, {"intervals": {"width": [5, 10]}}),
        ({"dates": ["month", "year"]}, {"dates": ["month", "year"]}),
        ({"dates": "quarter"}, {"dates": ["quarter"]}),
        ({"*": {"north": ["no", 7], "x": None}}, {"*": {"north": ["no", "7"], "x": None}}),
        ({"*": [{"Europe": ["SE"]}, "sea"]}, {"*": [{"Europe": ["SE"]}, "sea"]}),
        ([("flu", "*"), ["ulcer", "*"]], [["flu", "*"], ["ulcer", "*"]]),
    ],
)
def test_every_way_to_declare_a_hierarchy_has_one_plain_form(given, read):
    assert read_hierarchy(given) == read
    assert read_hierarchy(plain_hierarchy(read_hierarchy(given))) == read


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("", "must not be empty; give a file"),
        (5, "must be a file, a nested mapping, rows, or a rule"),
        ([], "must be rows such as"),
        (["a", "b"], "must be rows such as"),
        ([[]], "must be rows such as"),
        ([[None, "*"]], "must be a text; got None"),
        ({}, "needs one root, found none"),
        ({"a": "b", "c": "d"}, "needs one root, found 'a' beside 'c'"),
        ({"prefx": 5}, "unknown key 'prefx'; did you mean 'prefix'?"),
        ({"interval": [0, 5]}, "unknown key 'interval'; did you mean 'intervals'?"),
        ({"prefix": 5, "intervals": [0, 1]}, "prefix and intervals are two kinds of hierarchy; give one"),
        ({"prefix": 5, "digits": 4}, "unknown key 'digits' beside 'prefix'"),
        ({"prefix": 0}, "prefix: must be at least 1; got 0"),
        ({"prefix": "5"}, "prefix: must be a whole number; got '5'"),
        ({"prefix": {"length": 5}}, "prefix: must be the length of the codes"),
        ({"prefix": {"digits": 5, "kept": [1, 3]}}, "prefix: kept must descend between 4 and 1; got [1, 3]"),
        ({"intervals": 5}, "intervals: must be a list; got 5"),
        ({"intervals": []}, "intervals: must be at least two ascending edges; got []"),
        ({"intervals": [0, 0]}, "intervals: must be at least two ascending edges; got [0, 0]"),
        ({"intervals": [[0, 5], [5, 0]]}, "intervals: must be at least two ascending edges; got [5, 0]"),
        ({"intervals": [0, "x"]}, "intervals: must be a number; got 'x'"),
        ({"intervals": {"width": 0}}, "intervals: width must be above 0; got 0"),
        ({"intervals": {"widht": 5}}, "intervals: must be ascending edges, or a mapping such as {width: 5}"),
        (
            {"dates": ["year", "month"]},
            "dates: must be some of day, month, quarter, year, decade, from fine to coarse",
        ),
        ({"dates": ["month", "month"]}, "dates: must be some of day"),
        ({"dates": []}, "dates: must be some of day"),
        ({"dates": ["week"]}, "dates: must be some of day"),
    ],
)
def test_what_is_no_hierarchy_is_refused(given, problem):
    with pytest.raises(PolicyError) as refused:
        read_hierarchy(given)
    (found,) = refused.value.problems
    assert found.startswith(problem)


def test_several_keys_beside_a_rule_are_several_problems():
    with pytest.raises(PolicyError) as refused:
        read_hierarchy({"dates": "year", "x": 1, "y": 2})
    assert len(refused.value.problems) == 2


def test_a_tree_may_have_a_root_that_is_called_nearly_like_a_rule():
    assert read_hierarchy({"date": {"2024": ["2024-01"]}}) == {"date": {"2024": ["2024-01"]}}


def test_a_made_hierarchy_and_its_subclasses_are_told_by_their_class():
    made = from_rows([("flu", "*"), ("ulcer", "*")], "disease", where=str)

    class Own(Hierarchy):
        pass

    assert is_made(made)
    assert is_made(Own.__new__(Own))
    assert not is_made(object())
    assert read_hierarchy(made) is made


def test_rules_are_told_from_trees():
    assert rule_of({"dates": ["year"]}) == "dates"
    assert rule_of({"*": ["a"]}) is None
    assert rule_of([["a", "*"]]) is None
