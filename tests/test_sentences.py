"""Nothing is decided by reading a sentence that the program wrote: what errors and verdicts say is not taken apart again."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from tests.sources import FILES, SOURCE, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator

SENTENCES = {
    "problems",
    "lines",
    "checks",
    "remarks",
    "skipped",
    "warnings",
    "reasons",
    "message",
    "args",
    "meaning",
}
"""Attributes and methods that give sentences."""
THEIRS = {"problem", "context", "msg", "reason"}
"""Attributes by which errors of other libraries give theirs."""
READING = {
    "startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit", "replace", "find",
    "index", "count", "match", "search", "fullmatch", "findall", "finditer", "sub", "literal_eval",
}  # fmt: skip
"""Calls by which a text is taken apart."""

ALLOWED = {
    ("folder/class_map.py", "reason == ''"): "a cell of a file: published rows have none, whatever the words",
    ("docstrings.py", "one.args[0] == 'param'"): "codes of docstring_parser",
    (
        "hierarchies/nested.py",
        "'alphabetic or numeric' in str(error.problem)",
    ): "PyYAML's words, which it has no code for",
}
"""File and expression, and why it is all right."""


def _gives_sentences(node: ast.AST, told: set[str]) -> bool:
    """Whether an expression is a sentence, or several: one of an error, or an attribute that holds them."""
    if isinstance(node, ast.Name):
        return node.id in told
    if isinstance(node, ast.Attribute):
        return node.attr in SENTENCES or (node.attr in THEIRS and _gives_sentences(node.value, told))
    if isinstance(node, ast.Call):
        called = node.func
        if isinstance(called, ast.Name) and called.id in {"str", "repr"} and node.args:
            return _gives_sentences(node.args[0], told)
        if isinstance(called, ast.Attribute) and called.attr == "join" and node.args:
            return _gives_sentences(node.args[0], told)
        return isinstance(called, ast.Attribute) and called.attr in SENTENCES
    if isinstance(node, ast.Subscript):
        return _gives_sentences(node.value, told)
    return False


def _told(nodes: list[ast.AST]) -> set[str]:
    """Names of errors that were caught, and of what runs over their sentences."""
    found = {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name is not None}
    for node in nodes:
        if not isinstance(node, ast.comprehension | ast.For) or not _gives_sentences(node.iter, found):
            continue
        found |= {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
    return found


def read_again(tree: ast.Module) -> Iterator[str]:
    """Expressions that take a sentence apart, or compare it with words."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for function in functions or [tree]:
        nodes = [*ast.walk(function)]
        told = _told(nodes)
        for node in nodes:
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in READING
            ):
                # Blanks are put in order where lines must be one.
                taken_apart = node.args or node.func.attr != "split"
                if taken_apart and any(_gives_sentences(one, told) for one in (node.func.value, *node.args)):
                    yield ast.unparse(node)
            elif isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                words = any(
                    isinstance(one, ast.JoinedStr)
                    or (isinstance(one, ast.Constant) and isinstance(one.value, str))
                    or (isinstance(one, ast.Name) and one.id.isupper())
                    for one in sides
                )
                if words and any(_gives_sentences(one, told) for one in sides):
                    yield ast.unparse(node)


def test_no_sentence_is_read_again() -> None:
    found = {
        (path.relative_to(SOURCE).as_posix(), expression)
        for path in FILES
        for expression in read_again(parsed(path))
    }
    assert sorted(found - ALLOWED.keys()) == []
    assert sorted(ALLOWED.keys() - found) == []


@pytest.mark.parametrize(
    "line",
    [
        "failed = [line for line in self.lines() if line.startswith('VIOLATED')]",
        "if WARNING in release.certificate.remarks: pass",
        "if f'{name} is missing' not in part.problems: pass",
        "why = ' '.join(problem.problems).removeprefix('x: ')",
        "said = [line.replace(path, label) for line in problem.problems]",
        "if 'comma' in str(problem): pass",
        "words = PATTERN.search(str(problem))",
        "if problem.args[0] == 'too few': pass",
    ],
)
def test_what_stood_here_once_is_found(line: str) -> None:
    text = f"def f():\n    try:\n        pass\n    except ValueError as problem:\n        {line}\n"
    assert list(read_again(ast.parse(text)))
