"""`likeness.apply`: new records in the regions of an earlier release."""

from __future__ import annotations

from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likeness as lk

COLUMNS = {"age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive()}
ROWS = st.lists(
    st.tuples(st.integers(20, 60), st.sampled_from("fm"), st.sampled_from("abc")), min_size=6, max_size=30
)


def table(rows):
    return pl.DataFrame(rows, schema=["age", "sex", "disease"], orient="row")


@settings(deadline=None, max_examples=25)
@given(ROWS, ROWS, st.integers(2, 3), st.integers(1, 2))
def test_every_class_holds_and_shows_a_region_of_the_earlier_release(before, after, k, diversity):
    policy = lk.Policy(
        columns=COLUMNS,
        privacy=[lk.KAnonymity(k), lk.DistinctLDiversity(diversity)],
        withhold={"at_most": 0.9},
        effort="quick",
    )
    try:
        earlier = lk.anonymize(table(before), policy, seed=1)
        later = lk.apply(earlier, table(after), seed=2)
    except lk.CannotBeMetError:
        return
    classes = defaultdict(list)
    for age, sex, disease in later.table.iter_rows():
        classes[age, sex].append(disease)
    assert set(classes) <= set(earlier.table.select("age", "sex").iter_rows())
    assert all(len(own) >= k and len(set(own)) >= diversity for own in classes.values())
    counts = later.counts
    assert counts["published"] + sum(counts["withheld"].values()) == counts["input"] == len(after)
    assert not Counter(later.table["disease"]) - Counter(row[2] for row in after)


FIRST = pl.DataFrame({"age": [30, 39, 60, 69], "disease": ["flu", "cold", "flu", "cold"]})
MORE = pl.DataFrame({"age": [33, 34, 61, 62, 99], "disease": ["flu", "cold", "flu", "cold", "flu"]})
POLICY = lk.Policy(columns={"age": lk.quasi(), "disease": lk.sensitive()}, privacy=lk.KAnonymity(2))


def test_who_does_not_fit_is_named_and_it_opens_as_it_was_made(tmp_path):
    from likeness.applying import withheld_rows

    folder = lk.anonymize(FIRST, POLICY, seed=7).write(tmp_path / "out")
    later = lk.apply(folder, MORE, at_most=0.2, seed=1)
    assert withheld_rows(later) == {
        "no region of the earlier release that this table can show covers their value of 'age'": [4]
    }
    assert "beside-an-earlier-release" in {found.code for found in later.warnings}
    opened = lk.open_release(later.write(tmp_path / "next"), MORE)
    assert opened.loss() == later.loss()
    assert opened.counts == later.counts
    assert lk.verify(tmp_path / "next", MORE).status == "proven"


def test_too_many_who_do_not_fit_are_refused():
    with pytest.raises(
        lk.CannotBeMetError,
        match="no region of the earlier release that this table can show covers their value of 'age'",
    ):
        lk.apply(lk.anonymize(FIRST, POLICY, seed=7), MORE)


def test_other_columns_are_refused():
    with pytest.raises(lk.InvalidError, match="age"):
        lk.apply(lk.anonymize(FIRST, POLICY, seed=7), MORE.rename({"age": "years"}))


def test_who_is_too_many_of_a_value_is_left_out_not_the_class():
    privacy = lk.AlphaKAnonymity(0.5, 2)
    policy = lk.Policy(columns={"age": lk.quasi(), "disease": lk.sensitive()}, privacy=privacy)
    first = pl.DataFrame({"age": [30, 39, 70, 79], "disease": list("xyxy")})
    more = pl.DataFrame({"age": [30, 31, 32, 33, 34, 70, 75], "disease": list("xxyyyxy")})
    later = lk.apply(lk.anonymize(first, policy, seed=1), more, at_most=0.2, seed=1)
    assert (later.counts["published"], sum(later.counts["withheld"].values())) == (6, 1)


def test_what_does_not_fit_into_earlier_regions_is_not_blamed_on_a_method():
    earlier = lk.anonymize(FIRST, POLICY, seed=7)
    with pytest.raises(lk.CannotBeMetError) as told:
        lk.apply(earlier, MORE.with_columns(age=pl.col("age") + 500))
    said = str(told.value)
    assert "too few of these records lie in regions of the earlier release" in said
    assert "--at-most" in said
    assert "leave method" not in said


def test_what_is_no_release_or_other_columns_or_another_form_is_refused_in_one_line():
    earlier = lk.anonymize(FIRST, POLICY, seed=7)
    with pytest.raises(lk.InvalidError, match="apply needs a release or its folder; got int"):
        lk.apply(5, MORE)
    with pytest.raises(lk.PolicyError, match="this policy asks for microaggregated"):
        lk.apply(earlier, MORE, policy=POLICY.replace(form={"name": "microaggregated"}))
    without = lk.Policy(columns={"disease": lk.sensitive(), "*": lk.drop()}, privacy=lk.DistinctLDiversity(2))
    nothing = lk.anonymize(FIRST, without, seed=1)
    with pytest.raises(
        lk.PolicyError, match="regions are of no columns, and the quasi-identifiers are others"
    ):
        lk.apply(nothing, MORE, policy=POLICY)
