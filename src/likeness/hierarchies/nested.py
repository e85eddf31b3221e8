"""Hierarchies from nested YAML or JSON: ``{"*": {Europe: [Germany, France], Asia: [Japan]}}``.

Both notations are read to labels with their lines. Of YAML only the parser's events are used: ``no``, ``007`` and
``2024-01-01`` are values of a column and stay the texts that stand there, and a document of any depth is refused rather than
followed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from likeness.errors import HierarchyError, Refusal
from likeness.hierarchies.problems import refuse
from likeness.hierarchies.rows import assemble
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likeness.hierarchies.tree import Hierarchy


@dataclass
class Branch:
    """A label, the line it stands on, and what lies below it."""

    label: str
    line: int
    below: list[Branch] = field(default_factory=list)


@dataclass
class Report:
    """Where the problems of one nested file are gathered."""

    name: str
    refusals: list[Refusal] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """The problems in words."""
        return list(map(str, self.refusals))

    def add(self, line: int, text: str) -> None:
        """Note one problem and its line."""
        self.refusals.append(Refusal(text, (self.name,), f"line {line}"))

    def empty_label(self, line: int, above: str) -> None:
        """Note a label that is an empty text."""
        self.add(line, f"an empty label below {quoted(above)}; write a text")

    def nothing_below(self, line: int, above: str) -> None:
        """Note an empty list or mapping."""
        self.add(line, f"{quoted(above)} has an empty list below it; list its leaves or remove it")

    def bare_list(self, line: int, above: str) -> None:
        """Note a list directly inside a list."""
        self.add(line, f"a list inside the list of {quoted(above)} has no label; write a label before it")


def not_a_tree(name: str) -> str:
    """Say what a nested file must look like."""
    return (
        f"{name}: is not a tree; write one root label and what lies below it, as in '*': {{Europe: [France]}}"
    )


SCALAR_OR_LINE = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s\[\]{}:,"]+|\n')


class _Object(list[tuple[str, Any]]):
    """A JSON object with all its pairs, those of repeated keys too."""


def json_roots(text: str, report: Report) -> list[Branch]:
    """Parse JSON into its top-level labels, one in a proper file, and all that lies below them.

    Numbers and ``true`` are the texts that stand there: ``1.50`` stays ``1.50``. Raises `HierarchyError` where the text is
    not JSON, or not an object that holds something; what is wrong with single labels goes to ``report``.
    """
    try:
        document = json.loads(
            text, object_pairs_hook=_Object, parse_int=str, parse_float=str, parse_constant=str
        )
    except json.JSONDecodeError as error:
        raise HierarchyError(f"{report.name}, line {error.lineno}: is not JSON: {error.msg}") from None
    if not isinstance(document, _Object) or not document:
        raise HierarchyError(not_a_tree(report.name))
    return _JsonReader(report, _lines(text)).below(document, "the file", 1)


def _lines(text: str) -> Iterator[int]:
    """Line of each key and scalar of a JSON text, in the order of the text."""
    line = 1
    for token in SCALAR_OR_LINE.finditer(text):
        if token[0] == "\n":
            line += 1
        else:
            yield line


class _JsonReader:
    """One walk over a document in the order of its text, which takes a line for each scalar it meets."""

    def __init__(self, report: Report, lines: Iterator[int]) -> None:
        self.report = report
        self.lines = lines

    def below(self, value: object, above: str, line: int) -> list[Branch]:
        if not isinstance(value, list):
            return self.label(value, above)
        if not value:
            self.report.nothing_below(line, above)
        if isinstance(value, _Object):
            return [entry for key, below in value for entry in self.pair(key, below, above)]
        found: list[Branch] = []
        for item in value:
            if isinstance(item, list) and not isinstance(item, _Object):
                self.report.bare_list(line, above)
            found.extend(self.below(item, above, line))
        return found

    def pair(self, key: str, value: object, above: str) -> list[Branch]:
        found = self.label(key, above)
        if value is None:
            next(self.lines)
            return found
        line = found[0].line if found else 1
        below = self.below(value, key, line)
        for entry in found:
            entry.below = below
        return found

    def label(self, value: object, above: str) -> list[Branch]:
        line = next(self.lines)
        text = str(value).lower() if isinstance(value, bool) else str(value or "")
        if not text.strip():
            self.report.empty_label(line, above)
            return []
        return [Branch(text, line)]


DEEPEST = 100
"""Levels of nesting that are followed."""


def yaml_roots(text: str, report: Report) -> list[Branch]:
    """Parse YAML into its top-level labels, one in a proper file, and all that lies below them.

    Scalars are the texts that stand there. Raises `HierarchyError` where the text is not YAML, not a mapping, or nested too
    deeply; what is wrong with single labels goes to ``report``.
    """
    # libyaml's parser where it was built in: ten times as fast.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        return _YamlReader(yaml.parse(text, Loader=loader), report).roots()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{report.name}, line {mark.line + 1}" if mark else report.name
        hint = "; put a label such as '*' in quotes" if "alphabetic or numeric" in str(error.problem) else ""
        raise HierarchyError(f"{place}: is not YAML: {error.problem or error.context}{hint}") from None
    except yaml.YAMLError as error:
        raise HierarchyError(f"{report.name}: is not YAML: {' '.join(str(error).split())}") from None


def _line(event: yaml.Event) -> int:
    """Line of the file on which an event begins."""
    return event.start_mark.line + 1 if event.start_mark else 1


class _YamlReader:
    """One walk over the events of a document; every method takes up all events of its value."""

    def __init__(self, events: Iterator[yaml.Event], report: Report) -> None:
        self.events = events
        self.report = report

    def roots(self) -> list[Branch]:
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            raise HierarchyError(not_a_tree(self.report.name))
        event = next(self.events)
        found = self.below(event, "the file", 0)
        if not isinstance(event, yaml.MappingStartEvent) or not (found or self.report.refusals):
            raise HierarchyError(not_a_tree(self.report.name))
        next(self.events)
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            self.report.add(_line(after), "a second document begins; put everything below one root")
        return found

    def below(self, event: yaml.Event, above: str, depth: int) -> list[Branch]:
        if isinstance(event, yaml.ScalarEvent):
            return self.label(event, above)
        if isinstance(event, yaml.AliasEvent):
            self.report.add(
                _line(event), f"an alias below {quoted(above)} repeats another part; write it out"
            )
            return []
        if depth > DEEPEST:
            raise HierarchyError(
                f"{self.report.name}, line {_line(event)}: nested deeper than {DEEPEST} levels; "
                "a hierarchy has a few"
            )
        found: list[Branch] = []
        items = 0
        while not isinstance(item := next(self.events), yaml.CollectionEndEvent):
            items += 1
            if isinstance(event, yaml.MappingStartEvent):
                found.extend(self.pair(item, above, depth))
            else:
                if isinstance(item, yaml.SequenceStartEvent):
                    self.report.bare_list(_line(item), above)
                found.extend(self.below(item, above, depth + 1))
        if depth and not items:
            self.report.nothing_below(_line(event), above)
        return found

    def pair(self, key: yaml.Event, above: str, depth: int) -> list[Branch]:
        if not isinstance(key, yaml.ScalarEvent):
            self.report.add(_line(key), f"a label below {quoted(above)} is not a text; write a plain one")
            self.below(key, above, depth + 1)
            self.below(next(self.events), above, depth + 1)
            return []
        found = self.label(key, above)
        value = next(self.events)
        nothing = isinstance(value, yaml.ScalarEvent) and not value.value and not value.style
        below = [] if nothing else self.below(value, key.value, depth + 1)
        for entry in found:
            entry.below = below
        return found

    def label(self, event: yaml.ScalarEvent, above: str) -> list[Branch]:
        if not event.value.strip():
            self.report.empty_label(_line(event), above)
            return []
        return [Branch(event.value, _line(event))]


def from_nested(text: str, name: str, *, json: bool = False) -> Hierarchy:
    """Make a hierarchy of nested YAML (or JSON) text: one mapping with one key, the root.

    What stands below a key is a mapping, a list of leaves (or of mappings), or a single leaf; a key with nothing below it
    is a leaf. Branches may differ in length; a node's level is one above its highest child's.
    Raises `HierarchyError` for text that is not YAML or JSON, more than one root, a label given twice, an empty label, or
    an empty list; each with its line, as many at once as can be told.

    >>> world = from_nested("'*': {Europe: [Germany, no], Asia: {East: [Japan]}, 007: }", "world.yaml")
    >>> world.leaves
    ('Germany', 'no', 'Japan', '007')
    >>> world.to_rows()[2]
    ['Japan', 'East', 'Asia', '*']
    """
    report = Report(name)
    try:
        roots = json_roots(text, report) if json else yaml_roots(text, report)
    except RecursionError:
        raise HierarchyError(f"{name}: nested too deeply; a hierarchy has a few levels") from None
    for other in roots[1:]:
        clash = f"two roots: {quoted(other.label)} beside {quoted(roots[0].label)} (line {roots[0].line})"
        report.add(other.line, f"{clash}; put both below one label such as '*'")
    refuse(report.refusals)
    if not roots[0].below:
        raise HierarchyError(not_a_tree(name))
    return _flatten(roots[0], report)


def _flatten(root: Branch, report: Report) -> Hierarchy:
    """Make the tree of all entries below the root; refuse labels given twice."""
    labels: list[str] = []
    parent: list[int] = []
    line_of: dict[str, int] = {}
    waiting = [(root, -1)]
    while waiting:
        entry, above = waiting.pop()
        while len(entry.below) == 1 and entry.below[0].label == entry.label:
            entry = entry.below[0]
        if entry.label in line_of:
            before = f"{quoted(entry.label)} is given twice, first on line {line_of[entry.label]}"
            report.add(entry.line, f"{before}; a label means one node: rename or remove one")
        line_of.setdefault(entry.label, entry.line)
        waiting.extend((below, len(labels)) for below in reversed(entry.below))
        labels.append(entry.label)
        parent.append(above)
    refuse(report.refusals)
    level = [0] * len(labels)
    for node in range(len(labels) - 1, 0, -1):
        level[parent[node]] = max(level[parent[node]], level[node] + 1)
    return assemble(report.name, labels, parent, level)
