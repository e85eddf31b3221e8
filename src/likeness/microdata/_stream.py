"""Unbiased random integers from a cryptographic stream."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KEY_BYTES = 32
_WORDS = 1 << 18
"""64-bit words of one block: 2 MB of memory, whatever the table's size."""


def uniform_integers(rng: np.random.Generator, size: int, below: int) -> NDArray[np.int64]:
    """Draw independent integers, each of ``0 … below - 1`` equally likely.

    One key is taken from the generator; the integers come from SHAKE-256 of the key and a block number. The
    generator's own numbers would give its state away to whoever sees enough of them.

    Parameters
    ----------
    rng
        Gives the key of 256 bits; the draws are as hard to guess as what it was seeded with.
    size
        How many.
    below
        Positive, at most 2**62.

    Returns
    -------
    (size,) int64

    Examples
    --------
    >>> uniform_integers(np.random.default_rng(1), 4, 10).tolist() == uniform_integers(
    ...     np.random.default_rng(1), 4, 10
    ... ).tolist()
    True
    """
    key = rng.bytes(_KEY_BYTES)
    # Words above the last multiple of `below` are drawn again, which leaves no remainder more likely.
    bound = np.uint64((1 << 64) // below * below - 1)
    found = np.empty(size, np.int64)
    filled = block = 0
    while filled < size:
        words = min(_WORDS, size - filled + 64)
        message = key + block.to_bytes(8, "little")
        drawn = np.frombuffer(hashlib.shake_256(message).digest(8 * words), "<u8")
        good = drawn[drawn <= bound][: size - filled] % np.uint64(below)
        found[filled : filled + good.size] = good.astype(np.int64)
        filled += good.size
        block += 1
    return found
