"""Anatomized tables, published and read back."""

from __future__ import annotations

import numpy as np
import pytest
from tests.forms.publications import integers, labelled, notes_on, publish, table, words

from likeness.errors import PolicyError, TableError
from likeness.forms.anatomized import AnatomizedForm
from likeness.microdata.plan import Plan
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.k_anonymity import KAnonymity
from likeness.proving.proof import prove
from likeness.queries.query import Query
from likeness.tables import Labelled

FORM = AnatomizedForm()
AGE = integers("age", [23, 27, 59, 61, 65, 70])
SEX = words("sex", ["F", "M"])
DISEASE = words("disease", ["bronchitis", "dyspepsia", "flu", "gastritis", "pneumonia"])
# The table of Xiao & Tao 2006 in the order of their buckets, and one record that is withheld.
DATA = table(
    [(AGE, [0, 1, 2, 3, 3, 4, 4, 5, 5]), (SEX, [1, 1, 1, 1, 0, 0, 0, 0, 1])],
    [(DISEASE, [4, 1, 1, 4, 2, 3, 2, 0, 4])],
)
BUCKETS = [0, 0, 0, 0, 1, 1, 1, 1, -1]
# Records of equal quasi-identifiers are alike; the two women of 65 are.
PLAN = Plan(np.array([0, 1, 2, 3, 4, 5, 5, 6, -1]), np.array(BUCKETS))


def texts(columns):
    return sorted(
        zip(*([own.labels[code] for code in own.codes] for own in columns.values()), strict=True), key=str
    )


def parts(form=FORM, plan=PLAN, data=DATA, seed=0):
    publication, published, made = publish(form, data, plan, seed)
    return publication, published, notes_on(form, data, made, published)


def test_two_tables_linked_by_buckets():
    _, published, _ = publish(FORM, DATA, PLAN)
    tables = labelled(published.tables)
    assert list(tables) == ["quasi", "sensitive"]
    assert list(tables["quasi"]) == ["age", "sex", "bucket"]
    assert list(tables["sensitive"]) == ["bucket", "disease", "count"]
    rows = texts(tables["quasi"])
    assert [row[:2] for row in rows] == [
        ("23", "M"), ("27", "M"), ("59", "M"), ("61", "F"), ("61", "M"), ("65", "F"), ("65", "F"), ("70", "F"),
    ]  # fmt: skip
    first, second = rows[0][2], rows[-1][2]
    assert {first, second} == {"1", "2"}
    assert set(texts(tables["sensitive"])) == {
        (first, "dyspepsia", "2"), (first, "pneumonia", "2"),
        (second, "bronchitis", "1"), (second, "flu", "2"), (second, "gastritis", "1"),
    }  # fmt: skip


def test_rows_and_bucket_numbers_are_random():
    seen = [publish(FORM, DATA, PLAN, seed)[1] for seed in range(12)]
    assert len({tuple(published.rows["quasi"].tolist()) for published in seen}) > 6
    first = {labelled(p.tables)["quasi"]["bucket"].codes[p.rows["quasi"] == 0][0] for p in seen}
    assert first == {0, 1}
    assert all((published.rows["sensitive"] == -1).all() for published in seen)


def test_the_sensitive_table_is_in_an_order_that_tells_nothing():
    tables = labelled(publish(FORM, DATA, PLAN)[1].tables)["sensitive"]
    rows = list(zip(*([own.labels[code] for code in own.codes] for own in tables.values()), strict=True))
    assert rows == sorted(rows)


def test_what_is_read_back():
    publication, published, _ = parts()
    rows = published.rows["quasi"]
    assert publication.size == 8
    assert len(set(zip(np.array(BUCKETS)[rows], publication.classes, strict=True))) == 2
    assert len(set(zip(PLAN.classes[rows], publication.identities, strict=True))) == 7
    assert publication.sensitive[0].labels == ["bronchitis", "dyspepsia", "flu", "gastritis", "pneumonia"]
    held = sorted(zip(publication.classes, publication.sensitive_codes[0], strict=True))
    wanted = sorted(zip(publication.classes, DATA.sensitive_codes[0][rows], strict=True))
    assert held == wanted
    shown = publication.identities[rows.tolist().index(0)]
    assert publication.describe_identity(int(shown)) == "age = 23, sex = M"
    assert publication.describe_class(1) == "bucket = 2"


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, 8),
        # Xiao & Tao 2006, query A: pneumonia, at most 30 years old: 2 of the 4 records, half of them ill.
        ({"disease": ["pneumonia"], "age": (0, 30)}, 1),
        ({"disease": ["flu", "gastritis"], "sex": ["F"]}, 3),
        ({"age": [61], "disease": ["flu"]}, 0.5),
        ({"age": [62]}, 0),
    ],
)
def test_estimates(where, expected):
    assert parts()[0].estimate(Query(where)) == pytest.approx(expected)


def test_queries_about_columns_that_are_not_there():
    with pytest.raises(
        TableError, match="no published column 'bucket' to query; there are age, sex, disease"
    ):
        parts()[0].estimate(Query({"bucket": ["1"]}))


def test_what_an_adversary_believes():
    publication, _, _ = parts()
    assert publication.posterior({"age": 23, "sex": "M"}) == {"disease": {"dyspepsia": 0.5, "pneumonia": 0.5}}
    # A man and a woman of 61, in different buckets: the mean of both.
    assert publication.posterior({"age": 61}) == {
        "disease": {
            "bronchitis": 0.125,
            "dyspepsia": 0.25,
            "flu": 0.25,
            "gastritis": 0.125,
            "pneumonia": 0.25,
        }
    }
    assert publication.posterior({"age": 24}) == {}
    assert publication.candidates({"age": 61}).tolist() == [0, 1]
    with pytest.raises(TableError, match="no published quasi-identifier 'aeg'; did you mean 'age'"):
        publication.posterior({"aeg": 61})
    assert publication.candidates({"age": 70, "sex": "M"}).tolist() == []


def test_what_buckets_prove_and_what_they_do_not():
    publication, _, _ = parts()
    verdict = prove(publication, [DistinctLDiversity(2), DistinctLDiversity(3), KAnonymity(2), KAnonymity(1)])
    assert [proof.holds for proof in verdict.proofs] == [True, False, False, True]
    assert verdict.proofs[0].strength.values == {"l": 2}
    assert verdict.proofs[2].strength.values == {"k": 1}
    # Six of the seven distinct tuples are alone, whatever the buckets hold.
    assert verdict.proofs[2].violated == 6
    assert all(shown.startswith("age = ") for shown in verdict.proofs[2].failures)
    assert all(shown.startswith("bucket = ") for shown in verdict.proofs[1].failures)
    assert (verdict.records, verdict.classes) == (8, 2)


def test_missing_values_are_values():
    age = integers("age", [23, 27], missing=True)
    disease = words("disease", ["cold", "flu"], missing=True)
    data = table([(age, [2, 0, 2, 1])], [(disease, [2, 0, 1, 2])])
    publication, _, _ = publish(FORM, data, Plan(np.array([0, 1, 0, 2]), np.array([0, 0, 1, 1])))
    assert publication.estimate(Query({"age": [None]})) == 2
    assert publication.estimate(Query({"age": [None], "disease": [None]})) == 1
    assert publication.posterior({"age": None}) == {"disease": {"": 0.5, "cold": 0.25, "flu": 0.25}}


def test_without_buckets_the_classes_are_the_buckets():
    publication, published, _ = publish(FORM, DATA, BUCKETS)
    assert len(set(zip(np.array(BUCKETS)[published.rows["quasi"]], publication.classes, strict=True))) == 2


def test_without_a_sensitive_column_there_is_nothing_to_link():
    with pytest.raises(PolicyError, match="anatomized: publishes sensitive values; no column is sensitive"):
        publish(FORM, table([(AGE, [0, 1])], []), [0, 0])


def test_several_sensitive_columns_are_counted_together():
    data = table([(AGE, [0, 1, 1])], [(words(f"s{i}", ["a", "b"]), [0, 1, i]) for i in range(2)])
    publication, published, _ = publish(FORM, data, Plan(np.array([0, 1, 1]), np.array([0, 0, 0])))
    assert list(published.tables["sensitive"]) == ["bucket", "s0", "s1", "count"]
    assert publication.estimate(Query({"s0": ["a"], "s1": ["a"]})) == 1
    assert publication.estimate(Query({"age": [AGE.labels[1]], "s0": ["a"], "s1": ["b"]})) == pytest.approx(
        2 / 3
    )


def test_a_column_called_count_does_not_collide():
    data = table([(integers("count", [1, 2]), [0, 1])], [(words("disease", ["a", "b"]), [0, 1])])
    publication, _, _ = publish(FORM, data, Plan(np.array([0, 1]), np.array([0, 0])))
    assert publication.estimate(Query({"count": [1], "disease": ["a"]})) == 0.5
    data = table([(AGE, [0, 1])], [(words("count", ["a", "b"]), [0, 1])])
    publication, published, _ = publish(FORM, data, Plan(np.array([0, 1]), np.array([0, 0])))
    assert list(published.tables["sensitive"]) == ["bucket", "count", "records"]
    assert publication.posterior({"age": 23}) == {"count": {"a": 0.5, "b": 0.5}}


def change(table_name, name, edit):
    """Read tables of which one column was changed."""
    _, published, notes = parts()
    tables = {key: dict(columns) for key, columns in labelled(published.tables).items()}
    own = tables[table_name][name]
    cells_ = edit([own.labels[code] for code in own.codes])
    if cells_ is None:
        del tables[table_name][name]
    else:
        tables[table_name][name] = Labelled(np.arange(len(cells_), dtype=np.int32), cells_)
    return FORM.read(tables, notes)


@pytest.mark.parametrize(
    ("table_name", "name", "edit", "message"),
    [
        ("quasi", "bucket", lambda cells: None, "table 'quasi': the column 'bucket' is not there"),
        ("quasi", "age", lambda cells: None, "table 'quasi': the column 'age' is not there"),
        ("sensitive", "disease", lambda cells: None, "table 'sensitive': the column 'disease' is not there"),
        ("sensitive", "count", lambda cells: None, "table 'sensitive': the column 'count' is not there"),
        ("quasi", "age", lambda cells: ["old", *cells[1:]], "table 'quasi': column 'age': 'old' is not of the kind"),
        # Written otherwise, a number could tell the records of one tuple, or of one bucket, apart.
        ("quasi", "age", lambda cells: ["030", *cells[1:]], "column 'age': '030' must read '30'"),
        ("quasi", "bucket", lambda cells: ["01", *cells[1:]], "column 'bucket': '01' is not a whole"),
        ("sensitive", "count", lambda cells: ["02", *cells[1:]], "column 'count': '02' is not a whole"),
        ("sensitive", "disease", lambda cells: ["\\flu", *cells[1:]], "must read 'flu'"),
        ("quasi", "age", lambda cells: cells[1:], "table 'quasi': its columns are of different lengths"),
        ("quasi", "bucket", lambda cells: ["", *cells[1:]], "table 'quasi', column 'bucket': '' is not a whole"),
        ("sensitive", "bucket", lambda cells: ["9", *cells[1:]], "column 'bucket': the bucket 9 is not in"),
        ("quasi", "bucket", lambda cells: ["9", *cells[1:]], "column 'count': the counts of the bucket"),
        ("quasi", "bucket", lambda cells: ["1"] * 8, "column 'bucket': the bucket 2 is not in the table 'quasi'"),
        ("sensitive", "count", lambda cells: ["3", *cells[1:]], "the counts of the bucket 1 do not sum to its 4"),
        ("sensitive", "count", lambda cells: ["9" * 18] * 5, "the counts of the bucket 1 do not sum to its 4"),
        ("sensitive", "count", lambda cells: ["0", *cells[1:]], "column 'count': '0' is not a whole number"),
        ("sensitive", "count", lambda cells: ["1.5", *cells[1:]], "column 'count': '1.5' is not a whole number"),
        (
            "sensitive", "disease", lambda cells: [cells[0], cells[0], *cells[2:]],
            "table 'sensitive', column 'disease': the bucket 1 has one value on two rows",
        ),
    ],
)  # fmt: skip
def test_tables_that_were_changed(table_name, name, edit, message):
    with pytest.raises(TableError) as problem:
        change(table_name, name, edit)
    assert message in str(problem.value)


def test_a_table_that_is_not_there():
    _, published, notes = parts()
    tables = labelled(published.tables)
    del tables["sensitive"]
    with pytest.raises(TableError, match="the table 'sensitive' is not there"):
        FORM.read(tables, notes)


def test_an_empty_release():
    data = table([(AGE, [0])], [(DISEASE, [0])])
    publication, _, _ = publish(FORM, data, Plan(np.array([-1]), np.array([-1])))
    assert publication.size == 0
    assert publication.estimate(Query({})) == 0
    assert publication.posterior({}) == {}
