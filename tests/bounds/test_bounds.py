"""Lower bounds: never above the optimum, whatever is asked; what they are where it can be said by hand."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from tests.methods.problems import number, plain_set, tree
from tests.methods.test_optimal import ALL, MODELS, asked, charged, holds, made, tiny
from tests.oracles import models as oracles
from tests.oracles import partitions, prices

import likeness as lk
from likeness import bounds
from likeness.bounds import Bound, lower_bound, record_prices
from likeness.methods.base import Problem
from likeness.methods.optimal import Optimal
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.levels import tree_levels
from likeness.microdata.regions import LOSSES, attribute_weights
from likeness.models.requirements import require_of
from likeness.relaxation import ClassNeeds, gains, levelled


def below_all_partitions(seed: int, i: int, allowance: int = 0) -> tuple[float, float]:
    data, loss = tiny(seed, most=7), "ncp" if seed % 2 else "glm"
    best = partitions.least(data, holds(data, i), loss, allowance)
    found = lower_bound(data, made(i), loss, allowance)
    if best is None:
        return 0.0, 0.0
    assert found.value * data.size <= best + 1e-9, (seed, found)
    return found.value * data.size, best


@pytest.mark.parametrize("i", ALL)
def test_no_partition_loses_less(i):
    found = np.array([below_all_partitions(seed, i) for seed in range(6)])
    if MODELS[i][0][0] == "k-anonymity":
        assert found[:, 0].sum() > 0.7 * found[:, 1].sum()


@pytest.mark.parametrize("i", ALL)
def test_none_that_withholds_loses_less(i):
    for seed in range(100, 103):
        below_all_partitions(seed, i, allowance=2)


SLOW = {"entropy-l-diversity", "recursive-cl-diversity", "t-closeness", "delta-disclosure"}
"""Models under which the solver takes seconds for 12 records, and a tenth of one for 10."""


@pytest.mark.slow
@pytest.mark.parametrize("i", ALL)
def test_the_optimum_of_500_tables_is_not_below(i):
    """Of each composition 42 tables, of up to 12 records, or 10 where the optimum of 12 is found slowly (`SLOW`)."""
    most = 10 if MODELS[i][0][0] in SLOW else 12
    for seed in range(42):
        data, loss = tiny(1_000 * i + seed, most=most), "ncp" if seed % 2 else "glm"
        plan = Optimal(loss=loss).run(asked(data, i, loss))
        if plan.published.any() and plan.history["proven"]:
            found = lower_bound(data, made(i), loss, 0)
            assert found.value * data.size <= charged(data, plan, loss) + 1e-6, seed


def no_class_is_worth_more(data: Microdata, i: int, loss: str, allowance: int = 0) -> float:
    found = record_prices(data, made(i), loss, allowance)
    assert (found >= 0).all()
    worst = prices.most_above(data, holds(data, i), found.tolist(), loss)
    assert worst <= 1e-9, worst
    return float(found.sum())


@pytest.mark.parametrize("i", ALL)
def test_no_class_that_holds_is_worth_more_than_it_loses(i):
    for seed in range(200, 206):
        no_class_is_worth_more(tiny(seed, most=9), i, "ncp" if seed % 2 else "glm")


@pytest.mark.slow
@pytest.mark.parametrize("i", ALL)
def test_no_class_of_500_tables_is_worth_more_than_it_loses(i):
    for seed in range(42):
        no_class_is_worth_more(tiny(50_000 + 1_000 * i + seed, most=10), i, "ncp" if seed % 2 else "glm")


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_prices_of_tables_with_many_alike(k):
    """Few values: cells of several records, hulls that cover others than those they are of."""
    rng = np.random.default_rng(k)
    quasi = (number("age", 4), plain_set("job", 3), number("year", 3))
    for _ in range(4):
        codes = np.array([rng.integers(0, domain.codes, 11) for domain in quasi], np.int32)
        data = Microdata(quasi, codes, (plain_set("sick", 2),), np.zeros((1, 11), np.int32), np.arange(11))
        found = record_prices(data, (lk.KAnonymity(k),), "glm", 0)
        assert prices.most_above(data, lambda counts, whole: sum(counts) >= k, found.tolist(), "glm") <= 1e-9
        # None can be raised alone, nor can anybody lose less than the records are worth.
        for one in range(data.size):
            dearer = found + 1e-6 * (np.arange(data.size) == one)
            assert (
                prices.most_above(data, lambda counts, whole: sum(counts) >= k, dearer.tolist(), "glm") > 1e-9
            )


@pytest.mark.slow
def test_kernels_that_are_stopped_early_say_no_more(monkeypatch):
    tables = [tiny(seed, most=12, least=12) for seed in range(5)]
    whole = [lower_bound(data, made(1), "glm", 0).value for data in tables]
    for name, few in (("_STEPS_A_PRICE", 3), ("_STEPS_IN_ALL", 20), ("_MOST_NEAR", 2), ("_MOST_LOOKS", 50)):
        with monkeypatch.context() as patched:
            patched.setattr(bounds, name, few)
            stopped = [lower_bound(data, made(1), "glm", 0).value for data in tables]
            for data in tables:
                no_class_is_worth_more(data, 1, "glm")
        assert sum(stopped) < sum(whole), name
    monkeypatch.setattr(bounds, "_MOST_LOOKS", 0)
    assert all(lower_bound(data, made(1), "glm", 0).trivial for data in tables)


def test_values_that_must_mix_are_looked_at_for_some(monkeypatch):
    whole = [lower_bound(tiny(seed, most=12, least=12), made(2), "glm", 0).value for seed in range(5)]
    monkeypatch.setattr(bounds, "_MOST_PAIRS", 50)
    few = [lower_bound(tiny(seed, most=12, least=12), made(2), "glm", 0).value for seed in range(5)]
    assert 0 < sum(few) < sum(whole)


def ages(*numbers: int, sick: str | None = None) -> Microdata:
    values = np.array([ord(own) - ord("a") for own in sick or "a" * len(numbers)], np.int32)
    codes = np.array([numbers], np.int32)
    return Microdata(
        (number("age", 11),), codes, (plain_set("sick", 3),), values[None], np.arange(len(numbers))
    )


def test_what_somebody_alone_makes_the_nearest_lose_is_counted():
    # The one at 10 needs somebody at 0, who loses as much: 2 of 5 records lose everything.
    found = lower_bound(ages(0, 0, 0, 0, 10), (lk.KAnonymity(2),), "glm", 0)
    assert found.found_by == "prices"
    assert found.value == pytest.approx(2 / 5)


def test_whoever_is_alone_is_worth_what_k_records_lose_together():
    # 5 needs two at 0, 10 needs two others: three records lose .5, and three lose 1 that are not worth more than 3 together.
    data = ages(0, 0, 0, 0, 0, 5, 10)
    assert record_prices(data, (lk.KAnonymity(3),), "glm", 0) == pytest.approx([0, 0, 0, 0, 0, 1.5, 1.5])
    assert lower_bound(data, (lk.KAnonymity(3),), "glm", 0).value == pytest.approx(3 / 7)
    # No release loses less than the bound, and one of 0, 5, 10 and the four others loses no more.
    assert partitions.least(data, lambda counts, whole: sum(counts) >= 3) == pytest.approx(3)


def test_what_needs_a_larger_class_is_counted_with_what_does_not():
    """A class of two may need a third that is dearer than what it loses: found among tables whose values need other sizes."""
    data = tiny(50_000 + 9_000 + 26, most=10)
    found = record_prices(data, made(9), "glm", 0)
    assert prices.most_above(data, holds(data, 9), found.tolist(), "glm") <= 1e-9


def test_a_withheld_record_is_charged_one():
    assert lower_bound(ages(0, 0, 0, 0, 10), (lk.KAnonymity(2),), "glm", 1).value <= 1 / 5 + 1 / 5
    # Nobody can be published: all are withheld.
    assert lower_bound(ages(0, 10), (lk.KAnonymity(3),), "glm", 2).value == pytest.approx(1.0)


def test_values_that_must_mix_bound_the_loss():
    data = ages(0, 0, 0, 5, 5, 5, sick="aaabbb")
    assert lower_bound(data, (lk.KAnonymity(2),), "glm", 0).trivial
    found = lower_bound(data, (lk.DistinctLDiversity(2, sensitive="sick"),), "glm", 0)
    assert found.value == pytest.approx(0.5)
    half = lk.AlphaKAnonymity("0.5", 2, sensitive="sick")
    assert lower_bound(data, (half,), "glm", 0).value == pytest.approx(0.5)


def test_trivial_bounds_are_called_so():
    found = lower_bound(ages(0, 0, 10, 10), (lk.KAnonymity(2),), "ncp", 0)
    assert (found.value, found.found_by, found.trivial) == (0.0, "trivial", True)
    assert (
        found.line(0.5) == "no lower bound but 0 (every record that was looked at has enough others like it)"
    )
    close = lk.TCloseness("0.5", sensitive="sick")
    assert "no model says how many" in lower_bound(ages(0, 1, sick="ab"), (close,), "ncp", 0).why


def test_who_must_be_distributed_as_all_are_is_not_alone():
    data = ages(0, 0, 10, 10, sick="abab")
    assert lower_bound(data, (lk.TCloseness("0.2", sensitive="sick"),), "ncp", 0).trivial
    data = ages(0, 10, 0, 10, sick="aaab")
    # Every class but all four is further away than .2.
    found = lower_bound(data, (lk.TCloseness("0.2", sensitive="sick"),), "ncp", 0)
    assert 0.98 < found.value <= 1.0
    # Of two withheld ones nothing is known but that they lose 1.
    assert lower_bound(data, (lk.TCloseness("0.2", sensitive="sick"),), "ncp", 2).value <= 0.5


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@pytest.mark.parametrize("allowance", [0, 1, 3])
def test_no_release_under_t_closeness_loses_less(distance, allowance):
    """The distribution of those who are left is what classes are compared with; whole values may be withheld."""
    found = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        values = rng.choice(4, 7, p=[0.4, 0.1, 0.1, 0.4]).astype(np.int32)
        codes = np.array([rng.integers(0, 11, 7)], np.int32)
        domain = replace(number("sick", 4), distance=distance)
        data = Microdata((number("age", 11),), codes, (domain,), values[None], np.arange(7))
        model = lk.TCloseness("0.15", sensitive="sick")

        def close(counts: list[int], whole: list[int], domain: Domain = domain) -> bool:
            return oracles.t_closeness(counts, whole, domain, t="0.15")

        best = partitions.least(data, close, "ncp", allowance)
        bound = lower_bound(data, (model,), "ncp", allowance)
        assert best is None or bound.value * data.size <= best + 1e-9, seed
        found += not bound.trivial
    # Of seven any three may leave others than these are.
    assert found > 2 or allowance == 3


def test_the_gap_is_what_is_left_over_the_loss():
    assert Bound(0.2, "prices").gap(0.25) == pytest.approx(0.2)
    assert Bound(0.2, "prices").gap(0.1) == 0
    assert Bound(0.0, "trivial", "x").gap(0.0) == 0


FRAME = pl.DataFrame({"age": [20, 20, 20, 20, 30], "sick": ["a", "b", "a", "b", "a"]})
COLUMNS = {"age": lk.quasi(), "sick": lk.sensitive()}


def test_a_release_says_its_bound_beside_its_loss():
    release = lk.anonymize(FRAME, lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(2)), seed=1)
    bound = release.lower_bound("glm")
    assert bound.value == pytest.approx(0.4)
    found = release.measure("glm", "discernibility")["metrics"]
    assert found["glm"]["lower_bound"]["found_by"] == "prices"
    assert found["glm"]["lower_bound"]["gap"] == pytest.approx(1 - 0.4 / release.loss("glm")["glm"], abs=1e-6)
    assert "lower_bound" not in found["discernibility"]
    checked = lk.check(FRAME, lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(2)), seed=1)
    assert any(line.startswith("ncp: no release loses less than 0.4 a record") for line in checked.lines())
    assert "no release loses less than 0.4 a record (found by prices)" in release.report()


def test_weights_and_people_have_no_bound_but_0():
    frame = FRAME.with_columns(pl.Series("who", [1, 1, 2, 3, 4]), pl.Series("weight", [1.0, 2, 1, 1, 1]))
    columns = {**COLUMNS, "who": lk.identifier(), "weight": lk.drop()}
    several = lk.Policy(columns=columns, privacy=lk.KAnonymity(2), individual="who")
    assert lk.anonymize(frame, several, seed=1).lower_bound().why == "people may have several records"


def trees(seed: int, n: int) -> Microdata:
    """Records of two trees, one of which misses values, some alike."""
    rng = np.random.default_rng(seed)
    quasi = (tree("work"), tree("home", missing=bool(seed % 2)))
    codes = np.array([rng.integers(0, domain.codes, n) for domain in quasi], np.int32)
    return Microdata(quasi, codes, (plain_set("sick", 2),), np.zeros((1, n), np.int32), np.arange(n))


def plain_gains(data: Microdata, k: int, different: int, worth: list[float], loss: str) -> float:
    """Of each pair of nodes, what its k dearest records and all others above its loss are worth more than they lose.

    The k have so many different values: all sets of k are looked at.
    """
    nodes: list[dict[frozenset[int], float]] = []
    for domain, weight in zip(data.quasi, attribute_weights(data.quasi), strict=True):
        own = {frozenset([code]): 0.0 for code in range(domain.codes)}
        for group, lost in tree_levels(domain, LOSSES[loss]):
            for one in np.unique(group):
                inside = np.flatnonzero(group == one)
                own.setdefault(frozenset(inside.tolist()), float(weight * lost[inside[0]]))
        nodes.append(own)
    total = 0.0
    for (first, a), (second, b) in product(nodes[0].items(), nodes[1].items()):
        records = zip(worth, data.sensitive_codes[0].tolist(), *data.codes.tolist(), strict=True)
        gains = [(price - a - b, value) for price, value, x, y in records if x in first and y in second]
        whole = sum(max(0.0, gain) for gain, _ in gains)
        sets = (own for own in combinations(gains, k) if len({value for _, value in own}) >= different)
        total += max(0.0, max((whole + sum(min(0.0, gain) for gain, _ in own) for own in sets), default=0.0))
    return total


@pytest.mark.parametrize("weight", [1.0, 5e-324])
@pytest.mark.parametrize("seed", range(8))
def test_what_combinations_gain_is_what_all_pairs_of_nodes_gain(seed, weight):
    """Also where a node of a column loses no more than the one below: it counts next to nothing."""
    data, k = trees(seed, 14), 1 + seed % 4
    different = 1 + seed % min(k, 3)
    data = replace(data, quasi=(data.quasi[0], replace(data.quasi[1], weight=weight)))
    values = np.random.default_rng(seed).integers(0, 3, 14)
    data = replace(data, sensitive_codes=values[None].astype(np.int32))
    cells = levelled(data, np.arange(14), np.zeros(14, np.int64), "glm", values)
    priced = np.random.default_rng(seed).random(cells.sizes.size) * 0.6
    with ThreadPoolExecutor(2) as workers:
        found = gains(cells, ClassNeeds(k, different), priced, workers)
    assert found == pytest.approx(plain_gains(data, k, different, priced[cells.of].tolist(), "glm"))


@pytest.mark.parametrize("allowance", [0, 2])
def test_no_release_of_trees_loses_less_than_the_relaxation(allowance, monkeypatch):
    """Of 24 tables; and the relaxation comes nearer to their optimum than prices that no class exceeds."""
    relaxed, priced, best = 0.0, 0.0, 0.0
    monkeypatch.setattr(bounds, "_FEW", 0)
    for seed in range(24):
        data, k = trees(seed, 16 + seed), 2 + seed % 3
        problem = Problem(
            data,
            require_of((lk.KAnonymity(k),), data),
            LOSSES["ncp"],
            np.random.default_rng(0),
            None,
            allowance,
        )
        plan = Optimal(loss="ncp").run(problem)
        assert plan.history["proven"]
        least = charged(data, plan, "ncp")
        found = lower_bound(data, (lk.KAnonymity(k),), "ncp", allowance, patient=True)
        assert found.value * data.size <= least + 1e-9, seed
        relaxed, best = relaxed + found.value * data.size, best + least
        priced += lower_bound(data, (lk.KAnonymity(k),), "ncp", allowance).value * data.size
    assert relaxed > 0.9 * best
    assert relaxed > priced


@pytest.mark.parametrize("allowance", [0, 2])
def test_no_release_of_trees_and_values_loses_less_than_the_relaxation(allowance, monkeypatch):
    """Of 24 tables with rare values under ℓ-diversity and others that ask for as many; it comes nearer than prices do."""
    relaxed, priced, best = 0.0, 0.0, 0.0
    monkeypatch.setattr(bounds, "_FEW", 0)
    for seed in range(24):
        data, different = trees(seed, 14 + seed % 8), 2 + seed % 2
        rare = np.random.default_rng(seed).choice(3, (1, data.size), p=[0.6, 0.25, 0.15]).astype(np.int32)
        data = replace(data, sensitive=(plain_set("sick", 3),), sensitive_codes=rare)
        model = (lk.DistinctLDiversity, lk.EntropyLDiversity)[seed % 4 == 3](different, sensitive="sick")
        models = (model, *([lk.KAnonymity(4)] if seed % 3 == 0 else []))
        problem = Problem(
            data, require_of(models, data), LOSSES["ncp"], np.random.default_rng(0), None, allowance
        )
        plan = Optimal(loss="ncp").run(problem)
        if not plan.history.get("proven") or not plan.published.any():
            continue
        least = charged(data, plan, "ncp")
        found = lower_bound(data, models, "ncp", allowance, patient=True)
        assert found.value * data.size <= least + 1e-9, seed
        relaxed, best = relaxed + found.value * data.size, best + least
        priced += lower_bound(data, models, "ncp", allowance).value * data.size
    assert relaxed > 0.8 * best
    assert relaxed > priced


def test_where_values_make_too_many_cells_the_relaxation_does_without(monkeypatch):
    data = trees(1, 400)
    values = np.random.default_rng(1).choice(2, 400, p=[0.95, 0.05])
    with_values = bounds._relaxed(data, "ncp", ClassNeeds(12, 2), values, 0)
    whole = levelled(data, np.arange(400), np.zeros(400, np.int64), "ncp", values)
    monkeypatch.setattr(bounds, "_MOST_GROUPED", 10 * (whole.vectors * whole.sizes.size - 1))
    without = bounds._relaxed(data, "ncp", ClassNeeds(12, 2), values, 0)
    assert without == bounds._relaxed(data, "ncp", ClassNeeds(12), None, 0)
    assert 0 < without < with_values


@pytest.mark.parametrize("many", [10**4, 10**11, 10**30])
def test_what_no_class_can_hold_is_withheld_however_much_is_asked(many):
    data = trees(0, 30)
    for models in ((lk.KAnonymity(many),), (lk.DistinctLDiversity(many, sensitive="sick"),)):
        for patient in (False, True):
            assert lower_bound(data, models, "ncp", 30, patient=patient).value == pytest.approx(1.0)


def test_a_relaxation_is_named():
    data = trees(0, 200)
    found = lower_bound(data, (lk.KAnonymity(8),), "ncp", 0, patient=True)
    assert found.found_by == bounds.RELAXATION
    assert "found by relaxation" in found.line(0.5)
    assert lower_bound(data, (lk.KAnonymity(8),), "ncp", 0).found_by == bounds.PRICES
    # Where a number is a quasi-identifier a class may show what is no node.
    mixed = Microdata(
        (data.quasi[0], number("age", 7)), data.codes, data.sensitive, data.sensitive_codes, data.rows
    )
    assert lower_bound(mixed, (lk.KAnonymity(8),), "ncp", 0, patient=True).found_by == bounds.PRICES


def test_whom_the_policy_lets_withhold_is_counted_exactly():
    """.29 of 100 are 29, though .29 * 100 is less in floating point: nothing loses less than their release."""
    frame = pl.DataFrame({"sex": ["a"] * 71 + ["b"] * 29, "s": ["x"] * 100})
    policy = lk.Policy(
        columns={"sex": lk.quasi(), "s": lk.sensitive()},
        privacy=lk.KAnonymity(60),
        method="optimal",
        withhold={"at_most": 0.29},
    )
    release = lk.anonymize(frame, policy, seed=1)
    assert release.counts["published"] == 71
    assert release.measure("ncp")["metrics"]["ncp"]["lower_bound"]["value"] <= 0.29


@pytest.mark.parametrize("seed", range(12))
def test_no_release_on_a_grid_loses_less(seed):
    """Not even the optimum; where nobody needs others, a cell is all that there is to lose."""
    rng = np.random.default_rng(seed)
    rows, step = int(rng.integers(4, 10)), int(rng.integers(2, 6))
    table = pl.DataFrame(
        {
            "age": rng.integers(20, 40, rows),
            "job": [f"job {own}" for own in rng.integers(0, 3, rows)],
            "sick": [f"sick {own}" for own in rng.integers(0, 3, rows)],
        }
    )
    columns = {"age": lk.quasi(), "job": lk.quasi(), "sick": lk.sensitive()}
    form = {"name": "generalized", "recoding": "grid", "steps": {"age": step}}
    for loss, privacy, at_most in product(
        ("ncp", "glm", "iloss"), (lk.KAnonymity(1), lk.KAnonymity(3), lk.DistinctLDiversity(2)), (0, 0.3)
    ):
        policy = lk.Policy(
            columns=columns,
            privacy=privacy,
            form=form,
            method=lk.Optimal(loss),
            withhold={"at_most": at_most},
        )
        try:
            release = lk.anonymize(table, policy, seed=1)
        except lk.CannotBeMetError:
            continue
        published = release.table.height
        lost = (release.loss(loss)[loss] * published + rows - published) / rows
        bound = release.lower_bound(loss)
        assert bound.value <= lost + 1e-9
        if privacy == lk.KAnonymity(1) and not at_most:
            width = int(table["age"].max() - table["age"].min())
            years = width + (loss == "iloss")
            # Cells that reach beyond the domain count as if it ended there.
            beyond = (step - 1) / (width + 2 * (step - 1) + (loss == "iloss"))
            assert beyond / 2 - 1e-9 <= bound.value <= lost <= (step - 1) / years / 2 + 1e-9


@pytest.mark.parametrize("loss", ["ncp", "glm", "iloss"])
def test_a_column_of_one_value_loses_no_cell(loss):
    table = pl.DataFrame({"age": [31] * 4, "job": ["a", "b", "a", "b"]})
    form = {"name": "generalized", "recoding": "grid", "steps": {"age": 5}}
    policy = lk.Policy(columns=dict.fromkeys(table.columns, lk.quasi()), privacy=lk.KAnonymity(2), form=form)
    release = lk.anonymize(table, policy, seed=1)
    assert release.lower_bound(loss).value <= release.loss(loss)[loss]


def test_a_column_with_missing_values_loses_no_cell_besides():
    """Mixed with the missing value an interval loses everything, which its cell is part of."""
    table = pl.DataFrame({"age": [20, 21, 30, None], "job": ["a", "b", "a", "b"]})
    columns = {"age": lk.quasi(missing={"policy": "category"}), "job": lk.quasi()}
    form = {"name": "generalized", "recoding": "grid", "steps": {"age": 5}}
    for k in (1, 4):
        policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(k), form=form, withhold={"at_most": 0})
        release = lk.anonymize(table, policy, seed=1)
        assert release.lower_bound("ncp").value <= release.loss("ncp")["ncp"]
    assert release.loss("ncp")["ncp"] == 1.0
