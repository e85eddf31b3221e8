"""Downcoding: undo generalization by knowing that regions are the narrowest that cover their classes."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.attacks.base import Attack, AttackResult
from likeness.attacks.downcoding.counting import GrownInterval, GrownNode, GrownSet, Hidden, candidates
from likeness.attacks.matching import identities_of, reach_of, shared_cells
from likeness.exact import rational
from likeness.microdata.domain import NUMERIC
from likeness.microdata.grouping import group_codes
from likeness.microdata.regions import recode
from likeness.published.attained import listed_values, rule_of
from likeness.published.text import read_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from likeness.attacks.base import Making
    from likeness.forms.base import Publication, ShownColumn
    from likeness.hierarchies import Hierarchy
    from likeness.microdata.attained import Attained
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import AttributeRegions
    from likeness.published.lattice import Step
    from likeness.published.regions import Region


@dataclass(frozen=True)
class DowncodingAttack(Attack):
    """Recover the exact quasi-identifiers of classes from their regions alone, knowing how regions are found.

    A region that is published because it is the narrowest that covers a class tells that its ends are attained: of an interval
    both ends, of a set every value, of a hierarchy node two of its children. Counted over every assignment of values to the
    members of a class for which the published region is the narrowest:

    * a class is **recovered** where all those assignments give its members the same tuples of quasi-identifiers, in any order:
      at most one attribute hides values then, and of that attribute one multiset of values is left. Two members of an interval
      have one end each; which of them, and hence whose sensitive value is whose, stays open.
    * a hidden value has as many **candidates** as the geometric mean over the values of a class says: the m-th root of the
      assignments for m members. Before, without the rule, they are the values of its region.
    * an end of an interval, a listed value of a set, or a child of a node **singles out** a member of the class where "is in this
      region, and has that value (is below that child)" is true of one member alone (Cohen & Nissim 2020).

    The success is the share of records in generalized classes (of which some attribute hides values) that are recovered with
    certainty; the baseline is the same without the rule, when any values of a region may be the members': nothing.

    Notes
    -----
    Everything but ``singled_in_class``, ``coin_in_class`` and ``right_in_class`` follows from what was published. The
    adversary knows the hierarchies, as in all attacks, and of numbers with decimals and of ``*`` the values that the table
    has; whole numbers, days and ordered values are counted whether or not anybody has them. Of sets of more than 512 values
    the candidates that the rule leaves are counted without it: no fewer than there are. What the adversary may know from
    other classes is not used; where regions grow (``attained``) `verify` refuses sets of which these would tell a value.

    The best that can be done without looking is a coin: with probability 1 / m it falls for each of the m members, and for one
    alone with probability (1 - 1/m)^(m - 1), which is 1/e for large classes. A predicate that singles out more often than that
    has learnt something from the region.

    Where it is known how the release was made, and its method publishes regions wider than classes (``cut: utd`` of Mondrian),
    the rule is not the narrowest region, and teaches nothing. Whose regions are rounded outward to a lattice, or grow by what few
    members have, says so in its certificate: counted are then the assignments for which that rule leads to the region.

    References
    ----------
    Cohen 2022, "Attacks on deidentification's defenses", USENIX Security: downcoding, and minimal hierarchical generalization;
    Cohen & Nissim 2020, "Towards formalizing the GDPR's notion of singling out".

    Examples
    --------
    >>> DowncodingAttack().name
    'downcoding'
    """

    name: ClassVar[str] = "downcoding"
    forms: ClassVar[frozenset[str] | None] = frozenset({"angelized", "generalized"})
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same without knowing that regions are the narrowest",
        "generalized": "share of records in classes of which some quasi-identifier hides values",
        "recovered": "share of all published records whose class's exact quasi-identifiers follow",
        "right_in_class": "the same, where they are those of the original too",
        "values_known": "share of hidden values in classes whose values of that quasi-identifier all follow",
        "candidates": "candidates for a hidden value, as a geometric mean; before, without the rule",
        "singled_in_class": "share of ends, listed values and children that one member alone has, mean over classes",
        "coin_in_class": "how often a coin that falls for one in m members falls for one alone, mean over classes",
    }

    def run(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None = None,
    ) -> AttackResult:
        """Attack all classes.

        Returns
        -------
        AttackResult
            Its details: ``generalized`` and ``recovered``, shares of all published records; ``values_known``, the share of hidden
            values (of a record and an attribute) all of whose class follow; ``candidates`` for a hidden value, and
            ``candidates_before`` without the rule. Where it is told who is in which class, also ``right_in_class``,
            ``singled_in_class`` and the ``coin_in_class``.
        """
        self.check(publication, original)
        sizes = np.bincount(publication.identities)
        known = making is None or making.plan.bounds is None
        columns = shared_cells(publication, original)
        read = [
            _Openness(cells, original.quasi[j], sizes, _Rule(publication, cells), known=known)
            for cells, j in columns
        ]
        found = _Unhidden(sizes, read)
        records, hidden = max(1, int(sizes.sum())), found.hidden
        details = {
            "generalized": float(found.of(found.generalized) / records),
            "recovered": float(found.of(found.recovered) / records),
            "values_known": float(found.values_known / max(1, hidden)),
            "candidates": exp(sum(float(own.after @ sizes) for own in read) / max(1, hidden)),
            "candidates_before": exp(sum(float(own.before @ sizes) for own in read) / max(1, hidden)),
        }
        if making is not None:
            details |= _compared(publication, original, making.plan, found, columns)
        return AttackResult(
            self.name,
            float(found.of(found.recovered) / max(1, found.of(found.generalized))),
            0.0,
            "share of the records in generalized classes whose exact quasi-identifiers all follow from the regions, "
            "these being the narrowest",
            details,
        )


class _Openness:
    """What the regions of one quasi-identifier leave open; arrays (identities,)."""

    def __init__(
        self, cells: ShownColumn, domain: Domain, sizes: NDArray[np.int64], rule: _Rule, *, known: bool
    ) -> None:
        reach = reach_of(cells, domain).sizes
        hidden = [
            _hidden(region, int(reach[i]), cells, domain, rule) for i, region in enumerate(cells.regions)
        ]
        pairs = group_codes([cells.of, sizes], [len(hidden), int(sizes.max(initial=0)) + 1])
        before, after, certain = np.zeros(pairs.count), np.zeros(pairs.count), np.zeros(pairs.count, np.bool_)
        for i, first in enumerate(pairs.first.tolist()):
            region, members = hidden[int(cells.of[first])], int(sizes[first])
            left = region.assignments(members) if known else 0
            before[i] = log(max(1, region.values))
            # Where no assignment suits, the region is wider than the rule says: who sees that knows no rule.
            after[i] = candidates(left, members) if left else before[i]
            certain[i] = region.single or (left > 0 and region.certain(members))
        self.hides = np.array([not region.single for region in hidden], np.bool_)[cells.of]
        self.before, self.after, self.certain = before[pairs.of], after[pairs.of], certain[pairs.of]


class _Unhidden:
    """What follows of all identities."""

    def __init__(self, sizes: NDArray[np.int64], columns: list[_Openness]) -> None:
        self.sizes, self.columns = sizes, columns
        self.hiding = sum((own.hides.astype(np.int64) for own in columns), np.zeros(sizes.size, np.int64))
        self.generalized = self.hiding > 0
        certain = np.ones(sizes.size, np.bool_)
        for own in columns:
            certain &= own.certain
        self.recovered = certain & (self.hiding == 1)

    def of(self, identities: NDArray[np.bool_]) -> int:
        """Count the records of some identities."""
        return int(self.sizes[identities].sum())

    @property
    def hidden(self) -> int:
        """How many values of records are hidden."""
        return int(self.hiding @ self.sizes)

    @property
    def values_known(self) -> int:
        """How many of them stand in classes all of whose values of the attribute follow."""
        return sum(self.of(own.hides & own.certain) for own in self.columns)


class _Rule:
    """The rule that regions of one quasi-identifier follow: the narrowest, on a lattice, or growing by what few members have.

    ``rank``: place of every published value of a set among all.
    """

    def __init__(self, publication: Publication, cells: ShownColumn) -> None:
        self.step: Step | None = publication.steps.get(cells.note.name)
        self.attained: Attained | None = None
        self.rank: dict[str | None, int] = {}
        if publication.attained is None:
            return
        self.attained = rule_of(cells.note, publication.attained)
        if cells.note.shape == "set":
            self.rank = {value: i for i, value in enumerate(listed_values(cells.regions, cells.note))}


def _hidden(region: Region, reach: int, cells: ShownColumn, domain: Domain, rule: _Rule) -> Hidden:
    """Say what a region hides; ``reach``: how many values of the table it covers."""
    note, step, attained = cells.note, rule.step, rule.attained
    if attained is not None and domain.shape == "set":
        listed = frozenset(rule.rank) if region.what == "everything" else region.values
        ranks = tuple(sorted(rule.rank[value] for value in listed))
        return GrownSet("all", len(ranks), ranks=ranks, published=len(rule.rank), attained=attained)
    if region.what == "values":
        return _hidden_set(region.values, step)
    if region.what == "interval":
        if note.kind == "real" and note.order is None:
            # How many numbers lie in a cell nobody can say; that there may be others than the ends is enough.
            how = "ends" if step is None else "any"
            return Hidden(how, 1 if region.low == region.high else max(2, reach))
        cell = 1 if step is None else int(rational(step))  # type: ignore[arg-type]
        values = int(region.high - region.low) + 1
        if attained is not None:
            low, high = int(region.low) - attained.origin, int(region.high) - attained.origin
            return GrownInterval("ends", values, low=low, high=high, attained=attained)
        # The last cell of ordered values may be smaller.
        return Hidden("ends" if values % cell == 0 else "any", values, cell=cell)
    if region.what == "everything" and domain.shape == "set":
        return _hidden_set(frozenset(range(reach)) if note.values is None else frozenset(note.values), step)
    if domain.shape == "tree":
        tree = domain.hierarchy
        assert tree is not None  # noqa: S101  # the shape tree always has one
        node = 0 if region.what == "everything" else tree.node_of(read_value(region.text))
        low, high = int(tree.left[node]), int(tree.right[node])
        more = (1,) if region.what == "everything" and domain.missing else ()
        if attained is not None:
            top = int(tree.common_ancestor(low, high))
            narrow = (*_narrow_parts(tree, top), *more) if len(tree.children(top)) != 2 else ()
            parts = (*_leaves_below(tree, top), *more)
            return GrownNode("across", high - low + 1 + len(more), parts, narrow=narrow, least=attained.least)
        if more:
            # The missing value is one more leaf directly under the root.
            return Hidden("across", tree.size + 1, (*_leaves_below(tree, 0), 1))
        cell = -1 if step is None else int(tree.ancestor_at(low, int(rational(step))))  # type: ignore[arg-type]
        if cell >= 0 and (tree.left[cell], tree.right[cell]) == (low, high):
            return Hidden("any", high - low + 1)
        parts = _leaves_below(tree, int(tree.common_ancestor(low, high)))
        return Hidden("across", high - low + 1, parts)
    # A missing value among others: at least one of each.
    values = int(domain.width) + 1 if domain.kind in NUMERIC - {"real"} else domain.size
    return Hidden("across", values + 1, (values, 1))


def _leaves_below(tree: Hierarchy, node: int) -> tuple[int, ...]:
    """Leaves below each child of a node; one below a leaf."""
    return tuple(int(tree.leaf_count(child)) for child in tree.children(node)) or (1,)


def _narrow_parts(tree: Hierarchy, node: int) -> tuple[int, ...]:
    """Leaves below each part of a node that does not grow to more: of nodes with two children those of the parts of both."""
    found: list[int] = []
    todo = list(tree.children(node))[::-1]
    while todo:
        own = todo.pop()
        below = tree.children(own)
        if len(below) in (1, 2):
            todo += below[::-1]
        else:
            found.append(int(tree.leaf_count(own)))
    return tuple(found)


def _hidden_set(values: Collection[Any], step: Step | None) -> Hidden:
    """Say what a set hides."""
    if not isinstance(step, list | tuple):
        return Hidden("all", len(values), (1,) * len(values))
    parts = [sum(value in values for value in own) for own in step]
    parts.append(int(None in values))
    return Hidden("all", len(values), tuple(part for part in parts if part))


def _compared(
    publication: Publication,
    original: Microdata,
    plan: Plan,
    found: _Unhidden,
    columns: list[tuple[ShownColumn, int]],
) -> dict[str, float]:
    """Compare with the members of the classes: what was recovered is right, and which predicates one member alone meets."""
    plan, recoding = recode(original, plan)
    kept = np.flatnonzero(plan.published)
    classes, count = plan.classes[kept], recoding.classes
    sizes = np.bincount(classes, minlength=count)
    met, all_ = np.zeros(count, np.int64), np.zeros(count, np.int64)
    distinct = np.ones(count, np.bool_)
    for _, j in columns:
        regions, codes = recoding.attributes[j], original.codes[j][kept].astype(np.int64)
        alone, predicates = _singled(regions, classes, codes, count)
        hides = predicates > 0
        met, all_ = met + alone, all_ + predicates
        # One multiset is left only where all members differ.
        several = group_codes([classes, codes], [max(1, count), regions.domain.codes])
        here = np.bincount(classes[several.first], minlength=count)
        distinct &= ~hides | (here == sizes)
    identity = identities_of(publication, original, recoding)
    right = np.bincount(identity[identity >= 0], distinct[identity >= 0], found.sizes.size) > 0
    there = all_ > 0
    size = np.maximum(1, sizes[there]).astype(np.float64)
    return {
        "right_in_class": float(found.of(found.recovered & right) / max(1, int(found.sizes.sum()))),
        "singled_in_class": float(np.mean(met[there] / all_[there])) if there.any() else 0.0,
        "coin_in_class": float(np.mean((1 - 1 / size) ** (size - 1))) if there.any() else 0.0,
    }


def _singled(
    regions: AttributeRegions, classes: NDArray[np.int64], codes: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(E,) twice: predicates on each class that one member alone meets, and all of them; 0 of classes that hide nothing."""
    domain, of = regions.domain, regions.of
    several = (regions.low != regions.high)[of] if regions.members is None else (regions.sizes > 1)[of]
    if regions.members is None and regions.node is None:
        low, high = regions.low[of], regions.high[of]
        # Everything says nothing of where its values begin.
        mixed = regions.everything[of]
        at_low = np.bincount(classes[(codes == low[classes]) & ~mixed[classes]], minlength=count)
        at_high = np.bincount(classes[codes == high[classes]], minlength=count)
        alone = (at_low == 1).astype(np.int64) + (at_high == 1)
        return np.where(several, alone, 0), np.where(several, np.where(mixed, 1, 2), 0)
    what = codes if regions.members is not None else _children(domain, regions, classes, codes)
    pairs = group_codes([classes, what], [max(1, count), int(what.max(initial=0)) + 1])
    alone = np.bincount(classes[pairs.first], pairs.sizes == 1, count).astype(np.int64)
    children = np.bincount(classes[pairs.first], minlength=count)
    predicates = children if regions.members is None else regions.sizes[of]
    return np.where(several, alone, 0), np.where(several, predicates, 0)


def _children(
    domain: Domain, regions: AttributeRegions, classes: NDArray[np.int64], codes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(n,) Child of its class's node that each record is below, the missing value being one more."""
    tree = domain.hierarchy
    assert tree is not None and regions.node is not None  # noqa: S101, PT018  # the shape tree always has them
    top = regions.node[regions.of][classes].astype(np.int64)
    absent = codes == domain.missing_code
    node = tree.leaf_node[np.where(absent, 0, codes)].astype(np.int64)
    parent = tree.parent.astype(np.int64)
    while True:
        above = parent[node]
        climbs = (node != top) & (above != top) & (above >= 0) & ~absent
        if not climbs.any():
            return np.where(absent, len(tree.labels), node)
        node = np.where(climbs, above, node)
