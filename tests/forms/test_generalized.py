"""Generalized tables, published and read back."""

from __future__ import annotations

import numpy as np
import pytest
from tests.forms.publications import integers, labelled, notes_on, publish, table, words

from likeness.errors import PolicyError, TableError
from likeness.forms.generalized import GeneralizedForm
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode
from likeness.queries.query import Query
from likeness.tables import Labelled

AGE = integers("age", [20, 25, 30, 60])
SEX = words("sex", ["f", "m"])
DISEASE = words("disease", ["cold", "flu"], missing=True)
DATA = table([(AGE, [0, 1, 2, 3, 3, 2]), (SEX, [0, 1, 1, 0, 0, 0])], [(DISEASE, [0, 1, 1, 2, 1, 0])])
CLASSES = [0, 0, 0, 1, 1, -1]


def cells(published):
    columns = labelled(published.tables)["release"]
    rows = zip(*([own.labels[code] for code in own.codes] for own in columns.values()), strict=True)
    return sorted(rows)


def test_every_record_shows_its_class_and_its_own_value():
    _, published, _ = publish(GeneralizedForm(), DATA, CLASSES)
    assert cells(published) == [
        ("60", "f", ""),
        ("60", "f", "flu"),
        ("[20, 30]", "*", "cold"),
        ("[20, 30]", "*", "flu"),
        ("[20, 30]", "*", "flu"),
    ]
    assert sorted(published.rows["release"].tolist()) == [0, 1, 2, 3, 4]


def test_rows_are_in_random_order():
    orders = {tuple(publish(GeneralizedForm(), DATA, CLASSES, seed)[1].rows["release"]) for seed in range(9)}
    assert len(orders) > 3
    same = [publish(GeneralizedForm(), DATA, CLASSES, 5)[1].rows["release"].tolist() for _ in range(2)]
    assert same[0] == same[1]


def test_numbers_as_pairs():
    publication, published, _ = publish(GeneralizedForm(numeric_pairs=True), DATA, CLASSES)
    columns = published.tables["release"]
    assert list(columns) == ["age", "age_low", "age_high", "sex", "disease"]
    low, high = columns["age_low"], columns["age_high"]
    pairs = set(zip(low.values[low.codes].tolist(), high.values[high.codes].tolist(), strict=True))
    assert pairs == {(20, 30), (60, 60)}
    assert publication.size == 5


@pytest.mark.parametrize("end", ["low", "high"])
def test_a_pair_that_says_something_else_is_refused(end):
    form = GeneralizedForm(numeric_pairs=True)
    plan, recoding = recode(DATA, Plan(np.array(CLASSES)))
    published = form.publish(DATA, plan, recoding, np.random.default_rng(0))
    tables = labelled(published.tables)
    codes = np.zeros(5, np.int32)
    tables["release"][f"age_{end}"] = Labelled(codes, ["21"])
    with pytest.raises(TableError, match=f"column 'age_{end}' says '21' where 'age' says"):
        form.read(tables, notes_on(form, DATA, plan, published))


def test_classes_are_regions():
    publication, published, plan = publish(GeneralizedForm(), DATA, CLASSES)
    own = plan.classes[published.rows["release"]]
    assert len(set(zip(own, publication.classes, strict=True))) == 2
    assert publication.identities is publication.classes
    descriptions = {publication.describe_class(number) for number in range(2)}
    assert descriptions == {"age = [20, 30], sex = *", "age = 60, sex = f"}


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("other", ["[60, 60]", "060", "[+60, 60]", " 60", "60.0", "6_0", "٦٠", "\\60"])
def test_a_region_is_written_in_one_way(other, every):
    """Written in two ways, it would tell people of one class apart; written in another way, it is not what was published."""
    _, published, plan = publish(GeneralizedForm(), DATA, CLASSES)
    tables = labelled(published.tables)
    age = tables["release"]["age"]
    codes = age.codes.copy()
    where = np.flatnonzero(codes == age.labels.index("60"))
    codes[where if every else where[0]] = len(age.labels)
    tables["release"]["age"] = Labelled(codes, [*age.labels, other])
    with pytest.raises(TableError, match=r"column 'age': .* (must read|is not of the kind)"):
        GeneralizedForm().read(tables, notes_on(GeneralizedForm(), DATA, plan, published))


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, 5),
        ({"age": (20, 24)}, 3 * 5 / 11),
        ({"age": (20, 60), "disease": ["flu"]}, 3),
        ({"age": [60], "disease": [None]}, 1),
        ({"sex": ["f"]}, 3.5),
        ({"sex": ["f"], "age": (30, 90), "disease": ["flu", "cold"]}, 3 / 11 / 2 + 1),
    ],
)
def test_estimates(where, expected):
    publication, _, _ = publish(GeneralizedForm(), DATA, CLASSES)
    assert publication.estimate(Query(where)) == pytest.approx(expected)


def test_queries_about_columns_that_are_not_there():
    publication, _, _ = publish(GeneralizedForm(), DATA, CLASSES)
    with pytest.raises(TableError, match="no published column 'zip' to query; there are age, sex, disease"):
        publication.estimate(Query({"zip": ["1"]}))


def test_what_an_adversary_believes():
    publication, _, _ = publish(GeneralizedForm(), DATA, CLASSES)
    assert publication.posterior({"age": 25, "sex": "m"}) == {
        "disease": {"cold": pytest.approx(1 / 3), "flu": pytest.approx(2 / 3)}
    }
    assert publication.posterior({"age": 60}) == {"disease": {"": 0.5, "flu": 0.5}}
    assert publication.posterior({}) == {"disease": {"": 0.2, "cold": 0.2, "flu": 0.6}}
    assert publication.posterior({"age": 60, "sex": "m"}) == {}
    with pytest.raises(TableError, match="no published quasi-identifier 'aeg'; did you mean 'age'"):
        publication.posterior({"aeg": 61})


def test_unknown_recodings_are_refused():
    with pytest.raises(PolicyError, match="recoding must be one of tight, hierarchy, set, grid; got 'tihgt'"):
        GeneralizedForm(recoding="tihgt")


def test_without_quasi_identifiers_everybody_is_in_one_class():
    data = table([], [(DISEASE, [0, 1, 1])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0, 0])
    assert publication.classes.tolist() == [0, 0, 0]
    assert publication.estimate(Query({"disease": ["flu"]})) == 2
