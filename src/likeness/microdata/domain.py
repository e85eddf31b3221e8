"""One attribute's values, their geometry, and how a set of them is generalized."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from likeness.tables import texts
from likeness.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.hierarchies import Categories, Hierarchy
    from likeness.microdata.attained import Attained
    from likeness.microdata.lattice import DeclaredLattice
    from likeness.microdata.node_sets import NodeSets

Kind = Literal["integer", "real", "date", "ordered", "hierarchical", "categorical"]
Shape = Literal["interval", "tree", "set"]
Shown = Literal["region", "mean", "mode"]
Missing = TypeVar("Missing", str, None)

NUMERIC: frozenset[str] = frozenset({"integer", "real", "date"})
IN_ORDER: frozenset[str] = NUMERIC | {"ordered"}
"""Kinds whose values have an order."""
SUITABLE: dict[str, str] = {
    "integer": "{intervals: [0, 18, 40, 65]}",
    "real": "{intervals: [0, 18, 40, 65]}",
    "date": "{dates: [month, year]}",
    "ordered": "values.csv, a file with a line for each value and the groups above it",
    "categorical": "values.csv, a file with a line for each value and the groups above it",
    "hierarchical": "values.csv, a file with a line for each value and the groups above it",
}
"""A hierarchy for each kind of column, as an example in messages."""


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of one attribute, in the order that gives them their geometry.

    Codes 0 … V - 1 stand for ``values``; with ``missing``, the code V stands for the missing value, a category of its own.

    ``kind``: ``integer``, ``real``, ``date`` (numbers in ascending order), ``ordered`` (declared order), ``hierarchical``
    (leaves in pre-order: the code is the leaf's rank) or ``categorical`` (ascending texts).
    ``shape``: how a set of values is generalized: to the ``interval`` of its smallest and largest code, to the lowest
    common ancestor in the hierarchy (``tree``), or to the ``set`` itself.
    ``hierarchy``: if any; with the shape ``tree`` its leaves are the values.
    ``low``, ``high``: ends of the domain as numbers (days since 1970 for dates, ranks for what is not numeric); declared
    ones may be wider than what was observed.
    ``weight``: how much this attribute counts in losses, relative to the others.
    ``max_level``: highest hierarchy level a published region may have, if limited.
    ``distance``: ground distance between sensitive values: ``equal``, ``ordered`` or ``hierarchical``.
    ``declared``: whether the policy declared the values (and not only the observed ones make the domain).
    ``shown``: what is published of a class's values: the ``region`` that covers them, their ``mean`` (numbers and dates in
    intervals) or their ``mode``, the most frequent one.
    ``categories``: ordered categories of its values, all of which then have one, if the policy declares them.
    ``sets``: where its values stand for sets of nodes of a hierarchy, which set each is; ``values`` are their published texts.
    ``lattice``: what regions are rounded outward to, if a form declares it.
    ``attained``: how many members must have an end or a listed value, or else the region grows, if a form asks for it.
    ``protected``: (codes,) which values of a sensitive attribute need protection, if not all; a missing one then never does.
    ``public``: codes that regions may begin or end at, whoever has them, because an earlier release told of them.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    shape: Shape
    hierarchy: Hierarchy | None = None
    missing: bool = False
    low: float = 0.0
    high: float = 0.0
    weight: float = 1.0
    max_level: int | None = None
    distance: str = "equal"
    declared: bool = False
    shown: Shown = "region"
    categories: Categories | None = None
    sets: NodeSets | None = None
    lattice: DeclaredLattice | None = None
    attained: Attained | None = None
    protected: NDArray[np.bool_] | None = None
    public: NDArray[np.int64] | None = None
    options: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """Number of values, the missing one not counted."""
        return len(self.values)

    @property
    def codes(self) -> int:
        """Number of codes, the missing value included."""
        return self.size + self.missing

    @property
    def missing_code(self) -> int:
        """The code of the missing value, or -1."""
        return self.size if self.missing else -1

    @cached_property
    def labels(self) -> list[str]:
        """Text of every value (the missing one not included)."""
        return texts(self.values)

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The code of every label (the missing value has none)."""
        return {label: code for code, label in enumerate(self.labels)}

    @cached_property
    def single(self) -> Domain:
        """The values that sets are of, which conditions and beliefs are about; itself where its values are no sets."""
        if self.sets is None:
            return self
        tree = self.sets.tree
        return Domain(self.name, "hierarchical", np.array(tree.leaves, object), "tree", tree)

    @cached_property
    def category_of(self) -> NDArray[np.int64]:
        """(codes,) Number of the category of every value, 0 for the least severe; where the policy declares categories."""
        assert self.categories is not None  # noqa: S101  # asked only of domains that have them
        return np.array([self.categories.rank[label] for label in self.labels], np.int64)

    def label_of(self, code: int) -> str:
        """Write what a code stands for, for people: ``missing`` is the missing value."""
        return "missing" if code >= self.size else self.labels[code]

    def name_of(self, code: int) -> str:
        """Name what a code stands for in a message: the label in quotation marks, or ``missing``."""
        return "missing" if code >= self.size else repr(self.labels[code])

    def labels_with(self, missing: Missing) -> list[str | Missing]:
        """(codes,) The label of every code, with what is to stand for the missing value, if there is one."""
        found: list[str | Missing] = [*self.labels]
        if self.missing:
            found.append(missing)
        return found

    def codes_in(self, other: Domain) -> NDArray[np.int64]:
        """(codes,) Code that each value has in another domain; -1 for values that are not there.

        Examples
        --------
        >>> few, many = (Domain("d", "categorical", np.array(list(v)), "set") for v in ("ac", "ab"))
        >>> few.codes_in(many)
        array([ 0, -1])
        """
        found = [other.code_of.get(label, -1) for label in self.labels]
        return np.array([*found, *([other.missing_code] if self.missing else [])], np.int64)

    def places(self, missing: float) -> NDArray[np.float64]:
        """(codes,) Place of every value from 0 to 1, and the one given for the missing value, if there is one.

        Numbers and dates in intervals lie at ``(x - low) / (high - low)``, everything else at ``code / (size - 1)``.

        Examples
        --------
        >>> Domain("age", "integer", np.array([20, 30, 60]), "interval", missing=True, low=20, high=60).places(2.0)
        array([0.  , 0.25, 1.  , 2.  ])
        """
        if self.kind not in NUMERIC or self.shape != "interval":
            own = np.arange(self.size) / max(1, self.size - 1)
        else:
            own = (self.numbers - self.low) / self.width if self.width > 0 else np.zeros(self.size)
        return np.append(own, missing) if self.missing else own

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """Values as numbers: days since 1970 for dates, ranks for what is not numeric."""
        if self.kind == "date":
            return self.values.astype("datetime64[D]").astype(np.int64).astype(np.float64)
        if self.kind in NUMERIC:
            return self.values.astype(np.float64)
        return np.arange(self.size, dtype=np.float64)

    @property
    def values_declared(self) -> bool:
        """Whether the policy lists all values, so that they tell nothing about the table; a range of numbers lists none."""
        if self.kind in NUMERIC and self.shape != "tree":
            return False
        listed = self.hierarchy is not None and not self.hierarchy.data_derived
        return self.declared or listed or self.kind == "ordered"

    @property
    def width(self) -> float:
        """Width of the domain, in the values' own unit (ranks for what is not numeric)."""
        return float(self.high - self.low)

    def __repr__(self) -> str:
        """Name, kind and number of values."""
        return f"Domain({self.name!r}, {self.kind}, {count(self.size, 'value')}, {self.shape})"
