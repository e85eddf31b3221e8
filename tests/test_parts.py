"""Parts say it themselves: nothing outside a part asks for it by name, imports its class, or feels for its attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from tests.sources import FILES, SOURCE, walked

from likeness import registry

FELT_FOR = {
    "__init__.py": "the public names are found in modules",
    "cli/_console.py": "numbers of numpy",
    "cli/_progress.py": "kernels that may not be imported",
    "datasets/_patients.py": "columns of its own table",
    "folder/public_part.py": "entries of a certificate",
    "hierarchies/nested.py": "PyYAML, with or without its C library",
    "methods/danonyir/__init__.py": "whether a value of its own parameter is a sequence",
    "placing.py": "what this system has",
    "policy/column.py": "declared columns",
    "policy/cross_checks.py": "sections of a policy that is not made yet",
    "policy/parts.py": "what a user gives may be anything, until it is known to be a part",
    "policy/values.py": "what a user gives may be anything",
    "profiling/looking.py": "frames of several libraries",
    "queries/overlap.py": "what a user gives may be anything",
    "registry.py": "makes parts, writes their parameters, and describes the attributes that it lists, of classes of every kind",
    "tables/arrow_streams.py": "frames of any library",
    "tables/file_bytes.py": "what an error of the system says",
    "tables/reading.py": "what an open file says of itself",
    "tables/frames/__init__.py": "frames of several libraries",
    "tables/frames/pandas_frame.py": "pandas' types",
}
"""Files that ask something whether it has an attribute, and what that is; none of it is a part but where it says so."""

NAMED = {
    (
        "profiling/reach.py",
        "distinct-l-diversity",
    ): "the profile proposes models, and looks at its own proposals",
    ("report/measured.py", "linkage"): "the report shows this attack",
    ("methods/burel/drawing.py", "mondrian"): "a value of its own parameter",
    ("profiling/cells.py", "mixed"): "a column of values of several kinds; the form is not meant",
    ("tables/frames/pandas_frame.py", "mixed"): "pandas' word for such a column; the form is not meant",
    (
        "models/theta_sensitivity.py",
        "frequency",
    ): "a value of its own parameter; the source of knowledge is not meant",
    ("randomness.py", "table"): "a key of policies; the source of knowledge is not meant",
    ("report/certificate_page.py", "perturbation"): "a table is called so; the method is not meant",
}
"""Comparisons with the name of a part outside its own file or folder, and why."""

IMPORTED = {
    (
        "attacks/categorical_similarity.py",
        "ThetaSensitivity",
    ): "one who knows k knows what buckets were filled up to",
    (
        "attacks/sensitive_variance.py",
        "ThetaSensitivity",
    ): "its adversary looks for classes that fail that model",
    ("choosing.py", "LocalSearch"): "what the best method's classes are improved by",
    ("choosing.py", "Ncp"): "the loss by which solutions of several methods are compared",
    ("forms/angelized.py", "GeneralizedForm"): "what it shows of quasi-identifiers is that form's",
    ("forms/identity_reserved.py", "GeneralizedForm"): "derived from it",
    ("forms/mixed.py", "MicroaggregatedForm"): "derived from it",
    ("methods/_theta/__init__.py", "ThetaSensitivity"): "what both methods of θ-sensitivity are devised for",
    ("methods/burel/__init__.py", "KAnonymity"): "a size of its own is one more model",
    ("methods/burel/drawing.py", "Mondrian"): "its first step is that method",
    ("methods/danonyir/__init__.py", "KAnonymity"): "neighbourhoods are made under a size",
    ("methods/danonyir/__init__.py", "Mondrian"): "neighbourhoods are made by that method",
    ("methods/local_recoding/__init__.py", "Mondrian"): "the smaller loss of the two is kept",
    (
        "report/pictures.py",
        "CorrelationLoss",
    ): "the report draws the dependences that this metric is the change of",
    ("report/pictures.py", "QueryError"): "the report draws the errors that this metric is the median of",
    ("methods/sabre/__init__.py", "TCloseness"): "devised for it, and takes its ground distance",
    ("methods/theta_star_utility.py", "KAnonymity"): "groups are made under a size",
    (
        "methods/theta_star_utility.py",
        "Mondrian",
    ): "groups are made by that method, unless the paper's are asked for",
    (
        "methods/t_close_microaggregation/__init__.py",
        "TCloseness",
    ): "devised for it: t decides the number of subsets",
    ("metrics/mini_table.py", "GeneralizedForm"): "the example in docstrings is published so",
    ("metrics/vulnerable_classes.py", "EirAlphaBetaAnonymity"): "defined as what it refuses",
    ("metrics/vulnerable_classes.py", "EirLDiversity"): "defined as what it refuses",
    ("metrics/vulnerable_classes.py", "IrAlphaBetaAnonymity"): "defined as what it accepts",
    ("metrics/vulnerable_classes.py", "IrKlAnonymity"): "defined as what it accepts",
    ("models/ir_k_anonymity.py", "KAnonymity"): "derived from it",
    ("profiling/reach.py", "EntropyLDiversity"): "the profile says how far this model reaches",
    ("profiling/reach.py", "RecursiveClDiversity"): "the profile says how far this model reaches",
    (
        "report/two_tables.py",
        "ThetaSensitivity",
    ): "one who knows k knows what buckets were filled up to",
    (
        "report/two_tables.py",
        "QueryError",
    ): "what the link costs is the error of queries, with and without a sensitive condition",
    ("report/people.py", "EirLDiversity"): "what it asks is what the report counts of people",
}
"""Imports of the class of a part outside its own file or folder, and why."""


def place(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def home(path: Path) -> set[tuple[str, str]]:
    """Kind and name of the part that a file belongs to."""
    kind, *inside = path.relative_to(SOURCE).with_suffix("").parts
    return {(kind, inside[0].replace("_", "-"))} if inside else set()


PARTS = [
    (kind, name)
    for kind in registry.KINDS
    for name in registry.names(kind)
    if registry.distribution(kind, name) is None
]


def felt_for() -> set[str]:
    """Files that call `getattr` or `hasattr` on anything but themselves."""
    return {
        place(path)
        for path in FILES
        for node in walked(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"getattr", "hasattr"}
        and ast.unparse(node.args[0]) != "self"
    }


def named(path: Path, nodes: Iterable[ast.AST]) -> set[tuple[str, str]]:
    """Names of other parts that a file compares something with."""
    strangers = {name for _, name in PARTS} - {name for _, name in home(path)}
    return {
        (place(path), inner.value)
        for node in nodes
        if isinstance(node, ast.Compare | ast.MatchValue)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and inner.value in strangers
    }


def imported(path: Path, nodes: Iterable[ast.AST]) -> set[tuple[str, str]]:
    """Classes of other parts that a file imports."""
    strangers = {registry.class_name(*part) for part in PARTS if part not in home(path)}
    return {
        (place(path), alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("likeness.")
        for alias in node.names
        if alias.name in strangers
    }


def test_nothing_is_asked_whether_it_has_an_attribute():
    assert felt_for() == set(FELT_FOR)


def test_nothing_is_compared_with_the_name_of_a_part():
    assert {one for path in FILES for one in named(path, walked(path))} == set(NAMED)


def test_no_class_of_a_part_is_imported_elsewhere():
    # What editors and type checkers see of the package has all parts; tests/test_public_types.py keeps it so.
    files = [path for path in FILES if path != SOURCE / "__init__.py"]
    assert {one for path in files for one in imported(path, walked(path))} == set(IMPORTED)


def test_what_is_looked_for_would_be_found():
    elsewhere = SOURCE / "solve.py"
    compared = [*ast.walk(ast.parse("found = method.name in {'mondrian', 'own'} or 'burel' == name"))]
    assert named(elsewhere, compared) == {("solve.py", "mondrian"), ("solve.py", "burel")}
    assert named(SOURCE / "methods" / "burel" / "drawing.py", ast.walk(ast.parse("name == 'burel'"))) == set()
    taken = [*ast.walk(ast.parse("from likeness.models.k_anonymity import KAnonymity"))]
    assert imported(elsewhere, taken) == {("solve.py", "KAnonymity")}
    assert imported(SOURCE / "models" / "k_anonymity.py", taken) == set()
