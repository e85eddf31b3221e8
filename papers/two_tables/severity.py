"""Categories of the diagnoses of INFORMS 2005: an ordering to demonstrate with, of no clinical standing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LABELS = ("asymptomatic", "low", "mild", "high", "severe")
"""The least severe first."""
CHAPTERS: dict[str, tuple[tuple[int, int], ...]] = {
    "severe": ((42, 42), (140, 208), (410, 417), (428, 428), (430, 438)),
    "high": ((250, 250), (290, 299), (340, 349), (390, 459), (490, 519), (570, 573), (580, 586)),
    "low": ((360, 389), (460, 478), (520, 529), (680, 709), (780, 799)),
}
"""First three characters of ICD-9 codes, from and to, looked up in this order: what is severe is not high too."""


def severity_of(code: str) -> str:
    """Find the category of a diagnosis: V codes and negative ones (not known) are asymptomatic, all that is named nowhere mild.

    >>> [severity_of(code) for code in ("042", "411", "401", "465", "V70", "-9", "E888", "715")]
    ['severe', 'severe', 'high', 'low', 'asymptomatic', 'asymptomatic', 'mild', 'mild']
    """
    if code[:1] in {"V", "-"}:
        return "asymptomatic"
    number = int(code[:3]) if code[:3].isdigit() else -1
    return next(
        (label for label, own in CHAPTERS.items() if any(low <= number <= high for low, high in own)), "mild"
    )


def severity(codes: Iterable[str]) -> dict[str, list[str]]:
    """Put codes into categories as a policy takes them: label to its codes, ascending, the least severe first."""
    found: dict[str, list[str]] = {label: [] for label in LABELS}
    for code in sorted(set(codes)):
        found[severity_of(code)].append(code)
    return found
