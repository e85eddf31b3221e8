"""What adversaries achieve who know sensitive values of people whose records are linked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness import registry

if TYPE_CHECKING:
    from likeness.release import Release

TARGETS = 2_000
"""People attacked where there are more: drawn at random, always the same, so that a report takes seconds."""

_ASKED: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "homogeneity": (
        {},
        {"disclosed": "share of targets with a true value that all people who may be them have"},
    ),
    "fingerprint": (
        {"known": 1},
        {"by_all_values": "share of individuals whom only one published person fits, given all their values"},
    ),
    "membership": (
        {"known": 1},
        {"certain": "share of individuals with a further value that all people who may be them have"},
    ),
}
"""Attacks, their parameters, and the details that are shown beside the success, in words."""


def adversary_rows(release: Release) -> tuple[list[list[str]], int]:
    """Say what is learned of people from what links their records.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    tuple
        Attack, what is measured, the figure without the release (where there is one) and with it; and the number of
        people it is measured on. No row where records are not linked, or nobody can be attacked.
    """
    publication, data = release.publication, release.private.encoded.data
    targets = min(TARGETS, data.units.size)
    rows: list[list[str]] = []
    if publication.persons is None:
        return rows, targets
    for name, (given, shown) in _ASKED.items():
        attack = registry.create("attacks", name, {**given, "targets": max(1, targets)})
        if attack.refusal(publication, data) is not None:
            continue
        result = release.attack(attack)
        if not result.details["targets"]:
            continue  # nobody has more values than are known
        rows.append([name, result.meaning, f"{result.baseline:.6g}", f"{result.success:.6g}"])
        for detail, meaning in shown.items():
            before = result.details.get(f"{detail}_before")
            value = f"{result.details[detail]:.6g}"
            rows.append([name, meaning, "" if before is None else f"{before:.6g}", value])
    return rows, targets
