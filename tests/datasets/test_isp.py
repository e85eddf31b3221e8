"""The ISP table has the published size and cardinalities, and long tails."""

from __future__ import annotations

import pytest

from likeness.datasets.isp import REGIONS, Isp


@pytest.mark.parametrize("seed", range(4))
def test_size_and_cardinalities_are_those_of_the_paper(seed):
    table = Isp().generate(seed=seed)
    assert table.height == 5_750
    assert [table[name].n_unique() for name in ("age", "sex", "location")] == [70, 2, 49]


def test_locations_have_a_long_tail():
    counts = Isp().generate(rows=50_000)["location"].value_counts(sort=True)["count"].to_list()
    assert counts[0] > 0.2 * 50_000
    assert sum(counts[24:]) < 0.2 * 50_000


def test_every_location_has_one_region():
    places = [place for region in REGIONS.values() for place in region]
    assert len(places) == len(set(places)) == 49
