"""Identity-reserved tables (Wang et al. 2019): generalized records that still say which of them belong to one person."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, TableError
from likeness.forms.base import Columns, Publication, Published, by_label
from likeness.forms.exact import whole_column
from likeness.forms.generalized import GeneralizedForm, GeneralizedPublication
from likeness.microdata.grouping import one_to_one
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import PublishedColumns
    from likeness.tables import Labelled

PERSON, CLASS = "person", "class"
"""Columns that the form adds."""
_DIGITS_SHOWN = 20


@dataclass(frozen=True)
class IdentityReservedForm(GeneralizedForm):
    """One table of generalized records, in which the records of one individual have one random number.

    The column ``person`` numbers individuals, ``class`` equivalence classes; both numbers are random, so that neither the
    order of the original nor that of the search can be read from them. All records of an individual are in one class.

    Parameters
    ----------
    recoding, numeric_pairs, steps
        As in `GeneralizedForm`.
    attained
        None: it counts records, and people have several here.

    Notes
    -----
    That several values belong to one individual is worth much to research, and to an adversary who knows some of them
    already: no model of the paper protects against that (`FingerprintAttack`, `MembershipAttack` measure it).

    References
    ----------
    Wang, Du, Luo & Li 2019, "Two privacy-preserving approaches for data publishing with identity reservation",
    section 2.1: D*(Id_num, QI', A_s).

    Examples
    --------
    >>> IdentityReservedForm()
    IdentityReservedForm(recoding='tight', numeric_pairs=False, steps=None, attained=None)
    """

    name: ClassVar[str] = "identity-reserved"
    of_classes: ClassVar[bool] = False
    leading: ClassVar[tuple[str, ...]] = (PERSON, CLASS)
    needs_individuals: ClassVar[bool] = True
    publishes_added: ClassVar[bool] = False
    further_remarks: ClassVar[tuple[str, ...]] = (
        (
            "records of one individual share a random number: knowing some sensitive values of a person may single out "
            "that person's number, and with it all others"
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.attained is not None:
            raise PolicyError(
                f"{self.name}: attained counts records, and people have several here; leave it out, or declare steps "
                "(recoding: grid)"
            )

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:
        """Publish every kept record with its class's region, its individual's number and its own sensitive values.

        Raises
        ------
        PolicyError
            When no column tells individuals apart, or a column has the name of a numeric pair.
        """
        if data.individuals is None:
            raise PolicyError(f"{self.name}: needs individual: the column that tells people apart")
        published = super().publish(data, plan, recoding, rng)
        rows = published.rows["release"]
        numbers: dict[str, Any] = {
            PERSON: whole_column(PERSON, _numbered(data.individuals[rows], rng)),
            CLASS: whole_column(CLASS, _numbered(plan.classes[rows], rng)),
        }
        return Published({"release": numbers | published.tables["release"]}, published.rows)

    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand a published table.

        Raises
        ------
        TableError
            When a text is not a region of its column, numbers of persons or classes are not 1, 2, 3 …, classes are not
            those of equal regions, or a person is in several.
        """
        return IdentityReservedPublication(
            tables["release"], columns, pairs=self.numeric_pairs, steps=self.steps or {}
        )


def _numbered(names: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """(n,) Random numbers from 1 in place of names, one per distinct name."""
    found, own = np.unique(names, return_inverse=True)
    return np.asarray(rng.permutation(found.size)[own.reshape(-1)] + 1, np.int64)


class IdentityReservedPublication(GeneralizedPublication):
    """An identity-reserved table, read back; with ``pairs`` intervals also stand in pairs of columns of numbers."""

    form: ClassVar[str] = "identity-reserved"

    def __init__(
        self,
        table: Columns,
        columns: PublishedColumns,
        *,
        pairs: bool = False,
        steps: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(table, columns, pairs=pairs, steps=steps)
        self.persons = _numbers(PERSON, table[PERSON])
        self.class_names = _numbers(CLASS, table[CLASS])
        if not one_to_one(self.class_names, self.classes):
            raise TableError(
                f"column {CLASS!r}: its numbers are not those of equal regions: rows of one class must show the same, "
                "and rows of two classes must not"
            )
        class_of = np.zeros(int(self.persons.max(initial=-1)) + 1, np.int64)
        class_of[self.persons] = self.classes
        strays = self.persons[class_of[self.persons] != self.classes]
        if strays.size:
            name = table[PERSON].labels[int(strays[0])]
            raise TableError(
                f"column {PERSON!r}: the records of {name} are not all in one class, as a person's must be"
            )

    def posterior(self, target: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """What an adversary believes about a target's sensitive values: the share of matching individuals that have each.

        The shares of one column add up to more than 1 where individuals have several values. Raises `TableError` where the
        target names a column that is no published quasi-identifier.
        """
        from likeness.microdata.individuals import find_individuals

        self.check_target(target)
        inside = np.isin(self.classes, self.candidates(target))
        found: dict[str, dict[str, float]] = {}
        if not inside.any():
            return found
        assert self.persons is not None  # noqa: S101  # read above
        together = np.zeros(int(inside.sum()), np.int64)
        for domain, codes in zip(self.sensitive, self.sensitive_codes, strict=True):
            people = find_individuals(together, 1, self.persons[inside], codes[inside], domain.codes)
            counts = np.bincount(people.value, minlength=domain.codes)
            found[domain.name] = by_label(domain, counts / people.number.size)
        return found


def _numbers(name: str, column: Labelled) -> NDArray[np.int64]:
    """(n,) Number of each row's person or class, from 0 without gaps; the texts must be the whole numbers from 1, all of them.

    Gaps would tell that somebody was left out, and numbers chosen at will could tell anything.
    """
    many = len(column.labels)
    for label in column.labels:
        if not (label.isascii() and label.isdigit() and label[0] != "0"):
            raise TableError(
                f"column {name!r}: {quoted(label)} is not a whole number from 1, as {name} numbers are"
            )
        # Python does not read thousands of digits.
        if len(label) > len(str(many)) or int(label) > many:
            shown = label if len(label) <= _DIGITS_SHOWN else f"{label[:_DIGITS_SHOWN]}…"
            raise TableError(f"column {name!r}: its numbers are not those from 1 to {many}; one is {shown}")
    return column.codes.astype(np.int64)
