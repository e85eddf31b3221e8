"""Mixed tables: numbers averaged, categories generalized."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.forms.publications import integers, labelled, notes_on, publish, table, words

import likeness as lk
from likeness.errors import PolicyError, TableError
from likeness.forms.mixed import MixedForm
from likeness.hierarchies import from_rows
from likeness.microdata.domain import Domain
from likeness.queries.query import Query

AGE = replace(integers("age", [20, 25, 30, 60]), declared=True, low=0.0, high=100.0)
SEX = words("sex", ["f", "m", "x"])
GRADE = Domain("grade", "ordered", np.array(["low", "mid", "high"], object), "interval", high=2.0)
ZIPS = from_rows([("a", "1", "*"), ("b", "1", "*"), ("c", "2", "*")], "zip", where=str)
ZIP = Domain("zip", "hierarchical", np.array(ZIPS.leaves, object), "tree", ZIPS)
DISEASE = words("disease", ["cold", "flu"])
DATA = table(
    [
        (AGE, [0, 1, 2, 3, 3, 2]),
        (SEX, [0, 1, 1, 0, 0, 2]),
        (GRADE, [0, 1, 1, 2, 2, 0]),
        (ZIP, [0, 1, 1, 2, 2, 0]),
    ],
    [(DISEASE, [0, 1, 1, 0, 1, 0])],
)
CLASSES = [0, 0, 0, 1, 1, -1]
FORM = MixedForm()


def test_every_record_shows_means_and_regions():
    publication, published, _ = publish(FORM, DATA, CLASSES)
    columns = labelled(published.tables)["release"]
    rows = zip(*([own.labels[code] for code in own.codes] for own in columns.values()), strict=True)
    # f and m are all that is published of sex: * stands for them. x is the withheld record's.
    assert sorted(rows) == [
        ("25.0", "*", "[low, mid]", "1", "cold"),
        ("25.0", "*", "[low, mid]", "1", "flu"),
        ("25.0", "*", "[low, mid]", "1", "flu"),
        ("60.0", "f", "high", "c", "cold"),
        ("60.0", "f", "high", "c", "flu"),
    ]
    assert publication.form == "mixed"
    assert published.tables["release"]["age"].kind == "real"


def test_estimates_spread_categories_and_keep_means():
    publication, _, _ = publish(FORM, DATA, CLASSES)
    assert publication.estimate(Query({"age": (25, 25)})) == 3
    assert publication.estimate(Query({"age": (0, 24)})) == 0
    assert publication.estimate(Query({"sex": ["f"]})) == pytest.approx(1.5 + 2)
    assert publication.estimate(Query({"zip": ["a"], "age": (20, 30)})) == pytest.approx(1.5)
    assert publication.estimate(Query({"grade": ("low", "low")}, "avg", of="age")) == pytest.approx(25)


def test_candidates_cover_the_categories_and_are_nearest_by_means():
    people = table([(AGE, [0, 0, 1, 1, 3, 3]), (SEX, [0, 1, 0, 1, 0, 0])], [(DISEASE, [0, 1, 0, 0, 1, 1])])
    publication, _, _ = publish(FORM, people, [0, 0, 1, 1, 2, 2])
    shown = {publication.describe_class(number): number for number in range(3)}
    texts = ("age = 20.0, sex = *", "age = 25.0, sex = *", "age = 60.0, sex = f")
    young, middle, old = (shown[one] for one in texts)
    assert publication.candidates({"age": 24, "sex": "f"}).tolist() == [middle]
    assert publication.candidates({"age": 50, "sex": "f"}).tolist() == [old]
    # Only who is female may be in the class of 60.
    assert publication.candidates({"age": 50, "sex": "m"}).tolist() == [middle]
    assert publication.candidates({"sex": "m"}).tolist() == sorted([young, middle])
    assert publication.candidates({"age": 20, "sex": "x"}).tolist() == []
    assert publication.posterior({"age": 20, "sex": "x"}) == {}
    assert publication.posterior({"age": 25, "sex": "m"}) == {"disease": {"cold": 1.0}}


def test_classes_of_equal_means_and_regions_are_one():
    people = table([(AGE, [0, 2, 1, 1, 0, 2]), (SEX, [0, 1, 0, 1, 0, 0])], [(DISEASE, [0, 1, 0, 0, 1, 1])])
    _, _, plan = publish(FORM, people, [0, 0, 1, 1, 2, 2])
    assert plan.classes.tolist() == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("column", "text"), [("age", "[20, 30]"), ("sex", "{m|f}"), ("zip", "d"), ("grade", "[mid, low]")]
)
def test_what_is_no_mean_or_region_is_refused(column, text):
    _, published, plan = publish(FORM, DATA, CLASSES)
    tables = labelled(published.tables)
    own = tables["release"][column]
    tables["release"][column] = replace(own, labels=[text, *own.labels[1:]])
    with pytest.raises(TableError, match=f"column '{column}'"):
        FORM.read(tables, notes_on(FORM, DATA, plan, published))


def test_parameters():
    assert MixedForm("set").recoding == "set"
    with pytest.raises(PolicyError, match="mixed: recoding must be"):
        MixedForm("hierarchy")
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2), form="mixed")
    assert policy.form == MixedForm()
