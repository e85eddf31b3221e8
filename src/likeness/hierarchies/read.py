"""Hierarchy files: ARX's lines (.csv, .txt, .tsv) and nested ones (.yaml, .yml, .json)."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.errors import HierarchyError
from likeness.hierarchies.rows import from_rows

if TYPE_CHECKING:
    from likeness.hierarchies.tree import Hierarchy

DELIMITERS = (";", "\t", ",")
"""In the order they are tried: ARX writes semicolons, and commas stand inside labels such as ``1,3``."""

LINES = frozenset({".csv", ".txt", ".tsv"})
NESTED = frozenset({".yaml", ".yml", ".json"})


def read_hierarchy(path: str | Path, name: str | None = None) -> Hierarchy:
    r"""Read a generalization hierarchy from a file.

    Parameters
    ----------
    path
        ``.csv``, ``.txt`` or ``.tsv``: ARX's format, one line per leaf, leaf first, root last, no
        header; semicolon, tab or comma, quoted or not, any line ends, UTF-8 with or without byte order
        mark. ``.yaml``, ``.yml`` or ``.json``: nested, one root.
    name
        What messages call the hierarchy; the file's name when left out.

    Returns
    -------
    Hierarchy
        Leaves in the order of the file, those of one node together.

    Raises
    ------
    HierarchyError
        When the file cannot be read or its hierarchy has gaps or contradictions; every problem names
        file, line and value.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "sex.csv"
    ...     _ = file.write_text("Male;*\nFemale;*\n")
    ...     read_hierarchy(file)
    Hierarchy('sex.csv': 2 leaves, height 1, root '*')
    """
    path = Path(path)
    title = name or path.name
    kind = path.suffix.lower()
    if kind not in LINES | NESTED:
        raise HierarchyError(
            f"{title}: a hierarchy file ends in {', '.join(sorted(LINES | NESTED))}; got {path.name!r}"
        )
    text = read_file(path, title)
    if not text.strip():
        raise HierarchyError(f"{title}: the file is empty; give one line per value, leaf first and root last")
    if kind in NESTED:
        from likeness.hierarchies.nested import from_nested

        return from_nested(text, title, json=kind == ".json")
    rows, lines = _parse(text, title)
    return from_rows(rows, title, where=lambda i: f"{title}, line {lines[i]}")


def read_file(path: Path, title: str) -> str:
    """Read the file's text; HierarchyError when there is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise HierarchyError(f"{title}: no such file ({path}); check the path in the policy") from None
    except OSError as error:
        raise HierarchyError(f"{title}: cannot be read ({error.strerror or error}): {path}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise HierarchyError(
            f"{title}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None


def _parse(text: str, title: str) -> tuple[list[list[str]], list[int]]:
    """Rows and their line numbers, by the delimiter that makes the lines even."""
    first = next(line for line in text.splitlines() if line.strip())
    present = [delimiter for delimiter in DELIMITERS if delimiter in first] or [DELIMITERS[0]]
    if len(present) > 1:
        for delimiter in present:
            try:
                rows, lines = split_lines(text, delimiter, title)
            except HierarchyError:
                continue
            if _is_even(rows):
                return rows, lines
    return split_lines(text, present[0], title)


def _is_even(rows: list[list[str]]) -> bool:
    """Whether all rows have the same number of cells, at least two, and end alike."""
    return len(rows[0]) > 1 and len({(len(row), row[-1]) for row in rows}) == 1


def split_lines(text: str, delimiter: str, title: str) -> tuple[list[list[str]], list[int]]:
    """Rows and the lines they begin on; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    begin = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(begin)
            begin = reader.line_num + 1
    except csv.Error as error:
        raise HierarchyError(f"{title}, line {begin}: {error}; check the quotes on this line") from None
    return rows, lines
