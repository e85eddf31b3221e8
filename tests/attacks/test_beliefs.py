"""Guesses and class beliefs against plain fractions, on every form and geometry."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import FORMS, RECORD_FORMS, attacked
from tests.oracles.attacks_guessing import PlainRelease, first_best

from likeness.attacks._beliefs import Evidence

EASY = settings(deadline=None, max_examples=25)


def published(found) -> np.ndarray:
    """Published code of every original value, with one more for nothing published at all."""
    own = found.data.sensitive[0].codes_in(found.publication.sensitive[0])
    return np.append(own, -1)


@pytest.mark.parametrize("form", RECORD_FORMS)
@given(draw=st.data())
@EASY
def test_every_target_is_guessed_as_by_hand(form, draw):
    found = draw.draw(attacked(form))
    plain = PlainRelease(form, found.data, found.plan)
    evidence = Evidence(found.publication, 0)
    rarest = draw.draw(st.booleans())
    scale = np.where(evidence.prior_counts > 0, 1 / np.maximum(evidence.prior, 1e-9), 0.0)
    guesses = evidence.guess(found.data, np.arange(found.data.size), scale if rarest else None)
    own = published(found)
    for t, target in enumerate(plain.targets):
        belief = plain.posterior(target)
        scores = {v: share / plain.prior[v] if rarest else share for v, share in belief.items()}
        guess = first_best(scores, plain.likeliest)
        assert guesses.candidates[t] == len(plain.candidates(target))
        assert guesses.answer[t] == own[guess]
        prior = Fraction(plain.prior[guess], max(1, len(plain.kept_values)))
        assert guesses.confidence[t] == pytest.approx(float(belief.get(guess, prior)))


@pytest.mark.parametrize("form", RECORD_FORMS)
@given(draw=st.data())
@EASY
def test_class_figures(form, draw):
    found = draw.draw(attacked(form))
    plain = PlainRelease(form, found.data, found.plan)
    evidence = Evidence(found.publication, 0)
    classes, total = plain.class_beliefs(), len(plain.kept_values)
    shares = [(v, share) for _, belief in classes for v, share in belief.items()]
    prior = {v: Fraction(n, total) for v, n in plain.prior.items()}
    largest = max((share for _, share in shares), default=0)
    assert evidence.strength.share == pytest.approx(float(largest))
    rise = max((share - prior[v] for v, share in shares), default=0)
    assert evidence.strength.difference == pytest.approx(float(rise), abs=1e-12)
    world = sum(size * sum(x**2 for x in belief.values()) for size, belief in classes)
    assert evidence.strength.random_world == pytest.approx(float(Fraction(world) / max(1, total)))
    strength = evidence.strength
    most = max((share / prior[v] for v, share in shares), default=Fraction(0))
    assert strength.ratio == pytest.approx(float(most))
    if shares:
        top = max(share for v, share in shares if share / prior[v] == most)
        assert strength.belief == pytest.approx(float(top)) or found.publication.mechanism is not None
        assert strength.belief == pytest.approx(strength.prior * strength.ratio)


@pytest.mark.parametrize("form", FORMS)
@given(draw=st.data())
@EASY
def test_guesses_are_what_posterior_says(form, draw):
    """The same beliefs as `Publication.posterior` gives, one target at a time."""
    found = draw.draw(attacked(form))
    guesses = Evidence(found.publication, 0).guess(found.data, np.arange(found.data.size))
    data, publication = found.data, found.publication
    labels = [*publication.sensitive[0].labels, ""]
    t = draw.draw(st.integers(0, data.size - 1))
    target = {
        domain.name: None if code == domain.missing_code else domain.values[code]
        for domain, code in zip(data.quasi, data.codes[:, t].tolist(), strict=True)
    }
    beliefs = publication.posterior(target).get("disease")
    if beliefs is None:
        assert guesses.candidates[t] == 0
    else:
        assert guesses.confidence[t] == pytest.approx(max(beliefs.values()))
        assert guesses.confidence[t] == pytest.approx(beliefs[labels[guesses.answer[t]]])
