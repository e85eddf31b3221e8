"""Ordered categories of the values of a sensitive column, and the files that hold them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.errors import HierarchyError, Refusal
from likeness.hierarchies.problems import refuse
from likeness.hierarchies.read import read_file, split_lines
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_ENDS = (".csv", ".txt")
_EXAMPLE = "give one line a category, least severe first, such as Low;Flu;Headache"


@dataclass(frozen=True)
class Categories:
    """Categories of values, the least severe first (Fazal et al. 2023, table 3: the category table CtgT).

    Parameters
    ----------
    labels
        Names of the categories, in their order; two at least.
    values
        Values of each category, in the order of its line. A value may stand in several: then it counts in the highest.

    Examples
    --------
    >>> severity = Categories(("none", "low", "mild"), (("No Symptoms",), ("Flu", "Cough"), ("Fever", "Cough")))
    >>> severity.rank["Flu"], severity.rank["Cough"]
    (1, 2)
    >>> severity.labels[severity.highest({"Flu", "No Symptoms"})]
    'low'
    """

    labels: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]

    @cached_property
    def rank(self) -> dict[str, int]:
        """Number of the category of every value, 0 for the least severe."""
        return {value: number for number, own in enumerate(self.values) for value in own}

    def highest(self, values: Iterable[str]) -> int:
        """Find the category that counts of somebody who has several values: the highest of theirs.

        Raises
        ------
        KeyError
            When one has no category.
        ValueError
            When there is none.
        """
        return max(self.rank[value] for value in values)

    def to_rows(self) -> list[list[str]]:
        """Write one row a category, its label first, as `categories_from_rows` reads them."""
        return [[label, *own] for label, own in zip(self.labels, self.values, strict=True)]

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what can be made again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        """Labels in their order, and the number of values."""
        return f"Categories({' < '.join(map(quoted, self.labels))}: {count(len(self.rank), 'value')})"


def categories_from_rows(
    rows: Sequence[Sequence[str]], name: str, *, where: Callable[[int], str]
) -> Categories:
    """Make categories of rows, the least severe first: the label, then its values.

    ``name`` is what messages about all of it begin with, ``where`` says where a row stands. Raises `HierarchyError` with
    every problem: a category without a label or without values, one that stands there twice, an empty value, a value twice in
    one category, fewer than two categories.

    >>> categories_from_rows([["low", "Flu", "Cough"], ["mild", "Fever"]], "severity.csv", where=lambda i: f"line {i + 1}")
    Categories('low' < 'mild': 3 values)
    """
    problems: list[Refusal] = []
    first: dict[str, int] = {}
    for i, (label, *own) in enumerate(rows):
        at, named = (where(i),), f"category {quoted(label)}"
        if not label.strip():
            problems.append(
                Refusal("has no label", at, about="category", remedy="write it before its values")
            )
            continue
        if label in first:
            what, remedy = (
                f"stands there again, after {where(first[label])}",
                "put all of its values together",
            )
            problems.append(Refusal(what, at, about=named, remedy=remedy))
            continue
        first[label] = i
        if not own:
            problems.append(Refusal("has no values", at, about=named, remedy="write them, or remove it"))
        elif not all(map(str.strip, own)):
            problems.append(Refusal("has an empty value", at, about=named, remedy="remove it"))
        elif len(set(own)) < len(own):
            twice = next(value for j, value in enumerate(own) if value in own[:j])
            problems.append(
                Refusal(f"has the value {quoted(twice)} twice", at, about=named, remedy="remove one")
            )
    if not problems and len(rows) < 2:
        what = f"there must be two categories at least; found {len(rows)}"
        problems.append(Refusal(what, (name,), remedy="give all of them, least severe first"))
    refuse(problems)
    return Categories(tuple(row[0] for row in rows), tuple(tuple(row[1:]) for row in rows))


def categories_from_mapping(given: Mapping[str, Sequence[str]], name: str) -> Categories:
    """Make categories of a mapping of labels to their values, the least severe first; `HierarchyError` as for rows."""
    rows = [[label, *own] for label, own in given.items()]
    return categories_from_rows(rows, name, where=lambda _: name)


def read_categories(path: str | Path) -> Categories:
    r"""Read a file of categories: one line each, the least severe first, label and values between semicolons.

    Values may stand in quotes; lines may end in further semicolons, as spreadsheet programs write them; UTF-8 with or
    without byte order mark. Raises `HierarchyError` where the file cannot be read, or is none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "severity.csv"
    ...     _ = file.write_text("Low;Flu;Headache\nMild;Fever\n")
    ...     read_categories(file)
    Categories('Low' < 'Mild': 3 values)
    """
    path = Path(path)
    title = path.name
    if path.suffix.lower() not in _ENDS:
        raise HierarchyError(f"{title}: a file of categories ends in {' or '.join(_ENDS)}; got {path.name!r}")
    text = read_file(path, title)
    if not text.strip():
        raise HierarchyError(f"{title}: the file is empty; {_EXAMPLE}")
    rows, lines = split_lines(text, ";", title)
    if all(len(row) == 1 for row in rows):
        raise HierarchyError(
            f"{title}: no line has a semicolon; write label and values between semicolons, such as Low;Flu;Headache"
        )
    return categories_from_rows(
        [_without_end(row) for row in rows], title, where=lambda i: f"{title}, line {lines[i]}"
    )


def _without_end(row: list[str]) -> list[str]:
    """Leave out the empty cells at the end of a line."""
    end = max((i for i, cell in enumerate(row, 1) if cell.strip()), default=1)
    return row[:end]
