"""The papers' bucket search and grouping as they are written, record by record and in fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction


def variance(values, numbering="frequency"):
    """σ² of the numbers that the categories of a bucket have (Fazal et al. 2023, equation 1)."""
    counts = Counter(values)
    ordered = sorted(counts, key=lambda value: (-counts[value], value) if numbering == "frequency" else value)
    x = {value: value if numbering == "category-id" else place for place, value in enumerate(ordered)}
    n = len(values)
    return Fraction(sum(x[value] ** 2 for value in values), n) - Fraction(sum(map(x.get, values)), n) ** 2


def threshold(values, k, mu):
    """θ of a table."""
    return Fraction(mu) * Fraction(min(k, len(set(values))) ** 2 - 1, 12)


def search(values, k, mu, numbering="frequency"):
    """Tuple at each position, (bucket, category, copied tuple) of each noise tuple, and the number of exchanges."""
    n, categories, theta = len(values), sorted(set(values)), threshold(values, k, mu)
    at, noise, exchanges = list(range(n)), [], 0
    count = n // k
    for bucket in range(count):
        begin, end = bucket * k, n if bucket == count - 1 else (bucket + 1) * k
        while variance(own := [values[i] for i in at[begin:end]], numbering) < theta:
            most = max(own.count(value) for value in own)
            victim = begin + max(i for i, value in enumerate(own) if own.count(value) == most)
            later = (p for p in range(end, n) if values[at[p]] not in own)
            found = next(later, None)
            if found is None:
                break
            at[victim], at[found] = at[found], at[victim]
            exchanges += 1
        while variance(own, numbering) < theta:
            least = min(own.count(category) for category in categories)
            last = categories.index(own[-1])
            circle = categories[last + 1 :] + categories[: last + 1]
            own.append(next(category for category in circle if own.count(category) == least))
            noise.append((bucket, own[-1], at[end - 1]))
    return at, noise, exchanges


def grouped(records, k, loss):
    """Groups of positions: the first left, and k - 1 times the one with whom ``loss`` of the group is least."""
    left, found = list(range(len(records))), []
    while len(left) >= 2 * k:
        group = [left.pop(0)]
        while len(group) < k:
            best = min(left, key=lambda i: (loss([records[j] for j in (*group, i)]), i))
            left.remove(best)
            group.append(best)
        found.append(group)
    return [*found, left]
