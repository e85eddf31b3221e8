"""Labels and lines of a nested hierarchy in JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from likeness.errors import HierarchyError
from likeness.hierarchies.entries import Entry, Report, not_a_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

SCALAR_OR_LINE = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s\[\]{}:,"]+|\n')


class _Object(list[tuple[str, Any]]):
    """A JSON object with all its pairs, those of repeated keys too."""


def json_roots(text: str, report: Report) -> list[Entry]:
    """Parse the top-level labels and all that lies below them.

    Parameters
    ----------
    text
        A JSON document; numbers and ``true`` are the texts that stand there.
    report
        Gathers what is wrong with single labels.

    Returns
    -------
    list[Entry]
        One, in a proper file.

    Raises
    ------
    HierarchyError
        When the text is not JSON or not an object.

    Examples
    --------
    >>> json_roots('{"*": [1.50, true]}', Report("answer.json"))[0].below
    [Entry(label='1.50', line=1, below=[]), Entry(label='true', line=1, below=[])]
    """
    try:
        document = json.loads(
            text, object_pairs_hook=_Object, parse_int=str, parse_float=str, parse_constant=str
        )
    except json.JSONDecodeError as error:
        raise HierarchyError(f"{report.name}, line {error.lineno}: is not JSON: {error.msg}") from None
    if not isinstance(document, _Object) or not document:
        raise HierarchyError(not_a_tree(report.name))
    return _Reader(report, _lines(text)).below(document, "the file", 1)


def _lines(text: str) -> Iterator[int]:
    """Line of each key and scalar of a JSON text, in the order of the text."""
    line = 1
    for token in SCALAR_OR_LINE.finditer(text):
        if token[0] == "\n":
            line += 1
        else:
            yield line


class _Reader:
    """One walk over a document in the order of its text, which takes a line for each scalar it meets."""

    def __init__(self, report: Report, lines: Iterator[int]) -> None:
        self.report = report
        self.lines = lines

    def below(self, value: object, above: str, line: int) -> list[Entry]:
        if not isinstance(value, list):
            return self.label(value, above)
        if not value:
            self.report.nothing_below(line, above)
        if isinstance(value, _Object):
            return [entry for key, below in value for entry in self.pair(key, below, above)]
        found: list[Entry] = []
        for item in value:
            if isinstance(item, list) and not isinstance(item, _Object):
                self.report.bare_list(line, above)
            found.extend(self.below(item, above, line))
        return found

    def pair(self, key: str, value: object, above: str) -> list[Entry]:
        found = self.label(key, above)
        if value is None:
            next(self.lines)
            return found
        line = found[0].line if found else 1
        below = self.below(value, key, line)
        for entry in found:
            entry.below = below
        return found

    def label(self, value: object, above: str) -> list[Entry]:
        line = next(self.lines)
        text = str(value).lower() if isinstance(value, bool) else str(value or "")
        if not text.strip():
            self.report.empty_label(line, above)
            return []
        return [Entry(text, line)]
