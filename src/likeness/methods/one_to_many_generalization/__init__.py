"""1:M-generalization (Gong et al. 2017): generalize everybody's set of sensitive values, then the quasi-identifiers.

A person with several records is one row with the set of their values. Sets are generalized on the hierarchy of the sensitive
column until k people share each; to whoever makes classes afterwards a set is one value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness import registry
from likeness.checks import whole
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem, run_in_parts
from likeness.microdata.data import Members
from likeness.microdata.domain import Domain
from likeness.microdata.node_sets import NodeSets
from likeness.microdata.plan import Plan, Reason
from likeness.published.columns import write_node_set
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.hierarchies import Hierarchy
    from likeness.methods.one_to_many_generalization.kernels import SortedTree
    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement

ONE_ROW = Reason(
    "one-row", "another record of the same person stands for it: sensitive values are published as one set"
)


@dataclass(frozen=True)
class OneToManyGeneralization(Method):
    """Publish everybody once, with a generalized set of their sensitive values that k people share.

    The sensitive column needs a hierarchy from a file. Everybody begins with its root. A node is replaced by those children
    of its that people have values below, where k have them below the same, the node of most values times leaves first; others
    keep the node. Classes are then made by a method for records with one value, the set, under the
    guarantee of the policy: with ``kl-diversity`` that is (k,l)-diversity.

    Parameters
    ----------
    k
        Fewest people that share each published set, at least 1.
    classes
        The method that makes the classes, by its name.

    Notes
    -----
    The published program leaves open which of equal nodes goes first and in which order groups of people are: here nodes stand in
    the order of their labels, and groups by the children they have. Where too few people are left over, those with the
    fewest values below the node join them, from groups of more than k; where these do not suffice, the group with the fewest
    values does, and they are not divided any further. Sets are equal or not: whatever distance their values have, they have none.

    References
    ----------
    Gong et al. 2017, "Anonymizing 1:M microdata with high utility", as its program does it; He & Naughton 2009, section 4
    (sets, top down).

    Examples
    --------
    >>> OneToManyGeneralization(k=10)
    OneToManyGeneralization(k=10, classes='mondrian')
    """

    k: int
    classes: str = "mondrian"

    name: ClassVar[str] = "one-to-many-generalization"
    takes_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, at_least=1)
        if not isinstance(self.classes, str):
            what = f"classes must be the name of a method; got {quoted(self.classes)}"
            raise PolicyError(Refusal(what, (self.name,)))
        if self._of_classes.form != Method.form:
            raise PolicyError(Refusal(f"classes: {self.classes} makes no classes of records", (self.name,)))

    @property
    def _of_classes(self) -> Method:
        """The method that makes classes."""
        found: Method = registry.create("methods", self.classes, {})
        return found

    @property
    def leaves_one_record(self) -> bool:
        """Everybody is one row."""
        return True

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse what the method that makes classes refuses."""
        self._of_classes.check(requirements)

    def prepared(self, data: Microdata) -> tuple[Microdata, Reason | None]:
        """Make everybody's records one row with a generalized set of their values."""
        return sets_of_people(data, self.k), ONE_ROW

    def run(self, problem: Problem) -> Plan:
        """Make classes; sets are values like any others."""
        method = self._of_classes
        return run_in_parts(method, replace(problem, loss=method.lowered))


def sets_of_people(data: Microdata, k: int) -> Microdata:
    """Make a table of one row a person, whose one sensitive attribute is the generalized set of their values.

    Rows are the first record of each person; the `source` of the result holds all records. Where everybody has one record, sets
    are of one value. Raises `PolicyError` where the sensitive attribute is not one, is not by a hierarchy of a file, has
    missing values, or there are fewer than k people.
    """
    from likeness.methods.one_to_many_generalization.kernels import generalize

    tree = _tree_of(data)
    people = np.arange(data.size) if data.individuals is None else data.individuals
    _, first, of = np.unique(people, return_index=True, return_inverse=True)
    # In the order of the table, so that the same table gives the same rows whatever people are numbered by.
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    of, first = rank[of.reshape(-1)], np.sort(first)
    if first.size < k:
        what = f"k is {k}, and the table has {count(first.size, 'person')}"
        raise PolicyError(Refusal(what, remedy=f"use at most {first.size}"))
    laid, rank_of, node_of = lay_out(tree)
    keys = np.unique(of * tree.size + rank_of[data.sensitive_codes[0]])
    start = np.searchsorted(keys, np.arange(first.size + 1) * tree.size).astype(np.int64)
    bucket, begin, nodes = generalize(laid, start, keys % tree.size, k)
    found = [tuple(sorted(node_of[nodes[a:b]].tolist())) for a, b in pairwise(begin)]
    texts = {write_node_set(tree, own): own for own in found}
    labels = sorted(texts)
    code = {label: number for number, label in enumerate(labels)}
    of_bucket = np.array([code[write_node_set(tree, own)] for own in found], np.int32)
    domain = Domain(
        data.sensitive[0].name,
        "categorical",
        np.array(labels, object),
        "set",
        sets=NodeSets(tree, tuple(texts[label] for label in labels)),
    )
    alone = replace(data, individuals=None).take(first)
    return replace(
        alone, sensitive=(domain,), sensitive_codes=of_bucket[bucket][None], source=Members(of, data)
    )


def _tree_of(data: Microdata) -> Hierarchy:
    """Find the hierarchy that sets are generalized on."""
    if len(data.sensitive) != 1:
        what = f"publishes sets of the values of one sensitive column; this table has {len(data.sensitive)}"
        raise PolicyError(Refusal(what))
    domain = data.sensitive[0]
    tree = domain.hierarchy
    if tree is None or domain.shape != "tree" or tree.data_derived:
        what = f"generalizes {domain.name!r}, which needs a hierarchy from a file"
        raise PolicyError(
            Refusal(what, remedy=f"give it one, as in {domain.name}: {{hierarchy: values.csv}}")
        )
    if domain.missing:
        what = f"the hierarchy of {domain.name!r} has no place for missing values"
        raise PolicyError(Refusal(what, remedy="drop them (missing: {policy: drop})"))
    if domain.categories is not None:
        what = f"{domain.name!r} is published as sets of nodes, which have no categories"
        raise PolicyError(Refusal(what, remedy=f"leave categories of {domain.name!r} out"))
    return tree


def lay_out(tree: Hierarchy) -> tuple[SortedTree, NDArray[np.int64], NDArray[np.int64]]:
    """Lay a hierarchy out with siblings in the order of their labels.

    Returns it, (leaves,) the number there of each leaf, and (nodes,) the node of each number.
    """
    from likeness.methods.one_to_many_generalization.kernels import SortedTree

    order: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += sorted(tree.children(node), key=lambda own: tree.labels[own], reverse=True)
    node_of = np.array(order, np.int64)
    number = np.argsort(node_of)
    is_leaf = np.array([not tree.children(node) for node in order])
    width = np.asarray(tree.leaf_count(node_of), np.int64)
    low = np.cumsum(is_leaf) - is_leaf
    children = [sorted(number[list(tree.children(node))].tolist()) for node in order]
    begin = np.cumsum([0, *map(len, children)])
    flat = np.array([own for each in children for own in each], np.int64)
    return SortedTree(low, low + width - 1, begin, flat), low[number[tree.leaf_node]], node_of
