"""Exchange cuts by plain loops over records and exact fractions, one pass at a time."""

from __future__ import annotations

from fractions import Fraction
from operator import itemgetter
from typing import TYPE_CHECKING

from tests.oracles.k_member import loss_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from likeness.microdata.data import Microdata

MOST_ITEMS, MOST_GROUPS, SHARES = 64, 24, 24


def _rounded(x: Fraction) -> int:
    """Round halves up."""
    return int((2 * x + 1) // 2)


def _items(data: Microdata, rows: list[int], j: int) -> list[list[int]]:
    """Codes of one attribute, ascending, those of too many taken together."""
    column = data.codes[j].tolist()
    codes = sorted({column[row] for row in rows})
    if len(codes) <= MOST_ITEMS:
        return [[code] for code in codes]
    found: dict[int, list[int]] = {}
    done = 0
    for code in codes:
        found.setdefault(done * MOST_ITEMS // len(rows), []).append(code)
        done += sum(column[row] == code for row in rows)
    return list(found.values())


def _groups(data: Microdata, j: int, items: list[list[int]]) -> list[list[list[int]]]:
    """Items by the value of a set, or by the child of the lowest node above all."""
    domain = data.quasi[j]
    if domain.shape == "set":
        return [[item] for item in items]
    assert domain.hierarchy is not None
    paths = {item[0]: _path(data, j, item[0]) for item in items}
    depth = 0
    while len({path[depth] for path in paths.values()}) == 1:
        depth += 1
    found: dict[object, list[list[int]]] = {}
    for item in items:
        found.setdefault(paths[item[0]][depth], []).append(item)
    return list(found.values())


def _path(data: Microdata, j: int, code: int) -> list[tuple[str, int]]:
    """Nodes from the root to a leaf; the missing value hangs from the root."""
    tree = data.quasi[j].hierarchy
    assert tree is not None
    if code == data.quasi[j].missing_code:
        return [("node", 0), ("missing", 0)]
    found, node = [("leaf", code)], int(tree.leaf_node[code])
    while node > 0:
        found.append(("node", node))
        node = int(tree.parent[node])
    return [("node", 0), *reversed(found)]


def _orders(data: Microdata, rows: list[int], j: int) -> Iterator[tuple[list[list[int]], range]]:
    """Items in every order in which they are cut, and the cuts that are tried."""
    items = _items(data, rows, j)
    shape = data.quasi[j].shape
    yield items, range(1, len(items))
    if shape == "interval":
        return
    column = data.codes[j].tolist()
    if shape == "set":
        weight = {item[0]: sum(column[row] in item for row in rows) for item in items}
        yield sorted(items, key=lambda item: (-weight[item[0]], item[0])), range(1, len(items))
    if len(items) == MOST_ITEMS:
        return
    groups = _groups(data, j, items)
    if 2 < len(groups) <= MOST_GROUPS:
        for group in groups:
            yield [*group, *(item for item in items if item not in group)], range(len(group), len(group) + 1)


def cut_once(
    data: Microdata,
    rows: list[int],
    holds: Callable[[list[int], int], bool],
    loss: str,
    way: tuple[int, bool, bool],
    whole: list[int],
) -> tuple[list[int], list[int]] | None:
    """Kept records and the rest of the best cut; ``holds`` takes counts by value and the size, ``whole`` are the table's."""
    _, as_table, strict = way
    value = data.sensitive_codes[0].tolist()
    counts = [sum(value[row] == s for row in rows) for s in range(len(whole))]
    size = len(rows)
    aim = list(counts)
    if as_table:
        aim = [
            max(c, _rounded(Fraction(w * size, sum(whole)))) if c else 0
            for c, w in zip(counts, whole, strict=True)
        ]
    least, best = size * loss_of(data, rows, loss) * (1 - 1e-12), None
    for j in range(len(data.quasi)):
        if len({int(data.codes[j][row]) for row in rows}) == 1:
            continue
        column = data.codes[j].tolist()
        for order, cuts in _orders(data, rows, j):
            place = {code: at for at, item in enumerate(order) for code in item}
            for cut in cuts:
                for first in (True, False):
                    own = [row for row in rows if (place[column[row]] < cut) == first]
                    other = [row for row in rows if row not in own]
                    # Those nearest the cut leave first.
                    away = [place[column[row]] if first else -place[column[row]] for row in own]
                    for step in range(1 if strict else SHARES):
                        most = [_rounded(Fraction(a * (SHARES - step), SHARES)) for a in aim]
                        kept, left = [], list(most)
                        for _, row in sorted(zip(away, own, strict=True), key=itemgetter(0)):
                            if left[value[row]] > 0:
                                left[value[row]] -= 1
                                kept.append(row)
                        lost = len(kept) * loss_of(data, own, loss) + (size - len(kept)) * loss_of(
                            data, other, loss
                        )
                        if lost >= least:
                            break
                        if not _both_hold(kept, rows, value, counts, holds, way[0]):
                            continue
                        far = max(
                            (abs(place[column[row]] - cut) + (not first) for row in own if row not in kept),
                            default=0,
                        )
                        reached = [row for row in own if abs(place[column[row]] - cut) + (not first) <= far]
                        wider = [*other, *reached]
                        lost = len(kept) * loss_of(data, own, loss) + (size - len(kept)) * loss_of(
                            data, wider, loss
                        )
                        if lost < least:
                            # All stand from the kept side's far end on.
                            far_first = sorted(
                                rows, key=lambda row: place[column[row]] * (1 if first else -1)
                            )
                            least, best = lost, (kept, [row for row in far_first if row not in kept])
                        break
    return best


def _both_hold(
    kept: list[int],
    rows: list[int],
    value: list[int],
    counts: list[int],
    holds: Callable[[list[int], int], bool],
    reserve: int,
) -> bool:
    """Whether both parts hold, and would if they differed more from the class."""
    own = [sum(value[row] == s for row in kept) for s in range(len(counts))]
    rest = [c - o for c, o in zip(counts, own, strict=True)]
    for part in (own, rest):
        held = sum(part)
        if held == 0 or not holds(part, held):
            return False
    if reserve:
        for part in (own, rest):
            held = sum(part)
            good = False
            for scale in (16, 1):
                far = [
                    max(
                        0,
                        _rounded(
                            Fraction(scale * (16 + reserve) * p - scale * reserve * held * c // len(rows), 16)
                        ),
                    )
                    for p, c in zip(part, counts, strict=True)
                ]
                good = good or holds(far, scale * held)
            if not good:
                return False
    return True


def cut_all(
    data: Microdata, holds: Callable[[list[int], int], bool], loss: str, way: tuple[int, bool, bool]
) -> list[list[int]]:
    """All classes of one pass over the whole table."""
    whole = [int((data.sensitive_codes[0] == s).sum()) for s in range(data.sensitive[0].codes)]
    waiting, done = [list(range(data.size))], []
    while waiting:
        rows = waiting.pop()
        cut = cut_once(data, rows, holds, loss, way, whole) if len(rows) > 1 else None
        if cut is None:
            done.append(rows)
        else:
            waiting += [cut[1], cut[0]]
    return done
