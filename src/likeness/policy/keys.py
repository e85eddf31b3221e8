"""The keys of a policy file, each with its type, its default and its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from likeness.policy.column import Column
from likeness.policy.cross_checks import contradictions
from likeness.policy.declared import Attempt, Declared
from likeness.policy.parts import read_models, read_part
from likeness.policy.sections import Hygiene, Knowledge, Missing, Natural, Output, Records, Text, Withhold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likeness.policy.problems import Entry


def _method(given: Any) -> Any:
    return read_part("methods", given)


def _form(given: Any) -> Any:
    if isinstance(given, Mapping) and "recoding" in given and "name" not in given:
        given = {"name": "generalized", **given}
    return read_part("forms", given)


def _plain_dict(given: Any) -> Any:
    return dict(given) if isinstance(given, Mapping) else given


class PolicyKeys(Declared):
    """The keys of a policy file; `Policy` is what can be done with them."""

    example: ClassVar[str] = "{columns: {age: {role: quasi}}, privacy: [{model: k-anonymity, k: 5}]}"
    needed: ClassVar[Mapping[str, str]] = {
        "columns": "declare every column of the table, as in columns: {age: {role: quasi}}",
        "privacy": "say which guarantee the release must give, as in privacy: [{model: k-anonymity, k: 5}]",
    }

    columns: Annotated[
        dict[str, Annotated[Column, BeforeValidator(Column.read)]], BeforeValidator(_plain_dict)
    ] = Field(description="Every column of the table.")
    missing: Annotated[Missing, BeforeValidator(Missing.read)] = Field(
        default=Missing(), description="Which cells are missing, and what becomes of them."
    )
    individual: Text | None = Field(default=None, description="The column that names a person (1:M tables).")
    records: Annotated[Records, BeforeValidator(Records.read)] | None = Field(
        default=None, description="A second table, with the records of the people of the first."
    )
    hygiene: Annotated[Hygiene, BeforeValidator(Hygiene.read)] = Field(
        default=Hygiene(), description="What is put in order before anonymization."
    )
    weights: Text | None = Field(
        default=None,
        description="Column of survey weights: losses count people by it; estimates, too, where it is published.",
    )
    categories: Annotated[dict[str, Text], BeforeValidator(_plain_dict)] = Field(
        default={}, description="File of ordered categories, by sensitive column."
    )
    knowledge: Annotated[Knowledge, BeforeValidator(Knowledge.read)] | None = Field(
        default=None, description="What the adversary is taken to know beforehand."
    )
    privacy: Annotated[tuple[Any, ...], BeforeValidator(read_models)] = Field(
        description="The guarantee: models that must all hold."
    )
    method: Annotated[Any, BeforeValidator(_method)] | None = Field(
        default=None,
        description="The method; left out: the best known one for this guarantee, found by trying those that fit.",
    )
    form: Annotated[Any, BeforeValidator(_form)] | None = Field(
        default=None, description="How the release is published; left out: what the method publishes."
    )
    withhold: Annotated[Withhold, BeforeValidator(Withhold.read)] = Field(
        default=Withhold(), description="How much may be withheld."
    )
    seed: Natural | None = Field(
        default=None,
        description="Makes the release reproducible; left out: randomness from the operating system.",
    )
    output: Annotated[Output, BeforeValidator(Output.read)] = Field(
        default=Output(), description="How the release is written."
    )

    @classmethod
    def contradictions(cls, attempt: Attempt) -> Iterable[Entry]:
        """Find problems between the sections."""
        return contradictions(attempt.given)
