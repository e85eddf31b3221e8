"""Sensitive columns as SABRE meets them, with their plain counterparts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from tests.models.tables import categorical, hierarchical, numbers, tree
from tests.oracles.sabre import Plain

from likeness.methods.sabre.ground import BOUNDS, Ground, Span, ground_of
from likeness.models.base import SensitiveAttribute
from likeness.models.earth_movers import transport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.microdata.domain import Domain


def ground(reference: Sequence[int], domain: Domain, distance: str, bound: str = "exact") -> Ground:
    attribute = SensitiveAttribute(domain, np.array(reference, np.int64))
    laid = transport("t-closeness", attribute, distance)
    return ground_of(laid, bound, ordered=distance == "ordered")


def spans_of(plain: Plain, buckets: Sequence[Sequence[int]]) -> list[Span]:
    """Buckets of codes as intervals of ranks."""
    rank = {code: at for at, code in enumerate(plain.present)}
    return [(rank[bucket[0]], rank[bucket[-1]]) for bucket in buckets]


@st.composite
def columns(draw: st.DrawFn, most: int = 7) -> tuple[Domain, str]:
    """A column of one to ``most`` values, and a ground distance it has."""
    distance = draw(st.sampled_from(["equal", "ordered", "hierarchical"]))
    size = draw(st.integers(1, most))
    if distance == "equal":
        return categorical(size, missing=draw(st.booleans())), distance
    if distance == "ordered":
        return numbers(list(range(size))), distance
    groups = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    upper = draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
    # Some groups are as high as the groups of groups: their own parents are not there.
    rows = [(str(i), f"low {g}", f"high {upper[g]}", "*") for i, g in enumerate(groups)]
    return hierarchical(tree(rows), missing=draw(st.booleans())), distance


@st.composite
def grounds(draw: st.DrawFn, most: int = 7, largest: int = 6) -> tuple[Ground, Plain]:
    """A ground distance both ways; some values may not occur."""
    domain, distance = draw(columns(most))
    reference = draw(
        st.lists(st.integers(0, largest), min_size=domain.codes, max_size=domain.codes).filter(any)
    )
    bound = draw(st.sampled_from(BOUNDS))
    return ground(reference, domain, distance, bound), Plain(reference, domain, distance, bound)


def draws(buckets: Sequence[Any], largest: int = 6) -> st.SearchStrategy[list[int]]:
    """Records drawn from each bucket, not all none."""
    return st.lists(st.integers(0, largest), min_size=len(buckets), max_size=len(buckets)).filter(any)
