"""Composition: several releases of the same people, put together."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import DISEASE, RECORD_FORMS, attacked, perturbed
from tests.contracts.parts import example
from tests.forms.publications import as_shown, integers, plan_for, publish, table, words
from tests.oracles.attacks_guessing import PlainRelease, first_best

import likeness as lk
from likeness.attacks.composition import CompositionAttack, EarlierRelease
from likeness.datasets.hospital import Hospital
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm
from likeness.microdata.plan import Plan, renumber

AGE = integers("age", [20, 25, 30, 60])
SICK = words("disease", ["cold", "flu", "hiv"])


class Plainly:
    """What releases tell together, by definition: this one first, then earlier ones with the target's row there."""

    def __init__(self, releases: list[PlainRelease]) -> None:
        self.releases = releases
        self.priors = [
            {v: Fraction(n, own.prior.total()) for v, n in own.prior.items() if n} for own in releases
        ]

    def told(self, rows: list[int | None]) -> list[dict[int, Fraction]]:
        """What each release tells of a target; its row in each table, None where it is known not to be there."""
        found = []
        for own, row in zip(self.releases, rows, strict=True):
            belief = {} if row is None else own.posterior(own.targets[row])
            found.append({v: share for v, share in belief.items() if share > 0})
        return found

    def together(self, told: list[dict[int, Fraction]]) -> dict[int, Fraction]:
        """The product of all beliefs, over that of the priors of all but the first that tells something."""
        score: dict[int, Fraction] | None = None
        for own, prior in zip(told, self.priors, strict=True):
            if own and score is None:
                score = dict(own)
            elif own and score is not None:
                score = {v: x * own[v] / prior[v] for v, x in score.items() if v in own}
        return score or {}


@pytest.mark.parametrize("form", RECORD_FORMS)
@given(draw=st.data(), before=st.sampled_from(RECORD_FORMS), linked=st.booleans())
@settings(deadline=None, max_examples=15)
def test_what_two_releases_tell_is_what_every_target_tells_by_hand(form, draw, before, linked):
    found = draw.draw(attacked(form))
    n, own = found.data.size, example("forms", before)
    data = as_shown(own, found.data)
    classes = draw.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    assume(found.publication.size and max(classes) >= 0)
    made = plan_for(own, data, Plan(renumber(np.array(classes, np.int64))))
    if before == "perturbed":
        # Whole hundredths: what differs differs by more than rounding.
        made = perturbed(data, made, draw.draw(st.lists(st.integers(1, 20), min_size=4, max_size=4)))
    publication, _, made = publish(own, data, made)
    moved = draw.draw(st.permutations(range(n)))
    # Known by a column: other rows of the same quasi-identifiers' table, some of them nowhere.
    rows = [row if row % 3 else None for row in moved] if linked else [*range(n)]
    earlier = publication
    if linked:
        row_of = np.array([-1 if row is None else row for row in rows])
        earlier = EarlierRelease(publication, data, row_of)
    plainly = Plainly([PlainRelease(form, found.data, found.plan), PlainRelease(before, data, made)])
    guesses, alone, left, fewest = [], ([], []), [], []
    for row in range(n):
        told = plainly.told([row, rows[row]])
        together = plainly.together(told)
        left.append(len(together))
        fewest.append(min([len(belief) for belief in told if belief], default=0))
        guesses.append(first_best(together or told[0], plainly.releases[0].likeliest))
        for own, belief, plain in zip(alone, told, plainly.releases, strict=True):
            own.append(first_best(belief, plain.likeliest))
    truth = plainly.releases[0].truth
    right = [sum(a == b for a, b in zip(own, truth, strict=True)) for own in (guesses, *alone)]
    result = CompositionAttack(earlier=earlier).run(found.publication, found.data)
    told = result.details
    assert result.success == right[0] / n
    assert result.baseline == max(right[1:]) / n
    assert (told["this_release"], told["earlier_release"]) == (right[1] / n, right[2] / n)
    assert told["certain"] == left.count(1) / n
    assert (
        told["certain_and_right"]
        == sum(one == 1 and guess == true for one, guess, true in zip(left, guesses, truth, strict=True)) / n
    )
    assert told["contradicted"] == sum(not one and few > 0 for one, few in zip(left, fewest, strict=True)) / n
    assert told["prior"] == max(Counter(truth).values()) / n
    assert told["values_left"] == pytest.approx(sum(left) / max(1, sum(one > 0 for one in left)))
    assert told["values_left_alone"] == pytest.approx(sum(fewest) / max(1, sum(one > 0 for one in fewest)))
    assert told["fewest_left"] == min(
        (one for one in left if one), default=DISEASE.codes + data.sensitive[0].missing
    )
    assert told["low"] <= result.success <= told["high"]
    assert told["gain_low"] <= told["gain_high"]


def test_three_releases_leave_one_value():
    """Three people of one age; every release has another companion for them."""
    data = table([(AGE, [0, 0, 1, 1, 2, 2])], [(SICK, [0, 1, 0, 2, 1, 2])])
    releases = [
        publish(GeneralizedForm(), data, classes)[0]
        for classes in ([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 2, 2], [0, 1, 1, 0, 2, 2])
    ]
    result = CompositionAttack(earlier=releases[1:], targets=6).run(releases[0], data)
    assert result.details["targets"] == 6
    assert result.details["in_all"] == 1
    assert result.details["values_left"] <= result.details["values_left_alone"]


def test_the_example_of_two_hospitals():
    """Alice, 28, was in both: what both tables have of people like her is one disease (Ganta et al. 2008, figure 1)."""
    ages = integers("age", [28, 29, 30, 31])
    one = table([(ages, [0, 1, 2])], [(SICK, [0, 1, 2])])
    # Another hospital: of three who may be her, one has what one of the first has.
    other = table([(ages, [0, 1])], [(words("disease", ["aids", "cold"]), [1, 0])])
    first, second = (publish(GeneralizedForm(), own, [0] * own.size)[0] for own in (one, other))
    linked = EarlierRelease(second, other, np.array([0, -1, -1]))
    result = CompositionAttack(earlier=linked).run(first, one)
    # Of Alice the cold alone is left; whoever is known not to have been there is believed to have what the first release says.
    assert result.details["certain"] == result.details["certain_and_right"] == pytest.approx(1 / 3)
    assert result.details["in_all"] == pytest.approx(1 / 3)
    assert result.details["certain_alone"] == 0


def test_people_with_several_records_are_put_together():
    data = table([(AGE, [0, 0, 1, 1])], [(SICK, [0, 1, 0, 2])])
    people = replace(data, individuals=np.array([0, 0, 1, 1]))
    first, _, _ = publish(IdentityReservedForm(), people, [0, 0, 0, 0])
    second, _, _ = publish(GeneralizedForm(), people, [0, 0, 1, 1])
    # Together, then each alone: of the first person cold and flu are left, and everybody of the first release has a cold.
    result = CompositionAttack(earlier=second).run(first, people)
    assert result.details["targets"] == 2
    assert result.details["values_left"] == 2
    assert result.details["values_left_alone"] == 2
    assert result.success == 1


COLUMNS = {
    "patient_id": lk.identifier(),
    "zip": lk.quasi(hierarchy={"prefix": 5}),
    "age": lk.quasi(kind="integer"),
    "sex": lk.quasi(),
    "insurance": lk.quasi(),
    "diagnosis": lk.sensitive(),
}


def two_years(rows: int = 1500) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A hospital's patients of two years, of whom 70 % are in both, a year older then."""
    stay = rows * 7 // 10
    whole = Hospital().generate(rows=2 * rows - stay, seed=3).select(list(COLUMNS))
    return whole[:rows], whole[rows - stay :].with_columns(age=pl.col("age") + 1)


def released(method: str, frame: pl.DataFrame, seed: int) -> lk.Release:
    given = {"name": method, "l": 4} if method == "anatomy" else {"name": method}
    privacy = lk.DistinctLDiversity(4)
    policy = lk.Policy(
        columns=COLUMNS,
        privacy=privacy if method == "anatomy" else lk.KAnonymity(5) & privacy,
        method=given,
        withhold={"at_most": 0.1},
    )
    return lk.anonymize(frame, policy, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "now"), [("mondrian", "mondrian"), ("anatomy", "mondrian"), ("anatomy", "anatomy")]
)
def test_two_ordinary_releases_of_a_hospital_tell_more_than_one(before, now, tmp_path):
    earlier, today = two_years()
    first, second = released(before, earlier, 1), released(now, today, 2)
    attack = CompositionAttack(earlier=first, on="patient_id")
    result = second.attack(attack)
    assert result.details["gain_low"] > 0
    assert result.details["certain_and_right"] > 0 == result.details["certain_alone"]
    assert result.details["in_all"] == 0.7
    # By quasi-identifiers alone, from its folder: candidates are fewer, too.
    folder = first.write(tmp_path / "out")
    alone = second.attack(CompositionAttack(earlier=folder))
    assert alone == second.attack(CompositionAttack(earlier=first.publication))
    assert alone.details["values_left"] < alone.details["values_left_alone"]
    found = second.attack_all(earlier=[folder])
    assert found["composition"] == alone


@pytest.mark.parametrize(("before", "now"), [("anatomy", "mondrian"), ("mondrian", "anatomy")])
def test_who_knows_everybody_s_class_puts_two_histograms_together(before, now):
    earlier, today = two_years(300)
    first, second = released(before, earlier, 1), released(now, today, 2)

    def by_class(release: lk.Release) -> dict[str, Counter[str]]:
        """The values of the class that everybody is published in, by the steward's plan."""
        data, plan = release.private.encoded.data, release.private.solution.plan
        frame = release.private.encoded.table.frame
        groups = plan.classes if plan.buckets is None else plan.buckets
        found: dict[int, Counter[str]] = {}
        for group, row in zip(groups.tolist(), data.rows.tolist(), strict=True):
            if group >= 0:
                found.setdefault(group, Counter())[frame["diagnosis"][row]] += 1
        return {
            frame["patient_id"][row]: found[group]
            for group, row in zip(groups.tolist(), data.rows.tolist(), strict=True)
            if group >= 0
        }

    told = [by_class(second), by_class(first)]
    everybody = [
        Counter(dict(zip(today["patient_id"], today["diagnosis"], strict=True))[who] for who in told[0]),
        Counter(dict(zip(earlier["patient_id"], earlier["diagnosis"], strict=True))[who] for who in told[1]),
    ]
    usual = min(everybody[0], key=lambda value: (-everybody[0][value], value))
    right, certain, left = 0, 0, []
    for who, truth in zip(today["patient_id"], today["diagnosis"], strict=True):
        # Whoever is withheld now is looked for in the earlier release alone; here nobody is.
        assert who in told[0]
        own = told[0].get(who, Counter())
        score = {v: Fraction(n, own.total()) for v, n in own.items()}
        if who in told[1]:
            there, all_ = told[1][who], everybody[1]
            score = {
                v: x * Fraction(there[v], there.total()) / Fraction(all_[v], all_.total())
                for v, x in score.items()
                if there[v]
            }
        certain += len(score) == 1
        left.append(len(score))
        top = max(score.values(), default=Fraction(0))
        right += truth == min((v for v, x in score.items() if x == top), default=usual)
    result = second.attack(CompositionAttack(earlier=first, on="patient_id", knows="class"))
    assert result.success == right / 300
    assert result.details["certain"] == result.details["certain_and_right"] == certain / 300 > 0
    assert result.details["values_left"] == pytest.approx(sum(left) / sum(one > 0 for one in left))
    assert result.details["gain_low"] > 0
    wrong = CompositionAttack(earlier=first.publication, on="patient_id", knows="class")
    with pytest.raises(lk.PolicyError, match="who is in which class is not told by what is published"):
        wrong.run(second.publication, second.private.encoded.data)


def test_what_is_missing_is_said_in_one_line(tmp_path):
    frame = pl.DataFrame({"id": ["a", "b"], "age": [30, 39], "disease": ["flu", "cold"]})
    columns = {"id": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}
    release = lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    folder = release.write(tmp_path / "out")
    for asked, expected in (
        (
            {},
            "composition: needs earlier releases of the same people; name them, as in earlier=[…] or --earlier FOLDER",
        ),
        ({"earlier": 3}, "composition: earlier: must be the folder of a release, or a release; got int"),
        (
            {"earlier": folder, "on": "id"},
            "composition: on: 'id' is looked for in the original of earlier release 1, which is not at hand; open it beside",
        ),
        (
            {"earlier": release, "on": "idd"},
            "composition: on: 'idd' is no column of the table; did you mean 'id'?",
        ),
        (
            {"earlier": release, "knows": "class"},
            "composition: knows: class is of adversaries who know who is who",
        ),
        ({"earlier": release, "on": ""}, "composition: on must be the name of a column; got ''"),
        ({"earlier": tmp_path}, f"composition: earlier: {tmp_path}: is no release"),
    ):
        with pytest.raises(lk.InvalidError) as refused:
            release.attack(CompositionAttack(**asked))
        (problem,) = refused.value.problems
        assert problem.startswith(expected)
    assert "composition: needs earlier releases" in release.attack_all().skipped["composition"]
    with pytest.raises(lk.PolicyError, match="was not read; attack by release"):
        CompositionAttack(earlier="out").run(release.publication, release.private.encoded.data)
    twice = frame.with_columns(id=pl.lit("a"))
    again = lk.anonymize(twice, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    with pytest.raises(lk.PolicyError, match="several people of the original of earlier release 1 have 'a'"):
        release.attack(CompositionAttack(earlier=again, on="id"))
    other = frame.with_columns(disease=pl.Series(["x", "y"]))
    another = lk.anonymize(other, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    with pytest.raises(
        lk.PolicyError, match="earlier release 1: none of the values of the original of 'disease'"
    ):
        release.attack(CompositionAttack(earlier=another))
    renamed = frame.rename({"disease": "illness"})
    third = lk.anonymize(
        renamed,
        lk.Policy(
            columns={"illness" if name == "disease" else name: own for name, own in columns.items()},
            privacy=lk.KAnonymity(2),
        ),
        seed=1,
    )
    with pytest.raises(lk.PolicyError, match="earlier release 1: 'disease' is no sensitive column there"):
        release.attack(CompositionAttack(earlier=third))
