"""Records that no class can hold because of what is known of them are withheld, not the whole table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.test_solve import data_of, solved

import likeness as lk
from likeness.errors import CannotBeMetError
from likeness.models.requirements import require
from likeness.solve import hopeless_records

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
