"""Record linkage: find the one known by their quasi-identifiers among the published records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._individuals import mean_chance
from likeness.attacks.base import Attack, AttackResult, check_targets, choose_targets
from likeness.attacks.matching import count_matches, own_is_nearest
from likeness.errors import PolicyError
from likeness.microdata.grouping import distinct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.attacks.base import Making
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata


@dataclass(frozen=True)
class LinkageAttack(Attack):
    """Pick the record of somebody known by all quasi-identifiers, out of all that may be theirs.

    Every published record whose regions hold the target's values is a candidate, and all are as likely: the
    prosecutor's risk of a target is 1 over their number, the marketer's the share of all records that can be
    linked correctly. The baseline is the same for the original table.

    Where people have several records, targets are people. If the release links their records, so are candidates;
    if not, candidates are records, and the risk is the share of them that are the target's: a class that holds one
    person's records only gives that person away.

    Parameters
    ----------
    targets
        How many records (people, where they have several) to take as targets, drawn at random; all when left out.
    seed
        Which ones are drawn; the same seed, the same targets.

    Notes
    -----
    The adversary takes it that the target is in the release. For somebody who was withheld the risk is then
    that of others who look alike, so the figures err on the safe side; somebody with no candidate has none. The
    quasi-identifiers known of an individual whose records differ in them are those of the first record.

    Where means and modes are published, the candidates of a target are the records of the classes nearest to it. Its own need not
    be among them, and then nobody finds it, as nobody finds those who were withheld; ``misled`` is their share.

    References
    ----------
    El Emam 2013, "Guide to the De-Identification of Personal Health Information": prosecutor and marketer risk.

    Examples
    --------
    >>> LinkageAttack(targets=1000)
    LinkageAttack(targets=1000, seed=0)
    """

    targets: int | None = None
    seed: int = 0

    name: ClassVar[str] = "linkage"
    takes_individuals: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same for the original table",
        "prosecutor_max": "largest probability for any target: 1 over the fewest records (or people) that may be theirs",
        "prosecutor_mean": "mean over the targets, which is the success",
        "marketer": "share of all records (or people) linked right at once, by picking in every class at random",
        "unique": "share of targets whom only one record (or person) fits",
        "unmatched": "share of targets whom no record (or person) fits",
        "misled": "share of targets whose own record is in none of the classes nearest to them",
    }

    def __post_init__(self) -> None:
        check_targets(self.name, self.targets, self.seed)

    def run(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None = None,
    ) -> AttackResult:
        """Attack all targets.

        Returns
        -------
        AttackResult
            Its details: ``prosecutor_max``, ``prosecutor_mean`` (the success) and ``marketer`` of the
            release, ``unique`` (the share of targets with a single candidate) and ``unmatched`` (with none); ``misled`` where
            what is published need not cover people;
            with ``_before``, the same of the original table; ``targets``, their number. Where records of people are not
            linked, ``marketer`` is the share of all people of whom a record is picked, by picking one for each member of
            every class.
        """
        self.check(publication, original)
        units = original.units
        targets = choose_targets(units.size, self.targets, self.seed)
        counts, tuples = count_matches(publication, units, targets)
        after, before = counts[tuples.of], units.tuples.sizes[units.tuples.of[targets]]
        own = own_before = np.ones(targets.size, np.int64)
        further: dict[str, float] = {}
        if not publication.covers:
            own = self._found(publication, original, making, targets)
            further["misled"] = float(np.count_nonzero(own == 0) / max(1, targets.size))
        linked = publication.counted is not None
        published = publication.size
        if publication.counted is not None:
            published = distinct(publication.counted).size
        elif original.individuals is not None:
            published = units.size
            own, own_before, before = _records(original, targets)
        identities = int(publication.identities.max(initial=-1)) + 1
        details = {
            "prosecutor_max": _largest_chance(after, own),
            "prosecutor_max_before": _largest_chance(before, own_before),
            "prosecutor_mean": mean_chance(after, own),
            "prosecutor_mean_before": mean_chance(before, own_before),
            "marketer": identities / max(1, published),
            "marketer_before": units.tuples.count / max(1, units.size),
            "unique": _share(after, own),
            "unique_before": _share(before, own_before),
            "unmatched": int(np.count_nonzero(after == 0)) / max(1, targets.size),
            "targets": float(targets.size),
            **further,
        }
        return AttackResult(
            self.name,
            details["prosecutor_mean"],
            details["prosecutor_mean_before"],
            f"mean probability of picking the right {'person' if linked else 'record'} "
            "of somebody known by all quasi-identifiers",
            details,
        )

    def _found(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None,
        targets: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """(t,) Whether each target's own record is in a class nearest to it, as 0 and 1."""
        if making is None:
            raise PolicyError(
                self._refused(
                    "needs to know who is in which class, as means cover nobody, and the published tables alone do not say it",
                    "attack the release itself, or its folder with private/",
                )
            )
        return own_is_nearest(publication, original, making.plan, targets).astype(np.int64)


def _records(
    original: Microdata, targets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Records of every target; those that look like its first one; all that look like that, whosever they are."""
    members = original.units.members
    assert members is not None  # noqa: S101  # a table of people has members
    of, alike = members.of, original.tuples
    look = alike.of[np.unique(of, return_index=True)[1]]
    same = np.bincount(of, alike.of == look[of], look.size).astype(np.int64)
    return np.bincount(of)[targets], same[targets], alike.sizes[look[targets]]


def _share(candidates: NDArray[np.int64], own: NDArray[np.int64]) -> float:
    """Share of targets with candidates that are all their own."""
    return int(np.count_nonzero((candidates > 0) & (candidates <= own))) / max(1, candidates.size)


def _largest_chance(candidates: NDArray[np.int64], own: NDArray[np.int64]) -> float:
    """Largest share of a target's candidates that are its own; those with none have no risk."""
    found = candidates > 0
    return float((np.minimum(own, candidates)[found] / candidates[found]).max(initial=0.0))
