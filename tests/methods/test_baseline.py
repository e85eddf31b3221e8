"""The method that publishes nothing but the overall distribution."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.forms.publications import integers, table, words

from likeness.errors import CannotBeMetError, PolicyError
from likeness.methods.baseline import Baseline
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.k_anonymity import KAnonymity
from likeness.models.t_closeness import TCloseness
from likeness.progress import Progress
from likeness.solve import solve

DATA = table(
    [(integers("age", [30, 40, 50]), [0, 0, 0, 1, 1, 2])],
    [(words("disease", ["a", "b", "c"]), [0, 0, 0, 1, 1, 2])],
)


def run(*models: object, at_most: float = 0.5):
    rng = np.random.default_rng(0)
    return solve(Baseline(), DATA, models, rng, Fraction(at_most), Progress())


def test_models_of_frequencies_hold_whatever_their_parameter() -> None:
    plan = run(BetaLikeness(0.001), TCloseness(0)).plan
    assert plan.classes.tolist() == [0, 0, 0, 1, 1, 2]
    assert plan.buckets is not None
    assert plan.buckets.tolist() == [0] * 6


def test_identities_are_judged_as_they_are_published() -> None:
    plan = run(KAnonymity(2), BetaLikeness(1)).plan
    assert plan.classes.tolist() == [0, 0, 0, 1, 1, -1]
    assert plan.buckets is not None
    assert plan.buckets.tolist() == [0, 0, 0, 0, 0, -1]
    assert plan.withheld_because == {"quasi-identifiers, published exactly, do not hold k-anonymity": 1}


def test_what_all_records_as_one_class_do_not_hold() -> None:
    with pytest.raises(
        CannotBeMetError, match=r"distinct-l-diversity on 'disease': the table of 6 records, taken as one"
    ):
        run(DistinctLDiversity(4))
    # It holds for the table, and no longer for what k-anonymity leaves of it.
    with pytest.raises(CannotBeMetError) as caught:
        run(DistinctLDiversity(3), KAnonymity(2))
    assert any(
        "all records, as the one class they are, do not hold distinct-l-diversity" in x
        for x in caught.value.problems
    )


def test_one_sensitive_column() -> None:
    two = table([(integers("age", [30]), [0])], [(words("a", ["x"]), [0]), (words("b", ["y"]), [0])])
    with pytest.raises(
        PolicyError, match="publishes the distribution of one sensitive column; this table has 2"
    ):
        solve(Baseline(), two, [KAnonymity(1)], np.random.default_rng(0), Fraction(0), Progress())
