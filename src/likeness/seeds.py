"""How large a seed may be; apart from `likeness.checks`, which loads numbers that a policy is read without."""

from __future__ import annotations

SEED_BITS = 128
"""Bits that a seed may have: as many as are drawn where none is given. A release folder holds no longer whole numbers."""


def seed_problem(seed: int) -> str | None:
    """Say what is wrong with a whole number as a seed, if it is too large.

    >>> seed_problem(7), seed_problem(2**128)
    (None, 'must be below 2^128; take one of at most 38 digits')
    """
    return f"must be below 2^{SEED_BITS}; take one of at most 38 digits" if seed >= 1 << SEED_BITS else None
