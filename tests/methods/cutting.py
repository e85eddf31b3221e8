"""Random small tables whose losses floating point adds without rounding, and how to cut them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from tests.oracles import models as oracles
from tests.oracles.mondrian import Table

from likeness import registry
from likeness.hierarchies import from_rows
from likeness.methods.base import Problem
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.microdata.plan import Plan

DISEASE = Domain("disease", "categorical", np.array(["cold", "flu", "hiv"], object), "set")
CODES = {"glm": (2, 3, 3, 5, 5, 65), "ncp": (2, 4, 4, 8, 8, 128), "iloss": (2, 4, 4, 8, 8, 128)}
"""Numbers of values by which a count is divided without rounding, for every loss; some fill two words."""
WEIGHTS = ((1.0,), (1.0, 1.0), (1.0, 3.0), (1.0, 2.0, 1.0), (1.0, 1.0, 1.0, 1.0))
GUARANTEES: tuple[tuple[tuple[str, dict[str, Any]], ...], ...] = (
    (("k-anonymity", {"k": 1}),),
    (("k-anonymity", {"k": 3}),),
    (("distinct-l-diversity", {"l": 2}),),
    (("recursive-cl-diversity", {"c": 3, "l": 2}), ("k-anonymity", {"k": 2})),
    (("t-closeness", {"t": "0.3"}), ("k-anonymity", {"k": 2})),
    (("basic-beta-likeness", {"beta": 1}),),
)


@st.composite
def columns(draw: st.DrawFn, name: str, loss: str) -> Domain:
    """A column of any shape, with or without missing values."""
    kind = draw(st.sampled_from(["integer", "hierarchical", "categorical"]))
    missing = draw(st.booleans())
    if kind == "integer":
        values = sorted(draw(st.sets(st.integers(0, 15), min_size=1, max_size=6)))
        high = 15.0 if loss == "iloss" else 16.0
        return Domain(name, kind, np.array(values), "interval", missing=missing, low=0.0, high=high)
    size = draw(st.sampled_from(CODES[loss])) - missing
    labels = [f"v{i}" for i in range(size)]
    if kind == "categorical":
        return Domain(name, kind, np.array(labels, object), "set", missing=missing)
    groups = sorted(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    # A branch may be shorter than the others: its leaves hang below the root.
    rows = [(leaf, leaf if g == 2 else f"g{g}", "*") for leaf, g in zip(labels, groups, strict=True)]
    tree = from_rows(rows, name, where=str)
    return Domain(name, kind, np.array(tree.leaves, object), "tree", tree, missing=missing)


@st.composite
def problems(draw: st.DrawFn, loss: str = "glm") -> tuple[Microdata, tuple[tuple[str, dict[str, Any]], ...]]:
    """Up to 24 records of up to four columns, and a guarantee."""
    weights = draw(st.sampled_from(WEIGHTS))
    quasi = tuple(replace(draw(columns(f"a{j}", loss)), weight=weight) for j, weight in enumerate(weights))
    n = draw(st.integers(1, 24))
    codes = [draw(st.lists(st.integers(0, x.codes - 1), min_size=n, max_size=n)) for x in quasi]
    sick = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return microdata(quasi, codes, sick), draw(st.sampled_from(GUARANTEES))


def microdata(quasi: Sequence[Domain], codes: Sequence[Sequence[int]], sick: Sequence[int]) -> Microdata:
    n = len(sick)
    return Microdata(
        tuple(quasi),
        np.array(codes, np.int32).reshape(len(quasi), n),
        (DISEASE,),
        np.array([sick], np.int32),
        np.arange(n),
    )


def make_problem(
    data: Microdata, guarantee: Any, loss: str = "glm", parts: NDArray[np.int64] | None = None
) -> Problem:
    models = [registry.create("models", name, given) for name, given in guarantee]
    requirements = require(models, data.sensitive, data.sensitive_codes)
    return Problem(data, requirements, LOSSES[loss], np.random.default_rng(0), parts)


def plain_table(data: Microdata, guarantee: Any, loss: str = "glm") -> Table:
    """The same problem for the plain search."""
    sick = data.sensitive_codes[0].tolist()
    reference = [sick.count(code) for code in range(3)]

    def holds(records: list[int]) -> bool:
        counts = [sum(sick[record] == code for record in records) for code in range(3)]
        return all(
            getattr(oracles, name.replace("-", "_"))(counts, reference, DISEASE, **given)
            for name, given in guarantee
        )

    return Table(data.quasi, list(map(tuple, data.codes.T.tolist())), holds, loss)


def classes_of(plan: Plan) -> set[frozenset[int]]:
    """The classes as sets of records."""
    return {frozenset(np.flatnonzero(plan.classes == number).tolist()) for number in range(plan.count)}
