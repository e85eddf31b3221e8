"""Fazal et al. 2023: the people of Table 1, their highest categories (Table 10), and what is published of them (Table 12)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.forms.publications import integers, table, words

from likeness.attacks.base import Making
from likeness.datasets.symptoms import SEVERITY
from likeness.hierarchies import Categories
from likeness.methods.angel import Angel
from likeness.microdata.data import Members, Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan

LABELS = tuple(SEVERITY)
CATEGORIES = Categories(LABELS, tuple(SEVERITY.values()))
SHOWN = Categories(LABELS, tuple((label, *values) for label, values in SEVERITY.items()))
AGES, ZIPS = [40, 45, 45, 38, 42, 40, 45, 32], [2139, 2545, 2238, 2843, 2341, 2548, 2544, 2538]
SEXES = ["F", "M", "F", "M", "F", "M", "F", "M"]
SYMPTOMS = [
    ["Flu", "Chills", "Fever"],
    ["Difficult Breathing", "Lungs Infection"],
    ["Cough", "Chest Pain"],
    ["Stomach Pain", "Lungs Infection"],
    ["Headache", "Tiredness", "Flu"],
    ["Headache", "Flu"],
    ["No Symptoms"],
    ["Headache"],
]
GROUPS = [0, 1, 2, 3, 0, 1, 2, 3]
BUCKETS = [0, 0, 1, 1, 2, 3, 2, 3]


def highest_of(values: list[list[str]], categories: Categories) -> list[int]:
    return [categories.highest(own) for own in values]


def severities(categories: Categories) -> Domain:
    """The attribute of highest categories."""
    shown = Categories(
        categories.labels,
        tuple((label, *own) for label, own in zip(categories.labels, categories.values, strict=True)),
    )
    labels = np.array(categories.labels, object)
    return Domain(
        "severity", "ordered", labels, "interval", high=labels.size - 1.0, declared=True, categories=shown
    )


def of_highest(
    quasi: list[tuple[Domain, list[int]]], values: list[list[str]], categories: Categories
) -> Microdata:
    """One record a person, of the highest category; what it was made from is kept beside it."""
    own = sorted({value for line in values for value in line})
    domain = replace(words("severity", own), categories=categories)
    of = np.repeat(np.arange(len(values)), [len(line) for line in values])
    flat = [own.index(value) for line in values for value in line]
    records = table(
        [(domain_, [codes[i] for i in of.tolist()]) for domain_, codes in quasi], [(domain, flat)]
    )
    records = replace(records, individuals=of)
    highest = table(quasi, [(severities(categories), highest_of(values, categories))])
    return replace(highest, source=Members(of, records))


def column(make, name, values):
    own = sorted(set(values))
    return make(name, own), [own.index(value) for value in values]


def quasi_of(ages, zips, sexes):
    return [column(integers, "age", ages), column(integers, "zip", zips), column(words, "sex", sexes)]


PEOPLE = of_highest(quasi_of(AGES, ZIPS, SEXES), SYMPTOMS, CATEGORIES)
# The invented record copies the quasi-identifiers of p8, and is Mild.
PUBLISHED = of_highest(
    quasi_of([*AGES, 32], [*ZIPS, 2538], [*SEXES, "M"]), [*SYMPTOMS, ["Cough"]], CATEGORIES
)
LOOSE = Plan(np.array([*GROUPS, 3]), np.array([*BUCKETS, 3]))
TIGHT = Plan(np.array([*BUCKETS, 3]), np.array([*BUCKETS, 3]))


def making(plan: Plan) -> Making:
    return Making(Angel(), (), plan)
