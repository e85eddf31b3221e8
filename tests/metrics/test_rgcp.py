"""RGCP: the paper's example; equal to a plain loop; above GCP exactly where it should be."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.examples import NOTHING, five_points
from tests.metrics.tables import evaluations
from tests.oracles.metrics import Plain, cell_loss, climb, region

from likeness.errors import PolicyError
from likeness.metrics.gcp import Gcp
from likeness.metrics.measuring import measure, measure_all
from likeness.metrics.ncp import Ncp
from likeness.metrics.rgcp import Rgcp
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode

FOUR, ALL, NONE = [0, 0, 0, 0, -1], [0] * 5, [-1] * 5


def test_example_3_of_the_paper():
    assert [Rgcp().measure(five_points(classes)) for classes in (FOUR, ALL, NONE)] == pytest.approx(
        [5.5, 5.0, 6.0], abs=1e-12
    )
    assert Gcp().measure(five_points(FOUR)) == 1.0
    normalised = Rgcp(normalised=True)
    assert [normalised.measure(five_points(classes)) for classes in (FOUR, ALL, NONE)] == pytest.approx(
        [1.1, 1.0, 1.2], abs=1e-12
    )
    # Only the withheld record pays for the joined class.
    assert Rgcp(reading="withheld").measure(five_points(FOUR)) == pytest.approx(1.0 + 1.1)
    assert Rgcp(k_r=2, n_r=3).measure(five_points(FOUR)) == pytest.approx(10.0)


def test_the_prices_are_stated_with_the_result():
    found = measure(five_points(FOUR), (), {"rgcp": None})
    assert "name it to have it measured" in measure_all(five_points(FOUR)).skipped["rgcp"]
    assert found["rgcp"] == pytest.approx(5.5)
    assert {name: found.notes[name] for name in ["rgcp"]} == {"rgcp": "reading class, k_r = 1.1, n_r = 1.2"}


def test_nobody_published():
    whole = recode(NOTHING.data, Plan(np.zeros(5, np.int64)))
    together = type(NOTHING)(NOTHING.data, *whole)
    assert Rgcp(normalised=True).measure(NOTHING) == pytest.approx(1.2 * Ncp().measure(together))


def far(
    plain: Plain, told: list[set[int]], record: tuple[int, ...], cells: tuple[frozenset[int], ...]
) -> float:
    """How far a record lies from what a class shows."""
    squares = total = 0.0
    for j, (domain, code, cell) in enumerate(zip(plain.domains, record, cells, strict=True)):
        weight = plain.weights[j] * len(plain.domains)
        missing = domain.missing_code
        if domain.shape == "interval":
            places = domain.places(float("nan")).tolist()
            mixed = missing in cell and len(cell) > 1
            ends = [x for x in places if not isnan(x)] if mixed else [places[min(cell)], places[max(cell)]]
            middle = (min(ends) + max(ends)) / 2
            apart = abs(places[code] - middle)
            if isnan(apart):
                apart = 0.5 if mixed else float(not (code == missing and cell == {missing}))
            squares += weight * apart**2
        elif domain.shape == "set":
            whole = cell == told[j] and len(cell) > 1
            total += weight * (0.5 if whole else float(code not in cell))
        else:
            total += weight * edges(domain, code, cell)
    return sqrt(squares) + total


def edges(domain, code: int, cell: frozenset[int]) -> float:
    """Edges from a leaf to the node of a cell, over twice the height."""
    tree, missing = domain.hierarchy, domain.missing_code

    def path(node: int) -> list[int]:
        found = [node]
        while found[-1]:
            found.append(int(tree.parent[found[-1]]))
        return found[::-1]

    ways = []
    for codes in ({code}, set(cell)):
        if codes == {missing}:
            ways.append([0, -1])
        else:
            ways.append([0] if missing in codes else path(climb(tree, codes)))
    shared = sum(
        one == other
        for i, (one, other) in enumerate(zip(*ways, strict=False))
        if ways[0][: i + 1] == ways[1][: i + 1]
    )
    return (len(ways[0]) + len(ways[1]) - 2 * shared) / (2 * max(1, int(tree.heights()[0])))


def plain_rgcp(evaluation, reading: str) -> tuple[float, bool]:
    """Definition 2, record by record; and whether a class that somebody withheld is joined with loses anything."""
    plain = Plain(evaluation)

    def lost(records: list[int]) -> float:
        return sum(
            weight * cell_loss(domain, region(domain, {plain.records[i][j] for i in records}), "ncp")
            for j, (domain, weight) in enumerate(zip(plain.domains, plain.weights, strict=True))
        )

    if not plain.published:
        whole = lost(list(range(plain.n)))
        return 1.2 * plain.n * whole, whole > 0
    told = [
        {plain.records[i][j] for i in plain.published}
        | set(np.flatnonzero(domain.values_declared & np.ones(domain.size, np.bool_)).tolist())
        for j, domain in enumerate(plain.domains)
    ]
    joined: dict = {cells: [] for cells in plain.members}

    def begins(cells: tuple) -> list:
        found: list = []
        for domain, cell in zip(plain.domains, cells, strict=True):
            found += [min(cell), max(cell)]
            if domain.shape == "set":
                bits = sum(1 << code for code in cell)
                for word in range((domain.codes + 63) // 64):
                    own = bits >> (64 * word) & (2**64 - 1)
                    found.append(own - 2**64 if own >= 2**63 else own)
        return found

    for i in set(range(plain.n)) - set(plain.published):
        record = plain.records[i]
        away = {cells: far(plain, told, record, cells) for cells in plain.members}
        near = [cells for cells in away if away[cells] <= min(away.values()) + 1e-12]
        more = {cells: lost([*plain.members[cells], i]) - lost(plain.members[cells]) for cells in near}
        near = [cells for cells in near if more[cells] <= min(more.values()) + 1e-12]
        joined[min(near, key=begins)].append(i)
    total = 0.0
    for cells, own in plain.members.items():
        new = joined[cells]
        if reading == "class" and new:
            total += 1.1 * (len(own) + len(new)) * lost(own + new)
        else:
            total += len(own) * lost(own) + 1.1 * len(new) * lost(own + new)
    return total, any(lost(own + joined[cells]) > 0 for cells, own in plain.members.items() if joined[cells])


@settings(deadline=None, max_examples=300)
@given(evaluation=evaluations(), reading=st.sampled_from(["class", "withheld"]))
def test_it_is_the_definition(evaluation, reading):
    assert Rgcp(reading=reading).measure(evaluation) == pytest.approx(
        plain_rgcp(evaluation, reading)[0], rel=1e-9, abs=1e-9
    )


@settings(deadline=None, max_examples=200)
@given(evaluation=evaluations())
def test_it_is_above_gcp_exactly_where_somebody_is_withheld_and_a_joined_class_is_no_point(evaluation):
    gcp, rgcp = Gcp().measure(evaluation), Rgcp().measure(evaluation)
    assert rgcp >= gcp
    if evaluation.plan.withheld == 0:
        assert rgcp == gcp
    assert (rgcp > gcp) == plain_rgcp(evaluation, "class")[1]
    assert rgcp <= 1.2 * evaluation.data.size + 1e-9


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"reading": "both"}, "reading must be"),
        ({"k_r": 1}, "k_r must be"),
        ({"k_r": 1.3}, "n_r must be above k_r"),
        ({"loss": "all"}, "loss must be"),
    ],
)
def test_bad_parameters_say_what_they_must_be(given_, message):
    with pytest.raises(PolicyError, match=f"rgcp: {message}"):
        Rgcp(**given_)
