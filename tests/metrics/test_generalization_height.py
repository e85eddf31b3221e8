from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.metrics.examples import LEVELS, MINI, NOTHING_LEVELS, number_or_missing, one_column

from likeness.errors import PolicyError
from likeness.hierarchies import from_rows
from likeness.metrics.generalization_height import GeneralizationHeight
from likeness.metrics.mini_table import mini_table
from likeness.microdata.domain import Domain

DECADES = from_rows(
    [("31", "thirties", "*"), ("20", "twenties", "*"), ("29", "twenties", "*"), ("30", "thirties", "*")],
    "age",
    where=str,
)
AGES = Domain("age", "integer", np.array([20, 29, 30, 31]), "interval", DECADES, low=20, high=31)


def test_levels_of_nodes():
    assert GeneralizationHeight().by_attribute(LEVELS) == {"age": 5, "sex": 3}
    assert GeneralizationHeight().measure(LEVELS) == 8


def test_withheld_records_are_at_the_root():
    assert GeneralizationHeight().by_attribute(mini_table(hierarchies=True, withheld=2)) == {
        "age": 3 + 2 * 2,
        "sex": 3 + 2 * 1,
    }
    assert GeneralizationHeight().measure(NOTHING_LEVELS) == 5 * (2 + 1)


def test_an_interval_has_the_level_of_its_common_ancestor():
    # The hierarchy lists its leaves in another order than the numbers.
    release = one_column(AGES, [0, 1, 2, 3, 1, 2], [0, 0, 1, 1, 2, 2])
    assert GeneralizationHeight().measure(release) == 2 * 1 + 2 * 1 + 2 * 2
    assert GeneralizationHeight().measure(one_column(AGES, [0, 1, 2], [0, 1, 2])) == 0


def test_missing_is_a_leaf_under_the_root():
    with_missing = replace(AGES, missing=True)
    release = one_column(with_missing, [0, 1, 4, 4, 3, 4], [0, 0, 1, 1, 2, 2])
    assert GeneralizationHeight().measure(release) == 2 * 1 + 0 + 2 * 2


def test_a_set_without_hierarchy_has_one_level():
    letters = Domain("letter", "categorical", np.array(list("abc")), "set")
    assert GeneralizationHeight().measure(one_column(letters, [0, 1, 2], [0, 0, 1])) == 2


def test_every_attribute_without_levels_is_named():
    with pytest.raises(PolicyError) as caught:
        GeneralizationHeight().measure(MINI)
    (problem,) = caught.value.problems
    assert problem.startswith("generalization-height: 'age' has no hierarchy, and so no levels")
    with pytest.raises(PolicyError, match="'age' has no hierarchy"):
        GeneralizationHeight().measure(number_or_missing([0, 0, 0, 0]))


def test_a_hierarchy_with_gaps_has_no_levels():
    partial = replace(AGES, hierarchy=from_rows([("20", "*"), ("29", "*")], "age", where=str))
    with pytest.raises(PolicyError, match="2 values of 'age' are not leaves of its hierarchy"):
        GeneralizationHeight().measure(one_column(partial, [0, 1, 2], [0, 0, 0]))
