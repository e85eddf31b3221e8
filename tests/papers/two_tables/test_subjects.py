"""The tables, and what one row a person is."""

from __future__ import annotations

import polars as pl
import pytest

from likeness.encode import encode
from likeness.errors import TableError
from papers.two_tables.subjects import PEOPLE, WHO, informs, subjects, symptoms
from papers.two_tables.systems import ANGEL


def test_as_many_people_as_asked_for_with_all_of_their_records():
    for people in (1, 40):
        assert symptoms(people, 1).count == people
    few, many = symptoms(5, 3), symptoms(9, 3)
    kept = many.table.filter(pl.col(WHO).is_in(few.table[WHO].unique().implode()))
    # Other sizes draw anew; a sample keeps people whole.
    assert few.quasi == many.quasi == ["age", "zip", "sex"]
    part = many.sample(4, 1)
    assert part.count == 4
    assert part.table.equals(many.table.filter(pl.col(WHO).is_in(part.table[WHO].unique().implode())))
    assert kept.height
    assert many.sample(9, 1) is many


def test_one_row_a_person_is_what_the_method_leaves():
    subject = symptoms(200, 2)
    data = encode(subject.sources["records"], ANGEL.policy(subject, 5)).data
    left = subject.table[data.rows].with_columns(
        symptom=pl.Series([data.sensitive[0].labels[code] for code in data.sensitive_codes[0]])
    )
    columns = [WHO, *subject.quasi, subject.sensitive]
    assert subject.people.select(columns).sort(WHO).equals(left.select(columns).sort(WHO))
    assert subject.sources[PEOPLE].height == 200


def test_the_category_table_is_a_hierarchy():
    subject = symptoms(10, 0)
    assert subject.tree[0] == ["No Symptoms", "Asymptomatic", "*"]
    assert len(subject.tree) == 13
    assert subject.labels["Low"] == ["Low"]


def test_without_the_real_table_it_says_so(tmp_path):
    found, missing = subjects(20, 1, tmp_path / "nowhere")
    assert [one.name for one in found] == ["symptoms"]
    assert len(missing) == 1
    assert missing[0].startswith("informs_2005 is left out: ")
    with pytest.raises(TableError):
        informs(tmp_path / "nowhere")


@pytest.mark.slow
def test_informs(data_folder):
    subject = informs(data_folder)
    assert (subject.count, subject.table.height) == (26_854, 98_703)
    counts = dict(subject.people["diagnosis"].value_counts().iter_rows())
    assert [counts[label] for label in subject.categories] == [667, 4_133, 11_782, 8_625, 1_647]
