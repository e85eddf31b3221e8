"""Errors as people meet them."""

from __future__ import annotations

import inspect
import pickle

import pytest

from likeness import errors
from likeness.errors import InvalidError, LikenessError, suggestion

EXIT_CODES = {
    "LikenessError": 2,
    "InvalidError": 2,
    "PolicyError": 2,
    "TableError": 2,
    "HierarchyError": 2,
    "OutputError": 2,
    "CannotBeMetError": 3,
    "MethodFailedError": 3,
    "VerificationError": 1,
}
TREE = dict(inspect.getmembers(errors, lambda x: inspect.isclass(x) and issubclass(x, LikenessError)))


def test_every_error_is_in_the_tree_and_drawn():
    assert set(TREE) == set(EXIT_CODES)
    assert all(name in errors.__doc__ for name in TREE)


@pytest.mark.parametrize("name", sorted(EXIT_CODES))
def test_exit_codes(name):
    assert TREE[name].exit_code == EXIT_CODES[name]


@pytest.mark.parametrize("name", sorted(EXIT_CODES))
def test_all_problems_at_once(name):
    problem = TREE[name]("first", "second")
    assert problem.problems == ("first", "second")
    assert str(problem) == "first\nsecond"
    again = pickle.loads(pickle.dumps(problem))
    assert (type(again), again.problems) == (type(problem), problem.problems)


def test_what_cannot_be_met_is_told_as_data():
    problem = errors.CannotBeMetError("withheld 9: x", reasons=["a", "b"], tried=["sbca", "mondrian"])
    assert (problem.reasons, problem.notes, problem.tried) == (
        ("a", "b"),
        ("withheld 9: x",),
        ("sbca", "mondrian"),
    )
    assert problem.problems == (
        "cannot be met: a (methods tried: sbca, mondrian)",
        "cannot be met: b",
        "withheld 9: x",
    )
    # A reason is not read: it may begin with what the program says itself.
    failed = errors.MethodFailedError(reasons=["cannot be met: a"], method="burel")
    assert (failed.method, failed.reasons) == ("burel", ("cannot be met: a",))
    assert failed.problems[0].startswith("cannot be met: burel finds no release, while there is one: ")
    assert failed.problems[0].endswith(" cannot be met: a")
    again = pickle.loads(pickle.dumps(failed))
    assert (again.problems, again.reasons, again.method) == (failed.problems, failed.reasons, "burel")


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("bruel", ["mondrian", "burel"], "; did you mean 'burel'?"),
        ("x", ["mondrian", "burel"], "; known: burel, mondrian"),
        ("x", [], ""),
        ("k", iter(["k-anonymity"]), "; known: k-anonymity"),
    ],
)
def test_suggestions(word, known, expected):
    assert suggestion(word, known) == expected


def test_of_very_many_problems_the_first_are_shown_and_the_others_counted():
    problems = [f"problem {i}" for i in range(100_000)]
    error = InvalidError(*problems)
    assert error.problems == tuple(problems)
    assert error.lines == (*problems[:20], "and 99,980 more")
    assert str(error) == "\n".join(error.lines)
    assert InvalidError(*problems[:20]).lines == tuple(problems[:20])


def test_among_very_many_names_only_the_same_in_other_letters_is_suggested():
    names = [f"column_{i}" for i in range(5_000)]
    assert suggestion("COLUMN_17 ", names) == "; did you mean 'column_17'?"
    assert suggestion("colunm_17", names).startswith("; known: column_0, column_1, column_10, ")
    assert suggestion("colunm_17", names).endswith("… 4970 more")
    assert suggestion("colunm_17", names[:100]) == "; did you mean 'column_17'?"
