"""Parts as their own documentation makes them: a new part is in the contract tests without being listed."""

from __future__ import annotations

import ast
import doctest
import sys
from functools import cache
from typing import Any

from likeness import registry

PART_KINDS = ("methods", "models", "forms", "metrics", "attacks", "datasets", "knowledge", "engines")


def every_part(*kinds: str) -> list[tuple[str, str]]:
    """Kind and name of every part there is."""
    return [(kind, name) for kind in kinds or PART_KINDS for name in registry.names(kind)]


@cache
def example(kind: str, name: str) -> Any:
    """The part that the example in its class docstring makes."""
    part = registry.load(kind, name)
    names = dict(vars(sys.modules[part.__module__]))
    for step in doctest.DocTestParser().get_examples(part.__doc__ or ""):
        for node in ast.walk(ast.parse(step.source)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == part.__name__
            ):
                return eval(compile(ast.Expression(node), name, "eval"), names)
    raise AssertionError(f"{part.__name__}: its docstring has no example that makes one")
