"""Which of several points no other one is better than (Pareto)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def undominated(points: Sequence[Sequence[float]]) -> NDArray[np.bool_]:
    """(n,) Whether no other point is at least as large in everything and larger in something.

    Equal points are all kept.

    >>> undominated([(2, -0.1), (5, -0.1), (5, -0.2), (9, -0.3)]).tolist()
    [False, True, False, True]
    """
    own = np.array(points, np.float64)
    if not own.size:
        return np.ones(len(points), np.bool_)
    as_large = np.all(own[None, :, :] >= own[:, None, :], axis=2)
    larger = np.any(own[None, :, :] > own[:, None, :], axis=2)
    return np.asarray(~np.any(as_large & larger, axis=1), np.bool_)
