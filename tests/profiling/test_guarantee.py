import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiling.columns import all_cells

from likeness.microdata.domain import Domain
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.requirements import require
from likeness.profiling.persons import Persons
from likeness.profiling.reach import identity_reserved, measure_reach, propose_guarantee

EACH_ONE = Persons(0, None, 1, 1)


def propose(frame, records=None, persons=EACH_ONE):
    cells = all_cells(frame)
    records = records or next(iter(cells.values())).height
    return propose_guarantee(records, persons, cells, [measure_reach(own) for own in cells.values()])


@pytest.mark.parametrize(("records", "k"), [(1, 1), (4, 4), (5, 5), (1000, 5)])
def test_k(records, k):
    (model,) = propose_guarantee(records, EACH_ONE, {}, [])
    assert model.model == {"model": "k-anonymity", "k": k}


@pytest.mark.parametrize(
    ("records", "most", "k"), [(20_000, 30, 121), (484, 30, 121), (483, 30, 5), (100, 2, 9), (3, 2, 3)]
)
def test_k_covers_five_people_where_the_table_is_large_enough(records, most, k):
    (model,) = propose_guarantee(records, Persons(0, "person", 9, most), {}, [])
    assert model.model["k"] == k
    assert str(most) in model.reason or k == 3


@pytest.mark.parametrize(("people", "k"), [(1, 1), (4, 4), (5, 5), (900, 5)])
def test_k_counts_people_where_the_policy_names_their_column(people, k):
    (model,) = propose_guarantee(1000, Persons(0, "person", people, 30), {}, [], of_people=True)
    assert model.model == {"model": "k-anonymity", "k": k}
    assert ("1 person:" if people == 1 else "people") in model.reason


def test_of_people_with_several_records_nobody_is_said_to_know_the_other_columns():
    cells = all_cells({"a": ["x", "x", "y", "y"] * 20, "b": ["u", "v", "u", "v"] * 20})
    reaches = [measure_reach(own) for own in cells.values()]
    _, *models = propose_guarantee(80, Persons(0, "person", 40, 2), cells, reaches, of_people=True)
    assert [proposal.model["others"] for proposal in models] == ["unknown", "unknown"]
    assert all("records of a person" in proposal.reason for proposal in models)
    _, alone = propose_guarantee(
        80, Persons(0, "person", 40, 2), {"a": cells["a"]}, reaches[:1], of_people=True
    )
    assert "others" not in alone.model


def test_models_that_link_records_are_given_where_people_are_counted():
    cells = all_cells({"who": ["p", "p", "q", "r"], "a": ["x", "y", "z", "x"], "b": ["u", "v", "u", "u"]})
    reaches = [measure_reach(cells[name], cells["who"]) for name in "ab"]
    assert [reach.eir_l for reach in reaches] == [2, 1]
    assert identity_reserved(reaches) == (
        {"model": "ir-k-anonymity", "k": 3},
        {"model": "eir-l-diversity", "l": 2, "sensitive": "a", "others": "unknown"},
    )
    assert identity_reserved([measure_reach(cells["a"])]) == ()
    assert identity_reserved([]) == ()


def test_one_is_not_several():
    (alone,) = propose_guarantee(3, Persons(0, "person", 1, 3), {}, [], of_people=True)
    assert alone.reason == "the table has only 1 person: all are one class"
    (alone,) = propose_guarantee(1, EACH_ONE, {}, [])
    assert alone.reason == "the table has only 1 record: all are one class"


def test_one_sensitive_column():
    _, model = propose({"disease": ["a", "b", "c", "d"] * 10})
    assert model.model == {"model": "beta-likeness", "beta": 4, "sensitive": "disease"}


@pytest.mark.parametrize(("values", "l"), [(range(200), 3), (["a", "a", "b"] + ["c"] * 3, 3)])
def test_values_too_many_or_too_rare_are_only_to_differ(values, l):  # noqa: E741
    # Of six records, two values need a class of two and three: beta suits them.
    _, model = propose({"income": [str(value) for value in values]})
    if len(set(values)) > 100:
        assert model.model == {"model": "distinct-l-diversity", "l": l, "sensitive": "income"}
    else:
        assert model.model["model"] == "beta-likeness"


def test_independent_sensitive_columns_are_covered_for_who_knows_the_others():
    _, first, second = propose({"a": ["x", "x", "y", "y"] * 20, "b": ["u", "v", "u", "v"] * 20})
    assert "others" not in first.model
    assert "others" not in second.model
    assert "knows the other" in first.reason


def test_dependent_sensitive_columns_are_not():
    _, first, second = propose({"a": ["x", "y"] * 40, "b": ["u", "v"] * 40})
    assert first.model["others"] == second.model["others"] == "unknown"
    assert "unknown" in first.reason


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=60))
def test_every_proposal_is_met_by_the_whole_table(records):
    frame = {name: [str(record[i]) for record in records] for i, name in enumerate("ab")}
    cells = all_cells(frame)
    domains = [
        Domain(name, "categorical", own.values.to_numpy(), "set", distance="equal")
        for name, own in cells.items()
    ]
    codes = np.stack([own.codes for own in cells.values()])
    kinds = {"beta-likeness": BetaLikeness, "distinct-l-diversity": DistinctLDiversity}
    for proposal in propose(frame)[1:]:
        given_ = dict(proposal.model)
        model = kinds[given_.pop("model")](**given_)
        for requirement in require([model], domains, codes):
            whole = np.zeros(len(records), np.int64)
            stats = requirement.statistics(whole, 1, domains, codes)
            assert requirement.bound.holds(stats).all()


def test_models_of_shares_alone_are_never_proposed_without_k_anonymity():
    k, beta = propose({"disease": ["flu", "cold", "gout", "acne"] * 50})
    assert (k.model["model"], beta.model["model"]) == ("k-anonymity", "beta-likeness")
    assert beta.reason.endswith("how many people are in a class it leaves to k-anonymity")
