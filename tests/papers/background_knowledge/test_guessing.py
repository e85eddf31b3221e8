"""What knowledge adds, record by record, beside what the attack says of all of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from likeness.attacks.background_knowledge import BackgroundKnowledgeAttack
from papers.background_knowledge.guessing import (
    ADDED,
    ALONE,
    BOTH,
    CLASS,
    NO_ADDED,
    NO_BOTH,
    chances,
    farthest,
    guess,
    within,
)
from papers.background_knowledge.measuring import publish
from papers.background_knowledge.subjects import BkseqSource, known
from papers.background_knowledge.systems import BETA_GE, BUREL, Setting

SOURCE = BkseqSource(3, 400, 0.9, 2)


@pytest.mark.parametrize("system", [BETA_GE, BUREL], ids=lambda one: one.method)
@pytest.mark.parametrize("j", ["", "0.2"])
def test_chances_of_records_are_those_of_the_attack(system, j):
    release, _ = publish(SOURCE, system, Setting(j=j), 1)
    attack = BackgroundKnowledgeAttack(sweeps=200)
    found = chances(release, SOURCE, attack)
    told = release.attack(attack, SOURCE.knowledge())
    published = ~np.isnan(found.both)
    assert np.count_nonzero(published) == release.counts["published"]
    assert found.both[published].mean() == pytest.approx(told.success)
    assert found.alone[published].mean() == pytest.approx(told.baseline)
    assert found.by_class[published].mean() == pytest.approx(told.details["by_class"])


def test_one_table_with_and_without_j():
    without, under = guess((SOURCE, ("0.1",), (BETA_GE,)))
    assert without[BOTH] == without[NO_BOTH]
    assert without["withheld"] == 0
    assert without["clusters"] == 1
    assert under["clusters"] > 1
    assert under["withheld"] > 0
    assert under[ADDED] == under[BOTH] - under[CLASS]
    assert under[ADDED] < under[NO_ADDED]
    assert 0 < under[ALONE] < 1
    # Everybody is in the mean without J, those published under J are in the other.
    assert under[ALONE] != without[ALONE]


def test_from_the_largest_divergence_on_there_is_one_cluster():
    found = farthest(SOURCE)
    assert len(found) == 2
    rows = known(SOURCE).data.knowledge[0].distributions.rows
    shares = rows / rows.sum(axis=1, keepdims=True)
    most = max(
        (jensenshannon(shares[i][None], shares[i + 1 :], base=2, axis=1) ** 2).max()
        for i in range(len(shares) - 1)
    )
    assert found[-1] == pytest.approx(most)


def test_claims_are_about_the_mean_and_about_every_table():
    assert [one.holds for one in within([0.1, 0.2], 0.1, 0.2)] == [True, True]
    assert [one.holds for one in within([0.1, 0.21], 0.1, 0.2)] == [True, False]
    assert [one.holds for one in within([0.1, 0.4], 0.1, 0.2)] == [False, False]
