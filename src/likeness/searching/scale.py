"""What a search varies and what it must reach.

It varies a parameter of the guarantee, in the direction and the range in which it is stronger, until a loss is reached or a
privacy measured by another model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import ceil, log2, sqrt
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.checks import number
from likeness.errors import PolicyError, suggestion
from likeness.exact import rational
from likeness.metrics.measuring import measured_name, metric_named
from likeness.models.base import ParameterRange, PrivacyModel
from likeness.proving.proof import prove
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from fractions import Fraction

    from likeness.metrics.base import Metric
    from likeness.policy import Policy
    from likeness.release import Release

    Number = float | str | Fraction

_DIGITS = 4
_SPREAD = 8


@dataclass(frozen=True)
class Lever:
    """The parameter of a guarantee that a search varies.

    ``model``: name of the models that have it. ``whole``: whether only whole numbers will do.
    ``range``: what the model says of it.
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

    def as_strong(self, one: float, other: float) -> bool:
        """Whether a value gives as strong a guarantee as another, or a stronger one."""
        return one >= other if self.larger_is_stronger else one <= other

    def as_given(self, value: float) -> float:
        """Write a value as a policy gives it."""
        return int(value) if self.whole else float(value)

    def set(self, privacy: Iterable[PrivacyModel], value: float) -> tuple[PrivacyModel, ...]:
        """Make the same guarantee with another value, in every model that has the parameter."""
        changed: dict[str, Any] = {self.parameter: self.as_given(value)}
        return tuple(
            replace(model, **changed) if model.name == self.model else model  # type: ignore[type-var]
            for model in privacy
        )


def levers(policy: Policy) -> dict[str, Lever]:
    """List the parameters of a policy's guarantee that can be varied, in its order, by model and parameter."""
    return {
        f"{model.name}.{field.name}": Lever(
            model.name, field.name, field.type == "int", model.ranges[field.name]
        )
        for model in policy.privacy
        for field in fields(model)
        if field.name in model.ranges
    }


def find_lever(policy: Policy, parameter: str) -> Lever:
    """Find what ``beta-likeness.beta``, or just ``beta``, means in a policy.

    Raises `PolicyError` where the guarantee has no such parameter, or more than one.
    """
    known = levers(policy)
    if not isinstance(parameter, str):
        raise PolicyError(f"parameter: must be a name such as beta-likeness.beta; got {quoted(parameter)}")
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
    """The values between which a search bisects, by ratio: both ends are positive, ``low`` the smaller.

    ``whole``: whether only whole numbers will do. ``tolerance``: share of the value at which reals are near enough.
    """

    low: float
    high: float
    whole: bool
    larger_is_stronger: bool
    tolerance: float

    @classmethod
    def of(cls, lever: Lever, between: tuple[Number, Number] | None, tolerance: float, most: int) -> Scale:
        """Choose the range of a parameter: ``between`` its ends, in any order; None for the default.

        By default whole numbers run from 1 to ``most`` (say, the records of the table), others over the range of their model.
        Raises `PolicyError` where there is no default, ends are equal, not positive, or not whole where only whole numbers will
        do, or the tolerance is not above 0.
        """
        if between is not None and (not isinstance(between, Sequence) or len(between) != 2):
            raise PolicyError(
                f"{lever.subject}: a range is two numbers, such as (1, 10); got {quoted(between)}"
            )
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
        """Choose a few values between, from one end towards the other, by equal ratios; neither end is among them.

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


@dataclass(frozen=True)
class Goal:
    """One quantity of a release and its limit, which it may reach.

    ``at_least``: whether it must not be smaller than the limit, rather than not larger.
    """

    name: str
    limit: Fraction
    measure: Callable[[Release], float]
    at_least: bool = False

    def met(self, value: float) -> bool:
        """Whether a value meets the goal; exact: 0.2 is the 1/5 that a person means by it (`rational`)."""
        if abs(value) == float("inf"):
            return (value > 0) == self.at_least
        exact = rational(value)
        return exact >= self.limit if self.at_least else exact <= self.limit

    @property
    def asked(self) -> str:
        """The goal in words."""
        return f"{self.name} {'at least' if self.at_least else 'at most'} {float(self.limit):g}"


def loss_goals(loss: Mapping[Metric | str, Number]) -> tuple[Goal, ...]:
    """Read goals about loss: metric to limit, which is reached from the metric's better side.

    Raises `PolicyError` where there are none, a metric is not known, or a limit is not a number that it can have.
    """
    if not loss or not isinstance(loss, Mapping):
        raise PolicyError("loss: give a metric and its limit, such as ncp: 0.2")
    goals = []
    for given, limit in loss.items():
        name = measured_name(given)
        metric = metric_named(given) if isinstance(given, str) else given

        def measure(release: Release, metric: Metric = metric) -> float:
            return next(iter(release.loss(metric).values()))

        goals.append(Goal(name, metric.check_limit(name, limit), measure, not metric.lower_is_better))
    return tuple(goals)


def measured_goals(measured: Mapping[PrivacyModel | str, Number]) -> tuple[Goal, ...]:
    """Read goals about privacy measured by a model: ``t-closeness.t``, or a model for its first parameter, to limit.

    Raises `PolicyError` where there are none, a model or parameter is not known, or a limit is not a number that a policy could
    ask for.
    """
    if not measured or not isinstance(measured, Mapping):
        raise PolicyError("measured: give a parameter of a model and its limit, such as t-closeness.t: 0.1")
    return tuple(_measured_goal(given, limit) for given, limit in measured.items())


def _measured_goal(given: PrivacyModel | str, limit: Number) -> Goal:
    """Read one goal about privacy."""
    if isinstance(given, PrivacyModel):
        model, parameter = given, fields(given)[0].name  # type: ignore[arg-type]
        parameter = next(f.name for f in fields(given) if not f.kw_only)  # type: ignore[arg-type]
        name = repr(given)
        if parameter not in model.ranges:
            raise PolicyError(
                f"measured: {model.name} does not say which way its parameter {parameter!r} is stronger"
            )
    elif not isinstance(given, str):
        raise PolicyError(
            f"measured: must name a parameter of a model, such as t-closeness.t, or be a model; got {quoted(given)}"
        )
    else:
        name = given
        model_name, _, parameter = given.partition(".")
        model = model_to_measure(model_name, parameter)

    larger = model.ranges[parameter].larger_is_stronger

    def measure(release: Release) -> float:
        encoded = release.private.encoded
        proofs = prove(release.publication, encoded.name_models([model]), encoded.data).proofs
        found = [proof.strength.values[parameter] for proof in proofs if proof.strength is not None]
        return min(found) if larger else max(found)

    return Goal(name, _limit_of(model, parameter, name, limit), measure, larger)


def _limit_of(model: PrivacyModel, parameter: str, name: str, limit: Number) -> Fraction:
    """Read how much a model may measure: what a policy could ask of it, else the limit would ask nothing, or what cannot be."""
    exact = number(name, "the limit", limit)
    changed: dict[str, Any] = {parameter: int(exact) if exact.denominator == 1 else float(exact)}
    try:
        replace(model, **changed)  # type: ignore[type-var]
    except PolicyError as problem:
        raise PolicyError(*problem.within("measured")) from None
    return exact


def model_to_measure(name: str, parameter: str) -> PrivacyModel:
    """Make a model that only measures, by its parameter alone: as weak as it can be.

    Raises `PolicyError` where it has no such parameter, or needs others.
    """
    part: type[PrivacyModel] = registry.load("models", name)
    weakest = {name: known.weakest for name, known in part.ranges.items() if known.weakest is not None}
    known = [field.name for field in fields(part) if field.name in weakest]  # type: ignore[arg-type]
    if not parameter:
        told = f"{name}.{known[0] if known else '…'}"
        raise PolicyError(
            f"measured: {name!r} does not say which parameter is measured; name it, as in {told}"
        )
    if parameter not in known:
        raise PolicyError(
            f"measured: {name} has no parameter {parameter!r} to measure{suggestion(parameter, known)}"
        )
    made: PrivacyModel = registry.create("models", name, {parameter: weakest[parameter]})
    return made
