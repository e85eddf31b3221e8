"""A column of the table: its role, and what is declared about its values."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator

from likeness.policy.column_checks import contradictions
from likeness.policy.declared import Attempt, Declared
from likeness.policy.domain import read_bound, read_domain
from likeness.policy.hierarchy import plain_hierarchy, read_hierarchy
from likeness.policy.sections import ColumnMissing, Natural, Positive

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from likeness.policy.problems import Entry

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
                "dates": {"description": "Some of day, month, quarter, year, from fine to coarse."},
            },
        },
    ]
}


class Column(Declared):
    """What is declared about one column.

    Made by `identifier`, `quasi`, `sensitive`, `other` and `drop`, or from a mapping.

    Parameters
    ----------
    role
        ``identifier`` (never published), ``quasi`` (an adversary may know it), ``sensitive``, ``other``
        (published as it is) or ``drop``.
    kind
        ``integer``, ``real``, ``date``, ``ordered``, ``hierarchical`` or ``categorical``; None to find it
        from the data.
    domain
        Both ends of a range of numbers or dates; for ``ordered`` and ``categorical`` the texts of all
        values, in order.
    weight
        How much the column counts in losses, above 0.
    bottom, top
        Values below and above are set to these (bottom and top coding).
    max_level
        Highest level of the hierarchy that may be published.
    missing
        What differs from the policy's rule about missing values.
    hierarchy
        A file, a nested mapping, rows, a rule, or a hierarchy.
    distance
        Ground distance between sensitive values; None to follow the kind.
    action
        Whether an identifier is dropped or replaced by a random number, which it is only where each value stands in one
        record (for one person, in `identity-reserved` releases): else the number would link them.

    Examples
    --------
    >>> Column(role="quasi", kind="integer", domain=[0, 110])
    Column(role='quasi', kind='integer', domain=(0, 110))
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
