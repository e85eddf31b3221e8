"""The shape of the source: imports point one way, functions stay small, nothing is left undocumented.

`docs/architecture.md` tells why; here is the real order.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.sources import FILES, ROOT, SOURCE, parsed, walked

LAYERS: list[set[str]] = [
    {"endings", "wording"},
    {"_version", "docstrings", "errors", "pages", "progress"},
    {"exact", "registry", "datasets", "placing", "seeds"},
    {"checks", "kernels"},
    {"hierarchies", "intervals", "tables"},
    {"microdata", "policy"},
    {"models", "published"},
    {"queries", "relaxation"},
    {"forms"},
    {"methods"},
    {"apart", "blocks"},
    {"solve"},
    {"bounds"},
    {"encode", "metrics", "attacks"},
    {"engines", "proving"},
    {"knowledge"},
    {"choosing", "randomness"},
    {"counting", "risk"},
    {"report"},
    {"dossier"},
    {"folder"},
    {"release"},
    {"anonymization"},
    {"holding_out", "opening", "profiling", "publishing", "searching"},
    {"applying", "checking", "comparing"},
    {"cli"},
    {"", "__main__"},
]
"""What may be imported from below, never from the same layer or from above; "" is `likeness` itself."""

MOST_LINES_OF_A_FUNCTION = 70


class Import(NamedTuple):
    """One import of a module of ours."""

    importer: str
    imported: str
    line: str


def unit(module: str) -> str:
    """The part of the package that a module belongs to."""
    parts = module.split(".")[1:]
    return ".".join(parts[:2]) if parts[:2] == ["metrics", "loss"] else ".".join(parts[:1])


def name_of(path: Path) -> str:
    """A file's module."""
    return ".".join(["likeness", *path.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")


MODULES = {name_of(path) for path in FILES}


@cache
def for_type_checkers(path: Path) -> set[int]:
    """Everything inside the `if`s for type checkers of a file of ours."""
    return {
        id(inner)
        for node in walked(path)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }


def imports(path: Path) -> list[Import]:
    """What a file imports from us when it runs."""
    types = for_type_checkers(path)
    found = []
    for node in walked(path):
        if id(node) in types:
            continue
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names = [f"likeness.{a.name}" for a in node.names] if node.module == "likeness" else [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found += [
            Import(
                unit(name_of(path)),
                unit(name),
                f"{path.relative_to(ROOT)}:{node.lineno}",
            )
            for name in names
            if name.split(".")[0] == "likeness"
        ]
    return found


def test_every_module_has_its_layer():
    known = [name for layer in LAYERS for name in layer]
    assert len(known) == len(set(known))
    assert {unit(name_of(path)) for path in FILES} == set(known)


ROLES = {
    "Bound": "a model bound to its column",
    "State": "how far a search is: what its kernel is called with again",
    "Column": "of certificate.json, and of a policy",
    "Counts": "of certificate.json, and of classes",
}
"""Names of classes that several modules have, private ones for what each of them brings, and what they stand for."""


def test_a_class_has_a_name_of_its_own():
    homes: dict[str, list[str]] = {}
    for path in FILES:
        for node in walked(path):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name.lstrip("_"), []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: found for name, found in homes.items() if len(found) > 1 and name not in ROLES} == {}


def test_imports_point_one_way():
    height = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    wrong = [
        f"{one.line}: {one.importer or 'likeness'} imports {one.imported or 'likeness'}"
        for path in FILES
        for one in imports(path)
        if one.importer != one.imported and height[one.imported] >= height[one.importer]
    ]
    assert wrong == []


def modules_in(nodes: Iterable[ast.AST], skipped: Collection[int] = ()) -> Iterator[tuple[str, str]]:
    """Modules of ours that are imported in nodes of a file, wherever that is, and the name that is; but for those skipped."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and id(node) not in skipped and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                known = full if full in MODULES else node.module
                if known in MODULES:
                    yield known, alias.name


def test_no_module_imports_itself_around_a_corner():
    graph = {
        name_of(path): {module for module, _ in modules_in(walked(path), for_type_checkers(path))}
        for path in FILES
    }
    circles = []
    done: set[str] = set()
    for name, imported in graph.items():
        reached: set[str] = set()
        ahead = [*imported]
        while ahead:
            module = ahead.pop()
            if module not in reached:
                reached.add(module)
                ahead += graph[module]
        if name in reached and name not in done:
            circle = {other for other in reached if other == name or name in graph[other]}
            done |= circle
            circles.append(sorted(circle))
    assert circles == []


def test_an_underscore_means_private_to_its_folder():
    wrong = []
    for path in (*FILES, *sorted((ROOT / "tests").rglob("*.py"))):
        ours = path.is_relative_to(SOURCE)
        importer = name_of(path) if ours else folder_tested(path)
        nodes = walked(path) if ours else ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for module, name in modules_in(nodes):
            parts = module.split(".")
            private = [i for i, part in enumerate(parts) if part.startswith("_") and not part.endswith("__")]
            home = ".".join(parts[: private[0]]) if private else ""
            if name.startswith("_") and not name.endswith("__") and module != importer and not private:
                home = module.rpartition(".")[0]
            if home and home != "likeness" and not f"{importer}.".startswith(f"{home}."):
                wrong.append(f"{path.relative_to(ROOT)}: {module} {name}")
    assert wrong == []


def folder_tested(path: Path) -> str:
    """The folder of ours whose tests a file of tests holds: ``tests`` has the folders of the source."""
    parts = path.relative_to(ROOT / "tests").parts[:-1]
    while parts and ".".join(["likeness", *parts]) not in MODULES:
        parts = parts[:-1]
    return ".".join(["likeness", *parts])


def test_functions_are_small():
    large = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {node.end_lineno - node.body[0].lineno + 1} lines"
        for path in FILES
        if "kernels" not in path.parts
        for node in walked(path)
        if isinstance(node, ast.FunctionDef) and code_lines(node) > MOST_LINES_OF_A_FUNCTION
    ]
    assert large == []


def code_lines(function: ast.FunctionDef) -> int:
    """Lines of a function, its docstring not counted."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_every_public_name_is_explained():
    silent = []
    for path in FILES:
        assert ast.get_docstring(parsed(path)), path
        silent += [
            f"{path.relative_to(ROOT)}:{node.lineno} {node.name}" for node in unexplained(parsed(path))
        ]
    assert silent == []


def unexplained(scope: ast.Module | ast.ClassDef) -> list[ast.FunctionDef | ast.ClassDef]:
    """Public functions, classes and methods without a docstring; of private classes and insides of functions none."""
    found = []
    for node in scope.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            found += [] if ast.get_docstring(node) else [node]
            found += unexplained(node) if isinstance(node, ast.ClassDef) else []
    return found


def calls(path: Path) -> list[tuple[int, str]]:
    """Everything that is called, by its dotted name."""
    return [(node.lineno, ast.unparse(node.func)) for node in walked(path) if isinstance(node, ast.Call)]


def test_only_the_command_line_prints():
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in FILES
        if "cli" not in path.parts
        for line, name in calls(path)
        if name in {"print", "sys.stdout.write", "sys.stderr.write"}
    ]
    assert found == []


def test_randomness_has_no_global_state():
    allowed = {"Generator", "SeedSequence", "PCG64", "Philox"}
    found = []
    for path in FILES:
        for node in walked(path):
            if (
                isinstance(node, ast.Attribute)
                and node.attr not in allowed
                and ast.unparse(node.value) == "np.random"
            ):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} np.random.{node.attr}")
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
                found += [f"{path.relative_to(ROOT)}:{node.lineno}" for name in names if name == "random"]
    assert found == []


def tracked() -> list[Path]:
    """Text files that are in the repository, or will be."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()[:8_000]]


def test_no_file_knows_this_machine():
    # Written in pieces, so that this file does not name what it looks for.
    machine = [
        r"/ho" + r"me/\w+/",
        r"/Us" + r"ers/\w+/",
        r"/wo" + r"rk/(main|shared)",
        r"/ro" + r"ot/",
        r"[A-Z]:\\\\Us" + "ers",
    ]
    index = ["index" + "-url", "extra-" + "index", "find-" + "links", r"https?://[^\s\"']+/sim" + r"ple\b"]
    pattern = re.compile("|".join([*machine, *index]))
    found = []
    for path in tracked():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert found == []
