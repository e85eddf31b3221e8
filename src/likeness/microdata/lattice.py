"""A lattice that the policy declares: regions are rounded outward to it, so that their ends are nobody's values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class DeclaredLattice:
    """Which cell of the lattice every code of an attribute lies in; a region covers whole cells.

    ``first``, ``last``: (codes,) int32, ends of the cell of each code, for intervals and hierarchies. Of real numbers the end of
    one cell is the beginning of the next, and belongs to the next.
    ``group``: (codes,) int64, number of the cell of each code, for sets.
    ``node``: (leaves,) int32, node of the hierarchy that is the cell of each leaf.

    The missing value is a cell of its own.
    """

    first: NDArray[np.int32]
    last: NDArray[np.int32]
    group: NDArray[np.int64] | None = None
    node: NDArray[np.int32] | None = None

    @property
    def ends(self) -> NDArray[np.int64]:
        """Codes at which regions may begin or end."""
        return np.unique(np.concatenate([self.first, self.last]))

    def whole(self, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """(R, words) Sets of codes as bits, with all codes of every cell that they touch."""
        assert self.group is not None  # noqa: S101  # asked only of sets
        words = bits.shape[1]
        codes = self.group.size
        found = bits.copy()
        for cell in range(int(self.group.max(initial=-1)) + 1):
            own: NDArray[np.bool_] = np.zeros(words * 64, np.bool_)
            own[:codes] = self.group == cell
            mask = np.packbits(own, bitorder="little").view(np.uint64)
            touched = (bits & mask).any(axis=1)
            found[touched] |= mask
        return found
