"""The frontier is what a plain look at every pair finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.comparing.runs import comparison, run

from likeness.comparing.comparison import undominated

COORDINATE = st.sampled_from([0.0, 0.25, 0.5, 1.0, float("inf"), -1.0])


def better(one, other):
    """Whether a point is as large in everything, and larger in something."""
    return all(a >= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)


@given(st.integers(1, 3).flatmap(lambda size: st.lists(st.tuples(*[COORDINATE] * size), max_size=12)))
def test_as_by_brute_force(points):
    wanted = [not any(better(other, one) for other in points) for one in points]
    assert undominated(points).tolist() == wanted


@given(
    st.lists(
        st.tuples(st.integers(2, 6), st.sampled_from([0.1, 0.2, 0.3, None]), st.sampled_from([0, 1, None])),
        max_size=8,
    )
)
def test_of_a_comparison(drawn):
    runs = [
        run(f"m{i}", k, loss, None if more is None else k + more) for i, (k, loss, more) in enumerate(drawn)
    ]
    found = comparison_of_any(runs).frontier
    tried = {one.asked["k-anonymity.k"] for one in runs}
    points = {
        one.label: (max(k for k in tried if k <= one.proven["k-anonymity.k"]), -one.loss["ncp-total"])
        for one in runs
        if one.loss
    }
    wanted = {name for name, own in points.items() if not any(better(o, own) for o in points.values())}
    assert {one.label for one in found} == wanted
    assert sorted(points[one.label][0] for one in found) == [points[one.label][0] for one in found]


def comparison_of_any(runs):
    """A comparison whose methods need not exist: the frontier does not ask."""
    from likeness.comparing import Comparison

    empty = comparison([])
    return Comparison(tuple(runs), empty.levers, empty.loss, empty.policy, (), "", "polars")


def test_equal_ones_are_all_on_it_and_more_is_better_where_it_is():
    runs = [run("mondrian", 5, 0.2), run("mdav", 5, 0.2), run("burel", 5, 0.3)]
    assert [one.method for one in comparison(runs).frontier] == ["mdav", "mondrian"]
    assert [one.method for one in comparison(runs, loss="utility").frontier] == ["mdav", "mondrian"]
