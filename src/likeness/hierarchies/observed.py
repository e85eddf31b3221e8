"""Hierarchies of observed values: numbers in classes, days in months, quarters, years, decades, codes masked from the right."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import HierarchyError, Refusal, suggestion
from likeness.hierarchies.problems import refuse
from likeness.hierarchies.rows import from_rows
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.hierarchies.tree import Hierarchy

if TYPE_CHECKING:
    Bounds = list[tuple[Decimal, Decimal]]

# Decimal texts are exact where binary floats are not (3 × 0.1), and 1,400 digits hold the quotient
# of any two doubles.
EXACT = Context(prec=1_400)


def intervals(
    values: NDArray[np.number],
    *,
    width: float | Sequence[float] | None = None,
    edges: Sequence[float] | Sequence[Sequence[float]] | None = None,
    name: str = "intervals",
) -> Hierarchy:
    """Group numbers into intervals, on one or several levels, below the root ``*``.

    ``width``: classes begin at its multiples; several for several levels, finest first, each a multiple of the one before.
    ``edges``: ascending bounds [0, 18, 40] of [0, 18) and [18, 40); a list of such lists for several levels, finest first,
    each made of bounds of the one before, with the same first and last.
    Leaves ascend; classes without a value do not appear. Raises `HierarchyError` where a value lies outside the edges or is
    missing, levels do not nest, or neither or both of ``width`` and ``edges`` are given.

    >>> ages = intervals(np.array([3, 17, 18, 64]), edges=[0, 18, 40, 65], name="age")
    >>> [ages.labels[node] for node in ages.children(0)]
    ['[0, 17]', '[18, 39]', '[40, 64]']
    >>> intervals(np.array([0.25, 0.3]), width=[0.1, 1]).to_rows()
    [['0.25', '[0.2, 0.3)', '[0, 1)', '*'], ['0.3', '[0.3, 0.4)', '[0, 1)', '*']]
    """
    numbers = _numbers(values, name)
    integers = numbers.dtype.kind in "iu"
    texts = numbers.astype(str).tolist()
    if width is not None and edges is not None:
        raise HierarchyError(f"{name}: intervals need a width or edges; got both")
    with localcontext(EXACT):
        exact = [Decimal(text) for text in texts]
        if width is not None:
            levels = [_by_width(exact, step) for step in _widths(width, name)]
        elif edges is not None:
            levels = [_by_edges(exact, bounds, name) for bounds in _edges(edges, name)]
        else:
            raise HierarchyError(f"{name}: intervals need a width or edges; got neither")
        columns = [_labels(bounds, integers=integers) for bounds in levels]
    rows = zip(texts, *columns, ["*"] * len(texts), strict=True)
    return from_rows(rows, name, where=lambda i: f"{name}, value {texts[i]}", data_derived=True)


def _numbers(values: NDArray[np.number], name: str) -> NDArray[np.number]:
    """Distinct finite numbers in ascending order."""
    numbers = np.unique(np.asarray(values))
    if numbers.dtype.kind not in "iuf":
        raise HierarchyError(f"{name}: intervals need numbers; the column holds {numbers.dtype} values")
    if not numbers.size:
        raise HierarchyError(f"{name}: there are no values to make intervals of")
    if not np.isfinite(numbers).all():
        raise HierarchyError(
            f"{name}: a missing or infinite number lies in no interval; declare it as missing"
        )
    return numbers


def _decimal(number: float, name: str) -> Decimal:
    """Take a declared bound or width exactly as it was written."""
    if not math.isfinite(number):
        raise HierarchyError(f"{name}: {number} is not a bound or width of intervals; use a finite number")
    return Decimal(str(number))


def _widths(width: float | Sequence[float], name: str) -> list[Decimal]:
    """Widths of all levels, checked to nest."""
    given = [width] if isinstance(width, int | float | np.number) else list(width)
    steps = [_decimal(step, name) for step in given]
    empty = Refusal("the list of interval widths is empty", (name,), remedy="give at least one")
    problems = [] if steps else [empty]
    problems += [
        Refusal(f"an interval width must be above 0; got {step}", (name,)) for step in steps if step <= 0
    ]
    refuse(problems)
    refuse(
        [
            Refusal(
                f"interval width {wide} is not a larger multiple of {narrow}; classes of one level must be unions of those below",
                (name,),
            )
            for narrow, wide in pairwise(steps)
            if wide <= narrow or wide % narrow
        ]
    )
    return steps


def _edges(edges: Sequence[float] | Sequence[Sequence[float]], name: str) -> list[list[Decimal]]:
    """Edges of all levels, checked to ascend and to nest."""
    several = [level for level in edges if isinstance(level, Sequence)]
    single = [edge for edge in edges if not isinstance(edge, Sequence)]
    if several and single:
        raise HierarchyError(f"{name}: interval edges are numbers, or lists of numbers for several levels")
    levels = [[_decimal(edge, name) for edge in level] for level in several or [single]]
    problems = []
    for level in levels:
        shown = ", ".join(map(str, level))
        if len(level) < 2 or any(a >= b for a, b in pairwise(level)):
            problems.append(Refusal(f"interval edges must ascend, two at least; got [{shown}]", (name,)))
    refuse(problems)
    for fine, coarse in pairwise(levels):
        shown = ", ".join(map(str, coarse))
        if not set(coarse) <= set(fine) or (coarse[0], coarse[-1]) != (fine[0], fine[-1]):
            why = f"they must be some of [{', '.join(map(str, fine))}], with the same first and last"
            problems.append(Refusal(f"the interval edges [{shown}] do not nest", (name,), why=why))
    refuse(problems)
    return levels


def _by_width(values: list[Decimal], width: Decimal) -> Bounds:
    """Find the class of each value between multiples of a width."""
    found = []
    for value in values:
        times, rest = divmod(value, width)
        # divmod of decimals rounds towards zero; a class begins below its negative values.
        low = (times - (rest < 0)) * width
        found.append((low, low + width))
    return found


def _by_edges(values: list[Decimal], edges: list[Decimal], name: str) -> Bounds:
    """Find the class of each value between edges; HierarchyError for what lies outside."""
    below = [value for value in values if value < edges[0]]
    above = [value for value in values if value >= edges[-1]]
    found = []
    # One line a side, about the value that is furthest out: an edge beyond it serves for all.
    for outside, value, where in (
        (below, min(below, default=None), "at or below"),
        (above, max(above, default=None), "above"),
    ):
        if value is not None:
            more = f" (and {count(len(outside) - 1, 'more value')})" if len(outside) > 1 else ""
            exclusive = " (the last is exclusive)" if value == edges[-1] else ""
            what = f"lies outside the interval edges {edges[0]} to {edges[-1]}{exclusive}{more}"
            found.append(Refusal(what, (name,), about=f"value {value}", remedy=f"add an edge {where} it"))
    refuse(found)
    places = [bisect_right(edges, value) for value in values]
    return [(edges[at - 1], edges[at]) for at in places]


def _labels(bounds: Bounds, *, integers: bool) -> list[str]:
    """Text of each value's class."""
    written: dict[tuple[Decimal, Decimal], str] = {}
    for low, high in bounds:
        if (low, high) in written:
            continue
        if integers:
            written[low, high] = f"[{math.ceil(low)}, {math.ceil(high) - 1}]"
        else:
            written[low, high] = f"[{_plain(low)}, {_plain(high)})"
    return [written[pair] for pair in bounds]


def _plain(number: Decimal) -> str:
    """Write a number without trailing zeros, and without an exponent unless it is very long."""
    number = number.normalize() if number else Decimal(0)
    return f"{number:f}" if -18 <= number.adjusted() <= 18 else str(number)


LEVELS = ("day", "month", "quarter", "year", "decade")
"""From the finest to the coarsest."""


def dates(values: NDArray[np.datetime64], levels: Sequence[str], *, name: str = "dates") -> Hierarchy:
    """Group days into months, quarters, years and decades below the root ``*``.

    ``values``: datetime64; times of day are not looked at. ``levels``: some of day, month, quarter, year, decade, from fine
    to coarse; the leaves are ISO days in any case, ascending. Raises `HierarchyError` for an unknown level, another order,
    values that are no dates, a missing date, or none at all.

    >>> days = np.array(["2024-03-31", "2024-04-01"], "datetime64[D]")
    >>> dates(days, ["month", "quarter", "year", "decade"]).to_rows()[0]
    ['2024-03-31', '2024-03', '2024-Q1', '2024', '2020s', '*']
    """
    _check_levels(levels, name)
    moments = np.asarray(values)
    if moments.dtype.kind != "M":
        raise HierarchyError(f"{name}: date levels need dates; the column holds {moments.dtype} values")
    if np.isnat(moments).any():
        raise HierarchyError(f"{name}: a missing date has no month or year; declare it as missing")
    days = np.unique(moments.astype("datetime64[D]"))
    if not days.size:
        raise HierarchyError(f"{name}: there are no dates to make levels of")
    texts = np.datetime_as_string(days).tolist()
    columns = [_date_labels(days, level) for level in levels if level != "day"]
    rows = zip(texts, *columns, ["*"] * len(texts), strict=True)
    return from_rows(rows, name, where=lambda i: f"{name}, value {texts[i]}", data_derived=True)


def _check_levels(levels: Sequence[str], name: str) -> None:
    """HierarchyError unless the levels are known and go from fine to coarse."""
    unknown = [level for level in levels if level not in LEVELS]
    if unknown:
        raise HierarchyError(
            *(
                f"{name}: {level!r} is not a level of dates{suggestion(str(level), LEVELS)}"
                for level in unknown
            )
        )
    places = [LEVELS.index(level) for level in levels]
    if not places or places != sorted(set(places)):
        raise HierarchyError(
            f"{name}: date levels go from fine to coarse, each once: some of {', '.join(LEVELS)}; "
            f"got [{', '.join(levels)}]"
        )


def _date_labels(days: NDArray[np.datetime64], level: str) -> list[str]:
    """Text of each day's month, quarter, year or decade."""
    if level == "month":
        return [str(text) for text in np.datetime_as_string(days.astype("datetime64[M]"))]
    years = np.datetime_as_string(days.astype("datetime64[Y]")).tolist()
    if level == "year":
        return [str(year) for year in years]
    if level == "decade":
        return [f"{year[:-1]}0s" for year in years]
    quarters = days.astype("datetime64[M]").astype(np.int64) % 12 // 3 + 1
    return [f"{year}-Q{quarter}" for year, quarter in zip(years, quarters.tolist(), strict=True)]


MASK = "*"


def prefixes(
    values: Sequence[str], digits: int, *, kept: Sequence[int] | None = None, name: str = "prefixes"
) -> Hierarchy:
    """Mask codes from the right, one character per level, below the root ``*``; leaves ascend.

    ``digits``: the length of every code. ``kept``: how many leading characters each level keeps, from fine to coarse, [3]
    for 02139 → 021** → *; left out, one less on each level.
    Raises `HierarchyError` for codes of another length or with a ``*`` in them, levels that do not descend, or no codes.

    >>> prefixes(["02139", "02141"], 5).to_rows()[0]
    ['02139', '0213*', '021**', '02***', '0****', '*']
    """
    if digits < 1:
        raise HierarchyError(f"{name}: a prefix hierarchy needs codes of at least 1 character; got {digits}")
    codes = sorted(set(values))
    if not codes:
        raise HierarchyError(f"{name}: there are no codes to make prefixes of")
    refuse(_problems(codes, digits, name))
    lengths = list(range(digits - 1, 0, -1)) if kept is None else list(kept)
    if any(not 0 < length < digits for length in lengths) or lengths != sorted(set(lengths), reverse=True):
        raise HierarchyError(
            f"{name}: the characters kept must descend between {digits - 1} and 1; "
            f"got [{', '.join(map(str, lengths))}]"
        )
    rows = [(code, *(code[:length].ljust(digits, MASK) for length in lengths), MASK) for code in codes]
    return from_rows(rows, name, where=lambda i: f"{name}, code {codes[i]}", data_derived=True)


def _problems(codes: list[str], digits: int, name: str) -> list[Refusal]:
    """Say what is wrong with codes, a line for all that have the same wrong with them."""
    problems = []
    short = [code for code in codes if len(code) < digits]
    long = [code for code in codes if len(code) > digits]
    for wrong, remedy in ((short, "write codes with their leading zeros"), (long, "declare that many")):
        if wrong:
            # All of them must fit: the longest tells how many characters to declare.
            code = max(wrong, key=len)
            what = f"has {count(len(code), 'character')} where {digits} are declared{_more(wrong)}"
            instead = f"{remedy}, or use a hierarchy file"
            problems.append(Refusal(what, (name,), about=f"code {quoted(code)}", remedy=instead))
    masked = [code for code in codes if len(code) == digits and MASK in code]
    if masked:
        what = f"holds the mask {MASK!r}{_more(masked)}"
        remedy = "declare such codes as missing"
        problems.append(Refusal(what, (name,), about=f"code {quoted(masked[0])}", remedy=remedy))
    return problems


def _more(codes: list[str]) -> str:
    """Say how many codes there are beside one that is shown."""
    return f" (and {count(len(codes) - 1, 'more code')})" if len(codes) > 1 else ""
