"""The deFinetti attack (Kifer 2009): learn from the whole release who in a class has which of its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from likeness.attacks._columns import ColumnAttack, Histograms, column_of, histograms
from likeness.attacks.base import AttackResult, check_targets
from likeness.checks import choice, whole
from likeness.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.attacks.base import Making
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.plan import Plan

_EXACT = 64
"""Largest group whose best assignment is found exactly."""
_BALANCING_ROUNDS = 200
_MOST_SHARES, _MOST_SHARES_OF_CLASS = 2_000_000_000, 1 << 27
"""Shares of a record in a value of its class: minutes of every round, and 1 GB of memory."""
_STILL = 1e-4
"""Shares that move less than this part of all stand still."""


@dataclass(frozen=True)
class DefinettiAttack(ColumnAttack):
    """Assign every class's sensitive values to its members so that they fit what all classes together teach.

    The adversary knows everybody's quasi-identifiers and class. (1) Each class's values are dealt to its members at
    random. (2) A naive Bayes classifier is learnt from all assignments, with Laplace's correction:
    ``Pr[x_j | v] = (n_jv + 1) / (n_v + |domain_j|)``. (3) In every class the values are assigned anew so that
    ``Σ log Pr[v | x]`` is largest. (4) From (2) again, until nothing changes. The success is the share of the records
    that end with their own value; the baseline that of the random deal, ``Σ_G Σ_s c_s² / (|G| P)``.

    Parameters
    ----------
    variant
        ``hard``: as above. ``soft`` (default): every record has a share of each of its class's values, begun even
        and made from ``Pr[v | x]`` by scaling (Sinkhorn) so that records sum to 1 and values to their counts; the
        classifier learns from these shares (expectation maximization), and the largest one is the guess. It does
        not depend on a random deal, and finds more unless classes are very small.
    rounds
        At most so many rounds.
    bins
        Ordered attributes with more values are cut into so many stretches of equally many records for the
        classifier: where nearly everybody is alone with a value, it teaches nothing.
    targets
        Attack only so many records, in whole classes drawn at random, and learn from these alone (which makes a weaker
        adversary); all when left out.
    sensitive
        The column the adversary is after. When left out each is attacked, and the result is that of the largest
        gain, with ``success:COLUMN`` of every one in its details.
    seed
        Of the random deal and of the classes drawn.

    Notes
    -----
    In step (3) the best assignment of a class of up to 64 records is found exactly (the Hungarian method); in larger
    ones values are exchanged between two records while that helps. Among equally good assignments the random order of
    the records decides, never the order of the original.

    In anatomized releases everybody sees who is in which bucket. In generalized ones regions may overlap, in angelized ones
    people of one region are in several buckets, and the adversary is taken to know the class, or bucket, all the same: the
    worst case.

    On Anatomy the paper expects a success below 50 % at l = 5 and below 30 % at l = 7. On Adult (30,162 records,
    occupation, l = 2, 3, 4, 5, 6, 7) it is .80, .62, .49, .35, .27, .17 (hard) and .79, .62, .51, .43, .36, .32 (soft)
    with age, sex and education known, and .83, .66, .53, .41, .24, .17 (hard) and .82, .64, .52, .44, .37, .28 (soft)
    with all eight other attributes: the 30 % at l = 7 do not hold for the soft variant (.28 to .33 in four deals). The hard
    variant depends on the deal (l = 7: from .17 to .25 over three seeds).

    References
    ----------
    Kifer 2009, "Attacks on privacy and deFinetti's theorem"; Cao & Karras 2012, section 7. The assignment
    step is our reading; the paper leaves it open.

    Examples
    --------
    >>> DefinettiAttack(variant="hard")
    DefinettiAttack(sensitive=None, variant='hard', rounds=50, bins=100, targets=None, seed=0)
    """

    variant: str = "soft"
    rounds: int = 50
    bins: int = 100
    targets: int | None = None
    seed: int = 0

    name: ClassVar[str] = "definetti"
    forms: ClassVar[frozenset[str] | None] = frozenset(
        {"anatomized", "angelized", "generalized", "microaggregated", "mixed"}
    )
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "dealing every class's values to its members at random",
        "largest_prior": "share of the most frequent value among the records attacked",
        "most_frequent_of_class": "share that has the most frequent value of its class",
        "rounds": "rounds of learning and assigning",
        "converged": "1 when nothing changed any more, else 0",
        "classes": "classes attacked",
        "targets": "records attacked",
        "exact": "share of the targets in classes whose best assignment is found exactly",
    }

    def __post_init__(self) -> None:
        choice(self.name, "variant", self.variant, ("hard", "soft"))
        whole(self.name, "rounds", self.rounds, at_least=1)
        whole(self.name, "bins", self.bins, at_least=2)
        check_targets(self.name, self.targets, self.seed)

    def attack_column(
        self,
        publication: Publication,  # noqa: ARG002
        original: Microdata,
        making: Making | None,
        sensitive: str,
    ) -> AttackResult:
        """Attack the classes."""
        making = self.insist(making, "who is in which class")
        column = column_of(original.sensitive, sensitive)
        rng = np.random.Generator(np.random.PCG64(self.seed))
        groups = _groups(original, making.plan, column, self.targets, rng)
        if self.variant == "soft":
            self._check_shares(groups.histograms)
        truth = original.sensitive_codes[column][groups.records]
        codes, table_rows = _features(original, groups.records, self.bins)
        world = _World(groups, codes, table_rows, original.sensitive[column].codes)
        assigned, rounds, converged = world.assign(self) if self.variant == "hard" else world.share(self)

        found, size = groups.histograms, max(1, truth.size)
        most = np.zeros(found.sizes.size, np.int64)
        np.maximum.at(most, found.class_of, found.count)
        exact = float(found.sizes[found.sizes <= _EXACT].sum() / size) if self.variant == "hard" else 1.0
        return AttackResult(
            self.name,
            float(np.count_nonzero(assigned == truth) / size),
            min(1.0, float(found.sizes @ found.agreement / size)),
            "share of records whose sensitive value is found by a classifier learnt from all classes",
            {
                "largest_prior": float(np.bincount(truth).max(initial=0) / size),
                "most_frequent_of_class": float(most.sum() / size),
                "rounds": float(rounds),
                "converged": float(converged),
                "classes": float(found.sizes.size),
                "targets": float(truth.size),
                "exact": exact,
            },
        )

    def _check_shares(self, found: Histograms) -> None:
        """Refuse classes of so many records and values that their shares fit in no memory or time."""
        values = np.bincount(found.class_of, minlength=found.sizes.size)
        shares = found.sizes * values
        largest = int(shares.max(initial=0))
        if largest > _MOST_SHARES_OF_CLASS or int(shares.sum()) > _MOST_SHARES:
            at = int(shares.argmax())
            raise PolicyError(
                self._refused(
                    f"classes of up to {int(found.sizes[at])} records with {int(values[at])} sensitive values are "
                    "too large for variant soft, and slow for hard: leave this attack out"
                )
            )


class _ClassMembers(NamedTuple):
    """Who is in which class, and with which values; places are positions among ``records``."""

    records: NDArray[np.int64]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    histograms: Histograms
    value_starts: NDArray[np.int64]


class _World:
    """What the adversary works with, laid out for the kernels."""

    def __init__(
        self, groups: _ClassMembers, codes: NDArray[np.int32], sizes: list[int], values: int
    ) -> None:
        found = groups.histograms
        self.codes, self.values = codes, values
        self.begins = np.cumsum([0, *sizes])[:-1].astype(np.int64)
        self.sizes = np.repeat(np.array(sizes, np.int64), sizes)
        self.laid = (
            groups.members, groups.starts, found.value, found.count, groups.value_starts
        )  # fmt: skip
        # A random deal: the members of a group stand in random order.
        self.dealt = np.empty(groups.records.size, np.int32)
        self.dealt[groups.members] = np.repeat(found.value, found.count)

    def learn(self, counts: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """(rows, m) ``log Pr[x_j | v]`` from counts, with Laplace's correction."""
        return np.asarray(np.log((counts + 1.0) / (totals + self.sizes[:, None])))

    def count(self, assigned: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Count attribute values with sensitive values."""
        shape = self.sizes.size, self.values
        counts = np.zeros(shape)
        for begin, own in zip(self.begins.tolist(), self.codes, strict=True):
            counts += np.bincount(
                (own.astype(np.int64) + begin) * self.values + assigned, minlength=counts.size
            ).reshape(shape)
        return counts, np.bincount(assigned, minlength=self.values).astype(np.float64)

    def assign(self, attack: DefinettiAttack) -> tuple[NDArray[np.int32], int, bool]:
        """Learn and assign in turn; the assignment, the rounds and whether it stood still."""
        from likeness.attacks.kernels.assignment import assign_groups

        assigned = self.dealt
        for done in range(1, attack.rounds + 1):
            table = self.learn(*self.count(assigned))
            if assign_groups(self.codes, self.begins, table, *self.laid, _EXACT, assigned) == 0:
                return assigned, done, True
        return assigned, attack.rounds, False

    def share(self, attack: DefinettiAttack) -> tuple[NDArray[np.int32], int, bool]:
        """Learn from shares and share anew in turn; the likeliest values, the rounds, whether they stood still."""
        from likeness.attacks.kernels.assignment import share_groups

        guess = self.dealt
        counts, totals = np.zeros((self.sizes.size, self.values)), np.zeros(self.values)

        def share(table: NDArray[np.float64], *, even: bool = False) -> None:
            share_groups(
                self.codes, self.begins, table, *self.laid, _BALANCING_ROUNDS, even, guess, counts, totals
            )  # fmt: skip

        share(np.zeros_like(counts), even=True)
        for done in range(1, attack.rounds + 1):
            before = counts.copy()
            share(self.learn(counts, totals))
            if np.abs(counts - before).sum() <= _STILL * counts.sum():
                return guess, done, True
        return guess, attack.rounds, False


def _groups(
    data: Microdata, plan: Plan, column: int, targets: int | None, rng: np.random.Generator
) -> _ClassMembers:
    """Lay out the classes (buckets in two-table forms), with members in random order."""
    labels = plan.classes if plan.buckets is None else plan.buckets
    published = np.flatnonzero(plan.published)
    if targets is not None and targets < published.size:
        order = rng.permutation(np.unique(labels[published]))
        sizes = np.bincount(labels[published])
        enough = int(np.searchsorted(np.cumsum(sizes[order]), targets)) + 1
        published = published[np.isin(labels[published], order[:enough])]
    records = rng.permutation(published)
    _, own = np.unique(labels[records], return_inverse=True)
    shown = data.sensitive_codes if plan.sensitive is None else plan.sensitive
    found = histograms(own.astype(np.int64), shown[column][records], data.sensitive[column].codes)
    count = found.sizes.size
    return _ClassMembers(
        records,
        np.argsort(own, kind="stable").astype(np.int64),
        np.concatenate([[0], np.cumsum(found.sizes)]).astype(np.int64),
        found,
        np.searchsorted(found.class_of, np.arange(count + 1)).astype(np.int64),
    )


def _features(data: Microdata, records: NDArray[np.int64], bins: int) -> tuple[NDArray[np.int32], list[int]]:
    """(d, n) What the classifier looks at, and the number of values of each attribute."""
    columns, sizes = [], []
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        own, size = _stretches(domain, codes[records], bins)
        columns.append(own)
        sizes.append(size)
    return np.array(columns, np.int32).reshape(len(columns), records.size), sizes


def _stretches(domain: Domain, codes: NDArray[np.int32], bins: int) -> tuple[NDArray[np.int32], int]:
    """Cut an ordered attribute of many values into stretches of equally many records."""
    if domain.shape == "set" or domain.codes <= bins:
        return codes, domain.codes
    below = np.cumsum(np.bincount(codes, minlength=domain.codes))
    middle = below - np.bincount(codes, minlength=domain.codes) / 2
    stretch = np.minimum((middle * bins / max(1, codes.size)).astype(np.int32), bins - 1)
    if domain.missing:
        stretch[domain.missing_code] = bins
    return stretch[codes].astype(np.int32), bins + domain.missing
