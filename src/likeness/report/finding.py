"""What is found about a release: a code and figures, put into words when they are shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Finding:
    """One thing that a steward should know about a release.

    ``code``: what kind of thing, such as ``alone-in-a-class``.
    ``facts``: the names and numbers it is about, as JSON can hold them.
    ``words``: puts the facts into one sentence without its full stop; of no account in comparisons.
    ``warned``: whether it is a warning, and not merely said.
    """

    code: str
    facts: Mapping[str, Any]
    words: Callable[..., str] = field(repr=False, compare=False)
    warned: bool = True

    def __str__(self) -> str:
        """Say it in one sentence."""
        return self.words(**self.facts)
