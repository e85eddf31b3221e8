from __future__ import annotations

import numpy as np
from tests.metrics.examples import LEVELS, MINI, NOTHING, constant, number_or_missing, one_column

from likeness.hierarchies import from_rows
from likeness.metrics.base import Evaluation
from likeness.metrics.mini_table import mini_table
from likeness.metrics.minimal_distortion import MinimalDistortion
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan
from likeness.microdata.regions import AttributeRegions, Recoding


def test_mini_table():
    assert MinimalDistortion().by_attribute(MINI) == {"age": 5, "sex": 3}
    assert MinimalDistortion().measure(MINI) == MinimalDistortion().measure(LEVELS) == 8


def test_withheld_cells_count():
    assert MinimalDistortion().by_attribute(mini_table(withheld=2)) == {"age": 5, "sex": 5}
    assert MinimalDistortion().measure(NOTHING) == 10


def test_constant_attributes_are_never_generalized():
    assert MinimalDistortion().measure(constant(classes=[0, 0, -1])) == 2


def test_missing_alone_is_exact():
    assert MinimalDistortion().measure(number_or_missing([0, 1, 2, 2])) == 0
    assert MinimalDistortion().measure(number_or_missing([0, 1, 1, 2])) == 2


def test_a_node_above_one_leaf_is_generalized():
    hierarchy = from_rows([("Paris", "France", "*"), ("Rome", "Italy", "*")], "city", where=str)
    city = Domain("city", "hierarchical", np.array(hierarchy.leaves), "tree", hierarchy)
    tight = one_column(city, [0, 0, 1], [0, 0, 1])
    assert MinimalDistortion().measure(tight) == 0
    # Full-domain recoding publishes the country.
    nodes = np.array([hierarchy.node_of("France"), hierarchy.node_of("Italy")], np.int32)
    codes = np.array([0, 1], np.int32)
    country = AttributeRegions(city, np.array([0, 1]), codes, codes, nodes)
    published = Evaluation(tight.data, Plan(tight.plan.classes), Recoding((country,), 2))
    assert MinimalDistortion().measure(published) == 3
