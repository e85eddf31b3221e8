"""A small seed gives perturbed values away: found by trying, from the published files alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import likeness as lk
from likeness.anonymization import stream
from likeness.microdata._stream import uniform_integers

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.microdata.mechanism import Mechanism

TRIED = 400
SEED = 321


def patients() -> pl.DataFrame:
    rng = np.random.default_rng(8)
    diseases = rng.choice(["angina", "cold", "flu", "gout", "hiv"], 400, p=[0.1, 0.4, 0.3, 0.15, 0.05])
    return pl.DataFrame({"row": np.arange(400), "age": rng.integers(18, 90, 400), "disease": diseases})


def published(folder: Path, seed: int | None) -> Path:
    columns = {"row": lk.other(), "age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(
        columns=columns, privacy=lk.BetaLikeness(1), method={"name": "perturbation"}, seed=seed
    )
    return lk.anonymize(patients(), policy).write(folder / "out") / "public"


def possible_originals(mechanism: Mechanism, shown: NDArray[np.int32], seed: int) -> NDArray[np.bool_]:
    """(n, m) Original values that the draws of a seed turn into the published ones, as `likeness.anonymize` draws."""
    n = shown.size
    draws = uniform_integers(stream(seed, "search"), n, mechanism.scale)
    draws = draws[stream(seed, "publish").permutation(n)]
    of_value = [mechanism.publish(np.full(n, i), draws) == shown for i in range(mechanism.values)]
    return np.stack(of_value, axis=1)


def surviving(folder: Path) -> tuple[list[int], NDArray[np.bool_]]:
    """Seeds under which every published value is possible, and what the last of them says."""
    release = lk.open_release(folder)
    mechanism = release.publication.mechanism
    assert mechanism is not None
    shown = release.publication.sensitive_codes[0]
    found, last = [], np.zeros((shown.size, mechanism.values), np.bool_)
    for seed in range(TRIED):
        possible = possible_originals(mechanism, shown, seed)
        if possible.any(axis=1).all():
            found.append(seed)
            last = possible
    return found, last


def test_a_small_seed_is_found_and_original_values_are_read(tmp_path: Path) -> None:
    public = published(tmp_path, SEED)
    seeds, possible = surviving(public)
    assert seeds == [SEED]
    # Who the rows are is in the release (here a column says it); the originals only check what was recovered.
    rows = pl.read_csv(public / "release.csv")["row"].to_numpy()
    labels = np.array(lk.open_release(public).publication.sensitive[0].labels)
    original = patients()["disease"].to_numpy()[rows]
    certain = possible.sum(axis=1) == 1
    guessed = labels[possible.argmax(axis=1)]
    assert (guessed[certain] == original[certain]).all()
    # With p and PM alone nobody is certain of anybody; with the seed, of every fifth here.
    assert certain.mean() > 0.15
    mechanism = lk.open_release(public).publication.mechanism
    assert mechanism is not None
    shown = lk.open_release(public).publication.sensitive_codes[0]
    without = (mechanism.matrix * mechanism.counts)[shown].argmax(axis=1)
    informed = (possible * mechanism.counts).argmax(axis=1)
    gained = (labels[informed] == original).mean() - (labels[without] == original).mean()
    assert gained > 0.05


def test_without_a_seed_no_small_seed_fits(tmp_path: Path) -> None:
    assert surviving(published(tmp_path, None))[0] == []
