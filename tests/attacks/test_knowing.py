"""What who knows something of somebody believes: the paper's example in fractions, and random tables over all assignments."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.attacks.table_12 import BUCKETS, GROUPS, LABELS, LOOSE, PEOPLE, PUBLISHED, SYMPTOMS, TIGHT, making
from tests.forms.publications import publish
from tests.oracles.attacks_knowing import PlainKnowing

from likeness.attacks import _knowing as knowing
from likeness.attacks._individuals import ValueSets, shown_codes
from likeness.attacks._knowing import Cases, Told, Whereabouts, in_own_class, single, through_regions
from likeness.errors import TableError
from likeness.forms.angelized import AngelizedForm
from likeness.forms.perturbed import PerturbedForm
from likeness.microdata.plan import Added, Plan

FORM = AngelizedForm()


def beliefs(places: Whereabouts, allowed: np.ndarray, person: int) -> list[Fraction]:
    """Belief in every value of who knows that only some are possible, as a fraction."""
    values = allowed.size
    everything = ValueSets(np.arange(values + 1), np.arange(values))
    cases = Cases(np.full(values, person), np.zeros(values, np.int64), np.ones(values), everything)
    found = places.believe(cases, Told(allowed[None]))
    return [
        Fraction(int(n), int(d)) if d else Fraction(0)
        for n, d in zip(found.most.tolist(), found.whole.tolist(), strict=True)
    ]


def table_12(plan):
    publication, _, made = publish(FORM, PUBLISHED, plan)
    return publication, through_regions(publication, 0, PEOPLE, np.arange(8)), made


def believed(places, person, possible=LABELS) -> dict[str, Fraction]:
    allowed = np.array([label in possible for label in LABELS])
    return {
        label: share for label, share in zip(LABELS, beliefs(places, allowed, person), strict=True) if share
    }


def fractions(**given_: str) -> dict[str, Fraction]:
    return {label: Fraction(share) for label, share in given_.items()}


@pytest.mark.parametrize(
    ("persons", "expected"),
    [
        ((0, 4), fractions(Mild="1/4", Severe="1/4", Low="1/4", Asymptomatic="1/4")),
        ((2, 6), fractions(High="1/4", Severe="1/4", Low="1/4", Asymptomatic="1/4")),
        ((1, 5), fractions(Mild="5/12", Low="1/3", Severe="1/4")),
        ((3, 7), fractions(Low="4/9", Mild="2/9", High="1/6", Severe="1/6")),
    ],
)
def test_without_knowledge_beliefs_are_those_of_the_paper(persons, expected):
    _, places, _ = table_12(LOOSE)
    for person in persons:
        assert believed(places, person) == expected


def test_mean_beliefs_in_the_truth_are_exact():
    truth = [LABELS[code] for code in PEOPLE.sensitive_codes[0].tolist()]
    for plan, mean in ((LOOSE, Fraction(79, 288)), (TIGHT, Fraction(63, 160))):
        _, places, _ = table_12(plan)
        assert sum(believed(places, p)[truth[p]] for p in range(8)) / 8 == mean
    # Whoever knows the group too: the bucket, in tables that are linked tightly.
    publication, _, made = table_12(TIGHT)
    places = in_own_class(publication, 0, PUBLISHED, making(made), np.arange(8))
    assert sum(believed(places, p)[truth[p]] for p in range(8)) / 8 == Fraction(13, 24)


def test_invented_records_are_in_their_bucket():
    invented = Added(np.array([7]), np.array([[LABELS.index("Mild")]], np.int32))
    plan = Plan(np.array(GROUPS), np.array(BUCKETS), added=invented)
    publication, _, made = publish(FORM, PEOPLE, plan)
    assert publication.size == 9
    places = in_own_class(publication, 0, PEOPLE, making(made), np.arange(8))
    for person in (5, 7):
        assert believed(places, person) == fractions(Low="2/3", Mild="1/3")
    through = through_regions(publication, 0, PEOPLE, np.arange(8))
    assert believed(through, 7) == fractions(Low="4/9", Mild="2/9", High="1/6", Severe="1/6")


@pytest.mark.parametrize(
    ("person", "known", "expected"),
    [
        (1, ["Difficult Breathing"], fractions(Severe="1")),
        (0, ["Flu"], fractions(Low="1/3", Mild="1/3", Severe="1/3")),
        (0, ["Chills"], fractions(Mild="1/2", Severe="1/2")),
        (0, ["Chills", "Flu"], fractions(Mild="1/2", Severe="1/2")),
        (2, ["Cough"], fractions(High="1/2", Severe="1/2")),
        (3, ["Stomach Pain"], fractions(High="1/2", Severe="1/2")),
        (3, ["High"], fractions(High="1/2", Severe="1/2")),
        (7, [], fractions(Low="4/9", Mild="2/9", High="1/6", Severe="1/6")),
    ],
)
def test_who_knows_a_record_rules_out_all_lower_categories(person, known, expected):
    publication, places, _ = table_12(LOOSE)
    assert publication.shows_highest(0)
    left = [label for label, out in zip(LABELS, publication.consistent(0, known), strict=True) if out]
    assert believed(places, person, left) == expected


def test_who_rules_a_category_out():
    _, places, _ = table_12(LOOSE)
    without = [label for label in LABELS if label != "Low"]
    assert believed(places, 1, without) == fractions(Mild="5/8", Severe="3/8")
    # Chills known of p1, and that it is not severe.
    assert believed(places, 0, ["Mild", "High"]) == fractions(Mild="1")
    # All that each of them does not have: six of eight are certain, p1 and p4 are not.
    truth = [LABELS[code] for code in PEOPLE.sensitive_codes[0].tolist()]
    found = []
    for person, symptoms in enumerate(SYMPTOMS):
        had = {LABELS[PUBLISHED.sensitive[0].categories.rank[symptom]] for symptom in symptoms}
        found.append(believed(places, person, had)[truth[person]])
    assert found == [Fraction(1, 2), 1, 1, Fraction(1, 2), 1, 1, 1, 1]


def test_what_cannot_be_told():
    publication, _, _ = table_12(LOOSE)
    with pytest.raises(TableError, match="column 'severity': 'Vertigo' is in none of its categories"):
        publication.consistent(0, ["Vertigo"])


@settings(deadline=None, max_examples=60)
@given(draw=st.data(), form=st.sampled_from(["angelized", "anatomized", "generalized"]))
def test_beliefs_are_those_over_all_assignments(draw, form):
    highest = draw.draw(st.booleans())
    found = draw.draw(attacked(form, highest=highest, rows=8))
    data, publication = found.data, found.publication
    if publication.size == 0:
        return
    plain = PlainKnowing(form, data, found.plan)
    own = shown_codes(publication, 0, data)
    through = through_regions(publication, 0, data, np.arange(data.size))
    there = in_own_class(publication, 0, data, found.making, np.arange(data.size))
    for person in range(data.size):
        possible = draw.draw(st.sets(st.integers(0, own.size - 1)))
        allowed = np.zeros(publication.sensitive[0].codes, np.bool_)
        allowed[[own[v] for v in possible if own[v] >= 0]] = True
        for places, rows in ((through, plain.candidates(person)), (there, plain.own_class(person))):
            expected = plain.posterior(rows, possible)
            assert beliefs(places, allowed, person) == [
                expected.get(int(v[0]) if (v := np.flatnonzero(own == code)).size else -1, Fraction(0))
                for code in range(allowed.size)
            ]


@settings(deadline=None, max_examples=40)
@given(draw=st.data(), form=st.sampled_from(["angelized", "anatomized", "generalized", "baseline"]))
def test_joined_shares_are_exact(draw, form):
    found = draw.draw(attacked(form))
    publication = found.publication
    joined = publication.joined(0)
    for identity in range(joined.start.size - 1):
        rows = np.flatnonzero(publication.identities == identity)
        shares = {}
        for row in rows.tolist():
            alike = publication.sensitive_codes[0][publication.classes == publication.classes[row]].tolist()
            for value in alike:
                shares[value] = shares.get(value, 0) + Fraction(1, len(alike))
        entries = slice(joined.start[identity], joined.start[identity + 1])
        assert {
            value: Fraction(weight, joined.one)
            for value, weight in zip(
                joined.value[entries].tolist(), joined.weight[entries].tolist(), strict=True
            )
        } == shares
        assert sum(joined.weight[entries].tolist()) == rows.size * joined.one


def test_shares_of_buckets_of_many_sizes_stay_exact():
    """Denominators that no 64 bits hold."""
    primes = [53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103]
    buckets = np.repeat(np.arange(len(primes)), primes)
    rng = np.random.default_rng(1)
    data = PEOPLE.take(rng.integers(0, 8, buckets.size))
    publication, _, _ = publish(FORM, data, Plan(data.codes[2].astype(np.int64), buckets))
    joined = publication.joined(0)
    assert joined.weight.dtype == object
    assert joined.one == np.prod(np.array(primes, object))
    places = Whereabouts(joined, np.zeros(1, np.int64))
    found = beliefs(places, np.ones(joined.values, np.bool_), 0)
    assert sum(found) == 1
    members = publication.identities == 0
    expected = np.zeros(joined.values)
    for b in publication.classes[members].tolist():
        own = publication.sensitive_codes[0][publication.classes == b]
        expected += np.bincount(own, minlength=joined.values) / own.size / members.sum()
    assert [float(share) for share in found] == pytest.approx(expected.tolist())


@settings(deadline=None, max_examples=30)
@given(draw=st.data())
def test_work_in_portions_changes_nothing(draw):
    found = draw.draw(attacked("angelized"))
    data, publication = found.data, found.publication
    everybody = np.arange(data.size)
    most, results = knowing._MOST_ENTRIES, []
    try:
        for portion in (1, 3, most):
            knowing._MOST_ENTRIES = portion
            if publication.size == 0:
                return
            places = through_regions(publication, 0, data, everybody)
            cases = Cases(
                everybody,
                everybody % 2,
                np.ones(data.size),
                single(shown_codes(publication, 0, data)[data.sensitive_codes[0]]),
            )
            allowed = np.ones((2, publication.sensitive[0].codes), np.bool_)
            allowed[1, 0] = False
            own = places.believe(cases, Told(allowed))
            results.append([part.tolist() for part in (own.most, own.total, own.whole, own.credit)])
    finally:
        knowing._MOST_ENTRIES = most
    assert results[0] == results[1] == results[2]


@settings(deadline=None, max_examples=5)
@given(draw=st.data())
def test_randomized_values_have_no_shares_of_people(draw):
    publication = draw.draw(attacked(PerturbedForm.name)).publication
    with pytest.raises(TableError, match="perturbed releases randomize values"):
        publication.joined(0)
