"""What holds of every privacy model there is: a new file in `likeness/models` is tested here at once."""

from __future__ import annotations

import json
from dataclasses import MISSING, FrozenInstanceError, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf, isfinite, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import KINDS, accepts, bind, class_counts, count, distributions, domains
from tests.oracles import models as oracles

from likeness import registry
from likeness.errors import PolicyError
from likeness.models.base import Composition, DistributionModel, SensitiveModel

NAMES = registry.names("models")
ROUNDED = {"entropy-l-diversity", "js-background", "bt-privacy"}
"""Models whose searches decide by floats, and refuse what these cannot tell."""
STRICT = {"c", "delta"}
"""Parameters whose strongest value is an infimum that is not met itself."""
BAD = ["abc", nan, inf, -1, "", None, [], True, "1/0", Decimal("Infinity"), "1e999999999"]
EASY = settings(deadline=None, max_examples=30)


def oracle(name: str) -> Any:
    """The plain definition of a model."""
    found = getattr(oracles, name.replace("-", "_"), None)
    assert found is not None, f"tests/oracles/models.py has no plain definition of {name}"
    return found


@cache
def parameters(name: str) -> st.SearchStrategy[dict[str, Any]]:
    return getattr(oracles, f"{name.replace('-', '_')}_parameters")()


@cache
def tables_of(values: int, largest: int = 4) -> st.SearchStrategy[list[list[int]]]:
    """One to four classes."""
    return st.lists(class_counts(values, largest), min_size=1, max_size=4)


@cache
@st.composite
def cases(draw: st.DrawFn, name: str) -> tuple[Any, dict[str, Any], Any, list[list[int]], Any]:
    """A model, its parameters, a column, classes, and what they are compared with.

    That is the reference distribution; of models about knowledge the distributions that are known, and classes are counts of
    pairs of one of these and a value.
    """
    domain = draw(domains(getattr(oracle(name), "domains", KINDS)))
    given_ = draw(parameters(name))
    if "values" in given_ and "0" not in domain.labels:
        del given_["values"]
    if registry.load("models", name).needs_knowledge:
        known = draw(distributions(domain.codes))
        classes = draw(tables_of(known.count * domain.codes, 1))
        return registry.create("models", name, given_), given_, domain, classes, known
    original = draw(st.booleans()) and issubclass(registry.load("models", name), DistributionModel)
    classes = draw(tables_of(domain.codes))
    others = draw(class_counts(domain.codes)) if original else [0] * domain.codes
    reference = np.array([*classes, others]).sum(axis=0).tolist()
    extra = {"reference": "original"} if original else {}
    return registry.create("models", name, given_ | extra), given_, domain, classes, reference


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(deadline=None, max_examples=100)
def test_search_and_proof_agree_with_the_definition(name, data):
    model, given_, domain, classes, reference = data.draw(cases(name))
    bound = bind(model, reference, domain)
    judged = bound.judge(count(classes))
    for counts, good, slack in zip(classes, judged.holds, judged.slack, strict=True):
        assert good == oracle(name)(counts, reference, domain, **given_), counts
        assert slack > -1e-9 if good else slack < 1e-9
        accepted = accepts(bound, counts)
        assert good or not accepted, "a search may not accept what the proof rejects"
        assert accepted == good or (name in ROUNDED and abs(slack) < 1e-9)
    assert judged.all_hold == all(judged.holds)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@EASY
def test_unions_of_good_classes_are_good_where_the_model_says_so(name, data):
    model, _, domain, classes, reference = data.draw(cases(name))
    if not model.closed_under_union:
        return
    good = np.array(classes)[bind(model, reference, domain).holds(count(classes))]
    if len(good):
        assert bind(model, reference, domain).holds(count([good.sum(axis=0)])).all()
        assert bind(model, reference, domain).holds(count([good[0] + good[-1]])).all()


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@EASY
def test_good_classes_stay_good_with_a_record_more_where_the_model_says_so(name, data):
    model, _, domain, classes, reference = data.draw(cases(name))
    if not model.closed_under_adding:
        return
    bound = bind(model, reference, domain)
    more = np.eye(len(classes[0]), dtype=np.int64)
    for counts, good in zip(classes, bound.holds(count(classes)), strict=True):
        if good:
            assert bound.holds(count(np.array(counts) + more)).all()


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@EASY
def test_the_strongest_parameters_are_met(name, data):
    model, _, domain, classes, reference = data.draw(cases(name))
    stats = count(classes)
    found = bind(model, reference, domain).strongest(stats).values
    if not all(isfinite(value) for value in found.values()):
        assert not bind(model, reference, domain).holds(stats).all()
        return
    met = {
        key: int(value) if isinstance(getattr(model, key), int) else value * (1 + 1e-9 * (key in STRICT))
        for key, value in found.items()
    }
    try:
        strongest = replace(model, **met)
    except PolicyError:
        return  # β = 0 and the like: stronger than any parameter
    assert bind(strongest, reference, domain).holds(stats).all()


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@EASY
def test_no_class_below_n_min_holds(name, data):
    model, _, domain, classes, reference = data.draw(cases(name))
    bound = bind(model, reference, domain)
    least = bound.smallest_classes()
    assert least.size in {0, domain.codes}
    if least.size:
        for counts, good in zip(classes, bound.holds(count(classes)), strict=True):
            needed = max(size for size, held in zip(least, counts, strict=True) if held)
            assert sum(counts) >= needed or not good


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(deadline=None, max_examples=20)
def test_models_are_values_that_policies_and_certificates_can_hold(name, data):
    model, *_ = data.draw(cases(name))
    kept = json.loads(json.dumps(registry.parameters(model)))
    again = registry.create("models", name, kept)
    assert again == model
    assert hash(again) == hash(model)
    assert repr(again) == repr(model)
    assert {model: 1}[again] == 1
    with pytest.raises(FrozenInstanceError):
        model.name = "other"
    assert list(model & again) == [model, again]
    assert (model & again) & model == Composition((model, again, model))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(deadline=None, max_examples=2)
def test_bad_parameters_are_refused_in_one_line(name, data):
    part = registry.load("models", name)
    good = data.draw(parameters(name))
    needed = {field.name for field in fields(part) if field.default is MISSING} | ({"beta"} & set(good))
    for key, bad in product(needed, BAD):
        with pytest.raises(PolicyError, match=rf"^{name}: ") as refused:
            part(**good | {key: bad})
        assert len(refused.value.problems) == 1
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(deadline=None, max_examples=2)
def test_bad_choices_and_unknown_parameters_are_refused(name, data):
    good = data.draw(parameters(name))
    with pytest.raises(PolicyError, match=rf"^{name}: unknown parameter 'refrence'"):
        registry.create("models", name, good | {"refrence": "original"})
    if not issubclass(registry.load("models", name), SensitiveModel):
        return
    wrong: list[tuple[str, Any]] = [("others", "none"), ("sensitive", 3)]
    if issubclass(registry.load("models", name), DistributionModel):
        wrong.append(("reference", "origin"))
    else:
        with pytest.raises(PolicyError, match=rf"^{name}: unknown parameter 'reference'"):
            registry.create("models", name, good | {"reference": "original"})
    for key, bad in wrong:
        with pytest.raises(PolicyError, match=rf"^{name}: {key} must "):
            registry.create("models", name, good | {key: bad})
    with pytest.raises(PolicyError, match="needs a sensitive column"):
        registry.create("models", name, good).bind(None)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(deadline=None, max_examples=20)
def test_a_stronger_parameter_accepts_nothing_that_a_weaker_one_refuses(name, data):
    model, given_, domain, classes, reference = data.draw(cases(name))
    known = {field.name for field in fields(model)}
    assert model.ranges
    assert set(model.ranges) <= known
    key = data.draw(st.sampled_from(sorted(set(model.ranges) & set(given_))))
    other = data.draw(parameters(name))
    if key not in other or isinstance(given_[key], dict) or isinstance(other[key], dict):
        return
    changed = replace(model, **{key: other[key]})
    if (Fraction(other[key]) >= Fraction(given_[key])) == model.ranges[key].larger_is_stronger:
        weak, strong = model, changed
    else:
        weak, strong = changed, model
    held = [bind(one, reference, domain).holds(count(classes)) for one in (weak, strong)]
    if Fraction(other[key]) != Fraction(given_[key]):
        assert not (held[1] & ~held[0]).any()


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@EASY
def test_every_model_says_what_it_promises_in_plain_words(name, data):
    """Sentences with the parameters in them, without signs and names that only the field knows."""
    model = registry.create("models", name, data.draw(parameters(name)))
    said = model.in_plain_words
    assert said.endswith(".")
    assert said == " ".join(said.split())
    assert 20 < len(said) < 500
    assert not set(said) & set("αβδθρℓεωΣ≤≥{}_=<>`")
    assert not {word.strip(".,:;") for word in said.split()} & {
        "class",
        "distribution",
        "divergence",
        "entropy",
        "quasi",
    }
    for other in registry.load("models", name).ranges:
        # What a search varies is told: another parameter, another sentence.
        value = getattr(model, other)
        if isinstance(value, int) and not isinstance(value, bool):
            assert replace(model, **{other: value + 1}).in_plain_words != said
