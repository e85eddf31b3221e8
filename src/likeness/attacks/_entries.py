"""Attacks that look at the categories of all values that are published of a class, a bucket, or everybody of a region."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack, column_of
from likeness.attacks.base import AttackResult
from likeness.checks import choice
from likeness.microdata.grouping import add_up
from likeness.microdata.statistics import ClassStatistics, count_classes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.attacks.base import Making
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


@dataclass(frozen=True)
class EntriesAttack(ColumnAttack):
    """An adversary who looks for people of whom the published categories alone tell enough.

    Parameters
    ----------
    sensitive
        The column; when left out every one with categories in turn, and the result is that of the largest gain.
    scope
        ``bucket`` or ``joined``.
    """

    scope: str = "bucket"

    what: ClassVar[str]
    forms: ClassVar[frozenset[str] | None] = frozenset({"anatomized", "angelized", "generalized"})
    takes_individuals: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "1 where that is true of the original table as a whole, else 0",
        "classes": "share of the classes (buckets, in two tables) of which that is true",
        "in_class": "share of the records in such classes or buckets",
        "regions": "share of the regions of which that is true, by all values of all buckets that a region links to",
        "joined": "share of the records in such regions",
    }

    def __post_init__(self) -> None:
        choice(self.name, "scope", self.scope, ("bucket", "joined"))

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        problem = super().inapplicable(publication, original)
        if problem is not None or self.columns(publication, original):
            return problem
        asked = self.sensitive if self.sensitive is not None else publication.sensitive[0].name
        return self._refused(
            f"needs categories of {asked!r}, and it has none",
            f"give them, as in categories: {{{asked}: severity.csv}}",
        )

    def columns(self, publication: Publication, original: Microdata) -> list[str]:
        """Names of the columns that have categories."""
        names = super().columns(publication, original)
        having = {own.name for own in publication.sensitive if own.categories is not None and not own.missing}
        return [name for name in names if name in having]

    @abstractmethod
    def flagged(self, stats: ClassStatistics, domain: Domain, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(E,) Whether the categories of each class tell enough; ``counts`` (C,) are those of all of ``domain`` together."""

    def seen(self, stats: ClassStatistics, domain: Domain) -> tuple[ClassStatistics, dict[str, float]]:  # noqa: ARG002
        """Say which of the values of every class the adversary takes for people's, and further details; all, by default."""
        return stats, {}

    def attack_column(
        self,
        publication: Publication,
        original: Microdata,
        making: Making | None,  # noqa: ARG002
        sensitive: str,
    ) -> AttackResult:
        """Look at one column; the details are those of ``explained``."""
        column = column_of(publication.sensitive, sensitive)
        domain = publication.sensitive[column]
        assert domain.categories is not None  # noqa: S101  # `columns` has no other
        values = len(domain.categories.labels)
        codes = domain.category_of[publication.sensitive_codes[column]]
        stats = count_classes(publication.classes, int(publication.classes.max()) + 1, codes, values)
        stats, further = self.seen(stats, domain)
        flagged = self.flagged(stats, domain, stats.totals)
        reached = _reached(publication, stats)
        there = self.flagged(reached, domain, stats.totals)
        details = {
            "classes": float(flagged.mean()),
            "in_class": float(flagged[publication.classes].mean()),
            "regions": float(there.mean()),
            "joined": float(there[publication.identities].mean()),
            **further,
        }
        return AttackResult(
            self.name,
            details["in_class" if self.scope == "bucket" else "joined"],
            self._before(original, sensitive),
            f"share of records in {'classes or buckets' if self.scope == 'bucket' else 'regions'} where what is published of "
            f"{sensitive!r} {self.what}",
            details,
        )

    def _before(self, original: Microdata, sensitive: str) -> float:
        """Whether it is true of the original table as a whole."""
        index = original.sensitive_index(sensitive)
        domain = original.sensitive[index]
        assert domain.categories is not None  # noqa: S101  # what is published of it has some
        codes = domain.category_of[original.sensitive_codes[index]]
        stats = count_classes(np.zeros_like(codes), 1, codes, len(domain.categories.labels))
        return float(self.flagged(stats, domain, stats.totals)[0])


def _reached(publication: Publication, stats: ClassStatistics) -> ClassStatistics:
    """Count all values of all classes that the records of each identity are in."""
    identities = int(publication.identities.max()) + 1
    pairs = np.unique(publication.identities * stats.classes + publication.classes)
    identity, of = np.divmod(pairs, stats.classes)
    held = stats.distinct[of]
    entries = np.repeat(stats.start[of] - np.cumsum(held) + held, held) + np.arange(int(held.sum()))
    keys, counts = add_up(
        np.repeat(identity, held) * stats.values + stats.value[entries], stats.count[entries]
    )
    sizes = np.bincount(identity, stats.sizes[of], identities).astype(np.int64)
    return ClassStatistics(sizes, stats.values, keys // stats.values, keys % stats.values, counts)
