from __future__ import annotations

import pytest

from likeness.errors import SEARCHED, HierarchyError, did_you_mean
from likeness.hierarchies.problems import ALIKE, refuse


def test_no_problem_no_error():
    refuse([])


def test_ten_are_shown_and_the_rest_counted():
    with pytest.raises(HierarchyError) as caught:
        refuse([f"problem {i}" for i in range(10)])
    assert len(caught.value.problems) == 10
    with pytest.raises(HierarchyError) as caught:
        refuse([f"problem {i}" for i in range(12)])
    assert caught.value.problems == (*(f"problem {i}" for i in range(10)), "and 2 more")


@pytest.mark.parametrize(
    ("value", "meant"),
    [("germany", "Germany"), (" Germany ", "Germany"), ("Germny", "Germany"), ("Peru", None), ("18", None)],
)
def test_only_what_is_near_is_suggested(value, meant):
    expected = f"; did you mean {meant!r}?" if meant else ""
    assert did_you_mean(value, ["France", "Germany", "17", "180"], alike=ALIKE) == expected


def test_among_very_many_labels_only_case_and_blanks_are_compared():
    labels = [f"label {i}" for i in range(SEARCHED + 1)]
    assert did_you_mean("LABEL 7", labels) == "; did you mean 'label 7'?"
    assert did_you_mean("lable 7", labels) == ""
