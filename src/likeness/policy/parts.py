"""The models, the method and the form a policy names: made by the registry, and written back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

from likeness import registry
from likeness.errors import LikenessError, PolicyError, nearest
from likeness.policy.problems import Entry, Place, RefusalError, path, refusal, refuse_odd_keys, shown
from likeness.wording import quoted

_EXAMPLES = {
    "models": "{model: k-anonymity, k: 5}",
    "methods": "{name: mondrian}",
    "forms": "{name: generalized, recoding: tight}",
}


def find_models(given: Any) -> tuple[list[tuple[Place, Any]], list[Entry]]:
    """Make the privacy models of a policy, as many as can be made; say what is wrong with the others.

    ``given``: a model, a composition, a mapping, or a list of these. Each model comes with its place within ``privacy``:
    the position in the list, empty for one alone.
    """
    alone = not isinstance(given, list | tuple)
    listed = [given] if alone else list(given)
    if not listed:
        return [], [Entry((), f"give at least one model, such as {_EXAMPLES['models']}")]
    found: list[tuple[Place, Any]] = []
    problems: list[Entry] = []
    for i, item in enumerate(listed):
        place: Place = () if alone else (i,)
        for one in _members(item):
            try:
                found.append((place, read_part("models", one)))
            except RefusalError as problem:
                problems += (entry._replace(place=(*place, *entry.place)) for entry in problem.entries)
    return found, problems


def read_models(given: Any) -> tuple[Any, ...]:
    """Make the privacy models of a policy, or refuse them with all their problems."""
    found, problems = find_models(given)
    if problems:
        raise RefusalError(*problems)
    return tuple(model for _, model in found)


def read_part(kind: str, given: Any) -> Any:
    """Make one part of ``models``, ``methods`` or ``forms``: from itself, its name, or a mapping of name and parameters.

    Raises `PolicyError` when there is no such part, or its parameters are refused.
    """
    noun, key = kind[:-1], key_of(kind)
    if isinstance(given, str):
        return _create(kind, given, {})
    if not isinstance(given, Mapping):
        return _made(kind, given)
    if key not in given:
        near = nearest(key, [*map(str, given)])
        instead = "" if near is None else f" (not {quoted(near)})"
        raise refusal(f"the key {key!r} is missing{instead}; write {_EXAMPLES[kind]}")
    name = given[key]
    if not isinstance(name, str):
        raise RefusalError(Entry((key,), f"must be the name of a {noun}; got {shown(name)}"))
    parameters = {parameter: value for parameter, value in given.items() if parameter != key}
    refuse_odd_keys(parameters)
    return _create(kind, name, parameters)


def key_of(kind: str) -> str:
    """Name the key that holds a part's name in a policy: ``model`` for models, ``name`` for methods and forms."""
    return "model" if kind == "models" else "name"


def plain_part(kind: str, part: Any, place: Place) -> dict[str, Any]:
    """Write a part as a policy file holds it.

    Raises `PolicyError`, which names ``place``, when a parameter lives only in Python, such as a function.
    """
    found = {key_of(kind): part.name}
    for name, value in registry.parameters(part).items():
        try:
            found[name] = _plain(value)
        except TypeError:
            what = "a function" if callable(value) else f"a {type(value).__name__}"
            raise PolicyError(
                f"{path(place)}: {part.name}: {name} is {what}, which no policy file can hold"
            ) from None
    return found


def plain_parts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Write the parts of a policy (``privacy``, and ``method`` and ``form`` where given) as a policy file holds them.

    Raises `PolicyError` with one line for each that lives only in Python.
    """
    problems: list[str] = []

    def plain(kind: str, part: Any, place: Place) -> dict[str, Any]:
        try:
            return plain_part(kind, part, place)
        except PolicyError as problem:
            problems.extend(problem.problems)
            return {}

    found: dict[str, Any] = {
        "privacy": [plain("models", model, ("privacy", i)) for i, model in enumerate(given["privacy"])]
    }
    for key, kind in (("method", "methods"), ("form", "forms")):
        if given.get(key) is not None:
            found[key] = plain(kind, given[key], (key,))
    if problems:
        raise PolicyError(*problems)
    return found


def _members(item: Any) -> tuple[Any, ...]:
    """Models of a composition; anything else is one."""
    members = getattr(item, "models", None)
    return members if isinstance(members, tuple) else (item,)


def _create(kind: str, name: str, parameters: dict[str, Any]) -> Any:
    """Make a part by name; every refusal is ours."""
    try:
        part = registry.create(kind, name, parameters)
    except LikenessError as problem:
        raise RefusalError(*(Entry((), text) for text in problem.problems)) from None
    except (TypeError, ValueError, ArithmeticError) as problem:
        # A part that trips over a value of a type it did not expect refuses it all the same.
        raise refusal(f"{name}: a parameter is not understood: {problem}") from None
    # YAML's `no` is a text here, and would count as true.
    wrong = [
        key for key in parameters if _is_truth(type(part), key) and not isinstance(parameters[key], bool)
    ]
    if wrong:
        texts = (f"{name}: {key} must be true or false; got {shown(parameters[key])}" for key in wrong)
        raise RefusalError(*(Entry((), text) for text in texts))
    return part


def _is_truth(part: type[Any], key: str) -> bool:
    """Whether a parameter is declared as true or false."""
    return any(field.name == key and field.type in {"bool", bool} for field in fields(part))


def _made(kind: str, given: Any) -> Any:
    """Check that an object is a part of this kind."""
    noun = kind[:-1]
    if isinstance(given, type):
        raise refusal(f"{given.__name__} is a class; give one with its parameters, {given.__name__}(…)")
    name = getattr(given, "name", None)
    if is_dataclass(given) and isinstance(name, str):
        other = next((home for home in registry.KINDS if home != kind and _belongs(given, home)), None)
        if other is None or _belongs(given, kind):
            return given
        raise refusal(f"must be a {noun}; {name} is one of the {other}")
    raise refusal(f"must be a {noun} such as {_EXAMPLES[kind]}", given)


def _belongs(part: Any, kind: str) -> bool:
    """Whether a part's class comes from the folder of a kind."""
    return any(base.__module__.startswith(f"likeness.{kind}.") for base in type(part).__mro__)


def _plain(value: Any) -> Any:
    """Write a parameter as JSON can hold it; TypeError when it cannot."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Fraction | Decimal):
        exact = Fraction(value)
        return exact.numerator if exact.denominator == 1 else str(exact)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(item) for key, item in value.items()}
    raise TypeError(type(value).__name__)
