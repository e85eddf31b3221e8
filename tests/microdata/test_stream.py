"""Random integers: unbiased, reproducible, from a stream that gives nothing away."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from scipy import stats

from likeness.microdata import mechanism as _stream
from likeness.microdata.mechanism import uniform_integers


def plain(key: bytes, size: int, below: int, block_words: int) -> list[int]:
    """Block by block, word by word; a word too large is drawn again."""
    found: list[int] = []
    block = 0
    while len(found) < size:
        words = min(block_words, size - len(found) + 64)
        drawn = hashlib.shake_256(key + block.to_bytes(8, "little")).digest(8 * words)
        for at in range(words):
            word = int.from_bytes(drawn[8 * at : 8 * at + 8], "little")
            if word < 2**64 - 2**64 % below and len(found) < size:
                found.append(word % below)
        block += 1
    return found


@pytest.mark.parametrize("below", [1, 2, 10, 10**15, 2**61 + 1, 2**62])
@pytest.mark.parametrize("size", [0, 1, 300])
def test_integers_are_those_of_a_plain_reader(below, size, monkeypatch):
    monkeypatch.setattr(_stream, "_WORDS", 100)
    key = np.random.default_rng(5).bytes(32)
    expected = plain(key, size, below, 100)
    assert uniform_integers(np.random.default_rng(5), size, below).tolist() == expected


@pytest.mark.parametrize("below", [7, 1000, 3 * 2**60])
def test_every_integer_is_equally_likely(below):
    # Without drawing again, the lowest third of 3 · 2**60 would be 20 % too likely.
    drawn = uniform_integers(np.random.default_rng(11), 200_000, below)
    assert drawn.min() >= 0
    assert drawn.max() < below
    cells = min(below, 1000)
    seen = np.bincount((drawn // (below // cells)).astype(np.int64), minlength=cells)
    assert stats.chisquare(seen).pvalue > 1e-4


def test_the_generator_decides_and_gives_one_key():
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    drawn = uniform_integers(one, 1000, 10**15)
    assert (uniform_integers(other, 1000, 10**15) == drawn).all()
    assert (uniform_integers(np.random.default_rng(4), 1000, 10**15) != drawn).any()
    assert one.random() == other.random()
    key_only = np.random.default_rng(3)
    key_only.bytes(32)
    fresh = np.random.default_rng(3)
    uniform_integers(fresh, 5, 10)
    assert fresh.random() == key_only.random()
