"""Of people with several values as few are withheld as must be, nearly, whatever the order of rows."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import likeness as lk

MODELS = {
    "alpha-k-anonymity": {"k": 1, "alpha": "share"},
    "eir-alpha-beta-anonymity": {"alpha": 1, "beta": "share"},
}


def drawn(rng):
    """People, each with one or two of some values, and the largest share that a value may have."""
    values = "xyzw"[: int(rng.integers(2, 5))]
    people = {
        name: sorted({str(v) for v in rng.choice(list(values), int(rng.integers(1, 3)))})
        for name in range(int(rng.integers(3, 8)))
    }
    return people, str(rng.choice([0.4, 0.5, 0.6, 0.7]))


def fewest(people, share):
    """How many must be withheld, by looking at every set of people; None where none is left."""

    def holds(names):
        have = [value for name in names for value in people[name]]
        return all(Fraction(have.count(value), len(names)) <= Fraction(share) for value in have)

    left = (size for size in range(len(people), 0, -1) if any(map(holds, combinations(people, size))))
    return next((len(people) - size for size in left), None)


def withheld(people, share, model, order, at_most=0.9):
    given = {key: share if value == "share" else value for key, value in MODELS[model].items()}
    table = pl.DataFrame(
        [(name, name % 3, value) for name in order for value in people[name]],
        schema=["who", "age", "s"],
        orient="row",
    )
    policy = {
        "columns": {"who": {"role": "identifier"}, "age": {"role": "quasi"}, "s": {"role": "sensitive"}},
        "individual": "who",
        "privacy": [{"model": model, **given}],
        "method": "mondrian",
        "withhold": {"at_most": at_most},
    }
    try:
        release = lk.anonymize(table, policy, seed=1)
    except lk.CannotBeMetError as refusal:
        return None if at_most else str(refusal)
    assert release.verdict.ok
    return release.individual_counts["withheld"]


@pytest.mark.parametrize("model", MODELS)
def test_nearly_as_few_as_must_be(model):
    rng = np.random.default_rng(3)
    found, least, refused = 0, 0, 0
    for _ in range(60):
        people, share = drawn(rng)
        must = fewest(people, share)
        own = withheld(people, share, model, list(people))
        shuffled = rng.permutation(len(people)).tolist()
        assert withheld(people, share, model, shuffled) == own
        if must is None:
            assert own is None
        elif own is None:
            refused += 1
        else:
            assert own >= must
            found, least = found + own, least + must
    assert least > 20
    assert found <= least * 1.05
    assert refused <= 1


@pytest.mark.parametrize("model", MODELS)
def test_a_refusal_says_no_more_than_must_be(model):
    rng = np.random.default_rng(4)
    said = []
    for _ in range(40):
        people, share = drawn(rng)
        must = fewest(people, share)
        told = withheld(people, share, model, list(people), at_most=0)
        number = re.search(r"at least (\d) individual", told) if isinstance(told, str) else None
        if must == 0:
            assert told == 0
        elif number and must is not None:
            said.append(must - int(number[1]))
    assert min(said) == 0
    assert np.mean(said) < 0.7


def test_who_has_most_of_what_is_too_frequent_leaves():
    # Everybody else has one value: without c, a half of two has each.
    people = {0: ["x"], 1: ["y"], 2: ["x", "y"]}
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        assert withheld(people, "0.5", "alpha-k-anonymity", order) == 1


def test_what_stays_can_be_divided():
    """Who leaves is from where most people like them are; of those who lie farthest out, nothing could be cut any more."""
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(3000), 2)
    values = rng.integers(1, 40, who.size)
    values[::2] = np.where(rng.random(3000) < 0.506, 0, values[::2])
    age, area = rng.integers(0, 90, 3000), rng.integers(0, 200, 3000)
    table = pl.DataFrame({"who": who, "age": age[who], "area": area[who], "s": values})
    columns = {"who": lk.identifier(), "age": lk.quasi(), "area": lk.quasi(), "s": lk.sensitive()}
    policy = lk.Policy(
        columns=columns,
        individual="who",
        privacy=lk.AlphaKAnonymity("1/2", 5),
        method="mondrian",
        withhold={"at_most": 0.1},
    )
    release = lk.anonymize(table, policy, seed=1)
    assert release.individual_counts["withheld"] < 150
    assert release.loss("ncp")["ncp"] < 0.7


@pytest.mark.parametrize("method", [None, "exchange-cuts"])
def test_a_part_that_fails_is_withheld_and_the_others_published(method):
    rows = [(w, 20 + w, "1" if w < 4 else "2", "xy"[w % 2] if w < 4 else "x") for w in range(6)]
    table = pl.DataFrame([*rows, (0, 20, "1", "y")], schema=["who", "age", "zip", "s"], orient="row")
    policy = {
        "columns": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi"},
            "zip": {"role": "quasi", "hierarchy": {"prefix": 1}, "max_level": 0},
            "s": {"role": "sensitive"},
        },
        "individual": "who",
        "privacy": [{"model": "distinct-l-diversity", "l": 2}],
        "withhold": {"at_most": 0.5},
        **({"method": method} if method else {}),
    }
    release = lk.anonymize(table, policy, seed=1)
    assert release.verdict.ok
    assert release.individual_counts == {"input": 6, "published": 4, "withheld": 2, "dropped": 0}
