"""Random queries about random tables, for the tests of estimates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from tests.metrics.tables import evaluations, tree

from likeness.microdata.domain import Domain
from likeness.queries.query import Consecutive
from likeness.tables import texts

if TYPE_CHECKING:
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata


@st.composite
def sensitive_domains(draw: st.DrawFn) -> Domain:
    kind = draw(st.sampled_from(["integer", "real", "categorical", "ordered", "hierarchical"]))
    missing = draw(st.booleans())
    size = draw(st.integers(1, 5))
    if kind == "hierarchical":
        word = draw(st.sampled_from(["d", "1"]))  # d0, or the number 10
        leaves = tree([f"{word}{i}" for i in range(size)], [i // 2 for i in range(size)])
        return Domain("disease", kind, np.array(leaves.leaves, object), "tree", leaves, missing)
    if kind in {"categorical", "ordered"}:
        shape = "set" if kind == "categorical" else "interval"
        return Domain(
            "disease", kind, np.array([f"d{i}" for i in range(size)], object), shape, missing=missing
        )
    steps = np.cumsum([draw(st.integers(1, 5)) for _ in range(size)]) - 4
    values = steps if kind == "integer" else steps / 4
    return Domain("disease", kind, values, "interval", missing=missing, low=values[0], high=values[-1])


@st.composite
def tables(draw: st.DrawFn):
    """An evaluation whose sensitive attribute is of any kind."""
    evaluation = draw(evaluations())
    disease = draw(sensitive_domains())
    codes = [draw(st.integers(0, disease.codes - 1)) for _ in range(evaluation.data.size)]
    data = replace(evaluation.data, sensitive=(disease,), sensitive_codes=np.array([codes], np.int32))
    return data, evaluation.plan


@st.composite
def conditions(draw: st.DrawFn, domain: Domain) -> Any:
    """A condition that suits a column."""
    labels = list(domain.labels)
    if domain.kind == "ordered" and draw(st.booleans()):
        first, last = sorted(draw(st.integers(0, len(labels) - 1)) for _ in range(2))
        return labels[first], labels[last]
    if domain.kind in {"integer", "real"} and draw(st.booleans()):
        near = st.sampled_from([float(x) + d for x in domain.numbers for d in (-1, -0.5, 0, 0.5, 3)])
        low, high = sorted([draw(near), draw(near)])
        return (low, high) if draw(st.booleans()) else (int(low), int(low) + draw(st.integers(0, 9)))
    if domain.kind == "date" and draw(st.booleans()):
        days = [draw(st.sampled_from(list(domain.values))) for _ in range(2)]
        return tuple(texts(np.array([min(days), max(days)])))
    if domain.kind in {"hierarchical", "categorical"} and draw(st.booleans()):
        first = draw(st.integers(0, len(labels) - 1))
        return Consecutive(tuple(labels), first, draw(st.integers(first, len(labels))))
    return draw(st.lists(st.sampled_from([*labels, None]), max_size=4, unique=True))


@st.composite
def wheres(draw: st.DrawFn, data: Microdata) -> dict[str, Any]:
    """Conditions on some columns."""
    columns = [*data.quasi, *data.sensitive]
    return {own.name: draw(conditions(own)) for own in columns if draw(st.booleans())}


def askable(publication: Publication, where: dict[str, Any]) -> dict[str, Any]:
    """Those conditions that name nothing that was not published."""
    return {name: own for name, own in where.items() if publication.askable[name].problem([own]) is None}
