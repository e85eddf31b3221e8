"""The Hilbert index-based algorithm (Riboni, Pareschi & Bettini 2012): classes of records that are near on the curve and hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.methods.base import Method, Problem, joint_views
from likeness.methods.spaces import points
from likeness.microdata.plan import Plan, Reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.class_tests import LaidOutTests

_MODES = ("greedy", "chunk")
_WINDOW = 40
_WORK_A_STEP = 5_000_000
_NOT_NEAR = Reason(
    "nobody-near", "with the next {word} on the Hilbert curve they make no class that holds the guarantee"
)


@dataclass(frozen=True)
class HilbertIndex(Method):
    """Walk along the Hilbert curve and make a class of the next records as soon as they hold; withhold who finds none.

    Parameters
    ----------
    mode
        ``greedy`` (default): the first record that is left takes those that follow it one by one until they hold; where they
        do not within the window, it is withheld alone. ``chunk``: k consecutive records, or as many more as it takes;
        2k that do not hold are withheld.
    window
        Records that ``greedy`` looks at for one class, the first included; by default 40 k.

    Notes
    -----
    k, t and whatever else is asked for come from the guarantee; the paper has k-anonymity, t-closeness and a largest
    Jensen-Shannon divergence (`JsBackground`). Whoever would break a model that a class keeps when somebody leaves, as that on
    background knowledge, is passed over. Known likenesses are kept by clusters of complete linkage, in each of which the
    method runs by itself; the paper asks it pair by pair.

    Up to 30 % of the records are withheld, by the paper's own account. Where that is more than the policy allows, those left over
    are joined with the nearest classes. Records of equal quasi-identifiers stand in the order of the table.

    References
    ----------
    Riboni, Pareschi & Bettini 2012, known here through Amiri et al. 2016, section 5.5; the window is ours.

    Examples
    --------
    >>> HilbertIndex(mode="chunk")
    HilbertIndex(mode='chunk', window=None)
    """

    mode: str = "greedy"
    window: int | None = None

    name: ClassVar[str] = "hilbert-index"

    def __post_init__(self) -> None:
        choice(self.name, "mode", self.mode, _MODES)
        if self.window is not None:
            whole(self.name, "window", self.window, at_least=1)

    def run(self, problem: Problem) -> Plan:
        """Make classes along the curve; who is in none is withheld."""
        from likeness.kernels.class_tests import lay_out
        from likeness.methods.hilbert_index.kernels import blocks

        data = problem.data
        if data.size == 0:
            return Plan(np.zeros(0, np.int64))
        along = np.argsort(points(data).rank, kind="stable")
        views, tests, width = joint_views(problem)
        views = np.ascontiguousarray(views[:, along])
        laid = lay_out(tests)
        label = np.full(data.size, -1, np.int64)
        if self.mode == "chunk":
            blocks(
                laid.functions,
                laid.shape,
                laid.integers,
                laid.reals,
                min(laid.smallest, data.size + 1),
                views,
                width,
                label,
            )
        else:
            bars = [
                test
                for test, one in zip(tests, problem.requirements, strict=True)
                if one.model.closed_under_removing
            ]
            self._greedy(problem, laid, lay_out(bars), views, width, label)
        classes = np.empty(data.size, np.int64)
        classes[along] = label
        reason = Reason(_NOT_NEAR.name, _NOT_NEAR.words, word=problem.word)
        left = int(np.count_nonzero(classes < 0))
        return Plan(classes, because={reason: left} if left else {})

    def _greedy(
        self,
        problem: Problem,
        laid: LaidOutTests,
        bars: LaidOutTests,
        views: NDArray[np.int32],
        width: int,
        label: NDArray[np.int64],
    ) -> None:
        """Fill in the classes of the mode ``greedy``."""
        from likeness.methods.hilbert_index.kernels import greedy

        size = label.size
        smallest = min(laid.smallest, size + 1)
        window = min(self.window or _WINDOW * smallest, size)
        state = np.concatenate([[0, 0], np.arange(size + 1)])
        barred = bars.functions, bars.shape, bars.integers, bars.reals
        over = False
        while not over:
            over = greedy(
                laid.functions,
                laid.shape,
                laid.integers,
                laid.reals,
                smallest,
                barred,
                views,
                width,
                window,
                state,
                label,
                _WORK_A_STEP,
            )
            problem.progress.step("walk along the curve", int(state[1]), size)
