"""The matrix PM as a table."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.forms.publications import mechanism, words

from likeness.forms.perturbed import ORIENTATION, name_column, publish_matrix, read_column

TEXTS = st.text(st.sampled_from("ab e\\{}|*[], \n\u00a0é"), max_size=5)


@example(["", " ", "\t", "{}", "published \\ original", "*", "[1", "\\e", None])
@given(st.lists(st.none() | TEXTS | st.text(max_size=6), min_size=1, max_size=8, unique=True))
@settings(deadline=None, max_examples=300)
def test_names_of_columns(values: list[str | None]) -> None:
    names = [name_column(value) for value in values]
    assert [read_column(name) for name in names] == values
    assert len({ORIENTATION, *names}) == len(values) + 1
    assert all(name.strip() for name in names)


def test_only_values_that_occur() -> None:
    columns = publish_matrix(
        words("disease", ["a", "b", "c"], missing=True), mechanism(np.array([3, 0, 2, 1]))
    )
    assert list(columns) == [ORIENTATION, "a", "c", "{}"]
    first = columns[ORIENTATION]
    assert [first.labels[code] for code in first.codes] == ["a", "c", ""]


def test_the_table_says_which_way_it_lies() -> None:
    values = ["published \\ original", "disease"]
    columns = publish_matrix(words("disease", values), mechanism(np.array([3, 2])))
    assert ORIENTATION == "published \\ original"
    assert list(columns) == [ORIENTATION, "published \\\\ original", "disease"]
    assert [read_column(name) for name in list(columns)[1:]] == values


def test_a_single_value_is_kept() -> None:
    columns = publish_matrix(words("disease", ["a"]), mechanism(np.array([3])))
    assert columns["a"].labels == ["1"]
