"""Integer programmes as HiGHS is asked for them."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def least_cost(
    cost: NDArray[np.float64],
    constraints: Any,
    upper: NDArray[np.float64],
    integral: NDArray[np.integer | np.floating],
    most_nodes: int,
) -> Any:
    """Ask for the least cost of variables from 0 to ``upper``, those ``integral`` (1 or 0) in whole numbers."""
    from scipy.optimize import Bounds, milp

    with to_stderr():
        return milp(
            cost,
            constraints=constraints,
            bounds=Bounds(np.zeros(cost.size), upper),
            integrality=integral,
            options={"node_limit": most_nodes, "mip_rel_gap": 0.0},
        )


@contextmanager
def to_stderr() -> Iterator[None]:
    """Send to stderr what is written to C's stdout: HiGHS remarks on itself there, unasked, in the middle of our JSON."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    saved = None
    with suppress(OSError):
        saved = os.dup(1)
        os.dup2(2, 1)
    try:
        yield
    finally:
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)
