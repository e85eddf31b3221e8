from __future__ import annotations

import pytest
from tests.models.tables import accepts, bind, count, holds

from likeness.errors import PolicyError
from likeness.models.k_anonymity import KAnonymity


def test_every_class_has_k_records():
    assert holds(KAnonymity(3), [4, 4], [1, 1], [2, 1], [3, 2]) == [False, True, True]


def test_no_sensitive_column_is_needed():
    bound = KAnonymity(3).bind(None)
    stats = count([[2], [5]])
    assert bound.measured(stats).tolist() == [2, 5]
    assert bound.slack(bound.measured(stats)).tolist() == [-1, 2]
    assert bound.strongest(stats).values == {"k": 2}


def test_a_k_that_no_table_has():
    bound = bind(KAnonymity(10**30), [4])
    assert not bound.holds(count([[4]])).any()
    assert not accepts(bound, [4])


@pytest.mark.parametrize("k", [0, 2.5, "5"])
def test_bad_k(k):
    with pytest.raises(PolicyError, match=r"^k-anonymity: k must be a whole number of at least 1; got "):
        KAnonymity(k)
