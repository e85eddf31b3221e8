"""Put the cells of a table together as text."""

from __future__ import annotations

from numba import int32, int64, uint8

from likeness.kernels import njit


@njit(int64(int32[:, ::1], uint8[::1], int64[::1], int64[::1], uint8[::1]), cache=True)
def join_cells(codes, text, begins, firsts, out):  # compiled: positions only
    """Write rows of cells one after the other, and return how many bytes; ``out`` must be long enough.

    ``codes``: (d, n), text of each cell among those of its column; -1 for the last of them. ``text``: bytes of all texts,
    one after the other, whatever stands behind each included. ``begins``: (texts + 1,), where each text begins.
    ``firsts``: (d + 1,), the first text of each column.
    """
    columns, rows = codes.shape
    at = 0
    for row in range(rows):
        for column in range(columns):
            code = codes[column, row]
            own = firsts[column] + code if code >= 0 else firsts[column + 1] - 1
            for i in range(begins[own], begins[own + 1]):
                out[at] = text[i]
                at += 1
    return at
