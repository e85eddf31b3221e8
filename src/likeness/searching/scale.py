"""What a search varies: a parameter of the guarantee, the way in which it is stronger, and the range that is tried."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import ceil, log2, sqrt
from typing import TYPE_CHECKING, Any

from likeness.checks import number
from likeness.errors import PolicyError, suggestion
from likeness.models.base import ParameterRange

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from likeness.models.base import PrivacyModel
    from likeness.policy import Policy

    Number = float | str | Fraction

_DIGITS = 4
_SPREAD = 8


@dataclass(frozen=True)
class Lever:
    """The parameter of a guarantee that a search varies.

    Parameters
    ----------
    model
        Name of the models that have it.
    parameter
        Its name.
    whole
        Whether only whole numbers will do.
    range
        What the model says of it.
    """

    model: str
    parameter: str
    whole: bool
    range: ParameterRange = ParameterRange()  # noqa: RUF009  # an immutable value

    @property
    def subject(self) -> str:
        """Model and parameter, for messages."""
        return f"{self.model}.{self.parameter}"

    @property
    def larger_is_stronger(self) -> bool:
        """Which way the guarantee is stronger."""
        return self.range.larger_is_stronger

    def as_given(self, value: float) -> float:
        """Write a value as a policy gives it."""
        return int(value) if self.whole else float(value)

    def set(self, privacy: Iterable[PrivacyModel], value: float) -> tuple[PrivacyModel, ...]:
        """Make the same guarantee with another value.

        Examples
        --------
        >>> from likeness.models.k_anonymity import KAnonymity
        >>> Lever("k-anonymity", "k", True).set([KAnonymity(2)], 5)
        (KAnonymity(k=5),)
        """
        changed: dict[str, Any] = {self.parameter: self.as_given(value)}
        return tuple(
            replace(model, **changed) if model.name == self.model else model  # type: ignore[type-var]
            for model in privacy
        )


def find_lever(policy: Policy, parameter: str) -> Lever:
    """Find what ``beta-likeness.beta``, or just ``beta``, means in a policy.

    Raises
    ------
    PolicyError
        When the guarantee has no such parameter, or more than one.

    Examples
    --------
    >>> from likeness.policy import Policy, quasi
    >>> find_lever(Policy(columns={"age": quasi()}, privacy={"model": "k-anonymity", "k": 5}), "k")
    Lever(model='k-anonymity', parameter='k', whole=True, range=...)
    """
    known = {
        f"{model.name}.{field.name}": Lever(
            model.name, field.name, field.type == "int", model.ranges[field.name]
        )
        for model in policy.privacy
        for field in fields(model)
        if field.name in model.ranges
    }
    if parameter in known:
        return known[parameter]
    found = [lever for lever in known.values() if lever.parameter == parameter]
    if len(found) > 1:
        names = " or ".join(lever.subject for lever in found)
        raise PolicyError(f"parameter {parameter!r}: the guarantee has several; say {names}")
    if not found:
        hint = (
            suggestion(parameter, [*known, *(lever.parameter for lever in known.values())])
            or "; it has none that can be varied"
        )
        raise PolicyError(f"parameter {parameter!r}: the guarantee has no such parameter{hint}")
    return found[0]


@dataclass(frozen=True)
class Scale:
    """The values between which a search bisects: by ratio where both ends are positive.

    Parameters
    ----------
    low, high
        The ends.
    whole
        Whether only whole numbers will do.
    larger_is_stronger
        Which end is the strong one.
    tolerance
        Share of the value at which reals are near enough.

    Examples
    --------
    >>> Scale(1, 16, False, False, 0.01).between(1, 16)
    4.0
    """

    low: float
    high: float
    whole: bool
    larger_is_stronger: bool
    tolerance: float

    @classmethod
    def of(cls, lever: Lever, between: tuple[Number, Number] | None, tolerance: float, most: int) -> Scale:
        """Choose the range of a parameter.

        Parameters
        ----------
        lever
            The parameter.
        between
            Its ends in any order; None for the default.
        tolerance
            See `Scale`.
        most
            What no whole number need exceed, such as the records of the table.

        Raises
        ------
        PolicyError
            When the range is empty or not of positive numbers, or the tolerance is not above 0.
        """
        ends = between or ((1, most) if lever.whole else lever.range.ends)
        if ends is None:
            raise PolicyError(f"{lever.subject}: has no range by default; say between which values to search")
        low, high = sorted(float(number(lever.subject, "an end of the range", end, above=0)) for end in ends)
        if lever.whole and (low != int(low) or high != int(high)):
            raise PolicyError(f"{lever.subject}: the ends of the range must be whole numbers; got {ends}")
        if low == high and between is not None:
            raise PolicyError(f"{lever.subject}: the ends of the range must differ; got {ends}")
        tolerated = float(number(lever.subject, "the tolerance", tolerance, above=0))
        return cls(low, high, lever.whole, lever.larger_is_stronger, tolerated)

    def weak_and_strong(self) -> tuple[float, float]:
        """The ends, the weaker guarantee first."""
        return (self.low, self.high) if self.larger_is_stronger else (self.high, self.low)

    def between(self, one: float, other: float) -> float | None:
        """Choose the next value to try; None when the two are near enough."""
        low, high = sorted((one, other))
        middle = sqrt(low * high)
        if self.whole:
            middle = min(max(float(round(middle)), low + 1), high - 1)
            return middle if low < middle < high else None
        # Few digits: people will write the value into a policy.
        middle = float(f"{middle:.{_DIGITS}g}")
        return middle if high > low * (1 + self.tolerance) and low < middle < high else None

    def spread(self, one: float, other: float) -> list[float]:
        """Choose a few values between, from one end towards the other, by equal ratios.

        Examples
        --------
        >>> Scale(1, 256, True, True, 0.01).spread(256, 1)
        [128.0, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0]
        """
        ratio = (other / one) ** (1 / _SPREAD)
        values = (one * ratio**step for step in range(1, _SPREAD))
        written = [float(round(value)) if self.whole else float(f"{value:.{_DIGITS}g}") for value in values]
        return [value for value in dict.fromkeys(written) if value not in {one, other}]

    def steps(self, one: float, other: float) -> int:
        """About how many more values `between` will give; of whole numbers, at most so many."""
        low, high = sorted((one, other))
        pieces = high - low if self.whole else log2(high / low) / log2(1 + self.tolerance)
        return ceil(log2(pieces)) if pieces > 1 else 0

    def __str__(self) -> str:
        """Write the range."""
        return f"{self.low:g} to {self.high:g}"
