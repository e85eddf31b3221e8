"""Fingerprint: find the one of whom some sensitive values are known among linked records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack
from likeness.attacks._individuals import (
    crowd_of_original,
    crowd_of_release,
    draw_known,
    known_values,
    mean_chance,
    sets_of,
    shown_codes,
)
from likeness.attacks.base import AttackResult, check_targets, choose_targets
from likeness.checks import whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.attacks.base import Making
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata


@dataclass(frozen=True)
class FingerprintAttack(ColumnAttack):
    """Find the published person who is somebody known by all quasi-identifiers and by some of their sensitive values.

    Every published person whose class's regions hold the target's quasi-identifiers, and who has all the values known
    of the target, is a candidate. The success is the share of targets with a single candidate: all their other values
    are then known. The baseline is the same for the original table without its identifiers, where the candidates are
    those of the same quasi-identifiers.

    Parameters
    ----------
    sensitive
        The column of the known values; when left out every sensitive column in turn, and the result is that of the
        largest gain.
    known
        How many true values the adversary knows, drawn at random for every target; of people with fewer values all.
    targets
        How many individuals to take as targets, drawn at random; all when left out.
    seed
        Which ones, and which of their values, are drawn; the same seed, the same draws.

    Notes
    -----
    The adversary takes it that the target is in the release. For somebody who was withheld a single candidate is
    another person, so the figures err on the safe side. The quasi-identifiers known of an individual whose records
    differ in them are those of the first record.

    No model of Wang et al. 2019 limits this: in their Table 4, which is EIR 3-diverse, one known value of Mike, a
    heart disease, singles out his number.

    References
    ----------
    Wang et al. 2019, Table 4.

    Examples
    --------
    >>> FingerprintAttack(known=2, targets=1000)
    FingerprintAttack(sensitive=None, known=2, targets=1000, seed=0)
    """

    known: int = 1
    targets: int | None = None
    seed: int = 0

    name: ClassVar[str] = "fingerprint"
    forms: ClassVar[frozenset[str] | None] = frozenset({"identity-reserved"})
    takes_individuals: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same for the original table without its identifiers",
        "by_quasi_identifiers": "share of targets whom only one person fits, when no value is known",
        "by_all_values": "share of targets whom only one person fits, when all their values are known",
        "picked": "mean probability of picking the right person: 1 over the number of those who fit",
        "fewest": "smallest number of people who fit a target",
        "unmatched": "share of targets whom no published person fits",
        "targets": "individuals attacked",
    }

    def __post_init__(self) -> None:
        whole(self.name, "known", self.known, at_least=1)
        check_targets(self.name, self.targets, self.seed)

    def attack_column(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None,  # noqa: ARG002
        sensitive: str,
    ) -> AttackResult:
        """Look for all targets by values of one column.

        Returns
        -------
        AttackResult
            Its details: ``by_quasi_identifiers`` and ``by_all_values``, the success of who knows no value, or all;
            ``picked``, the mean of 1 over the number of candidates; ``fewest`` of them; with ``_before``, the same of
            the original table; ``unmatched``, the share of targets with no candidate; ``targets``, their number.
        """
        index = original.sensitive_index(sensitive)
        column = [domain.name for domain in publication.sensitive].index(sensitive)
        rows = choose_targets(original.units.size, self.targets, self.seed)
        sets = sets_of(original, index)
        shown = shown_codes(publication, column, original)
        after = crowd_of_release(publication, column, original, rows)
        before = crowd_of_original(original, index, rows)
        details: dict[str, float] = {}
        identified: dict[str, float] = {}
        for name, number in (("by_quasi_identifiers", 0), ("", self.known), ("by_all_values", None)):
            known = sets.keep(draw_known(sets, number, self.seed)).take(rows)
            for crowd, told, end in ((after, known.recoded(shown), ""), (before, known, "_before")):
                candidates = crowd.ask(told).candidates
                unique = int(np.count_nonzero(candidates == 1)) / max(1, rows.size)
                if name:
                    details[f"{name}{end}"] = unique
                    continue
                identified[end] = unique
                details[f"picked{end}"] = mean_chance(candidates)
                details[f"fewest{end}"] = float(min(candidates[candidates > 0].tolist(), default=0))
                if not end:
                    details["unmatched"] = int(np.count_nonzero(candidates == 0)) / max(1, rows.size)
        details["targets"] = float(rows.size)
        return AttackResult(
            self.name,
            identified[""],
            identified["_before"],
            f"share of individuals singled out by their quasi-identifiers and {known_values(self.known)} of {sensitive!r}",
            details,
        )
