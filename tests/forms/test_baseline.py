"""Baseline releases, read back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.forms.publications import integers, labelled, notes_on, publish, table, words

from likeness.errors import PolicyError, TableError
from likeness.forms.baseline import BaselineForm
from likeness.microdata.plan import Plan
from likeness.published.columns import ColumnNote, PublishedColumns
from likeness.queries.query import Query
from likeness.tables import Labelled

DATA = table(
    [(integers("age", [30, 40, 50]), [0, 0, 1, 2, 2, 2])],
    [(integers("severity", [1, 2, 9], missing=True), [0, 0, 0, 1, 3, 3])],
)
PLAN = Plan(np.array([0, 0, 1, 2, 2, -1]), np.array([0, 0, 0, 0, 0, -1]))


def test_nothing_links_the_tables() -> None:
    publication, published, _ = publish(BaselineForm(), DATA, PLAN)
    assert list(published.tables) == ["release", "distribution"]
    assert list(published.tables["release"]) == ["age"]
    assert sorted(published.rows["release"].tolist()) == [0, 1, 2, 3, 4]
    assert publication.size == 5
    assert publication.classes.tolist() == [0] * 5
    assert publication.describe_class(0) == "all records"
    assert sorted(np.bincount(publication.identities)) == [1, 2, 2]
    assert sorted(publication.sensitive_codes[0].tolist()) == [0, 0, 0, 1, 2]


def test_estimates_and_beliefs() -> None:
    publication, _, _ = publish(BaselineForm(), DATA, PLAN)
    assert publication.estimate(Query({"age": (0, 45)})) == 3
    assert publication.estimate(Query({"age": (0, 45), "severity": (1, 1)})) == pytest.approx(3 * 3 / 5)
    assert publication.estimate(Query({"age": [50], "severity": [None, 2]})) == pytest.approx(2 * 2 / 5)
    assert publication.estimate(Query({"age": [50], "severity": [7]})) == 0
    assert publication.estimate(Query({"age": [50]}, "sum", of="age")) == 100
    assert publication.estimate(Query({"age": [50]}, "sum", of="severity")) == pytest.approx(2 * (3 + 2) / 5)
    assert publication.estimate(Query({}, "avg", of="severity")) == pytest.approx(5 / 4)
    assert publication.posterior({"age": 30}) == {"severity": {"1": 0.6, "2": 0.2, "": 0.2}}
    assert publication.posterior({"age": 31}) == {}
    assert publication.candidates({"age": 30}).tolist() == [0]
    with pytest.raises(PolicyError, match=r"only perturbed releases publish; this one is baseline"):
        publication.reconstructed(Query())


def test_what_cannot_be_published() -> None:
    two = replace(
        DATA, sensitive=DATA.sensitive * 2, sensitive_codes=np.repeat(DATA.sensitive_codes, 2, axis=0)
    )
    with pytest.raises(PolicyError, match="publishes one sensitive column; this table has 2"):
        publish(BaselineForm(), two, PLAN)
    none = replace(DATA, quasi=(), codes=np.zeros((0, 6), np.int32))
    with pytest.raises(PolicyError, match="publishes quasi-identifiers, and no column has that role"):
        publish(BaselineForm(), none, Plan(np.zeros(6, np.int64)))


def test_damage_is_named() -> None:
    _, published, plan = publish(BaselineForm(), DATA, PLAN)
    notes = notes_on(BaselineForm(), DATA, plan, published)
    tables = labelled(published.tables)
    with pytest.raises(TableError, match="the table 'distribution' is not there"):
        BaselineForm().read({"release": tables["release"]}, notes)
    changed = tables | {
        "distribution": tables["distribution"] | {"count": Labelled(np.zeros(3, np.int32), ["2"])}
    }
    with pytest.raises(TableError, match="column 'count': the counts sum to 6; 5 records are published"):
        BaselineForm().read(changed, notes)


def test_survey_weights_count() -> None:
    _, published, plan = publish(BaselineForm(), DATA, PLAN)
    notes = notes_on(BaselineForm(), DATA, plan, published)
    tables = labelled(published.tables)
    tables["release"]["weight"] = Labelled(np.zeros(5, np.int32), ["2.5"])
    notes = PublishedColumns((*notes.notes, ColumnNote("weight", "other", survey_weight=True)))
    publication = BaselineForm().read(tables, notes)
    assert publication.estimate(Query({"age": [50], "severity": [1]})) == pytest.approx(5 * 3 / 5)


def test_a_sensitive_column_of_words() -> None:
    data = table([(integers("age", [30]), [0, 0])], [(words("disease", ["*", "{a}"]), [0, 1])])
    publication, _, _ = publish(BaselineForm(), data, Plan(np.zeros(2, np.int64), np.zeros(2, np.int64)))
    assert publication.posterior({}) == {"disease": {"*": 0.5, "{a}": 0.5}}
