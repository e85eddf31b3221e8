"""The table of the overall distribution."""

from __future__ import annotations

import numpy as np
import pytest
from tests.forms.publications import integers, words

from likeness.errors import TableError
from likeness.forms.base import as_labelled, by_label
from likeness.forms.exact import Distribution, publish_distribution
from likeness.microdata.domain import Domain
from likeness.published.columns import note_on


def read(domain: Domain, counts: list[int]) -> Distribution:
    published = publish_distribution(domain, np.array(counts))
    note = note_on(domain, "sensitive", np.flatnonzero(counts))
    return Distribution({name: as_labelled(own) for name, own in published.items()}, note, sum(counts))


def test_values_nobody_has_are_not_published() -> None:
    found = read(words("disease", ["a", "b", "c"], missing=True), [2, 0, 1, 4])
    assert found.domain.labels == ["a", "c"]
    assert found.counts.tolist() == [2, 1, 4]
    assert [found.name(code) for code in range(3)] == ["'a'", "'c'", "missing"]
    assert found.find("release", ["c", None]).tolist() == [1, 2]
    for value, shown in (("b", "'b'"), ("missing", "'missing'")):
        with pytest.raises(
            TableError, match=f"table 'release', column 'disease': the value {shown} is not in"
        ):
            found.find("release", [value])


def test_declared_values_keep_their_order() -> None:
    order = Domain("pain", "ordered", np.array(["low", "mid", "high"], object), "interval", high=2)
    found = read(order, [2, 0, 1])
    assert found.domain.labels == ["low", "mid", "high"]
    assert found.counts.tolist() == [2, 0, 1]
    # Declared, but nobody has it.
    with pytest.raises(TableError, match="the value 'mid' is not in the table 'distribution'"):
        found.find("release", ["mid"])
    with pytest.raises(
        TableError, match="table 'release': column 'pain': 'none' is not one of its declared values"
    ):
        found.find("release", ["none"])


def test_the_missing_value_that_does_not_occur() -> None:
    with pytest.raises(TableError, match="the value missing is not in the table 'distribution'"):
        read(integers("n", [1, 2]), [2, 1]).find("release", [None])


def test_labels_that_look_alike_are_added() -> None:
    found = read(words("disease", ["", "a"], missing=True), [1, 2, 4])
    assert by_label(found.domain, np.array([1.0, 2.0, 4.0]), found.counts > 0) == {"": 5.0, "a": 2.0}


def test_counts_beyond_any_table() -> None:
    domain = words("disease", ["a", "b"])
    published = publish_distribution(domain, np.array([10**17, 9 * 10**17]))
    note = note_on(domain, "sensitive", np.array([0, 1]))
    table = {name: as_labelled(own) for name, own in published.items()}
    with pytest.raises(TableError, match="the counts sum to 1000000000000000000; 3 records are published"):
        Distribution(table, note, 3)


def test_a_column_called_count() -> None:
    assert list(publish_distribution(words("count", ["a"]), np.array([3]))) == ["count", "records"]
