"""Small classes of people with several records, for the tests of models about individuals."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st
from tests.models.tables import bind

from likeness.kernels.class_tests import evaluate, lay_out
from likeness.microdata.statistics import ClassStatistics, count_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.models.base import BoundModel, PrivacyModel

    Person = Sequence[int]
    Class = Sequence[Person]

VALUES = 6


def people(most: int = 4, records: int = 3) -> st.SearchStrategy[list[list[int]]]:
    """One class: the values of each individual's records, without duplicates."""
    person = st.lists(st.integers(0, VALUES - 1), min_size=1, max_size=records, unique=True)
    return st.lists(person, min_size=1, max_size=most)


def count_individuals(*classes: Class, values: int = VALUES) -> ClassStatistics:
    """Statistics of classes from their individuals' values."""
    rows = [
        (number, f"{number} {who}", value)
        for number, one in enumerate(classes)
        for who, person in enumerate(one)
        for value in person
    ]
    names = sorted({name for _, name, _ in rows})
    return count_classes(
        np.array([number for number, _, _ in rows], np.int64),
        len(classes),
        np.array([value for _, _, value in rows], np.int64),
        values,
        np.array([names.index(name) for _, name, _ in rows], np.int64),
    )


def bind_to_people(model: PrivacyModel, *classes: Class) -> BoundModel:
    """A model that knows how many individuals of these classes have each value."""
    return bind(model, count_individuals([person for one in classes for person in one]).totals.tolist())


def holds(model: PrivacyModel, *classes: Class) -> list[bool]:
    return bind_to_people(model, *classes).holds(count_individuals(*classes)).tolist()


def accepts(bound: BoundModel, one: Class) -> bool:
    """What a search is told about a class."""
    test = bound.class_test()
    having = [sum(value in person for person in one) for value in range(VALUES)]
    if test.record_counts:
        most = max(len(person) for person in one)
        having += [sum(len(person) == r for person in one) for r in range(1, most + 1)]
        test = test._replace(values=len(having))
    tests = lay_out([test])
    if len(one) < tests.smallest:
        return False
    histogram = np.array(having, np.int64)
    return bool(evaluate(tests.functions, tests.shape, tests.integers, tests.reals, len(one), histogram))


def reasoning_sets(one: Class) -> list[tuple[int, ...]]:
    return list(product(*one))


def alpha_of(one: Class) -> Fraction:
    """max |R(p)| / |Q|."""
    return Fraction(max(len(person) for person in one), sum(len(person) for person in one))


def beta_of(one: Class) -> Fraction:
    """max |R(s)| / |Q|."""
    records = [value for person in one for value in person]
    return Fraction(max(records.count(value) for value in records), len(records))


def enhanced_beta_of(one: Class) -> Fraction:
    """Largest share of a value in any reasoning set."""
    return max(Fraction(chosen.count(value), len(one)) for chosen in reasoning_sets(one) for value in chosen)


def tau_of(one: Class) -> int:
    """Fewest values in any reasoning set."""
    return min(len(set(chosen)) for chosen in reasoning_sets(one))
