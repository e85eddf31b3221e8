"""Publish tables about people with a proven privacy guarantee at the least loss of information.

``anonymize`` finds and proves a release; ``Policy`` with ``identifier``, ``quasi``, ``sensitive``, ``other`` and ``drop``
declares what the columns mean; every privacy model, method, form, metric and attack is here under its class name
(``KAnonymity``, ``Mondrian``, ``LinkageAttack`` …). Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness._version import __version__

if TYPE_CHECKING:
    from likeness.anonymization import anonymize
    from likeness.errors import (
        CannotBeMetError,
        HierarchyError,
        InvalidError,
        LikenessError,
        MethodFailedError,
        OutputError,
        PolicyError,
        TableError,
        VerificationError,
    )
    from likeness.folder import verify
    from likeness.hierarchies import Hierarchy, read_hierarchy
    from likeness.opening import open_release
    from likeness.policy import Policy, drop, identifier, other, quasi, sensitive
    from likeness.profiling import profile
    from likeness.queries.query import Query
    from likeness.release import Release
    from likeness.searching import Searched, strongest, weakest
    from likeness.tables import read

_WHERE = {
    "anonymize": "anonymization",
    **dict.fromkeys(
        (
            "CannotBeMetError",
            "HierarchyError",
            "InvalidError",
            "LikenessError",
            "MethodFailedError",
            "OutputError",
            "PolicyError",
            "TableError",
            "VerificationError",
        ),
        "errors",
    ),
    "open_release": "opening",
    "verify": "folder",
    "Query": "queries.query",
    "Hierarchy": "hierarchies",
    "read_hierarchy": "hierarchies",
    **dict.fromkeys(("Policy", "drop", "identifier", "other", "quasi", "sensitive"), "policy"),
    "profile": "profiling",
    "Release": "release",
    **dict.fromkeys(("Searched", "strongest", "weakest"), "searching"),
    "read": "tables",
}

__all__ = [
    "CannotBeMetError",
    "Hierarchy",
    "HierarchyError",
    "InvalidError",
    "LikenessError",
    "MethodFailedError",
    "OutputError",
    "Policy",
    "PolicyError",
    "Query",
    "Release",
    "Searched",
    "TableError",
    "VerificationError",
    "__version__",
    "anonymize",
    "drop",
    "identifier",
    "open_release",
    "other",
    "profile",
    "quasi",
    "read",
    "read_hierarchy",
    "sensitive",
    "strongest",
    "verify",
    "weakest",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; parts are found by their file names."""
    from importlib import import_module

    if name in _WHERE:
        return getattr(import_module(f"likeness.{_WHERE[name]}"), name)
    if name[:1].isupper():
        from likeness import registry

        part = registry.find_public(name)
        if part is not None:
            return registry.load(*part)
    raise AttributeError(f"module 'likeness' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List public names, parts included."""
    from likeness import registry

    parts = [registry.class_name(kind, name) for kind in registry.KINDS for name in registry.names(kind)]
    return sorted({*__all__, *parts})
