"""All metrics of a release at once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.errors import PolicyError, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from likeness.metrics.base import Evaluation, Metric
    from likeness.models.base import PrivacyModel


"""Parameters of models about individuals that ``vulnerable-classes`` has too."""


class Measurements(dict[str, float]):
    """Values by metric name, and the metrics that do not apply.

    Attributes
    ----------
    skipped : dict of str to str
        Why each other metric was not measured.
    details : dict of str to dict of str to int
        How a metric was measured, in numbers, where that is to be said; ``query-error``: how many queries were asked.
    notes : dict of str to str
        What of these details changes how a value is to be read, in words.
    metrics : dict of str to Metric
        What was measured under each name, with its parameters.
    """

    def __init__(self) -> None:
        super().__init__()
        self.skipped: dict[str, str] = {}
        self.details: dict[str, dict[str, int]] = {}
        self.notes: dict[str, str] = {}
        self.metrics: dict[str, Metric] = {}

    def add(self, name: str, metric: Metric, evaluation: Evaluation) -> None:
        """Measure a metric.

        Parameters
        ----------
        name
            What it goes by.
        metric
            The metric.
        evaluation
            The release.

        Raises
        ------
        PolicyError
            When the metric does not apply.
        """
        self[name] = evaluation.once((metric, "value"), lambda: metric.measure(evaluation))
        self.metrics[name] = metric
        details = metric.details(evaluation)
        if details:
            self.details[name] = details
        if note := metric.note(details):
            self.notes[name] = note


def metric_names() -> tuple[str, ...]:
    """List all quantities: the metrics, and those that are a metric with certain parameters; sorted.

    Examples
    --------
    >>> {"ncp", "ncp-total", "gcp-normalised"} <= set(metric_names())
    True
    """
    return tuple(sorted(_known()))


def metric_named(name: str, parameters: Mapping[str, Any] | None = None) -> Metric:
    """Make a metric from its name, or that of one of its variants.

    Parameters
    ----------
    name
        Such as ``ncp`` or ``ncp-total``.
    parameters
        The metric's parameters.

    Raises
    ------
    PolicyError
        When there is no such metric, or a parameter is unknown, missing, out of range or set by the name.

    Examples
    --------
    >>> metric_named("ncp-total")
    Ncp(loss='ncp', charge_withheld=True)
    >>> metric_named("ncp-totl")
    Traceback (most recent call last):
    likeness.errors.PolicyError: there is no metric 'ncp-totl'; did you mean 'ncp-total'?
    """
    known = _known()
    if name not in known:
        raise PolicyError(f"there is no metric {name!r}{suggestion(name, known)}")
    part, fixed = known[name]
    given = parameters or {}
    for parameter in sorted(fixed.keys() & given.keys()):
        raise PolicyError(f"{name}: {parameter!r} is what makes it {name!r}; set it on {part!r} instead")
    metric: Metric = registry.create("metrics", part, {**given, **fixed})
    return metric


def measure_all(
    evaluation: Evaluation, parameters: Mapping[str, Mapping[str, Any]] | None = None
) -> Measurements:
    """Measure everything that applies to a release.

    Parameters
    ----------
    evaluation
        The release.
    parameters
        Parameters of single metrics, such as ``{"c-avg": {"k": 5}}``; a metric that needs some and gets none
        is skipped.

    Returns
    -------
    Measurements
        A dict of values by name, sorted; its attribute ``skipped`` says why the others are not there.

    Raises
    ------
    PolicyError
        When the parameters name no metric, or are unknown or out of range.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> found = measure_all(mini_table(), {"c-avg": {"k": 2}})
    >>> found["c-avg"], "precision" in found
    (1.25, False)
    >>> found.skipped["precision"]
    "precision: 'age' is published as intervals, which have no levels; ..."
    """
    given = parameters or {}
    asked = {name: metric_named(name, options) for name, options in given.items()}
    found = Measurements()
    for name in metric_names():
        try:
            metric = asked.get(name) or metric_named(name)
            found.add(name, metric, evaluation)
        except PolicyError as problem:
            found.skipped[name] = "; ".join(problem.problems)
    return found


def measure(
    evaluation: Evaluation,
    models: Iterable[PrivacyModel],
    wanted: Mapping[str, Metric | None] | None = None,
) -> Measurements:
    """Measure a release that was made for a guarantee: the one way from a release to its losses, whoever asks.

    Parameters
    ----------
    evaluation
        The release.
    models
        The guarantee; metrics that are measured against one take their parameters from it (`parameters_asked`).
    wanted
        Name to metric, or to None for the metric of that name; everything that applies when left out.

    Raises
    ------
    PolicyError
        When a metric that is wanted is unknown, or does not apply.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> from likeness.models.k_anonymity import KAnonymity
    >>> measure(mini_table(), [KAnonymity(2)], {"c-avg": None})
    {'c-avg': 1.25}
    """
    known = parameters_asked(models)
    if not wanted:
        return measure_all(evaluation, known)
    found = Measurements()
    for name, metric in wanted.items():
        found.add(name, metric or metric_named(name, known.get(name)), evaluation)
    return found


def parameters_asked(models: Iterable[PrivacyModel]) -> dict[str, dict[str, Any]]:
    """Take from a guarantee the parameters of metrics that are measured against one.

    ``c-avg`` is in units of the largest k. ``vulnerable-classes`` counts the classes that the EIR model of the same bound
    refuses: of the largest l asked of individuals, else of the first α and β.

    Parameters
    ----------
    models
        The guarantee.

    Examples
    --------
    >>> from likeness.models.ir_kl_anonymity import IrKlAnonymity
    >>> parameters_asked([IrKlAnonymity(k=5, l=3)])
    {'c-avg': {'k': 5}, 'vulnerable-classes': {'l': 3}}
    """
    models = tuple(models)
    asked = {name: registry.load("metrics", name).asked(models) for name in registry.names("metrics")}
    return {name: given for name, given in asked.items() if given is not None}


@cache
def _known() -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Metric and parameters behind every name."""
    known: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for part in registry.names("metrics"):
        known[part] = (part, {})
        known |= {
            variant: (part, fixed) for variant, fixed in registry.load("metrics", part).variants.items()
        }
    return known
