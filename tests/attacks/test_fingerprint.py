"""Fingerprint: who is singled out, against every person one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked
from tests.attacks.table_12 import LOOSE, PEOPLE, PUBLISHED, TIGHT
from tests.forms.publications import integers, publish, table, words
from tests.identity_reserved import S4_TABLE4, s4_classes, s4_microdata
from tests.oracles.attacks_guessing import PlainRelease
from tests.oracles.attacks_individuals import PlainPeople, chance, mean

import likeness as lk
from likeness.attacks._individuals import draw_known, sets_of
from likeness.attacks.fingerprint import FingerprintAttack
from likeness.forms.angelized import AngelizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.identity_reserved import IdentityReservedForm


@settings(deadline=None, max_examples=40)
@given(draw=st.data())
def test_figures_are_those_of_every_target_by_hand(draw):
    found = draw.draw(attacked("identity-reserved"))
    assume(found.publication.size > 0)
    attack = FingerprintAttack(known=draw.draw(st.integers(1, 3)), seed=draw.draw(st.integers(0, 9)))
    plain = PlainPeople(found.data, found.plan)
    sets = sets_of(found.data, 0)
    result = attack.run(found.publication, found.data)
    n = len(plain.everybody)
    for name, number in (("by_quasi_identifiers", 0), ("", attack.known), ("by_all_values", None)):
        told = draw_known(sets, number, attack.seed)
        for people, end in ((plain.release, ""), (plain.original, "_before")):
            fit = []
            for i, target in enumerate(plain.everybody):
                own = frozenset(sets.value[told & (sets.of == i)].tolist())
                fit.append(len(plain.knowing(people(target), own)))
            if name:
                assert result.details[name + end] == fit.count(1) / n
                continue
            assert (result.baseline if end else result.success) == fit.count(1) / n
            assert result.details[f"picked{end}"] == pytest.approx(float(mean([chance(1, c) for c in fit])))
            assert result.details[f"fewest{end}"] == min((c for c in fit if c), default=0)
            if not end:
                assert result.details["unmatched"] == fit.count(0) / n
    assert result.details["targets"] == n


@settings(deadline=None, max_examples=60)
@given(draw=st.data(), form=st.sampled_from(["angelized", "anatomized", "generalized"]))
def test_one_record_a_person_equals_counting_every_candidate(draw, form):
    highest = draw.draw(st.booleans())
    found = draw.draw(attacked(form, highest=highest))
    data, publication = found.data, found.publication
    assume(publication.size > 0)
    attack = FingerprintAttack(known=draw.draw(st.integers(1, 3)), seed=draw.draw(st.integers(0, 9)))
    plain = PlainRelease(form, data, found.plan)
    records = data.source.records if highest else data
    domain, sets = records.sensitive[0], sets_of(records, 0)
    held = {c: {plain.kept_values[i] for i, b in enumerate(plain.class_of) if b == c} for c in plain.class_of}

    def possible(i, known):
        shown = {plain.kept_values[i]} if form == "generalized" else held[plain.class_of[i]]
        if not known:
            return True
        if not highest:
            return known <= shown
        return max(shown) >= max(int(domain.category_of[v]) for v in known)

    def share(number):
        told = draw_known(sets, number, attack.seed)
        fit = []
        for person in range(data.size):
            known = set(sets.value[told & (sets.of == person)].tolist())
            fit.append(sum(possible(i, known) for i in plain.candidates(plain.targets[person])))
        return fit

    result = attack.run(publication, data)
    n = data.size
    for name, number in (("by_quasi_identifiers", 0), ("by_all_values", None)):
        assert result.details[name] == share(number).count(1) / n
    fit = share(attack.known)
    assert result.success == fit.count(1) / n
    assert result.details["picked"] == pytest.approx(float(mean([chance(1, c) for c in fit])))
    assert result.details["unmatched"] == fit.count(0) / n
    assert set(result.details) <= {
        f"{x}{end}" for x in FingerprintAttack.explained for end in ("", "_before")
    }


def test_what_links_the_papers_own_tables():
    publication, _, _ = publish(AngelizedForm(), PUBLISHED, LOOSE)
    found = FingerprintAttack(known=2).run(publication, PEOPLE)
    # What is known of p1 to p4 leaves only one of their region's two buckets; of the others it leaves both.
    assert found.details["by_quasi_identifiers"] == 0
    assert found.details["regions_of_a_bucket"] == 2
    assert found.success == 4 / 8
    tight, _, _ = publish(AngelizedForm(), PUBLISHED, TIGHT)
    assert FingerprintAttack().run(tight, PEOPLE).details["regions_of_a_bucket"] == 1


def test_the_example_of_the_paper():
    data = s4_microdata()
    publication, _, _ = publish(IdentityReservedForm(), data, s4_classes(S4_TABLE4))
    found = FingerprintAttack(known=2).run(publication, data)
    # With all values known only Tim, whose hypertension Mike has too, is not singled out.
    assert found.success == found.details["by_all_values"] == pytest.approx(6 / 7)
    assert found.details["by_quasi_identifiers"] == 0
    assert found.details["picked"] == pytest.approx(6.5 / 7)
    assert found.details["fewest"] == 1
    # In the original everybody is alone with their quasi-identifiers.
    assert found.baseline == found.details["by_quasi_identifiers_before"] == 1
    assert set(found.details) <= {f"{x}{end}" for x in FingerprintAttack.explained for end in ("", "_before")}
    # One value: Jane, Ella, Lucy, Lily and Tina always, Tim never, Mike by his heart.
    shares = {FingerprintAttack(seed=seed).run(publication, data).success for seed in range(12)}
    assert shares == {5 / 7, 6 / 7}


def test_several_sensitive_columns():
    age, job = integers("age", [20, 30]), words("job", ["clerk", "nurse"])
    codes = [0, 0, 1, 1]
    data = table([(age, codes)], [(words("ward", ["a", "b"]), [0] * 4), (job, [0, 1, 0, 1])])
    data = replace(data, individuals=np.arange(4))
    publication, _, _ = publish(IdentityReservedForm(), data, [0] * 4)
    found = FingerprintAttack().run(publication, data)
    # Wards tell nobody apart, in the release or before; jobs do so before, within each age.
    assert (found.details["success:ward"], found.details["success:job"]) == (0, 0)
    assert "'ward'" in found.meaning
    assert FingerprintAttack(sensitive="job").run(publication, data).baseline == 1
    with pytest.raises(lk.PolicyError, match=r"fingerprint: 'jib' is not a sensitive column .*'job'"):
        FingerprintAttack(sensitive="jib").run(publication, data)


def test_drawn_targets():
    data = s4_microdata()
    publication, _, _ = publish(IdentityReservedForm(), data, s4_classes(S4_TABLE4))
    every = FingerprintAttack().run(publication, data)
    assert FingerprintAttack(targets=7).run(publication, data) == every
    found = [FingerprintAttack(targets=2, seed=seed).run(publication, data) for seed in (0, 0, *range(1, 9))]
    assert found[0] == found[1]
    assert len({one.success for one in found}) > 1
    assert all(one.details["targets"] == 2 for one in found)


def test_what_is_refused():
    data = s4_microdata()
    publication, _, _ = publish(GeneralizedForm(), data, s4_classes(S4_TABLE4))
    with pytest.raises(
        lk.PolicyError, match="fingerprint: looks for a person, and this release does not say"
    ):
        FingerprintAttack().run(publication, data)
    nothing, _, _ = publish(IdentityReservedForm(), data, [-1] * 10)
    with pytest.raises(lk.PolicyError, match="fingerprint: nothing was published"):
        FingerprintAttack().run(nothing, data)


@pytest.mark.parametrize("given_", [{"known": 0}, {"known": 1.5}, {"targets": 0}, {"seed": -1}])
def test_parameters_out_of_range(given_):
    with pytest.raises(lk.PolicyError, match=r"fingerprint: .* must be a whole number"):
        FingerprintAttack(**given_)
