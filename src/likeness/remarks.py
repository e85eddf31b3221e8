"""What a guarantee takes for granted, as certificates say it; everybody can check that they do."""

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


def remarks_on_form(form: Form, *, reproducible: bool) -> list[str]:
    """Say what a form publishes as it is, and what its guarantee takes for granted."""
    warned = [SEED_WARNING] if reproducible and form.protected_by_randomness else []
    return [form.remark, *form.further_remarks, *warned]


def foreign(remarks: Iterable[str], expected: Iterable[str], columns: PublishedColumns) -> list[str]:
    """Find the remarks that no release has: anybody could have added them, and nobody could check them.

    Parameters
    ----------
    remarks
        What the certificate says.
    expected
        What its form and guarantee say.
    columns
        The published columns.

    Examples
    --------
    >>> from likeness.forms._columns import ColumnNote, PublishedColumns
    >>> said = [remark_on_ends("age", "above", 90), "differentially private"]
    >>> foreign(said, [], PublishedColumns((ColumnNote("age", "quasi"),)))
    ['differentially private']
    """
    known = {*expected}
    others = [note.name for note in columns.with_role("other")]
    names = [note.name for note in columns.notes]
    return [
        remark
        for remark in remarks
        if remark not in known
        and not any(
            remark.startswith(begin) and _named(remark.removeprefix(begin), others)
            for begin in (AS_THEY_ARE, PSEUDONYMS)
        )
        and not any(_is_on_ends(remark, name) for name in names)
    ]


def _is_on_ends(remark: str, name: str) -> bool:
    """Whether a remark says that values beyond an end of a column are published as that end."""
    bound = remark.rpartition(" ")[2]
    return any(remark == remark_on_ends(name, side, bound) for side in ("below", "above"))


def unexplained(
    form: Form, tables: Iterable[str], columns: PublishedColumns, remarks: Sequence[str]
) -> list[str]:
    """Find the published columns that are neither protected, nor the form's own, nor said to be published as they are.

    Parameters
    ----------
    form
        How they are published.
    tables
        Names of the published tables.
    columns
        What the certificate says about them.
    remarks
        What else it says.

    Examples
    --------
    >>> from likeness.forms._columns import ColumnNote, PublishedColumns
    >>> from likeness.forms.generalized import GeneralizedForm
    >>> notes = PublishedColumns((ColumnNote("age", "quasi"), ColumnNote("visit", "other"), ColumnNote("ssn", "other")))
    >>> unexplained(GeneralizedForm(), ["release"], notes, remark_on_columns(AS_THEY_ARE, ["visit"]))
    ['ssn']
    """
    own = {*form.leading, *(key for table in tables for key in form.keys_in(table, columns))}
    others = [note.name for note in columns.with_role("other") if note.name not in own]
    said = {
        name
        for begin in (AS_THEY_ARE, PSEUDONYMS)
        for remark in remarks
        if remark.startswith(begin)
        for name in _named(remark.removeprefix(begin), others)
    }
    return [name for name in others if name not in said]


def pseudonyms_in(columns: PublishedColumns, remarks: Sequence[str]) -> list[str]:
    """Find the columns that are said to be random numbers in place of identifiers."""
    others = [note.name for note in columns.with_role("other")]
    return [
        name
        for remark in remarks
        if remark.startswith(PSEUDONYMS)
        for name in _named(remark.removeprefix(PSEUDONYMS), others)
    ]


def _named(listed: str, names: Sequence[str]) -> list[str]:
    """Which names a list is of, in their order; none where it is a list of anything else.

    Examples
    --------
    >>> _named("'a', 'c'", ["a", "b", "c"]), _named("'a' and more", ["a", "b"])
    (['a', 'c'], [])
    """
    found = []
    for name in names:
        rest = listed.removeprefix(repr(name))
        if rest != listed and (not rest or rest.startswith(", ")):
            found.append(name)
            listed = rest.removeprefix(", ")
    return [] if listed else found
