"""Mixed tables: every class shows the means of its numbers, and the regions of its categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.checks import choice
from likeness.forms.microaggregated import MicroaggregatedForm, MicroaggregatedPublication
from likeness.microdata.domain import NUMERIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.forms.base import Columns, Publication
    from likeness.microdata.domain import Shown
    from likeness.published.columns import PublishedColumns


@dataclass(frozen=True)
class MixedForm(MicroaggregatedForm):
    """One table in which every equivalence class shows the means of its numbers and dates, and the regions of its categories.

    Parameters
    ----------
    recoding
        ``tight`` (default): the lowest common hierarchy node, the set of values for plain categories, the interval of ordered
        ones. ``set``: value sets also for categories that have a hierarchy.

    Notes
    -----
    Means keep what numbers tell, regions what categories mean (Amiri et al. 2016, discussion, leave the combination to later).
    Means are as in `MicroaggregatedForm`, regions as in `GeneralizedForm`.

    Of somebody known by quasi-identifiers those classes are candidates whose regions cover the categories, and of these the
    nearest by their means; nobody, where no region covers the categories.

    References
    ----------
    Amiri et al. 2016, discussion; Domingo-Ferrer & Mateo-Sanz 2002.

    Examples
    --------
    >>> MixedForm().shows("integer", "interval"), MixedForm().shows("categorical", "set")
    ('mean', 'region')
    """

    recoding: str = "tight"

    name: ClassVar[str] = "mixed"
    remark: ClassVar[str] = (
        "numbers and dates are published as the means of their classes: no record need have the numbers it is published with; "
        "sensitive values are published exactly, one per record"
    )

    def __post_init__(self) -> None:
        choice(self.name, "recoding", self.recoding, ("tight", "set"))

    def shows(self, kind: str, shape: str) -> Shown:
        """Numbers and dates as means, everything else as regions."""
        return "mean" if kind in NUMERIC and shape == "interval" else "region"

    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand a published table.

        Raises
        ------
        TableError
            When a text is no mean, or no region, of its column.
        """
        return MixedPublication(tables["release"], columns, self.shows)


class MixedPublication(MicroaggregatedPublication):
    """A table of means and regions, read back."""

    form: ClassVar[str] = "mixed"
