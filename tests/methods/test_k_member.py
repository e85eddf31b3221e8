"""k-member: equal to a plain loop over records; leftovers join where the models hold; what a steward sees."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import number, plain_set, problem, tree
from tests.methods.test_mdav import tables
from tests.oracles import k_member as oracle

import likeness as lk
from likeness.methods import k_member
from likeness.methods.k_member import KMember
from likeness.methods.leftovers import join_leftovers
from likeness.microdata.data import Microdata
from likeness.microdata.plan import renumber


@pytest.mark.slow
@pytest.mark.parametrize("models", [(), (lk.DistinctLDiversity(2),), (lk.BasicBetaLikeness(1),)], ids=str)
@given(data=tables(), k=st.integers(1, 5), loss=st.sampled_from(["glm", "ncp"]), block=st.integers(1, 9))
@settings(deadline=None, max_examples=80)
def test_it_clusters_as_the_book_says(models, data, k, loss, block):
    asked = problem(data, lk.KAnonymity(k), *models)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(k_member, "_BLOCK", block)
        plan = KMember(loss=loss).run(asked)

    def holds(group: list[int]) -> bool:
        one = np.full(data.size, -1, np.int64)
        one[group] = 0
        return bool(asked.holding(one, 1)[0])

    first = (
        int(data.tuples.first[np.random.default_rng(0).integers(data.tuples.count)]) if data.size >= k else 0
    )
    made, left = oracle.classes(data, k, loss, first, holds)
    for label, group in enumerate(made):
        assert (plan.classes[group] == label).all()
    assert plan.count == len(made)
    assert set(np.flatnonzero(plan.classes < 0)) <= set(left)
    if plan.published.any():
        assert asked.holding(plan.classes, plan.count).all()
    if made and not models:
        # More records never hurt k-anonymity: everybody finds a class, at the least added loss.
        assert plan.withheld == 0
        for record in left:
            added = [
                (len(own) + 1) * oracle.loss_of(data, [*own, record], loss)
                - len(own) * oracle.loss_of(data, own, loss)
                for own in made
            ]
            assert added[plan.classes[record]] == pytest.approx(min(added), abs=1e-9)


@pytest.mark.parametrize(
    "models", [(lk.DistinctLDiversity(2),), (lk.BasicBetaLikeness(1),), (lk.TCloseness("0.4"),)], ids=str
)
@given(data=tables(), draw=st.data())
@settings(deadline=None, max_examples=60)
def test_leftovers_join_the_first_class_that_holds_with_them(models, data, draw):
    asked = problem(data, *models)
    labels = st.lists(st.integers(-1, 3), min_size=data.size, max_size=data.size)
    classes = np.array(draw.draw(labels), np.int64)
    good = np.append(asked.holding(classes, int(classes.max()) + 1), False)
    classes = renumber(np.where(good[classes], classes, -1))
    left = np.flatnonzero(classes < 0)
    orders = {int(row): draw.draw(st.permutations(range(int(classes.max()) + 1))) for row in left}
    plan = join_leftovers(asked, classes, left, lambda row: np.array(orders[row], np.int64), "nearest")
    found = classes.copy()
    for row in left:
        for label in orders[int(row)]:
            found[row] = label
            if asked.holding(np.where(found == label, 0, -1), 1)[0]:
                break
            found[row] = -1
    assert plan.classes.tolist() == found.tolist()


@pytest.mark.parametrize("models", [(), (lk.TCloseness("0.3"),)], ids=["k", "t"])
def test_blocks_of_near_tuples_leave_none_out(models, monkeypatch):
    draw = np.random.default_rng(5)
    quasi = (
        number("age", 60, missing=True),
        tree("work", missing=True),
        plain_set("town", 40),
        number("pay", 90),
    )
    codes = np.array([draw.integers(0, one.codes, 2000) for one in quasi], np.int32)
    sick = plain_set("disease", 2)
    data = Microdata(quasi, codes, (sick,), draw.integers(0, 2, (1, 2000), dtype=np.int32), np.arange(2000))
    found = []
    for block in (7, 32, 5000):
        monkeypatch.setattr(k_member, "_BLOCK", block)
        found.append(KMember().run(problem(data, lk.KAnonymity(4), *models)).classes)
    assert (found[0] == found[2]).all()
    assert (found[1] == found[2]).all()


def test_two_groups_apart():
    table = pl.DataFrame({"x": [1, 2, 3, 7, 8, 9], "s": list("ababab")})
    columns = {"x": lk.quasi(), "s": lk.sensitive()}
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(3), method=lk.KMember()))
    assert sorted(release.table["x"].unique()) == ["[1, 3]", "[7, 9]"]


@pytest.mark.parametrize("k", [0, 1.5, "x"])
def test_k_must_be_a_whole_number(k):
    with pytest.raises(lk.PolicyError, match="k-member: k must be"):
        KMember(k)
