"""Which of the cells of a table, written as regions, hold which people of another: for everybody at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.published.regions import position
from likeness.queries.overlap import stands_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.published.columns import ColumnNote
    from likeness.published.regions import Region

_BLOCK = 1 << 14
"""Cells that are compared at once, a multiple of 64."""
_WORDS = 1 << 22
"""Words of bits of tuples and cells that are looked at at once: 32 MB."""


def reach(note: ColumnNote, regions: Sequence[Region], domain: Domain) -> NDArray[np.bool_]:
    """(codes, R) Whether each region of a published column may hold each value of a domain, which may be of another table.

    ``note`` says what the column is. A value that has no place in it (a text among numbers) is held by ``*`` alone. As
    `likeness.queries.overlap.Overlap.contains` has it, of all values at once.
    """
    found = np.zeros((domain.codes, len(regions)), np.bool_)
    for r, codes in enumerate(held(note, regions, domain)):
        found[codes, r] = True
    return found


def held(
    note: ColumnNote, regions: Sequence[Region], domain: Domain
) -> Iterator[NDArray[np.int64] | list[int]]:
    """Give the codes that each region holds, ascending; as `reach`, region by region."""
    places = _places(note, domain)
    order = sorted((at for at in places if places[at] is not None), key=lambda code: places[code])
    axis = [places[code] for code in order]
    codes = np.array(order, np.int64)
    for region in regions:
        if region.what == "everything":
            everybody = note.shape != "set" or note.values is None
            yield np.arange(domain.codes) if everybody else _members(note.values or (), domain)
        elif region.what == "values":
            yield _members(region.values, domain)
        elif region.what == "node" and note.tree is None:
            (label,) = (str(value) for value in region.values)
            if label in domain.code_of:
                yield [domain.code_of[label]]
            else:
                yield np.flatnonzero([stands_for(label, value) for value in domain.labels])
        else:
            yield np.sort(codes[bisect_left(axis, region.low) : bisect_right(axis, region.high)])


def _members(values: Sequence[str | None] | frozenset[str | None], domain: Domain) -> list[int]:
    """Codes of values, those that the domain has."""
    codes = (domain.missing_code if value is None else domain.code_of.get(value, -1) for value in values)
    return sorted(code for code in codes if code >= 0)


def _places(note: ColumnNote, domain: Domain) -> dict[int, Any]:
    """Where the values of a domain lie on the axis of a column, or among the leaves of its hierarchy; None for nowhere."""
    if note.shape == "tree":
        ranks = {} if note.tree is None else note.tree.rank_of
        return {code: ranks.get(label) for code, label in enumerate(domain.labels)}
    if note.shape != "interval":
        return {}
    # 40.5 lies between whole numbers.
    axis = replace(note, kind="real") if note.kind == "integer" else note
    places: dict[int, Any] = {}
    for code, label in enumerate(domain.labels):
        try:
            places[code] = position(axis, label)
        except TableError:
            places[code] = None
    return places


def match(
    holds: Sequence[NDArray[np.bool_]], of: Sequence[NDArray[np.int64]], tuples: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the cells that hold each tuple: where those of each begin, (u + 1,), and their numbers, ascending within each.

    ``holds``: (codes, R) of each column, as `reach` gives it; ``of``: (cells,) the region of each cell in each column;
    ``tuples``: (d, u) codes, at least one column. Cells are compared as bits, 64 at a time.
    """
    cells, u = of[0].size, tuples.shape[1]
    who, which = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for begin in range(0, cells, _BLOCK):
        words = []
        for held, region in zip(holds, of, strict=True):
            here = held[:, region[begin : begin + _BLOCK]]
            whole = np.zeros((here.shape[0], -(-here.shape[1] // 64) * 64), np.bool_)
            whole[:, : here.shape[1]] = here
            words.append(np.packbits(whole, axis=1, bitorder="little").view(np.uint64))
        step = max(1, _WORDS // max(1, words[0].shape[1]))
        for start in range(0, u, step):
            inside = words[0][tuples[0, start : start + step]]
            for own, codes in zip(words[1:], tuples[1:, start : start + step], strict=True):
                inside &= own[codes]
            row, word = np.nonzero(inside)
            bits = np.unpackbits(inside[row, word].view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
            entry, bit = np.nonzero(bits)
            who.append(row[entry] + start)
            which.append(word[entry] * 64 + bit + begin)
    people, found = np.concatenate(who), np.concatenate(which)
    if cells > _BLOCK:
        order = np.lexsort((found, people))
        people, found = people[order], found[order]
    return np.searchsorted(people, np.arange(u + 1)).astype(np.int64), found.astype(np.int64)
