"""θ-sensitive k-anonymity by plain definition (Fazal et al. 2023, algorithm 1): buckets in the order of a table, with swaps."""

from __future__ import annotations

from collections import deque
from fractions import Fraction


def variance(counts: list[int]) -> Fraction:
    """Variance of the running number of distinct values, the most frequent first."""
    own = sorted((count for count in counts if count), reverse=True)
    total = sum(own)
    mean = Fraction(sum(i * count for i, count in enumerate(own)), total)
    return Fraction(sum(i * i * count for i, count in enumerate(own)), total) - mean * mean


def scan(values: list[int], categories: int, k: int, mu: Fraction) -> tuple[list[int], int, bool]:
    """Bucket of every record, the number of swaps, and whether all buckets hold θ without invented records.

    Records are dealt in order; a bucket of too little variance gives away the last record of its most frequent values, for the
    first later one whose value it does not have.
    """
    buckets = len(values) // k
    theta = mu * Fraction(min(k, categories) ** 2 - 1, 12)
    held, who = list(values), list(range(len(values)))
    # Places of every value, ascending; those left by a swap are passed over.
    places = [deque(i for i, value in enumerate(values) if value == v) for v in range(categories)]
    swaps, good = 0, True
    for bucket in range(buckets):
        low, high = bucket * k, len(values) if bucket == buckets - 1 else bucket * k + k
        while True:
            counts = [held[low:high].count(v) for v in range(categories)]
            if variance(counts) >= theta:
                break
            absent = []
            for v in range(categories):
                while places[v] and (places[v][0] < high or held[places[v][0]] != v):
                    places[v].popleft()
                if counts[v] == 0 and places[v]:
                    absent.append(places[v][0])
            if not absent:
                good = False
                break
            victim = max(i for i in range(low, high) if counts[held[i]] == max(counts))
            other = min(absent)
            held[victim], held[other] = held[other], held[victim]
            who[victim], who[other] = who[other], who[victim]
            own = places[held[other]]
            at = next((i for i, place in enumerate(own) if place >= other), len(own))
            if at == len(own) or own[at] != other:
                own.insert(at, other)
            swaps += 1
    found = [0] * len(values)
    for place, record in enumerate(who):
        found[record] = min(place // k, buckets - 1)
    return found, swaps, good
