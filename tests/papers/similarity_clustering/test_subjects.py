"""The tables of Sarrafi Aghdam & Sonehara 2016: cardinalities as printed, and what is missing is said."""

from __future__ import annotations

from papers.similarity_clustering.subjects import subjects


def test_the_generated_table_has_the_printed_cardinalities(tmp_path):
    tables, notes = subjects(tmp_path / "nowhere", 1)
    assert [one.name for one in tables] == ["isp"]
    assert len(notes) == 1
    assert notes[0].startswith("adult is left out")
    isp = tables[0]
    assert isp.table.height == 5_750
    assert [isp.table[name].n_unique() for name in isp.quasi] == [70, 2, 49]


def test_the_first_complete_records_of_adult_have_the_printed_cardinalities(data_folder):
    tables, notes = subjects(data_folder, 1)
    assert notes == []
    adult = tables[0]
    assert adult.table.height == 5_000
    assert [adult.table[name].n_unique() for name in adult.quasi] == [67, 2, 39]
