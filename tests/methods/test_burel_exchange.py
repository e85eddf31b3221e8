from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.cutting import make_problem, plain_table, problems
from tests.methods.problems import problem, table
from tests.oracles.burel_exchange import Exchange

from likeness.methods.burel import Burel
from likeness.methods.burel import exchange as _burel_exchange
from likeness.methods.burel.exchange import exchange_classes, limited
from likeness.methods.mondrian import Mondrian
from likeness.microdata.regions import LOSSES, geometry
from likeness.models.beta_bounds import GainLimits
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.k_anonymity import KAnonymity

GUARANTEES: tuple[tuple[tuple[str, dict[str, Any]], ...], ...] = (
    (("basic-beta-likeness", {"beta": 1}),),
    (("beta-likeness", {"beta": "1/2"}),),
    (("beta-likeness", {"beta": 2}), ("k-anonymity", {"k": 2})),
    (("basic-beta-likeness", {"beta": "1/2"}), ("t-closeness", {"t": "0.3"})),
    (("distinct-l-diversity", {"l": 2}), ("beta-likeness", {"beta": 2})),
)


@settings(deadline=None, max_examples=60)
@given(made=problems("ncp"), guarantee=st.sampled_from(GUARANTEES), reserve=st.sampled_from([0.0, 0.05, 0.3]))
def test_cut_as_defined(made: Any, guarantee: Any, reserve: float):
    data, _ = made
    asked = make_problem(data, guarantee, "ncp")
    if not asked.holding(np.zeros(data.size, np.int64), 1).all():
        return
    bound = next(r.bound for r in asked.requirements if isinstance(r.bound, GainLimits))
    with patch.object(_burel_exchange, "_SCHEDULES", (((Fraction(1), reserve),),)):
        found = exchange_classes(asked, LOSSES["ncp"])
    plain = Exchange(
        plain_table(data, guarantee, "ncp"),
        data.sensitive_codes[0].tolist(),
        bound.upper_limits,
        reserve,
        2 if "k-anonymity" in dict(guarantee) else 1,
    )
    classes = {frozenset(np.flatnonzero(found == e).tolist()) for e in range(int(found.max()) + 1)}
    assert classes == {frozenset(records) for records in plain.partition()}


@settings(deadline=None, max_examples=25)
@given(counts=st.lists(st.integers(1, 60), min_size=2, max_size=8), seed=st.integers(0, 99))
@pytest.mark.parametrize("loss", ["ncp", "glm", "iloss"])
def test_never_above_mondrian(loss: str, counts: list[int], seed: int):
    asked = problem(table(counts, seed), BetaLikeness(2), KAnonymity(2))
    shape = geometry(asked.data.quasi, LOSSES[loss])
    if sum(counts) < 2:
        return
    strict = Mondrian(loss=loss).run(replace(asked, loss=LOSSES[loss])).classes
    found = Burel(loss=loss).run(asked).classes
    lost = [_burel_exchange.total_loss(shape, asked.data.codes, classes) for classes in (found, strict)]
    assert lost[0] <= lost[1] * (1 + 1e-12)


def test_a_cut_that_only_an_exchange_allows():
    """Two ages, each with one disease too many for β = 1: strict cuts cannot part them, exchanges can."""
    data = table([40, 40, 40, 40], numbers=2)
    sick = data.sensitive_codes[0]
    # Diseases 0 and 1 among the young, 2 and 3 among the old, but for five of each.
    age = (sick >= 2).astype(np.int32)
    for code in range(4):
        age[np.flatnonzero(sick == code)[:5]] ^= 1
    data.codes[:] = 0
    data.codes[0] = age
    asked = problem(data, BetaLikeness("1/2"))
    assert Mondrian().run(asked).count == 1
    found = Burel().run(asked).classes
    whole = [len(set(age[found == e].tolist())) == 1 for e in range(int(found.max()) + 1)]
    # Five strangers and as many of each native value as 3/8 allows: some cohort of one age is made.
    assert any(whole)


@settings(deadline=None, max_examples=40)
@given(
    counts=st.lists(st.integers(1, 60), min_size=2, max_size=8), part=st.sampled_from(["1", "19/20", "1/2"])
)
def test_a_part_of_the_way_is_never_laxer(counts: list[int], part: str):
    asked = problem(table(counts), BetaLikeness(2))
    bound = asked.requirements[0].bound
    assert isinstance(bound, GainLimits)
    whole = np.asarray(bound.class_test().integers)
    caps, integers = limited(asked, 0, Fraction(part))
    assert integers.shape == whole.shape
    assert (integers >= whole).all()
    if part == "1":
        assert np.array_equal(integers, whole)
    m = len(counts)
    for value, p in enumerate(bound.shares):
        aim = p + Fraction(part) * (bound.upper_limits[value].enclose(40)[0] - p)
        for count in range(1, counts[value] + 1):
            size = int(caps.smallest[caps.start[value] + count - 1])
            assert size == integers[2 * (m + 1) + caps.start[value] + count - 1]
            # 2^-40 of rounding moves no size of such small tables by more than one record.
            assert 0 <= size - -(-count // aim) <= 1
