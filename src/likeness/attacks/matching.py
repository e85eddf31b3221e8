"""Which published records may be somebody's, for everybody at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.microdata.domain import NUMERIC
from likeness.microdata.grouping import Groups, group_codes, pack
from likeness.microdata.individuals import find_individuals
from likeness.microdata.regions import recode
from likeness.published.regions import position, shown_labels
from likeness.published.text import read_value
from likeness.queries.cells import held

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.forms.base import Publication, ShownColumn
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import ColumnNote
    from likeness.published.regions import Region


@dataclass(frozen=True, eq=False)
class Reach:
    """What regions of one attribute cover, in the codes of the original table.

    ``low``, ``high``: first and last code of a range; of sets, where the members begin and end (exclusive) in ``members``,
    ascending within each.
    """

    is_set: bool
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    members: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many codes each region covers."""
        return np.asarray(np.maximum(0, self.high - self.low + (not self.is_set)), np.int64)

    @property
    def single(self) -> NDArray[np.int64]:
        """The code of each region that covers at most one; -1 where it covers none."""
        first = np.append(self.members, -1)[self.low] if self.is_set else self.low
        return np.asarray(np.where(self.sizes == 1, first, -1), np.int64)

    def take(self, of: NDArray[np.int64]) -> Reach:
        """Reach of chosen regions."""
        return Reach(self.is_set, self.low[of], self.high[of], self.members)


@dataclass(frozen=True, eq=False)
class Match:
    """Distinct targets beside everything that was published of quasi-identifiers.

    ``targets``: which target has which tuple of quasi-identifiers.
    ``codes``: (d, tuples) int32, the distinct tuples in the columns that were published, columns and tuples sorted for
    search; column c of it is tuple ``order[c]``, as ``targets`` numbers them.
    ``reaches``: what every identity's region covers, one for each row of ``codes``.
    ``exact``: (tuples,), the identity that has each tuple (or -1), where all quasi-identifiers were published exactly, or
    each tuple is nearest to one; else None. Where what is shown need not cover people, there is one row of ``codes``, the
    numbers of the tuples, and every identity reaches those that it is nearest to.
    """

    targets: Groups
    codes: NDArray[np.int32]
    order: NDArray[np.int64]
    reaches: tuple[Reach, ...]
    exact: NDArray[np.int64] | None

    def lay_out(self) -> tuple[NDArray[Any], ...]:
        """Codes, kinds, lows, highs and members, as kernels take them."""
        begins = np.cumsum([0] + [reach.members.size for reach in self.reaches])
        shift = [begin * reach.is_set for begin, reach in zip(begins, self.reaches, strict=False)]
        return (
            self.codes,
            np.array([reach.is_set for reach in self.reaches], np.int8),
            np.array([reach.low + by for reach, by in zip(self.reaches, shift, strict=True)], np.int64),
            np.array([reach.high + by for reach, by in zip(self.reaches, shift, strict=True)], np.int64),
            np.concatenate([reach.members for reach in self.reaches]),
        )


def match_targets(
    publication: Publication, original: Microdata, records: NDArray[np.int64], *, another: bool = False
) -> Match:
    """Put the targets ``records`` (t,), positions in ``original``, beside what was published.

    The adversary knows the hierarchies: a node stands for all leaves below it, whether the certificate gives
    them or not. Where the release was made from ``another`` table, whose hierarchies and values may be others, its nodes stand
    for what its certificate, or their labels, say.
    """
    shared = shared_cells(publication, original)
    if not shared:
        # Everybody looks alike: one column of one value.
        alike = Groups(np.zeros(records.size, np.int64), np.zeros(1, np.int64), np.array([records.size]))
        there = np.zeros(int(publication.identities.max(initial=-1)) + 1, np.int64)
        reach = Reach(False, there, there, np.zeros(0, np.int64))
        return Match(alike, np.zeros((1, 1), np.int32), np.zeros(1, np.int64), (reach,), None)
    cells = [own for own, _ in shared]
    domains = [original.quasi[j] for _, j in shared]
    radices = [domain.codes for domain in domains]
    columns = [j for _, j in shared]
    if columns == list(range(len(original.quasi))) and np.array_equal(records, np.arange(original.size)):
        # Everybody, known by everything: these are the table's own tuples, which it may have found already.
        targets = original.tuples
        codes = original.codes[:, targets.first]
    else:
        codes = original.codes[columns][:, records]
        targets = group_codes(codes, radices)
        codes = codes[:, targets.first]
    if not publication.covers:
        return _match_nearest(publication, domains, codes, targets, another=another)
    by_column = _column_order(codes, domains)
    covered = _reach_of_another if another else reach_of
    reaches = tuple(covered(cells[j], domains[j]).take(cells[j].of) for j in by_column)
    codes, radices = codes[by_column], [radices[j] for j in by_column]
    own = np.argsort(pack(codes, radices), kind="stable")
    single = len(cells) == len(publication.cells) and all((reach.sizes <= 1).all() for reach in reaches)
    exact = _exact(codes, radices, reaches) if single else None
    return Match(targets, np.ascontiguousarray(codes[:, own]), own, reaches, exact)


def _match_nearest(
    publication: Publication,
    domains: list[Domain],
    codes: NDArray[np.int32],
    targets: Groups,
    *,
    another: bool,
) -> Match:
    """Put tuples (d, tuples) beside the identities that are nearest to them."""
    # The adversary knows the hierarchies; those of another table are the release's own.
    trees = [domain.hierarchy if domain.shape == "tree" and not another else None for domain in domains]
    start, found = publication.nearest(
        {
            domain.name: (own, domain.labels_with(None), tree)
            for domain, own, tree in zip(domains, codes, trees, strict=True)
        }
    )
    tuples, identities = codes.shape[1], int(publication.identities.max(initial=-1)) + 1
    whose = np.repeat(np.arange(tuples), np.diff(start))
    order = np.argsort(found, kind="stable")
    ends = np.searchsorted(found[order], np.arange(identities + 1)).astype(np.int64)
    reach = Reach(True, ends[:-1], ends[1:], whose[order])
    single = tuples > 0 and bool((np.diff(start) <= 1).all())
    exact = np.where(np.diff(start) > 0, np.append(found, -1)[start[:-1]], -1) if single else None
    numbers = np.arange(tuples)
    return Match(targets, numbers[None].astype(np.int32), numbers, (reach,), exact)


def identities_of(publication: Publication, original: Microdata, recoding: Recoding) -> NDArray[np.int64]:
    """(E,) Find the identity that shows what each class shows; -1 where none does."""
    columns = shared_cells(publication, original)
    texts: list[NDArray[np.int64]] = []
    for own, j in columns:
        shown = recoding.shown[j]
        number = {region.text: i for i, region in enumerate(own.regions)}
        labels = np.array([number.get(text, len(number)) for text in shown_labels(shown)], np.int64)
        texts.append(np.concatenate([labels[shown.of], own.of]))
    if not columns:
        return np.zeros(recoding.classes, np.int64)
    both = group_codes(texts, [len(own.regions) + 1 for own, _ in columns]).of
    identity = np.full(int(both.max(initial=-1)) + 1, -1, np.int64)
    identity[both[recoding.classes :]] = np.arange(both.size - recoding.classes)
    return np.asarray(identity[both[: recoding.classes]])


def own_is_nearest(
    publication: Publication, original: Microdata, plan: Plan, records: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """(t,) Whether the classes nearest to each of some records are its own, or one of them is; never where it is withheld."""
    plan, recoding = recode(original, plan)
    mine = np.append(identities_of(publication, original, recoding), -1)[plan.classes[records]]
    match = match_targets(publication, original, records)
    (reach,) = match.reaches
    pairs = np.repeat(np.arange(reach.low.size), reach.sizes) * match.targets.count + reach.members
    return np.isin(mine * match.targets.count + match.targets.of, pairs) & (mine >= 0)


def count_matches(
    publication: Publication, original: Microdata, records: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Groups]:
    """Count the published records whose regions hold all quasi-identifiers of a target; people, where they are linked.

    Parameters as of `match_targets`. The counts (tuples,) are of distinct tuples of quasi-identifiers; the groups say which
    target has which.
    """
    from likeness.attacks.kernels.beliefs import match_counts

    match = match_targets(publication, original, records)
    identities = match.reaches[0].low.size
    if publication.counted is None:
        sizes = np.bincount(publication.identities, minlength=identities).astype(np.int64)
    else:
        sizes = find_individuals(publication.identities, identities, publication.counted).sizes
    if match.exact is not None:
        return np.append(sizes, 0)[match.exact], match.targets
    codes, kind, low, high, members = match.lay_out()
    counts = np.empty(match.order.size, np.int64)
    counts[match.order] = match_counts(codes, kind, low, high, members, sizes)
    return counts, match.targets


def shared_cells(publication: Publication, original: Microdata) -> list[tuple[ShownColumn, int]]:
    """Pair the published quasi-identifiers with their positions in the original table."""
    index = {domain.name: j for j, domain in enumerate(original.quasi)}
    return [(own, index[own.note.name]) for own in publication.cells if own.note.name in index]


def reach_of(cells: ShownColumn, domain: Domain) -> Reach:
    """Find what every distinct region of a column covers.

    Parameters
    ----------
    cells
        The published column.
    domain
        Its values in the original table.
    """
    if domain.shape == "set":
        rank = domain.code_of
        sets = [_member_codes(region, rank, cells.note, domain) for region in cells.regions]
        begins = np.cumsum([0] + [len(codes) for codes in sets])
        return Reach(
            True, begins[:-1], begins[1:], np.array([code for codes in sets for code in codes], np.int64)
        )
    axis = [] if domain.shape == "tree" else _axis(cells.note, domain)
    ranges = [_range(region, axis, cells.note, domain) for region in cells.regions]
    ends = np.array(ranges, np.int64).reshape(-1, 2)
    return Reach(False, ends[:, 0], ends[:, 1], np.zeros(0, np.int64))


def _reach_of_another(cells: ShownColumn, domain: Domain) -> Reach:
    """As `reach_of`, of a release of another table than the domain's."""
    members = [np.asarray(codes, np.int64) for codes in held(cells.note, cells.regions, domain)]
    begins = np.cumsum([0] + [codes.size for codes in members])
    together = np.concatenate([np.zeros(0, np.int64), *members])
    sizes = np.diff(begins)
    low = np.append(together, 0)[begins[:-1]]
    high = np.where(sizes > 0, np.append(together, 0)[begins[1:] - 1], low - 1)
    if domain.shape == "set" or not np.array_equal(high - low + 1, sizes):
        return Reach(True, begins[:-1], begins[1:], together)
    return Reach(False, low, high, np.zeros(0, np.int64))


def _exact(codes: NDArray[np.int32], radices: list[int], reaches: tuple[Reach, ...]) -> NDArray[np.int64]:
    """(tuples,) The identity of the same single values as each tuple, or -1."""
    shown = np.array([reach.single for reach in reaches], np.int64)
    there = np.flatnonzero((shown >= 0).all(axis=0))
    both = group_codes(np.concatenate([codes, shown[:, there].astype(np.int32)], axis=1), radices).of
    own, other = both[: codes.shape[1]], both[codes.shape[1] :]
    identity = np.full(int(both.max(initial=-1)) + 1, -1, np.int64)
    identity[other] = there
    return np.asarray(identity[own])


def _column_order(codes: NDArray[np.int32], domains: list[Domain]) -> list[int]:
    """Columns of few values first, so that sorted targets share long beginnings; last the longest range."""
    distinct = [np.count_nonzero(np.bincount(column)) for column in codes]
    order = sorted(range(len(domains)), key=lambda j: (distinct[j], j))
    ranges = [j for j in order if domains[j].shape != "set"]
    if ranges:
        order.remove(ranges[-1])
        order.append(ranges[-1])
    return order


def _member_codes(region: Region, rank: dict[str, int], note: ColumnNote, domain: Domain) -> list[int]:
    """Codes of a value set, ascending; a value that no original record has matches nobody."""
    values = region.values
    if region.what == "everything":
        if note.values is None:
            return list(range(domain.codes))
        values = frozenset(note.values)
    codes = [domain.missing_code if value is None else rank.get(value, -1) for value in values]
    return sorted(code for code in codes if code >= 0)


def _range(region: Region, axis: list[Any], note: ColumnNote, domain: Domain) -> tuple[int, int]:
    """First and last code of an interval or node; an empty range where no original value lies in it."""
    if region.what == "everything":
        return 0, domain.codes - 1
    if None in region.values and domain.missing:
        return domain.missing_code, domain.missing_code
    if region.what == "interval" and domain.shape == "interval":
        # The text of a real number is the shortest that reads back as it: read back, it is exact.
        real = _is_numeric(note, domain) and domain.kind == "real"
        low, high = (float(end) if real else end for end in (region.low, region.high))
        return bisect_left(axis, low), bisect_right(axis, high) - 1
    if region.what == "node" and domain.shape == "tree" and domain.hierarchy is not None:
        node = domain.hierarchy.node_of(read_value(region.text))
        return int(domain.hierarchy.left[node]), int(domain.hierarchy.right[node])
    return 0, -1


def _axis(note: ColumnNote, domain: Domain) -> list[Any]:
    """Places of the values of an interval attribute, as `Region` has the ends of intervals."""
    if not _is_numeric(note, domain):
        return [position(note, label) for label in domain.labels]
    values = domain.values
    return list(
        (values.astype("datetime64[D]").astype(np.int64) if domain.kind == "date" else values).tolist()
    )


def _is_numeric(note: ColumnNote, domain: Domain) -> bool:
    """Whether a column has the same numbers or dates in both tables, so that they need not be read from their texts."""
    return domain.kind in NUMERIC and domain.kind == note.kind and note.order is None
