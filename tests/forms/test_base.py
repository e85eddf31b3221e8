"""What all forms share."""

from __future__ import annotations

import numpy as np
import pytest

from likeness.forms.base import as_labelled, publish_values
from likeness.microdata.domain import Domain
from likeness.published.columns import ColumnNote, exact_labels
from likeness.tables import EncodedColumn, Labelled

AGE = Domain("age", "integer", np.array([20, 30, 40]), "interval", missing=True)
JOB = Domain("job", "categorical", np.array(["*", "cook"], object), "set", missing=True)


def texts(column):
    own = as_labelled(column)
    return [own.labels[code] for code in own.codes]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (
            EncodedColumn("age", "integer", np.array([2, -1, 0], np.int32), np.array([1, 2, 3])),
            ["3", "", "1"],
        ),
        (Labelled(np.array([1, 1, -1], np.int32), ["a", "b"]), ["b", "b", ""]),
        (Labelled(np.array([], np.int32), ["a", "b"]), []),
        (EncodedColumn("x", "real", np.array([0], np.int32), np.array([1.0])), ["1.0"]),
        (
            EncodedColumn("x", "date", np.array([0], np.int32), np.array(["2024-02-29"], "M8[D]")),
            ["2024-02-29"],
        ),
    ],
)
def test_any_column_as_texts(column, expected):
    assert texts(column) == expected


def test_only_texts_that_occur_are_kept():
    # As in a file: a value that only withheld records have must not be read back.
    own = as_labelled(Labelled(np.array([2, 0, 2], np.int32), ["a", "withheld", "c"]))
    assert own.labels == ["a", "c"]
    assert own.codes.tolist() == [1, 0, 1]
    assert own.codes.dtype == np.int32


def test_exact_values():
    numbers = publish_values(AGE, np.array([2, 3, 0], np.int32))
    assert isinstance(numbers, EncodedColumn)
    assert numbers.codes.tolist() == [2, -1, 0]
    words = publish_values(JOB, np.array([0, 2, 1], np.int32))
    assert texts(words) == ["\\*", "", "cook"]
    assert exact_labels(texts(words), ColumnNote("job", "sensitive")) == ["*", None, "cook"]
