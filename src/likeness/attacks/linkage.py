"""Record linkage: find the one known by their quasi-identifiers among the published records."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._base import Attack, AttackResult
from likeness.attacks._matching import count_matches
from likeness.attacks._targets import choose_targets
from likeness.checks import whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.attacks._base import Making
    from likeness.forms._base import Publication
    from likeness.microdata.data import Microdata


@dataclass(frozen=True)
class LinkageAttack(Attack):
    """Pick the record of somebody known by all quasi-identifiers, out of all that may be theirs.

    Every published record whose regions hold the target's values is a candidate, and all are as likely: the
    prosecutor's risk of a target is 1 over their number, the marketer's the share of all records that can be
    linked correctly. The baseline is the same for the original table.

    Parameters
    ----------
    targets
        How many records to take as targets, drawn at random; all when left out.
    seed
        Which ones are drawn; the same seed, the same targets.

    Notes
    -----
    The adversary takes it that the target is in the release. For somebody who was withheld the risk is then
    that of others who look alike, so the figures err on the safe side; somebody with no candidate has none.

    References
    ----------
    Prosecutor and marketer risk as in spec section 6.1; El Emam 2013, "Guide to the De-Identification of
    Personal Health Information".

    Examples
    --------
    >>> LinkageAttack(targets=1000)
    LinkageAttack(targets=1000, seed=0)
    """

    targets: int | None = None
    seed: int = 0

    name: ClassVar[str] = "linkage"
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same for the original table",
        "prosecutor_max": "largest probability for any target: 1 over the fewest records that may be somebody's",
        "prosecutor_mean": "mean over the targets, which is the success",
        "marketer": "share of all records linked right at once, by picking one in every class (classes / records)",
        "unique": "share of targets whom only one record fits",
        "unmatched": "share of targets whom no record fits",
    }

    def __post_init__(self) -> None:
        if self.targets is not None:
            whole(self.name, "targets", self.targets, at_least=1)
        whole(self.name, "seed", self.seed, at_least=0)

    def run(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None = None,  # noqa: ARG002
    ) -> AttackResult:
        """Attack all targets.

        Returns
        -------
        AttackResult
            Its details: ``prosecutor_max``, ``prosecutor_mean`` (the success) and ``marketer`` of the
            release, ``unique`` (the share of targets with a single candidate) and ``unmatched`` (with none);
            with ``_before``, the same of the original table; ``targets``, their number.
        """
        records = choose_targets(original.size, self.targets, self.seed)
        counts, tuples = count_matches(publication, original, records)
        after = counts[tuples.of]
        before = original.tuples.sizes[original.tuples.of[records]]
        identities = int(publication.identities.max(initial=-1)) + 1
        details = {
            "prosecutor_max": _largest_risk(after),
            "prosecutor_max_before": _largest_risk(before),
            "prosecutor_mean": _mean_risk(after),
            "prosecutor_mean_before": _mean_risk(before),
            "marketer": identities / max(1, publication.size),
            "marketer_before": original.tuples.count / max(1, original.size),
            "unique": int(np.count_nonzero(after == 1)) / max(1, records.size),
            "unique_before": int(np.count_nonzero(before == 1)) / max(1, records.size),
            "unmatched": int(np.count_nonzero(after == 0)) / max(1, records.size),
            "targets": float(records.size),
        }
        return AttackResult(
            self.name,
            details["prosecutor_mean"],
            details["prosecutor_mean_before"],
            "mean probability of picking the right record of somebody known by all quasi-identifiers",
            details,
        )


def _largest_risk(candidates: NDArray[np.int64]) -> float:
    """Risk of the target with fewest candidates; those with none have no risk."""
    found = candidates[candidates > 0]
    return 1 / int(found.min()) if found.size else 0.0


def _mean_risk(candidates: NDArray[np.int64]) -> float:
    """Mean of 1 over the number of candidates, the same in any order of the targets."""
    sizes, times = np.unique(candidates, return_counts=True)
    risks = (count / size for size, count in zip(sizes.tolist(), times.tolist(), strict=True) if size)
    return fsum(risks) / max(1, candidates.size)
