"""What a search must reach: a loss, or a privacy measured by another model."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from likeness import registry
from likeness.checks import number
from likeness.errors import PolicyError, suggestion
from likeness.exact import rational
from likeness.metrics.measuring import metric_named
from likeness.models.base import PrivacyModel
from likeness.proving.proof import prove

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from likeness.metrics.base import Metric
    from likeness.release import Release

    Number = float | str | Fraction


@dataclass(frozen=True)
class Goal:
    """One quantity of a release and its limit.

    Parameters
    ----------
    name
        What it is called.
    limit
        The limit, which it may reach.
    measure
        Takes it from a release.
    at_least
        Whether it must not be smaller, rather than not larger.
    """

    name: str
    limit: Fraction
    measure: Callable[[Release], float]
    at_least: bool = False

    def met(self, value: float) -> bool:
        """Whether a value meets it; exact.

        Examples
        --------
        >>> from fractions import Fraction
        >>> Goal("ncp", Fraction(1, 5), lambda release: 0.0).met(0.2)
        True
        """
        if abs(value) == float("inf"):
            return (value > 0) == self.at_least
        exact = rational(value)
        return exact >= self.limit if self.at_least else exact <= self.limit

    @property
    def asked(self) -> str:
        """The goal in words."""
        return f"{self.name} {'at least' if self.at_least else 'at most'} {float(self.limit):g}"


def loss_goals(loss: Mapping[Metric | str, Number]) -> tuple[Goal, ...]:
    """Read goals about loss.

    Raises
    ------
    PolicyError
        When there are none, a metric is not known, or a limit is not a number.

    Examples
    --------
    >>> [goal.asked for goal in loss_goals({"ncp": 0.2, "utility": "0.7"})]
    ['ncp at most 0.2', 'utility at least 0.7']
    """
    if not loss:
        raise PolicyError("loss: give a metric and its limit, such as ncp: 0.2")
    goals = []
    for given, limit in loss.items():
        metric = metric_named(given) if isinstance(given, str) else given
        name = given if isinstance(given, str) else repr(given)

        def measure(release: Release, metric: Metric = metric) -> float:
            return next(iter(release.loss(metric).values()))

        goals.append(Goal(name, number(name, "the limit", limit), measure, not metric.lower_is_better))
    return tuple(goals)


def measured_goals(measured: Mapping[PrivacyModel | str, Number]) -> tuple[Goal, ...]:
    """Read goals about privacy measured by a model.

    Raises
    ------
    PolicyError
        When there are none, a model or parameter is not known, or a limit is not a number.

    Examples
    --------
    >>> [goal.asked for goal in measured_goals({"t-closeness.t": 0.1, "k-anonymity.k": 5})]
    ['t-closeness.t at most 0.1', 'k-anonymity.k at least 5']
    """
    if not measured:
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
    else:
        name = given
        model_name, _, parameter = given.partition(".")
        model = _model_to_measure(model_name, parameter)

    larger = model.ranges[parameter].larger_is_stronger

    def measure(release: Release) -> float:
        encoded = release.private.encoded
        proofs = prove(release.publication, encoded.name_models([model]), encoded.data).proofs
        found = [proof.strength.values[parameter] for proof in proofs if proof.strength is not None]
        return min(found) if larger else max(found)

    return Goal(name, number(name, "the limit", limit), measure, larger)


def _model_to_measure(name: str, parameter: str) -> PrivacyModel:
    """Make a model that only measures."""
    part: type[PrivacyModel] = registry.load("models", name)
    weakest = {name: known.weakest for name, known in part.ranges.items() if known.weakest is not None}
    known = [field.name for field in fields(part) if field.name in weakest]  # type: ignore[arg-type]
    if parameter not in known:
        raise PolicyError(
            f"measured: {name} has no parameter {parameter!r} to measure{suggestion(parameter, known)}"
        )
    made: PrivacyModel = registry.create("models", name, {parameter: weakest[parameter]})
    return made
