"""Asking the hitting set kernels about small families; every set of values they find is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.kernels.hitting_set import UNLIMITED, hits_all, minimum_hitting_set

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    Family = Sequence[Collection[int]]


def lay_out(family: Family) -> tuple[np.ndarray, np.ndarray, int]:
    """Where sets begin, their values, and the number of values there are."""
    first = np.concatenate([[0], np.cumsum([len(values) for values in family])]).astype(np.int64)
    value = np.array([one for values in family for one in sorted(values)], np.int64)
    return first, value, int(value.max(initial=-1)) + 1


def hit(family: Family, b: int) -> set[int] | None:
    """A hitting set of at most b values, checked; None when there is none."""
    first, value, values = lay_out(family)
    people, place, witness = np.arange(len(family)), np.full(values, -1), np.full(max(b, 1), -7)
    if not hits_all(first, value, people, len(family), b, place, witness):
        assert (witness == -7).all()
        return None
    assert (place == -1).all()
    size = int((witness >= 0).sum())
    assert (witness[size:] == -1).all()
    found = set(witness[:size].tolist())
    assert len(found) == size <= b
    assert all(found & set(values) for values in family if values)
    return found


def minimum(family: Family, budget: int = UNLIMITED, certain: int = 0) -> tuple[int, int]:
    first, value, values = lay_out(family)
    witness = np.empty(len(family), np.int64)
    least, most = minimum_hitting_set(
        first, value, np.arange(len(family)), len(family), np.full(values, -1), witness, certain, budget
    )
    found = set(witness[witness >= 0].tolist())
    assert len(found) == most
    assert all(found & set(values) for values in family)
    return least, most
