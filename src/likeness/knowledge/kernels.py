"""Sums of kernels, in a fixed order whatever the machine."""

from __future__ import annotations

import numpy as np

from likeness.kernels import njit


@njit(cache=True)
def spread_axis(grid, axis):
    """(before, codes, behind) ``Σ_c axis[a, c] · grid[:, c, :]``, from the first code to the last."""
    found = np.zeros(grid.shape)
    filled = np.zeros(grid.shape[1], np.bool_)
    for b in range(grid.shape[0]):
        for c in range(grid.shape[1]):
            filled[c] = False
            for k in range(grid.shape[2]):
                if grid[b, c, k] != 0.0:
                    filled[c] = True
                    break
        for a in range(grid.shape[1]):
            for c in range(grid.shape[1]):
                weight = axis[a, c]
                if weight != 0.0 and filled[c]:
                    for k in range(grid.shape[2]):
                        found[b, a, k] += weight * grid[b, c, k]
    return found


@njit(cache=True)
def spread_pairs(flat, offset, size, tuples, start, counts):
    """(u, m) ``Σ_t Π_i axis_i[q_i, t_i] · counts[t]`` over the tuples t of the same block as q, in their order.

    ``flat[offset[i]:]`` holds the weights of attribute i, ``size[i]`` codes by as many; ``tuples`` (u, d) and ``counts`` (u, m)
    are in the order of their blocks, which begin at ``start``.
    """
    found = np.zeros(counts.shape)
    present = np.empty(counts.shape[1], np.int64)
    for block in range(start.size - 1):
        for t in range(start[block], start[block + 1]):
            many = 0
            for s in range(counts.shape[1]):
                if counts[t, s] != 0.0:
                    present[many] = s
                    many += 1
            for q in range(start[block], start[block + 1]):
                weight = 1.0
                for i in range(tuples.shape[1]):
                    weight *= flat[offset[i] + tuples[q, i] * size[i] + tuples[t, i]]
                    if weight == 0.0:
                        break
                if weight != 0.0:
                    for k in range(many):
                        found[q, present[k]] += weight * counts[t, present[k]]
    return found


@njit(cache=True)
def sum_rows(start, which, weights, rows):
    """(u, m) ``Σ_k weights[k] · rows[which[k]]`` over k from ``start[i]`` to before ``start[i + 1]``, in their order."""
    found = np.zeros((start.size - 1, rows.shape[1]))
    for i in range(start.size - 1):
        for k in range(start[i], start[i + 1]):
            for s in range(rows.shape[1]):
                found[i, s] += weights[k] * rows[which[k], s]
    return found
