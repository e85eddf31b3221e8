"""Record linkage and the sum of squared errors: worked examples, and equal to plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.metrics.examples import NOTHING, one_column
from tests.metrics.tables import evaluations
from tests.metrics.test_rgcp import far
from tests.oracles.metrics import Plain

from likeness.metrics.record_linkage import RecordLinkage
from likeness.metrics.sse import Sse
from likeness.microdata.domain import Domain

AGES = np.array([10, 18, 20, 30, 40, 50])
AGE = Domain("age", "integer", AGES, "interval", low=10, high=50)


@pytest.mark.parametrize(
    ("ages", "classes", "expected"),
    [
        ([10, 20, 30, 40, 50], [0, 0, 1, 1, 1], 2.0),
        ([10, 20, 18, 40, 50], [0, 0, 1, 1, 1], 5 / 3),
        ([10, 20, 20, 30], [0, 0, 1, 1], 1.5),
    ],
)
def test_record_linkage_by_hand(ages, classes, expected):
    codes = np.searchsorted(AGES, ages).tolist()
    release = one_column(AGE, codes, classes)
    assert RecordLinkage().measure(release) == pytest.approx(expected, abs=1e-12)
    assert RecordLinkage(normalised=True).measure(release) == pytest.approx(expected / len(ages))


def test_squared_errors_by_hand():
    # 15 stands for 10 and 20, 40 for 30 to 50, in a domain 40 wide.
    release = one_column(AGE, [0, 2, 3, 4, 5], [0, 0, 1, 1, 1])
    assert Sse().measure(release) == pytest.approx((25 + 25 + 100 + 100) / 1600)
    assert Sse(normalised=True).measure(release) == pytest.approx(250 / 1600 / 5)


def test_nothing_published():
    assert (
        RecordLinkage().measure(NOTHING)
        == Sse().measure(NOTHING)
        == Sse(normalised=True).measure(NOTHING)
        == 0
    )


def told_of(plain: Plain) -> list[set[int]]:
    return [
        {plain.records[i][j] for i in plain.published}
        | set(np.flatnonzero(domain.values_declared & np.ones(domain.size, np.bool_)).tolist())
        for j, domain in enumerate(plain.domains)
    ]


@settings(deadline=None, max_examples=200)
@given(evaluation=evaluations())
def test_record_linkage_is_the_definition(evaluation):
    plain = Plain(evaluation)
    told, total = told_of(plain), 0.0
    for i in plain.published:
        away = {cells: far(plain, told, plain.records[i], cells) for cells in plain.members}
        near = [cells for cells in away if away[cells] <= min(away.values()) + 1e-12]
        if plain.region[i] in near:
            total += 1 / sum(len(plain.members[cells]) for cells in near)
    assert RecordLinkage().measure(evaluation) == pytest.approx(total, abs=1e-9)
    assert total <= len(plain.members) + 1e-9


@settings(deadline=None, max_examples=200)
@given(evaluation=evaluations())
def test_squared_errors_are_the_definition(evaluation):
    plain = Plain(evaluation)
    told, total = told_of(plain), 0.0
    for i in plain.published:
        for j, domain in enumerate(plain.domains):
            # One attribute by itself, of the same weight.
            alone = object.__new__(Plain)
            alone.domains, alone.weights = (domain,), [1.0]
            apart = far(alone, [told[j]], (plain.records[i][j],), (plain.region[i][j],))
            total += plain.weights[j] * len(plain.domains) * apart**2
    assert Sse().measure(evaluation) == pytest.approx(total, abs=1e-9)
