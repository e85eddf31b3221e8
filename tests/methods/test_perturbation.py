"""Perturbation: which models it takes, what it withholds, and the mechanism it draws by."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from tests.forms.publications import words
from tests.methods.problems import problem, table, tree

import likeness as lk
from likeness.errors import CannotBeMetError, PolicyError
from likeness.methods.perturbation import Perturbation
from likeness.microdata.data import Microdata
from likeness.microdata.mechanism import uniform_integers
from likeness.microdata.retention import Limits, retain
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.models.basic_beta_likeness import BasicBetaLikeness
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.delta_disclosure import DeltaDisclosure
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.k_anonymity import KAnonymity
from likeness.models.rho_privacy import RhoPrivacy
from likeness.models.t_closeness import TCloseness
from likeness.progress import Progress
from likeness.solve import solve

COUNTS = [100, 200, 300, 400]
"""p = (.1, .2, .3, .4), a hundred times."""


def test_the_worked_example():
    plan = Perturbation("paper").run(problem(table(COUNTS), BetaLikeness(2)))
    assert plan.mechanism.retention.round(6).tolist() == [0.315654, 0.401312, 0.432829, 0.495232]
    plan = Perturbation().run(problem(table(COUNTS), BetaLikeness(2)))
    assert plan.mechanism.retention.round(6).tolist() == [0.347519, 0.437383, 0.470448, 0.470448]
    assert plan.withheld == 0
    assert plan.history["rule"] == "capped"


def test_records_are_published_by_the_mechanism_and_the_seed():
    data = table(COUNTS)
    plans = [Perturbation().run(problem(data, BetaLikeness(2), seed=seed)) for seed in (1, 1, 2)]
    published = [plan.sensitive[0] for plan in plans]
    assert published[0].tolist() == published[1].tolist()
    assert published[0].tolist() != published[2].tolist()
    drawn = plans[0].mechanism.perturb(data.sensitive_codes[0], np.random.default_rng(1))
    assert published[0].tolist() == drawn.tolist()
    changed = int((published[0] != data.sensitive_codes[0]).sum())
    assert plans[0].history["changed"] == changed
    assert abs(1 - changed / 1000 - plans[0].mechanism.expected_truth) < 0.1
    assert plans[0].classes.tolist() == data.tuples.of.tolist()


def test_a_small_seed_is_found_by_trying_and_gives_values_away():
    """Why seeds mark a release: the draws of the right seed explain every published value, others do not."""
    data = table([20, 40, 60, 80])
    plan = Perturbation().run(problem(data, BetaLikeness(2), seed=137))
    mechanism, published = plan.mechanism, plan.sensitive[0]
    ends = np.cumsum(mechanism.numerators, axis=0)

    def explaining(seed):
        """(n, m) Which originals each draw of a seed turns into what was published."""
        draws = uniform_integers(np.random.default_rng(seed), data.size, mechanism.scale)
        would = (draws[:, None, None] >= ends[None]).sum(axis=1)
        return would == published[:, None]

    fitting = [seed for seed in range(300) if explaining(seed).any(axis=1).all()]
    assert fitting == [137]
    originals = explaining(137)
    certain = originals.sum(axis=1) == 1
    assert (originals.argmax(axis=1)[certain] == data.sensitive_codes[0][certain]).all()
    assert certain.mean() > 0.3


def test_all_models_hold_together():
    models = (BetaLikeness(2), RhoPrivacy({"disease0": "1/5"}), AlphaKAnonymity("7/10", 1))
    mechanism = Perturbation().run(problem(table(COUNTS), *models)).mechanism
    posteriors = mechanism.largest_posteriors()
    assert posteriors[0] <= Fraction(1, 5)
    assert max(posteriors) <= Fraction(7, 10)
    for model in models:
        bound = problem(table(COUNTS), model).requirements[0].bound
        assert mechanism.posterior_holds(bound.posterior_limits()).all()


def test_groups_of_values_under_a_hierarchy():
    base = table([50, 150, 100, 300, 400])
    data = replace(base, sensitive=(replace(tree("disease"), distance="hierarchical"),))
    asked = problem(data, BasicBetaLikeness(1, level=1))
    mechanism = Perturbation().run(asked).mechanism
    # Leaves a and b are x, the others y: shares .2 and .8.
    group = asked.requirements[0].view.group
    assert group.tolist() == [0, 0, 1, 1, 1]
    x, y = mechanism.largest_posteriors(group)
    assert Fraction(1, 5) < x <= Fraction(2, 5)
    assert Fraction(4, 5) < y <= 1


def test_identities_that_are_too_few_are_withheld_and_the_rest_defines_the_mechanism():
    data = table([6, 10, 14], numbers=3)
    asked = problem(data, BetaLikeness(1), KAnonymity(2))
    plan = Perturbation().run(asked)
    sizes = np.bincount(data.tuples.of)
    alone = sizes[data.tuples.of] < 2
    assert 0 < alone.sum() < data.size
    assert ((plan.classes < 0) == alone).all()
    (reason,) = plan.withheld_because
    assert "published exactly, do not hold k-anonymity" in reason
    kept = np.bincount(data.sensitive_codes[0][~alone], minlength=3)
    assert plan.mechanism.counts.tolist() == kept.tolist()
    bound = problem(data.take(np.flatnonzero(~alone)), BetaLikeness(1)).requirements[0].bound
    expected = retain(kept, [Limits(bound.posterior_limits())])
    assert (plan.mechanism.numerators == expected.numerators).all()
    found = solve(
        Perturbation(),
        data,
        (BetaLikeness(1), KAnonymity(2)),
        np.random.default_rng(0),
        Fraction(1),
        Progress(),
    )
    assert (found.plan.classes < 0).tolist() == alone.tolist()
    assert found.plan.mechanism.counts.tolist() == kept.tolist()


def test_nothing_left_after_withholding():
    plan = Perturbation().run(problem(table([1, 1]), BetaLikeness(1), KAnonymity(3)))
    assert plan.withheld == 2
    assert plan.mechanism is None


def test_models_that_are_more_than_limits_are_refused_by_name():
    models = (BetaLikeness(2), TCloseness(0.2), DistinctLDiversity(2), DeltaDisclosure(1))
    with pytest.raises(PolicyError) as refused:
        Perturbation().run(problem(table(COUNTS), *models))
    named = ["t-closeness on 'disease'", "distinct-l-diversity on 'disease'", "delta-disclosure on 'disease'"]
    assert len(refused.value.problems) == 3
    for name, line in zip(named, refused.value.problems, strict=True):
        assert line.startswith(f"perturbation: cannot meet {name}, which")
        assert "use beta-likeness or basic-beta-likeness" in line
    for model in (BetaLikeness(2, negative=0.5), AlphaKAnonymity(0.5, 2)):
        with pytest.raises(PolicyError, match=r"without negative.* alpha-k-anonymity with k: 1"):
            Perturbation().check(problem(table(COUNTS), model).requirements)
    with pytest.raises(PolicyError, match="cannot meet beta-likeness on 'disease' with negative, which"):
        Perturbation().check(problem(table(COUNTS), BetaLikeness(2, negative=0.5)).requirements)


def test_it_needs_a_model_about_sensitive_values():
    with pytest.raises(PolicyError, match="needs a model that limits the confidence in each value; use beta"):
        Perturbation().check(problem(table(COUNTS), KAnonymity(2)).requirements)


def test_one_sensitive_column():
    one = table(COUNTS)
    two = Microdata(
        one.quasi, one.codes, one.sensitive * 2, np.repeat(one.sensitive_codes, 2, axis=0), one.rows
    )
    with pytest.raises(PolicyError, match="randomizes one sensitive column; this table has 2"):
        Perturbation().run(problem(two, BetaLikeness(2)))


def test_too_many_values():
    Perturbation().check(problem(table([1] * 1000), BetaLikeness(2)).requirements)
    with pytest.raises(PolicyError, match=r"'disease' has 1,001 values; .* at most 1000 are supported"):
        Perturbation().check(problem(table([1] * 1001), BetaLikeness(2)).requirements)


def test_a_rule_that_fails_says_so():
    with pytest.raises(
        CannotBeMetError, match=r"would keep 'disease1' with chance -0\.980029.* rule: capped"
    ):
        Perturbation("paper").run(problem(table([99, 1]), BetaLikeness(1)))
    with pytest.raises(
        CannotBeMetError, match=r"'disease3' has a share of 0\.4 of the records, above the limit"
    ):
        Perturbation().run(problem(table(COUNTS), RhoPrivacy({"disease3": 0.3})))
    with pytest.raises(PolicyError, match="rule must be one of capped, paper, uniform, blocks; got 'papre'"):
        Perturbation("papre")


def test_one_value_and_missing_ones():
    plan = Perturbation().run(problem(table([0, 7]), BetaLikeness(2)))
    assert plan.sensitive.tolist() == [[1] * 7]
    base = table([3, 5, 4])
    disease = words("disease", ["a", "b"])
    data = replace(base, sensitive=(replace(disease, missing=True),))
    mechanism = Perturbation().run(problem(data, BetaLikeness(2))).mechanism
    assert mechanism.values == 3
    assert mechanism.active.tolist() == [0, 1, 2]
    with pytest.raises(CannotBeMetError, match="'missing' has a share"):
        Perturbation().run(problem(data, RhoPrivacy({"missing": 0.1})))


def test_reference_original_limits_confidence_by_the_original_shares():
    """Withholding the two lone records of a leaves its limit where the original table put it."""
    data = table([6, 10, 14], numbers=3)
    models = (BetaLikeness(1, reference="original"), KAnonymity(2))
    rng = np.random.default_rng(0)
    found = solve(Perturbation(), data, models, rng, Fraction(1), Progress())
    limits = found.requirements[0].bound.posterior_limits()
    assert [round(float(limit), 6) for limit in limits] == [0.4, 0.666667, 0.822332]
    assert found.plan.mechanism.posterior_holds(limits).all()
    assert found.plan.mechanism.counts.sum() < 30


@pytest.mark.parametrize("rule", ["capped", "paper", "uniform", "blocks"])
def test_a_policy_asks_for_it(rule):
    release = lk.anonymize(
        pl.DataFrame(
            {"age": list(range(60)), "disease": [*["flu", "cold", "cold"] * 15, *"abcdefghijklmno"]}
        ),
        lk.Policy(
            columns={"age": {"role": "quasi"}, "disease": {"role": "sensitive"}},
            privacy=lk.BetaLikeness(1),
            method=lk.Perturbation(rule),
        ),
        seed=1,
    )
    assert release.verify().ok
