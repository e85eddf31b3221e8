from __future__ import annotations

import pytest
from tests.metrics.examples import LEVELS, MINI

from likeness import registry
from likeness.errors import PolicyError, Refusal, TableError
from likeness.metrics.base import Evaluation
from likeness.metrics.measuring import measure_all, metric_named, metric_names, parameters_asked
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.ir_alpha_beta_anonymity import IrAlphaBetaAnonymity
from likeness.models.ir_k_anonymity import IrKAnonymity
from likeness.models.ir_kl_anonymity import IrKlAnonymity
from likeness.models.k_anonymity import KAnonymity


def test_every_quantity_has_a_name():
    assert {
        *registry.names("metrics"),
        "ncp-total",
        "gcp-normalised",
        "non-uniform-entropy-normalised",
        "non-uniform-entropy-local",
    } <= set(metric_names())


def test_values_and_reasons_cover_every_name():
    found = measure_all(MINI)
    assert set(found) | set(found.skipped) == set(metric_names())
    assert not set(found) & set(found.skipped)
    assert found["ncp"] == found["ail"] == 0.5
    assert list(found) == sorted(found)


def test_says_why_a_metric_was_left_out():
    found = measure_all(MINI)
    assert found.skipped["c-avg"] == "c-avg: the parameter 'k' is missing"
    assert "'age' has no hierarchy" in found.skipped["generalization-height"]
    assert "precision" in measure_all(LEVELS)


def test_what_cannot_be_worked_out_is_tried_once():
    evaluation = Evaluation(MINI.data, MINI.plan, MINI.recoding)
    tried = []

    def refuse():
        tried.append(1)
        raise TableError(Refusal("says nothing", ("age",)))

    said = []
    for _ in range(3):
        with pytest.raises(TableError, match="age: says nothing") as problem:
            evaluation.once("shares", refuse)
        said.append(problem.value)
    assert len(tried) == 1
    # Whoever catches one keeps nothing of where the others were raised.
    assert len({id(one) for one in said}) == 3
    assert evaluation.once("size", lambda: 7) == evaluation.once("size", refuse) == 7


def test_what_is_wrong_is_no_result():
    evaluation = Evaluation(MINI.data, MINI.plan, MINI.recoding)
    with pytest.raises(ZeroDivisionError):
        evaluation.once("ratio", lambda: 1 / 0)
    assert evaluation.once("ratio", lambda: 2) == 2


def test_parameters():
    assert measure_all(MINI, {"c-avg": {"k": 2}, "ncp-total": {"loss": "iloss"}})["c-avg"] == 1.25


def test_wrong_parameters_are_errors_not_skipped():
    with pytest.raises(PolicyError, match="c-avg: k must be a whole number"):
        measure_all(MINI, {"c-avg": {"k": 0}})
    with pytest.raises(PolicyError, match="there is no metric 'c-agv'; did you mean 'c-avg'"):
        measure_all(MINI, {"c-agv": {"k": 2}})


def test_a_variant_keeps_its_meaning():
    with pytest.raises(PolicyError, match="'charge_withheld' is what makes it 'ncp-total'"):
        metric_named("ncp-total", {"charge_withheld": False})


@pytest.mark.parametrize(
    ("guarantee", "known"),
    [
        ([BetaLikeness(4), DistinctLDiversity(3)], {}),
        ([KAnonymity(3), AlphaKAnonymity("1/2", 7)], {"c-avg": {"k": 7}}),
        ([KAnonymity(9), IrKAnonymity(4)], {"c-avg": {"k": 9}}),
        (
            [IrKlAnonymity(5, 2), EirLDiversity(3, sensitive="disease"), IrAlphaBetaAnonymity(0.5, 0.5)],
            {"c-avg": {"k": 5}, "vulnerable-classes": {"l": 3, "sensitive": "disease"}},
        ),
        (
            [BetaLikeness(4), IrAlphaBetaAnonymity("2/5", 0.6)],
            {"vulnerable-classes": {"alpha": "2/5", "beta": 0.6}},
        ),
    ],
)
def test_what_is_measured_against_a_bound_takes_that_of_the_guarantee(guarantee, known):
    assert parameters_asked(guarantee) == known
    assert parameters_asked(reversed(guarantee)) == known
    for name, parameters in known.items():
        assert metric_named(name, parameters).name == name
