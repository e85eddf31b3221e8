"""Who is too many leaves where they are most frequent, whatever the order of rows and however equal ones are counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.test_solve import data_of

import likeness as lk
from likeness.apart import withhold_surplus
from likeness.models.requirements import require_of

HALF = [lk.AlphaKAnonymity("1/2", 1)]


def gone(data):
    """Which records leave: their quasi-identifiers and value, as often as they do."""
    found = withhold_surplus(data, require_of(HALF, data, data), np.zeros(data.size, np.int64), {})
    if found is None:
        return Counter()
    copies = np.ones(found.of.size, np.int64) if found.copies is None else found.copies
    out = ~found.plan.published
    told = Counter()
    for row, number in zip(found.of[out].tolist(), copies[out].tolist(), strict=True):
        told[*data.codes[:, row].tolist(), int(data.sensitive_codes[0, row])] += number
    return told


@given(
    st.lists(
        st.tuples(st.integers(0, 12), st.sampled_from("uvw"), st.sampled_from("aaab")),
        min_size=1,
        max_size=60,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_and_how_they_are_counted_change_nothing(rows, random):
    def made(own):
        return data_of(
            {"age": [one[0] for one in own], "zip": [one[1] for one in own], "s": [one[2] for one in own]}
        )

    own = gone(made(rows))
    most = Counter(value for *_, value in rows)
    assert own.total() == (max(0, 2 * max(most.values()) - len(rows)) if len(most) > 1 else 0)
    shuffled = rows.copy()
    random.shuffle(shuffled)
    assert gone(made(shuffled)) == own
    counted = Counter(rows)
    assert gone(replace(made(list(counted)), copies=np.array([*counted.values()], np.int64))) == own


def test_who_leaves_is_from_where_most_are():
    """Of the young seven of ten are a, of the old three: no old one need leave."""
    rng = np.random.default_rng(4)
    age = np.concatenate([rng.integers(20, 30, 200), rng.integers(60, 70, 150)])
    rare = np.concatenate([np.arange(200) % 10 < 3, np.arange(150) % 10 < 7])
    data = data_of({"age": age.tolist(), "s": np.where(rare, "b", "a").tolist()})
    ages = data.quasi[0].values
    left = gone(data)
    assert left.total() == 185 - 165
    assert all(ages[one[0]] < 30 for one in left)


@pytest.mark.slow
def test_less_is_lost_so_than_where_any_leave():
    rng = np.random.default_rng(2)
    age, area = rng.integers(0, 90, 3000), rng.integers(0, 200, 3000)
    share = np.where((age // 15 + area // 40) % 2 == 0, 0.35, 0.71)
    values = np.where(rng.random(3000) < share, 0, rng.integers(1, 40, 3000))
    table = pl.DataFrame({"age": age, "area": area, "s": values})
    columns = {"age": lk.quasi(), "area": lk.quasi(), "s": lk.sensitive()}
    policy = lk.Policy(
        columns=columns,
        privacy=lk.AlphaKAnonymity("1/2", 5),
        method="exchange-cuts",
        withhold={"at_most": 0.1},
    )
    release = lk.anonymize(table, policy, seed=1)
    out = release.counts["input"] - release.counts["published"]
    often = np.flatnonzero(values == 0)
    assert out == 2 * often.size - 3000
    kept = np.ones(3000, bool)
    kept[rng.permutation(often)[:out]] = False
    other = lk.anonymize(table.filter(pl.Series(kept)), policy, seed=1)
    assert release.loss("ncp")["ncp"] < 0.97 * other.loss("ncp")["ncp"]
