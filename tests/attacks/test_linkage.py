"""Linkage: risks against counting every candidate of every target."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.forms.publications import integers, publish, table, words
from tests.identity_reserved import S4_TABLE4, s4_classes, s4_microdata
from tests.metrics.tables import domains, evaluations
from tests.oracles.attacks_individuals import PlainPeople, chance, mean
from tests.oracles.metrics import region

import likeness as lk
from likeness.attacks.kernels.beliefs import RANGE, SET, match_counts
from likeness.attacks.linkage import LinkageAttack
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm
from likeness.hierarchies import from_rows
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import recode

if TYPE_CHECKING:
    from likeness.microdata.data import Microdata

AGE = integers("age", [20, 25, 30, 60])
SEX = words("sex", ["f", "m"])
DISEASE = words("disease", ["cold", "flu"])
DATA = table([(AGE, [0, 1, 2, 3, 3, 2]), (SEX, [0, 1, 1, 0, 0, 1])], [(DISEASE, [0, 1, 1, 0, 1, 0])])


def candidates(data: Microdata, plan: Plan) -> list[int]:
    """Published records whose class's region holds a target's codes, for every target."""
    regions = {}
    for number in range(plan.count):
        held = data.codes[:, plan.classes == number]
        regions[number] = [
            region(own, set(codes)) for own, codes in zip(data.quasi, held.tolist(), strict=True)
        ]
    return [
        sum(
            all(code in cell for code, cell in zip(target, regions[number], strict=True))
            for number in plan.classes.tolist()
            if number >= 0
        )
        for target in data.codes.T.tolist()
    ]


def risks(counts: list[int]) -> list[Fraction]:
    return [Fraction(1, count) if count else Fraction(0) for count in counts]


def check(found, counts: list[int]) -> None:
    own, n = risks(counts), len(counts)
    assert found.success == found.details["prosecutor_mean"] == pytest.approx(float(sum(own) / n))
    assert found.details["prosecutor_max"] == pytest.approx(float(max(own)))
    assert found.details["unique"] == counts.count(1) / n
    assert found.details["unmatched"] == counts.count(0) / n
    assert found.details["targets"] == n


@settings(deadline=None, max_examples=150)
@given(evaluation=evaluations())
def test_generalized_equals_counting_every_candidate(evaluation):
    data, plan = evaluation.data, evaluation.plan
    publication, _, _ = publish(GeneralizedForm(), data, plan)
    found = LinkageAttack().run(publication, data)
    check(found, candidates(data, plan))
    assert found.details["marketer"] == plan.count / max(1, plan.published.sum())
    tuples = list(map(tuple, data.codes.T.tolist()))
    before = [Fraction(1, tuples.count(own)) for own in tuples]
    assert found.baseline == pytest.approx(float(sum(before) / len(before)))
    assert found.details["prosecutor_max_before"] == float(max(before))
    assert found.details["unique_before"] == before.count(1) / len(before)
    assert found.details["marketer_before"] == pytest.approx(len(set(tuples)) / len(tuples))


@settings(deadline=None, max_examples=60)
@given(found=attacked("identity-reserved"))
def test_linked_people_equal_counting_every_person(found):
    data, plain = found.data, PlainPeople(found.data, found.plan)
    result = LinkageAttack().run(found.publication, data)
    check(result, [len(plain.release(target)) for target in plain.everybody])
    assert "right person" in result.meaning
    before = [len(plain.original(target)) for target in plain.everybody]
    assert result.baseline == pytest.approx(float(sum(risks(before)) / len(before)))
    assert result.details["unique_before"] == before.count(1) / len(before)
    assert result.details["marketer"] == len(plain.cells) / max(1, len(plain.published))
    assert result.details["marketer_before"] == len(set(plain.looks.values())) / len(before)


@settings(deadline=None, max_examples=60)
@given(found=attacked("generalized", several=True))
def test_records_that_are_not_linked_are_all_the_more_somebodys(found):
    plain = PlainPeople(found.data, found.plan)
    result = LinkageAttack().run(found.publication, found.data)
    own = [len(plain.records[target]) for target in plain.everybody]
    fit = [len(plain.rows(target)) for target in plain.everybody]
    chances = [chance(r, c) for r, c in zip(own, fit, strict=True)]
    assert result.success == pytest.approx(float(mean(chances)))
    assert result.details["prosecutor_max"] == pytest.approx(float(max(chances)))
    assert result.details["unique"] == chances.count(1) / len(own)
    assert result.details["unmatched"] == fit.count(0) / len(own)
    assert result.details["marketer"] == len(plain.cells) / len(own)
    alike = [[i for i, x in enumerate(plain.all_codes) if x == plain.looks[t]] for t in plain.everybody]
    before = [
        chance(sum(i in plain.records[t] for i in rows), len(rows))
        for t, rows in zip(plain.everybody, alike, strict=True)
    ]
    assert result.baseline == pytest.approx(float(mean(before)))
    assert result.details["prosecutor_max_before"] == pytest.approx(float(max(before)))
    assert result.details["unique_before"] == before.count(1) / len(own)


def test_a_class_of_one_person_hides_nobody():
    # Three records and 3-anonymous by records, all of them one person's.
    data = replace(DATA, individuals=np.array([0, 0, 0, 1, 2, 3]))
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 0, 1, 1, 1])
    found = LinkageAttack().run(publication, data)
    assert found.details["prosecutor_max"] == 1
    # Number 0 is known as the woman of 20; the man of 30, number 3, may be in either class.
    assert found.success == pytest.approx((1 + 1 / 3 + 1 / 3 + 1 / 6) / 4)
    assert found.details["unique"] == 1 / 4


def test_the_example_of_the_paper():
    data = s4_microdata()
    publication, _, _ = publish(IdentityReservedForm(), data, s4_classes(S4_TABLE4))
    found = LinkageAttack().run(publication, data)
    assert found.success == pytest.approx((3 / 3 + 4 / 4) / 7)
    assert (found.baseline, found.details["prosecutor_max"], found.details["marketer"]) == (1, 1 / 3, 2 / 7)


@settings(deadline=None, max_examples=60)
@given(evaluation=evaluations())
def test_anatomized_hides_nobody(evaluation):
    data = evaluation.data
    publication, _, plan = publish(AnatomizedForm(), data, evaluation.plan)
    tuples = list(map(tuple, data.codes.T.tolist()))
    kept = [own for own, out in zip(tuples, plan.published.tolist(), strict=True) if out]
    check(LinkageAttack().run(publication, data), [kept.count(own) for own in tuples])


def test_a_table_worked_out_by_hand():
    publication, _, _ = publish(GeneralizedForm(), DATA, [0, 0, 0, 1, 1, -1])
    found = LinkageAttack().run(publication, DATA)
    # The first three are among three ([20, 30], *), the next two among two (60, f); the withheld man of 30 looks
    # like one of the first class.
    assert found.success == pytest.approx((4 / 3 + 1) / 6)
    assert found.baseline == pytest.approx((1 + 1 + 1 + 1) / 6)
    assert found.gain == pytest.approx(found.success - found.baseline)
    assert found.details == {
        "prosecutor_max": 0.5, "prosecutor_max_before": 1.0,
        "prosecutor_mean": found.success, "prosecutor_mean_before": found.baseline,
        "marketer": 0.4, "marketer_before": pytest.approx(4 / 6),
        "unique": 0.0, "unique_before": pytest.approx(2 / 6), "unmatched": 0.0, "targets": 6.0,
    }  # fmt: skip


def test_overlapping_classes_hide_in_each_other():
    # 1 over all candidates, not over the own class: [20, 30] and [25, 60] share 25 and 30.
    data = table([(AGE, [0, 2, 1, 3])], [(DISEASE, [0, 1, 0, 1])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 1, 1])
    found = LinkageAttack().run(publication, data)
    assert found.success == pytest.approx((1 / 2 + 1 / 4 + 1 / 4 + 1 / 2) / 4)
    assert found.details["marketer"] == 0.5


def test_the_adversary_knows_the_hierarchies():
    rows = [("02139", "0213*", "*"), ("02138", "0213*", "*"), ("10001", "1000*", "*")]
    tree = from_rows(rows, "zip", where=str, data_derived=True)
    zips = Domain("zip", "hierarchical", np.array(tree.leaves, object), "tree", tree)
    data = table([(zips, [0, 1, 2, 2])], [(DISEASE, [0, 1, 0, 1])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 1, 1])
    assert publication.cells[0].note.hierarchy is None
    assert LinkageAttack().run(publication, data).success == 0.5


def test_drawn_targets():
    publication, _, _ = publish(GeneralizedForm(), DATA, [0, 0, 0, 1, 1, 1])
    every = LinkageAttack().run(publication, DATA)
    assert LinkageAttack(targets=99).run(publication, DATA) == every
    found = [LinkageAttack(targets=2, seed=seed).run(publication, DATA) for seed in (0, 0, *range(1, 9))]
    assert found[0] == found[1]
    assert len({attack.success for attack in found}) > 1
    assert all(attack.details["targets"] == 2 for attack in found)
    assert all(attack.details["marketer"] == every.details["marketer"] for attack in found)


def test_without_quasi_identifiers_everybody_is_a_candidate():
    data = table([], [(DISEASE, [0, 1, 0, 1])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 0, -1])
    found = LinkageAttack().run(publication, data)
    assert (found.success, found.baseline) == (pytest.approx(1 / 3), 0.25)


@pytest.mark.parametrize("given_", [{"targets": 0}, {"targets": 1.5}, {"seed": -1}])
def test_parameters_out_of_range(given_):
    with pytest.raises(lk.PolicyError, match=r"linkage: .* must be a whole number"):
        LinkageAttack(**given_)


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_many_targets_that_differ_in_the_last_code_only(draw):
    # The kernel then adds up ranges instead of trying every identity.
    d = draw.draw(st.integers(1, 3))
    kinds = draw.draw(st.lists(st.sampled_from([RANGE, SET]), min_size=d - 1, max_size=d - 1))
    domain_ = st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True).map(sorted)
    cells = draw.draw(st.lists(st.tuples(*[domain_] * d), min_size=1, max_size=8))
    sizes = draw.draw(st.lists(st.integers(1, 4), min_size=len(cells), max_size=len(cells)))
    targets = draw.draw(st.lists(st.tuples(*[st.integers(0, 5)] * d), min_size=1, max_size=60))
    targets.sort()
    members, low, high = [], np.zeros((d, len(cells)), np.int64), np.zeros((d, len(cells)), np.int64)
    for e, cell in enumerate(cells):
        for j, codes in enumerate(cell):
            if j < d - 1 and kinds[j] == SET:
                low[j, e], high[j, e] = len(members), len(members) + len(codes)
                members += codes
            else:
                low[j, e], high[j, e] = codes[0], codes[-1]

    def holds(j, codes, code):
        return code in codes if j < d - 1 and kinds[j] == SET else codes[0] <= code <= codes[-1]

    found = match_counts(
        np.ascontiguousarray(np.array(targets, np.int32).T),
        np.array([*kinds, RANGE], np.int8),
        low,
        high,
        np.array(members, np.int64),
        np.array(sizes, np.int64),
    )
    assert found.tolist() == [
        sum(
            size
            for size, cell in zip(sizes, cells, strict=True)
            if all(holds(j, codes, code) for j, (codes, code) in enumerate(zip(cell, target, strict=True)))
        )
        for target in targets
    ]


@settings(deadline=None, max_examples=40)
@given(draw=st.data())
def test_columns_in_any_order_match_the_same(draw):
    quasi = tuple(draw.draw(domains(f"a{j}")) for j in range(3))
    n = draw.draw(st.integers(1, 12))
    codes = [draw.draw(st.lists(st.integers(0, x.codes - 1), min_size=n, max_size=n)) for x in quasi]
    classes = draw.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    order = draw.draw(st.permutations(range(3)))
    found = []
    for columns in (range(3), order):
        data = table([(quasi[j], codes[j]) for j in columns], [(DISEASE, [0] * n)])
        plan, _ = recode(data, Plan(renumber(np.array(classes, np.int64))))
        found.append(LinkageAttack().run(publish(GeneralizedForm(), data, plan)[0], data))
    assert found[0] == found[1]


def test_through_the_release():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"age": rng.integers(20, 60, 200), "disease": rng.choice(["cold", "flu"], 200)})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(8), method=lk.Mondrian())
    release = lk.anonymize(frame, policy, seed=1)
    found = release.attack("linkage")
    assert found == release.attack(lk.LinkageAttack())
    assert found.details["prosecutor_max"] <= 1 / 8
    assert 0 < found.success <= found.details["prosecutor_max"] < found.baseline
    # Cuts leave no two classes that overlap: nobody is linked better than by chance within a class.
    assert found.success == pytest.approx(found.details["marketer"])
