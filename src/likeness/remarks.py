"""What a guarantee takes for granted, in sentences that follow from what certificates say as data.

Nothing is ever decided by reading them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.models._base import SensitiveModel
from likeness.models._requirements import one_a_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likeness.forms._base import Form
    from likeness.forms._columns import PublishedColumns
    from likeness.models._base import PrivacyModel

AS_THEY_ARE = "published as they are, and not taken as known to the adversary: "
PSEUDONYMS = "random numbers in place of identifiers, the same number for the same one: "
SEED_WARNING = (
    "a seed was given, and what protects this release is that nobody can repeat its random draws: whoever knows the original "
    "but for a few values can try these values and seeds (a seed can be found by trying, a small one within seconds) until "
    "this release comes out, and then knows them. Do not hand it out: make it again without a seed"
)
"""What a seed means for forms that protect by randomness."""


def remarks_on_others(models: Iterable[PrivacyModel], sensitive: Sequence[str]) -> Iterator[str]:
    """Say for every model of a sensitive column whether the others are taken as known.

    Parameters
    ----------
    models
        The guarantee; columns under the names they are published under.
    sensitive
        All sensitive columns.

    Examples
    --------
    >>> from likeness.models.distinct_l_diversity import DistinctLDiversity
    >>> list(remarks_on_others([DistinctLDiversity(2, sensitive="pay")], ["disease", "pay"]))
    ["distinct-l-diversity on 'pay': 'disease' taken as known to the adversary"]
    """
    for model in one_a_column(models, sensitive) if len(sensitive) > 1 else ():
        if not isinstance(model, SensitiveModel):
            continue
        reading = "known" if model.others == "known" else "not known"
        others = ", ".join(repr(name) for name in sensitive if name != model.sensitive)
        yield f"{model.name} on {model.sensitive!r}: {others} taken as {reading} to the adversary"


def remark_on_columns(begin: str, names: Iterable[str]) -> list[str]:
    """Say what several columns are, if there are any.

    Examples
    --------
    >>> remark_on_columns(PSEUDONYMS, ["ssn"]), remark_on_columns(PSEUDONYMS, [])
    (["random numbers in place of identifiers, the same number for the same one: 'ssn'"], [])
    """
    listed = ", ".join(map(repr, names))
    return [begin + listed] if listed else []


def remark_on_ends(name: str, side: str, bound: object) -> str:
    """Say that values beyond an end of a column are published as that end.

    Examples
    --------
    >>> remark_on_ends("age", "above", 90)
    "'age': values above 90 are published as 90"
    """
    return f"{name!r}: values {side} {bound} are published as {bound}"


def remarks_on(
    form: Form, models: Iterable[PrivacyModel], columns: PublishedColumns, *, reproducible: bool
) -> list[str]:
    """Say what a guarantee takes for granted: everything that a certificate tells in sentences.

    Parameters
    ----------
    form
        How the release is published.
    models
        The guarantee; columns under the names they are published under.
    columns
        The published columns.
    reproducible
        Whether a seed was given.

    Examples
    --------
    >>> from likeness.forms._columns import ColumnNote, PublishedColumns
    >>> from likeness.forms.generalized import GeneralizedForm
    >>> notes = (ColumnNote("age", "quasi", "integer", "interval", top=90), ColumnNote("visit", "other"))
    >>> for remark in remarks_on(GeneralizedForm(), [], PublishedColumns(notes), reproducible=False):
    ...     print(remark)
    published as they are, and not taken as known to the adversary: 'visit'
    'age': values above 90 are published as 90
    sensitive values are published exactly, one per record
    """
    names = {
        role: [note.name for note in columns.with_role(role)] for role in ("sensitive", "other", "pseudonym")
    }
    ends = [
        remark_on_ends(note.name, side, bound)
        for note in columns.notes
        for side, bound in (("below", note.bottom), ("above", note.top))
        if bound is not None
    ]
    warned = [SEED_WARNING] if reproducible and form.protected_by_randomness else []
    return [
        *remarks_on_others(models, names["sensitive"]),
        *remark_on_columns(AS_THEY_ARE, names["other"]),
        *remark_on_columns(PSEUDONYMS, names["pseudonym"]),
        *ends,
        form.remark,
        *form.further_remarks,
        *warned,
    ]
