"""`lk.check`: the dry run as a value."""

from __future__ import annotations

import copy
import pickle

import polars as pl
import pytest

import likeness as lk
from likeness.errors import CannotBeMetError

TABLE = pl.DataFrame(
    {"age": [30, 31, 60, 61, 62, 62], "disease": ["flu", "cold", "flu", "cold", "flu", "<b>"]}
)
COLUMNS = {"age": lk.quasi(), "disease": lk.sensitive()}


def asked(privacy, **more):
    return lk.Policy(columns=COLUMNS, privacy=privacy, **more)


def test_what_can_be_met():
    policy = asked(lk.KAnonymity(2) & lk.BetaLikeness(4))
    found = lk.check(TABLE, policy, seed=1)
    release = lk.anonymize(TABLE, policy, seed=1)
    assert found.feasible
    assert found.problems == ()
    assert found.release.table.equals(release.table)
    assert found.candidates == release.private.candidates
    assert found.form == release.certificate.make_form()
    tried = {one.method.name for one in found.candidates}
    assert tried - {"local-search"} == {method.name for method in found.methods}
    assert (found.records, found.units, found.unique, found.counted) == (6, 6, 4, "records")
    assert found.models == (lk.KAnonymity(2), lk.BetaLikeness(4, sensitive="disease"))
    size, likeness = found.allowed
    assert (size.column, size.holds, size.strongest.values) == (None, True, {"k": 6})
    assert (likeness.column, likeness.holds) == ("disease", True)
    # One of six records may be min(4, ln 6) times as frequent again: 1 in 3 is too much for a class of two.
    assert likeness.smallest_classes["<b>"] == 3
    pairs = found.before_and_after(2)
    assert len(pairs) == 2
    assert all(pair["before"]["disease"] == pair["after"]["disease"] for pair in pairs)


def test_what_cannot_be_met_is_said_and_not_raised():
    policy = asked(lk.KAnonymity(7), method=lk.Mondrian())
    found = lk.check(TABLE, policy)
    with pytest.raises(CannotBeMetError) as refused:
        lk.anonymize(TABLE, policy)
    assert not found.feasible
    assert found.problems == refused.value.problems
    assert found.methods == (lk.Mondrian(),)
    assert (found.candidates, found.before_and_after()) == ((), [])
    assert not found.allowed[0].holds
    assert found.allowed[0].strongest.values == {"k": 6}


def test_what_is_invalid_whatever_the_data_hold_is_raised():
    with pytest.raises(lk.PolicyError, match="'disease'"):
        lk.check(TABLE.drop("disease"), asked(lk.KAnonymity(2)))
    hidden = lk.Policy(columns={"age": lk.drop(), "disease": lk.drop()}, privacy=lk.KAnonymity(2))
    with pytest.raises(lk.PolicyError, match="nothing would be published"):
        lk.check(TABLE, hidden)


def test_it_is_shown_without_any_record():
    good = lk.check(TABLE, asked(lk.KAnonymity(6)), seed=1)
    assert repr(good).startswith(f"Checked: {good.source}, 6 records: can be met\n66.7 % of the records")
    assert "warning: " in repr(good)  # everybody in one class
    assert "6 records: cannot be met" in repr(lk.check(TABLE, asked(lk.KAnonymity(7))))
    html = lk.check(TABLE, asked(lk.BetaLikeness(4)))._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>'" not in html


@pytest.mark.parametrize("how", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])
def test_what_was_found_can_be_shown_of_a_copy(how):
    """Its release leaves the original behind, which bounds and methods are read from."""
    found = lk.check(TABLE, asked(lk.KAnonymity(2)), seed=1)
    again = how(found)
    assert str(again) == str(found)
    assert again._repr_html_() == found._repr_html_()
