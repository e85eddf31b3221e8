"""Parts by name: a new part is a new file, or folder, and no list is edited.

The file ``models/t_closeness.py`` holds the model ``t-closeness``, as the class ``TCloseness``; the folder ``methods/burel``
the method ``burel``, in its ``__init__.py``. Listing parts imports none of them; a misspelt name gets a suggestion.
"""

from __future__ import annotations

import ast
import re
from dataclasses import MISSING, fields
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.errors import PolicyError, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS: dict[str, str] = {
    "methods": "",
    "models": "",
    "forms": "Form",
    "metrics": "",
    "attacks": "Attack",
    "datasets": "",
}
"""Kinds of parts (the folders they live in) and what their class names end in."""


@cache
def names(kind: str) -> tuple[str, ...]:
    """List the parts of one kind, sorted.

    Parameters
    ----------
    kind
        ``methods``, ``models``, ``forms``, ``metrics``, ``attacks`` or ``datasets``.

    Returns
    -------
    tuple of str
        Names as policies and the command line write them.

    Raises
    ------
    PolicyError
        When there is no such kind.

    Examples
    --------
    >>> "burel" in names("methods")
    True
    """
    folder = _folder(kind)
    modules = [*folder.glob("*.py"), *(path.parent for path in folder.glob("*/__init__.py"))]
    found = {path.stem.replace("_", "-") for path in modules if not path.stem.startswith("_")}
    return tuple(sorted(name for name in found if _is_part(kind, name)))


def class_name(kind: str, name: str) -> str:
    """Name the class of a part: ``t-closeness`` is ``TCloseness``, the attack ``linkage`` is ``LinkageAttack``.

    Examples
    --------
    >>> class_name("models", "t-closeness"), class_name("attacks", "linkage")
    ('TCloseness', 'LinkageAttack')
    """
    return "".join(word.capitalize() for word in name.split("-")) + KINDS[kind]


def load(kind: str, name: str) -> type[Any]:
    """Import the class of one part.

    Parameters
    ----------
    kind
        See `names`.
    name
        The part's name.

    Raises
    ------
    PolicyError
        When there is no part of that name; it says which was probably meant.

    Examples
    --------
    >>> load("models", "k-anonymity").__name__
    'KAnonymity'
    """
    known = names(kind)
    if name not in known:
        raise PolicyError(f"there is no {kind[:-1]} {name!r}{suggestion(name, known)}")
    module = import_module(f"likeness.{kind}.{name.replace('-', '_')}")
    part: type[Any] = getattr(module, class_name(kind, name))
    return part


def summary(kind: str, name: str) -> str:
    """Read the first line of a part's class docstring, without importing it.

    Examples
    --------
    >>> summary("models", "k-anonymity").startswith("Every equivalence class")
    True
    """
    tree = ast.parse(_source(kind, name))
    wanted = class_name(kind, name)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == wanted:
            return (ast.get_docstring(node) or "").strip().split("\n")[0]
    return ""


def find_public(public: str) -> tuple[str, str] | None:
    """Find the kind and name of a part from its class name, or None.

    Examples
    --------
    >>> find_public("TCloseness")
    ('models', 't-closeness')
    """
    for kind, ending in KINDS.items():
        if not public.endswith(ending):
            continue
        for name in names(kind):
            if class_name(kind, name) == public:
                return kind, name
    return None


def create(kind: str, name: str, parameters: Mapping[str, Any]) -> Any:
    """Make a part from its name and parameters, as a policy gives them.

    Raises
    ------
    PolicyError
        When there is no such part, a parameter is unknown, missing, or out of range.

    Examples
    --------
    >>> create("models", "k-anonymity", {"k": 5})
    KAnonymity(k=5)
    >>> create("models", "k-anonymity", {"kk": 5})
    Traceback (most recent call last):
    likeness.errors.PolicyError: k-anonymity: unknown parameter 'kk'; did you mean 'k'?
    """
    part = load(kind, name)
    known = {field.name: field for field in fields(part)}
    problems = [
        f"{name}: unknown parameter {given!r}{suggestion(given, known)}"
        for given in parameters
        if given not in known
    ]
    problems += [
        f"{name}: the parameter {field.name!r} is missing"
        for field in known.values()
        if field.default is MISSING
        and field.default_factory is MISSING
        and field.name not in parameters
        and not problems
    ]
    if problems:
        raise PolicyError(*problems)
    return part(**parameters)


def parameters(part: Any) -> dict[str, Any]:
    """List a part's parameters that differ from their defaults, as JSON can hold them.

    Examples
    --------
    >>> parameters(create("models", "k-anonymity", {"k": 5}))
    {'k': 5}
    """
    found = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if field.default is not MISSING and value == field.default:
            continue
        found[field.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    """Write fractions as texts and numpy's numbers as Python's; everything else JSON holds as it is."""
    if isinstance(value, Fraction | Decimal):
        exact = Fraction(value)
        return exact.numerator if exact.denominator == 1 else str(exact)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, Real) and not isinstance(value, bool | float):
        return float(value)
    return value


def _folder(kind: str) -> Path:
    """Folder of the parts of one kind."""
    if kind not in KINDS:
        raise PolicyError(f"there is no kind of part {kind!r}{suggestion(kind, KINDS)}")
    return Path(__file__).parent / kind


def _source(kind: str, name: str) -> str:
    """Text of a part's module."""
    path = _folder(kind) / name.replace("-", "_")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path.read_text(encoding="utf-8")


def _is_part(kind: str, name: str) -> bool:
    """Whether a module holds the part it is named for."""
    return re.search(rf"^class {class_name(kind, name)}\b", _source(kind, name), re.MULTILINE) is not None
