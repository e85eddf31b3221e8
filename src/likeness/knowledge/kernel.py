"""A kernel prior: whoever knows people alike knows what they are likely to have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction  # noqa: TC003  # the schema of policies reads annotations
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, TableError
from likeness.exact import rational
from likeness.knowledge.base import MOST_CELLS, UNLIKE, KnowledgeSource, Subject, path_of, refuse_size
from likeness.knowledge.beside import Beside, join_domains
from likeness.knowledge.reach import reach
from likeness.microdata.grouping import group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain

_GRID = 1 << 27
"""Cells of the grid of all values that are spread axis by axis; above, pairs of tuples are looked at."""


@dataclass(frozen=True)
class KernelKnowledge(KnowledgeSource):
    """An adversary who knows the table smoothed: what people with similar quasi-identifiers have.

    The belief in value s of somebody with quasi-identifiers q is ``Σ_t [t has s] Π_i K(d_i(q, t) / B_i)`` over the records t,
    divided by the same sum without the condition, with Epanechnikov's kernel ``K(x) = 1 - x²`` below 1, else 0. Distances d_i are
    ``|q_i - t_i|`` over the width of the domain for numbers, dates and ordered values, the height of the lowest common ancestor
    over that of the hierarchy for hierarchical ones, 0 or 1 for plain categories and the missing value.

    So a bandwidth of at most 1 on a plain category means that it is known exactly, and one from 1.5 on that it tells hardly
    anything.

    Parameters
    ----------
    bandwidth
        B, above 0: one for all quasi-identifiers, or by column; columns that are left out then tell nothing.
    leave_one_out
        Whether a record is left out of what is known of itself; who has nobody like them is then believed to have what
        everybody has.
    from_
        A public table to learn from instead of the own one: its path from the policy's folder; the key ``from``
        in policies. Its columns mean what the policy says of the own ones. People who have nobody like them there are
        believed to have what everybody has there.

    References
    ----------
    Li, Li & Zhang 2009, section III (Nadaraya 1964, Watson 1964); Amiri et al. 2016.

    Examples
    --------
    >>> KernelKnowledge(0.3)
    KernelKnowledge(bandwidth=0.3)
    """

    bandwidth: float | str | Fraction | Mapping[str, float | str | Fraction]
    leave_one_out: bool = False
    from_: str | None = None

    name: ClassVar[str] = "kernel"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.bandwidth if isinstance(self.bandwidth, Mapping) else {"": self.bandwidth}
        if not given:
            raise PolicyError("kernel: bandwidth: give one for all columns, such as 0.3, or one by column")
        for column, value in given.items():
            where = f"kernel: bandwidth{f' of {column!r}' if column else ''}"
            if isinstance(value, bool) or not _is_positive(value):
                raise PolicyError(f"{where} must be a number above 0; got {value!r}")
        if self.from_ is not None:
            object.__setattr__(self, "from_", path_of(self.name, "from", self.from_))
            if self.leave_one_out:
                raise PolicyError("kernel: leave_one_out is about the own table; leave it out, or from")

    def __repr__(self) -> str:
        """Only what differs from the defaults."""
        more = ", leave_one_out=True" if self.leave_one_out else ""
        more += f", from_={self.from_!r}" if self.from_ is not None else ""
        return f"KernelKnowledge(bandwidth={self.bandwidth!r}{more})"

    @property
    def facts(self) -> dict[str, Any]:
        """The bandwidth, and whether it was learnt from another table; never from which."""
        given = self.bandwidth
        plain = (
            {key: str(value) for key, value in given.items()} if isinstance(given, Mapping) else str(given)
        )
        more = {"leave_one_out": self.leave_one_out, "from": self.from_ is not None}
        return {"bandwidth": plain} | {key: True for key, given in more.items() if given}

    def meaning(self, subject: Subject) -> Iterator[tuple[str, str]]:
        """Say of every quasi-identifier how far the kernel reaches."""
        scales = self._scales(subject)
        for j, domain in enumerate(subject.data.quasi):
            yield domain.name, _reach(domain, scales[j]) if j in scales else "tells nothing"

    @classmethod
    def check_facts(cls, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Make the same kernel of them."""
        given = dict(facts)
        elsewhere = given.pop("from", False)
        return cls(**given, from_="another table" if elsewhere is True else None).facts

    @classmethod
    def told(cls, facts: Mapping[str, Any]) -> str:
        """Say it in words."""
        width = facts["bandwidth"]
        by = (
            " and ".join(f"{value} on {name!r}" for name, value in width.items())
            if isinstance(width, Mapping)
            else width
        )
        beside = ", each person left out of what is known of them" if facts.get("leave_one_out") else ""
        table = "another table" if facts.get("from") else "the table itself"
        return f"what people alike have: {table}, smoothed by a kernel of bandwidth {by}{beside}"

    def shares(self, subject: Subject) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Smooth the table."""
        data, values = subject.data, subject.domain.codes
        scales = self._scales(subject)
        if self.from_ is not None:
            return self._learn_elsewhere(subject, scales, self.from_)
        used = list(scales)
        domains = [data.quasi[j] for j in used]
        of, first = _tuples(data.codes[used], domains)
        refuse_size(self, first.size, values)
        counts = np.bincount(of * values + subject.codes, minlength=first.size * values).reshape(-1, values)
        axes = self._axes(domains, list(scales.values()))
        smoothed = spread(axes, np.ascontiguousarray(data.codes[used][:, first]), counts.astype(np.float64))
        if not self.leave_one_out:
            return smoothed, of
        pairs = group_codes([of, subject.codes], [first.size, values])
        own, value = of[pairs.first], subject.codes[pairs.first]
        left = smoothed[own]
        left[np.arange(own.size), value] -= 1.0  # the kernel at distance 0
        # What is left of somebody alone is what rounding leaves.
        alone = left.sum(axis=1) < 1e-9 * smoothed[own].sum(axis=1)
        left[alone] = subject.totals
        return np.maximum(left, 0.0), pairs.of

    def _learn_elsewhere(
        self, subject: Subject, scales: dict[int, float], path: str
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Smooth another table where people of the own one are."""
        data, values = subject.data, subject.domain.codes
        beside = Beside.read(subject, path, f"knowledge: {self.name}: from")
        names = [subject.original_name(data.quasi[j].name) for j in scales]
        sensitive = subject.original_name(subject.domain.name)
        beside.check_columns([*names, sensitive])
        domains, columns, theirs = [], [], []
        for j, name in zip(scales, names, strict=True):
            found = beside.attribute(name)
            joint, mine, their = join_domains(data.quasi[j], found.domain, beside.where)
            domains.append(joint)
            columns.append(mine[data.codes[j]])
            # A dropped record's code is -1.
            theirs.append(np.append(their, -1)[found.codes])
        there = beside.attribute(sensitive)
        codes = np.append(there.domain.codes_in(subject.domain), -1)[there.codes]
        unknown = np.flatnonzero((codes < 0) & (there.codes >= 0))
        if unknown.size:
            label = there.domain.name_of(int(there.codes[unknown[0]]))
            raise TableError(
                f"{beside.where}: {sensitive!r} is {label} in {beside.table.where(int(unknown[0]), sensitive)}, which nobody "
                "in the table has; declare it (domain, or a hierarchy file), or leave such records out"
            )
        kept = np.flatnonzero(np.all([codes >= 0, *(column >= 0 for column in theirs)], axis=0))
        if not kept.size:
            raise TableError(f"{beside.where}: every record has a missing value and is dropped")
        whole = np.array(
            [np.concatenate([a, b[kept]]) for a, b in zip(columns, theirs, strict=True)], np.int32
        )
        of, first = _tuples(whole.reshape(len(scales), data.size + kept.size), domains)
        refuse_size(self, first.size, values)
        counts = np.bincount(of[data.size :] * values + codes[kept], minlength=first.size * values)
        axes = self._axes(domains, list(scales.values()))
        smoothed = spread(
            axes, np.ascontiguousarray(whole[:, first]), counts.reshape(-1, values).astype(np.float64)
        )
        # Tuples are numbered as they appear, those of the own table first.
        of = of[: data.size]
        own = smoothed[: int(of.max()) + 1]
        unlike = own.sum(axis=1) == 0
        own[unlike] = np.bincount(codes[kept], minlength=values)
        subject.counted[UNLIKE] = int(np.count_nonzero(unlike[of]))
        return own, of

    def _scales(self, subject: Subject) -> dict[int, float]:
        """Bandwidth of every quasi-identifier that tells something, by position."""
        if not isinstance(self.bandwidth, Mapping):
            return dict.fromkeys(range(len(subject.data.quasi)), float(rational(self.bandwidth)))
        places = subject.find_quasi(self.bandwidth, f"knowledge: {self.name}")
        widths = map(float, map(rational, self.bandwidth.values()))
        return dict(sorted(zip(places, widths, strict=True)))

    def _axes(self, domains: list[Domain], scales: list[float]) -> list[NDArray[np.float64]]:
        """Weights of the values of each attribute."""
        large = next((domain for domain in domains if domain.codes**2 > MOST_CELLS), None)
        if large is not None:
            raise PolicyError(
                f"knowledge: {self.name}: {large.name!r} has {large.codes:,} values, whose distances do not fit; "
                "coarsen it, or leave it out of bandwidth"
            )
        return [weights(domain, scale) for domain, scale in zip(domains, scales, strict=True)]


def _tuples(columns: NDArray[np.int32], domains: list[Domain]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which distinct tuple each record has, and the first record of each; of no columns everybody's is one."""
    if not domains:
        return np.zeros(columns.shape[1], np.int64), np.zeros(1, np.int64)
    groups = group_codes(columns, [domain.codes for domain in domains])
    return groups.of, groups.first


def _is_positive(value: Any) -> bool:
    """Whether a value is a number above 0."""
    try:
        return rational(value) > 0
    except (PolicyError, ValueError, TypeError, ArithmeticError):
        return False


def _reach(domain: Domain, width: float) -> str:
    """Say which values of an attribute count as like one another, under a bandwidth."""
    if domain.shape == "tree" and domain.hierarchy is not None:
        levels = [
            level for level in range(domain.hierarchy.height + 1) if level / domain.hierarchy.height < width
        ]
        return f"people count whose values meet at level {levels[-1]} of {domain.hierarchy.height} or below"
    plain = domain.shape in {"set", "tree"}
    return reach(None if plain else domain.width, width, "days" if domain.kind == "date" else "")


def distances(domain: Domain) -> NDArray[np.float64]:
    """(codes, codes) Distances of the values of an attribute, between 0 and 1; the missing value is 1 from all others."""
    size, codes = domain.size, domain.codes
    found = np.ones((codes, codes))
    if domain.shape == "interval":
        places = domain.places(0.0)[:size]
        found[:size, :size] = np.abs(places[:, None] - places[None, :])
    elif domain.shape == "tree" and domain.hierarchy is not None:
        ranks = np.array([domain.hierarchy.rank_of[label] for label in domain.labels], np.int64)
        found[:size, :size] = domain.hierarchy.distance(ranks[:, None], ranks[None, :])
    np.fill_diagonal(found, 0.0)
    return found


def weights(domain: Domain, bandwidth: float) -> NDArray[np.float64]:
    """(codes, codes) Epanechnikov's kernel of the distances of an attribute's values, without its constant."""
    return np.maximum(0.0, 1.0 - (distances(domain) / bandwidth) ** 2)


def spread(
    axes: list[NDArray[np.float64]], tuples: NDArray[np.int32], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(u, m) Sum the counts of all tuples, each weighted by the product of the kernels, for every tuple.

    ``axes``: weights (codes, codes) of each attribute; ``tuples`` (d, u) codes; ``counts`` (u, m). Axis by axis: what one
    attribute spreads is spread by the next. An attribute of which only equal values count mixes nothing: it divides the tuples.
    """
    from likeness.knowledge.kernels import spread_axis, spread_pairs

    mixing = [i for i, axis in enumerate(axes) if np.count_nonzero(axis) > axis.shape[0]]
    if not mixing:
        return counts
    fixed = [i for i in range(len(axes)) if i not in mixing]
    apart = group_codes(tuples[fixed], [axes[i].shape[0] for i in fixed]) if fixed else None
    block = np.zeros(tuples.shape[1], np.int64) if apart is None else apart.of
    blocks = 1 if apart is None else apart.count
    shape = [blocks, *(axes[i].shape[0] for i in mixing)]
    m = counts.shape[1]
    if prod(shape) * m > _GRID:
        order = np.argsort(block, kind="stable")
        found = np.empty(counts.shape)
        found[order] = spread_pairs(
            np.concatenate([axes[i].reshape(-1) for i in mixing]),
            np.cumsum([0, *(axes[i].size for i in mixing)]),
            np.array([axes[i].shape[0] for i in mixing]),
            np.ascontiguousarray(tuples[mixing].T[order].astype(np.int64)),
            np.searchsorted(block[order], np.arange(blocks + 1)),
            counts[order],
        )
        return found
    place = np.ravel_multi_index((block, *tuples[mixing]), shape)
    grid = np.zeros((prod(shape), m))
    grid[place] = counts
    before, behind = blocks, prod(shape[1:])
    for axis in (axes[i] for i in mixing):
        behind //= axis.shape[0]
        grid = spread_axis(grid.reshape(before, axis.shape[0], behind * m), axis)
        before *= axis.shape[0]
    return np.asarray(grid.reshape(-1, m)[place])
