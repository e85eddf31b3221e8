"""Searching until everything that is published holds: withholding, level limits, and why it cannot be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.encode import encode
from likeness.errors import CannotBeMetError, MethodFailedError, PolicyError
from likeness.methods.base import Method, Problem
from likeness.methods.mondrian import Mondrian
from likeness.microdata.mechanism import SCALE, Mechanism
from likeness.microdata.plan import Plan, Reason
from likeness.progress import Progress
from likeness.solve import solve
from likeness.tables import read

TOWNS = [["n1", "north", "*"], ["n2", "north", "*"], ["s1", "south", "*"], ["s2", "south", "*"]]
MADE_UP = Reason("made-up", "made up")


def data_of(frame: dict[str, list[Any]], **columns: Any) -> Any:
    """Microdata in which ``s`` is sensitive and everything else a quasi-identifier."""
    roles = {
        name: columns.get(name, lk.sensitive() if name.startswith("s") else lk.quasi()) for name in frame
    }
    return encode(read(pl.DataFrame(frame)), lk.Policy(columns=roles, privacy=lk.KAnonymity(1))).data


def solved(data: Any, models: Any, at_most: Fraction | int = 0, method: Method | None = None) -> Any:
    """The solution."""
    listed = [models] if not hasattr(models, "__iter__") else list(models)
    rng = np.random.default_rng(0)
    return solve(method or Mondrian(), data, listed, rng, Fraction(at_most), Progress())


@dataclass(frozen=True)
class Fixed(Method):
    """A method that has its mind made up, whatever it is asked."""

    name = "fixed"
    classes: tuple[int, ...]

    def run(self, problem: Problem) -> Plan:
        """The same classes for the records that are still there."""
        classes = np.array(self.classes)[problem.data.rows]
        because = {reason: int((classes < 0).sum()) for reason in [MADE_UP] if (classes < 0).any()}
        return Plan(np.unique(classes, return_inverse=True)[1] - bool(because), because=because)


def test_classes_with_equal_regions_are_one():
    data = data_of({"age": [1, 1, 1, 1], "s": list("abab")})
    found = solved(data, lk.KAnonymity(2), method=Fixed((0, 0, 1, 1)))
    assert found.plan.classes.tolist() == [0, 0, 0, 0]
    assert found.recoding.classes == 1


def test_no_method_is_believed():
    data = data_of({"age": [1, 2, 3, 4], "s": list("abab")})
    with pytest.raises(CannotBeMetError, match="4 of 4 records would have to be withheld"):
        solved(data, lk.KAnonymity(3), 1, Fixed((0, 0, 1, 1)))


def test_of_classes_that_only_their_union_breaks_one_is_kept_and_the_reason_said():
    # 1 and 3 are apart, 2 and 9 too; together 2 has both 1 and 3 around it.
    data = data_of({"age": [1, 1, 1, 1, 2, 2], "s": [1, 3, 2, 9, 0, 9]})
    found = solved(data, lk.Proximity(1, 2), 1, Fixed((0, 0, 1, 1, 2, 2)))
    assert found.plan.classes.tolist() == [0, 0, -1, -1, 1, 1]
    assert found.plan.withheld_because == {
        "classes with equal regions, taken as the one class they are, do not hold the guarantee": 2
    }


def test_what_is_withheld_changes_the_distribution_and_is_never_restored():
    # Without the south, a has a share of 1/2 among the published; with it, of 2/3.
    towns = ["n1", "n2"] * 6 + ["s1", "s2"] * 3
    data = data_of(
        {"town": towns, "s": list("aabb" * 3) + list("a" * 6)}, town=lk.quasi(hierarchy=TOWNS, max_level=1)
    )
    found = solved(data, lk.DistinctLDiversity(2) & lk.BasicBetaLikeness("1/2"), Fraction(1, 3))
    plan = found.plan
    assert plan.withheld == 6
    assert plan.classes[-6:].tolist() == [-1] * 6
    assert plan.reason_of[-6:].tolist() == [0] * 6
    assert plan.withheld_because == {
        "the smallest part allowed by the level limits does not hold the guarantee": 6
    }
    (_, beta) = found.requirements
    assert beta.bound.attribute.counts.tolist() == [6, 6]


def test_the_original_distribution_stays_what_it_was():
    towns = ["n1", "n2"] * 6 + ["s1", "s2"] * 3
    data = data_of(
        {"town": towns, "s": list("aabb" * 3) + list("a" * 6)}, town=lk.quasi(hierarchy=TOWNS, max_level=1)
    )
    models = lk.DistinctLDiversity(2) & lk.BasicBetaLikeness(1, reference="original")
    found = solved(data, models, Fraction(1, 3))
    assert found.requirements[1].bound.attribute.counts.tolist() == [12, 6]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_level_limits_of_numbers_go_by_value_whatever_the_order_of_the_file(level):
    # The file holds more numbers than the table, the largest first.
    rows = [[str(i), f"{i // 5 * 5} and more", "*"] for i in range(29, -1, -1)]
    ages = [3, 4, 5, 6, 7, 8, 14, 16, 17, 18, 3, 4, 5, 6, 7, 8, 14, 16, 17, 18]
    data = data_of({"age": ages}, age=lk.quasi(kind="integer", hierarchy=rows, max_level=level))
    found = solved(data, lk.KAnonymity(2))
    for number in range(found.plan.count):
        members = np.array(ages)[found.plan.classes == number]
        parents = {[members, members // 5, members * 0][level][i] for i in range(len(members))}
        assert len(parents) == 1
    assert found.plan.withheld == 0


@pytest.mark.parametrize(("level", "parts"), [(0, 5), (1, 3), (2, 1)])
def test_the_missing_value_lies_directly_below_the_root(level, parts):
    frame = pl.DataFrame({"town": ["n1", "n2", "s1", "s2", None] * 2})
    column = lk.quasi(hierarchy=TOWNS, max_level=level, missing={"policy": "category"})
    data = encode(read(frame), lk.Policy(columns={"town": column}, privacy=lk.KAnonymity(1))).data
    # The largest class that the limit allows has all records of a part.
    assert solved(data, lk.KAnonymity(2)).plan.count == 5
    largest = {5: 2, 3: 2, 1: 10}[parts]
    assert solved(data, lk.KAnonymity(largest)).plan.count >= 1
    assert reasons(data, lk.KAnonymity(largest + 1))[0].startswith("cannot be met: ")


def test_a_method_that_cannot_keep_level_limits_says_so():
    data = data_of(
        {"town": ["n1", "s1"] * 3, "s": list("abcabc")}, town=lk.quasi(hierarchy=TOWNS, max_level=1)
    )
    with pytest.raises(PolicyError, match=r"burel: cannot keep to max_level \(column 'town'\); use mondrian"):
        solved(data, lk.BetaLikeness(1), method=lk.Burel())


TOO_MANY = [
    lk.AlphaKAnonymity("1/2", 2),
    lk.RhoPrivacy("1/2"),
    lk.KlDiversity(2, 2),
    lk.RecursiveClDiversity("1.01", 2),
    lk.EntropyLDiversity(2),
]


@pytest.mark.parametrize("model", TOO_MANY, ids=lambda model: model.name)
def test_of_a_value_that_is_too_frequent_the_fewest_are_withheld_where_it_is_most_frequent(model):
    age = [*range(51), *range(49)]
    data = data_of({"age": [1_000, *age[1:]], "s": ["a"] * 51 + ["b"] * 49})
    found = solved(data, model, at_most=Fraction(2, 100))
    assert found.plan.withheld == 2
    out = np.flatnonzero(~found.plan.published)
    # Nobody with b is as old as those: who is far from all others, and one of those around 49 and 50.
    assert out[0] == 0
    assert out[1] in range(45, 51)
    assert [reason.name for reason in found.plan.because] == ["surplus"]
    with pytest.raises(CannotBeMetError) as failure:
        solved(data, model, at_most=Fraction(1, 100))
    line = str(failure.value)
    assert "at least 2 records would have to be withheld (2.00%), and the policy allows 1.00%" in line


def test_who_is_too_many_does_not_depend_on_the_order_of_records():
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"age": rng.integers(0, 12, 300), "s": rng.choice(list("aaabcd"), 300)})

    def published(order: Any) -> list[Any]:
        data = data_of(frame[order].to_dict(as_series=False))
        found = solved(data, lk.KlDiversity(3, 3), at_most=Fraction(3, 10))
        return sorted(
            zip(
                data.codes[0, found.plan.published],
                data.sensitive_codes[0, found.plan.published],
                strict=True,
            )
        )

    first = published(np.arange(300))
    assert len(first) < 300
    for _ in range(5):
        assert published(rng.permutation(300)) == first


def test_a_method_that_finds_nothing_without_those_who_are_too_many_is_asked_for_all():
    data = data_of({"age": [*range(9), 99], "s": list("aaabbbcaaa")})

    # Two of the six a are too many, the one of 99 among them; the method withholds three others.
    @dataclass(frozen=True)
    class Literal(Fixed):
        joins_rest = False

    fixed = Literal((-1, -1, -1, 0, 0, 0, 0, 0, 0, 0))
    found = solved(data, lk.RhoPrivacy("1/2"), at_most=Fraction(3, 10), method=fixed)
    assert np.flatnonzero(~found.plan.published).tolist() == [0, 1, 2]
    with pytest.raises(CannotBeMetError):
        solved(data, lk.RhoPrivacy("1/2"), at_most=Fraction(2, 10), method=fixed)


def test_a_method_that_decides_who_is_withheld_is_asked_for_all():
    data = data_of({"age": [1, 2, 3, 50], "s": list("aaab")})

    @dataclass(frozen=True)
    class Deciding(Fixed):
        leaves_surplus = False

    found = solved(data, lk.RhoPrivacy("1/2"), at_most=Fraction(1, 2), method=Deciding((-1, -1, 0, 0)))
    assert np.flatnonzero(~found.plan.published).tolist() == [0, 1]
    assert [reason.name for reason in found.plan.because] == ["made-up"]


def reasons(data: Any, models: Any, at_most: Fraction | int = 0) -> tuple[str, ...]:
    """Why it cannot be met."""
    with pytest.raises(CannotBeMetError) as caught:
        solved(data, models, at_most)
    assert caught.value.exit_code == 3
    assert all("\n" not in line for line in caught.value.problems)
    return caught.value.problems


def test_every_model_that_the_table_cannot_meet_is_named():
    data = data_of({"age": [1, 2, 3], "s": list("aab")})
    assert reasons(data, lk.KAnonymity(5) & lk.DistinctLDiversity(3) & lk.DistinctLDiversity(2)) == (
        (
            "cannot be met: k-anonymity: the table of 3 records, taken as one class, does not hold it; the strongest it "
            "could meet is k = 3"
        ),
        (
            "cannot be met: distinct-l-diversity on 's': the table of 3 records, taken as one class, does not hold it; the "
            "strongest it could meet is l = 2. Smallest class, in records, that may hold a value of 's': 'a' 3, 'b' 3"
        ),
    )


def test_that_other_sensitive_columns_count_as_known_is_said():
    data = data_of({"age": [1, 2, 3, 4], "s": list("aabb"), "s2": list("xyxx")})
    (line,) = reasons(data, lk.DistinctLDiversity(2, sensitive="s2"))
    assert line.startswith("cannot be met: distinct-l-diversity on 's2': ")
    assert line.endswith(
        ". It must hold for every group of records that share 's', because an adversary is taken to know other sensitive "
        "columns; where those are not known, give the model the parameter others: unknown"
    )
    assert solved(data, lk.DistinctLDiversity(2, sensitive="s2", others="unknown")).plan.withheld == 0


def test_who_may_withhold_everybody_is_not_told_to_allow_more():
    data = data_of({"town": ["n1", "n2", "s1"]}, town=lk.quasi(hierarchy=TOWNS, max_level=1))
    assert reasons(data, lk.KAnonymity(3), Fraction(1))[0] == (
        "cannot be met: 3 of 3 records would have to be withheld (100.00%), and nothing be left; weaken the guarantee, or lift "
        "level limits"
    )


def test_how_many_would_have_to_be_withheld_is_said():
    towns = ["n1", "n2"] * 6 + ["s1"]
    data = data_of({"town": towns}, town=lk.quasi(hierarchy=TOWNS, max_level=1))
    assert reasons(data, lk.KAnonymity(2), Fraction(1, 100)) == (
        (
            "cannot be met: 1 of 13 records would have to be withheld (7.69%); the policy allows 1.00% (withhold: at_most); "
            "allow more, weaken the guarantee, or lift level limits"
        ),
        "withheld 1: the smallest part allowed by the level limits does not hold the guarantee",
        (
            "records that fail k-anonymity even in the largest class that limits and knowledge allow them: 1; the largest "
            "such class has 1"
        ),
    )
    assert solved(data, lk.KAnonymity(2), Fraction(1, 13)).plan.withheld == 1


def test_the_limit_is_a_share_and_exact():
    towns = ["n1", "n2"] * 5 + ["s1"]
    data = data_of({"town": towns}, town=lk.quasi(hierarchy=TOWNS, max_level=1))
    assert solved(data, lk.KAnonymity(2), Fraction(1, 11)).plan.withheld == 1
    reasons(data, lk.KAnonymity(2), Fraction(1, 11) - Fraction(1, 10**30))


def test_a_release_of_nothing_is_none():
    data = data_of({"town": ["n1", "s1"]}, town=lk.quasi(hierarchy=TOWNS, max_level=1))
    assert reasons(data, lk.KAnonymity(2), 1)[0].startswith("cannot be met: 2 of 2 records")


def test_rare_values_are_named_with_the_class_they_need():
    data = data_of({"age": list(range(40)), "s": ["rare"] + ["common"] * 39})
    lines = reasons(data, lk.BetaLikeness("1/2") & lk.DistinctLDiversity(3))
    assert "'rare' 3" in lines[0]
    assert solved(data, lk.BetaLikeness("1/2")).plan.count == 1


@dataclass(frozen=True)
class Keeping(Method):
    """A method that perturbs with a matrix of its own, and withholds one record at first."""

    name = "keeping"
    kept: Fraction
    stale: bool = False

    def run(self, problem: Problem) -> Plan:
        """Keep a share of the values, draw the others from all."""
        data, (domain,) = problem.data, problem.data.sensitive
        codes = data.sensitive_codes[0]
        plan = Plan(data.tuples.of)
        counts = np.bincount(codes, minlength=domain.codes)
        if data.rows[0] == 0:
            plan = plan.withhold(np.arange(data.size) == 0, Reason("the-first", "the first"))
            # Right only for the records before the first was withheld.
            counts = counts if self.stale else np.bincount(codes[1:], minlength=domain.codes)
        low = int((1 - self.kept) * SCALE / domain.codes)
        numerators = np.full((domain.codes, domain.codes), low)
        np.fill_diagonal(numerators, SCALE - low * (domain.codes - 1))
        mechanism = Mechanism(counts, numerators)
        return replace(plan, sensitive=mechanism.perturb(codes, problem.rng)[None], mechanism=mechanism)


PERTURBED = {"age": list(range(20)), "s": list("aaaaabbbbbcccccbbccc")}


def test_a_mechanism_is_kept_for_the_whole_table():
    data = data_of(PERTURBED)
    found = solved(data, lk.BetaLikeness(1), at_most=Fraction(1, 20), method=Keeping(Fraction(1, 10)))
    assert found.plan.withheld_because == {"the first": 1}
    assert found.plan.mechanism.counts.tolist() == [4, 7, 8]
    assert found.plan.sensitive.shape == (1, 20)
    # What is not published stays what it was.
    assert found.plan.sensitive[0, 0] == data.sensitive_codes[0, 0]
    assert found.plan.classes.tolist() == [-1, *range(19)]


def test_a_mechanism_for_other_records_is_made_again():
    method = Keeping(Fraction(1, 10), stale=True)
    found = solved(data_of(PERTURBED), lk.BetaLikeness(1), at_most=Fraction(1, 20), method=method)
    assert found.plan.mechanism.counts.tolist() == [4, 7, 8]
    assert found.plan.withheld == 1


def test_a_mechanism_that_does_not_hold():
    with pytest.raises(CannotBeMetError) as refused:
        solved(
            data_of(PERTURBED), lk.BetaLikeness(1), at_most=Fraction(1, 2), method=Keeping(Fraction(9, 10))
        )
    assert list(refused.value.problems[1:]) == [
        "withheld 1: the first",
        "withheld 19: the mechanism that perturbs their values does not hold the guarantee",
    ]
    # One class of everybody would hold.
    assert isinstance(refused.value, MethodFailedError)


@dataclass(frozen=True)
class FixedPeople(Method):
    """A method that puts individuals, by the row of their first record, where it was told to."""

    name = "fixed-people"
    classes: dict[int, int]
    takes_individuals = True
    joins_rest = False

    def run(self, problem: Problem) -> Plan:
        """The same classes for the individuals that are still there; the others are withheld."""
        classes = np.array([self.classes.get(row, -1) for row in problem.data.rows.tolist()])
        because = {MADE_UP: int((classes < 0).sum())} if (classes < 0).any() else {}
        return Plan(np.unique(classes, return_inverse=True)[1] - bool(because), because=because)


def of_people(data: Any, people: list[int]) -> Any:
    """The same table, of individuals."""
    return replace(data, individuals=np.array(people))


PATIENTS = {"age": [1, 2, 5, 5, 6, 6, 9], "s": list("abacabc")}


def test_classes_are_of_individuals_with_all_their_records():
    data = of_people(data_of(PATIENTS), [0, 0, 1, 1, 2, 3, 3])
    found = solved(data, lk.KAnonymity(2), 0, FixedPeople({0: 0, 2: 0, 4: 1, 5: 1}))
    assert found.plan.classes.tolist() == [0, 0, 0, 0, 1, 1, 1]
    # The region covers every record of an individual, not the first alone.
    (age,) = found.recoding.attributes
    assert age.domain.values[age.high[age.of]].tolist() == [5, 9]


def test_people_are_counted_not_records():
    data = of_people(data_of(PATIENTS), [0, 0, 1, 1, 2, 3, 3])
    # The second class has two records, of one person.
    with pytest.raises(CannotBeMetError, match="1 of 4 individuals would have to be withheld"):
        solved(data, lk.KAnonymity(2), 0, FixedPeople({0: 0, 2: 0, 4: 0, 5: 1}))


def test_at_most_is_a_share_of_individuals():
    data = of_people(data_of(PATIENTS), [0, 0, 0, 0, 1, 2, 3])
    method = FixedPeople({0: -1, 4: 0, 5: 0, 6: 0})
    # One of four people, four of seven records.
    found = solved(data, lk.KAnonymity(3), Fraction(1, 4), method)
    assert found.plan.withheld_because == {"made up": 4}
    assert found.plan.published.tolist() == [False] * 4 + [True] * 3
    with pytest.raises(CannotBeMetError, match=r"1 of 4 individuals .*25.00%"):
        solved(data, lk.KAnonymity(3), Fraction(1, 5), method)


def test_equal_regions_of_all_records_are_one_class():
    # First records differ, yet both classes cover 1 to 5.
    data = of_people(data_of({"age": [1, 5, 5, 1], "s": list("abab")}), [0, 0, 1, 1])
    found = solved(data, lk.KAnonymity(2), 0, FixedPeople({0: 0, 2: 1}))
    assert found.plan.classes.tolist() == [0, 0, 0, 0]


def test_shares_are_of_individuals():
    # a: 3 of 4 people have it, 3 of 7 records.
    data = of_people(data_of(PATIENTS), [0, 0, 1, 1, 2, 3, 3])
    whole = FixedPeople({0: 0, 2: 0, 4: 0, 5: 0})
    assert solved(data, lk.AlphaKAnonymity(alpha=Fraction(3, 4), k=4), 0, whole).plan.count == 1
    with pytest.raises(CannotBeMetError, match="table of 4 individuals, taken as one class"):
        solved(data, lk.AlphaKAnonymity(alpha=Fraction(74, 100), k=4), 0, whole)


def test_somebody_is_withheld_when_any_of_their_records_is_hopeless():
    # What is known of them, t = z, nobody else shares: with others known, no class holds that part.
    frame = {"age": [1, 1, 2, 2, 3], "s": list("ababa"), "st": list("xxxxz")}
    data = of_people(data_of(frame), [0, 1, 2, 3, 3])
    model = lk.DistinctLDiversity(2, sensitive="s")
    found = solved(data, model, Fraction(1, 4), FixedPeople({0: 0, 1: 0, 2: 0, 3: 0}))
    assert found.plan.classes.tolist() == [0, 0, 0, -1, -1]
    assert sum(found.plan.withheld_because.values()) == 2


def test_level_limits_keep_a_person_together():
    columns = {"town": lk.quasi(hierarchy=TOWNS, max_level=1)}
    data = data_of({"town": ["n1", "n2", "s1", "s2"], "s": list("abab")}, **columns)
    assert solved(of_people(data, [0, 1, 2, 3]), lk.KAnonymity(2), 0).plan.count == 2
    with pytest.raises(PolicyError, match="max_level: there are people whose records differ"):
        solved(of_people(data, [0, 1, 1, 2]), lk.KAnonymity(2), 0)


def test_methods_say_whether_they_take_individuals():
    data = of_people(data_of(PATIENTS), [0, 0, 1, 1, 2, 3, 3])
    with pytest.raises(PolicyError, match="fixed: does not take tables in which people have several records"):
        solved(data, lk.KAnonymity(2), 0, Fixed((0,) * 7))


def test_why_eir_cannot_be_met_is_named():
    data = of_people(data_of(PATIENTS), [0, 0, 1, 1, 2, 3, 3])
    # Everybody has a or b: two values are enough to name one of everybody's.
    with pytest.raises(CannotBeMetError) as refused:
        solved(data, lk.EirLDiversity(3), 1, FixedPeople({0: 0, 2: 0, 4: 0, 5: 0}))
    (line,) = refused.value.problems
    assert "the table of 4 individuals, taken as one class, does not hold it" in line
    # Three have a, one has b alone.
    assert "the strongest it could meet is l = 2, because everybody has one of 'a', 'b'" in line
