"""What holds of every metric there is: a new file in `likeness/metrics` is tested here at once."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from fractions import Fraction
from math import inf, isfinite, log2
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.forms.publications import publish
from tests.metrics.tables import evaluate, permuted, tree

from likeness import registry
from likeness.errors import PolicyError
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm
from likeness.metrics.base import Metric
from likeness.metrics.measuring import metric_named, metric_names
from likeness.metrics.mini_table import mini_table
from likeness.microdata.domain import Domain
from likeness.microdata.regions import LOWERED

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation

NEEDED: dict[str, dict[str, Any]] = {"c-avg": {"k": 3}, "vulnerable-classes": {"l": 2}}
"""Parameters of the metrics that cannot do without."""

LABELS = [str(n) for n in range(20, 30)]
GROUPS = [n // 4 for n in range(10)]
QUASI = (
    Domain(
        "age",
        "integer",
        np.arange(20, 30),
        "interval",
        tree(LABELS, GROUPS),
        missing=True,
        low=18,
        high=30,
        declared=True,
    ),
    Domain("zip", "hierarchical", np.array(LABELS), "tree", tree(LABELS, GROUPS), missing=True, weight=2.0),
    Domain("sex", "categorical", np.array(["F", "M"]), "set"),
    Domain("land", "categorical", np.array(["AT"]), "set"),
)


def release(classes: list[int]) -> Evaluation:
    """Sixty records of four quasi-identifiers; numbers, nodes and sets, two of them with missing values."""
    rng = np.random.default_rng(11)
    codes = [rng.integers(0, domain.codes, len(classes)).tolist() for domain in QUASI]
    return published(evaluate(QUASI, codes, rng.integers(0, 3, len(classes)).tolist(), classes))


def published(evaluation: Evaluation) -> Evaluation:
    """With what a recipient sees of it."""
    form = GeneralizedForm() if evaluation.data.individuals is None else IdentityReservedForm()
    return replace(evaluation, publication=publish(form, evaluation.data, evaluation.plan)[0])


def of_people(evaluation: Evaluation, records: int) -> Evaluation:
    """The same records, so many of a class being of one person; the quasi-identifiers of people may differ."""
    classes = evaluation.plan.classes
    within = np.array([(classes[:i] == own).sum() for i, own in enumerate(classes.tolist())])
    people = classes * classes.size + within // records
    individuals = np.unique(people, return_inverse=True)[1].reshape(-1)
    return published(replace(evaluation, data=replace(evaluation.data, individuals=individuals)))


ROUGH = np.random.default_rng(5).integers(0, 9, 60)
RELEASES = {
    "classes": release(ROUGH.tolist()),
    "some withheld": release((ROUGH - 3).clip(-1).tolist()),
    "all alike": release([0] * 60),
    "each alone": release(list(range(60))),
    "nothing published": release([-1] * 60),
    "one record": release([0]),
    "hierarchies": mini_table(hierarchies=True),
}
RELEASES |= {
    f"{which} of people": of_people(RELEASES[which], 3)
    for which in ("classes", "some withheld", "all alike", "nothing published", "hierarchies")
}
RELEASES["all of one person"] = of_people(RELEASES["all alike"], 60)


def metric(name: str) -> Metric:
    return metric_named(name, NEEDED.get(name))


def end(text: str, measured: Metric, evaluation: Evaluation) -> float:
    """An end of a range, as `Metric.range` writes it: symbols joined by · and /."""
    n, individuals = evaluation.data.size, evaluation.data.individuals
    people = n if individuals is None else np.unique(individuals).size
    heights = [
        max(x.hierarchy.height, int(x.missing)) if x.hierarchy else int(x.codes > 1)
        for x in evaluation.data.quasi
    ]
    symbols = {
        "N": n,
        "N²": n * n,
        "P": people,
        "P²": people * people,
        "d": len(evaluation.data.quasi),
        "H": sum(heights),
        "log₂N": log2(n),
        "∞": inf,
        **{field.name: getattr(measured, field.name) for field in fields(measured)},  # type: ignore[arg-type]
    }
    value = 1.0
    for sign, symbol in re.findall(r"(^|[·/])([^·/]+)", text):
        factor = float(symbols.get(symbol, symbol))
        value = value / factor if sign == "/" else value * factor
    return value


@pytest.mark.parametrize("name", registry.names("metrics"))
def test_limits_of_shares_are_shares(name):
    """15 meant 15 %, and whatever was found lost less."""
    made = metric(name)
    assert made.is_share == (made.range.startswith("0 to 1:") and "normalised" not in made.range)
    assert made.check_limit("loss", "0.15") == Fraction(15, 100)
    with pytest.raises(PolicyError, match=r"got '30%'; a share is written from 0 to 1: 30 % is 0\.3$"):
        made.check_limit("loss", "30%")
    if not made.is_share:
        assert made.check_limit("loss", 15) == 15
        return
    with pytest.raises(PolicyError, match=r"loss: .* is a number from 0 to 1; got 15; 15 % is 0\.15"):
        made.check_limit("loss", 15)
    with pytest.raises(PolicyError, match=r"got -1$"):
        made.check_limit("loss", -1)


@pytest.mark.parametrize("name", registry.names("metrics"))
def test_is_a_small_frozen_documented_value(name):
    part = registry.load("metrics", name)
    made = metric(name)
    assert issubclass(part, Metric)
    assert part.name == name
    assert is_dataclass(part)
    assert made == metric(name)
    assert hash(made) == hash(metric(name))
    with pytest.raises((FrozenInstanceError, AttributeError)):
        made.name = "other"  # type: ignore[misc]
    for wanted in ("References\n", "Examples\n", ">>> "):
        assert wanted in part.__doc__
    assert ("Parameters\n" in part.__doc__) == bool(fields(part))
    assert registry.summary("metrics", name).endswith(".")


@pytest.mark.parametrize("name", registry.names("metrics"))
def test_states_its_range_and_what_withheld_records_do(name):
    part = registry.load("metrics", name)
    assert re.match(r"[^\s:]+ to [^\s:]+: \w", part.range)
    assert re.fullmatch(r"[A-Z].{10,}\.", part.withheld)


def value_of(measured: Metric, evaluation: Evaluation) -> float | None:
    """What was measured; None where it is no number, which is said by the metric's name."""
    try:
        return measured.measure(evaluation)
    except PolicyError as problem:
        assert re.search(r" to ∞:", measured.range)
        assert all(f"{measured.name}: " in line and "is infinite" in line for line in problem.problems)
        with pytest.raises(PolicyError, match="is infinite"):
            measured.by_attribute(evaluation)
        return None


@pytest.mark.parametrize("which", RELEASES)
@pytest.mark.parametrize("name", metric_names())
def test_is_finite_and_within_its_range(name, which):
    measured = metric(name)
    low, high = re.match(r"([^\s:]+) to ([^\s:]+)", measured.range).groups()
    value = value_of(measured, RELEASES[which])
    if value is None:
        return
    assert type(value) is float
    assert isfinite(value)
    assert end(low, measured, RELEASES[which]) <= value <= end(high, measured, RELEASES[which])


@pytest.mark.parametrize("which", RELEASES)
@pytest.mark.parametrize("name", metric_names())
def test_does_not_depend_on_the_order_of_records_or_the_numbers_of_classes(name, which):
    evaluation = RELEASES[which]
    order = np.random.default_rng(2).permutation(evaluation.data.size)
    other = published(permuted(evaluation, order.tolist()))
    value = value_of(metric(name), evaluation)
    assert value_of(metric(name), other) == value
    if value is not None:
        assert metric(name).by_attribute(other) == metric(name).by_attribute(evaluation)


@pytest.mark.parametrize("name", metric_names())
def test_by_attribute_names_every_quasi_identifier_or_none(name):
    # Where it is no number, it is one without missing values.
    if value_of(metric(name), RELEASES["classes"]) is None:
        assert list(metric(name).by_attribute(RELEASES["hierarchies"])) == ["age", "sex"]
        return
    parts = metric(name).by_attribute(RELEASES["classes"])
    assert list(parts) in ([], [domain.name for domain in QUASI])


@pytest.mark.parametrize("name", registry.names("metrics"))
def test_variants_have_names_of_their_own(name):
    for variant, parameters in registry.load("metrics", name).variants.items():
        assert variant not in registry.names("metrics")
        assert variant.startswith(name)
        assert registry.create("metrics", name, {**NEEDED.get(name, {}), **parameters}) == metric(variant)


@pytest.mark.parametrize("name", registry.names("metrics"))
def test_what_policies_minimize_is_lowered_by_a_loss_that_is_searched(name):
    own = metric(name)
    assert own.minimized == (name in {"ail", "discernibility", "glm", "iloss", "ncp", "query-error"})
    if own.minimized:
        assert own.searched in LOWERED
        assert own.lower_is_better
        nothing = replace(RELEASES["nothing published"], publication=RELEASES["classes"].publication)
        if own.charges_withheld and not own.of_publication:
            assert own.measure(nothing) >= own.measure(RELEASES["all alike"])


@pytest.mark.parametrize("name", registry.names("metrics"))
def test_an_unknown_parameter_is_an_error(name):
    with pytest.raises(PolicyError, match=f"{name}: unknown parameter 'nonsense'"):
        metric_named(name, {**NEEDED.get(name, {}), "nonsense": 1})
