"""Parts by name: a new part is a new file, or folder, and no list is edited.

The file ``models/t_closeness.py`` holds the model ``t-closeness``, as the class ``TCloseness``; the folder ``methods/burel``
the method ``burel``, in its ``__init__.py``. Other distributions bring parts by entry points, one group per kind: the entry
``smallest-share = "theirs.shares:SmallestShare"`` in the group ``likeness.models``. They are asked for only when parts are
listed or a name is not one of ours, which always means our part: a guarantee must mean the same wherever it is read. Listing
parts imports none of them; a misspelt name gets a suggestion.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.errors import PolicyError, Refusal, did_you_mean, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping
    from dataclasses import Field
    from importlib.metadata import EntryPoint

KINDS: dict[str, str] = {
    "methods": "",
    "models": "",
    "forms": "Form",
    "metrics": "",
    "attacks": "Attack",
    "datasets": "",
    "knowledge": "Knowledge",
    "engines": "Engine",
}
"""Kinds of parts (the folders they live in) and what their class names end in."""


def noun(kind: str) -> str:
    """Name one part of a kind: ``models`` are models, ``knowledge`` has sources."""
    return "source of knowledge" if kind == "knowledge" else kind[:-1]


@cache
def names(kind: str) -> tuple[str, ...]:
    """List the parts of one kind (`KINDS`), sorted, as policies and the command line write them.

    Raises `PolicyError` when there is no such kind.
    """
    return tuple(sorted({*_ours(kind, _folder(kind)), *_entry_points(kind)}))


def refresh() -> None:
    """Look for parts anew, when next asked: after a distribution was installed into a running program."""
    for cached in (names, _ours, _entry_points, _load_theirs, _first_line):
        cached.cache_clear()


@cache
def class_name(kind: str, name: str) -> str:
    """Name the class of a part: ``t-closeness`` is ``TCloseness``, the attack ``linkage`` is ``LinkageAttack``."""
    return "".join(word.capitalize() for word in name.split("-")) + KINDS[kind]


def load(kind: str, name: str) -> type[Any]:
    """Import the class of one part.

    Raises `PolicyError` when there is no part of that name; it says which was probably meant.
    """
    if not _is_ours(kind, name):
        return _load_theirs(kind, name)
    module = import_module(f"likeness.{kind}.{name.replace('-', '_')}")
    part: type[Any] = getattr(module, class_name(kind, name))
    return part


def distribution(kind: str, name: str) -> str | None:
    """Name the distribution, with its version, that brings a part; None for our own."""
    return None if _is_ours(kind, name) else _origin(_entry_point(kind, name))


def summary(kind: str, name: str) -> str:
    """Read the first line of a part's class docstring; none of ours is imported for it."""
    wanted = class_name(kind, name)
    path = _path(kind, name)
    if path.is_file():
        return _first_line(path, wanted) or ""
    entry = _entry_point(kind, name)
    try:
        found = find_spec(entry.module)
    except ImportError as problem:
        raise _not_loaded(kind, entry, problem) from None
    origin = Path(found.origin) if found is not None and found.origin is not None else None
    if origin is not None and origin.suffix == ".py" and (line := _first_line(origin, wanted)) is not None:
        return line
    # The entry names a module that passes the class on, or one that is no text.
    return (_load_theirs(kind, name).__doc__ or "").strip().split("\n")[0]


def find_public(public: str) -> tuple[str, str] | None:
    """Find the kind and name of a part from its class name, or None."""
    kinds = [kind for kind, ending in KINDS.items() if public.endswith(ending)]
    # Ours first: for them nothing is asked of other distributions.
    known = chain(
        ((kind, _ours(kind, _folder(kind))) for kind in kinds), ((kind, names(kind)) for kind in kinds)
    )
    return next(
        ((kind, name) for kind, found in known for name in found if class_name(kind, name) == public), None
    )


def create(kind: str, name: str, parameters: Mapping[str, Any]) -> Any:
    """Make a part from its name and parameters, as a policy gives them.

    Raises `PolicyError` when there is no such part, a parameter is unknown, missing, or out of range.
    """
    part = load(kind, name)
    known = {key_of(field): field for field in fields(part)}
    problems = [
        Refusal(f"unknown parameter {given!r}{suggestion(given, known)}", (name,))
        for given in parameters
        if given not in known
    ]
    problems += [
        Refusal(f"the parameter {key!r} is missing", (name,))
        for key, field in known.items()
        if field.default is MISSING
        and field.default_factory is MISSING
        and key not in parameters
        and not problems
    ]
    if problems:
        raise PolicyError(*problems)
    return part(**{known[key].name: value for key, value in parameters.items()})


def key_of(field: Field[Any]) -> str:
    """Name a parameter as policies do: what Python cannot call ``from`` is ``from_`` there."""
    return field.name.removesuffix("_")


def parameters(part: Any) -> dict[str, Any]:
    """List a part's parameters that differ from their defaults, as JSON can hold them."""
    found = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if field.default is not MISSING and value == field.default:
            continue
        found[key_of(field)] = _plain(value)
    return found


def belongs(part: Any, kind: str) -> bool:
    """Whether a part's class comes from the folder of a kind."""
    return any(base.__module__.startswith(f"likeness.{kind}.") for base in type(part).__mro__)


def _plain(value: Any) -> Any:
    """Write fractions as texts, numpy's numbers as Python's, methods with what they are made of; the rest JSON holds as it is."""
    if belongs(value, "methods"):
        return {"name": value.name, **parameters(value)}
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


@cache
def _folder(kind: str) -> Path:
    """Folder of the parts of one kind."""
    if kind not in KINDS:
        raise PolicyError(f"there is no kind of part {kind!r}{suggestion(kind, KINDS)}")
    return Path(__file__).parent / kind


def _path(kind: str, name: str) -> Path:
    """File that holds a part of ours, if there is one."""
    path = _folder(kind) / name.replace("-", "_")
    whole = path / "__init__.py"
    # A folder may be left over from what was a folder once.
    return whole if whole.is_file() else path.with_name(f"{path.name}.py")


@cache
def _ours(kind: str, folder: Path) -> tuple[str, ...]:
    """List the parts in one of our folders, sorted."""
    modules = [*folder.glob("*.py"), *(path.parent for path in folder.glob("*/__init__.py"))]
    found = {path.stem.replace("_", "-") for path in modules if not path.stem.startswith("_")}
    return tuple(sorted(name for name in found if _is_part(kind, name)))


def _is_ours(kind: str, name: str) -> bool:
    """Whether a part is one of ours."""
    return name in _ours(kind, _folder(kind))


def _is_part(kind: str, name: str) -> bool:
    """Whether a module holds the part it is named for."""
    text = _path(kind, name).read_text(encoding="utf-8")
    return re.search(rf"^class {class_name(kind, name)}\b", text, re.MULTILINE) is not None


@cache
def _first_line(path: Path, wanted: str) -> str | None:
    """First line of the docstring of a class that a file holds; None when it holds no such class."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == wanted:
            return (ast.get_docstring(node) or "").strip().split("\n")[0]
    return None


@cache
def _entry_points(kind: str) -> dict[str, tuple[EntryPoint, ...]]:
    """Find what other distributions bring, by name; a name of ours stays ours, with a warning."""
    from importlib.metadata import entry_points

    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in entry_points(group=f"likeness.{kind}"):
        if _is_ours(kind, entry.name):
            warnings.warn(
                f"{_origin(entry)} brings the {noun(kind)} {entry.name!r}, which likeness has itself: not used",
                stacklevel=3,
            )
            continue
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return found


def _entry_point(kind: str, name: str) -> EntryPoint:
    """Find the one distribution that brings a part; `PolicyError` when there is none, or more than one."""
    entries = _entry_points(kind).get(name, ())
    if not entries:
        raise PolicyError(f"there is no {noun(kind)} {name!r}{suggestion(name, names(kind))}")
    if len(entries) > 1:
        origins = " and ".join(sorted(map(_origin, entries)))
        raise PolicyError(f"{origins} each bring the {noun(kind)} {name!r}: uninstall all but one")
    return entries[0]


@cache
def _load_theirs(kind: str, name: str) -> type[Any]:
    """Import a part that another distribution brings.

    Raises `PolicyError` when it cannot be imported, or is no part of this kind and name.
    """
    entry = _entry_point(kind, name)
    try:
        part = entry.load()
    except (ImportError, AttributeError) as problem:
        raise _not_loaded(kind, entry, problem) from None
    if not isinstance(part, type) or not is_dataclass(part) or part.__name__ != class_name(kind, name):
        raise _not_loaded(kind, entry, f"it must be a dataclass called {class_name(kind, name)}")
    # Datasets are called what their entry is.
    if kind != "datasets" and getattr(part, "name", None) != name:
        raise _not_loaded(kind, entry, f"its class must say name = {name!r}")
    if not any(base.__module__ == f"likeness.{kind}.base" for base in part.__mro__):
        raise _not_loaded(kind, entry, f"it must be derived from the class in likeness.{kind}.base")
    return part


def _not_loaded(kind: str, entry: EntryPoint, why: object) -> PolicyError:
    """Say what is wrong with a part that another distribution brings."""
    return PolicyError(
        f"{noun(kind)} {entry.name!r} of {_origin(entry)} cannot be used ({entry.value}): {why}"
    )


def _origin(entry: EntryPoint) -> str:
    """Name the distribution of an entry, with its version."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "a distribution"


_FACTS: dict[str, dict[str, str]] = {
    "methods": {"form": "publishes in the form", "takes_parts": "keeps to max_level"},
    "models": {
        "needs_sensitive": "needs a sensitive column",
        "closed_under_union": "holds for the union of two classes that hold",
        "closed_under_adding": "still holds when a record is added",
    },
    "forms": {"tables": "tables", "publishes_exactly": "quasi-identifiers as they are", "remark": "remark"},
    "metrics": {
        "range": "range",
        "lower_is_better": "lower is better",
        "withheld": "withheld records",
        "variants": "variants",
    },
    "attacks": {},
    "datasets": {"default_rows": "rows by default"},
    "knowledge": {},
    "engines": {"whole": "holds all records at once"},
}
"""Attributes of the classes of each kind, and what people call them."""


def find(name: str) -> list[tuple[str, str]]:
    """Find the parts of a name, ``NAME`` or ``KIND/NAME``.

    Returns
    -------
    list
        Kind and name of each.

    Raises
    ------
    PolicyError
        When there is none; says which was probably meant.

    Examples
    --------
    >>> find("k-anonymity")
    [('models', 'k-anonymity')]
    """
    asked, slash, own = name.rpartition("/")
    kinds = (asked,) if slash else tuple(KINDS)
    found = [(kind, own) for kind in kinds if own in names(kind)]
    if not found:
        known = {known for kind in kinds for known in names(kind)}
        hint = did_you_mean(own, known) or "; likeness list shows what there is"
        raise PolicyError(f"there is no {noun(asked) if slash else 'part'} {own!r}{hint}")
    return found


def describe(kind: str, name: str) -> dict[str, Any]:
    """Say everything about a part, as ``likeness show --format json`` does.

    Returns
    -------
    dict
        ``name``, ``kind``, ``class``, ``description``, ``parameters``, ``facts`` in words, for models the ``scope`` of their
        proofs, the ``distribution`` of parts that are not ours, and the ``source``.

    Examples
    --------
    >>> describe("models", "k-anonymity")["parameters"]
    [{'name': 'k', 'required': True, 'description': 'Smallest allowed class, at least 1.'}]
    """
    from likeness import docstrings

    part = load(kind, name)
    described = docstrings.parameters(part)
    return {
        "name": name,
        "kind": noun(kind),
        "class": part.__name__,
        "description": docstrings.description(part),
        "parameters": [_parameter(field, described.get(field.name, "")) for field in fields(part)],
        "facts": {
            words: value
            for attribute, words in _FACTS[kind].items()
            if (value := getattr(part, attribute, None)) is not None
        },
        **({"scope": _scope(part)} if kind == "models" else {}),
        **({"distribution": origin} if (origin := distribution(kind, name)) is not None else {}),
        "source": docstrings.sources(part) or docstrings.description(inspect.getmodule(part)),
    }


def _parameter(field: Field[Any], text: str) -> dict[str, Any]:
    """Say what a parameter is, and what it is when left out."""
    default = field.default
    if default is MISSING and field.default_factory is not MISSING:
        default = field.default_factory()
    found = {"name": key_of(field), "required": default is MISSING, "description": text}
    return found if default is MISSING else found | {"default": default}


def _scope(model: type[Any]) -> str:
    """Say who can check a model's proof."""
    if any(field.name == "reference" for field in fields(model)):
        return "public: anyone can check it; with reference: original, the steward alone"
    return "public: anyone can check it"
