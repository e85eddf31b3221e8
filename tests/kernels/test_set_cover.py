from __future__ import annotations

import numpy as np

from likeness.kernels.hitting_set import ascending, cover, descending, popcount, reduce_sets


def layout(family):
    starts = np.concatenate([[0], np.cumsum([len(one) for one in family])]).astype(np.int64)
    return starts, np.array([value for one in family for value in one], np.int64)


def masks_of(*rows: int) -> np.ndarray:
    return np.array([[row] for row in rows], np.uint64)


def test_counts_bits():
    words = [0, 1, 2**64 - 1, 2**63, 0x5555555555555555, 123456789]
    assert [popcount(np.uint64(word)) for word in words] == [word.bit_count() for word in words]


def test_orders_are_stable():
    keys = np.array([3, 0, 3, 1, 0])
    assert ascending(keys).tolist() == [1, 4, 3, 0, 2]
    assert descending(keys).tolist() == [0, 2, 3, 1, 4]
    assert ascending(keys[:0]).tolist() == []


def test_what_cannot_matter_goes():
    """0 is all that the first set has; 3 hits no more than 2; {2, 4} contains {2}, once 3 and 4 are gone."""
    masks, bits, forced, origin = reduce_sets(*layout([[0], [0, 1], [2, 3], [2, 4], [2, 3, 4]]), 5)
    assert bits == 0
    assert sorted(forced.tolist()) == [0, 2]
    assert masks.shape[0] == origin.size == 0


def test_what_matters_stays():
    triangle = [[0, 1], [1, 2], [0, 2]]
    masks, bits, forced, origin = reduce_sets(*layout([*triangle, [0, 1, 2]]), 3)
    assert bits == 3
    assert forced.size == 0
    assert origin.tolist() == [0, 1, 2]
    assert sorted(masks[:, 0].tolist()) == [0b011, 0b101, 0b110]


def test_covers():
    masks = masks_of(0b0011, 0b0110, 0b1100, 0b1001)
    chosen = np.empty(4, np.int64)
    assert cover(masks, 4, 1, chosen, 1000) == -1
    assert cover(masks, 4, 2, chosen, 1000) == 2
    assert int(masks[chosen[0], 0] | masks[chosen[1], 0]) == 0b1111
    assert cover(masks, 4, 2, chosen, 0) == -2
    assert cover(masks_of(0b01), 2, 5, chosen, 1000) == -1
    assert cover(masks[:0], 0, 0, chosen, 0) == 0


def test_odd_cycles_need_one_more_than_half():
    """No counting bound sees this: it takes the search."""
    for length in (5, 9, 13):
        masks = masks_of(*[(1 << i) | (1 << (i + 1) % length) for i in range(length)])
        chosen = np.empty(length, np.int64)
        assert cover(masks, length, length // 2, chosen, 10**6) == -1
        assert cover(masks, length, length // 2 + 1, chosen, 10**6) == length // 2 + 1
