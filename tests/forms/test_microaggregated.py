"""Microaggregated tables, published and read back: means, modes, what is nearest, what is estimated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import as_shown, integers, labelled, notes_on, publish, table, words
from tests.metrics.tables import evaluations
from tests.oracles.nearest import PlainNearest

from likeness import registry
from likeness.errors import TableError
from likeness.forms.microaggregated import MicroaggregatedForm
from likeness.hierarchies import from_rows
from likeness.microdata.domain import Domain
from likeness.queries.query import Query
from likeness.tables import Labelled

AGE = integers("age", [20, 25, 30, 60], missing=True)
SEX = words("sex", ["f", "m"])
DAY = Domain(
    "day", "date", np.array(["2024-01-01", "2024-01-02", "2024-01-09"], "datetime64[D]"), "interval",
    low=19723.0, high=19731.0,
)  # fmt: skip
DISEASE = words("disease", ["cold", "flu"])
DATA = table(
    [(AGE, [0, 1, 2, 3, 3, 2, 4, 4]), (SEX, [0, 1, 1, 0, 1, 0, 0, 0]), (DAY, [0, 1, 2, 0, 1, 0, 0, 0])],
    [(DISEASE, [0, 1, 1, 0, 1, 0, 0, 1])],
)
CLASSES = [0, 0, 0, 1, 1, -1, 2, 2]
FORM = MicroaggregatedForm()
MEAN_FORMS = [
    name
    for name in registry.names("forms")
    if registry.load("forms", name)().shows("integer", "interval") == "mean"
]


def cells(published):
    columns = labelled(published.tables)["release"]
    rows = zip(*([own.labels[code] for code in own.codes] for own in columns.values()), strict=True)
    return sorted(rows)


def test_every_record_shows_the_means_and_modes_of_its_class():
    _, published, _ = publish(FORM, DATA, CLASSES)
    assert cells(published) == [
        # Of f and m the first. Between the days 19,723 and 19,724 since 1970 the even one.
        ("", "f", "2024-01-01", "cold"),
        ("", "f", "2024-01-01", "flu"),
        ("25.0", "m", "2024-01-04", "cold"),
        ("25.0", "m", "2024-01-04", "flu"),
        ("25.0", "m", "2024-01-04", "flu"),
        ("60.0", "f", "2024-01-02", "cold"),
        ("60.0", "f", "2024-01-02", "flu"),
    ]


def test_means_are_numbers_and_days():
    columns = publish(FORM, DATA, CLASSES)[1].tables["release"]
    assert (columns["age"].kind, columns["day"].kind) == ("real", "date")
    assert columns["age"].values.tolist() == [25.0, 60.0]
    # Where only some of a class's values are missing there is no mean, and the column is one of texts.
    mixed = publish(FORM, DATA, [0, 0, 0, 1, 1, -1, 1, 1])[1].tables["release"]["age"]
    assert isinstance(mixed, Labelled)
    assert mixed.labels == ["25.0", "*"]


def test_classes_that_show_the_same_are_one():
    # 20 and 30, 25 and 25: the means are equal, and so are the modes.
    ages = table([(AGE, [0, 2, 1, 1, 3])], [(DISEASE, [0, 1, 0, 1, 0])])
    publication, _, plan = publish(FORM, ages, [0, 0, 1, 1, 2])
    assert plan.classes.tolist() == [0, 0, 0, 0, 1]
    assert np.bincount(publication.classes).tolist() in ([4, 1], [1, 4])


@pytest.mark.parametrize(
    ("column", "text", "why"),
    [
        ("age", "25", "'25' must read '25.0'"),
        ("age", "[20, 30]", "is not of the kind real"),
        ("age", "young", "is not of the kind real"),
        ("day", "2024-01", "is not of the kind date"),
        ("sex", "{f|m}", "is not a single value, as the mode of a class is"),
        ("sex", "*", "is not a single value, as the mode of a class is"),
    ],
)
def test_what_is_no_mean_or_mode_is_refused(column, text, why):
    _, published, plan = publish(FORM, DATA, CLASSES)
    tables = labelled(published.tables)
    own = tables["release"][column]
    tables["release"][column] = replace(own, labels=[text, *own.labels[1:]])
    with pytest.raises(TableError) as refused:
        FORM.read(tables, notes_on(FORM, DATA, plan, published))
    assert f"column '{column}'" in str(refused.value)
    assert why in str(refused.value)


def test_estimates_count_every_record_as_what_it_shows():
    ages = table([(AGE, [0, 1, 1, 3, 3, 4]), (SEX, [0, 1, 1, 0, 0, 1])], [(DISEASE, [0, 1, 1, 0, 1, 1])])
    publication, _, _ = publish(FORM, ages, [0, 0, 0, 1, 1, 2])
    # The mean of 20, 25, 25 is 23.333…: the whole number nearest to it is 23.
    assert publication.estimate(Query({"age": (23, 23)})) == 3
    assert publication.estimate(Query({"age": (24, 60)})) == 2
    assert publication.estimate(Query({"age": [23, None]})) == 4
    assert publication.estimate(Query({"sex": ["m"]})) == 4
    assert publication.estimate(Query({"age": (0, 30), "disease": ["flu"]})) == 2
    # In sums it counts as it is.
    assert publication.estimate(Query({}, "sum", of="age")) == pytest.approx(70 + 120)
    assert publication.estimate(Query({"sex": ["m"]}, "avg", of="age")) == pytest.approx(70 / 3)


@pytest.mark.parametrize("name", MEAN_FORMS)
@given(draw=st.data())
@settings(deadline=None, max_examples=60)
def test_workloads_give_what_estimates_give(name, draw):
    from likeness.queries.query import Workload

    evaluation = draw.draw(evaluations())
    form = example("forms", name)
    publication, _, _ = publish(form, evaluation.data, evaluation.plan)
    queries = []
    for own in evaluation.data.quasi:
        if own.kind in {"integer", "real"} and own.shape == "interval":
            low = draw.draw(st.integers(-2, 9))
            queries += [Query({own.name: (low, low + draw.draw(st.integers(0, 6)))}, of, None if of == "count" else own.name)
                        for of in ("count", "sum", "avg")]  # fmt: skip
        queries.append(Query({own.name: [own.labels[0], None], "disease": ["flu"]}))
    for query in queries:
        try:
            alone = publication.estimate(query)
        except TableError:
            continue
        together = publication.estimate_all(Workload.of_queries([query]))
        assert together.tolist() == pytest.approx([alone], nan_ok=True)


ZIPS = from_rows([("a", "1", "*"), ("b", "1", "*"), ("c", "2", "*")], "zip", where=str)
ZIP = Domain("zip", "hierarchical", np.array(ZIPS.leaves, object), "tree", ZIPS, missing=True)


def test_candidates_are_nearest():
    people = table(
        [(replace(AGE, declared=True, low=0.0, high=100.0), [0, 0, 3, 3, 2, 2]), (ZIP, [0, 0, 0, 0, 2, 2])],
        [(DISEASE, [0, 1, 0, 1, 0, 0])],
    )
    publication, _, _ = publish(FORM, people, [0, 0, 1, 1, 2, 2])
    shown = {publication.describe_class(number): number for number in range(3)}
    young, old, other = (
        shown[f"age = {age}, zip = {zip_}"] for age, zip_ in (("20.0", "a"), ("60.0", "a"), ("30.0", "c"))
    )
    assert publication.candidates({"age": 31, "zip": "a"}).tolist() == [young]
    # 40 lies as far from 20 as from 60: both are candidates.
    assert publication.candidates({"age": 40, "zip": "a"}).tolist() == sorted([young, old])
    # b is two edges of four from a, c four of four: .5 + .1 against 1 + .01.
    assert publication.candidates({"age": 30, "zip": "b"}).tolist() == [young]
    # The missing zip lies directly below the root, three edges of four from every leaf.
    assert publication.candidates({"age": 29, "zip": None}).tolist() == [other]
    assert publication.candidates({"age": 30}).tolist() == [other]
    assert publication.candidates({}).tolist() == [0, 1, 2]
    assert publication.posterior({"age": 30}) == {"disease": {"cold": 1.0}}
    assert publication.posterior({"age": 40, "zip": "a"}) == {"disease": {"cold": 0.5, "flu": 0.5}}
    with pytest.raises(TableError, match="'young' is not of the kind real"):
        publication.candidates({"age": "young"})


@pytest.mark.parametrize("name", MEAN_FORMS)
@given(draw=st.data())
@settings(deadline=None, max_examples=100)
def test_nearest_classes_against_brute_force(name, draw):
    evaluation = draw.draw(evaluations())
    form = example("forms", name)
    data = as_shown(form, evaluation.data)
    publication, published, plan = publish(form, data, evaluation.plan)
    plain = PlainNearest(data, plan)
    rows = published.rows["release"]
    class_of = dict(zip(publication.classes.tolist(), plan.classes[rows].tolist(), strict=True))
    known = sorted(draw.draw(st.sets(st.integers(0, len(data.quasi) - 1), min_size=1)))
    people = {
        data.quasi[j].name: (data.codes[j], data.quasi[j].labels_with(None), data.quasi[j].hierarchy)
        for j in known
    }
    start, found = publication.nearest(people)
    for record in range(data.size):
        near = plain.near({j: int(data.codes[j, record]) for j in known})
        assert sorted(class_of[one] for one in found[start[record] : start[record + 1]].tolist()) == near
        target = {name: texts[codes[record]] for name, (codes, texts, _) in people.items()}
        assert sorted(class_of[one] for one in publication.candidates(target).tolist()) == near
