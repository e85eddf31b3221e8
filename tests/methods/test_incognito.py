"""Full-domain generalization: the optimum of exhaustive enumeration under every kind of guarantee; limits; refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adult import EIGHT, complete
from tests.methods.problems import plain_set, tree
from tests.oracles import full_domain

import likeness as lk
from likeness.errors import PolicyError
from likeness.hierarchies import from_rows
from likeness.methods.base import Problem
from likeness.methods.incognito import Incognito
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require

# Unequal depth: 4 is levelled by padding.
AGES = from_rows(
    [["0", "0-1", "0-3", "*"], ["1", "0-1", "0-3", "*"], ["2", "2", "0-3", "*"], ["4", "4+", "4+", "*"]],
    "age",
    where=str,
)
SICK = plain_set("disease", 3)
GUARANTEES: dict[str, Any] = {
    "k": lk.KAnonymity(2) & lk.KAnonymity(1),
    "l": lk.DistinctLDiversity(2) & lk.KAnonymity(1),
    "beta": lk.BasicBetaLikeness(1) & lk.KAnonymity(2),
    "t": lk.TCloseness("0.4", distance="equal") & lk.KAnonymity(1),
    "k-l": lk.KAnonymity(3) & lk.DistinctLDiversity(2),
}


@st.composite
def tables(draw: st.DrawFn) -> Microdata:
    """Up to 14 records; numbers with a hierarchy, a tree, a plain set; missing values and level limits."""
    missing = draw(st.booleans())
    limit = draw(st.sampled_from([None, None, 1]))
    age = Domain(
        "age", "integer", np.array([0, 1, 2, 4]), "interval", AGES, missing=missing, low=0, high=4, weight=2
    )
    work = tree("work", missing=missing)
    work = Domain(
        "work", "hierarchical", work.values, "tree", work.hierarchy, missing=missing, max_level=limit
    )
    quasi = (age, work, plain_set("sex", 2))
    n = draw(st.integers(1, 14))
    rows = draw(
        st.lists(st.tuples(*(st.integers(0, x.codes - 1) for x in (*quasi, SICK))), min_size=n, max_size=n)
    )
    codes = np.array(rows, np.int32).T
    return Microdata(quasi, codes[:3], (SICK,), codes[3:], np.arange(n))


def solved(data: Microdata, guarantee: Any, allowance: int, **options: Any) -> Any:
    requirements = require(guarantee, data.sensitive, data.sensitive_codes)
    problem = Problem(data, requirements, LOSSES["glm"], np.random.default_rng(0), None, allowance)
    return problem, Incognito(**options).run(problem)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["glm", "ncp", "iloss"])
@pytest.mark.parametrize("guarantee", GUARANTEES)
@given(data=tables(), share=st.sampled_from([0, 0.3, 1]))
@settings(deadline=None, max_examples=40)
def test_it_finds_the_optimum_of_all_vectors(guarantee, loss, data, share):
    allowance = int(share * data.size)
    problem, plan = solved(data, GUARANTEES[guarantee], allowance, loss=loss)

    def holds(group: list[int]) -> bool:
        classes = np.full(data.size, -1, np.int64)
        classes[group] = 0
        return bool(problem.holding(classes, 1)[0])

    expected = full_domain.best(data, loss, allowance, holds)
    if expected is None:
        assert not plan.published.any()
        return
    lost, vector, withheld = expected
    assert plan.history["loss"] * data.size == pytest.approx(lost, abs=1e-9)
    assert plan.history["lower_bound"] == plan.history["loss"]
    assert plan.withheld == withheld == sum(plan.withheld_because.values())
    if plan.published.any():
        assert problem.holding(plan.classes, plan.count).all()
    assert list(plan.history["levels"].values()) == list(vector)


def test_what_may_be_withheld_altogether_is_published_where_that_loses_no_more():
    # Four plain values, none twice: below the top nothing holds, and the top loses as much as withholding.
    data = Microdata(
        (plain_set("sex", 4),),
        np.arange(4, dtype=np.int32)[None],
        (SICK,),
        np.zeros((1, 4), np.int32),
        np.arange(4),
    )
    _, plan = solved(data, lk.KAnonymity(4) & lk.KAnonymity(1), 4)
    assert plan.classes.tolist() == [0, 0, 0, 0]
    assert plan.history["levels"] == {"sex": 1}
    assert plan.history["loss"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", GUARANTEES)
@given(data=tables(), share=st.sampled_from([0, 0.3]))
@settings(deadline=None, max_examples=25)
def test_all_minimal_generalizations_are_listed(guarantee, data, share):
    allowance = int(share * data.size)
    problem, plan = solved(data, GUARANTEES[guarantee], allowance, minimal=True)

    def holds(group: list[int]) -> bool:
        classes = np.full(data.size, -1, np.int64)
        classes[group] = 0
        return bool(problem.holding(classes, 1)[0])

    expected = full_domain.minimal(data, allowance, holds)
    listed = [tuple(one.values()) for one in plan.history.get("minimal", [])]
    assert listed == sorted(expected, key=lambda vector: (sum(vector), vector))


def test_a_search_cut_short_says_how_far_from_a_proof_it_is():
    rng = np.random.default_rng(3)
    quasi = tuple(plain_set(f"q{i}", 2) for i in range(8))
    codes = rng.integers(0, 2, (8, 300)).astype(np.int32)
    data = Microdata(quasi, codes, (SICK,), rng.integers(0, 3, (1, 300)).astype(np.int32), np.arange(300))
    _, whole = solved(data, lk.KAnonymity(4) & lk.KAnonymity(1), 40)
    for visits in (1, 10, 40):
        _, cut = solved(data, lk.KAnonymity(4) & lk.KAnonymity(1), 40, most_visits=visits)
        assert cut.history["lower_bound"] <= whole.history["loss"] <= cut.history["loss"]
        assert cut.history["visited"] <= whole.history["visited"]
    assert whole.history["lower_bound"] == whole.history["loss"]


def policy(**given_: Any) -> lk.Policy:
    columns = {"zip": lk.quasi(hierarchy={"prefix": 2}), "sex": lk.quasi(), "disease": lk.sensitive()}
    return lk.Policy(columns=columns, **{"privacy": lk.KAnonymity(2), "method": lk.Incognito(), **given_})


TABLE = pl.DataFrame(
    {"zip": ["10", "10", "11", "11", "20"], "sex": list("fmfmf"), "disease": ["a", "b", "c", "a", "b"]}
)


def test_a_release_withholds_what_the_policy_allows():
    release = lk.anonymize(TABLE, policy(withhold={"at_most": 0.2}), seed=1)
    # Prefixes with sex lose less than whole zips without; 20 is alone either way.
    assert sorted(release.table.select("zip", "sex").rows()) == [("1*", "f")] * 2 + [("1*", "m")] * 2
    assert release.private.solution.plan.history["levels"] == {"zip": 1, "sex": 0}
    strict = lk.anonymize(TABLE, policy(withhold={"at_most": 0}), seed=1)
    assert strict.private.solution.plan.history["levels"] == {"zip": 2, "sex": 0}


def test_k_above_the_number_of_records_cannot_be_met():
    with pytest.raises(lk.CannotBeMetError, match="the strongest it could meet is k = 5"):
        lk.anonymize(TABLE, policy(privacy=lk.KAnonymity(6)))


def test_numbers_without_a_hierarchy_are_refused():
    table = TABLE.with_columns(age=pl.Series([1, 2, 3, 4, 5]))
    columns = {"zip": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive(), "age": lk.quasi()}
    with pytest.raises(PolicyError, match=r"column 'age' \(integer\) has no hierarchy; give it one"):
        lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2), method=lk.Incognito()))


def test_ten_thousand_categories():
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"id": [f"v{i}" for i in rng.integers(0, 10_000, 20_000)], "s": list("ab") * 10_000})
    columns = {"id": lk.quasi(), "s": lk.sensitive()}
    release = lk.anonymize(
        table,
        lk.Policy(
            columns=columns, privacy=lk.KAnonymity(2), method=lk.Incognito(), withhold={"at_most": 0.2}
        ),
    )
    assert release.private.solution.plan.history["levels"] == {"id": 0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "withhold", "loss"), [((), 0, 0.625), ((), 1, 0.169), (("occupation",), 1, 0.228)]
)
def test_adult_has_the_optimum_that_arx_finds(data_folder, more, withhold, loss):
    names = (*EIGHT, *more)
    columns = {
        name: lk.quasi(hierarchy=str(data_folder / "adult" / f"adult_hierarchy_{name}.csv"))
        if name in names
        else lk.drop()
        for name in complete(data_folder).columns
    }
    release = lk.anonymize(
        complete(data_folder),
        lk.Policy(
            columns=columns, privacy=lk.KAnonymity(5), method=lk.Incognito(), withhold={"at_most": withhold}
        ),
    )
    history = release.private.solution.plan.history
    assert round(history["loss"], 3) == loss
    assert history["lower_bound"] == history["loss"]
    assert release.verify().ok


@pytest.mark.parametrize(
    ("values", "given", "remedy"),
    [
        (["2020-01-01", "2020-02-01"], {}, "hierarchy: {dates: [month, year]}"),
        ([1, 2], {}, "hierarchy: {intervals: [0, 18, 40, 65]}"),
        (["lo", "hi"], {"kind": "ordered", "domain": ["lo", "hi"]}, "hierarchy: values.csv, a file"),
    ],
)
def test_the_hierarchy_that_is_asked_for_suits_the_kind(values, given, remedy):
    policy = lk.Policy(
        columns={"x": lk.quasi(**given)}, privacy=lk.KAnonymity(2), method={"name": "incognito"}
    )
    with pytest.raises(PolicyError) as caught:
        lk.anonymize(pl.DataFrame({"x": values}), policy)
    assert remedy in str(caught.value)
