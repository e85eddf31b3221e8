"""Regions that grow by what few members have tell nothing certain to who knows the rule: every small class is written down."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import polars as pl
import pytest
from tests.forms.publications import integers, notes_on, publish, table, words

import likeness as lk
from likeness.encode.column import EncodedAttribute
from likeness.encode.lattice import that_grows
from likeness.errors import TableError
from likeness.forms.base import as_labelled
from likeness.forms.generalized import GeneralizedForm
from likeness.hierarchies import from_rows
from likeness.microdata.attained import Attained, grown_intervals, may_be_interval, may_be_set, quadruples
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode

SICK = words("sick", ["no", "yes"])


def ordered(values):
    labels = np.array([chr(97 + i) for i in range(values)], object)
    return Domain("rank", "ordered", labels, "interval", high=values - 1.0, declared=True)


def tree(paths):
    found = from_rows([(leaf, *above, "*") for leaf, *above in map(str.split, paths)], "place", where=str)
    return Domain("place", "hierarchical", np.array(found.leaves, object), "tree", found)


BINARY = tree(["a left", "b left", "c right", "d right"])
UP = ["a left up", "b left up", "c right up", "d right up", "e right up"]
MIXED = tree([*UP, "f more down", "g most down", "h most down", "i only far"])


def every_class(domain, least, members):
    """Every multiset of values that a class may have, as code lists, and what it shows; None where it must not be shown."""
    laid = that_grows(
        EncodedAttribute(domain, np.arange(domain.size, dtype=np.int32), 0, "c"), least, lk.quasi()
    )
    own = [list(codes) for codes in combinations_with_replacement(laid.codes.tolist(), members)]
    # Another column keeps classes apart that show the same.
    apart = integers("number", range(len(own)))
    codes = [code for codes in own for code in codes]
    of = np.repeat(np.arange(len(own)), members)
    data = table([(laid.domain, codes), (apart, of.tolist())], [(SICK, [0] * len(codes))])
    plan, recoding = recode(data, Plan(of))
    assert np.array_equal(plan.classes, of)
    regions, tells = recoding.attributes[0], recoding.tells
    shown = [
        None if tells[i] else frozenset(regions.member_codes(int(regions.of[i])).tolist())
        for i in range(len(own))
    ]
    return laid.domain, own, shown, data, plan


def predicates(domain, region):
    """What somebody may be said to have: a value, or, where a node is shown, one below a child of it."""
    if domain.shape != "tree":
        return [{code} for code in region]
    node = int(domain.hierarchy.common_ancestor(min(region), max(region)))
    found = domain.hierarchy
    return [set(range(int(found.left[c]), int(found.right[c]) + 1)) for c in found.children(node)]


def check_tells_nothing(domain, own, shown, least, members, inside=lambda _: True):
    """No value of a region is certainly had by somebody and by fewer than asked, and no class's values all follow."""
    leading = defaultdict(list)
    for codes, region in zip(own, shown, strict=True):
        if region is not None:
            assert set(codes) <= region
            leading[region].append(Counter(codes))
    several = 0
    for region, classes in leading.items():
        if len(region) == 1:
            assert members >= least
            continue
        if not inside(region):
            continue
        several += 1
        assert len(classes) > 1
        for predicate in predicates(domain, region):
            numbers = [sum(one[code] for code in predicate) for one in classes]
            assert any(number == 0 or number >= least for number in numbers)
    return several


CASES = [(2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (3, 3), (3, 4), (3, 5), (3, 6), (3, 7)]


@pytest.mark.parametrize(("least", "members"), CASES)
def test_intervals_of_whole_numbers(least, members):
    domain = integers("age", range(10, 20))
    laid, own, shown, *_ = every_class(domain, least, members)
    places = laid.values

    def inside(region):
        # What other numbers would lead there is not written down.
        return places[min(region)] > 11 and places[max(region)] < 18

    assert check_tells_nothing(laid, own, shown, least, members, inside) > 2
    assert None not in shown
    found = {(int(places[min(own)]), int(places[max(own)])) for own in shown}
    rule = Attained(least)
    for low in range(12, 18):
        for high in range(low, 18):
            assert ((low, high) in found) == may_be_interval(low, high, members, rule)


@pytest.mark.parametrize(("least", "members"), CASES)
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7, 8])
def test_intervals_of_which_everybody_knows_the_ends(least, members, size):
    for domain in (ordered(size), replace(integers("age", range(10, 10 + size)), declared=True)):
        laid, own, shown, *_ = every_class(domain, least, members)
        assert laid.size == size
        check_tells_nothing(laid, own, shown, least, members)
        found = {(min(region), max(region)) for region in shown if region is not None}
        rule = laid.attained
        for low in range(size):
            for high in range(low, size):
                if members <= 2 * least or low == high:
                    assert ((low, high) in found) == may_be_interval(low, high, members, rule)


def test_most_small_classes_can_be_shown():
    for size in range(3, 9):
        shown = every_class(ordered(size), 2, 2)[2]
        assert sum(region is None for region in shown) <= 2


@pytest.mark.parametrize(("least", "members"), CASES)
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7])
def test_sets(least, members, size):
    laid, own, shown, *_ = every_class(words("city", list("abcdefg")[:size]), least, members)
    check_tells_nothing(laid, own, shown, least, members)
    found = {region for region in shown if region is not None}
    for bits in range(1, 1 << size):
        region = frozenset(code for code in range(size) if bits >> code & 1)
        assert (region in found) == may_be_set(np.array(sorted(region)), size, members, Attained(least))


@pytest.mark.parametrize("size", [16, 17, 18, 41])
def test_few_pairs_of_large_sets_cannot_be_shown(size):
    shown = every_class(words("city", [f"{i:02}" for i in range(size)]), 2, 2)[2]
    assert sum(region is None for region in shown) <= 1
    assert {len(region) for region in shown if region is not None} <= {1, 3, 4}


@pytest.mark.parametrize(("least", "members"), [case for case in CASES if case[1] < 6])
@pytest.mark.parametrize("domain", [BINARY, MIXED])
def test_nodes(domain, least, members):
    laid, own, shown, *_ = every_class(domain, least, members)
    check_tells_nothing(laid, own, shown, least, members)
    if domain is BINARY and members == least:
        # No node has three children.
        assert {region for region in shown if region} == {frozenset({code}) for code in range(4)}


def test_the_narrowest_regions_fail_the_same_check():
    domain = integers("age", range(10, 15))
    own = [list(codes) for codes in combinations_with_replacement(range(5), 2)]
    shown = [frozenset(range(min(codes), max(codes) + 1)) for codes in own]
    with pytest.raises(AssertionError):
        check_tells_nothing(domain, own, shown, 2, 2)


@pytest.mark.parametrize(
    "domain", [integers("age", range(10, 16)), words("city", list("abcde")), MIXED, ordered(5)]
)
def test_what_is_published_is_read_back_and_nothing_else(domain):
    for least, members in ((2, 2), (2, 3), (2, 5), (3, 3)):
        laid, own, shown, data, _ = every_class(domain, least, members)
        kept = np.array([region is not None for region in shown]).repeat(members)
        plan = Plan(np.where(kept, np.repeat(np.arange(len(own)), members), -1))
        form = GeneralizedForm(attained=least)
        publication, _, _ = publish(form, data.take(np.flatnonzero(kept)), renumbered(plan, kept))
        assert publication.attained == least
        if members > least:
            continue
        narrow = data.take(np.flatnonzero(kept))
        narrow = replace(narrow, quasi=tuple(replace(own, attained=None) for own in narrow.quasi))
        with pytest.raises(TableError, match=f"attained: {least} publishes no .* of a class of"):
            publish_as(form, GeneralizedForm(), narrow, renumbered(plan, kept))
    assert laid.size >= domain.size


def renumbered(plan, kept):
    return Plan(np.unique(plan.classes[kept], return_inverse=True)[1].reshape(-1).astype(np.int64))


def publish_as(form, other, data, plan):
    """Publish in one form what is read in another."""
    plan, recoding = recode(data, plan)
    published = other.publish(data, plan, recoding, np.random.default_rng(1))
    columns = notes_on(other, data, plan, published)
    tables = {
        name: {key: as_labelled(column) for key, column in own.items()}
        for name, own in published.tables.items()
    }
    return form.read(tables, columns)


def test_merged_classes_are_looked_at_again():
    # (0, 3) and (1, 3) show [0, 3]; as one class of four it is looked at again, and shows the same.
    domain = that_grows(
        EncodedAttribute(integers("age", range(4)), np.arange(4, dtype=np.int32), 0, "c"), 2, lk.quasi()
    )
    codes = domain.codes[[0, 3, 1, 3]].tolist()
    data = table([(domain.domain, codes)], [(SICK, [0, 1, 0, 1])])
    plan, recoding = recode(data, Plan(np.array([0, 0, 1, 1])))
    assert recoding.classes == plan.count == 1
    low, high = grown_intervals(
        (np.array([0]), np.array([3])), (np.array([True]), np.array([False])), np.array([4]), Attained(2)
    )
    assert (int(low[0]), int(high[0])) == (0, 3)
    assert domain.domain.labels[int(recoding.attributes[0].low[0])] == "0"


def test_a_class_that_misses_a_value_of_a_hierarchy():
    """Everybody of a class misses it, some do, nobody does: each is published, and proven from its bytes."""
    tree = {"letters": {"left": ["a", "b", "e"], "right": ["c", "d", "f"]}}
    column = lk.quasi(hierarchy=tree, missing={"policy": "category"})
    letters = [None, None, None, "a", "a", "b", "c", None, "d", "f"]
    frame = pl.DataFrame({"letter": letters, "n": [1] * 3 + [2] * 3 + [3] * 4})
    policy = lk.Policy(
        columns={"letter": column, "n": lk.quasi()},
        privacy=lk.KAnonymity(3),
        method=lk.Mondrian(),
        form=lk.GeneralizedForm(attained=2),
    )
    shown = lk.anonymize(frame, policy, seed=1)
    assert Counter(shown.table.rows()) == {("", "1"): 3, ("left", "2"): 3, ("*", "3"): 4}
    assert shown.verdict.ok


def narrower(shown, members, values, least):
    """Sets of values that members of a class may have, of which the rule makes what is shown."""
    rank = {value: i for i, value in enumerate(values)}

    def made(own):
        if len(own) == 1 or members >= len(own) + least - 1:
            return own
        extra = values[-sum(map(rank.get, own)) % len(values)]
        if extra not in own:
            return own | {extra}
        four = quadruples(len(values)).get(tuple(sorted(map(rank.get, own))))
        return frozenset(values[i] for i in four) if four else None

    sizes = range(1, min(members, len(shown)) + 1)
    return [
        own for k in sizes for own in map(frozenset, combinations(sorted(shown), k)) if made(own) == shown
    ]


def check_nothing_follows(classes, least):
    """Write down what all classes may have at once, where every published value is somebody's, and look for what is certain."""
    values = sorted(set().union(*(shown for shown, _ in classes)))
    ways = [narrower(shown, members, values, least) for shown, members in classes]
    if np.prod([len(own) for own in ways], dtype=float) > 200_000:
        return 0
    right = [one for one in product(*ways) if frozenset().union(*one) == frozenset(values)]
    assert right
    for number, (shown, members) in enumerate(classes):
        if len(shown) == 1:
            continue
        sets = {one[number] for one in right}
        for value in shown:
            assert any(value not in own or members - len(own) + 1 >= least for own in sets), (value, classes)
        assert len(sets) > 1 or members > len(next(iter(sets)))
    return sum(len(own) > 1 for own in ways)


@pytest.mark.parametrize("seed", range(30))
def test_no_class_is_told_by_what_all_others_show(seed):
    rng = np.random.default_rng(seed)
    least = 2 + seed % 5 // 4
    size, values = int(rng.integers(8, 17)), int(rng.integers(3, 9))
    frame = pl.DataFrame(
        {
            "town": [f"t{min(int(x), values)}" for x in rng.geometric(0.3, size)],
            "job": rng.choice([*"uvwxyz"][:values], size),
            "sick": rng.choice(["no", "yes"], size),
        }
    )
    policy = lk.Policy(
        columns={"town": lk.quasi(), "job": lk.quasi(), "sick": lk.sensitive()},
        privacy=[lk.KAnonymity(least)],
        form=lk.GeneralizedForm(recoding="set", attained=least),
        withhold={"at_most": 0.5},
        effort="quick",
        seed=seed,
    )
    release = lk.anonymize(frame, policy)
    assert release.verify().ok
    classes = Counter(release.table.select("town", "job").rows())
    for place in range(2):
        every = {part for one in classes for part in one[place].strip("{}").split("|") if one[place] != "*"}
        shown = [
            (frozenset(every if one[place] == "*" else one[place].strip("{}").split("|")), members)
            for one, members in classes.items()
        ]
        check_nothing_follows(shown, least)


def test_a_value_that_one_class_lists_is_had_there():
    # Of both {a, b, e} and {a, c, d} one value was added, by ranks that sum to 5; where no other class lists b, it was not b.
    told = [("abe", 2), ("acd", 2), ("bcde", 5)]
    classes = [(frozenset(own), members) for own, members in told]
    assert check_nothing_follows(classes, 2) == 2
    with pytest.raises(AssertionError):
        check_nothing_follows(classes[:2], 2)
