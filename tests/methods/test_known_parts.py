"""Records that no class can hold because of what is known of them are withheld, not the whole table."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.test_solve import data_of, solved

import likeness as lk
from likeness.apart import hopeless_records, surplus_of_known
from likeness.errors import CannotBeMetError
from likeness.models.requirements import require

TABLE = {"age": list(range(9)), "s": list("aaaabbbbc"), "s2": list("xyxyxyxyx")}
DIVERSE = lk.DistinctLDiversity(2, sensitive="s2")


def mask(data, model):
    (requirement,) = require([model], data.sensitive, data.sensitive_codes)
    return hopeless_records(requirement, data)


def test_only_the_rare_known_value_is_withheld():
    data = data_of(TABLE)
    assert mask(data, DIVERSE).tolist() == [False] * 8 + [True]
    found = solved(data, DIVERSE, Fraction(1, 9))
    assert found.plan.classes.tolist()[8] == -1
    assert found.plan.withheld == 1
    (reason,) = found.plan.withheld_because
    assert reason == "records that share what is known of them ('s') do not hold distinct-l-diversity on 's2'"
    assert found.plan.reason_of.tolist() == [-1] * 8 + [0]


def test_more_than_the_policy_allows_is_still_refused():
    with pytest.raises(CannotBeMetError, match="share 's'"):
        solved(data_of(TABLE), DIVERSE, Fraction(1, 10))


def test_without_known_columns_nothing_is_hopeless():
    data = data_of(TABLE)
    assert not mask(data, lk.DistinctLDiversity(2, sensitive="s2", others="unknown")).any()
    assert not mask(data, lk.KAnonymity(100)).any()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=12))
def test_a_record_is_hopeless_when_its_known_part_of_the_table_fails(rows):
    data = data_of({"age": list(range(len(rows))), "s": [a for a, _ in rows], "s2": [b for _, b in rows]})
    expected = [len({b for other, b in rows if other == a}) < 2 for a, _ in rows]
    assert mask(data, DIVERSE).tolist() == expected


def test_withholding_can_make_others_hopeless():
    # Without the a's, y is too rare among the published for what the b's would show of it.
    data = data_of({"age": list(range(8)), "s": list("aabbbbbb"), "s2": list("yyxxxxxy")})
    model = lk.BetaLikeness(1, sensitive="s2")
    assert mask(data, model).tolist() == [True, True] + [False] * 6
    found = solved(data, model, Fraction(1, 2))
    assert np.flatnonzero(found.plan.classes < 0).tolist() == [0, 1]


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=2, max_size=9),
    st.sampled_from(["1/2", "1", "2"]),
)
def test_of_those_who_share_what_is_known_the_fewest_leave(rows, beta):
    data = data_of({"age": list(range(len(rows))), "s": [a for a, _ in rows], "s2": [b for _, b in rows]})
    (requirement,) = require(
        [lk.BetaLikeness(beta, sensitive="s2", reference="original")],
        data.sensitive,
        data.sensitive_codes,
        data.sensitive_codes,
    )
    out = surplus_of_known(requirement, data)
    left = data.take(np.flatnonzero(out == 0))
    assert not left.size or not hopeless_records(requirement, left).any()
    for known in "ab":
        own = [i for i, (a, _) in enumerate(rows) if a == known]
        fewest = next(
            number
            for number in range(len(own) + 1)
            for gone in combinations(own, number)
            if not hopeless_records(
                requirement, data.take(np.array([i for i in own if i not in gone], np.int64))
            ).any()
        )
        assert int(out[own].sum()) == fewest


def test_as_few_leave_as_must_and_all_who_share_it_where_less_is_lost_so():
    rows = {"age": list(range(16)), "s": list("a" * 4 + "b" * 12), "s2": list("yyyx" + "xxxxx" * 2 + "yy")}
    model = lk.BetaLikeness(1, sensitive="s2", reference="original")
    for at_most in (Fraction(1, 4), Fraction(3, 16)):
        some = solved(data_of(rows), model, at_most).plan
        assert some.withheld == 2
        assert set(np.flatnonzero(some.classes < 0).tolist()) < {0, 1, 2, 3}


def test_all_who_share_it_leave_where_less_is_lost_so():
    """Without one of its three, x and y of v would have to share a class, as far apart as the table is wide."""
    rows = {
        "age": [0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1000],
        "s": list("u" * 8 + "v" * 3),
        "s2": list("xyxyxyxyxxy"),
    }
    model = lk.AlphaKAnonymity("1/2", 1, sensitive="s2")
    asked = lk.Policy(
        columns={"age": lk.quasi(), "s": lk.sensitive(), "s2": lk.sensitive()},
        privacy=model,
        withhold={"at_most": 0.3},
    )
    release = lk.anonymize(pl.DataFrame(rows), asked.replace(method="mondrian"), seed=1)
    assert release.counts["withheld"] == {
        "records that share what is known of them ('s') do not hold alpha-k-anonymity on 's2'": 3
    }
    near = rows | {"age": [0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1]}
    release = lk.anonymize(pl.DataFrame(near), asked.replace(method="mondrian"), seed=1)
    assert sum(release.counts["withheld"].values()) == 1
