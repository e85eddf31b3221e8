"""Hierarchies from nested YAML or JSON: ``{"*": {Europe: [Germany, France], Asia: [Japan]}}``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.errors import HierarchyError
from likeness.hierarchies.assemble import assemble
from likeness.hierarchies.entries import Entry, Report, not_a_tree
from likeness.hierarchies.nested_json import json_roots
from likeness.hierarchies.nested_yaml import yaml_roots
from likeness.hierarchies.problems import refuse
from likeness.wording import quoted

if TYPE_CHECKING:
    from likeness.hierarchies.tree import Hierarchy


def from_nested(text: str, name: str, *, json: bool = False) -> Hierarchy:
    """Make a hierarchy of nested YAML or JSON text.

    Parameters
    ----------
    text
        One mapping with one key, the root. What stands below a key is a mapping, a list of leaves (or
        of mappings), or a single leaf; a key with nothing below it is a leaf. A scalar is the text that
        stands there: ``no`` and ``007`` are values, not a truth and a number.
    name
        The column or the file, for messages.
    json
        Read JSON instead of YAML.

    Returns
    -------
    Hierarchy
        Branches may differ in length; a node's level is one above its highest child's.

    Raises
    ------
    HierarchyError
        For text that is not YAML or JSON, more than one root, a label given twice, an empty label, or
        an empty list; each with its line, all problems of the text at once.

    Examples
    --------
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
    refuse(report.problems)
    if not roots[0].below:
        raise HierarchyError(not_a_tree(name))
    return _flatten(roots[0], report)


def _flatten(root: Entry, report: Report) -> Hierarchy:
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
    refuse(report.problems)
    level = [0] * len(labels)
    for node in range(len(labels) - 1, 0, -1):
        level[parent[node]] = max(level[parent[node]], level[node] + 1)
    return assemble(report.name, labels, parent, level)
