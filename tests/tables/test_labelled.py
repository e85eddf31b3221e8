from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from likeness.tables import Labelled


def test_a_labelled_column_is_frozen():
    column = Labelled(np.array([0], dtype=np.int32), ["a"])
    with pytest.raises(FrozenInstanceError):
        column.labels = []
