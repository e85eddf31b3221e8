"""Whether prices are proven: every class of a tiny table that holds, one after the other; nothing of the bound is asked."""

from __future__ import annotations

from tests.oracles import partitions

from likeness.microdata.data import Microdata


def most_above(data: Microdata, holds: partitions.Holds, prices: list[float], form: str) -> float:
    """By how much a class that holds is worth more than its records lose together, at most; negative where all are worth less."""
    values = data.sensitive[0].codes
    sick = data.sensitive_codes[0].tolist()
    whole = [sick.count(value) for value in range(values)]
    most = -1.0
    for own in range(1, 1 << data.size):
        members = [i for i in range(data.size) if own >> i & 1]
        if holds([sum(sick[i] == value for i in members) for value in range(values)], whole):
            lost = len(members) * partitions.loss(data, members, form)
            most = max(most, sum(prices[i] for i in members) - lost)
    return most
