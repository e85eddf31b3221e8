"""All metrics of a release at once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.errors import PolicyError, Refusal, suggestion
from likeness.metrics.base import Metric
from likeness.wording import columns, figure, printed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from likeness.metrics.base import Evaluation
    from likeness.models.base import PrivacyModel


"""Parameters of models about individuals that ``vulnerable-classes`` has too."""


class Measurements(dict[str, float]):
    """Values by metric name, and the metrics that do not apply.

    Attributes
    ----------
    refusals : dict of str to tuple of Refusal
        Why each other metric was not measured; in words, ``skipped``.
    details : dict of str to dict of str to float
        How a metric was measured, in numbers, where that is to be said; ``query-error``: how many queries were asked.
    notes : dict of str to str
        What of these details changes how a value is to be read, in words.
    metrics : dict of str to Metric
        What was measured under each name, with its parameters.
    """

    def __init__(self) -> None:
        super().__init__()
        self.refusals: dict[str, tuple[Refusal, ...]] = {}
        self.details: dict[str, Mapping[str, float]] = {}
        self.notes: dict[str, str] = {}
        self.metrics: dict[str, Metric] = {}

    @property
    def skipped(self) -> dict[str, str]:
        """Why each other metric was not measured, in words."""
        return {name: "; ".join(map(str, refusals)) for name, refusals in self.refusals.items()}

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write a line for every metric, with its range, and for every one that does not apply, why."""
        rows = [(name, figure(value), self.metrics[name].range) for name, value in self.items()]
        return "\n".join(
            [
                *columns([("metric", "value", ""), *rows], ""),
                *(f"{name}: {note}" for name, note in self.notes.items()),
                *(f"does not apply: {why}" for why in self.skipped.values()),
            ]
        )

    def add(self, name: str, metric: Metric, evaluation: Evaluation) -> None:
        """Measure a metric under a name, once per evaluation; raises `PolicyError` where it does not apply."""
        problem = metric.inapplicable(evaluation)
        if evaluation.data.copies is not None and not metric.of_copies:
            problem = Refusal("measures single records, and records were counted", (name,))
        if problem is not None:
            raise PolicyError(problem)
        self[name] = evaluation.once((metric, "value"), lambda: metric.measure(evaluation))
        self.metrics[name] = metric
        details = metric.details(evaluation)
        if details:
            self.details[name] = details
        if note := metric.note(details):
            self.notes[name] = note

    def to_json(self) -> dict[str, dict[str, Any]]:
        """Write, as JSON can hold it, what was measured and how each value is to be read."""
        return {
            "metrics": {
                name: {
                    "value": value,
                    "range": self.metrics[name].range,
                    "lower_is_better": self.metrics[name].lower_is_better,
                    "withheld": self.metrics[name].withheld,
                    **({"details": self.details[name]} if name in self.details else {}),
                    **({"note": self.notes[name]} if name in self.notes else {}),
                }
                for name, value in self.items()
            }
        }


def metric_names() -> tuple[str, ...]:
    """List all quantities: the metrics, and those that are a metric with certain parameters (``ncp-total``); sorted."""
    return tuple(sorted(_known()))


def metric_named(name: str, parameters: Mapping[str, Any] | None = None) -> Metric:
    """Make a metric from its name, or that of one of its variants.

    Raises `PolicyError` where there is no such metric, or a parameter is unknown, missing, out of range or set by the name.

    >>> metric_named("ncp-total")
    Ncp(loss='ncp', charge_withheld=True, include_noise=False)
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


def measured_name(given: Metric | str) -> str:
    """Name what is asked for: a name is its own, a metric goes by how it is written.

    Raises `PolicyError` where it is neither.

    >>> measured_name(metric_named("c-avg", {"k": 5})), measured_name("ncp")
    ('CAvg(k=5)', 'ncp')
    """
    if not isinstance(given, Metric | str):
        what = "must be given one by one, as names such as 'ncp' or objects such as CAvg(k=5)"
        raise PolicyError(f"metrics: {what}; got {quoted(given)}")
    return given if isinstance(given, str) else repr(given)


def measure_all(
    evaluation: Evaluation, parameters: Mapping[str, Mapping[str, Any]] | None = None
) -> Measurements:
    """Measure everything that applies to a release, sorted by name; ``skipped`` says why the others are not there.

    ``parameters`` are those of single metrics, such as ``{"c-avg": {"k": 5}}``; a metric that needs some and gets none is
    skipped. Raises `PolicyError` where they name no metric, or are unknown or out of range.
    """
    given = parameters or {}
    asked = {name: metric_named(name, options) for name, options in given.items()}
    found = Measurements()
    for name in metric_names():
        try:
            metric = asked.get(name) or metric_named(name)
            if name not in asked and not metric.unasked:
                found.refusals[name] = (
                    Refusal("compares records with all classes; name it to have it measured", (name,)),
                )
                continue
            found.add(name, metric, evaluation)
        except PolicyError as problem:
            found.refusals[name] = problem.refusals
    return found


def measure(
    evaluation: Evaluation,
    models: Iterable[PrivacyModel],
    wanted: Mapping[str, Metric | None] | None = None,
) -> Measurements:
    """Measure a release that was made for a guarantee: the one way from a release to its losses, whoever asks.

    Metrics that are measured against a guarantee take their parameters from ``models`` (`parameters_asked`). ``wanted`` is
    name to metric, or to None for the metric of that name; everything that applies where empty or None. Raises
    `PolicyError` where a metric that is wanted is unknown, or does not apply.
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
