"""Corruption (Tao et al. 2008): the adversary already knows the sensitive values of others in the target's class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack, Histograms, column_of, histograms, share_limits
from likeness.attacks.base import AttackResult
from likeness.checks import number, whole
from likeness.errors import PolicyError, Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.attacks.base import Making
    from likeness.exact import Real
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.mechanism import Mechanism


@dataclass(frozen=True)
class CorruptionAttack(ColumnAttack):
    """Know the sensitive values of some members of the target's class, and take them off its published counts.

    In a class G with c_s records of value s, of which the adversary knows a set K that holds ``known_s`` of value
    s, the target has s with probability ``(c_s - known_s) / (|G| - |K|)``. With all other members known the target's
    value is certain. The success is the mean probability that the adversary gives the target's true value, over all
    published records as targets and all sets K of ``|K|`` other members, both equally likely; the baseline is the same
    with nobody known, so that the gain is what corruption adds.

    Parameters
    ----------
    share
        Which share of the other members of the class is known, from 0 to 1 (all of them, the worst case); rounded down.
    known
        How many are known, instead; at most all of them.
    sensitive
        The column the adversary is after. When left out each is attacked, and the result is that of the largest
        gain, with ``success:COLUMN`` of every one in its details.

    Notes
    -----
    The adversary knows which class the target is in and who else is: the worst case, certain where quasi-identifiers
    are published exactly. Nothing is sampled. A target and a random K leave a random set R of ``r = |G| - |K|``
    records, so the numbers left are multivariate hypergeometric and, with ``Q = Σ_s (c_s / |G|)²``::

        success(G) = Σ_s E[R_s²] / r² = Q + (1 - Q) |K| / ((|G| - 1) (|G| - |K|)).

    A release that tells everybody the exact overall distribution (``baseline``) is one class in this sense.

    Where every record's sensitive value was randomized by itself (``perturbed``), others' values say nothing
    about the target's: the posterior stays ``p_i PM[v, i] / Σ_j p_j PM[v, j]``, whatever is known, if the adversary
    knows which published record is the target's and takes p as a prior. But p is published exactly, as counts: who
    knows *everybody* else takes these off and has the last value for certain (``everybody_else``), as in every
    release that tells how often each value occurs.

    References
    ----------
    Tao, Xiao, Li & Zhang 2008, "On anti-corruption privacy preserving publication"; Cao & Karras 2012, sections 5 to 7.

    Examples
    --------
    >>> CorruptionAttack(share=1)
    CorruptionAttack(sensitive=None, share=1, known=None)
    """

    share: float | str | Fraction = 0.5
    known: int | None = None

    name: ClassVar[str] = "corruption"
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same with nobody known",
        "largest": "largest probability the worst choice of so many known members gives any value of any target",
        "pinned_down": "expected share of targets whose value is certain",
        "all_but_one": "the success with all others of the class known",
        "everybody_else": "the success with all others of the release known",
        "known": "known members of a class, on average over the targets",
        "above_limit": "expected share of targets whose true value is given more than its limit (f of β-likeness)",
        "above_limit_before": "the same with nobody known",
        "breaks_at": "fewest known members of one class that can bring a probability above its limit; -1: none",
    }

    def __post_init__(self) -> None:
        number(self.name, "share", self.share, at_least=0, at_most=1)
        if self.known is not None:
            whole(self.name, "known", self.known, at_least=0)

    def attack_column(
        self,
        publication: Publication,
        original: Microdata,  # noqa: ARG002
        making: Making | None,
        sensitive: str,
    ) -> AttackResult:
        """Attack everybody who was published."""
        column = column_of(publication.sensitive, sensitive)
        if publication.mechanism is not None:
            success, details = _randomized(publication.mechanism, publication.sensitive_codes[column])
            baseline = success
        else:
            domain = publication.sensitive[column]
            found = histograms(publication.classes, publication.sensitive_codes[column], domain.codes)
            known = self._known(found.sizes)
            baseline = _mean(found, expected_confidence(found, np.zeros_like(known)))
            success = _mean(found, expected_confidence(found, known))
            details = {
                "largest": float(largest_confidence(found, known).max()),
                "pinned_down": _mean(found, certain(found, known)),
                "all_but_one": _mean(found, expected_confidence(found, found.sizes - 1)),
                "everybody_else": 1.0,
                "known": _mean(found, known.astype(np.float64)),
            }
            limits = None if making is None else share_limits(making.requirements, domain)
            if limits is not None:
                details.update(_against_limits(found, known, *limits))
        meaning = "mean probability given to the true value when others of the class are known"
        # Sums of shares may pass 1 by a rounding.
        return AttackResult(self.name, min(success, 1.0), min(baseline, 1.0), meaning, details)

    def _known(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many members of each class are known."""
        others = sizes - 1
        if self.known is not None:
            return np.minimum(others, self.known)
        share = number(self.name, "share", self.share)
        distinct, of = np.unique(others, return_inverse=True)
        return np.array([int(share * other) for other in distinct.tolist()], np.int64)[of]


def corrupted_posterior(
    counts: NDArray[np.integer] | Sequence[int], known: NDArray[np.integer] | Sequence[int]
) -> NDArray[np.float64]:
    """Give the probability (m,) of each value of one class's target, when some members' values are known.

    ``counts`` (m,) are the class's records of each value, ``known`` (m,) the known members, the target not among them;
    raises `PolicyError` where more are known than there are, or nobody is left.

    A class {a 3, b 1, d 2}, of which one a and the b are known:

    >>> corrupted_posterior([3, 1, 2], [1, 1, 0])
    array([0.5, 0. , 0.5])
    """
    left = np.asarray(counts, np.int64) - np.asarray(known, np.int64)
    if (left < 0).any() or left.sum() == 0:
        raise PolicyError(
            Refusal("more members are known than the class has, or nobody is left to attack", ("corruption",))
        )
    return np.asarray(left / left.sum())


def expected_confidence(found: Histograms, known: NDArray[np.int64]) -> NDArray[np.float64]:
    """(E,) Mean probability given to the true value of a member of each class, with so many others known.

    >>> two = histograms(np.zeros(4, np.int64), np.array([0, 0, 1, 1]), 2)
    >>> [round(float(expected_confidence(two, np.array([k]))[0]), 4) for k in range(4)]
    [0.5, 0.5556, 0.6667, 1.0]
    """
    agreement, sizes = found.agreement, found.sizes
    return np.asarray(agreement + (1 - agreement) * known / (np.maximum(sizes - 1, 1) * (sizes - known)))


def largest_confidence(found: Histograms, known: NDArray[np.int64]) -> NDArray[np.float64]:
    """(E,) Largest probability of any value in each class: the worst K holds as few records of it as can be."""
    most = np.zeros(found.sizes.size, np.int64)
    np.maximum.at(most, found.class_of, found.count)
    return np.minimum(1.0, most / (found.sizes - known))


def certain(found: Histograms, known: NDArray[np.int64]) -> NDArray[np.float64]:
    """(E,) Chance that all records left by a random K have one value."""
    from likeness.attacks.kernels.hypergeometric import at_least

    left = (found.sizes - known)[found.class_of]
    sizes = found.sizes[found.class_of]
    same = at_least(found.count, sizes, left, left)
    return np.minimum(1.0, np.bincount(found.class_of, same, found.sizes.size))


def _against_limits(
    found: Histograms, known: NDArray[np.int64], limits: Sequence[Real], of: NDArray[np.int64]
) -> dict[str, float]:
    """Compare with the limits on shares that were promised."""
    from likeness.attacks.kernels.hypergeometric import at_least
    from likeness.exact import smallest_sizes

    sizes, own = found.sizes[found.class_of], of[found.value]
    nobody = np.zeros(own.size, np.int64)
    above = []
    # least[e]: the smallest class that may hold this entry's records; fewer left, and the limit is broken.
    least = np.zeros(own.size, np.int64)
    for left in (sizes, sizes - known[found.class_of]):
        allowed = nobody.copy()
        for code in np.unique(own[own >= 0]).tolist():
            entries = np.flatnonzero(own == code)
            table = smallest_sizes(limits[code], int(found.count[entries].max()))
            allowed[entries] = np.searchsorted(table, left[entries], side="right")
            least[entries] = table[found.count[entries] - 1]
        # The target is one of the c_s records left; the other r - 1 are drawn from the rest of the class.
        chance = at_least(found.count - 1, sizes - 1, left - 1, allowed)
        chance[own < 0] = 0.0
        above.append(float(found.count @ chance / found.sizes.sum()))
    breaks = (least > found.count) & (own >= 0)
    first = np.maximum(sizes - least + 1, 0)[breaks]
    return {
        "above_limit": min(above[1], 1.0),
        "above_limit_before": min(above[0], 1.0),
        "breaks_at": float(first.min()) if first.size else -1.0,
    }


def _randomized(mechanism: Mechanism, codes: NDArray[np.int32]) -> tuple[float, dict[str, float]]:
    """Success and details where every value was randomized by itself: nothing that is known of others counts."""
    joint = mechanism.matrix * mechanism.counts
    totals = joint.sum(axis=1)
    beliefs = joint / np.where(totals > 0, totals, 1.0)[:, None]
    published = np.bincount(codes, minlength=mechanism.values)
    shares = published / max(1, codes.size)
    success = float(shares @ (beliefs**2).sum(axis=1))
    seen = published > 0
    certainly = float(shares @ (beliefs.max(axis=1) >= 1))
    return success, {
        "largest": float(beliefs[seen].max(initial=0.0)),
        "pinned_down": certainly,
        "all_but_one": success,
        "everybody_else": 1.0,
    }


def _mean(found: Histograms, of_classes: NDArray[np.float64]) -> float:
    """Mean over records of what their classes have."""
    return float(found.sizes @ of_classes / found.sizes.sum())
