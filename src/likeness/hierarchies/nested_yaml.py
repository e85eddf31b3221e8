"""Labels and lines of a nested hierarchy in YAML.

Only the parser's events are used: ``no``, ``007`` and ``2024-01-01`` are values of a column and stay the
texts that stand there, and a document of any depth is refused rather than followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from likeness.errors import HierarchyError
from likeness.hierarchies.entries import Entry, Report, not_a_tree
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 100
"""Levels of nesting that are followed."""


def yaml_roots(text: str, report: Report) -> list[Entry]:
    """Parse the top-level labels and all that lies below them.

    Parameters
    ----------
    text
        A YAML document.
    report
        Gathers what is wrong with single labels.

    Returns
    -------
    list[Entry]
        One, in a proper file.

    Raises
    ------
    HierarchyError
        When the text is not YAML, not a mapping, or nested too deeply.

    Examples
    --------
    >>> yaml_roots("'*': [yes, no]", Report("answer.yaml"))[0].below
    [Entry(label='yes', line=1, below=[]), Entry(label='no', line=1, below=[])]
    """
    # libyaml's parser where it was built in: ten times as fast.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        return _Reader(yaml.parse(text, Loader=loader), report).roots()
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


class _Reader:
    """One walk over the events of a document; every method takes up all events of its value."""

    def __init__(self, events: Iterator[yaml.Event], report: Report) -> None:
        self.events = events
        self.report = report

    def roots(self) -> list[Entry]:
        next(self.events)
        if isinstance(next(self.events), yaml.StreamEndEvent):
            raise HierarchyError(not_a_tree(self.report.name))
        event = next(self.events)
        found = self.below(event, "the file", 0)
        if not isinstance(event, yaml.MappingStartEvent) or not (found or self.report.problems):
            raise HierarchyError(not_a_tree(self.report.name))
        next(self.events)
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            self.report.add(_line(after), "a second document begins; put everything below one root")
        return found

    def below(self, event: yaml.Event, above: str, depth: int) -> list[Entry]:
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
        found: list[Entry] = []
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

    def pair(self, key: yaml.Event, above: str, depth: int) -> list[Entry]:
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

    def label(self, event: yaml.ScalarEvent, above: str) -> list[Entry]:
        if not event.value.strip():
            self.report.empty_label(_line(event), above)
            return []
        return [Entry(event.value, _line(event))]
