"""All problems of a declaration at once, each with its place.

Pydantic finds what has the wrong type; its findings, and those of this package's own checks, become
`Entry` values that keep their place while they travel outwards, from a key to its column to the policy
to its file.

What all declarations share: every problem is found, named and placed before any is raised.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from likeness.errors import MOST_PROBLEMS, PolicyError, Refusal, did_you_mean, nearest, suggestion

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pydantic_core import ErrorDetails

Place = tuple[str | int, ...]
"""Keys and positions that lead to a value, such as ``("columns", "age", "weight")``."""

_LONGEST = 60
_PLAIN = re.compile(r"[\w-]+")
_KINDS = {
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping",
    "tuple_type": "must be a list",
}
_LIMITS = {
    "greater_than": ("must be above", "gt"),
    "greater_than_equal": ("must be at least", "ge"),
    "less_than_equal": ("must be at most", "le"),
}


class Entry(NamedTuple):
    """One problem: where and what; for its line, the key there that it is about; a key that is missing."""

    place: Place
    message: str
    key: str | None = None
    missing: str | None = None


class RefusalError(PolicyError, ValueError):
    """A refused declaration, with the place of each problem.

    Also a ValueError, so that pydantic gathers it with the problems of the other keys.
    """

    def __init__(self, *entries: Entry) -> None:
        super().__init__(*map(refused, entries))
        self.entries = entries

    def __reduce__(self) -> tuple[type[RefusalError], tuple[Entry, ...]]:
        """Keep the places when copied or sent to another process."""
        return RefusalError, self.entries


def refusal(message: str, *value: Any) -> RefusalError:
    """Make the refusal of one value, which is shown if given, at the place where pydantic looks at it."""
    return RefusalError(Entry((), "; got ".join([message, *map(shown, value)])))


def refuse_odd_keys(given: Mapping[Any, Any]) -> None:
    """Refuse keys that are no texts, which Python allows and files do not have; and what is no mapping at all."""
    if not isinstance(given, Mapping):
        raise refusal("must be a mapping of keys and values", given)
    odd = [key for key in given if not isinstance(key, str)]
    if odd:
        raise RefusalError(*(Entry((), f"the key {key!r} is not text; put it in quotes") for key in odd))


def refused(entry: Entry) -> Refusal:
    """Make a problem the refusal of what stands in its place."""
    return Refusal(entry.message, (path(entry.place),) if entry.place else ())


def path(place: Place) -> str:
    """Write a place as people write it.

    >>> path(("columns", "age", "weight")), path(("columns", "marital status")), path(("privacy", 0))
    ('columns.age.weight', "columns['marital status']", 'privacy[0]')
    """
    text = ""
    for step in place:
        if isinstance(step, int):
            text += f"[{step}]"
        elif not _PLAIN.fullmatch(step):
            text += f"[{step!r}]"
        else:
            text += f".{step}" if text else step
    return text


def shown(value: Any) -> str:
    """Show a value in at most one short line."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:
        text = "a number with too many digits"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def unique(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Keep the first of equal problems."""
    return tuple(dict.fromkeys(entries))


def gather(error: ValidationError, kind: type[BaseModel]) -> Iterator[Entry]:
    """Turn what pydantic found wrong with a declaration of some kind into problems in the words of this library.

    The entries of a `RefusalError` that a validator raised keep their places, below the one where pydantic stood.
    """
    for detail in error.errors(include_url=False):
        place = detail["loc"]
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, RefusalError):
            yield from (Entry((*place, *entry.place), *entry[1:]) for entry in cause.entries)
        elif place[-1:] == ("[key]",):
            yield Entry(place[:-2], f"the name {place[-2]!r} is not text; put it in quotes")
        elif detail["type"] == "missing":
            key = str(place[-1])
            yield Entry(place[:-1], f"the key {key!r} is missing", missing=key)
        else:
            options, hint = [], ""
            if detail["type"] == "literal_error":
                options = _options(kind.model_fields[str(place[0])].annotation)
                hint = did_you_mean(detail["input"], options) if isinstance(detail["input"], str) else ""
            yield Entry(place, f"{_sentence(detail, options)}; got {shown(detail['input'])}{hint}")


def explained(
    problems: Iterable[Entry], meant: Collection[str], remedies: Mapping[str, str]
) -> Iterator[Entry]:
    """Say of a missing key what to do about it; pass over those that are only misspelt.

    ``problems``: of one declaration. ``meant``: keys that misspelt ones stand for. ``remedies``: what to do, by key.
    """
    for problem in problems:
        key = None if problem.place else problem.missing
        if key is None or key not in meant:
            remedy = remedies.get(key or "")
            yield problem._replace(message=f"{problem.message}; {remedy}") if remedy else problem


def _sentence(detail: ErrorDetails, options: Iterable[str]) -> str:
    """Say what a value must be; ``options``: the words that may stand there, where it is one of some."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind in _LIMITS:
        words, limit = _LIMITS[kind]
        return f"{words} {context[limit]:g}"
    if kind == "literal_error":
        return f"must be one of {', '.join(one if _PLAIN.fullmatch(one) else repr(one) for one in options)}"
    return _KINDS.get(kind, detail["msg"])


def _options(annotation: Any) -> list[str]:
    """List the words that a type takes."""
    if get_origin(annotation) is Literal:
        return [str(word) for word in get_args(annotation)]
    return [word for inner in get_args(annotation) for word in _options(inner)]


class Attempt(NamedTuple):
    """An attempt to make a declaration, as far as it went.

    ``given``: what was given under known keys. ``made``: the declaration without the bad keys; None when it cannot be made
    without them. ``bad``: keys whose values are refused already.
    """

    given: Mapping[str, Any]
    made: Any
    bad: frozenset[str]


class Declared(BaseModel):
    """A part of a policy: a frozen value that is made whole or refused with all its problems."""

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
        bad = {near for key in unknown[:MOST_PROBLEMS] if (near := nearest(key, fields)) is not None}
        made: Any = self
        try:
            super().__init__(**known)
        except ValidationError as error:
            problems += explained(gather(error, kind), bad, kind.needed)
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
        """Make a declaration of what a policy holds in its place: a mapping, or the declaration itself.

        Raises `PolicyError` with every problem there is.
        """
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise refusal(f"must be a mapping such as {cls.example}", given)
        refuse_odd_keys(given)
        return cls(**given)

    def replace(self, **changes: Any) -> Self:
        """Make the same declaration with other values for some keys, checked again."""
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
