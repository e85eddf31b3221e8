"""Columns of which only some values need protection: models by their definitions, in search, proof and bound alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import number, plain_set, tree
from tests.methods.test_optimal import charged
from tests.models.tables import accepts, categorical, diseases
from tests.oracles import partitions
from tests.properties.brute_force import Model, satisfied_of_some
from tests.properties.guarantees import OF_SOME, PARAMETERS
from tests.properties.plain_regions import Field

from likeness import registry
from likeness.bounds import lower_bound
from likeness.errors import PolicyError
from likeness.methods.base import Problem
from likeness.methods.optimal import Optimal
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.regions import LOSSES
from likeness.microdata.statistics import ClassStatistics
from likeness.models.requirements import Requirement, require, require_of
from likeness.progress import Progress

SENSITIVE = tuple(sorted(OF_SOME - {"k-anonymity"}))
OTHERS = tuple(sorted(set(PARAMETERS) - OF_SOME))


def protecting(domain: Domain, *labels: str) -> Domain:
    return replace(domain, protected=np.isin([*domain.labels_with("missing")], labels))


def required(name: str, parameters: dict[str, Any], domain: Domain, table: list[int]) -> Requirement:
    """A model of a column, compared with the distribution of some records."""
    codes = np.repeat(np.arange(domain.codes), table).astype(np.int32)[None]
    return require([registry.create("models", name, parameters)], [domain], codes)[0]


def statistics(one: Requirement, domain: Domain, classes: list[list[int]]) -> ClassStatistics:
    which, codes = np.divmod(
        np.repeat(np.arange(len(classes) * domain.codes), np.ravel(classes)), domain.codes
    )
    return one.statistics(which, len(classes), [domain], codes.astype(np.int32)[None])


def accepted(one: Requirement, domain: Domain, counts: list[int]) -> bool:
    """What a search is told of a class."""
    assert one.view is not None
    codes = np.repeat(np.arange(domain.codes), counts).astype(np.int32)[None]
    return accepts(one.bound, np.bincount(one.view.codes(codes), minlength=one.view.values).tolist())


def plain(name: str, given_: Model, domain: Domain, counts: list[int], table: list[int]) -> bool:
    labels = domain.labels_with(None)
    listed = [label for label, own in zip(labels, domain.protected, strict=True) if own]
    field = Field("sensitive", "categorical", [], {"values": listed})
    group, whole = ({v: n for v, n in zip(labels, each, strict=True) if n} for each in (counts, table))
    return satisfied_of_some({"model": name} | given_, field, Counter(group), Counter(whole))


FOUR = protecting(categorical(4), "0")


@pytest.mark.parametrize(
    ("name", "given_", "good", "bad"),
    [
        # Of 4 HIV in 40: p = .1, so at most .2 of a class.
        ("basic-beta-likeness", {"beta": 1}, [[1, 4, 0, 0], [0, 9, 0, 0]], [[1, 3, 0, 0]]),
        ("basic-beta-likeness", {"beta": 1, "negative": "1/2"}, [[1, 19, 0, 0]], [[1, 20, 0, 0], [0, 1, 0, 0]]),
        ("alpha-k-anonymity", {"alpha": "1/3", "k": 3}, [[1, 2, 0, 0], [0, 3, 0, 0]], [[1, 1, 0, 0], [0, 2, 0, 0]]),
        # Changing .1 of them would make the shares of HIV and of all others equal.
        ("t-closeness", {"t": "1/10"}, [[0, 0, 7, 0], [1, 0, 4, 0]], [[1, 0, 3, 0]]),
        ("distinct-l-diversity", {"l": 3}, [[1, 1, 1, 0], [0, 5, 0, 0]], [[1, 4, 0, 0]]),
        ("p-sensitivity", {"p": 2}, [[3, 1, 0, 0], [0, 5, 0, 0]], [[3, 0, 0, 0]]),
        # The most frequent other one does not count: 1 < 1 (1 + 1), but not 1 < 1 (1).
        ("recursive-cl-diversity", {"c": 1, "l": 3}, [[1, 9, 1, 1], [0, 1, 0, 0]], [[1, 9, 1, 0], [2, 9, 1, 1]]),
        # Both sides: from .1 / 2 to .1 · 2, neither end reached.
        ("delta-disclosure", {"beta": 1}, [[1, 18, 0, 0]], [[1, 19, 0, 0], [1, 4, 0, 0], [0, 4, 0, 0]]),
    ],
)  # fmt: skip
def test_models_of_one_value_alone(name, given_, good, bad):
    one = required(name, given_, FOUR, [4, 20, 10, 6])
    for counts, expected in [*((c, True) for c in good), *((c, False) for c in bad)]:
        assert one.bound.holds(statistics(one, FOUR, [counts])).tolist() == [expected], counts
        assert accepted(one, FOUR, counts) == expected, counts
        assert plain(name, given_, FOUR, counts, [4, 20, 10, 6]) == expected, counts


@pytest.mark.slow
@pytest.mark.parametrize("name", SENSITIVE)
@given(data=st.data())
@settings(deadline=None, max_examples=120)
def test_search_and_proof_agree_with_the_definition(name, data):
    domain = data.draw(st.sampled_from([categorical(2), categorical(4), categorical(3, missing=True)]))
    chosen = data.draw(st.lists(st.sampled_from(domain.labels), min_size=1, unique=True))
    domain = protecting(domain, *chosen)
    given_ = data.draw(PARAMETERS[name].filter(lambda found: "bound" not in found))
    own = st.lists(st.integers(0, 4), min_size=domain.codes, max_size=domain.codes).filter(any)
    classes = data.draw(st.lists(own, min_size=1, max_size=4))
    table = np.array(classes).sum(axis=0).tolist()
    one = required(name, given_, domain, table)
    stats = statistics(one, domain, classes)
    judged = one.bound.judge(stats)
    for counts, good, slack in zip(classes, judged.holds.tolist(), judged.slack.tolist(), strict=True):
        assert good == plain(name, given_, domain, counts, table), counts
        assert accepted(one, domain, counts) == good, counts
        assert slack > -1e-9 if good else slack < 1e-9
    # Two that hold do so together, for all these models say that.
    both = np.array(classes)[judged.holds].sum(axis=0)
    if both.any():
        assert one.bound.holds(statistics(one, domain, [both.tolist()])).all()
    sizes = one.bound.smallest_classes()
    for counts, good in zip(classes, judged.holds.tolist(), strict=True):
        needed = max((s for s, n in zip(sizes.tolist(), counts, strict=False) if n), default=1)
        assert sum(counts) >= needed or not good or sizes.size != domain.codes
    strongest = one.bound.strongest(stats).values
    if all(np.isfinite(value) for value in strongest.values()):
        model = one.model
        met = {
            key: int(value)
            if isinstance(getattr(model, key), int)
            else value * (1 + 1e-9 * (key in {"c", "delta"}))
            for key, value in strongest.items()
        }
        try:
            stronger = registry.parameters(replace(model, **met))
        except PolicyError:
            return  # β = 0 and the like: stronger than any parameter
        again = required(name, stronger, domain, table)
        assert again.bound.holds(stats).all()


@pytest.mark.parametrize("name", SENSITIVE)
@given(data=st.data())
@settings(deadline=None, max_examples=30)
def test_of_a_column_whose_values_are_all_listed_nothing_changes(name, data):
    given_ = data.draw(PARAMETERS[name].filter(lambda found: "bound" not in found))
    classes = data.draw(
        st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any), min_size=1, max_size=4)
    )
    table = np.array(classes).sum(axis=0).tolist()
    plainly, listed = categorical(3), protecting(categorical(3), "0", "1", "2")
    ones = [required(name, given_, domain, table) for domain in (plainly, listed)]
    found = [one.bound.holds(statistics(one, plainly, classes)).tolist() for one in ones]
    assert found[0] == found[1]


def test_what_needs_values_of_every_class_no_longer_does():
    """A class without HIV holds, and one who has it may break a class: neither is so where all values need protection."""
    whole, some = (
        required("distinct-l-diversity", {"l": 3}, domain, [4, 4, 4, 4]) for domain in (categorical(4), FOUR)
    )
    assert (whole.closed_under_adding, some.closed_under_adding) == (True, False)
    assert (whole.bound.values_needed(), some.bound.values_needed()) == (3, 1)
    assert (whole.conditions.values, some.conditions.values) == (3, None)
    assert some.bound.smallest_classes().tolist() == [3, 1, 1, 1]


@pytest.mark.parametrize("name", OTHERS)
@given(data=st.data())
@settings(deadline=None, max_examples=3)
def test_models_that_cannot_hold_for_some_values_alone_say_so_in_one_line(name, data):
    with pytest.raises(PolicyError) as refused:
        required(name, data.draw(PARAMETERS[name]), FOUR, [1, 1, 1, 1])
    assert f"{name}: cannot hold for some values of 'sensitive' alone" in str(refused.value)
    assert "distinct-l-diversity" in str(refused.value)
    assert len(refused.value.problems) == 1


def test_distances_have_no_place_for_what_is_left_out():
    domain = replace(categorical(4), kind="ordered", shape="interval", distance="ordered")
    with pytest.raises(PolicyError, match="have no place in an order or hierarchy; say distance: equal"):
        required("t-closeness", {"t": 0.5}, protecting(domain, "0"), [1, 1, 1, 1])
    assert required("t-closeness", {"t": 0.5, "distance": "equal"}, protecting(domain, "0"), [1, 1, 1, 1])


def test_a_node_is_protected_whole_or_not_at_all():
    nervous = ("headache", "epilepsy", "brain tumors")
    one = required(
        "beta-likeness", {"beta": 1, "level": 1}, protecting(diseases(), *nervous), [2, 3, 3, 3, 4, 4]
    )
    assert one.view is not None
    assert one.view.protected is not None
    # Of 8 nervous in 19 the share grows to 8/19 (1 - ln 8/19) at most; that of the circulatory ones as it likes.
    assert one.bound.holds(
        statistics(one, diseases(), [[0, 0, 0, 1, 0, 0], [1, 1, 1, 1, 0, 0]])
    ).tolist() == [True, True]
    assert one.bound.holds(statistics(one, diseases(), [[1, 1, 3, 0, 0, 0]])).tolist() == [False]
    with pytest.raises(
        PolicyError, match="takes 'nervous' of 'sensitive' for one, and values: protects only some of it"
    ):
        required(
            "beta-likeness", {"beta": 1, "level": 1}, protecting(diseases(), "headache"), [2, 3, 3, 3, 4, 4]
        )


COMPOSITIONS: tuple[tuple[Model, ...], ...] = (
    ({"model": "distinct-l-diversity", "l": 2}, {"model": "k-anonymity", "k": 2}),
    ({"model": "recursive-cl-diversity", "c": 2, "l": 2},),
    ({"model": "alpha-k-anonymity", "alpha": "1/2", "k": 2},),
    ({"model": "t-closeness", "t": "1/4", "distance": "equal"},),
    ({"model": "beta-likeness", "beta": "7/10"},),
    ({"model": "delta-disclosure", "delta": 2},),
)


def tiny(seed: int) -> Microdata:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 8))
    quasi = (number("age", 6), plain_set("job", 3), tree("work"))
    values = replace(number("pay", 3), protected=np.arange(3) == rng.integers(3))
    codes = np.array([rng.integers(0, domain.codes, n) for domain in quasi], np.int32)
    return Microdata(quasi, codes, (values,), rng.integers(0, 3, (1, n)).astype(np.int32), np.arange(n))


@pytest.mark.slow
@pytest.mark.parametrize("models", COMPOSITIONS, ids=lambda own: own[0]["model"])
@pytest.mark.parametrize("allowance", [0, 1])
def test_the_optimum_of_tiny_tables_and_its_bound(models, allowance):
    """Of all partitions none loses less than `optimal`'s, and the bound is not above."""
    made = tuple(
        registry.create("models", m["model"], {k: v for k, v in m.items() if k != "model"}) for m in models
    )
    for seed in range(6):
        data = tiny(seed)
        domain = data.sensitive[0]

        def holds(counts: list[int], whole: list[int], domain: Domain = domain) -> bool:
            return all(
                sum(counts) >= m["k"]
                if m["model"] == "k-anonymity"
                else plain(m["model"], {k: v for k, v in m.items() if k != "model"}, domain, counts, whole)
                for m in models
            )

        best = partitions.least(data, holds, "glm", allowance)
        requirements = require_of(made, data)
        problem = Problem(
            data, requirements, LOSSES["glm"], np.random.default_rng(0), None, allowance, Progress()
        )
        plan = Optimal(loss="glm").run(problem)
        if best is None:
            assert not plan.published.any()
            continue
        assert plan.history["proven"]
        assert charged(data, plan, "glm") == pytest.approx(best, abs=1e-6)
        assert lower_bound(data, made, "glm", allowance).value * data.size <= best + 1e-9
