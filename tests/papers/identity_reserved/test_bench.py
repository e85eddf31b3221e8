"""What is measured of a release, beside plain counting."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import pytest

import likeness as lk
from papers.identity_reserved.bench import Bench
from papers.identity_reserved.measuring import class_sizes, measure
from papers.identity_reserved.subjects import generated
from papers.identity_reserved.systems import (
    BY_LEVEL,
    BY_SHARES,
    DANONYIR_EL,
    DANONYIR_KL,
    GENEIR_KL,
    Setting,
)


@pytest.fixture(scope="module")
def bench():
    table = generated(700, 2)
    return Bench(table, table, runs=2, queries=60)


@pytest.mark.parametrize("system", BY_LEVEL, ids=lambda one: one.name)
def test_where_everybody_is_a_class_nothing_is_lost_and_every_answer_is_exact(bench, system):
    found = bench.mean(system, Setting(level=1, quasi=8))
    assert (found.loss, found.error_1, found.error_d, found.withheld) == (0, 0, 0, 0)
    assert found.people == pytest.approx(1)


@pytest.mark.parametrize("system", [*BY_LEVEL, *BY_SHARES], ids=lambda one: one.name)
def test_what_is_measured_is_in_range(bench, system):
    found = bench.mean(system, Setting(level=3, alpha=0.7, beta=0.6, quasi=4))
    assert 0 < found.loss < 1
    assert 0 <= found.vulnerable <= 1
    assert found.error_1 > 0
    assert found.seconds > 0
    if system.model.startswith("E"):
        assert found.vulnerable == 0


def test_vulnerable_classes_are_those_hit_by_fewer_values(bench):
    setting = Setting(level=3, quasi=4)
    job = bench.job(DANONYIR_KL, setting, 0)
    release = lk.anonymize(job.table, job.policy, seed=job.seed)
    sizes = class_sizes(release)
    classes: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in release.table.iter_rows(named=True):
        classes[row["class"]][row["person"]].add(row["diagnosis"])
    assert sorted(sizes.tolist()) == sorted(len(people) for people in classes.values())
    hit = sum(_hit_by_fewer(list(people.values()), 3) for people in classes.values())
    assert 0 < hit < len(classes)
    assert measure(job).vulnerable == hit / len(classes)


def _hit_by_fewer(sets: list[set[str]], level: int) -> bool:
    """Whether fewer than so many values hit all sets, by trying all of them."""
    values = sorted(set.union(*sets))
    return any(all(own & set(chosen) for own in sets) for chosen in combinations(values, level - 1))


def test_runs_are_averaged_and_made_once(bench):
    setting = Setting(level=2, quasi=3)
    one, two = (measure(bench.job(DANONYIR_EL, setting, run)) for run in range(2))
    assert one.loss != two.loss
    found = bench.mean(DANONYIR_EL, setting)
    assert found.loss == pytest.approx((one.loss + two.loss) / 2)
    assert bench.mean(DANONYIR_EL, Setting(level=2, quasi=3, alpha=0.9)) is found


def test_another_part_is_measured_anew(bench):
    other = bench.on(bench.subject.sample(30, 1), runs=1)
    assert (other.subject.people, other.runs, other.known) == (30, 1, {})
    assert other.whole is bench.whole


def test_geneir_publishes_along_its_hierarchies(bench):
    job = bench.job(GENEIR_KL, Setting(level=3, quasi=4), 0)
    release = lk.anonymize(job.table, job.policy, seed=job.seed)
    races = set(release.table["race"].unique())
    assert not any("{" in race for race in races)
