"""What all declarations share: every problem is found, named and placed before any is raised."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from likeness.errors import MOST_PROBLEMS, SEARCHED, suggestion
from likeness.policy.problems import Entry, RefusalError, explained, gather, refusal, refuse_odd_keys, unique

if TYPE_CHECKING:
    from collections.abc import Iterable


class Attempt(NamedTuple):
    """An attempt to make a declaration, as far as it went.

    Parameters
    ----------
    given
        What was given under known keys.
    made
        The declaration without the bad keys; None when it cannot be made without them.
    bad
        Keys whose values are refused already.
    """

    given: Mapping[str, Any]
    made: Any
    bad: frozenset[str]


class Declared(BaseModel):
    """A part of a policy: a frozen value that is made whole or refused with all its problems.

    Examples
    --------
    >>> class Person(Declared):
    ...     age: int
    >>> Person(aeg=3)
    Traceback (most recent call last):
    likeness.policy.problems.RefusalError: unknown key 'aeg'; did you mean 'age'?
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, arbitrary_types_allowed=True)

    example: ClassVar[str] = "{}"
    """What to write, for messages."""
    needed: ClassVar[Mapping[str, str]] = {}
    """What to do about a missing key, for messages."""

    def __init__(self, /, **given: Any) -> None:
        problems = self._fill(given)
        if problems:
            raise RefusalError(*problems)

    def _fill(self, given: Mapping[str, Any]) -> tuple[Entry, ...]:
        """Give the fields their values, as far as these are good; return every problem."""
        kind = type(self)
        fields = kind.model_fields
        # Null is the same as leaving a key out.
        kept = (
            key for key in given if key in fields and (given[key] is not None or fields[key].is_required())
        )
        known = kind.prepare({key: given[key] for key in kept})
        unknown = [key for key in given if key not in fields]
        # For keys that are only counted, nothing similar need be looked for.
        problems = [Entry((), kind.unknown(key), key) for key in unknown[:MOST_PROBLEMS]]
        problems += [Entry((), f"unknown key {key!r}", key) for key in unknown[MOST_PROBLEMS:]]
        # What a misspelt key was meant to say is not missing as well.
        bad = {
            near
            for key in unknown[:MOST_PROBLEMS]
            if len(key) <= SEARCHED
            for near in get_close_matches(key, fields, n=1)
        }
        made: Any = self
        try:
            super().__init__(**known)
        except ValidationError as error:
            problems += explained(gather(error), bad, kind.needed)
            bad |= {str(detail["loc"][0]) for detail in error.errors(include_url=False)}
            try:
                super().__init__(**{key: value for key, value in known.items() if key not in bad})
            except ValidationError:
                made = None
        problems += kind.contradictions(Attempt(known, made, frozenset(bad)))
        return unique(problems)

    @classmethod
    def prepare(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Complete what was given, before its keys are looked at one by one."""
        return given

    @classmethod
    def contradictions(cls, attempt: Attempt) -> Iterable[Entry]:  # noqa: ARG003  # here there are none
        """Find problems between keys."""
        return ()

    @classmethod
    def unknown(cls, key: str) -> str:
        """Say that there is no such key, and which was probably meant."""
        return f"unknown key {key!r}{suggestion(key, cls.model_fields)}"

    @classmethod
    def read(cls, given: Any) -> Self:
        """Make a declaration of what a policy holds in its place.

        Parameters
        ----------
        given
            A mapping, or the declaration itself.

        Raises
        ------
        PolicyError
            With every problem there is.

        Examples
        --------
        >>> Declared.read(5)
        Traceback (most recent call last):
        likeness.policy.problems.RefusalError: must be a mapping such as {}; got 5
        """
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise refusal(f"must be a mapping such as {cls.example}", given)
        refuse_odd_keys(given)
        return cls(**given)

    def replace(self, **changes: Any) -> Self:
        """Make the same declaration with other values for some keys, checked again.

        Examples
        --------
        >>> from likeness.policy import Missing
        >>> Missing(markers=("?",)).replace(policy="drop")
        Missing(markers=('?',), policy='drop')
        """
        return type(self)(**{**{key: getattr(self, key) for key in self.model_fields_set}, **changes})

    def given(self) -> dict[str, Any]:
        """List what differs from the defaults."""
        values = {key: getattr(self, key) for key in type(self).model_fields}
        return {
            key: value for key, value in values.items() if value != type(self).model_fields[key].get_default()
        }

    def to_mapping(self) -> dict[str, Any]:
        """Write the declaration as a policy file holds it, without the defaults."""
        return {key: _plain(value) for key, value in self.given().items()}

    def __repr__(self) -> str:
        """Show what differs from the defaults."""
        shown = ", ".join(f"{key}={value!r}" for key, value in self.given().items())
        return f"{type(self).__name__}({shown})"

    def __str__(self) -> str:
        """Show what differs from the defaults."""
        return repr(self)


def _plain(value: Any) -> Any:
    """Write a value as JSON can hold it."""
    if isinstance(value, Declared):
        return value.to_mapping()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return list(value) if isinstance(value, tuple) else value
