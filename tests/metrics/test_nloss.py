from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from tests.identity_reserved import S4_TABLE3, S4_TABLE4, s4_classes, s4_microdata
from tests.metrics.examples import MINI, NOTHING, constant, one_column
from tests.metrics.tables import evaluate, evaluations

from likeness.metrics.base import Evaluation
from likeness.metrics.mini_table import mini_table
from likeness.metrics.ncp import Ncp
from likeness.metrics.nloss import Nloss
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode

LOSS = Nloss(normalised=False)


def s4(table, *, trees=False, withheld=()):
    """A table of Wang et al. 2019; some individuals withheld."""
    data = s4_microdata(trees=trees)
    classes = s4_classes(table)
    classes[np.isin(data.individuals, withheld)] = -1
    return Evaluation(data, *recode(data, Plan(classes)))


@pytest.mark.parametrize(
    ("table", "trees", "loss", "nloss"),
    [
        (S4_TABLE3, True, Fraction(115, 6), Fraction(23, 36)),
        (S4_TABLE4, False, Fraction(65, 6), Fraction(13, 36)),
    ],
)
def test_the_tables_of_the_paper(table, trees, loss, nloss):
    # 10 records of 3 quasi-identifiers. The paper calls 13/36 and 23/36 those of 65/6 and 115/6.
    release = s4(table, trees=trees)
    assert LOSS.measure(release) == pytest.approx(float(loss), rel=1e-15)
    assert Nloss().measure(release) == pytest.approx(float(loss / 30), rel=1e-15)
    assert nloss == loss / 30


def test_by_attribute():
    # Table 4: one of two genders, (34 - 33)/9 and (38 - 36)/9, 2 of 6 and 3 of 6 other codes; 5 and 5 records.
    expected = {"Gender": 5, "Age": 5 * 1 / 9 + 5 * 2 / 9, "Postcode": 5 * 2 / 6 + 5 * 3 / 6}
    release = s4(S4_TABLE4)
    assert LOSS.by_attribute(release) == pytest.approx(expected, rel=1e-14)
    assert Nloss().by_attribute(release) == pytest.approx({k: v / 10 for k, v in expected.items()})


def test_withheld_records_cost_1_per_quasi_identifier():
    assert LOSS.measure(mini_table(withheld=2)) == pytest.approx(2 * 2 + 3 * (0.5 + 1))
    assert (LOSS.measure(NOTHING), Nloss().measure(NOTHING)) == (10.0, 1.0)


def test_weights_have_the_mean_1():
    age, sex = MINI.data.quasi
    codes = [own.tolist() for own in MINI.data.codes]
    release = evaluate((replace(age, weight=3.0), sex), codes, [0] * 5, [0, 0, 1, 1, 1])
    # 2 · 3/4 of what ages lose and 2 · 1/4 of what sexes lose: 2 and 3 of 5.
    assert LOSS.measure(release) == pytest.approx(2 * (0.75 * 2 + 0.25 * 3))
    assert Nloss().by_attribute(release) == pytest.approx({"age": 0.4, "sex": 0.6})


def test_records_of_one_person_that_differ_are_charged_their_way_to_the_hull():
    age = Domain("age", "integer", np.array([20, 30]), "interval", low=20, high=60)
    release = one_column(age, [0, 1], [0, 0])
    release = replace(release, data=replace(release.data, individuals=np.array([0, 0])))
    assert LOSS.measure(release) == pytest.approx(2 * 10 / 40)


def test_constant_attributes_and_empty_tables_lose_nothing():
    assert LOSS.measure(constant(classes=[0, 0, 0])) == 0
    empty = evaluate((), [], [], [])
    assert (LOSS.measure(empty), Nloss().measure(empty)) == (0.0, 0.0)


@given(evaluation=evaluations())
@settings(deadline=None, max_examples=100)
def test_is_ncp_total_in_its_glm_form(evaluation):
    other = Ncp(loss="glm", charge_withheld=True)
    assert Nloss().measure(evaluation) == pytest.approx(other.measure(evaluation), rel=1e-12, abs=1e-15)
    size = evaluation.data.size * len(evaluation.data.quasi)
    assert LOSS.measure(evaluation) == pytest.approx(Nloss().measure(evaluation) * size)
    if evaluation.plan.withheld < evaluation.data.size:
        assert Nloss().by_attribute(evaluation) == pytest.approx(other.by_attribute(evaluation), abs=1e-15)
