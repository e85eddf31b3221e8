"""Local recoding by Lagrangian relaxation: kernels against plain loops, classes against the optimum, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations as combinations_of
from itertools import product

import numpy as np
import polars as pl
import pytest
from tests.adult import THREE, complete
from tests.methods.problems import number, plain_set, problem, same, sizes, table, tree

import likeness as lk
from likeness import choosing, relaxation
from likeness.methods.base import charged_loss
from likeness.methods.lagrangian_recoding import LagrangianRecoding
from likeness.methods.lagrangian_recoding.kernels import join, keep_useful, open_classes
from likeness.methods.optimal import Optimal
from likeness.microdata.data import Microdata
from likeness.models.requirements import require
from likeness.relaxation.kernels import bring_forward, find_cheapest, list_combinations, relax, take


def patients(zips, k, **given):
    frame = pl.DataFrame({"zip": zips, "disease": [f"d{i % 3}" for i in range(len(zips))]})
    columns = {"zip": lk.quasi(hierarchy={"prefix": 2}, **given), "disease": lk.sensitive()}
    return frame, lk.Policy(
        columns=columns, privacy=lk.KAnonymity(k), method=LagrangianRecoding(), withhold={"at_most": 0}
    )


def of_zips(zips, k, **given):
    frame, policy = patients(zips, k, **given)
    return sorted(lk.anonymize(frame, policy, seed=1).table["zip"].to_list())


def trees(seed, n):
    """Records of two trees and a set, some alike."""
    rng = np.random.default_rng(seed)
    quasi = (tree("work"), tree("home"), plain_set("sex", 2))
    codes = np.array([rng.integers(0, domain.codes, n) for domain in quasi], np.int32)
    return Microdata(
        quasi, codes, (number("pay", 3),), rng.integers(0, 3, (1, n)).astype(np.int32), np.arange(n)
    )


def combinations(rng, cells=12, many=20):
    """Random combinations of cells, with prices and records."""
    members = [np.flatnonzero(rng.random(cells) < rng.uniform(0.1, 0.8)) for _ in range(many)]
    begin = np.cumsum([0, *(len(own) for own in members)]).astype(np.int64)
    return (
        np.concatenate(members).astype(np.int32), begin, np.round(rng.random(many), 2), rng.integers(0, 4, cells),
        np.round(rng.random(cells), 2),
    )  # fmt: skip


def dearest_of(records, k, different):
    """The dearest k of (price, value, cell), of which as many are of different values: tried one after the other."""
    sets = combinations_of(sorted(records, reverse=True), k)
    some = [own for own in sets if len({value for _, value, _ in own}) >= different]
    return max(some, key=lambda own: sum(price for price, _, _ in own), default=())


def below(cells, begin, one):
    return cells[begin[one] : begin[one + 1]].tolist()


def test_what_holds_exactly_is_published_exactly():
    assert of_zips(["10", "10", "11", "12", "21", "21"], 2) == ["1*", "1*", "10", "10", "21", "21"]


def test_a_record_joins_others_where_it_costs_least():
    # 12 needs somebody: one of the three of 10, which can spare one, not one of the two of 11.
    assert of_zips(["10", "10", "10", "11", "11", "12"], 2) == ["1*", "1*", "10", "10", "11", "11"]


def test_whom_no_combination_covers_joins_the_class_it_costs_least():
    assert of_zips(["10", "10", "20"], 2) == ["*", "*", "*"]
    assert of_zips(["10", "10", "10", "10", "11", "11", "20"], 2) in (
        ["*", "*", "10", "10", "10", "11", "11"],
        ["*", "*", "*", "10", "10", "10", "10"],
    )


def test_level_limits_keep_parts_apart():
    assert of_zips(["10", "10", "11", "20", "21", "21"], 3, max_level=1) == [
        "1*",
        "1*",
        "1*",
        "2*",
        "2*",
        "2*",
    ]
    with pytest.raises(lk.CannotBeMetError, match="level limits"):
        of_zips(["10", "10", "11", "20", "21", "21"], 3, max_level=0)


def test_without_quasi_identifiers_there_is_one_class():
    data = replace(trees(0, 9), quasi=(), codes=np.zeros((0, 9), np.int32))
    assert LagrangianRecoding().run(problem(data, lk.KAnonymity(4))).classes.tolist() == [0] * 9


@pytest.mark.parametrize("records", [0, 1, 3])
def test_fewer_records_than_a_class_needs_are_withheld(records):
    plan = LagrangianRecoding().run(problem(trees(1, records), lk.KAnonymity(4)))
    assert plan.withheld == records
    assert len(plan.because) == (records > 0)


def test_few_vectors_leave_few_classes():
    # Only the values themselves are looked at, and nobody has enough others like it: all share a class.
    data = trees(2, 12)
    plan = LagrangianRecoding(most_vectors=1).run(problem(data, lk.KAnonymity(12)))
    assert plan.count == 1
    assert plan.withheld == 0


@pytest.mark.parametrize("seed", range(12))
def test_classes_hold_and_no_one_is_lost(seed):
    data = table([30, 20, 10], seed, missing=True)
    k = 2 + seed % 5
    plan = LagrangianRecoding(loss=("ncp", "glm", "iloss")[seed % 3]).run(problem(data, lk.KAnonymity(k)))
    assert plan.withheld == 0
    assert sizes(plan).min() >= k


@pytest.mark.parametrize("seed", range(12))
def test_classes_have_as_many_values_as_are_asked_for(seed):
    data = trees(seed, 80)
    k, different = 1 + seed % 5, 2 + seed % 2
    privacy = [lk.DistinctLDiversity(different), *([lk.KAnonymity(k)] if k > 1 else [])]
    asked = problem(data, *privacy)
    plan = LagrangianRecoding().run(asked)
    assert plan.withheld == 0
    assert sizes(plan).min() >= max(k, different)
    values = [set(data.sensitive_codes[0, plan.classes == number]) for number in range(plan.count)]
    assert min(map(len, values)) >= different
    # Whoever is worth less than a class loses may be what it lacks.
    assert plan.count > 1


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_the_records_does_not_count(seed):
    data = trees(seed, 60)
    order = np.random.default_rng(seed).permutation(60)
    asked = problem(data, lk.KAnonymity(3))
    other = problem(data.take(order), lk.KAnonymity(3))
    found, moved = LagrangianRecoding().run(asked), LagrangianRecoding().run(other)
    assert charged_loss(asked, found) == pytest.approx(charged_loss(other, moved), abs=1e-12)
    assert sorted(sizes(found)) == sorted(sizes(moved))


@pytest.mark.parametrize("vectors", [1, 7])
def test_any_number_of_tasks_finds_the_same(vectors, monkeypatch):
    asked = problem(trees(3, 300), lk.KAnonymity(4))
    once = LagrangianRecoding().run(asked)
    monkeypatch.setattr(relaxation, "_VECTORS_A_TASK", vectors)
    assert same(LagrangianRecoding().run(asked), once)


def test_against_the_optimum():
    """Of trees alone the relaxation is a bound of every release, and what is found is near the best."""
    lost = least = 0.0
    for seed in range(25):
        data = trees(seed, 24)
        data = replace(data, quasi=data.quasi[:2], codes=data.codes[:2])
        asked = replace(problem(data, lk.KAnonymity(3)), loss=Optimal(loss="ncp").lowered)
        own = LagrangianRecoding(reach=100.0).run(asked)
        best = charged_loss(asked, Optimal(loss="ncp").run(asked))
        found = charged_loss(asked, own)
        assert found >= best - 1e-9
        assert own.history["relaxation"] * data.size <= best + 1e-9
        lost, least = lost + found, least + best
    assert lost <= 1.1 * least


@pytest.mark.parametrize(
    ("privacy", "named"),
    [
        ((lk.EntropyLDiversity(2),), "entropy-l-diversity"),
        (lk.KAnonymity(2) & lk.TCloseness("0.3"), "t-closeness"),
        ((), "empty"),
    ],
)
def test_guarantees_that_ask_for_more_are_refused(privacy, named):
    data = trees(0, 9)
    with pytest.raises(lk.PolicyError, match=f"and this one is {named}"):
        LagrangianRecoding().check(require(tuple(privacy), data.sensitive, data.sensitive_codes))


def test_values_of_two_columns_are_refused():
    data = trees(0, 9)
    two = (data.sensitive[0], replace(data.sensitive[0], name="job"))
    codes = np.concatenate([data.sensitive_codes, data.sensitive_codes])
    for others in ("known", "unknown"):
        several = [lk.DistinctLDiversity(2, sensitive=own.name, others=others) for own in two]
        with pytest.raises(lk.PolicyError, match="one sensitive column"):
            LagrangianRecoding().check(require(several, two, codes))
    LagrangianRecoding().check(require(several[:1], two, codes))


def test_against_the_optimum_of_values():
    """The same where two or three values are asked for, of which one is rare."""
    lost = least = 0.0
    for seed in range(16):
        data = trees(seed, 20)
        rare = np.random.default_rng(seed).choice(3, (1, 20), p=[0.5, 0.35, 0.15]).astype(np.int32)
        data = replace(data, quasi=data.quasi[:2], codes=data.codes[:2], sensitive_codes=rare)
        privacy = [lk.DistinctLDiversity(2 + seed % 2), *([lk.KAnonymity(4)] if seed % 4 == 0 else [])]
        asked = replace(problem(data, *privacy), loss=Optimal(loss="ncp").lowered)
        own = LagrangianRecoding(reach=100.0).run(asked)
        optimum = Optimal(loss="ncp").run(asked)
        if not optimum.published.any():
            continue
        best, found = charged_loss(asked, optimum), charged_loss(asked, own)
        assert found >= best - 1e-9
        assert own.history["relaxation"] * data.size <= best + 1e-9
        lost, least = lost + found, least + best
    assert lost <= 1.15 * least


@pytest.mark.parametrize(
    ("given", "said"),
    [({"reach": 0.5}, "reach"), ({"loss": "ail"}, "loss"), ({"most_vectors": 0}, "most_vectors")],
)
def test_parameters_that_make_no_sense(given, said):
    with pytest.raises(lk.PolicyError, match=said):
        LagrangianRecoding(**given)


def test_it_comes_as_far_as_it_may():
    data = trees(0, 200)
    required = require((lk.KAnonymity(3),), data.sensitive, data.sensitive_codes)
    farthest = LagrangianRecoding().within(10**12, data, required)
    assert farthest.reach == 3
    some = LagrangianRecoding().within(farthest.work(data, required) - 1, data, required)
    assert 1 < some.reach < 3
    assert LagrangianRecoding().within(0, data, required) is None
    # Steps for values are longer than those of what is tried beside it; and of very many values it is not tried unasked.
    mixed = require((lk.DistinctLDiversity(3),), data.sensitive, data.sensitive_codes)
    assert farthest.work(data, mixed) > 3.5 * farthest.work(data, required)
    many = require((lk.DistinctLDiversity(65),), data.sensitive, data.sensitive_codes)
    assert LagrangianRecoding().within(10**15, data, many) is None
    # Without nodes there is less to gain, and a short search does not wait for it.
    plain = replace(data, quasi=data.quasi[2:], codes=data.codes[2:])
    assert farthest.work(plain, required) < 10**7
    assert LagrangianRecoding().within(10**7, plain, required) is None
    assert LagrangianRecoding().within(10**9, plain, required) == farthest
    # Whose vectors are left out is in no combination.
    assert LagrangianRecoding(most_vectors=3).within(10**12, data, required) is None


@pytest.mark.parametrize("seed", range(10))
def test_combinations_are_those_of_plain_sets(seed):
    rng = np.random.default_rng(seed)
    cells, k, reach = int(rng.integers(1, 30)), int(rng.integers(1, 6)), float(rng.uniform(1, 3))
    finest = rng.integers(0, 4, cells)
    groups = np.array(
        [np.arange(cells), finest, np.zeros(cells), rng.permutation(cells), finest // 2, np.zeros(cells)],
        np.int32,
    )
    losses = np.array([np.full(cells, x) for x in (0, 0.3, 0.5, 0, 0.2, 0.5)]) + 0.1 * groups / (
        groups.max(axis=1, keepdims=True) + 1
    )
    records = rng.integers(1, 4, cells)
    vectors = np.array(list(product(range(3), range(3, 6))))
    plain = set()
    for vector in vectors:
        together: dict[tuple[int, ...], list[int]] = {}
        for cell in range(cells):
            together.setdefault(tuple(groups[vector, cell]), []).append(cell)
        for own in together.values():
            if records[own].sum() >= k:
                plain.add((frozenset(own), round(float(losses[vector, own[0]].sum()), 9)))
    different, values = 1 + seed % 3, rng.integers(0, 4, cells)
    plain = {(own, lost) for own, lost in plain if len(set(values[list(own)])) >= different}
    order = rng.permutation(2)
    sorted_vectors = vectors[np.lexsort([vectors[:, order[1]], vectors[:, order[0]]])]
    asked = (groups, losses, sorted_vectors, np.array([0, 3]), order, records, values, k, different)
    least = np.full(cells, np.inf)
    find_cheapest(*asked, least)
    cheapest = [min((lost for own, lost in plain if cell in own), default=np.inf) for cell in range(cells)]
    assert least.tolist() == pytest.approx(cheapest)
    members, begin, loss, marks, places = list_combinations(*asked, reach, least)
    found = [(frozenset(below(members, begin, i)), round(float(loss[i]), 9)) for i in range(loss.size)]
    assert set(found) == {
        (own, lost) for own, lost in plain if any(lost <= reach * least[cell] + 1e-9 for cell in own)
    }
    for i, place in enumerate(places):
        inside = groups[sorted_vectors[place]][:, below(members, begin, i)]
        assert (inside == inside[:, :1]).all()
    # Equal marks are equal sets.
    assert len(set(marks.tolist())) == len({own for own, _ in found})


@pytest.mark.parametrize("seed", range(20))
def test_the_relaxation_is_that_of_plain_loops(seed):
    rng = np.random.default_rng(seed)
    cells, begin, loss, left, prices = combinations(rng)
    k, values = int(rng.integers(1, 5)), rng.integers(0, 3, left.size)
    different = int(rng.integers(1, min(k, 3) + 1))
    there, opened, worth = np.zeros(left.size), np.zeros(loss.size), np.zeros(loss.size)
    some, want = np.zeros(left.size), 0.0
    bring_forward(cells, begin, prices, 2 * k)
    half = loss.size // 2
    gain = sum(
        relax(cells, begin, loss, left, values, prices, k, different, *ends, there, opened, worth)
        for ends in ((0, half), (half, loss.size))
    )
    for i in range(loss.size):
        records = [
            (prices[cell], values[cell], (cell, copy))
            for cell in below(cells, begin, i)
            for copy in range(left[cell])
        ]
        forced = dearest_of(records, k, different)
        inside = {*forced, *(one for one in records if one[0] > loss[i])} if forced else set()
        own = sum(price - loss[i] for price, _, _ in inside)
        assert worth[i] == pytest.approx(own + k * loss[i] if forced else 0)
        assert opened[i] == (own > 1e-12)
        if own > 1e-12:
            want += own
            for _, _, (cell, _) in inside:
                some[cell] += 1
    assert gain == pytest.approx(want)
    assert there.sum() == some.sum()
    assert there @ prices == pytest.approx(some @ prices)


@pytest.mark.parametrize("seed", range(10))
def test_cells_are_brought_forward_and_none_is_lost(seed):
    rng = np.random.default_rng(seed)
    cells, begin, loss, _, prices = combinations(rng)
    before = [sorted(below(cells, begin, i)) for i in range(loss.size)]
    front = int(rng.integers(1, 6))
    bring_forward(cells, begin, prices, front)
    for i, own in enumerate(before):
        now = below(cells, begin, i)
        assert sorted(now) == own
        assert prices[now[:front]].tolist() == sorted(prices[own].tolist(), reverse=True)[:front]
    numbers = np.sort(rng.choice(loss.size, 7, replace=False))
    taken, places = take(cells, begin, numbers)
    assert [below(taken, places, i) for i in range(7)] == [below(cells, begin, one) for one in numbers]


@pytest.mark.parametrize("seed", range(20))
def test_classes_are_opened_in_order_for_the_dearest(seed):
    rng = np.random.default_rng(seed)
    cells, begin, loss, left, prices = combinations(rng)
    prices = prices + 1e-3 * np.arange(prices.size)
    k, order, values = int(rng.integers(1, 4)), rng.permutation(loss.size)[:9], rng.integers(0, 3, left.size)
    different = int(rng.integers(1, k + 1))
    ceiling, home = np.full(left.size, np.inf), np.full(left.size, -1, np.int64)
    members, rest = np.zeros((20, k), np.int64), left.copy()
    count = open_classes(
        cells, begin, loss, order, values, prices, k, different, 0.9, rest, ceiling, home, members, 2
    )
    plain, opened = left.copy(), []
    for one in order:
        every = [
            (prices[cell], values[cell], (cell, copy))
            for cell in below(cells, begin, one)
            for copy in range(plain[cell])
        ]
        forced = dearest_of(every, k, different)
        inside = {*forced, *(own for own in every if own[0] > loss[one])}
        if forced and sum(own[0] - loss[one] for own in inside) >= -0.1 * k * loss[one]:
            records = [cell for _, _, (cell, _) in forced]
            np.subtract.at(plain, records, 1)
            opened.append((one, sorted(records)))
    assert rest.tolist() == plain.tolist()
    assert count == 2 + len(opened)
    assert [sorted(own) for own in members[2:count].tolist()] == [own for _, own in opened]
    for cell in range(left.size):
        over = [(loss[one], 2 + i) for i, (one, _) in enumerate(opened) if cell in below(cells, begin, one)]
        assert ceiling[cell] == min(over, default=(np.inf, -1))[0]
        assert home[cell] == min(over, default=(np.inf, -1))[1]
    before = [(loss[i], below(cells, begin, i)) for i in range(loss.size)]
    often = np.arange(loss.size, dtype=np.float64)
    kept = keep_useful(cells, begin, loss, often, rest, ceiling, k)
    want = [
        (lost, [cell for cell in own if rest[cell]])
        for lost, own in before
        if rest[own].sum() >= k and any(rest[cell] and ceiling[cell] > lost for cell in own)
    ]
    assert [(loss[i], below(cells, begin, i)) for i in range(kept)] == want


@pytest.mark.parametrize("seed", range(10))
def test_the_lonely_join_where_it_costs_least(seed):
    rng = np.random.default_rng(seed)
    cells, k, classes = 14, 2, 4
    fine = rng.integers(0, 6, (2, cells))
    groups = np.array(
        [fine[0], fine[0] // 2, np.zeros(cells), fine[1], np.zeros(cells), rng.integers(0, 2, cells)],
        np.int32,
    )
    losses = np.array([np.full(cells, x) for x in (0.0, 0.4, 1.0, 0.0, 1.0, 0.0)])
    members, parts = rng.integers(0, cells, (classes, k)), groups[5].astype(np.int64)
    members[:, 1] = [rng.choice(np.flatnonzero(parts == parts[own])) for own in members[:, 0]]
    lonely, left = np.array([3, 8]), rng.integers(1, 3, cells)
    home = np.full(cells, -1, np.int64)
    join(groups, losses, np.array([0, 3, 5]), parts, members, classes, k, lonely, left, home)

    def lost(own):
        rows = [
            next(row for row in range(*ends) if len({groups[row, cell] for cell in own}) == 1)
            for ends in ((0, 3), (3, 5))
        ]
        return sum(losses[row, own[0]] for row in rows)

    now = [list(own) for own in members.tolist()]
    for cell in lonely.tolist():
        costs = {
            i: (len(own) + left[cell]) * lost([*own, cell]) - len(own) * lost(own)
            for i, own in enumerate(now)
            if parts[own[0]] == parts[cell]
        }
        if not costs:
            assert home[cell] == -1
            continue
        assert costs[home[cell]] == pytest.approx(min(costs.values()))
        now[home[cell]] += [cell] * int(left[cell])


def test_it_is_tried_in_place_of_moves():
    frame = pl.DataFrame({"zip": [f"{i * i % 97:02}" for i in range(400)], "disease": ["a", "b"] * 200})
    columns = {"zip": lk.quasi(hierarchy={"prefix": 2}), "disease": lk.sensitive()}
    for effort, tried in (("quick", False), ("normal", True)):
        release = lk.anonymize(
            frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(7), effort=effort), seed=1
        )
        told = {one.method.name: one for one in release.private.candidates}
        assert (told["lagrangian-recoding"].loss is not None) == tried
        assert (told["lagrangian-recoding"].outcome == choosing.TOO_MUCH) != tried


@pytest.mark.slow
def test_adult_of_three(data_folder):
    frame = complete(data_folder)
    columns = {
        name: lk.quasi(hierarchy=str(data_folder / "adult" / f"adult_hierarchy_{name}.csv")) for name in THREE
    }
    columns["*"] = lk.drop()
    loss = {}
    for method in (LagrangianRecoding(), lk.LocalRecoding(), lk.Mondrian()):
        policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(5), method=method, withhold={"at_most": 0})
        release = lk.anonymize(frame, policy, seed=1)
        assert release.verify().ok
        loss[method.name] = release.loss("ncp")["ncp"]
    assert loss["lagrangian-recoding"] < 0.95 * min(loss["local-recoding"], loss["mondrian"])
