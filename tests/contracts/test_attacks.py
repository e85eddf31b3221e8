"""What holds of every attack there is: a new file in `likeness/attacks` is tested here at once."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from math import isfinite

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import COVERING, DISEASE, FORMS, RECORD_FORMS, Attacked, attacked
from tests.contracts.parts import example

import likeness as lk
from likeness import registry
from likeness.attacks.base import Attack

NAMES = registry.names("attacks")
SEVERITY = {"disease": {"low": ["flu"], "high": ["hiv", "tb"]}}
BY_CLASS = ("anatomized", "angelized", "generalized")
EASY = settings(deadline=None, max_examples=15)


def made(name: str, publication) -> Attack:
    """Make an attack; one that puts releases together has that one itself as an earlier one."""
    attack: Attack = example("attacks", name)
    return replace(attack, earlier=(publication,)) if attack.takes_earlier else attack


def run(name: str, found: Attacked):
    """Attack a release; examples that the attack is not defined for are left out."""
    attack = made(name, found.publication)
    problem = attack.refusal(found.publication, found.data)
    try:
        result = attack.run(found.publication, found.data, found.making)
    except lk.PolicyError as refused:
        assert all(line.startswith(f"{name}: ") and "\n" not in line for line in refused.problems)
        assert problem is None or refused.problems == (problem,)
        assume(False)
    assert problem is None
    return result


def defined(name: str) -> list[str]:
    """Forms that an attack says it is defined for."""
    own = registry.load("attacks", name)
    forms = FORMS if own.takes_individuals else COVERING if own.of_regions else RECORD_FORMS
    return [form for form in forms if own.forms is None or form in own.forms]


CASES = [(name, form) for name in NAMES for form in defined(name)]


def some(form: str) -> st.SearchStrategy[Attacked]:
    """Releases of a form; where every record is another person's, of everybody's highest category too."""
    usual = attacked(form)
    return usual | attacked(form, highest=True) if form in BY_CLASS else usual


@pytest.mark.parametrize("name", NAMES)
def test_forms_are_forms(name):
    own = registry.load("attacks", name)
    assert own.forms is None or own.forms <= set(FORMS)
    assert defined(name)


@pytest.mark.parametrize(
    ("name", "form"), [(name, form) for name in NAMES for form in FORMS if form not in defined(name)]
)
@given(draw=st.data())
@settings(deadline=None, max_examples=5)
def test_other_forms_are_refused(name, form, draw):
    found = draw.draw(attacked(form))
    problem = made(name, found.publication).refusal(found.publication, found.data)
    own = registry.load("attacks", name)
    expected = "takes every record for another person's" if own.forms is None or form in own.forms else form
    if own.of_regions and not found.publication.covers:
        expected = f"{form} releases show means that need cover nobody"
    assert expected in (problem or "")


@pytest.mark.parametrize("name", [name for name in NAMES if "generalized" in defined(name)])
@given(draw=st.data())
@settings(deadline=None, max_examples=5)
def test_attacks_that_count_records_are_refused_where_people_have_several(name, draw):
    found = draw.draw(attacked("generalized", several=True))
    problem = made(name, found.publication).refusal(found.publication, found.data)
    if registry.load("attacks", name).takes_individuals:
        assert "takes every record" not in (problem or "")
    else:
        assert problem == (
            f"{name}: takes every record for another person's, and individual: names whose records are whose; "
            "attacks that count people: categorical-similarity, composition, fingerprint, homogeneity, linkage, membership, "
            "non-membership, sensitive-variance, sensitive-vertical"
        )


@pytest.mark.parametrize(("name", "form"), CASES)
@given(draw=st.data())
@EASY
def test_success_and_baseline_are_shares(name, form, draw):
    found = run(name, draw.draw(some(form)))
    assert found.attack == name
    assert 0 <= found.success <= 1
    assert 0 <= found.baseline <= 1
    assert found.gain == found.success - found.baseline
    assert found.meaning[0].islower()
    assert not found.meaning.endswith(".")
    assert all(type(value) is float and isfinite(value) for value in found.details.values())
    own = {what.removesuffix("_before") for what in found.details if not what.startswith("success:")}
    assert own <= {*registry.load("attacks", name).explained, "targets"}
    with pytest.raises(FrozenInstanceError):
        found.success = 0.0


@pytest.mark.parametrize(("name", "form"), CASES)
@given(draw=st.data())
@EASY
def test_the_same_release_is_attacked_the_same(name, form, draw):
    found = draw.draw(some(form))
    assert run(name, found) == run(name, found)


@pytest.mark.parametrize(("name", "form"), CASES)
@given(draw=st.data())
@EASY
def test_attacks_change_nothing(name, form, draw):
    found = draw.draw(some(form))
    data, publication = found.data, found.publication
    arrays = data.codes, data.sensitive_codes, publication.classes, publication.sensitive_codes
    before = [own.copy() for own in arrays]
    run(name, found)
    for own, now in zip(before, arrays, strict=True):
        assert np.array_equal(own, now)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_explained_is_said_shortly(name):
    for what, meaning in registry.load("attacks", name).explained.items():
        assert what.islower()
        assert len(meaning) <= 110, meaning
        assert not meaning.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_every_attack_is_run_on_some_release(name):
    """Of a table with everything attacks ask for, made by some method that publishes in one of its forms."""
    rng = np.random.default_rng(1)
    diseases = DISEASE.hierarchy
    assert diseases is not None
    frame = pl.DataFrame(
        {"age": rng.integers(20, 60, 120), "disease": [diseases.leaves[i] for i in rng.integers(0, 3, 120)]}
    )
    columns = {
        "age": lk.quasi(),
        "disease": lk.sensitive(hierarchy=[list(row) for row in diseases.to_rows()]),
    }
    ran = 0
    known = {"knowledge": {"kernel": {"bandwidth": 0.3}}}
    for method, privacy, more in (
        ({"name": "mondrian"}, lk.KAnonymity(3), {}),
        ({"name": "burel"}, lk.BetaLikeness(2), {}),
        ({"name": "anatomy", "l": 2}, lk.DistinctLDiversity(2), {}),
        ({"name": "mondrian"}, lk.KAnonymity(3) & lk.JsBackground(0.5), known),
    ):
        policy = lk.Policy(columns=columns, privacy=privacy, method=method, categories=SEVERITY, **more)
        release = lk.anonymize(frame, policy, seed=1)
        attack = made(name, release.publication)
        if attack.refusal(release.publication, release.private.encoded.data) is None:
            assert release.attack(attack).attack == name
            ran += 1
    # Where everybody has one record, nothing is left to learn of who is known by it.
    assert ran or defined(name) == ["identity-reserved"] or name in {"membership", "sensitive-vertical"}


@pytest.mark.parametrize("name", [name for name in NAMES if registry.load("attacks", name).takes_individuals])
def test_attacks_that_count_people_are_run_where_people_have_several_records(name):
    rng = np.random.default_rng(1)
    diseases = [f"disease {i}" for i in range(6)]
    frame = pl.DataFrame(
        {
            "patient": np.arange(120) // 2,
            "age": np.repeat(rng.integers(20, 60, 60), 2),
            "disease": [diseases[i] for i in rng.integers(0, 6, 120)],
        }
    )
    columns = {"patient": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}
    ran = 0
    for method, form in (
        ("mondrian", "generalized"),
        ("mondrian", "identity-reserved"),
        ("angel", "angelized"),
    ):
        policy = lk.Policy(
            columns=columns,
            individual="patient",
            privacy=lk.KAnonymity(3),
            method={"name": method},
            form={"name": form},
            categories={"disease": {"low": diseases[:3], "high": diseases[3:]}},
        )
        release = lk.anonymize(frame, policy, seed=1)
        attack = made(name, release.publication)
        if attack.refusal(release.publication, release.private.encoded.data) is None:
            assert release.attack(attack).attack == name
            ran += 1
    assert ran
