"""A column of the table: its role, and what is declared about its values.

Columns as Python users declare them: a function for each role, with the keys of the policy file.

Keys of one column that do not go together.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator

from likeness.errors import PolicyError
from likeness.policy.hierarchy import plain_hierarchy, read_hierarchy, rule_of
from likeness.policy.problems import Attempt, Declared, Entry, RefusalError, refused
from likeness.policy.sections import ColumnMissing, Natural, Positive, Step
from likeness.policy.values import RANGES, read_bound, read_domain, read_listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from likeness.hierarchies import Hierarchy

if TYPE_CHECKING:
    Bound = float | date | str
    Domain = Sequence[float] | Sequence[date] | Sequence[str]
    HierarchyKey = str | Path | Mapping[str, Any] | Sequence[Sequence[str]] | Hierarchy
    MissingKey = ColumnMissing | Mapping[str, Any]

ALLOWED: dict[str, frozenset[str]] = {
    "identifier": frozenset({"action", "missing"}),
    "quasi": frozenset(
        {"kind", "domain", "weight", "bottom", "top", "round", "max_level", "missing", "hierarchy"}
    ),
    "sensitive": frozenset({"kind", "domain", "round", "missing", "hierarchy", "distance", "values"}),
    "other": frozenset({"kind", "missing"}),
    "drop": frozenset(),
}
"""Keys that mean something for a role, beside ``role`` itself."""

_RULE_KINDS = {
    "prefix": ("codes", ("ordered", "hierarchical", "categorical")),
    "intervals": ("numbers", ("integer", "real", "hierarchical")),
    "dates": ("dates", ("date", "hierarchical")),
}


def contradictions(column: Column, given: Mapping[str, Any], bad: frozenset[str]) -> Iterator[Entry]:
    """Find keys of one column that do not go together.

    ``column`` is made without the bad keys; ``given`` is what was given under known keys; ``bad`` are keys whose values are
    already refused.
    """
    yield from _foreign(column.role, given)
    yield from _ranges(column, bad)
    yield from _rounds(column, bad)
    if "hierarchy" not in bad:
        yield from _hierarchies(column)
    yield from _orders(column, bad)


def _orders(column: Column, bad: frozenset[str]) -> Iterator[Entry]:
    """Find orders that nothing tells."""
    published = column.role in {"quasi", "sensitive"}
    told = column.domain is not None or column.hierarchy is not None or bool({"domain", "hierarchy"} & bad)
    if column.kind == "ordered" and published and not told:
        yield Entry((), "kind: ordered needs a domain: the list of its values in order", "kind")
    if column.distance == "ordered" and column.kind == "categorical":
        message = "ordered needs an order, and kind categorical has none; say kind: ordered and a domain"
        yield Entry(("distance",), message)


def _foreign(role: str, given: Mapping[str, Any]) -> Iterator[Entry]:
    """Keys of other roles."""
    for key, value in given.items():
        if key == "role" or value is None or key in ALLOWED[role]:
            continue
        homes = " or ".join(_article(other) for other, keys in ALLOWED.items() if key in keys)
        yield Entry((), f"{key} is not a key of {_article(role)} column; only of {homes} one", key)


def _article(role: str) -> str:
    """Put the article before a role."""
    return f"an {role}" if role[0] in "io" else f"a {role}"


def _ranges(column: Column, bad: frozenset[str]) -> Iterator[Entry]:
    """Bottom and top coding, and what they lie in."""
    coded = {key: getattr(column, key) for key in ("bottom", "top") if getattr(column, key) is not None}
    if "kind" in bad or not coded:
        return
    if column.kind not in {None, *RANGES}:
        for key in coded:
            yield Entry((key,), f"needs numbers or dates; the kind is {column.kind}")
        return
    if len(coded) == 2 and coded["bottom"] > coded["top"]:
        yield Entry(("bottom",), f"{coded['bottom']} lies above top, {coded['top']}; swap them")
    if column.domain is None:
        return
    low, high = column.domain[0], column.domain[-1]
    if isinstance(low, str):
        yield Entry(("domain",), f"lists texts, but {' and '.join(coded)} need numbers or dates")
        return
    for key, end in coded.items():
        if not low <= end <= high:
            yield Entry((key,), f"{end} lies outside the domain, {low} to {high}")


def _rounds(column: Column, bad: frozenset[str]) -> Iterator[Entry]:
    """Rounding, and ends that rounded values cannot be."""
    if column.round is None or "kind" in bad:
        return
    if column.kind not in {None, "integer", "real"}:
        yield Entry(("round",), f"needs numbers; the kind is {column.kind}")
        return
    step = Fraction(str(column.round))
    if column.kind == "integer" and step.denominator != 1:
        yield Entry(("round",), f"must be a whole number, as the kind is integer; got {column.round}")
    ends = [("bottom", column.bottom), ("top", column.top), *(("domain", end) for end in column.domain or ())]
    for key, end in ends:
        if isinstance(end, int | float) and (Fraction(str(end)) / step).denominator != 1:
            yield Entry((key,), f"{end} is no multiple of {column.round}, to which values are rounded")


def _hierarchies(column: Column) -> Iterator[Entry]:
    """Find what needs a hierarchy, and whether it suits the kind."""
    if column.hierarchy is None:
        needs = {
            "max_level": column.max_level is not None,
            "kind": column.kind == "hierarchical",
            "distance": column.distance == "hierarchical",
        }
        for key, is_needed in needs.items():
            if is_needed:
                what = "max_level" if key == "max_level" else f"{key}: hierarchical"
                yield Entry((), f"{what} needs a hierarchy; give one, such as hierarchy: {{prefix: 5}}", key)
        return
    rule = rule_of(column.hierarchy)
    if rule is None or column.kind is None:
        return
    of_what, kinds = _RULE_KINDS[rule]
    if column.kind not in kinds:
        yield Entry(("hierarchy",), f"{rule} makes a hierarchy of {of_what}; the kind is {column.kind}")


Role = Literal["identifier", "quasi", "sensitive", "other", "drop"]
Kind = Literal["integer", "real", "date", "ordered", "hierarchical", "categorical"]
Distance = Literal["equal", "ordered", "hierarchical"]
Action = Literal["drop", "pseudonym"]

_BOUND = WithJsonSchema({"type": ["number", "string"]})
_PLACES = {
    "oneOf": [
        {"type": "string", "description": "A file: ARX's lines (.csv) or nested (.yaml, .json)."},
        {"type": "array", "items": {"type": "array"}, "description": "Rows, leaf first, root last."},
        {
            "type": "object",
            "description": "A nested mapping with one root, or a rule.",
            "properties": {
                "prefix": {"description": "Length of codes that are masked from the right."},
                "intervals": {"description": "Ascending edges, or {width: 5}."},
                "dates": {"description": "Some of day, month, quarter, year, decade, from fine to coarse."},
            },
        },
    ]
}


class Column(Declared):
    """What is declared about one column.

    Made by `identifier`, `quasi`, `sensitive`, `other` and `drop`, or from a mapping. Beside what its fields say:

    ``role``: ``identifier`` (never published), ``quasi`` (an adversary may know it), ``other`` (published as it is).
    ``domain``: for ``ordered`` the texts of all values, in order.
    ``hierarchy``: a file, a nested mapping, rows, a rule, or a hierarchy.
    ``action``: an identifier is replaced by a random number only where each value stands in one record (for one person, in
    ``identity-reserved`` releases): else the number would link them.
    """

    example: ClassVar[str] = "{role: quasi}"
    needed: ClassVar[Mapping[str, str]] = {"role": f"give one of {', '.join(get_args(Role))}"}

    role: Role = Field(description="What the column is to an adversary, and to the release.")
    kind: Kind | None = Field(default=None, description="Kind of its values; left out: found from the data.")
    domain: Annotated[tuple[Any, ...], WithJsonSchema({"type": "array", "minItems": 1})] | None = Field(
        default=None,
        description="Both ends of a range of numbers or dates, or all values of an ordered or plain column.",
    )
    weight: Positive = Field(default=1.0, description="How much it counts in losses, above 0.")
    bottom: Annotated[Any, _BOUND] = Field(default=None, description="Smaller values are set to this one.")
    top: Annotated[Any, _BOUND] = Field(default=None, description="Larger values are set to this one.")
    round: Step | None = Field(
        default=None, description="Numbers are rounded to multiples of this, halves up, before anything else."
    )
    max_level: Natural | None = Field(
        default=None, description="Highest level of the hierarchy that may be published."
    )
    missing: Annotated[ColumnMissing, BeforeValidator(ColumnMissing.read)] | None = Field(
        default=None, description="What differs from the policy's rule about missing values."
    )
    hierarchy: Annotated[Any, WithJsonSchema(_PLACES)] = Field(
        default=None, description="Generalization hierarchy."
    )
    distance: Distance | None = Field(
        default=None, description="Ground distance between sensitive values; left out: by kind."
    )
    values: Annotated[tuple[str, ...], WithJsonSchema({"type": "array", "minItems": 1})] | None = Field(
        default=None,
        description="The only values that are sensitive, or nodes of the hierarchy above them; left out: all are.",
    )
    action: Action = Field(
        default="drop", description="Drop an identifier, or replace it by a random number."
    )

    @field_validator("domain", "bottom", "top", mode="before")
    @classmethod
    def _read_values(cls, given: Any, info: ValidationInfo) -> Any:
        if given is None or "kind" not in info.data:
            return None
        read = read_domain if info.field_name == "domain" else read_bound
        return read(given, info.data["kind"])

    @field_validator("values", mode="before")
    @classmethod
    def _read_listed(cls, given: Any) -> Any:
        return None if given is None else read_listed(given)

    @field_validator("hierarchy", mode="before")
    @classmethod
    def _read_hierarchy(cls, given: Any) -> Any:
        return None if given is None else read_hierarchy(given)

    @classmethod
    def prepare(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Dates among the declared values say the kind."""
        ends = [given.get("bottom"), given.get("top")]
        listed = given.get("domain")
        if isinstance(listed, list | tuple):
            ends += listed
        if given.get("kind") is None and any(isinstance(end, date) for end in ends):
            return {**given, "kind": "date"}
        return given

    @classmethod
    def contradictions(cls, attempt: Attempt) -> Iterable[Entry]:
        """Keys that do not go together."""
        return () if attempt.made is None else contradictions(attempt.made, attempt.given, attempt.bad)

    @classmethod
    def unknown(cls, key: str) -> str:
        """Show where the rules of hierarchies belong."""
        if key in {"prefix", "intervals", "dates"}:
            return f"unknown key {key!r}; write it below hierarchy, as in hierarchy: {{prefix: 5}}"
        return super().unknown(key)

    def to_mapping(self) -> dict[str, Any]:
        """Write the column as a policy file holds it, without the defaults."""
        found = super().to_mapping()
        if self.hierarchy is not None:
            found["hierarchy"] = plain_hierarchy(self.hierarchy)
        for key in ("bottom", "top"):
            if isinstance(found.get(key), date):
                found[key] = found[key].isoformat()
        if "domain" in found:
            found["domain"] = [end.isoformat() if isinstance(end, date) else end for end in found["domain"]]
        return found


def identifier(*, action: Action | None = None, missing: MissingKey | None = None) -> Column:
    """Declare a column that names a person; it is never published.

    Parameters
    ----------
    action
        ``drop``, the default, or ``pseudonym``: a random number in its place.
    missing
        Only for the column that the policy's ``individual`` names: which cells name nobody, and whether such
        records are dropped.

    Raises
    ------
    PolicyError
        When a key is refused.

    Examples
    --------
    >>> identifier()
    Column(role='identifier')
    """
    return _column("identifier", action=action, missing=missing)


def quasi(
    *,
    kind: Kind | None = None,
    domain: Domain | None = None,
    weight: float | None = None,
    bottom: Bound | None = None,
    top: Bound | None = None,
    round: float | None = None,  # noqa: A002  # as in the policy
    max_level: int | None = None,
    missing: MissingKey | None = None,
    hierarchy: HierarchyKey | None = None,
) -> Column:
    """Declare a quasi-identifier: a column an adversary may know of a person.

    Parameters
    ----------
    kind, domain, weight, bottom, top, round, max_level, missing, hierarchy
        See `Column`.

    Raises
    ------
    PolicyError
        When a key is refused.

    Examples
    --------
    >>> quasi(kind="integer", domain=[0, 110], weight=2)
    Column(role='quasi', kind='integer', domain=(0, 110), weight=2.0)
    >>> quasi(weight=0)
    Traceback (most recent call last):
    likeness.errors.PolicyError: quasi.weight: must be above 0; got 0
    """
    return _column(
        "quasi",
        kind=kind,
        domain=domain,
        weight=weight,
        bottom=bottom,
        top=top,
        round=round,
        max_level=max_level,
        missing=missing,
        hierarchy=hierarchy,
    )


def sensitive(
    *,
    kind: Kind | None = None,
    domain: Domain | None = None,
    round: float | None = None,  # noqa: A002  # as in the policy
    missing: MissingKey | None = None,
    hierarchy: HierarchyKey | None = None,
    distance: Distance | None = None,
    values: Sequence[Any] | None = None,
) -> Column:
    """Declare a sensitive attribute: what nobody should learn about a person.

    Parameters
    ----------
    kind, domain, round, missing, hierarchy, distance
        See `Column`.
    values
        The only values that need protection, or nodes of the hierarchy, for all values below them: nothing is promised of the
        others, a missing value among them. By default all values do.

    Raises
    ------
    PolicyError
        When a key is refused.

    Examples
    --------
    >>> sensitive(hierarchy="icd.csv", distance="hierarchical")
    Column(role='sensitive', hierarchy='icd.csv', distance='hierarchical')
    >>> sensitive(values=["HIV", "syphilis"])
    Column(role='sensitive', values=('HIV', 'syphilis'))
    """
    return _column(
        "sensitive",
        kind=kind,
        domain=domain,
        round=round,
        missing=missing,
        hierarchy=hierarchy,
        distance=distance,
        values=values,
    )


def other(*, kind: Kind | None = None, missing: MissingKey | None = None) -> Column:
    """Declare a column that is published as it is.

    Parameters
    ----------
    kind, missing
        See `Column`.

    Raises
    ------
    PolicyError
        When a key is refused.

    Examples
    --------
    >>> other()
    Column(role='other')
    """
    return _column("other", kind=kind, missing=missing)


def drop() -> Column:
    """Declare a column that is left out of the release.

    Examples
    --------
    >>> drop()
    Column(role='drop')
    """
    return _column("drop")


def _column(role: Role, **given: Any) -> Column:
    """Make a column of what was given; every problem begins with the role."""
    try:
        return Column(role=role, **{key: value for key, value in given.items() if value is not None})
    except RefusalError as problem:
        entries = (entry._replace(place=(role, *entry.place)) for entry in problem.entries)
        raise PolicyError(*map(refused, entries)) from None
