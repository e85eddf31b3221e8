"""Downcoding equals writing down every table that would have been published as it was."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.forms.publications import integers, publish, table, words
from tests.oracles.attacks_downcoding import Consistent

import likeness as lk
from likeness.attacks.base import Making
from likeness.attacks.downcoding import DowncodingAttack
from likeness.attacks.downcoding.counting import MOST_VALUES, Hidden
from likeness.forms.generalized import GeneralizedForm
from likeness.hierarchies import from_rows
from likeness.methods.mondrian import Mondrian
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan

PLACES = from_rows(
    [("a", "left", "*"), ("b", "left", "*"), ("c", "right", "*"), ("d", "right", "*"), ("e", "right", "*")],
    "place",
    where=str,
)
PLACE = Domain("place", "hierarchical", np.array(PLACES.leaves, object), "tree", PLACES)
AGE = integers("age", range(20, 31))
CITY = words("city", list("pqrs"))
DISEASE = words("disease", ["flu", "hiv"])


def told(columns, classes, **given_):
    """A release of some columns, and how it was made."""
    n = len(classes)
    data = table(columns, [(DISEASE, [i % 2 for i in range(n)])])
    publication, _, plan = publish(GeneralizedForm(), data, Plan(np.array(classes, np.int64), **given_))
    return publication, data, Making(Mondrian(), (), plan)


@settings(deadline=None, max_examples=200)
@given(found=st.sampled_from(["generalized", "angelized"]).flatmap(lambda form: attacked(form, rows=7)))
def test_every_table_is_counted(found):
    publication, data = found.publication, found.data
    sizes = np.bincount(publication.identities)
    every = []
    for identity in range(sizes.size):
        wide = [own.regions[int(own.of[identity])] for own in publication.cells]
        assume(all(len(region.values) < 8 for region in wide))
        assume(all(region.what != "interval" or region.high - region.low < 20 for region in wide))
        assume(int(sizes[identity]) <= 4)
        every.append(Consistent(publication, data, identity))
        assume(every[-1].work <= 3000 and sum(len(own) for own in every[-1].columns) < 3000)
    result = DowncodingAttack().run(publication, data, found.making)
    hidden = known = 0
    before = after = 0.0
    for own in every:
        for column, values in enumerate(own.before):
            if values > 1:
                hidden += own.size
                before += own.size * log(values)
                after += log(len(own.columns[column]))
                known += own.size * own.known(column)
    generalized = sum(own.size for own in every if max(own.before, default=1) > 1)
    recovered = sum(own.size for own in every if max(own.before, default=1) > 1 and len(own.tables) == 1)
    assert result.details["candidates_before"] == pytest.approx(exp(before / max(1, hidden)))
    assert result.details["candidates"] == pytest.approx(exp(after / max(1, hidden)))
    assert result.details["values_known"] == known / max(1, hidden)
    assert result.details["generalized"] == generalized / max(1, publication.size)
    assert result.details["recovered"] == recovered / max(1, publication.size)
    assert result.details["recovered_and_right"] == result.details["recovered"]
    assert result.success == recovered / max(1, generalized)
    assert result.baseline == 0


def test_two_members_of_an_interval_have_one_end_each():
    result = DowncodingAttack().run(*told([(AGE, [0, 4, 2, 2, 6, 8, 10])], [0, 0, 1, 1, 2, 2, 2]))
    assert result.details["generalized"] == 5 / 7
    assert result.success == 2 / 5
    # Of the three, the third may have any of five ages: 5**3 - 2 * 4**3 + 3**3 ways.
    ways = 5**3 - 2 * 4**3 + 3**3
    assert result.details["candidates"] == pytest.approx((2 * ways) ** (1 / 5))
    assert result.details["candidates_before"] == pytest.approx(5)
    assert result.details["singled"] == 1
    assert result.details["coin"] == pytest.approx((1 / 2 + (2 / 3) ** 2) / 2)


def test_sets_and_nodes_tell_as_much_as_intervals():
    sets = DowncodingAttack().run(*told([(CITY, [0, 1, 2, 0, 0, 1])], [0, 0, 0, 1, 1, 1]))
    assert (sets.success, sets.details["singled"]) == (1 / 2, (1 + 1 / 2) / 2)
    nodes = DowncodingAttack().run(*told([(PLACE, [0, 1, 2, 3])], [0, 0, 1, 1]))
    # Who is left of two leaves is known; of three leaves two of three may be there.
    assert (nodes.success, nodes.details["singled"]) == (1 / 2, 1)


def test_two_hidden_columns_hide_whose_values_go_together():
    both = DowncodingAttack().run(*told([(AGE, [0, 4]), (CITY, [0, 1])], [0, 0]))
    assert (both.success, both.details["values_known"]) == (0, 1)


def test_regions_wider_than_their_classes_teach_who_knows_it_nothing():
    bounds = np.array([[[0, 0]], [[6, 6]]], np.int32)
    publication, data, making = told([(AGE, [0, 4])], [0, 0], bounds=bounds)
    assert DowncodingAttack().run(publication, data, making).success == 0
    # Who takes the regions for the narrowest is sure, and wrong.
    wrong = DowncodingAttack().run(publication, data, replace(making, plan=replace(making.plan, bounds=None)))
    assert wrong.success == 1
    without = DowncodingAttack().run(publication, data)
    assert without.success == 1
    assert "recovered_and_right" not in without.details


def test_large_sets_are_counted_without_the_rule():
    large = MOST_VALUES + 1
    assert Hidden("all", large).assignments(large + 1) == large ** (large + 1)
    assert Hidden("all", large).assignments(large - 1) == 0
    assert Hidden("all", 4).assignments(6) == sum(
        len(set(own)) == 4 for own in np.array(np.meshgrid(*[range(4)] * 6)).reshape(6, -1).T.tolist()
    )


def test_of_a_release_as_its_users_see_it():
    rng = np.random.default_rng(3)
    rows = pl.DataFrame(
        {"age": rng.integers(20, 70, 300).tolist(), "city": rng.choice(list("pqrst"), 300).tolist()}
    )
    policy = lk.Policy(
        columns={"age": lk.quasi(), "city": lk.quasi()}, privacy=lk.KAnonymity(2), method={"name": "mondrian"}
    )
    release = lk.anonymize(rows, policy, seed=1)
    found = release.attack("downcoding")
    assert (
        0
        < found.success
        == pytest.approx(found.details["recovered_and_right"] / found.details["generalized"])
    )
    assert found.details["candidates"] < found.details["candidates_before"]


def test_people_with_several_records_are_refused():
    publication, data, _ = told([(AGE, [0, 4])], [0, 0])
    with pytest.raises(lk.PolicyError, match="downcoding: takes every record for another person's"):
        DowncodingAttack().run(publication, replace(data, individuals=np.array([0, 0])))
