"""The running example of Wang et al. 2019: tables 2, 3 and 4, and what they are made of.

Individuals are numbered from 1 as in the paper (``Id_num``) wherever people read, and from 0 in arrays: Mike 1, Lily 2, Tim 3,
Jane 4, Tina 5, Ella 6, Lucy 7. Records r1 … r10 stand in the paper's order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.hierarchies import Hierarchy, from_rows
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.statistics import ClassStatistics, count_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

S4_TABLE2 = (
    ("Mike", "M", 36, 10085, "Hypertension"),
    ("Mike", "M", 36, 10085, "Heart"),
    ("Lily", "F", 37, 10076, "Cancer"),
    ("Tim", "M", 36, 10086, "Hypertension"),
    ("Jane", "F", 33, 10087, "Hypertension"),
    ("Jane", "F", 33, 10087, "Diabetes"),
    ("Tina", "F", 38, 10077, "HIV"),
    ("Ella", "F", 34, 10070, "Leukaemia"),
    ("Ella", "F", 34, 10070, "Heart"),
    ("Lucy", "F", 33, 10073, "Syphilis"),
)
"""Name, Gender, Age, Postcode, Disease of r1 … r10."""
S4_NAMES = ("Mike", "Lily", "Tim", "Jane", "Tina", "Ella", "Lucy")
S4_INDIVIDUALS = np.array([S4_NAMES.index(row[0]) for row in S4_TABLE2], np.int64)
"""(10,) Individual of each record, from 0."""
S4_GENDERS = ("F", "M")
S4_AGES = (30, 39)
S4_POSTCODES = (10070, 10073, 10076, 10077, 10085, 10086, 10087)
S4_DISEASES = ("Cancer", "Diabetes", "HIV", "Heart", "Hypertension", "Leukaemia", "Syphilis")

S4_TABLE3 = (
    ({2, 5, 6, 7}, "F", (30, 39), "1007*"),
    ({1, 3, 4}, "*", (30, 39), "1008*"),
)
"""GeneIR: IR (3, 3)- and IR (0.4, 0.6)-anonymous. Individuals, Gender, Age, Postcode of Q1 and Q2."""
S4_TABLE4 = (
    ({4, 6, 7}, {"F"}, (33, 34), {10070, 10073, 10087}),
    ({1, 2, 3, 5}, {"M", "F"}, (36, 38), {10076, 10077, 10085, 10086}),
)
"""DAnonyIR: EIR 3-diverse, EIR (0.4, 0.6)-anonymous."""

S4_FAMILY = ({1, 3}, {1, 3, 5}, {1, 6}, {3, 5}, {5, 7}, {4}, {4, 5}, {4, 6})
"""The eight sets that section 4.3 explains Algorithm 3 with: 4 stands for x4."""


def s4_hierarchies() -> dict[str, Hierarchy]:
    """The trees that GeneIR generalizes along: heights Gender 1, Age 2, Postcode 2."""
    rows = {
        "Gender": [("F", "*"), ("M", "*")],
        "Age": [(str(age), "[30, 34]" if age < 35 else "[35, 39]", "*") for age in range(30, 40)],
        "Postcode": [(str(code), "1007*" if code < 10080 else "1008*", "*") for code in S4_POSTCODES],
    }
    return {
        name: from_rows([list(row) for row in lines], name, where=lambda i: f"line {i + 1}")
        for name, lines in rows.items()
    }


def s4_domains(*, trees: bool = False) -> tuple[Domain, ...]:
    """Gender, Age and Postcode: sets and an interval (DAnonyIR), or hierarchies (GeneIR)."""
    if trees:
        return tuple(
            Domain(name, "hierarchical", np.array(tree.leaves, object), "tree", tree)
            for name, tree in s4_hierarchies().items()
        )
    ages = np.array(sorted({row[2] for row in S4_TABLE2}))
    return (
        Domain("Gender", "categorical", np.array(S4_GENDERS, object), "set"),
        Domain("Age", "integer", ages, "interval", low=S4_AGES[0], high=S4_AGES[1]),
        Domain("Postcode", "categorical", np.array([str(code) for code in S4_POSTCODES], object), "set"),
    )


def s4_microdata(*, trees: bool = False) -> Microdata:
    """Table 2 as microdata, its individuals named."""
    quasi = s4_domains(trees=trees)
    codes = [
        [list(domain.labels).index(str(row[column])) for row in S4_TABLE2]
        for column, domain in enumerate(quasi, 1)
    ]
    disease = Domain("Disease", "categorical", np.array(S4_DISEASES, object), "set")
    diseases = [[S4_DISEASES.index(row[4]) for row in S4_TABLE2]]
    return Microdata(
        quasi,
        np.array(codes, np.int32),
        (disease,),
        np.array(diseases, np.int32),
        np.arange(len(S4_TABLE2)),
        individuals=S4_INDIVIDUALS.copy(),
    )


def s4_classes(table: Sequence[tuple[set[int], object, object, object]]) -> np.ndarray:
    """(10,) Class of each record in `S4_TABLE3` or `S4_TABLE4`."""
    of = {individual: number for number, (people, *_) in enumerate(table) for individual in people}
    return np.array([of[individual + 1] for individual in S4_INDIVIDUALS.tolist()], np.int64)


def s4_people(table: Sequence[tuple[set[int], object, object, object]]) -> np.ndarray:
    """(7,) Class of each individual in `S4_TABLE3` or `S4_TABLE4`."""
    of = {individual: number for number, (people, *_) in enumerate(table) for individual in people}
    return np.array([of[individual] for individual in range(1, len(S4_NAMES) + 1)], np.int64)


def s4_statistics(table: Sequence[tuple[set[int], object, object, object]]) -> ClassStatistics:
    """Counts of people and diseases in the two classes of a table."""
    codes = np.array([S4_DISEASES.index(row[4]) for row in S4_TABLE2], np.int64)
    return count_classes(s4_classes(table), len(table), codes, len(S4_DISEASES), S4_INDIVIDUALS)


def s4_sets(people: set[int]) -> list[frozenset[str]]:
    """S(p) of some individuals, in the order of their numbers."""
    return [
        frozenset(row[4] for row in S4_TABLE2 if row[0] == S4_NAMES[individual - 1])
        for individual in sorted(people)
    ]
