"""Values and parameters at the edge of what numbers can be: right, or refused in one line."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest

import likeness as lk

HUGE = 10**30


def released(quasi: list[Any], model: Any, method: Any = None, **column: Any) -> lk.Release:
    """A release of one quasi-identifier and a sensitive column of four values."""
    frame = pl.DataFrame({"q": quasi, "s": [i % 4 for i in range(len(quasi))]})
    columns = {"q": lk.quasi(**column), "s": lk.sensitive()}
    return lk.anonymize(frame, lk.Policy(columns=columns, privacy=model, method=method), seed=1)


@pytest.mark.parametrize(
    ("model", "classes"),
    [
        (lk.RecursiveClDiversity("1e300", 2), 16),
        (lk.TCloseness("1/1000000000000000000007", distance="equal"), 10),
        (lk.TCloseness("1e-300", distance="ordered"), 10),
        (lk.DeltaDisclosure("1e300"), 8),
        (lk.BetaLikeness("1e300"), 16),
        (lk.BetaLikeness("1e-300"), 10),
        (lk.BasicBetaLikeness("1e300"), 40),
        (lk.AlphaKAnonymity("0.9999999999999999999999", 1), 16),
        (lk.Proximity("1e300", 1), 40),
        (lk.Proximity("1e-300", 4), 10),
    ],
)
def test_parameters_of_any_size_mean_what_they_say(model, classes):
    release = released(list(range(40)), model, lk.Mondrian())
    assert release.table.height == 40
    # A cut that allows no better one need not exist: the exact number is that of the greedy search.
    assert 0 < release.certificate.classes <= classes


@pytest.mark.parametrize(
    "model",
    [
        lk.KAnonymity(HUGE),
        lk.DistinctLDiversity(HUGE),
        lk.EntropyLDiversity("1e300"),
        lk.RecursiveClDiversity("1e-300", 2),
        lk.RecursiveClDiversity(1, HUGE),
        lk.AlphaKAnonymity("1e-300", 1),
        lk.AlphaKAnonymity("1e-300", HUGE),
        lk.DeltaDisclosure("1e-300") & lk.DistinctLDiversity(5),
        lk.Proximity("1e300", HUGE),
    ],
)
def test_what_no_table_meets_is_said_in_one_line_each(model):
    with pytest.raises(lk.CannotBeMetError, match=r"^cannot be met: ") as caught:
        released(list(range(40)), model)
    assert all("\n" not in line for line in caught.value.problems)


NUMBERS = {
    "large integers": [2**63 - 1, -(2**63), 2**63 - 2, 0] * 4,
    "tiny reals": [5e-324, 0.0, 1e-323, 1.5e-323] * 4,
    "far dates": [date(1, 1, 1), date(1, 1, 2), date(9999, 12, 30), date(9999, 12, 31)] * 4,
    "one value": [7] * 16,
    "zeros": [0.0, -0.0, 0.0, 1.0] * 4,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("method", [None, {"name": "burel"}, {"name": "burel", "retrieve": "nearest"}])
@pytest.mark.parametrize("pairs", [False, True])
def test_numbers_of_any_size_are_published_as_they_are(name, method, pairs):
    model = lk.KAnonymity(4) & lk.BetaLikeness(3)
    frame = pl.DataFrame({"q": NUMBERS[name], "s": [i // 4 for i in range(16)]})
    columns = {"q": lk.quasi(), "s": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=model, method=method, output={"numeric_pairs": pairs})
    release = lk.anonymize(frame, policy, seed=1)
    rows = release.private.rows["release"]
    for text, value in zip(release.table["q"], frame["q"][rows], strict=True):
        ends = text.strip("[]").split(", ")
        low, high = (
            type(value).fromisoformat(x) if isinstance(value, date) else type(value)(x)
            for x in (ends[0], ends[-1])
        )
        assert low <= value <= high
    losses = release.loss()
    assert all(np.isfinite(value) for value in losses.values())


def test_reals_too_far_apart_are_refused():
    with pytest.raises(
        lk.PolicyError, match="column 'q': its values lie further apart than a number of 64 bits"
    ):
        released([-1.7e308, 1.7e308], lk.KAnonymity(1))
    assert released([-1.7e308, 1.7e308], lk.KAnonymity(1), bottom=-1e300, top=1e300).table.height == 2


@pytest.mark.slow
@pytest.mark.parametrize("d", [64, 100])
def test_many_quasi_identifiers(d):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {f"q{i}": rng.integers(0, 50, 60) for i in range(d)} | {"s": [i % 3 for i in range(60)]}
    )
    columns = {f"q{i}": lk.quasi() for i in range(d)} | {"s": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(5) & lk.BetaLikeness(2))
    found = lk.anonymize(frame, policy, seed=1).table.group_by([f"q{i}" for i in range(d)]).len()
    assert found["len"].min() >= 5
    with pytest.raises(lk.PolicyError, match=f"a Hilbert curve takes at most 63 quasi-identifiers; got {d}"):
        lk.anonymize(frame, policy.replace(method=lk.Burel(variant="paper")), seed=1)
