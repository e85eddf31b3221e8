"""Regions that were published before: every record goes where it fits, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, Refusal, TableError
from likeness.methods._lattice import one_class
from likeness.methods.base import Method, holding_classes
from likeness.microdata.domain import NUMERIC
from likeness.microdata.plan import Plan, Reason, renumber
from likeness.microdata.regions import attribute_weights, recode, region_losses
from likeness.published.columns import note_on
from likeness.published.regions import Region, read_region, shown_labels
from likeness.published.text import EVERYTHING, MISSING, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likeness.hierarchies import Hierarchy
    from likeness.methods.base import Problem
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain

_MOST_TRIED = 200
"""Regions that people without a class are tried in, at a time."""
_MOST_HELPERS = 60
"""People of other classes who may fill up a region, at most."""
NO_REGION = Reason(
    "fits-no-region",
    "no region of the earlier release that this table can show covers all their quasi-identifiers together",
)
FAIL_THERE = Reason(
    "fails-in-its-regions",
    "in the regions of the earlier release that cover them no class was found that holds the guarantee",
)


def value_outside(column: str) -> Reason:
    """Make the reason why records are withheld whose value of a column no region covers."""
    return Reason(
        "value-in-no-region",
        "no region of the earlier release that this table can show covers their value of {column!r}",
        column=column,
    )


@dataclass(frozen=True)
class RegionsOf(Method):
    """Publish records in regions that are given, those of an earlier release (`likeness.apply`).

    Every record goes to the region of least loss that covers it. Whose class does not hold there goes where most of such people
    are a class together or join one, or where people whom their own class does not need fill a class up; who is then in no
    class that holds is withheld. Regions are shown exactly as they were, or not used: one that this table would show otherwise is
    given up.

    Parameters
    ----------
    columns
        Names of the published quasi-identifiers; without any there is one region, which says nothing.
    regions
        What each region shows in these columns, as it was published.

    Notes
    -----
    Ends of intervals become values of the columns' domains, though nobody has them: they are public already.

    Examples
    --------
    >>> RegionsOf()
    RegionsOf(columns=(), regions=())
    """

    name: ClassVar[str] = "regions-of"
    of_a_release: ClassVar[bool] = True
    columns: tuple[str, ...] = ()
    regions: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "regions", tuple(tuple(own) for own in self.regions))
        if any(len(own) != len(self.columns) for own in self.regions):
            raise PolicyError(Refusal("every region must say something of every column", (self.name,)))

    @property
    def joins_rest(self) -> bool:
        """Never: joined classes would have other regions."""
        return False

    @property
    def bounds_regions(self) -> bool:
        """Where regions are given."""
        return bool(self.columns)

    @property
    def repeats_regions(self) -> bool:
        """Where regions are given."""
        return bool(self.columns)

    @property
    def leaves_surplus(self) -> bool:
        """False: each region has too many of its own, or none."""
        return False

    @property
    def ignores_order(self) -> bool:
        """Always: a record's region depends on its values."""
        return True

    def prepared(self, data: Microdata) -> tuple[Microdata, Reason | None]:
        """Make the ends of the given intervals values of their domains.

        Raises
        ------
        PolicyError
            When the quasi-identifiers are others, or their regions cannot be given.
        """
        if {domain.name for domain in data.quasi} != set(self.columns):
            what = f"regions are of {', '.join(self.columns) or 'no columns'}, and the quasi-identifiers are others"
            raise PolicyError(Refusal(what, (self.name,)))
        quasi, codes = [], []
        for j, domain in enumerate(data.quasi):
            if domain.lattice is not None or domain.attained is not None:
                what = f"column {domain.name!r}: its regions follow declared steps, or grow (form: steps, attained)"
                raise PolicyError(Refusal(what, remedy="apply needs a release without them"))
            wide, own = _widened(domain, data.codes[j], self._ends(domain))
            if wide.shape != "set":
                spans = [_codes_of(region, wide) for region in self._read(wide).values()]
                ends = {code for first, last in spans if first <= last for code in (first, last)}
                # The missing value is told of where a published record has it.
                told = np.array(sorted(ends - {wide.missing_code}), np.int64)
                wide = replace(wide, public=told)
            quasi.append(wide)
            codes.append(own)
        return replace(data, quasi=tuple(quasi), codes=np.array(codes, np.int32)), None

    def run(self, problem: Problem) -> Plan:
        """Put every record into a region that covers it, where the class holds."""
        data = problem.data
        if not self.columns or data.size == 0:
            return one_class(problem)
        low, high = self._laid(data)
        tuples = data.tuples
        there = data.codes[:, tuples.first]
        covers = np.ones((low.shape[1], tuples.count), np.bool_)
        alone = []
        for j in range(len(data.quasi)):
            own = (low[j][:, None] <= there[j]) & (there[j] <= high[j][:, None])
            alone.append(own.any(axis=0))
            covers &= own
        order = np.argsort(self._losses(problem, low, high), kind="stable")
        covers, low, high = covers[order], low[:, order], high[:, order]
        usable = np.asarray((low <= high).all(axis=0))
        shown = [self.regions[i] for i in order.tolist()]
        while True:
            home = _assigned(problem, covers & usable[:, None])
            plan = Plan(renumber(home), bounds=np.stack([low[:, home], high[:, home]]).astype(np.int32))
            if not plan.published.any():
                break
            wrong = np.unique(home[plan.published][self._otherwise(data, plan, home, shown)])
            if not wrong.size:
                break
            usable[wrong] = False
        somewhere = np.asarray(covers.any(axis=0))
        return self._with_reasons(data, plan, somewhere[tuples.of], [own[tuples.of] for own in alone])

    def _with_reasons(
        self, data: Microdata, plan: Plan, fits: NDArray[np.bool_], alone: list[NDArray[np.bool_]]
    ) -> Plan:
        """Say of everybody who is nowhere why."""
        nowhere = ~plan.published
        whole = replace(plan, classes=np.where(nowhere, plan.count, plan.classes))
        for domain, inside in zip(data.quasi, alone, strict=True):
            whole = whole.withhold(nowhere & ~inside, value_outside(domain.name))
        whole = whole.withhold(nowhere & ~fits, NO_REGION)
        return whole.withhold(nowhere & fits, FAIL_THERE)

    def _otherwise(
        self, data: Microdata, plan: Plan, home: NDArray[np.int64], shown: list[tuple[str, ...]]
    ) -> NDArray[np.bool_]:
        """(published,) Whether a record's region would be shown otherwise than it was."""
        merged, recoding = recode(data, plan)
        kept = plan.published
        number = {name: i for i, name in enumerate(self.columns)}
        wrong = np.zeros(int(kept.sum()), np.bool_)
        for domain, regions in zip(data.quasi, recoding.shown, strict=True):
            labels = np.array(shown_labels(regions), object)[regions.of]
            before = np.array([own[number[domain.name]] for own in shown], object)
            wrong |= labels[merged.classes[kept]] != before[home[kept]]
        return wrong

    def _losses(
        self, problem: Problem, low: NDArray[np.int64], high: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """(R,) What a record loses in each region; infinite where this table cannot show it."""
        data, regions = problem.data, low.shape[1]
        usable = np.flatnonzero((low <= high).all(axis=0))
        losses = np.full(regions, np.inf)
        if usable.size:
            # One record a region, which has the region's bounds.
            alike = data.take(np.zeros(usable.size, np.int64))
            own = low[:, usable].astype(np.int32)
            alike = replace(alike, codes=own)
            bounds = np.stack([own, high[:, usable].astype(np.int32)])
            plan, recoding = recode(alike, Plan(np.arange(usable.size), bounds=bounds))
            found = np.zeros(recoding.classes)
            weights = attribute_weights(data.quasi).tolist()
            for attribute, weight in zip(recoding.attributes, weights, strict=True):
                found += weight * region_losses(attribute, problem.loss)[attribute.of]
            losses[usable] = found[plan.classes]
        return losses

    def _laid(self, data: Microdata) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(d, R) First and last code of every region; a last one before the first where this table has no such region."""
        low = np.ones((len(data.quasi), len(self.regions)), np.int64)
        high = np.zeros_like(low)
        for j, domain in enumerate(data.quasi):
            column = self.columns.index(domain.name)
            ends = {text: _codes_of(region, domain) for text, region in self._read(domain).items()}
            found = np.array([ends.get(own[column], (1, 0)) for own in self.regions], np.int64).reshape(-1, 2)
            low[j], high[j] = found.T
        return low, high

    def _read(self, domain: Domain) -> dict[str, Region]:
        """Read the regions of one column, by their texts; what this table's column cannot say is left out."""
        note = note_on(domain, "quasi", np.arange(domain.codes), regions=True)
        column = self.columns.index(domain.name)
        found = {}
        for text in dict.fromkeys(own[column] for own in self.regions):
            try:
                found[text] = _node_of(
                    text, domain.hierarchy if domain.shape == "tree" else None
                ) or read_region(text, note)
            except TableError:
                continue
        return found

    def _ends(self, domain: Domain) -> list[str]:
        """List the texts of the ends of a column's intervals, where its values are numbers."""
        if domain.kind not in NUMERIC or domain.shape != "interval":
            return []
        read = self._read(domain).values()
        return [end for region in read if region.what == "interval" for end in region.ends]


def _assigned(problem: Problem, fits: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(n,) Region of each record, -1 where it is in none; all classes hold.

    ``fits`` (R, T): whether a region, of which those of less loss come first, covers a tuple. Everybody begins in the first that
    covers them. Whose class fails goes where most of such people can be a class, or join one; then people who are not
    needed where they are help them.
    """
    of = problem.data.tuples.of
    home = np.where(fits.any(axis=0), fits.argmax(axis=0), -1)[of]
    holds = np.zeros(fits.shape[0], np.bool_)
    there = np.unique(home[home >= 0])
    holds[there] = problem.holding(
        np.where(home < 0, there.size, np.searchsorted(there, home)), there.size + 1
    )[:-1]
    for fill in (_joined, _helped, _without_some):
        failed: set[int] = set()
        while (region := fill(problem, fits, home, holds, failed)) >= 0:
            holds[region] = True
    home[(home >= 0) & ~holds[home]] = -1
    return home


def _without_class(home: NDArray[np.int64], holds: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Records whose class does not hold."""
    return np.flatnonzero((home >= 0) & ~holds[home])


def _most_first(fits: NDArray[np.bool_], of: NDArray[np.int64], pool: NDArray[np.int64]) -> NDArray[np.int64]:
    """Regions that cover somebody of a pool, those that cover most of them first."""
    many = fits @ np.bincount(of[pool], minlength=fits.shape[1])
    order = np.argsort(-many, kind="stable")
    return order[: min(_MOST_TRIED, int(np.count_nonzero(many)))]


def _joined(
    problem: Problem,
    fits: NDArray[np.bool_],
    home: NDArray[np.int64],
    holds: NDArray[np.bool_],
    failed: set[int],
) -> int:
    """Put as many as a region covers of those without a class there, where they are one or join one; the region, or -1."""
    for region, own in _waiting(problem, fits, home, holds, failed):
        present = np.flatnonzero(home == region) if holds[region] else own[:0]
        if _is_class(problem, np.concatenate([present, own])):
            home[own] = region
            return region
        failed.add(region)
    return -1


def _helped(
    problem: Problem,
    fits: NDArray[np.bool_],
    home: NDArray[np.int64],
    holds: NDArray[np.bool_],
    failed: set[int],
) -> int:
    """Fill a region of people without a class up with others that it covers, whose class does without; the region, or -1."""
    of = problem.data.tuples.of
    for region, own in _waiting(problem, fits, home, holds, failed):
        if holds[region]:
            continue
        others = np.flatnonzero((home >= 0) & holds[home] & fits[region, of])
        sizes = np.bincount(home[home >= 0], minlength=fits.shape[0])
        # The largest classes first: they do without soonest.
        others = others[np.argsort(-sizes[home[others]], kind="stable")][:_MOST_HELPERS]
        before, members = home[others].copy(), own
        for one in others.tolist():
            left, home[one] = home[one], region
            if not _is_class(problem, np.flatnonzero(home == left)):
                home[one] = left
                continue
            members = np.append(members, one)
            if _is_class(problem, members):
                home[own] = region
                return region
        home[others] = before
        failed.add(region)
    return -1


def _waiting(
    problem: Problem,
    fits: NDArray[np.bool_],
    home: NDArray[np.int64],
    holds: NDArray[np.bool_],
    failed: set[int],
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield the regions that have not failed, and who of those without a class each covers; those of most first."""
    of, pool = problem.data.tuples.of, _without_class(home, holds)
    for region in map(int, _most_first(fits, of, pool)):
        if region not in failed:
            yield region, pool[fits[region, of[pool]]]


def _without_some(
    problem: Problem,
    fits: NDArray[np.bool_],
    home: NDArray[np.int64],
    holds: NDArray[np.bool_],
    failed: set[int],
) -> int:
    """Make a class of people without one, but for those whose sensitive values are too many there; the region, or -1."""
    for region, own in _waiting(problem, fits, home, holds, failed):
        if holds[region]:
            continue
        members = own
        while members.size and not _is_class(problem, members):
            members = _fewer(problem.data, members)
        if members.size:
            # The others stay where they were, and so without a class.
            elsewhere = np.setdiff1d(own, members)
            home[elsewhere[home[elsewhere] == region]] = -1
            home[members] = region
            return region
        failed.add(region)
    return -1


def _fewer(data: Microdata, members: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leave out some of those whose sensitive values are most over the share that all records have of them."""
    if not data.sensitive:
        return members[:0]
    over = np.zeros(members.size)
    for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True):
        share = np.bincount(codes, minlength=domain.codes) / codes.size
        here = np.bincount(codes[members], minlength=domain.codes) / members.size
        over = np.maximum(over, (here / np.maximum(share, 1e-300))[codes[members]])
    worst = np.flatnonzero(over == over.max())
    return np.delete(members, worst[: max(1, min(worst.size // 2, members.size // 20))])


def _is_class(problem: Problem, members: NDArray[np.int64]) -> bool:
    """Whether records are a class that holds."""
    alone = problem.data.take(members)
    return bool(members.size) and bool(
        holding_classes(problem.requirements, alone, np.zeros(members.size, np.int64), 1)[0]
    )


def _node_of(text: str, tree: Hierarchy | None) -> Region | None:
    """Read a node of a hierarchy, also of one made from the values, of which certificates tell nothing."""
    if tree is None or text in {EVERYTHING, MISSING} or read_value(text) not in tree.labels:
        return None
    node = tree.labels.index(read_value(text))
    return Region("node", int(tree.left[node]), int(tree.right[node]), text=text)


def _codes_of(region: Region, domain: Domain) -> tuple[int, int]:
    """First and last code of a region; (1, 0) where the domain has none such."""
    if region.what == "everything":
        return 0, domain.codes - 1
    if region.what == "node":
        return (1, 0) if region.low is None else (int(region.low), int(region.high))
    if region.what == "interval":
        ends = [domain.code_of.get(end, -1) for end in region.ends]
        return (ends[0], ends[1]) if min(ends) >= 0 else (1, 0)
    codes = sorted(
        domain.missing_code if value is None else domain.code_of.get(value, -1) for value in region.values
    )
    # Only sets that are all codes from one to another can be bounds.
    whole = codes[0] >= 0 and codes[-1] - codes[0] + 1 == len(codes)
    return (codes[0], codes[-1]) if whole else (1, 0)


def _widened(domain: Domain, codes: NDArray[np.int32], ends: list[str]) -> tuple[Domain, NDArray[np.int32]]:
    """Add ends to the values of a numeric domain; the codes (n,) of its records change with it."""
    if not ends:
        return domain, codes
    of: Any = domain.values.dtype
    more = (
        np.array(ends, "datetime64[D]")
        if domain.kind == "date"
        else np.array(ends, np.float64 if domain.kind == "real" else np.int64)
    )
    values = np.unique(np.concatenate([domain.values, more.astype(of)]))
    wide = replace(domain, values=values)
    numbers = wide.numbers
    wide = replace(wide, low=min(domain.low, float(numbers[0])), high=max(domain.high, float(numbers[-1])))
    moved = np.append(np.searchsorted(values, domain.values), values.size).astype(np.int32)
    return wide, moved[codes]
