"""Relative differences of the shares of quasi-identifier values, with their interval (Amiri et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.metrics.base import Metric
from likeness.metrics.marginals import BINS, compare, grouped, grouped_note
from likeness.microdata.regions import attribute_weights
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation

Z = 1.96
"""Standard errors to either side of a mean that 95 % of a normal distribution lie within."""


@dataclass(frozen=True)
class RelativeDifference(Metric):
    """By how much the share of a quasi-identifier value is estimated too high or too low, on average, with a 95 % interval.

    Of every value a that occurs in the original, ``D_a = (q_a - p_a) / p_a``, where p are the shares of values in the original
    and q those that are estimated from what was published. The mean over the values of all quasi-identifiers, and the interval
    ``mean ± 1.96 · sd / √m`` over these m values.

    Parameters
    ----------
    weighted
        Count every value by its share p and its column's weight, instead of all alike. The mean is then minus the share that
        values have in the release which nobody has in the original, and so 0 in most; the interval tells how far values are off.
    absolute
        Average ``|D_a|``: differences do not cancel out.
    bins
        Numbers, days and ordered values of which a column has more than so many are compared in at most so many groups of
        neighbours, with about as many records in each.

    Notes
    -----
    Estimates are those of queries: generalized records are spread evenly over their region; an estimate between two numbers
    that occur counts for the nearer one. The missing value is a value like others. Where survey weights were published, shares
    are of people. `details` has the interval as ``low`` and ``high``, and the number of ``values``; of weighted values, whose
    weights w sum to 1, ``sd² = Σ w (D - mean)² · m / (m - 1)``.

    References
    ----------
    Amiri et al. 2016, section 5.2, Table 7 and footnote 8.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> {name: round(value, 4) for name, value in RelativeDifference().by_attribute(mini_table()).items()}
    {'age': 0.0, 'sex': -0.0417}
    >>> RelativeDifference().note(RelativeDifference().details(mini_table()))
    '95 % interval -0.19457 to 0.170761 over 7 values'
    """

    weighted: bool = False
    absolute: bool = False
    bins: int = BINS

    name: ClassVar[str] = "relative-difference"
    range: ClassVar[str] = (
        "-1 to ∞: 0 where differences cancel out, below where values are estimated too low; absolute, 0 where there is none"
    )
    withheld: ClassVar[str] = (
        "Left out: shares of what is published are compared with those of all records; -1 where nothing is published."
    )
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"relative-difference-absolute": {"absolute": True}}

    def __post_init__(self) -> None:
        whole(self.name, "bins", self.bins, at_least=2)

    def measure(self, evaluation: Evaluation) -> float:
        """Average over the values of all quasi-identifiers."""
        return self._pooled(evaluation)[0]

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Average over the values of each quasi-identifier by itself."""
        return {name: _mean(*own)[0] for name, own in self._differences(evaluation).items()}

    def details(self, evaluation: Evaluation) -> Mapping[str, float]:
        """Give the interval, ``low`` to ``high``, the number of ``values``, and how many columns were ``grouped``, if any."""
        mean, error, values = self._pooled(evaluation)
        return {
            "low": mean - Z * error,
            "high": mean + Z * error,
            "values": values,
            **grouped(compare(self.name, evaluation, self.bins)),
        }

    def note(self, details: Mapping[str, float]) -> str:
        """State the interval, and whether columns were compared in groups of values.

        Examples
        --------
        >>> RelativeDifference().note({"low": -0.25, "high": 0.5, "values": 93})
        '95 % interval -0.25 to 0.5 over 93 values'
        """
        values = count(int(details["values"]), "value")
        interval = f"95 % interval {details['low']:.6g} to {details['high']:.6g} over {values}"
        return "; ".join(filter(None, (interval, grouped_note(details, self.bins))))

    def _pooled(self, evaluation: Evaluation) -> tuple[float, float, int]:
        """Mean over the values of all quasi-identifiers, its standard error, and how many these are."""
        found = self._differences(evaluation)
        columns = attribute_weights(evaluation.data.quasi).tolist() if self.weighted else [1.0] * len(found)
        each = [np.zeros(0), *(own for own, _ in found.values())]
        weights = [np.zeros(0), *(x * own for x, (_, own) in zip(columns, found.values(), strict=True))]
        together = np.concatenate(each)
        return (*_mean(together, np.concatenate(weights)), together.size)

    def _differences(
        self, evaluation: Evaluation
    ) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Differences of the values that occur, and what each of them counts for, by quasi-identifier."""
        shown = compare(self.name, evaluation, self.bins)
        found = {}
        for name in shown.columns:
            before, after = shown.original(name), shown.published(name)
            some = before > 0
            own = (after[some] - before[some]) / before[some]
            found[name] = (
                np.abs(own) if self.absolute else own,
                before[some] if self.weighted else np.ones(own.size),
            )
        return found


def _mean(differences: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    """Weighted mean of m differences, and its standard error; 0 for one alone."""
    total, m = fsum(weights.tolist()), differences.size
    if total <= 0:
        return 0.0, 0.0
    mean = fsum((weights * differences).tolist()) / total
    squares = fsum((weights * (differences - mean) ** 2).tolist()) / total
    return mean, sqrt(squares / (m - 1)) if m > 1 else 0.0
