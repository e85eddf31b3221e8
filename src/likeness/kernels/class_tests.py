"""Predicates on one candidate class, as first-class functions that any search kernel can call.

Each has the signature ``(size, histogram, integers, reals) -> bool``: the number of records of the class, its counts of
sensitive values (empty for models that need none) and the parameters of the test. A search receives up to `SLOTS` of them in one
tuple (`evaluate`), so that one compiled kernel serves every composition of models: a new model brings its own predicate, or
reuses one of these, and no kernel is compiled again.

In classes of people with several records ``size`` is the number of individuals, ``histogram`` the number of those who have each
value. Tests that also look at the numbers of records (`ClassTest.record_counts`) find them behind the m values: how many
individuals have 1, 2, … R records; a histogram of m places says that everybody has one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import boolean, float64, int64, types
from numba.extending import typeof_impl

from likeness.errors import PolicyError
from likeness.kernels import njit
from likeness.kernels.arrangements import largest_change
from likeness.kernels.beliefs import odds_apart, within

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

SIGNATURE = boolean(int64, int64[::1], int64[::1], float64[::1])
SLOTS = 12
TESTS = types.UniTuple(types.FunctionType(SIGNATURE), SLOTS)


class PredicateTuple(tuple["Callable[..., bool]", ...]):  # noqa: SLOT001  # stores nothing: numba asks for the class
    """A tuple of `SLOTS` tests that says its numba type itself.

    For a plain one numba would find the type anew at every call, and warn that the feature is experimental.
    """


@typeof_impl.register(PredicateTuple)
def _type_of(_tests, _context):
    """Tell numba the type."""
    return TESTS


@njit(SIGNATURE, cache=True)
def always(size, histogram, integers, reals):
    """Hold for every class."""
    return True


@njit(SIGNATURE, cache=True)
def size_at_least(size, histogram, integers, reals):
    """``size >= integers[0]``."""
    return size >= integers[0]


@njit(SIGNATURE, cache=True)
def distinct_at_least(size, histogram, integers, reals):
    """At least ``integers[0]`` values are present."""
    present = 0
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            present += 1
            if present >= integers[0]:
                return True
    return present >= integers[0]


@njit(SIGNATURE, cache=True)
def distinct_where_protected(size, histogram, integers, reals):
    """At least ``integers[0]`` values are present, or none of those that ``integers[1:]`` marks."""
    present = 0
    protected = False
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            present += 1
            protected |= integers[1 + value] != 0
    return not protected or present >= integers[0]


@njit(types.UniTuple(int64, 2)(int64, int64[::1], int64[::1]), cache=True)
def protected_and_tail(size, histogram, integers):
    """Count the most frequent value that ``integers[3:]`` marks, and all but it and the l - 2 most frequent others."""
    largest = 0
    which = -1
    for value in range(histogram.shape[0]):
        if integers[3 + value] != 0 and histogram[value] > largest:
            largest = histogram[value]
            which = value
    if which < 0:
        return 0, size
    others = histogram.copy()
    others[which] = 0
    others = others[others > 0]
    others.sort()
    tail = size - largest
    for rank in range(min(integers[2] - 2, others.shape[0])):
        tail -= others[others.shape[0] - 1 - rank]
    return largest, tail


@njit(SIGNATURE, cache=True)
def recursive_where_protected(size, histogram, integers, reals):
    """Decide ``d r < n tail`` with c = n / d, where r and tail are those of `protected_and_tail`, or nobody has a marked value.

    ``integers = [n, d, l, whether each value is marked …]``; positive-disclosure recursive (c, l)-diversity.
    """
    largest, tail = protected_and_tail(size, histogram, integers)
    return largest == 0 or integers[1] * largest < integers[0] * tail


@njit(SIGNATURE, cache=True)
def within_share_limits(size, histogram, integers, reals):
    """Every share is within its own limits, decided by exact integer look-ups.

    ``integers``, with m values: starts of the upper tables (m + 1), of the lower tables (m + 1), then the tables. That of
    value s gives the smallest class that may hold c = 1, 2 … records of s; its lower one, for c = 0, 1 …, the largest.
    An empty table is no limit; counts beyond the end of one that is not empty are refused.
    """
    m = histogram.shape[0]
    base = 2 * (m + 1)
    for value in range(m):
        count = histogram[value]
        start = integers[value]
        end = integers[value + 1]
        if count > 0 and end > start and (start + count > end or size < integers[base + start + count - 1]):
            return False
        start = integers[m + 1 + value]
        end = integers[m + 2 + value]
        if end > start and (start + count >= end or size > integers[base + start + count]):
            return False
    return True


@njit(SIGNATURE, cache=True)
def entropy_at_least(size, histogram, integers, reals):
    """Shannon entropy of the class, in nats, at least ``reals[0]``.

    Equal counts have the entropy ln of their number, exactly: they hold with at least ``integers[0]`` values. Others that
    rounding might decide are refused: ``reals[0]`` lies as far above the bound as roundings go.
    """
    total = 0.0
    present = 0
    largest = 0
    for value in range(histogram.shape[0]):
        count = histogram[value]
        if count > 0:
            present += 1
            if count > largest:
                largest = count
            total += count * math.log(count)
    if present * largest == size:
        return present >= integers[0]
    return math.log(size) - total / size >= reals[0]


@njit(SIGNATURE, cache=True)
def recursively_diverse(size, histogram, integers, reals):
    """Recursive (c, l)-diversity: ``d * r_1 < n * (r_l + … + r_u)`` with c = n / d, ``integers = [n, d, l]``."""
    counts = histogram[histogram > 0]
    if counts.shape[0] < integers[2]:
        return False
    counts.sort()
    largest = counts[-1]
    tail = size
    for rank in range(integers[2] - 1):
        tail -= counts[counts.shape[0] - 1 - rank]
    return integers[1] * largest < integers[0] * tail


@njit(SIGNATURE, cache=True)
def transport_at_most(size, histogram, integers, reals):
    """Earth mover's distance over intervals of ranks at most a / b.

    ``integers = [N, a, b, W, intervals, N_0 … N_{m-1}, (first, last, weight) …]``: the distance from the distribution
    N_s / N is the weighted sum of ``|Σ_{s in interval} (c_s N - N_s size)|`` over ``W size N``; b is below 2**31.
    Where such sums may overflow, ``reals[0]`` is the bound instead, lowered by as much as roundings go.
    What stands behind the intervals is for `present_tests`.
    """
    m = histogram.shape[0]
    total = integers[0]
    running = np.empty(m + 1, np.int64)
    running[0] = 0
    for value in range(m):
        running[value + 1] = running[value] + histogram[value] * total - integers[5 + value] * size
    at = 5 + m
    if reals.shape[0] > 0:
        work = 0.0
        for _ in range(integers[4]):
            work += float(abs(running[integers[at + 1] + 1] - running[integers[at]])) * integers[at + 2]
            at += 3
        return work <= reals[0] * size * total * integers[3]
    moved = 0
    for _ in range(integers[4]):
        moved += abs(running[integers[at + 1] + 1] - running[integers[at]]) * integers[at + 2]
        at += 3
    # floor(whole * a / b), in two parts so that the product cannot overflow.
    whole = size * total * integers[3]
    rest = whole % integers[2] * integers[1] // integers[2]
    return moved <= whole // integers[2] * integers[1] + rest


@njit(SIGNATURE, cache=True)
def windows_at_most(size, histogram, integers, reals):
    """No window of neighbouring values holds more than 1 / m of the class.

    ``integers = [m, first of each value's window …, last of each value's window …]``.
    """
    values = histogram.shape[0]
    running = np.empty(values + 1, np.int64)
    running[0] = 0
    for value in range(values):
        running[value + 1] = running[value] + histogram[value]
    for value in range(values):
        if histogram[value] > 0:
            inside = running[integers[1 + values + value] + 1] - running[integers[1 + value]]
            if inside * integers[0] > size:
                return False
    return True


@njit(SIGNATURE, cache=True)
def evenly_distinct(size, histogram, integers, reals):
    """At least ``integers[0]`` values are present, none of which has two records more than another."""
    present = most = 0
    least = size
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            present += 1
            most = max(most, histogram[value])
            least = min(least, histogram[value])
    return present >= integers[0] and most - least <= 1


@njit(SIGNATURE, cache=True)
def each_value_once(size, histogram, integers, reals):  # a test's signature
    """At least ``integers[0]`` values are present, none of them twice."""
    present = 0
    for value in range(histogram.shape[0]):
        if histogram[value] > 1:
            return False
        present += histogram[value]
    return present >= integers[0]


@njit(SIGNATURE, cache=True)
def distinct_and_weighty(size, histogram, integers, reals):
    """At least ``integers[0]`` values are present, whose weights ``integers[2:]`` add up to ``integers[1]`` or more."""
    present = weight = 0
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            present += 1
            weight += integers[2 + value]
    return present >= integers[0] and weight >= integers[1]


@njit(SIGNATURE, cache=True)
def safe_from_membership(size, histogram, integers, reals):
    """No value s has more than a share δ of the records of s - 1, s and all higher ones; ``integers`` are those of δ."""
    rest = 0
    for value in range(histogram.shape[0] - 1, -1, -1):
        count = histogram[value]
        rest += count
        below = histogram[value - 1] if value > 0 else 0
        if count * integers[1] > (rest + below) * integers[0]:
            return False
    return True


@njit(float64(int64[::1], int64), cache=True)
def variance(histogram, numbering):
    """Variance of the numbers of the values that are present: 0 by their order, 1 by frequency, 2 their codes."""
    counts = np.sort(histogram)[::-1] if numbering == 1 else histogram
    n = first = second = 0.0
    x = 0
    for value in range(counts.shape[0]):
        if counts[value] > 0:
            number = float(value if numbering == 2 else x)
            n += counts[value]
            first += counts[value] * number
            x += 1
    mean = first / n
    x = 0
    for value in range(counts.shape[0]):
        if counts[value] > 0:
            number = float(value if numbering == 2 else x)
            second += counts[value] * (number - mean) * (number - mean)
            x += 1
    return second / n


@njit(SIGNATURE, cache=True)
def varied(size, histogram, integers, reals):
    """At least k records, whose values' numbers have a variance of θ or more.

    ``integers``: k, the numbering as of `variance`, numerator and denominator of θ. Where products may overflow ``reals[0]`` is
    θ instead, raised by as much as roundings go.
    """
    if size < integers[0]:
        return False
    if reals.shape[0] > 0:
        return variance(histogram, integers[1]) >= reals[0]
    counts = np.sort(histogram)[::-1] if integers[1] == 1 else histogram
    n = first = second = x = 0
    for value in range(counts.shape[0]):
        if counts[value] > 0:
            number = value if integers[1] == 2 else x
            n += counts[value]
            first += counts[value] * number
            second += counts[value] * number * number
            x += 1
    return (n * second - first * first) * integers[3] >= n * n * integers[2]


@njit(boolean(int64[::1], boolean[::1], int64[::1], float64[::1]), cache=True)
def beliefs_alike(who, values, integers, reals):
    """Decide what `beliefs_within` says; ``who`` are the distributions of a class, ``values`` (m,) the values that it has."""
    c, m = integers[0], integers[1]
    shares = reals[2 : 2 + c * m].reshape(c, m)
    if not within(who, shares, reals[2 + c * m :], reals[0]):
        return False
    if reals[1] == np.inf or who.size < 2:
        return True
    return odds_apart(who, np.flatnonzero(values), shares) <= reals[1]


@njit(SIGNATURE, cache=True)
def beliefs_within(size, histogram, integers, reals):
    """No two of the class are believed further apart than ``reals[0]`` bits, nor by odds beyond ``exp(reals[1])``.

    The histogram counts pairs of a distribution and a value: ``integers = [c, m]``, ``reals = [bits, log odds, (c, m)
    distributions, (c,) minus their entropies]``. Both limits are lowered by as much as roundings go.
    """
    c, m = integers[0], integers[1]
    who, values = np.empty(c, np.int64), np.zeros(m, np.bool_)
    count = 0
    for x in range(c):
        there = False
        for s in range(m):
            if histogram[x * m + s] > 0:
                there = values[s] = True
        if there:
            who[count] = x
            count += 1
    return beliefs_alike(who[:count], values, integers, reals)


@njit(boolean(int64[::1], int64[::1], int64[::1], float64[::1]), cache=True)
def beliefs_keep(codes, number, integers, reals):
    """Decide what `beliefs_kept` says; ``codes`` are the pairs that a class has, ascending, ``number`` their records."""
    c, m, states, smoothed = integers[0], integers[1], integers[2], integers[3]
    end = 1 + c * m
    shares = reals[1:end].reshape(c, m)
    before = reals[end : end + c * m].reshape(c, m) if smoothed else shares
    smoothing = reals[end + c * m * smoothed :].reshape(m * smoothed, m * smoothed)
    return largest_change(codes, number, shares, before, smoothing, states) <= reals[0]


@njit(SIGNATURE, cache=True)
def beliefs_kept(size, histogram, integers, reals):
    """Nobody of the class is believed, once it is seen, to have a distribution further than ``reals[0]`` bits from before.

    The histogram counts pairs of a distribution and a value: ``integers = [c, m, states, smoothed]``, ``reals = [bits, (c, m)
    distributions]``, and with ``smoothed`` 1 the smoothed ones (c, m) and the smoothing (m, m); ``states`` as of
    `likeness.kernels.arrangements.largest_change`. The limit is lowered by as much as roundings go.
    """
    codes = np.flatnonzero(histogram)
    return beliefs_keep(codes, histogram[codes], integers, reals)


CLASS_SIZE, OWN_SUM = 0, -1
"""What a test takes for the size of what it judges: that of the class, or the sum of its part of the histogram."""


class ClassTest(NamedTuple):
    """One predicate with its parameters and the part of the joint histogram it reads, from ``offset``, ``values`` long.

    ``slices``: sub-classes of records that share the sensitive values the adversary knows; each not empty must hold.
    ``stride``: how far apart the slices' parts of the histogram begin; ``values`` when 0.
    ``size_at``: `CLASS_SIZE`, `OWN_SUM`, or where in each slice's part its size stands; of several slices `CLASS_SIZE`
    means `OWN_SUM`.
    ``record_counts``: whether the predicate also reads, behind its m values, the number of individuals with 1, 2, … R
    records; with m places only, every record is its own individual. ``integers[0]`` of such a test is m.
    """

    function: Callable[[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]], bool]
    integers: Sequence[int] | NDArray[np.int64] = ()
    reals: Sequence[float] | NDArray[np.float64] = ()
    offset: int = 0
    values: int = 0
    slices: int = 1
    stride: int = 0
    size_at: int = CLASS_SIZE
    record_counts: bool = False


class LaidOutTests(NamedTuple):
    """The tests of a composition, laid out for kernels (fields are arrays, one entry per test).

    Size tests of whole classes are in ``smallest`` alone; ``tests`` are the others.
    """

    functions: PredicateTuple
    smallest: int
    shape: NDArray[np.int64]
    integers: NDArray[np.int64]
    reals: NDArray[np.float64]
    tests: tuple[ClassTest, ...]


def lay_out(tests: Sequence[ClassTest]) -> LaidOutTests:
    """Flatten class tests for `evaluate`; size tests of whole classes become one inline comparison.

    ``shape`` (tests, 9): offset, number of values and of slices in the histogram, begin and end of the integers and of
    the reals, how far apart slices begin, and where their size stands. Raises `PolicyError` with over `SLOTS` others.
    """
    smallest = 1
    rest = []
    for test in tests:
        if test.function is size_at_least and test.slices == 1 and test.size_at == CLASS_SIZE:
            smallest = max(smallest, int(test.integers[0]))
        else:
            rest.append(test)
    if len(rest) > SLOTS:
        raise PolicyError(
            f"this method takes at most {SLOTS} models about sensitive values, each counted once per column it "
            f"covers; got {len(rest)}"
        )
    shape = np.zeros((len(rest), 9), np.int64)
    integers: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    reals: list[NDArray[np.float64]] = [np.zeros(0)]
    i = r = 0
    for row, test in zip(shape, rest, strict=True):
        ints, floats = np.asarray(test.integers, np.int64), np.asarray(test.reals, np.float64)
        size_at = OWN_SUM if test.slices > 1 and test.size_at == CLASS_SIZE else test.size_at
        row[:7] = test.offset, test.values, test.slices, i, i + ints.size, r, r + floats.size
        row[7:] = test.stride or test.values, size_at
        i, r = i + ints.size, r + floats.size
        integers.append(ints)
        reals.append(floats)
    functions = [test.function for test in rest] + [always] * (SLOTS - len(rest))
    return LaidOutTests(
        PredicateTuple(functions),
        smallest,
        shape,
        np.concatenate(integers),
        np.concatenate(reals),
        tuple(rest),
    )


@njit(boolean(TESTS, int64[:, ::1], int64[::1], float64[::1], int64, int64[::1]), cache=True)
def evaluate(functions, shape, integers, reals, size, histogram):
    """Whether every test holds for a class of the given size and joint histogram."""
    for t in range(shape.shape[0]):
        function = functions[t]
        parameters = integers[shape[t, 3] : shape[t, 4]]
        numbers = reals[shape[t, 5] : shape[t, 6]]
        values = shape[t, 1]
        start = shape[t, 0]
        size_at = shape[t, 8]
        if size_at == CLASS_SIZE:
            if not function(size, histogram[start : start + values], parameters, numbers):
                return False
        else:
            for _ in range(shape[t, 2]):
                part = histogram[start : start + values]
                held = part.sum() if size_at == OWN_SUM else histogram[start + size_at]
                if held > 0 and not function(held, part, parameters, numbers):
                    return False
                start += shape[t, 7]
    return True


class Joining(NamedTuple):
    """Classes that rows join one by one: which rows each had, and who came.

    ``views`` (v, n): positions in the joint histogram that each row counts in. ``order`` (n,), ``starts`` (E + 1,): rows of each
    class. ``latest`` (E,): the row that joined last, -1 before the first; ``before`` (n,): who joined before each.
    ``histogram``: room to work in.
    """

    views: NDArray[np.int32]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    latest: NDArray[np.int64]
    before: NDArray[np.int64]
    histogram: NDArray[np.int64]


@njit(cache=True)
def join_nearest(functions, shape, integers, reals, joining, rows, near, label):
    """Let each row join the first of some classes that holds with it, and write which into ``label`` (n,).

    ``near`` (rows, m): the classes that each tries, in this order; -1 for none.
    """
    views, histogram = joining.views, joining.histogram
    for at in range(rows.size):
        row = rows[at]
        for own in near[at]:
            if own < 0:
                break
            histogram[:] = 0
            size = 1
            for view in range(views.shape[0]):
                histogram[views[view, row]] += 1
            for i in range(joining.starts[own], joining.starts[own + 1]):
                size += 1
                for view in range(views.shape[0]):
                    histogram[views[view, joining.order[i]]] += 1
            one = joining.latest[own]
            while one >= 0:
                size += 1
                for view in range(views.shape[0]):
                    histogram[views[view, one]] += 1
                one = joining.before[one]
            if evaluate(functions, shape, integers, reals, size, histogram):
                joining.before[row] = joining.latest[own]
                joining.latest[own] = row
                label[row] = own
                break


@njit(SIGNATURE, cache=True)
def individuals_and_values_at_least(size, histogram, integers, reals):
    """At least ``integers[0]`` individuals, who have at least ``integers[1]`` values between them."""
    if size < integers[0]:
        return False
    present = 0
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            present += 1
            if present >= integers[1]:
                return True
    return present >= integers[1]


@njit(SIGNATURE, cache=True)
def few_values_miss_somebody(size, histogram, integers, reals):
    """No l - 1 values hit everybody, l = ``integers[0]``, because those that most individuals have are too rare.

    Exact when everybody has one value; otherwise classes that hold may be refused, those that do not never pass.
    """
    few = integers[0] - 1
    if size <= few:
        return False
    present = largest = 0
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            present += 1
            largest = max(largest, histogram[value])
    if present <= few:
        return False
    if few * largest < size:
        return True
    counts = np.sort(histogram[histogram > 0])
    return counts[present - few :].sum() < size


@njit(types.UniTuple(int64, 2)(int64, int64[::1], int64), cache=True)
def _records(size, histogram, values):
    """Records of the class, and the most that one individual has."""
    if histogram.shape[0] == values:
        return size, min(size, 1)
    records = most = 0
    for r in range(values, histogram.shape[0]):
        if histogram[r] > 0:
            most = r - values + 1
            records += most * histogram[r]
    return records, most


@njit(SIGNATURE, cache=True)
def pairs_within_shares(size, histogram, integers, reals):
    """No individual has more than a share α of the records, no value more than a share β of the (individual, value) pairs.

    ``integers = [m, α's numerator, α's denominator, β's numerator, β's denominator]``, each below 2**31.
    """
    records, most = _records(size, histogram, integers[0])
    if most * integers[2] > records * integers[1]:
        return False
    pairs = largest = 0
    for value in range(integers[0]):
        pairs += histogram[value]
        largest = max(largest, histogram[value])
    return largest * integers[4] <= pairs * integers[3]


@njit(SIGNATURE, cache=True)
def individuals_within_shares(size, histogram, integers, reals):
    """No individual has more than a share α of the records, no value is that of more than a share β of the individuals.

    ``integers`` as in `pairs_within_shares`.
    """
    records, most = _records(size, histogram, integers[0])
    if most * integers[2] > records * integers[1]:
        return False
    for value in range(integers[0]):
        if histogram[value] * integers[4] > size * integers[3]:
            return False
    return True
