"""The source as syntax trees, parsed and walked once for all house rules that a process looks at."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "likeness"
FILES = sorted(SOURCE.rglob("*.py"))


@cache
def _trees() -> dict[Path, tuple[ast.Module, tuple[ast.AST, ...]]]:
    """Every file's syntax tree and its nodes, as `ast.walk` gives them.

    Hundreds of thousands of objects that all stay: without the garbage collector they are there in a quarter of the time,
    and frozen they cost none in all collections that follow.
    """
    gc.collect()
    gc.disable()
    try:
        trees = [ast.parse(path.read_text(encoding="utf-8")) for path in FILES]
        found = {path: (tree, tuple(ast.walk(tree))) for path, tree in zip(FILES, trees, strict=True)}
        gc.freeze()
    finally:
        gc.enable()
    return found


def parsed(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return _trees()[path][0]


def walked(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file's syntax tree."""
    return _trees()[path][1]
