"""Downcoding equals writing down every table that would have been published as it was."""

from __future__ import annotations

import re
from dataclasses import replace
from math import exp, log

import numpy as np
import polars as pl
import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.forms.publications import integers, publish, table, words
from tests.oracles.attacks_downcoding import Consistent

import likeness as lk
from likeness.attacks.base import Making
from likeness.attacks.downcoding import DowncodingAttack
from likeness.attacks.downcoding.counting import MOST_VALUES, Hidden
from likeness.encode.column import EncodedAttribute
from likeness.encode.lattice import on_lattice, that_grows
from likeness.forms.generalized import GeneralizedForm
from likeness.hierarchies import from_rows
from likeness.methods.mondrian import Mondrian
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import recode

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


def check_counts(publication, data, making, most=4):
    """The attack finds what writing down every table finds."""
    sizes = np.bincount(publication.identities)
    every = []
    for identity in range(sizes.size):
        wide = [own.regions[int(own.of[identity])] for own in publication.cells]
        assume(all(len(region.values) < 8 for region in wide))
        assume(all(region.what != "interval" or region.high - region.low < 20 for region in wide))
        assume(int(sizes[identity]) <= most)
        every.append(Consistent(publication, data, identity))
        assume(every[-1].work <= 3000 and sum(len(own) for own in every[-1].columns) < 3000)
    result = DowncodingAttack().run(publication, data, making)
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
    assert result.details["right_in_class"] == result.details["recovered"]
    assert result.success == recovered / max(1, generalized)
    assert result.baseline == 0


@settings(deadline=None, max_examples=200)
@given(found=st.sampled_from(["generalized", "angelized"]).flatmap(lambda form: attacked(form, rows=7)))
def test_every_table_is_counted(found):
    check_counts(found.publication, found.data, found.making)


ORDER = Domain("order", "ordered", np.array(list("abcdef"), object), "interval", high=5.0, declared=True)
DAYS = Domain(
    "day", "date", np.datetime64("2024-01-01") + np.array([0, 1, 4, 5]), "interval", low=19723.0, high=19728.0
)
REAL = Domain("weight", "real", np.array([0.1, 0.25, 0.3, 0.7]), "interval", low=0.1, high=0.7)
STEPS = [
    (AGE, 2), (AGE, 3), (AGE, 5), (ORDER, 2), (ORDER, 3), (DAYS, 2), (PLACE, 1),
    (CITY, [["p", "q"], ["r", "s"]]), (CITY, [["p", "r", "s"], ["q", "t"]]),
]  # fmt: skip


def on_grid(columns, classes):
    """A release on a lattice of columns with their steps and codes."""
    laid = [
        on_lattice(EncodedAttribute(domain, np.array(codes, np.int32), 0, "category"), step)
        for domain, step, codes in columns
    ]
    # A missing value is no code of its own before it is laid out with the others.
    of = [np.where(own.codes < 0, own.domain.missing_code, own.codes).tolist() for own in laid]
    form = GeneralizedForm(recoding="grid", steps={domain.name: step for domain, step, _ in columns})
    n = len(classes)
    data = table(
        [(own.domain, codes) for own, codes in zip(laid, of, strict=True)],
        [(DISEASE, [i % 2 for i in range(n)])],
    )
    publication, _, plan = publish(form, data, Plan(renumber(np.array(classes, np.int64))))
    return publication, data, Making(Mondrian(), (), plan)


@settings(deadline=None, max_examples=150)
@given(draw=st.data())
def test_every_table_on_a_lattice_is_counted(draw):
    chosen = draw.draw(
        st.lists(st.sampled_from(STEPS), min_size=1, max_size=2, unique_by=lambda own: own[0].name)
    )
    n = draw.draw(st.integers(1, 8))
    classes = draw.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    columns = []
    for domain, step in chosen:
        own = replace(domain, missing=draw.draw(st.booleans()))
        codes = draw.draw(st.lists(st.integers(-int(own.missing), own.size - 1), min_size=n, max_size=n))
        columns.append((own, step, codes))
    publication, data, making = on_grid(columns, classes)
    # Every region is made of whole cells: reading it back has checked that. Nobody is recovered but the missing.
    check_counts(publication, data, making)
    if not any(own.missing for own, _, _ in columns):
        assert DowncodingAttack().run(publication, data, making).details["recovered"] == 0


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_what_only_withheld_people_have_is_not_told(draw):
    domain, step = draw.draw(st.sampled_from(STEPS))
    domain = replace(domain, missing=True)
    codes = draw.draw(st.lists(st.integers(-1, domain.size - 1), min_size=2, max_size=7))
    classes = [-1, *draw.draw(st.lists(st.integers(0, 2), min_size=len(codes) - 1, max_size=len(codes) - 1))]
    (found, _, _), (other, _, _) = (
        on_grid([(domain, step, [own, *codes[1:]])], classes)
        for own in (codes[0], draw.draw(st.integers(-1, domain.size - 1)))
    )
    assert [region.text for region in found.regions[0]] == [region.text for region in other.regions[0]]
    assert found.cells[0].note == other.cells[0].note


def test_real_numbers_on_a_lattice():
    publication, data, making = on_grid([(REAL, 0.1, [0, 1, 2, 3])], [0, 0, 1, 1])
    assert [region.text for region in publication.regions[0]] == ["[0.1, 0.3]", "[0.3, 0.8]"]
    assert DowncodingAttack().run(publication, data, making).success == 0


def test_regions_on_a_lattice_are_rounded_outward():
    publication, _, _ = on_grid(
        [(AGE, 5, [2, 3, 6, 10]), (CITY, [["p", "q"], ["r", "s"]], [0, 0, 0, 3]), (PLACE, 1, [0, 0, 0, 4])],
        [0, 0, 1, 1],
    )
    assert [[region.text for region in own] for own in publication.regions] == [
        ["[20, 24]", "[25, 34]"],
        ["{p|q}", "*"],
        ["left", "*"],
    ]


def test_two_members_of_an_interval_have_one_end_each():
    result = DowncodingAttack().run(*told([(AGE, [0, 4, 2, 2, 6, 8, 10])], [0, 0, 1, 1, 2, 2, 2]))
    assert result.details["generalized"] == 5 / 7
    assert result.success == 2 / 5
    # Of the three, the third may have any of five ages: 5**3 - 2 * 4**3 + 3**3 ways.
    ways = 5**3 - 2 * 4**3 + 3**3
    assert result.details["candidates"] == pytest.approx((2 * ways) ** (1 / 5))
    assert result.details["candidates_before"] == pytest.approx(5)
    assert result.details["singled_in_class"] == 1
    assert result.details["coin_in_class"] == pytest.approx((1 / 2 + (2 / 3) ** 2) / 2)


def test_sets_and_nodes_tell_as_much_as_intervals():
    sets = DowncodingAttack().run(*told([(CITY, [0, 1, 2, 0, 0, 1])], [0, 0, 0, 1, 1, 1]))
    assert (sets.success, sets.details["singled_in_class"]) == (1 / 2, (1 + 1 / 2) / 2)
    nodes = DowncodingAttack().run(*told([(PLACE, [0, 1, 2, 3])], [0, 0, 1, 1]))
    # Who is left of two leaves is known; of three leaves two of three may be there.
    assert (nodes.success, nodes.details["singled_in_class"]) == (1 / 2, 1)


GROWING = [AGE, replace(AGE, declared=True), ORDER, DAYS, PLACE, CITY, words("town", list("pqrstuv"))]


def grows(columns, classes, least):
    """A release whose regions grow, of columns with their codes; None where it would tell what may not be told."""
    laid = [
        that_grows(EncodedAttribute(domain, np.array(codes, np.int32), 0, "category"), least, lk.quasi())
        for domain, codes in columns
    ]
    of = [np.where(own.codes < 0, own.domain.missing_code, own.codes).tolist() for own in laid]
    data = table(
        [(own.domain, codes) for own, codes in zip(laid, of, strict=True)],
        [(DISEASE, [i % 2 for i in range(len(classes))])],
    )
    plan, recoding = recode(data, Plan(renumber(np.array(classes, np.int64))))
    if recoding.tells.any():
        return None
    publication, _, plan = publish(GeneralizedForm(attained=least), data, plan)
    return publication, data, Making(Mondrian(), (), plan)


@pytest.mark.slow
@settings(deadline=None, max_examples=250)
@given(draw=st.data())
def test_every_table_that_grows_is_counted(draw):
    chosen = draw.draw(
        st.lists(st.sampled_from(GROWING), min_size=1, max_size=2, unique_by=lambda own: own.name)
    )
    least = draw.draw(st.sampled_from([2, 2, 2, 3]))
    sizes = draw.draw(st.lists(st.integers(least, 5), min_size=1, max_size=3))
    classes = np.repeat(np.arange(len(sizes)), sizes).tolist()
    columns = []
    for domain in chosen:
        own = replace(domain, missing=draw.draw(st.sampled_from([False, False, True])))
        near = draw.draw(st.integers(1, own.size - 1))
        codes = st.integers(-int(own.missing), near)
        columns.append((own, draw.draw(st.lists(codes, min_size=len(classes), max_size=len(classes)))))
    found = grows(columns, classes, least)
    assume(found is not None)
    publication, data, making = found
    result = DowncodingAttack().run(publication, data, making)
    # Nobody is recovered, and no class's values all follow.
    assert (result.success, result.details["values_known"]) == (0, 0)
    check_counts(publication, data, making, most=5)


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
    assert "right_in_class" not in without.details


def test_large_sets_are_counted_without_the_rule():
    large = MOST_VALUES + 1
    assert Hidden("all", large, (1,) * large).assignments(large + 1) == large ** (large + 1)
    assert Hidden("all", large, (1,) * large).assignments(large - 1) == 0
    assert Hidden("all", 4, (1,) * 4).assignments(6) == sum(
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
    assert 0 < found.success == pytest.approx(found.details["right_in_class"] / found.details["generalized"])
    assert found.details["candidates"] < found.details["candidates_before"]


FORM = {"name": "generalized", "recoding": "grid", "steps": {"age": 5, "city": [["p", "q"], ["r", "s", "t"]]}}


def small_classes(form=None, k=2):
    rng = np.random.default_rng(3)
    rows = {"age": rng.integers(20, 70, 300).tolist(), "city": rng.choice(list("pqrst"), 300).tolist()}
    columns = {"age": lk.quasi(domain=[0, 68] if form else None), "city": lk.quasi()}
    rows["age"] = [min(age, 68) for age in rows["age"]]
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(k), form=form)
    return pl.DataFrame(rows), lk.anonymize(pl.DataFrame(rows), policy, seed=1)


def test_a_lattice_is_verified_from_public_bytes_and_opened_again(tmp_path):
    frame, release = small_classes(FORM)
    assert release.attack("downcoding").success == 0
    found = release.attack("downcoding").details
    assert found["singled_in_class"] < found["coin_in_class"]
    release.write(tmp_path / "out")
    verdict = lk.verify(tmp_path / "out" / "public")
    assert verdict.ok
    assert any("regions of 'age', 'city' are made of whole steps" in str(line) for line in verdict.statements)
    assert any("rounded outward to steps that were declared" in line for line in release.certificate.remarks)
    again = lk.open_release(tmp_path / "out", frame)
    assert again.attack("downcoding") == release.attack("downcoding")
    path = tmp_path / "out" / "public" / "release.csv"
    text = path.read_text()
    assert "[65, 69]" in text
    path.write_text(text.replace("[65, 69]", "[65, 68]", 1))
    wrong = lk.verify(tmp_path / "out" / "public")
    assert any("'[65, 68]' is not made of whole steps of 5" in str(line) for line in wrong.problems)


def test_small_classes_are_warned_of_where_regions_are_the_narrowest():
    codes = [finding.code for finding in small_classes()[1].warnings]
    assert "regions-can-be-undone" in codes
    for form, k in ((FORM, 2), (None, 5)):
        assert "regions-can-be-undone" not in [one.code for one in small_classes(form, k)[1].warnings]
    _, release = small_classes()
    (told_,) = [one for one in release.warnings if one.code == "regions-can-be-undone"]
    assert "the smallest class has 2 records" in str(told_)
    assert "of 'age' and 'city'" in str(told_)
    # What it says can be taken as it stands.
    assert "(form: {name: generalized, recoding: grid, steps: {…}})" in str(told_)
    assert "(form: {name: generalized, attained: 2})" in str(told_)


@pytest.mark.parametrize("name", ["angelized", "generalized", "microaggregated"])
def test_no_form_is_told_to_do_what_only_others_can(name):
    rng = np.random.default_rng(1)
    ages, zips, diseases = rng.integers(20, 80, 60), rng.integers(0, 50, 60), rng.choice([*"abcdefgh"], 60)
    frame = pl.DataFrame({"age": ages, "zip": zips, "disease": diseases})
    columns = {"age": lk.quasi(kind="integer"), "zip": lk.quasi(kind="integer"), "disease": lk.sensitive()}
    policy = lk.Policy(
        columns=columns,
        privacy=[lk.KAnonymity(2), *([lk.DistinctLDiversity(3)] if name == "angelized" else [])],
        form=name,
        method="angel" if name == "angelized" else None,
    )
    found = [
        one for one in lk.anonymize(frame, policy, seed=1).warnings if one.code == "regions-can-be-undone"
    ]
    for told_ in found:
        assert "ask for k of at least 5" in str(told_)
        for asked in re.findall(r"\(form: (\{.*?\})\)", str(told_)):
            policy.replace(form=yaml.safe_load(asked.replace("{…}", "{age: 5}")))
        assert ("form:" in str(told_)) == (name == "generalized")
    assert found or name == "microaggregated"


@pytest.mark.parametrize("more", [{"kind": "real"}, {"round": 2}])
def test_nobody_is_told_to_let_grow_what_cannot(more):
    frame = pl.DataFrame({"age": [30, 34, 41, 45, 60, 66, 70, 78]})
    policy = lk.Policy(columns={"age": lk.quasi(**more)}, privacy=lk.KAnonymity(2), method=lk.Mondrian())
    (told_,) = [
        one for one in lk.anonymize(frame, policy, seed=1).warnings if one.code == "regions-can-be-undone"
    ]
    assert "attained" not in str(told_)
    with pytest.raises(lk.PolicyError, match="attained"):
        lk.anonymize(frame, policy.replace(form={"name": "generalized", "attained": 2}), seed=1)


GROWS = {"name": "generalized", "attained": 2}


@pytest.mark.slow
def test_regions_that_grow_are_verified_from_public_bytes_and_opened_again(tmp_path):
    frame, release = small_classes(GROWS)
    found = release.attack("downcoding")
    assert (found.success, found.details["values_known"]) == (0, 0)
    assert found.details["candidates"] > 2
    codes = [finding.code for finding in release.warnings]
    assert "regions-can-be-undone" not in codes
    release.write(tmp_path / "out")
    verdict = lk.verify(tmp_path / "out" / "public")
    assert verdict.ok
    told_ = "regions of 'age', 'city' are such that no end, listed value or child is certainly that of at least one"
    assert any(told_ in str(line) for line in verdict.statements)
    assert any("regions grow where it would follow" in line for line in release.certificate.remarks)
    again = lk.open_release(tmp_path / "out", frame)
    assert again.attack("downcoding") == found
    assert again.loss("glm") == release.loss("glm")
    path = tmp_path / "out" / "public" / "release.csv"
    text = path.read_text()
    sizes = pl.read_csv(path).group_by("age", "city").len()
    pair = sizes.filter((pl.col("len") == 2) & pl.col("age").str.starts_with("["))["age"][0]
    low, high = (int(end) for end in pair.strip("[]").split(", "))
    path.write_text(text.replace(pair, f"[{low}, {high + 1}]"))
    wrong = lk.verify(tmp_path / "out" / "public")
    assert any(
        f"attained: 2 publishes no '[{low}, {high + 1}]' of a class of" in str(line)
        for line in wrong.problems
    )


@pytest.mark.parametrize("method", [{"name": "mondrian", "cut": "utd"}])
def test_regions_wider_than_classes_cannot_grow(method):
    rows = pl.DataFrame({"age": list(range(20, 40))})
    policy = lk.Policy(columns={"age": lk.quasi()}, privacy=lk.KAnonymity(2), form=GROWS, method=method)
    with pytest.raises(lk.PolicyError, match="mondrian: does not take attained, because regions are wider"):
        lk.anonymize(rows, policy)


def test_records_of_one_person_cannot_grow():
    rows = pl.DataFrame({"who": [1, 1, 2, 2, 3, 3], "age": [20, 20, 30, 30, 40, 40]})
    policy = lk.Policy(
        columns={"who": lk.identifier(), "age": lk.quasi()},
        privacy=lk.KAnonymity(2),
        form=GROWS,
        individual="who",
    )
    with pytest.raises(
        lk.PolicyError, match="attained counts records, and individual: says that people have"
    ):
        lk.anonymize(rows, policy)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["mondrian", "k-member", "mdav", "sbca", "local-search", "incognito", "hilbert-index"]
)
def test_every_method_publishes_regions_that_grow(method):
    rng = np.random.default_rng(5)
    rows = pl.DataFrame(
        {
            "age": rng.integers(20, 50, 120).tolist(),
            "city": rng.choice(list("pqrst"), 120).tolist(),
            "sex": rng.choice(["f", "m"], 120).tolist(),
        }
    )
    hierarchy = {"intervals": [20, 30, 40, 50]}
    columns = {
        "age": lk.quasi(hierarchy=hierarchy) if method == "incognito" else lk.quasi(domain=[20, 49]),
        "city": lk.quasi() if method != "incognito" else {"role": "drop"},
        "sex": lk.quasi() if method != "incognito" else {"role": "drop"},
    }
    form = GROWS | ({"recoding": "hierarchy"} if method == "incognito" else {})
    policy = lk.Policy(
        columns=columns,
        privacy=lk.KAnonymity(2),
        form=form,
        method={"name": method},
        withhold={"at_most": 0.1},
    )
    release = lk.anonymize(rows, policy, seed=1)
    found = release.attack("downcoding")
    assert (found.success, found.details["values_known"]) == (0, 0)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ({"aeg": 5}, "form: steps: 'aeg' is no quasi-identifier of the policy"),
        ({"age": 0}, "steps: age must be a number above 0; got 0"),
        ({"age": 2.5}, "column 'age': its step must be a whole number of at least 2; got 2.5"),
        ({"age": 1}, "column 'age': its step must be a whole number of at least 2; got 1"),
        (
            {"city": 2},
            "column 'city': plain categories have no order, so that a step of 2 says nothing of them",
        ),
        ({"city": [["p", "q"]]}, "column 'city': 'r' is in none of its groups; add it to one"),
        ({"city": [["p"]]}, "steps: city: groups are lists of at least two texts"),
        ({"city": [["p", "q"], ["p", "r"]]}, "steps: city: a value stands there twice"),
        ({"age": [["p", "q"]]}, "column 'age': groups of values are for plain categories"),
        ({}, "recoding: grid needs steps, such as {age: 5}"),
        ({"age": True}, "steps: age: must be a number above 0 or groups of values; got True"),
        (5, "steps must be columns with their steps, such as {age: 5}; got 5"),
    ],
)
def test_steps_that_are_none_are_refused_in_one_line(steps, message):
    with pytest.raises(lk.PolicyError) as refused:
        small_classes({"name": "generalized", "recoding": "grid", "steps": steps})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_steps_need_the_recoding():
    with pytest.raises(lk.PolicyError, match="steps need recoding: grid"):
        GeneralizedForm(recoding="hierarchy", steps={"age": 5})


def test_people_with_several_records_are_refused():
    publication, data, _ = told([(AGE, [0, 4])], [0, 0])
    with pytest.raises(lk.PolicyError, match="downcoding: takes every record for another person's"):
        DowncodingAttack().run(publication, replace(data, individuals=np.array([0, 0])))
