"""All combinations of conditions at once are what every one of them is estimated at by itself."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import integers, plan_for, publish, table, words
from tests.queries.workloads import askable, conditions, tables

from likeness import registry
from likeness.errors import TableError
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.perturbed import PerturbedForm
from likeness.microdata.plan import Plan
from likeness.queries import contingency as _contingency
from likeness.queries.contingency import ContingencyTables
from likeness.queries.drawing import exact_answers, original_units
from likeness.queries.query import Query, Workload

FORMS = [example("forms", name) for name in registry.names("forms")]
FORMS += [PerturbedForm(variant) for variant in ("clipped", "simplex", "bayes")]


def one_by_one(publication, asked):
    """Every count, in the plain way; None where one of them is refused."""
    try:
        of = {name: [publication.estimate(Query({name: x})) for x in own] for name, own in asked.items()}
        pairs = {
            (a, b): [[publication.estimate(Query({a: x, b: y})) for y in asked[b]] for x in asked[a]]
            for a, b in permutations(asked, 2)
        }
    except TableError:
        return None
    return of, pairs


@pytest.mark.parametrize("form", FORMS, ids=repr)
@given(draw=st.data())
@settings(deadline=None, max_examples=25)
def test_all_at_once_is_one_by_one(form, draw):
    data, plan = draw.draw(tables())
    publication, _, _ = publish(form, data, plan_for(form, data, plan))
    columns = [*data.quasi, *data.sensitive]
    asked = {own.name: draw.draw(st.lists(conditions(own), max_size=3)) for own in columns}
    if draw.draw(st.integers(0, 3)):
        # Else some may name values that were not published: both ways must refuse.
        asked = {
            name: [own for own in several if askable(publication, {name: own})]
            for name, several in asked.items()
        }
    expected = one_by_one(publication, asked)
    if expected is None:
        with pytest.raises(TableError):
            publication.contingency(asked)
        return
    found = publication.contingency(asked)
    for name, counts in expected[0].items():
        assert found.of(name) == pytest.approx(np.array(counts), rel=1e-9, abs=1e-9)
    for (one, other), counts in expected[1].items():
        shape = (len(asked[one]), len(asked[other]))
        assert found.pair(one, other) == pytest.approx(np.array(counts).reshape(shape), rel=1e-9, abs=1e-9)


@given(draw=st.data())
@settings(deadline=None, max_examples=60)
def test_original_tables_are_counted_too(draw):
    data, _ = draw.draw(tables())
    columns = [*data.quasi, *data.sensitive]
    asked = {own.name: draw.draw(st.lists(conditions(own), max_size=5)) for own in columns}
    found = ContingencyTables(original_units(data), asked)
    for name, own in asked.items():
        counts = exact_answers(data, Workload.of_queries([Query({name: x}) for x in own]))
        assert found.of(name).tolist() == counts.tolist()
    for (one, own), (other, theirs) in permutations(asked.items(), 2):
        queries = [Query({one: x, other: y}) for x in own for y in theirs]
        counts = exact_answers(data, Workload.of_queries(queries))
        assert found.pair(one, other).reshape(-1).tolist() == counts.tolist()


def test_by_hand():
    age, sex = integers("age", [1, 2, 3, 4]), words("sex", ["f", "m"])
    data = table([(age, [0, 1, 2, 3]), (sex, [0, 1, 1, 1])], [(words("d", ["x", "y"]), [0, 0, 1, 1])])
    published, _, _ = publish(GeneralizedForm(), data, Plan(np.array([0, 0, 1, 1])))
    found = published.contingency({"age": [(1, 1), (2, 3)], "sex": [["m"]], "d": [["x"], ["y"]]})
    assert found.of("age").tolist() == [1.0, 2.0]
    assert found.of("sex").tolist() == [3.0]
    assert found.pair("age", "sex").tolist() == [[0.5], [1.5]]
    assert found.pair("sex", "age").tolist() == [[0.5, 1.5]]
    assert found.pair("d", "age").tolist() == [[1.0, 1.0], [0.0, 1.0]]


def test_laid_out_in_parts_it_says_the_same(monkeypatch):
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 50, 900)
    data = table([(integers("age", list(range(50))), codes.tolist())], [(words("d", ["x"]), [0] * 900)])
    published, _, _ = publish(GeneralizedForm(), data, Plan(codes // 7))
    asked = {"age": [(x, x + 2) for x in range(45)]}
    whole = published.contingency(asked).of("age")
    monkeypatch.setattr(_contingency, "_MOST_SHARES", 20)
    assert published.contingency(asked).of("age").tolist() == whole.tolist()


def test_columns_that_are_not_there_are_refused():
    data = table([(integers("age", [1, 2]), [0, 1])], [(words("d", ["x"]), [0, 0])])
    published, _, _ = publish(GeneralizedForm(), data, Plan(np.array([0, 0])))
    with pytest.raises(TableError, match="no published column 'zip'"):
        published.contingency({"zip": [["1"]]})
    with pytest.raises(TableError, match="column 'd': 'y' is not one of its values"):
        published.contingency({"d": [["x"], ["y"]]})
