"""The generalized region of every equivalence class, what one generalized cell loses, and the look-ups that searches minimise.

Every cell loss has the same two ingredients: an interval loses the distance between the positions of its ends, a set of values
(or a hierarchy node with so many leaves below it) loses an amount that depends on how many values it holds. That is what lets one
kernel serve all attributes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.microdata.attained import (
    grown_intervals,
    grown_sets,
    listed_alone,
    several_children,
    whole_tells,
)
from likeness.microdata.grouping import group_codes, group_keys
from likeness.microdata.means import Means, class_means
from likeness.microdata.plan import spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.plan import Plan


@dataclass(frozen=True, eq=False)
class AttributeRegions:
    """The regions of one attribute: R distinct ones, and which class has which.

    ``of``: (E,) int64, region of each class.
    ``low``, ``high``: (R,) int32, first and last code covered (leaf ranks for the shape ``tree``; smallest and largest
    member of a set). A region that mixes the missing value with others covers everything.
    ``node``: (R,) int32, hierarchy node, for the shape ``tree``; -1 for the missing value.
    ``members``: (R, words) uint64, bits of the member codes, for the shape ``set``.
    ``tellable``: for the shape ``set``, the number of codes that everything is made of (`tellable_codes`); all codes of the
    domain when left out.
    ``tells``: (E,) whether no region of a class could hide what few of its members have, where regions grow (`Attained`).
    """

    domain: Domain
    of: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    node: NDArray[np.int32] | None = None
    members: NDArray[np.uint64] | None = None
    tellable: int | None = None
    tells: NDArray[np.bool_] | None = None

    @property
    def count(self) -> int:
        """Number of distinct regions."""
        return int(self.low.shape[0])

    @cached_property
    def everything(self) -> NDArray[np.bool_]:
        """(R,) Whether a region covers everything: it mixes the missing value with others, is the root, or is the whole set."""
        missing = self.domain.missing_code
        if self.members is not None:
            whole = self.domain.codes if self.tellable is None else self.tellable
            return np.asarray((self.sizes == whole) & (whole > 1), np.bool_)
        mixed = (
            (self.high == missing) & (self.low != missing) if missing >= 0 else np.zeros(self.count, np.bool_)
        )
        if self.node is not None:
            leaf = self.domain.hierarchy.is_leaf(self.node) if self.domain.hierarchy is not None else False
            mixed = mixed | ((self.node == 0) & ~leaf)
        return np.asarray(mixed, np.bool_)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(R,) Number of codes each region covers."""
        if self.members is not None:
            return np.asarray(np.bitwise_count(self.members).sum(axis=1), np.int64)
        return self.high.astype(np.int64) - self.low + 1

    def member_codes(self, region: int) -> NDArray[np.int64]:
        """Codes of one region, ascending."""
        if self.members is None:
            return np.arange(self.low[region], self.high[region] + 1, dtype=np.int64)
        bits = np.unpackbits(self.members[region].view(np.uint8), bitorder="little")
        return np.asarray(np.flatnonzero(bits), np.int64)

    def contains(self, codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """(R, len(codes)) Whether each region covers each code."""
        codes = np.asarray(codes, np.int64)
        if self.members is not None:
            word, bit = codes >> 6, (codes & 63).astype(np.uint64)
            return ((self.members[:, word] >> bit) & np.uint64(1)).astype(np.bool_)
        return (self.low[:, None] <= codes) & (codes <= self.high[:, None])


@dataclass(frozen=True, eq=False)
class Recoding:
    """The regions of all classes, one `AttributeRegions` per quasi-identifier; ``classes``: their number E.

    ``instead``: what is published in place of the regions of each attribute, empty where nothing is: means, or modes as regions
    of one value each; None for attributes whose regions are published.
    """

    attributes: tuple[AttributeRegions, ...]
    classes: int
    instead: tuple[AttributeRegions | Means | None, ...] = ()

    @property
    def tells(self) -> NDArray[np.bool_]:
        """(E,) Whether some region of a class tells what few of its members have, against what was asked (`Attained`)."""
        found = np.zeros(self.classes, np.bool_)
        for own in self.attributes:
            if own.tells is not None:
                found |= own.tells
        return found

    @property
    def shown(self) -> tuple[AttributeRegions | Means, ...]:
        """What is published of each attribute."""
        if not self.instead:
            return self.attributes
        return tuple(
            regions if own is None else own
            for regions, own in zip(self.attributes, self.instead, strict=True)
        )


def tellable_codes(domain: Domain, published: NDArray[np.integer]) -> NDArray[np.bool_]:
    """(codes,) What a release may tell of an attribute: the values that were declared, and those that are published.

    A value that only withheld or dropped people have would otherwise show in what is published of the others: as a member
    or an end of a region that is wider than its class, or by ``*`` becoming a list of all values but one. The missing value
    is told of where a published record has it, whatever was declared. What an earlier release told of, whose regions are used
    again, is told of as well (``public``).
    """
    told: NDArray[np.bool_] = np.zeros(domain.codes, np.bool_)
    told[: domain.size] = domain.values_declared
    told[published] = True
    if domain.public is not None:
        told[domain.public] = True
    if domain.lattice is not None:
        # Ends of cells and groups of values are declared, whoever has them.
        told[: domain.size] |= domain.shape == "set"
        told[domain.lattice.ends[domain.lattice.ends < domain.size]] |= domain.shape == "interval"
    return told


def recode(data: Microdata, plan: Plan) -> tuple[Plan, Recoding]:
    """Find every class's region; classes with equal regions become one class, because nobody can tell them apart.

    So are those of equal means and modes, where these are published. Merged classes keep the order of the plan's. Regions are of
    what may be told (`tellable_codes`): those that are wider
    than their class end at a value that somebody published has, or that was declared; sets hold only values that somebody
    published has. Where regions grow by what few members have (`Attained`), merged classes are looked at again.
    """
    while any(domain.attained is not None for domain in data.quasi):
        merged, found = _recode(data, plan)
        if merged is plan:
            return plan, found
        plan = merged
    return _recode(data, plan)


def _recode(data: Microdata, plan: Plan) -> tuple[Plan, Recoding]:
    """Find every class's region, and merge classes with equal ones, once."""
    if not data.quasi:
        return replace(plan, classes=np.minimum(plan.classes, 0)), Recoding((), min(plan.count, 1))
    count = plan.count
    classes = np.ascontiguousarray(plan.classes)
    kept = plan.published
    attributes = tuple(
        _attribute_regions(domain, _reach(data, plan, j), classes, count, data.codes[j][kept])
        for j, domain in enumerate(data.quasi)
    )
    instead: tuple[AttributeRegions | Means | None, ...] = ()
    if any(domain.shown != "region" for domain in data.quasi):
        instead = tuple(
            aggregated(domain, codes, classes, count)
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        )
    found = Recoding(attributes, count, instead)
    groups = (
        group_codes([a.of for a in found.shown], [a.count for a in found.shown])
        if attributes and count
        else None
    )
    if groups is None or groups.count == count:
        return plan, found
    merged = np.where(classes >= 0, groups.of[classes], -1)
    plan = replace(plan, classes=merged)
    if not instead:
        return plan, Recoding(tuple(replace(a, of=a.of[groups.first]) for a in attributes), groups.count)
    # What is published of two classes that show the same is what is published of their union, but the union spans more.
    merged_regions = tuple(
        _attribute_regions(domain, _reach(data, plan, j), merged, groups.count, data.codes[j][kept])
        for j, domain in enumerate(data.quasi)
    )
    own = tuple(None if a is None else replace(a, of=a.of[groups.first]) for a in instead)
    return plan, Recoding(merged_regions, groups.count, own)


def merge_equal(here: Microdata, plan: Plan) -> Plan:
    """Merge classes whose regions are equal: regions of all records, where rows are individuals."""
    if here.members is None:
        return recode(here, plan)[0]
    of = here.members.of
    merged, _ = recode(here.members.records, spread(plan, of))
    classes = np.full(here.size, -1, np.int64)
    classes[of] = merged.classes
    return replace(plan, classes=classes)


def aggregated(
    domain: Domain, codes: NDArray[np.int32], classes: NDArray[np.int64], count: int
) -> AttributeRegions | Means | None:
    """Find what is published of every class in place of its region: means, or modes; None where regions are.

    ``codes``, ``classes`` (n,): as for `class_means`. The mode is the value that most records have, of equally frequent ones the
    first of the domain; the missing value is one, the last.
    """
    if domain.shown == "region":
        return None
    if domain.shown == "mean":
        return class_means(domain, codes, classes, count)
    kept = np.flatnonzero(classes >= 0)
    pairs, often = np.unique(classes[kept] * domain.codes + codes[kept], return_counts=True)
    order = np.lexsort((pairs, -often, pairs // domain.codes))
    first = np.searchsorted(pairs[order] // domain.codes, np.arange(count))
    groups = group_keys(pairs[order][first] % domain.codes)
    mode = (pairs[order][first] % domain.codes)[groups.first].astype(np.int32)
    if domain.shape == "tree" and domain.hierarchy is not None:
        missing = mode == domain.missing_code
        node = np.where(missing, -1, domain.hierarchy.leaf_node[np.where(missing, 0, mode)])
        return AttributeRegions(domain, groups.of, mode, mode, node.astype(np.int32))
    if domain.shape == "interval":
        return AttributeRegions(domain, groups.of, mode, mode)
    bits = np.zeros((mode.size, (domain.codes + 63) // 64), np.uint64)
    bits[np.arange(mode.size), mode >> 6] = np.uint64(1) << (mode & 63).astype(np.uint64)
    return AttributeRegions(domain, groups.of, mode, mode, None, bits)


def _reach(data: Microdata, plan: Plan, j: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Smallest and largest code that the region of each record's class must cover because of this record."""
    codes = np.ascontiguousarray(data.codes[j])
    # Where no region is published, none can be wider than its class.
    if plan.bounds is None or data.quasi[j].shown != "region":
        return codes, codes
    low, high = plan.bounds[:, j]
    if data.individuals is None:
        return np.ascontiguousarray(low), np.ascontiguousarray(high)
    # Bounds are of one record of each individual; its others may lie outside.
    return np.minimum(low, codes), np.maximum(high, codes)


def _attribute_regions(
    domain: Domain,
    reach: tuple[NDArray[np.int32], NDArray[np.int32]],
    classes: NDArray[np.int64],
    count: int,
    published: NDArray[np.int32],
) -> AttributeRegions:
    """Regions of one attribute."""
    from likeness.kernels.hulls import class_ranges, class_sets

    tellable = tellable_codes(domain, published)
    low, high = class_ranges(reach[0], classes, count)
    if domain.attained is not None:
        return _grown(domain, reach[0], classes, (low, high), published, int(np.count_nonzero(tellable)))
    if reach[1] is not reach[0]:
        high = class_ranges(reach[1], classes, count)[1]
        low, high = _drawn_in(low, high, tellable)
    if domain.lattice is not None:
        low, high = domain.lattice.first[low], domain.lattice.last[high]
    if domain.shape == "set":
        words = (domain.codes + 63) // 64
        bits = (
            class_sets(reach[0], classes, count, words)
            if reach[1] is reach[0]
            else _runs(low, high, np.bincount(published, minlength=domain.codes) > 0, words)
        )
        if domain.lattice is not None:
            bits = domain.lattice.whole(bits)
        return _set_regions(domain, low, high, bits, int(np.count_nonzero(tellable)))
    if domain.shape == "tree":
        return _tree_regions(domain, low, high)
    return _interval_regions(domain, low, high)


def _grown(
    domain: Domain,
    codes: NDArray[np.int32],
    classes: NDArray[np.int64],
    hull: tuple[NDArray[np.int32], NDArray[np.int32]],
    published: NDArray[np.int32],
    tellable: int,
) -> AttributeRegions:
    """Regions of one attribute that grow by what few members have; ``hull``: smallest and largest code of each class."""
    from likeness.kernels.hulls import class_sets

    attained = domain.attained
    assert attained is not None  # noqa: S101  # asked only of such domains
    low, high = hull
    count = low.size
    members = np.bincount(classes[classes >= 0], minlength=count)
    smallest = members <= attained.least
    tells: NDArray[np.bool_] = members < attained.least
    if domain.shape == "set":
        bits = class_sets(codes, classes, count, (domain.codes + 63) // 64)
        present = np.bincount(published, minlength=domain.codes) > 0
        bits, tells = grown_sets(bits, members, present, attained)
        tells |= listed_alone(bits, members, np.flatnonzero(present), attained)
        found = _set_regions(domain, low, high, bits, tellable)
        own = [found.member_codes(region) for region in range(found.count)]
        first, final = (np.array([codes[i] for codes in own], np.int32) for i in (0, -1))
        return replace(found, low=first, high=final, tells=tells)
    missing = domain.missing_code
    mixed = (high == missing) & (low != missing) if missing >= 0 else np.zeros(count, np.bool_)
    if domain.shape == "tree":
        tree = domain.hierarchy
        assert tree is not None  # noqa: S101  # the shape tree always has one
        here = smallest & (low != high)
        last = np.minimum(high, domain.size - 1)
        lowest = tree.common_ancestor(np.minimum(low, last), last)
        node = several_children(tree, domain.max_level)[np.where(mixed, 0, lowest)]
        tells |= here & (node < 0)
        grows = here & (node >= 0) & ~mixed
        low = np.where(grows, tree.left[node], low).astype(np.int32)
        high = np.where(grows, tree.right[node], high).astype(np.int32)
        return replace(_tree_regions(domain, low, high), tells=tells)
    assert attained.places is not None  # noqa: S101  # intervals always have them
    kept = classes >= 0
    of, inside = classes[kept], codes[kept]
    few = [np.bincount(of[inside == ends[of]], minlength=count) < attained.least for ends in (low, high)]
    grows = (high < domain.size) & (low < high)
    places = attained.places
    ends = places[np.where(grows, low, 0)], places[np.where(grows, high, 0)]
    begin, end = grown_intervals(ends, (few[0], few[1]), members, attained)
    tells |= mixed & smallest
    if attained.first is not None and attained.last is not None:
        tells |= grows & (begin == 0) & (end == attained.last) & smallest & whole_tells(attained.last)
    low = np.where(grows, np.searchsorted(places, begin), low).astype(np.int32)
    high = np.where(grows, np.searchsorted(places, end), high).astype(np.int32)
    return replace(_interval_regions(domain, low, high), tells=tells)


def _set_regions(
    domain: Domain, low: NDArray[np.int32], high: NDArray[np.int32], bits: NDArray[np.uint64], whole: int
) -> AttributeRegions:
    """Regions that are sets, given by their bits; ``whole``: how many values everything is made of."""
    words = bits.shape[1]
    by_word = [group_keys(np.ascontiguousarray(bits[:, word]).view(np.int64)) for word in range(words)]
    groups = group_codes([g.of for g in by_word], [g.count for g in by_word]) if words > 1 else by_word[0]
    first = groups.first
    return AttributeRegions(domain, groups.of, low[first], high[first], None, bits[first], whole)


def _interval_regions(domain: Domain, low: NDArray[np.int32], high: NDArray[np.int32]) -> AttributeRegions:
    """Regions that are intervals of codes; what mixes the missing value with others is everything."""
    if domain.missing:
        mixed = (high == domain.missing_code) & (low != domain.missing_code)
        low = np.where(mixed, 0, low).astype(np.int32)
    groups = group_keys(low.astype(np.int64) * domain.codes + high)
    return AttributeRegions(domain, groups.of, low[groups.first], high[groups.first])


def _drawn_in(
    low: NDArray[np.int32], high: NDArray[np.int32], tellable: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Draw the ends of regions in to codes that may be told; every region has such a code, its members'."""
    codes = np.arange(tellable.size)
    at_most = np.maximum.accumulate(np.where(tellable, codes, 0))
    at_least = np.minimum.accumulate(np.where(tellable, codes, tellable.size - 1)[::-1])[::-1]
    return at_least[low].astype(np.int32), at_most[high].astype(np.int32)


def _runs(
    low: NDArray[np.int32], high: NDArray[np.int32], published: NDArray[np.bool_], words: int
) -> NDArray[np.uint64]:
    """(classes, words) Bits of all published codes from a smallest to a largest one."""
    codes = published.size
    below = np.zeros((codes + 1, words * 64), np.uint8)
    below[:, :codes] = (np.arange(codes)[None, :] < np.arange(codes + 1)[:, None]) & published
    packed = np.packbits(below, axis=1, bitorder="little").view(np.uint64)
    return np.asarray(packed[high.astype(np.int64) + 1] & ~packed[low.astype(np.int64)])


def _tree_regions(domain: Domain, low: NDArray[np.int32], high: NDArray[np.int32]) -> AttributeRegions:
    """Lowest common ancestors; the missing value is one more leaf directly under the root."""
    hierarchy = domain.hierarchy
    assert hierarchy is not None  # noqa: S101  # the shape tree always has one
    missing = domain.missing_code
    real_high = np.where(high == missing, domain.size - 1, high) if missing >= 0 else high
    real_low = np.where(low == missing, domain.size - 1, low) if missing >= 0 else low
    node = hierarchy.common_ancestor(real_low, real_high).astype(np.int64)
    if missing >= 0:
        node = np.where(high == missing, np.where(low == missing, -1, 0), node)
    groups = group_keys(node.astype(np.int64))
    distinct = node[groups.first].astype(np.int64)
    inner = distinct >= 0
    left = np.where(inner, hierarchy.left[distinct], missing)
    right = np.where(inner, hierarchy.right[distinct], missing)
    if missing >= 0:
        # The published root says "anything", the missing value included, whether or not a member is missing.
        right = np.where(distinct == 0, missing, right)
    return AttributeRegions(
        domain, groups.of, left.astype(np.int32), right.astype(np.int32), distinct.astype(np.int32)
    )


class CellLoss(ABC):
    """What generalizing one cell costs, from 0 (exact) to 1 (anything)."""

    name: ClassVar[str]
    crowd: ClassVar[float] = 0.0
    """What a record loses by each that shares its class, itself included, beside what its cells lose."""

    def withheld(self, records: int) -> float:  # noqa: ARG002  # of cells it is the same in every table
        """What a record is charged that is withheld, of a table of so many."""
        return 1.0

    def positions(self, domain: Domain) -> NDArray[np.float64]:
        """(codes,) Position of each code of an interval attribute; an interval loses its ends' distance.

        The missing value lies two domain widths away, so that mixing it with others always costs everything.
        """
        return domain.places(2.0)

    @abstractmethod
    def by_count(self, size: int) -> NDArray[np.float64]:
        """(size + 1,) Loss of a set of u = 0 … size values out of ``size``."""


@dataclass(frozen=True)
class GlmLoss(CellLoss):
    """Generalized loss metric: (u - 1) / (|D| - 1), (high - low) / (domain width) (Iyengar 2002)."""

    name: ClassVar[str] = "glm"

    def by_count(self, size: int) -> NDArray[np.float64]:
        """(u - 1) / (size - 1)."""
        return np.maximum(np.arange(size + 1) - 1, 0) / max(1, size - 1)


@dataclass(frozen=True)
class NcpLoss(CellLoss):
    """Normalized certainty penalty: u / |D| once u > 1 (Sarrafi Aghdam & Sonehara 2016, eq. 1-2; Cao & Karras 2012, eq. 2-3)."""

    name: ClassVar[str] = "ncp"

    def by_count(self, size: int) -> NDArray[np.float64]:
        """0 up to one value, u / size beyond."""
        loss = np.arange(size + 1) / max(1, size)
        loss[:2] = 0.0
        return loss


@dataclass(frozen=True)
class IlossLoss(CellLoss):
    """ILoss: (|v_g| - 1) / |D| (Xiao & Tao 2006; Sarrafi Aghdam & Sonehara 2016, eq. 4), numbers in a discrete domain."""

    name: ClassVar[str] = "iloss"

    def positions(self, domain: Domain) -> NDArray[np.float64]:
        """Positions in steps of one value of the discrete domain."""
        if domain.kind in {"integer", "date"}:
            own = (domain.numbers - domain.low) / (domain.width + 1)
        else:
            own = np.arange(domain.size) / max(1, domain.size)
        return np.append(own, 2.0) if domain.missing else own

    def by_count(self, size: int) -> NDArray[np.float64]:
        """(u - 1) / size."""
        return np.maximum(np.arange(size + 1) - 1, 0) / max(1, size)


class DiscernibilityLoss(NcpLoss):
    """How many share a class with a record, in millionths (Bayardo & Agrawal 2005).

    Of moves that lower it as much the one is made after which cells lose less (NCP); no move is worth it for them alone.
    """

    name: ClassVar[str] = "discernibility"
    crowd: ClassVar[float] = 1e-6

    def withheld(self, records: int) -> float:
        """Everybody: who is withheld could be any of them."""
        return self.crowd * records

    def positions(self, domain: Domain) -> NDArray[np.float64]:
        """Those of NCP, too small for a move to be worth it."""
        return _TIE * super().positions(domain)

    def by_count(self, size: int) -> NDArray[np.float64]:
        """That of NCP, too small for a move to be worth it."""
        return _TIE * super().by_count(size)


_TIE = 1e-12
"""What a cell loses beside: thousands of records together less than what a move must gain."""
LOSSES: dict[str, CellLoss] = {loss.name: loss for loss in (GlmLoss(), NcpLoss(), IlossLoss())}
"""Cell losses by name."""
LOWERED: dict[str, CellLoss] = LOSSES | {DiscernibilityLoss.name: DiscernibilityLoss()}
"""All losses that classes can be searched by, by name."""


def attribute_weights(domains: Sequence[Domain]) -> NDArray[np.float64]:
    """(d,) Attribute weights that sum to 1, or are all 0."""
    weights = np.array([domain.weight for domain in domains], np.float64)
    total = weights.sum()
    return weights / total if total > 0 else weights


def region_losses(regions: AttributeRegions, loss: CellLoss) -> NDArray[np.float64]:
    """(R,) Unweighted loss of every distinct region of one attribute."""
    domain = regions.domain
    if domain.shape == "interval":
        positions = loss.positions(domain)
        return np.asarray(np.minimum(1.0, positions[regions.high] - positions[regions.low]))
    covered = regions.sizes
    if regions.members is None:
        # The root stands for the missing value too, whether or not the class has one.
        covered = np.where(regions.everything, domain.codes, covered)
    return loss.by_count(domain.codes)[covered]


def losses_together(
    regions: AttributeRegions, one: int, loss: CellLoss, among: slice = slice(None)
) -> NDArray[np.float64]:
    """Unweighted loss of classes of one attribute, each joined with class ``one``, their regions taken as they are."""
    of, mine = regions.of[among], int(regions.of[one])
    if regions.count <= of.size:
        # Region by region, where these are fewer than classes.
        return _losses_with(regions, mine, loss, np.arange(regions.count))[of]
    return _losses_with(regions, mine, loss, of)


def _losses_with(
    regions: AttributeRegions, mine: int, loss: CellLoss, of: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Unweighted loss of some regions of one attribute, each joined with another."""
    domain = regions.domain
    if regions.members is not None:
        covered = np.bitwise_count(regions.members[of] | regions.members[mine]).sum(axis=1)
        return np.asarray(loss.by_count(domain.codes)[covered])
    low = np.minimum(regions.low[of], regions.low[mine])
    high = np.maximum(regions.high[of], regions.high[mine])
    if domain.shape == "interval":
        positions = loss.positions(domain)
        return np.asarray(np.minimum(1.0, positions[high] - positions[low]))
    tree, last = domain.hierarchy, domain.size - 1
    assert tree is not None  # noqa: S101  # the shape tree always has one
    covered = tree.leaf_count(tree.common_ancestor(np.minimum(low, last), np.minimum(high, last)))
    covered = np.where(
        low > last, 1, np.where((high > last) | (covered == domain.size), domain.codes, covered)
    )
    return np.asarray(loss.by_count(domain.codes)[covered])


def geometry(domains: Sequence[Domain], loss: CellLoss) -> Geometry:
    """Lay out the quasi-identifiers for the search kernels, losses weighted; ``loss``: the one to minimise."""
    from likeness.kernels.hulls import INTERVAL, SET, TREE, Geometry

    d = len(domains)
    weights = attribute_weights(domains)
    codes = max((domain.codes for domain in domains), default=1)
    nodes = max(
        (len(x.hierarchy.labels) + 1 for x in domains if x.hierarchy is not None and x.shape == "tree"),
        default=1,
    )
    kind = np.zeros(d, np.int8)
    position, set_loss = np.zeros((d, codes)), np.zeros((d, codes + 1))
    parent, right = np.full((d, nodes), -1, np.int32), np.zeros((d, nodes), np.int32)
    node_loss, leaf_node = np.zeros((d, nodes)), np.zeros((d, codes), np.int32)
    word = np.zeros(d + 1, np.int64)
    for j, (domain, weight) in enumerate(zip(domains, weights, strict=True)):
        word[j + 1] = word[j]
        by_count = weight * loss.by_count(domain.codes)
        if domain.shape == "interval":
            kind[j] = INTERVAL
            own = weight * loss.positions(domain)
            # Cells are all as wide: what their width adds is the same whoever is together.
            position[j, : domain.codes] = own if domain.lattice is None else own[domain.lattice.first]
        elif domain.shape == "set":
            kind[j] = SET
            set_loss[j, : domain.codes + 1] = by_count
            word[j + 1] += (domain.codes + 63) // 64
        else:
            kind[j] = TREE
            tree = domain.hierarchy
            assert tree is not None  # noqa: S101  # the shape tree always has one
            count = len(tree.labels)
            parent[j, :count], right[j, :count] = tree.parent, tree.right
            cells = None if domain.lattice is None else domain.lattice.node
            leaf_node[j, : domain.size] = tree.leaf_node if cells is None else cells
            leaves = tree.right - tree.left + 1
            if domain.missing:
                # The missing value is one more leaf directly under the root.
                parent[j, count], right[j, count], leaf_node[j, domain.size] = 0, domain.size, count
                right[j, 0] = domain.size
                leaves = np.append(leaves, 1)
                leaves[0] += 1
                count += 1
            node_loss[j, :count] = by_count[leaves]
    sizes = np.array([domain.codes for domain in domains], np.int64)
    return Geometry(kind, sizes, position, weights, parent, right, node_loss, leaf_node, set_loss, word)


__all__ = [
    "LOSSES",
    "LOWERED",
    "CellLoss",
    "DiscernibilityLoss",
    "geometry",
    "losses_together",
    "region_losses",
]
