"""What a small seed gives away of a perturbed release: nothing to outsiders, all to who lacks little of the original."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import likeness as lk
from likeness.microdata.mechanism import uniform_integers
from likeness.randomness import stream

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


def policy(seed: int | None) -> lk.Policy:
    columns = {"row": lk.other(), "age": lk.quasi(), "disease": lk.sensitive()}
    return lk.Policy(columns=columns, privacy=lk.BetaLikeness(1), method={"name": "perturbation"}, seed=seed)


def published(folder: Path, seed: int | None) -> Path:
    return lk.anonymize(patients(), policy(seed)).write(folder / "out") / "public"


def possible_originals(mechanism: Mechanism, shown: NDArray[np.int32], seed: int) -> NDArray[np.bool_]:
    """(n, m) Original values that the draws of a seed turn into the published ones, as `likeness.anonymize` draws."""
    n = shown.size
    draws = uniform_integers(stream(seed, "search"), n, mechanism.scale)
    draws = draws[stream(seed, "publish").permutation(n)]
    of_value = [mechanism.publish(np.full(n, i), draws) == shown for i in range(mechanism.values)]
    return np.stack(of_value, axis=1)


def surviving(folder: Path, seeds: list[int]) -> list[int]:
    """Seeds under which every published value is possible."""
    release = lk.open_release(folder)
    mechanism = release.publication.mechanism
    assert mechanism is not None
    shown = release.publication.sensitive_codes[0]
    return [seed for seed in seeds if possible_originals(mechanism, shown, seed).any(axis=1).all()]


def test_from_the_published_files_no_seed_is_found(tmp_path: Path) -> None:
    release = lk.anonymize(patients(), policy(SEED))
    public = release.write(tmp_path / "out") / "public"
    assert surviving(public, list(range(TRIED))) == []
    # The search would find it: what the draws were made from, which takes the table to make, is the one that fits.
    assert surviving(public, [release.private.entropy, SEED]) == [release.private.entropy]


def test_who_lacks_two_values_finds_them_with_the_seed(tmp_path: Path) -> None:
    # As the warning says. p, which is published, tells the two values; the seed tells whose is which.
    public = published(tmp_path, SEED)
    target = (public / "release.csv").read_bytes()
    original = patients()
    diseases = original["disease"].to_list()
    one, other = diseases.index("hiv"), diseases.index("cold")
    found = []
    for seed, swapped in product((SEED - 1, SEED, SEED + 1), (False, True)):
        tried = list(diseases)
        if swapped:
            tried[one], tried[other] = tried[other], tried[one]
        guess = lk.anonymize(original.with_columns(disease=pl.Series(tried)), policy(seed))
        again = guess.write(tmp_path / f"{seed}-{swapped}") / "public"
        if (again / "release.csv").read_bytes() == target:
            found.append((seed, swapped))
    assert found == [(SEED, False)]


def test_without_a_seed_no_small_seed_fits(tmp_path: Path) -> None:
    assert surviving(published(tmp_path, None), list(range(TRIED))) == []
