from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from likeness.kernels.hilbert import bits_per_axis, grid_cells, hilbert_keys


def all_cells(axes: int, bits: int) -> np.ndarray:
    return np.array(list(product(range(1 << bits), repeat=axes)), np.int64).T.copy()


def test_order_of_the_two_bit_square():
    cells = all_cells(2, 2)
    along = cells[:, np.argsort(hilbert_keys(cells, 2))].T
    # Skilling 2004
    expected = "00 10 11 01 02 03 13 12 22 23 33 32 31 21 20 30"
    assert " ".join(f"{x}{y}" for x, y in along) == expected


@pytest.mark.parametrize(("axes", "bits"), [(1, 4), (2, 1), (2, 5), (3, 3), (5, 2), (7, 1)])
def test_every_cell_once_and_in_unit_steps(axes: int, bits: int):
    cells = all_cells(axes, bits)
    keys = hilbert_keys(cells, bits)
    assert sorted(keys) == list(range(1 << (axes * bits)))
    along = cells[:, np.argsort(keys)]
    assert (np.abs(np.diff(along, axis=1)).sum(axis=0) == 1).all()


@pytest.mark.parametrize(("axes", "bits"), [(3, 21), (63, 1), (9, 7)])
def test_largest_keys_fit_a_signed_word(axes: int, bits: int):
    rng = np.random.default_rng(5)
    cells = rng.integers(0, 1 << bits, (axes, 4000))
    keys = hilbert_keys(cells, bits)
    assert keys.min() >= 0
    assert len(set(keys.tolist())) == len({tuple(cell) for cell in cells.T.tolist()})


def test_a_key_begins_with_the_key_of_the_coarse_cell():
    # All points of a coarse cell lie on one piece of the curve: this is what keeps neighbours together.
    rng = np.random.default_rng(2)
    fine = rng.integers(0, 1 << 21, (3, 5000))
    coarse = hilbert_keys(np.ascontiguousarray(fine >> 19), 2)
    prefix = hilbert_keys(fine, 21) >> 57
    pairs = set(zip(coarse.tolist(), prefix.tolist(), strict=True))
    assert len(pairs) == 64
    assert len({first for first, _ in pairs}) == len({second for _, second in pairs}) == 64


def test_no_axes_and_no_points():
    assert hilbert_keys(np.zeros((0, 3), np.int64), 21).tolist() == [0, 0, 0]
    assert hilbert_keys(np.zeros((2, 0), np.int64), 21).tolist() == []


def test_bits_per_axis_fill_a_key():
    assert [bits_per_axis(d) for d in (0, 1, 2, 3, 4, 8, 31, 32, 63, 64)] == [
        21,
        21,
        21,
        21,
        15,
        7,
        2,
        1,
        1,
        0,
    ]


def test_grid_keeps_the_ends_inside():
    assert grid_cells(np.array([[-0.1, 0.0, 0.249, 0.25, 1.0, 1.5]]), 2).tolist() == [[0, 0, 0, 1, 3, 3]]
