"""Labels of a nested file with their lines: what its two notations have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

from likeness.wording import quoted


@dataclass
class Entry:
    """A label, the line it stands on, and what lies below it."""

    label: str
    line: int
    below: list[Entry] = field(default_factory=list)


@dataclass
class Report:
    """Where the problems of one nested file are gathered."""

    name: str
    problems: list[str] = field(default_factory=list)

    def add(self, line: int, text: str) -> None:
        """Note one problem and its line."""
        self.problems.append(f"{self.name}, line {line}: {text}")

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
    """Say what a nested file must look like.

    Examples
    --------
    >>> not_a_tree("world.yaml")
    "world.yaml: is not a tree; write one root label and what lies below it, as in '*': {Europe: [France]}"
    """
    return (
        f"{name}: is not a tree; write one root label and what lies below it, as in '*': {{Europe: [France]}}"
    )
