"""Which sensitive values earlier releases left possible of people: their signatures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Signatures:
    """The signatures of records whose people were in an earlier release.

    ``of``: (n,) int64, the signature of each record, -1 for who was in none. ``sets``: (signatures, codes) bool, the values of
    each, of those that the table has. ``sizes``: (signatures,) int64, how many values each has, others too.
    """

    of: NDArray[np.int64]
    sets: NDArray[np.bool_]
    sizes: NDArray[np.int64]

    def take(self, records: NDArray[np.int64]) -> Self:
        """Keep only some records, by position."""
        return replace(self, of=self.of[records])
