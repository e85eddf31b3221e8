"""The proposed policy as a commented file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from likeness.policy.yaml_nodes import Dumper
from likeness.profiling.findings import PUBLISHED, share
from likeness.profiling.guarantee import identity_reserved
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from likeness.profiling.findings import ColumnProfile
    from likeness.profiling.result import Profile

_LONGEST_KEY = 100
"""Characters of a column's name up to which it is written before its colon in one line."""


def write_policy(profile: Profile) -> str:
    """Write the policy a profile proposes, with its reasons.

    Parameters
    ----------
    profile
        The profile.

    Returns
    -------
    str
        YAML that loads as `Profile.policy`.
    """
    lines = [
        _comment(f"Proposed for {profile.source}: {count(profile.records, 'record')}, {count(len(profile.columns), 'column')}."),
        "# A proposal, not a judgement: only you know what others may know of these people. Read every line.",
        *(_comment(f"Check: {warning}.") for warning in profile.warnings),
        "columns:",
    ]  # fmt: skip
    for column in profile.columns:
        lines += [f"  {line}" for line in _column(column)]
    lines += [
        "# The empty cell is missing, and refused unless its column says otherwise.",
        f"missing: {_flow({'markers': [''], 'policy': 'error'})}",
    ]
    if profile.individual is not None:
        lines += [
            "# Several records a person: classes count people. Before that, all but the first of one person's records with",
            "# the same sensitive values are dropped; hygiene: {duplicates: keep} keeps them.",
            *_dump({"individual": profile.individual}, flow=False).splitlines(),
        ]
    elif profile.persons.column is not None and profile[profile.persons.column].role == "identifier":
        lines += [
            "# Several records a person, if this column tells people apart:",
            *_key("individual", profile.persons.column),
        ]
    for column in profile.columns:
        if column.looks_like == "survey weights":
            lines += [
                "# Survey weights: losses count people by them; estimates, too, where they are published (role: other):",
                *_key("weights", column.name),
            ]
    lines.append("privacy:")
    for proposal in profile.guarantee:
        lines += [f"  {_comment(proposal.reason)}", f"  - {_flow(proposal.model)}"]
    linked = identity_reserved(profile.reach)
    if linked:
        lines.append("  # These instead publish all records of a person under one random number:")
        lines += [f"  # - {_flow(model)}" for model in linked]
    return "\n".join(lines) + "\n"


def _column(column: ColumnProfile) -> list[str]:
    """Reason and facts, what to check, what may be missing, and the column itself."""
    lines = [_comment(f"{column.reason}; {_facts(column)}")]
    if column.role in PUBLISHED:
        declared = [marker for marker in column.markers if marker.declared]
        lines += [
            _comment(
                f"declared missing: {quoted(marker.text)}, {count(marker.records, 'record')}: {marker.why}"
            )
            for marker in declared
        ]
    lines += [_comment(f"check: {warning}") for warning in column.warnings]
    asked = [marker for marker in column.markers if not marker.declared]
    if asked and column.role in PUBLISHED:
        known = column.settings.get("missing", {}).get("markers", [""])
        markers = [*known, *(marker.text for marker in asked)]
        settings = {**column.settings, "missing": {"markers": markers, "policy": "category"}}
        seen = ", ".join(f"{quoted(marker.text)} ({count(marker.records, 'record')})" for marker in asked)
        lines += [
            _comment(f"if {seen} {'means' if len(asked) == 1 else 'mean'} a missing value, write instead:"),
            *(f"# {line}" for line in _entry(column.name, settings)),
        ]
    return [*lines, *_entry(column.name, column.settings)]


def _facts(column: ColumnProfile) -> str:
    """Counts of a column, in a few words."""
    found = count(column.distinct, "value")
    if column.distinct > 1:
        found += f", {share(column.alone, column.records)} of records unique"
    return f"{found}, {count(column.missing, 'record')} without" if column.missing else found


def _comment(text: str) -> str:
    """Write one line of comment, whatever the text."""
    plain = " ".join(text.split())
    return "# " + "".join(character if character.isprintable() else "?" for character in plain)


def _entry(name: str, settings: dict[str, Any]) -> list[str]:
    """Write a column of the policy, in one line unless its name forbids it."""
    if len(name) > _LONGEST_KEY or not name.isprintable():
        return _dump({name: settings}, flow=None).splitlines()
    return [_dump({name: settings}, flow=True).strip()[1:-1]]


def _key(key: str, name: str) -> list[str]:
    """Write a key that names a column, commented out."""
    return [f"# {line}" for line in _dump({key: name}, flow=False).splitlines()]


def _flow(content: dict[str, Any]) -> str:
    """Write a mapping in one line."""
    return _dump(content, flow=True).strip()


def _dump(content: dict[str, Any], *, flow: bool | None) -> str:
    """Write YAML as the policy's own reader takes it."""
    text: str = yaml.dump(
        content, Dumper=Dumper, sort_keys=False, allow_unicode=True, default_flow_style=flow, width=1 << 30
    )
    return text
