"""The algorithms of Sarrafi Aghdam & Sonehara 2016 on a small table: what is published, and its loss by eq. 1 and 2."""

from __future__ import annotations

from dataclasses import replace

import pytest

from papers.similarity_clustering.subjects import subjects
from papers.similarity_clustering.systems import MAJORITY, OWN, SBCA, SYSTEMS, UTD, lost, publish, total


@pytest.fixture(scope="module")
def isp(tmp_path_factory):
    tables, _ = subjects(tmp_path_factory.mktemp("none") / "nowhere", 1)
    return replace(tables[0], table=tables[0].table[:300])


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_algorithm_publishes_k_anonymous_classes(isp, name):
    release = publish(isp, name, 5, 1)
    assert release.verdict.ok
    own = lost(release)
    assert set(own) == set(isp.quasi)
    assert all(0 <= value <= 1 for value in own.values())
    assert total(release) == pytest.approx(sum(own.values()) / 3)


def test_the_loss_is_the_metric_where_categories_are_sets(isp):
    for name in (SBCA, OWN):
        release = publish(isp, name, 5, 1)
        assert total(release) == pytest.approx(release.loss("ncp-total")["ncp-total"])


def test_the_toolbox_cannot_divide_the_sexes_unless_the_more_frequent_comes_first(isp):
    # Men are the majority and come after women: at every median all values are at most "Male".
    assert lost(publish(isp, UTD, 5, 1))["sex"] > 0.9
    assert lost(publish(isp, MAJORITY, 5, 1))["sex"] < 0.5
