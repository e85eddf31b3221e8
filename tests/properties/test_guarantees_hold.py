"""Every release holds its guarantee by an independent check and loses nobody, or the run says why it cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from tests.properties.brute_force import violations
from tests.properties.cases import Case, cases
from tests.properties.people import says_nothing
from tests.properties.plain_regions import NUMBERS, place, read

import likeness as lk

MANY = settings(
    deadline=None, max_examples=250, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def whole_table_holds(case: Case) -> bool:
    """Whether all records, as one class, would do."""
    rows = [case.truth(i) for i in case.kept]
    least = case.method.get("min_size", 1)
    models = [*case.models, {"model": "k-anonymity", "k": least}]
    return not violations(models, case.sensitive, rows, [0] * len(rows), rows)


def check_places(case: Case, published: list[dict[str, Any]]) -> list[Any]:
    """Check that every row is a generalization of the original it came from; the class of each row."""
    classes = []
    shown = {
        name: {own.text(own.cells[row["row"]]) for row in published if own.cells[row["row"]] is not None}
        for name, own in case.quasi.items()
    }
    for row in published:
        regions = []
        for name, own in case.quasi.items():
            region = read(row[name], own, case.recoding)
            cell = own.cells[row["row"]]
            assert region.holds(cell), f"{name}: {row[name]!r} does not hold {cell!r}"
            check_level(case, name, region, shown[name])
            regions.append(region)
        classes.append(tuple(regions))
        for name, own in case.sensitive.items():
            assert plain_sensitive(row[name], own) == case.truth(row["row"])[name]
    return classes


def plain_sensitive(text: Any, own: Any) -> str | None:
    """Text of a published sensitive value."""
    if own.kind in NUMBERS or text is None or text == "":
        return None if text is None or text == "" else own.text(text)
    (only,) = read(text, type(own)("", "categorical", [], {}), "set").members
    return only


def check_level(case: Case, name: str, region: Any, shown: set[str]) -> None:
    """Check that no region is more general than its column allows; ``shown`` are the texts of the values that are published."""
    own = case.quasi[name]
    level = own.column.get("max_level")
    if level is None:
        return
    leaves = {own.text(cell) for cell in own.cells if cell is not None and region.holds(cell)}
    if region.everything and own.shape(case.recoding) == "set" and isinstance(own.column["hierarchy"], dict):
        # Of values that are not declared, everything is what is published.
        leaves &= shown
    above = {own.paths[leaf][level] for leaf in leaves}
    root = {path[-1] for path in own.paths.values()}
    assert len(above) <= 1, f"{name}: {region} spans {above}"
    # Everything is the root, unless one node below it has all there is.
    assert not (region.everything and leaves and above != root and None in own.cells)


def check_pairs(case: Case, published: list[dict[str, Any]]) -> None:
    """Check that pairs of numbers say what the text says."""
    for name, own in case.quasi.items():
        asked = case.pairs and own.kind in NUMBERS and own.shape(case.recoding) == "interval"
        assert (f"{name}_low" in published[0]) == asked
        if not asked:
            continue
        for row in published:
            ends = read(row[name], own, case.recoding).ends or (None, None)
            found = [row[f"{name}_{end}"] for end in ("low", "high")]
            assert tuple(None if x is None else place(own, own.text(x)) for x in found) == ends


@given(case=cases(of_some=True))
@MANY
def test_every_release_holds_its_guarantee_and_loses_nobody(case):
    refusals = case.refusals
    try:
        release = lk.anonymize(case.frame, case.policy(), seed=3)
    except lk.InvalidError as error:
        event("refused")
        assert refusals, error
        assert any(words in str(error) for words in refusals), error
        assert all("\n" not in line for line in error.problems)
        return
    except lk.CannotBeMetError as error:
        event("cannot be met")
        assert not refusals
        if "the release would tell that there was somebody" in str(error):
            assert case.categorized or case.of_some
            return
        if "says nothing about these records" in str(error):
            records = [(i, case.truth(i)) for i in case.kept]
            # Of all, or of those that are left once some are withheld.
            assert says_nothing(case.models, case.sensitive, records) or not whole_table_holds(case), error
            return
        assert error.problems[0].startswith("cannot be met: ")
        limited = any("max_level" in own.column for own in case.quasi.values())
        assert limited or not whole_table_holds(case), error
        return
    event("released, some values alone protected" if case.of_some else "released")
    assert not refusals
    published = release.table.rows(named=True)
    classes = check_places(case, published)
    assert len({row["row"] for row in published}) == len(published)
    encoded, plan = release.private.encoded, release.private.solution.plan
    assert sum(encoded.dropped.values()) == case.frame.height - len(case.kept)
    assert plan.withheld == len(case.kept) - len(published) == sum(plan.withheld_because.values())
    assert plan.withheld <= case.at_most * len(case.kept)
    assert {row["row"] for row in published} <= set(case.kept)
    rows = [case.truth(row["row"]) for row in published]
    original = [case.truth(i) for i in case.kept]
    assert violations(case.models, case.sensitive, rows, classes, original) == []
    assert release.certificate.classes == len(set(classes))
    assert release.certificate.records == len(published)
    assert release.verify().ok
    check_pairs(case, published)


@given(case=cases(most=25, of_some=True))
@settings(MANY, max_examples=60)
def test_the_same_seed_gives_the_same_table_and_shuffles_by_it(case):
    try:
        release = lk.anonymize(case.frame, case.policy(), seed=1)
    except lk.LikenessError as error:
        with pytest.raises(type(error)) as again:
            lk.anonymize(case.frame, case.policy(), seed=1)
        assert again.value.problems == error.problems
        return
    same = lk.anonymize(case.frame, case.policy(seed=1))
    assert same.table.equals(release.table)
    assert same.certificate.to_json() == release.certificate.to_json()


@given(case=cases(most=25, of_some=True), order=st.randoms(use_true_random=False))
@settings(MANY, max_examples=60)
def test_the_order_of_the_rows_does_not_matter_to_strict_mondrian(case, order):
    if case.method["name"] != "mondrian" or not case.method["strict"]:
        return
    rows = list(range(case.frame.height))
    order.shuffle(rows)
    try:
        release = lk.anonymize(case.frame, case.policy(), seed=1)
    except lk.LikenessError as error:
        with pytest.raises(type(error)):
            lk.anonymize(case.frame[rows], case.policy(), seed=1)
        return
    shuffled = lk.anonymize(case.frame[rows], case.policy(), seed=2)
    assert shuffled.table.sort("row").equals(release.table.sort("row"))
