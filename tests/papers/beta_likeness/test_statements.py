"""Statements of sections 3 to 5."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likeness as lk
from papers.beta_likeness.statements import _definitions, posteriors, retention


def test_the_worked_example():
    # By hand
    p = np.array([0.1, 0.2, 0.3, 0.4])
    alpha, limit = retention(p, 2)
    assert alpha == pytest.approx([0.315654, 0.401312, 0.432829, 0.495232], abs=1e-6)
    assert posteriors(p, alpha) == pytest.approx([0.2836, 0.5002, 0.6387, 0.7351], abs=1e-4)
    assert limit == pytest.approx([0.3, 0.5219, 0.6612, 0.7665], abs=1e-4)


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=20), st.floats(0.1, 5))
def test_posteriors_are_within_the_limit_where_every_alpha_is_above_0(weights, beta):
    p = np.array(weights) / sum(weights)
    alpha, limit = retention(p, beta)
    if (alpha > 0).all():
        assert (posteriors(p, alpha) <= limit * (1 + 1e-9)).all()


def test_the_library_s_rule_as_printed_is_the_same():
    table = pl.DataFrame({"age": [1] * 10, "s": list("abbcccdddd")})
    columns = {"age": lk.quasi(), "s": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.BetaLikeness(2), method=lk.Perturbation(rule="paper"))
    mechanism = lk.anonymize(table, policy).publication.mechanism
    alpha, _ = retention(np.array([0.1, 0.2, 0.3, 0.4]), 2)
    assert mechanism.retention == pytest.approx(alpha, abs=1e-6)


def test_what_the_text_says_of_definitions():
    held = {claim.section: claim.outcome.holds for claim in _definitions()}
    assert held == {
        "section 3, end": False,
        "section 4.4, Example 2": False,
        "section 4.3, Combinable with < beside Example 1": False,
        "section 4.3, Lemma 2 and Example 1": True,
    }
