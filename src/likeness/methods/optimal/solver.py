"""Integer programmes as HiGHS is asked for them, and how long it may take."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.placing import Apart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray


class SolverLimits(NamedTuple):
    """How long the solver may take: so many nodes, and until so many seconds of the clock (None: as long as it takes)."""

    nodes: int
    until: float | None = None

    @staticmethod
    def of(nodes: int, seconds: float | None) -> SolverLimits:
        """Begin to count the seconds."""
        return SolverLimits(nodes, None if seconds is None else monotonic() + seconds)

    def without(self, nodes: int) -> SolverLimits:
        """What is left after so many nodes: one at least."""
        return self._replace(nodes=max(1, self.nodes - nodes))

    @property
    def options(self) -> dict[str, float]:
        """As HiGHS takes them."""
        seconds = {} if self.until is None else {"time_limit": max(0.01, self.until - monotonic())}
        return {"node_limit": self.nodes, **seconds}


def least_cost(
    cost: NDArray[np.float64],
    constraints: Any,
    upper: NDArray[np.float64],
    integral: NDArray[np.integer | np.floating],
    limits: SolverLimits,
) -> Any:
    """Ask for the least cost of variables from 0 to ``upper``, those ``integral`` (1 or 0) in whole numbers."""
    from scipy.optimize import Bounds, milp

    return interruptible(
        lambda: milp(
            cost,
            constraints=constraints,
            bounds=Bounds(np.zeros(cost.size), upper),
            integrality=integral,
            options={**limits.options, "mip_rel_gap": 0.0},
        )
    )


def interruptible(solve: Callable[[], Any]) -> Any:
    """Give what a solver finds; Ctrl-C does not wait for it."""
    with to_stderr():
        return Apart(solve).result()


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
