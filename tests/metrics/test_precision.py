from __future__ import annotations

import numpy as np
import pytest
from tests.metrics.examples import LEVELS, MINI, NOTHING_LEVELS, one_column

from likeness.errors import PolicyError
from likeness.hierarchies import from_rows
from likeness.metrics.mini_table import mini_table
from likeness.metrics.precision import Precision
from likeness.microdata.domain import Domain


def test_share_of_the_height_that_is_kept():
    assert Precision().by_attribute(LEVELS) == pytest.approx({"age": 1 - 1 / 2, "sex": 1 - 3 / 5})
    assert Precision().measure(LEVELS) == pytest.approx(0.45)


def test_withheld_records_are_at_the_root():
    assert Precision().by_attribute(mini_table(hierarchies=True, withheld=2)) == pytest.approx(
        {"age": 1 - (3 / 2 + 2) / 5, "sex": 0.0}
    )
    assert Precision().measure(NOTHING_LEVELS) == 0


def test_constant_attribute():
    hierarchy = from_rows([("a", "*")], "letter", where=str)
    letter = Domain("letter", "hierarchical", np.array(["a"]), "tree", hierarchy)
    assert Precision().measure(one_column(letter, [0, 0], [0, 0])) == 1
    single = Domain("letter", "categorical", np.array(["a"]), "set")
    assert Precision().measure(one_column(single, [0, 0], [0, 0])) == 1
    assert Precision().measure(one_column(single, [0, 0], [0, -1])) == 0.5


def test_intervals_have_no_levels():
    with pytest.raises(PolicyError, match="precision: 'age' has no hierarchy"):
        Precision().measure(MINI)
