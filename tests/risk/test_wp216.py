"""Singling out, linkability and inference: plain counting on a small release, and intervals that hold their level."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.risk.population import encode_people
from likeness.risk.wp216 import People, inference, linkability, singling_out, three_risks

POPULATION = 3_000
TABLES = 200
ROWS, TARGETS, CONTROL = 240, 120, 150
COLUMNS = {
    "age": lk.quasi(kind="integer", domain=[20, 60]),
    "sex": lk.quasi(kind="categorical"),
    "job": lk.quasi(kind="categorical"),
    "disease": lk.sensitive(kind="categorical"),
}
POLICY = lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(4), method="mondrian")


def population(rows, seed):
    """People whose age, job and disease go together."""
    rng = np.random.default_rng(seed)
    job = rng.integers(4, size=rows)
    age = np.clip(25 + 7 * job + rng.integers(0, 16, rows), 20, 60)
    disease = np.where(rng.random(rows) < 0.5, job, rng.integers(6, size=rows))
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], rows),
            "job": np.array(["cook", "nurse", "judge", "smith"])[job],
            "disease": np.array(["flu", "cold", "hiv", "gout", "angina", "asthma"])[disease],
        }
    )


def looked_for(release, control, targets, seed, level=0.95):
    private = release.private
    others = encode_people(lk.read(control), private.encoded, private.policy, ("quasi", "sensitive"))
    return People(release.publication, private.encoded.data, others, targets, seed, level)


def test_singling_out_counts_who_fits_alone():
    rows = population(80, 1)
    release = lk.anonymize(rows, POLICY, seed=1)
    control = population(50, 2)
    found = singling_out(looked_for(release, control, None, 0))
    published = release.table.rows()

    def fits(cells, person):
        low, high = (
            (int(end) for end in cells[0][1:-1].split(", "))
            if cells[0].startswith("[")
            else (int(cells[0]),) * 2
        )
        sets = [set(text[1:-1].split("|")) if text.startswith("{") else {text} for text in cells[1:3]]
        return (
            low <= person[0] <= high
            and all(own == {"*"} or value in own for own, value in zip(sets, person[1:3], strict=True))
            and cells[3] == person[3]
        )

    def alone(people):
        return sum(sum(fits(cells, person) for cells in published) == 1 for person in people)

    assert found.success.hits == alone(rows.rows())
    assert found.control.hits == alone(control.rows())
    assert (found.success.tries, found.control.tries) == (80, 50)
    assert found.risk == pytest.approx((found.success.rate - found.control.rate) / (1 - found.control.rate))


def test_inference_guesses_the_most_frequent_value():
    rows = population(80, 1)
    release = lk.anonymize(rows, POLICY, seed=1)
    found = inference(looked_for(release, population(50, 2), None, 0))
    homogeneity = release.attack("homogeneity")
    assert found.success.rate == homogeneity.success
    assert found.naive.rate == homogeneity.baseline
    assert found.naive.hits == max(Counter(rows["disease"]).values())


def test_linking_finds_who_is_published_as_they_are_and_nobody_where_all_look_alike():
    # Everybody is in both lists, and each half tells the other where it is published as it is.
    rows = pl.DataFrame(
        {"age": range(20, 60), "job": [f"j{i}" for i in range(40)], "disease": ["flu", "cold"] * 20}
    )
    columns = {
        "age": lk.quasi(kind="integer"),
        "job": lk.quasi(kind="categorical"),
        "disease": lk.sensitive(),
    }
    exact = lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(2), method={"name": "anatomy", "l": 2})
    release = lk.anonymize(rows, exact, seed=1)
    found = linkability(looked_for(release, rows.head(0).vstack(rows.tail(5)), None, 3))
    assert found.success.rate == 1
    alike = lk.Policy(columns=columns, privacy=lk.KAnonymity(40))
    found = linkability(looked_for(lk.anonymize(rows, alike, seed=1), rows.tail(20), None, 3))
    assert 0.1 in found.success.interval
    assert found.gain_interval.low < 0 < found.gain_interval.high


def test_what_is_missing_is_said():
    rows = pl.DataFrame({"age": [30, 30, 39, 39]})
    release = lk.anonymize(rows, lk.Policy(columns={"age": lk.quasi()}, privacy=lk.KAnonymity(2)), seed=1)
    found, refused = three_risks(
        People(release.publication, release.private.encoded.data, None, None, 0, 0.95)
    )
    assert [one.name for one in found] == ["singling-out"]
    assert found[0].control is None
    assert found[0].baseline is found[0].naive
    assert set(refused) == {"linkability", "inference"}


@pytest.mark.slow
def test_intervals_hold_their_level_on_two_hundred_tables():
    attacks = {"singling-out": singling_out, "linkability": linkability, "inference": inference}
    held: Counter[tuple[str, str]] = Counter()
    everybody = population(POPULATION, 0)
    for number in range(TABLES):
        rng = np.random.default_rng(number + 1)
        drawn = rng.permutation(POPULATION)
        rows, control = everybody[drawn[:ROWS]], everybody[drawn[ROWS : ROWS + CONTROL]]
        release = lk.anonymize(rows, POLICY, seed=number)
        tried = looked_for(release, control, TARGETS, number)
        # The truth: all people of the table, and all of the population who are not in it.
        whole = looked_for(release, everybody[drawn[ROWS:]], None, 10_000 + number)
        for name, attack in attacks.items():
            found, truth = attack(tried), attack(whole)
            of_table = truth.success.rate
            if name == "linkability":  # whom somebody is mistaken for is drawn, too
                everybody_tried = (replace(tried, targets=None, seed=20_000 + i) for i in range(4))
                again = [linkability(own).success.rate for own in everybody_tried]
                of_table = float(np.mean([of_table, *again]))
            held[name, "success"] += of_table in found.success.interval
            held[name, "control"] += truth.control.rate in found.control.interval
            held[name, "gain"] += of_table - truth.control.rate in found.gain_interval
    assert {key: times for key, times in held.items() if times < 0.95 * TABLES} == {}
    assert len(held) == 9
