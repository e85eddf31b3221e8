"""Fingerprint: find the one of whom some sensitive values are known among published persons, or records."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack, column_of
from likeness.attacks._individuals import (
    alike_sets,
    crowd_of_original,
    crowd_of_release,
    draw_known,
    known_values,
    mean_chance,
    sets_of,
    shown_codes,
)
from likeness.attacks._knowing import classes_of_regions, rows_of_people, through_regions
from likeness.attacks.base import AttackResult, check_targets, choose_targets
from likeness.checks import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from likeness.attacks._individuals import ValueSets
    from likeness.attacks.base import Making
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata


@dataclass(frozen=True)
class FingerprintAttack(ColumnAttack):
    """Find the published person who is somebody known by all quasi-identifiers and by some of their sensitive values.

    Every published person whose class's regions hold the target's quasi-identifiers, and who has all the values known
    of the target, is a candidate. The success is the share of targets with a single candidate: all their other values
    are then known. The baseline is the same for the original table without its identifiers, where the candidates are
    those of the same quasi-identifiers.

    Where one record a person is published, the candidates are the records whose regions hold the quasi-identifiers, and which
    the known values leave possible: those of that value, of a category no lower than the highest known where highest
    categories are published, of a set that covers all that is known; in two tables all whose bucket has such a value.

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
    Wang et al. 2019, Table 4; Fazal et al. 2023 (fingerprint correlation, where every bucket is of one group).

    Examples
    --------
    >>> FingerprintAttack(known=2, targets=1000)
    FingerprintAttack(sensitive=None, known=2, targets=1000, seed=0)
    """

    known: int = 1
    targets: int | None = None
    seed: int = 0

    name: ClassVar[str] = "fingerprint"
    forms: ClassVar[frozenset[str] | None] = frozenset(
        {"anatomized", "angelized", "generalized", "identity-reserved"}
    )
    takes_individuals: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same for the original table without its identifiers",
        "by_quasi_identifiers": "share of targets whom only one person fits, when no value is known",
        "by_all_values": "share of targets whom only one person fits, when all their values are known",
        "picked": "mean probability of picking the right person: 1 over the number of those who fit",
        "fewest": "smallest number of people who fit a target",
        "unmatched": "share of targets whom no published person fits",
        "regions_of_a_bucket": "mean number of regions that a bucket links to: where it is 1, a region tells the bucket",
        "targets": "individuals attacked",
    }

    def __post_init__(self) -> None:
        whole(self.name, "known", self.known, at_least=1)
        check_targets(self.name, self.targets, self.seed)

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        problem = super().inapplicable(publication, original)
        if problem is None and publication.persons is None and original.individuals is not None:
            return self._refused(
                "looks for a person, and this release does not say which records are one person's",
                "publish it as identity-reserved",
            )
        return problem

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
        column = column_of(publication.sensitive, sensitive)
        # Where one record of everybody is left, values are known of all that there were.
        records = original if original.source is None else original.source.records
        index = records.sensitive_index(sensitive)
        rows = choose_targets(records.units.size, self.targets, self.seed)
        sets = sets_of(records, index)
        after = self._among_published(publication, column, original, rows)
        before = crowd_of_original(records, index, rows)
        details: dict[str, float] = {}
        identified: dict[str, float] = {}
        for name, number in (("by_quasi_identifiers", 0), ("", self.known), ("by_all_values", None)):
            known = sets.keep(draw_known(sets, number, self.seed)).take(rows)
            counts = (after(known), before.ask(known).candidates)
            for candidates, end in zip(counts, ("", "_before"), strict=True):
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
        if publication.links_buckets:
            linked = classes_of_regions(publication)
            details["regions_of_a_bucket"] = linked.value.size / linked.values
        return AttackResult(
            self.name,
            identified[""],
            identified["_before"],
            f"share of individuals singled out by their quasi-identifiers and {known_values(self.known)} of {sensitive!r}",
            details,
        )

    def _among_published(
        self, publication: Publication, column: int, original: Microdata, rows: NDArray[np.int64]
    ) -> Callable[[ValueSets], NDArray[np.int64]]:
        """Count the candidates of every target, given the values known of them."""
        if publication.persons is not None:
            shown = shown_codes(publication, column, original)
            crowd = crowd_of_release(publication, column, original, rows)
            return lambda known: crowd.ask(known.recoded(shown)).candidates
        records = original if original.source is None else original.source.records
        domain = records.sensitive[records.sensitive_index(publication.sensitive[column].name)]
        labels = domain.labels_with(None)
        units = rows_of_people(original)[rows]
        joined = classes_of_regions(publication)
        places = through_regions(publication, column, original, units, joined)
        held = np.zeros((joined.values, publication.sensitive[column].codes), np.bool_)
        held[publication.classes, publication.sensitive_codes[column]] = True
        alone = not publication.links_buckets
        if alone:
            places = through_regions(publication, column, original, units)

        def count(known: ValueSets) -> NDArray[np.int64]:
            alike = alike_sets(known, domain.codes)
            told = known.take(alike.first)
            own = [
                publication.consistent(column, [labels[v] for v in told.value[a:b].tolist()])
                for a, b in pairwise(told.first.tolist())
            ]
            allowed = np.array(own, np.bool_).reshape(told.count, -1)
            # Libraries of linear algebra now and then work on what lies behind the last number, and say that it is invalid.
            with np.errstate(invalid="ignore"):
                fits = allowed if alone else (allowed.astype(np.float32) @ held.T.astype(np.float32)) > 0
            return places.fitting(alike.of, fits)

        return count
