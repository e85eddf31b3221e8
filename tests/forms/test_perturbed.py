"""Perturbed releases, read back."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, labelled, notes_on, plan_for, publish, table, words

import likeness as lk
from likeness.errors import LikenessError, PolicyError, TableError
from likeness.forms.perturbed import ORIENTATION, PerturbedForm
from likeness.microdata.domain import Domain
from likeness.microdata.mechanism import SCALE
from likeness.microdata.plan import Plan
from likeness.published.columns import ColumnNote, PublishedColumns
from likeness.queries.query import Query
from likeness.tables import Labelled

ODD = sorted(
    [
        "",
        " ",
        "   ",
        "*",
        "[1, 2]",
        "a,b",
        "disease",
        'say "hi"',
        "two\nlines",
        "{a|b}",
        "{}",
        "\\e",
        "é|ß",
        "b\\",
    ]
)


def made(disease: Domain, sick: list[int], form: PerturbedForm | None = None, **changes: Any):
    """A table with one quasi-identifier, published and read back."""
    ages = [i % 3 for i in range(len(sick))]
    data = table([(integers("age", [30, 40, 50]), ages)], [(disease, sick)])
    form = form or PerturbedForm("plain")
    return data, *publish(form, data, plan_for(form, data, Plan(data.tuples.of)), **changes)


def tables_of(publication_of: Any) -> tuple[dict[str, dict[str, Labelled]], PublishedColumns]:
    """Published tables as texts, with their notes."""
    data, _, published, plan = publication_of
    return labelled(published.tables), notes_on(PerturbedForm(), data, plan, published)


def read(tables: dict[str, dict[str, Labelled]], notes: PublishedColumns) -> Any:
    return PerturbedForm("plain").read(tables, notes)


def texts(column: Labelled) -> list[str]:
    return [column.labels[code] for code in column.codes]


def column(values: list[str]) -> Labelled:
    labels = list(dict.fromkeys(values))
    return Labelled(np.array([labels.index(value) for value in values], np.int32), labels)


DISEASES = [
    words("disease", ODD, missing=True),
    integers("disease", [-3, 0, 5, 10**15]),
    replace(integers("disease", [1, 2, 3], missing=True)),
    Domain("disease", "real", np.array([-0.5, 1e-7, 1 / 3, 1e22]), "interval", missing=True),
    Domain(
        "disease", "date", np.array(["2024-02-29", "2025-01-01", "2025-01-02"], "datetime64[D]"), "interval"
    ),
    Domain("disease", "ordered", np.array(["low", "mid", "high", "top"], object), "interval", low=0, high=3),
]


@pytest.mark.parametrize("disease", DISEASES, ids=lambda domain: domain.kind)
@pytest.mark.parametrize("skipped", [0, 1])
def test_every_kind_of_value_is_read_back(disease: Domain, skipped: int) -> None:
    # With a value that nobody has: it is not published.
    sick = [code for code in range(disease.codes) if code != skipped] * 30
    data, publication, published, plan = made(disease, sick)
    own = plan.mechanism
    assert own is not None
    (domain,) = publication.sensitive
    # The same texts, in the same order.
    old = [*disease.labels, *([None] if disease.missing else [])]
    new = [*domain.labels, *([None] if domain.missing else [])]
    place = [new.index(old[code]) for code in own.active]
    assert publication.mechanism.counts[place].tolist() == own.counts[own.active].tolist()
    read_back = publication.mechanism.numerators[np.ix_(place, place)]
    assert read_back.tolist() == own.numerators[np.ix_(own.active, own.active)].tolist()
    rows = published.rows["release"]
    assert [new[code] for code in publication.sensitive_codes[0]] == [
        old[code] for code in plan.sensitive[0][rows]
    ]
    assert publication.mechanism.problems() == []
    for value in old:
        if disease.kind == "categorical" and old.index(value) == skipped:
            with pytest.raises(TableError, match="is not one of its values"):
                publication.estimate(Query({"disease": [value]}))
            continue
        answer = publication.estimate(Query({"disease": [value]}))
        at = old.index(value)
        counts = np.bincount(plan.sensitive[0], minlength=disease.codes)
        assert answer == pytest.approx(own.reconstruct(counts)[at])
    assert (data.sensitive_codes[0] != plan.sensitive[0]).any()


def test_the_tables() -> None:
    disease = words("disease", ["cold", "flu"])
    tables, notes = tables_of(made(disease, [0, 0, 1] * 10))
    assert list(tables) == ["release", "distribution", "perturbation"]
    assert {name: texts(own) for name, own in tables["distribution"].items()} == {
        "disease": ["cold", "flu"],
        "count": ["20", "10"],
    }
    assert {name: texts(own) for name, own in tables["perturbation"].items()} == {
        ORIENTATION: ["cold", "flu"],
        "cold": ["0.666666666666667", "0.333333333333333"],
        "flu": ["0.333333333333333", "0.666666666666667"],
    }
    assert [note.name for note in notes.notes] == ["age", "disease", "count"]


@pytest.mark.parametrize("value", ["disease", ORIENTATION])
def test_a_value_named_like_a_column(value: str) -> None:
    tables, notes = tables_of(made(words("disease", [value, "flu"]), [0, 1] * 10))
    assert {*tables["perturbation"]} == {ORIENTATION, value.replace("\\", "\\\\"), "flu"}
    assert {*read(tables, notes).sensitive[0].labels} == {value, "flu"}


def test_a_matrix_that_does_not_say_which_way_it_lies() -> None:
    tables, notes = tables_of(made(words("disease", ["cold", "flu"]), [0, 0, 1] * 10))
    for head in ("disease", "original \\ published"):
        turned = {head if name == ORIENTATION else name: own for name, own in tables["perturbation"].items()}
        with pytest.raises(TableError, match=r"table 'perturbation': the column .* is not there"):
            read(tables | {"perturbation": turned}, notes)


def test_what_cannot_be_published() -> None:
    disease = words("disease", ["cold", "flu"])
    data = table([(integers("age", [30]), [0, 0])], [(disease, [0, 1])])
    with pytest.raises(PolicyError, match="needs a method that perturbs"):
        publish(PerturbedForm(), data, Plan(np.array([0, 0])))
    two = table([(integers("age", [30]), [0, 0])], [(disease, [0, 1]), (words("job", ["a"]), [0, 0])])
    with pytest.raises(PolicyError, match="publishes one sensitive column; this table has 2"):
        publish(PerturbedForm(), two, Plan(np.array([0, 0])))
    with pytest.raises(
        PolicyError, match=r"no reconstruction 'clip'.*clipped.*there are plain, clipped, simplex, bayes"
    ):
        PerturbedForm("clip")


SICK = [0] * 12 + [1] * 9 + [2] * 9


def damaged(change: Any) -> str:
    """What is said when published tables are changed."""
    tables, notes = tables_of(made(words("disease", ["cold", "flu", "gout"]), SICK))
    change(tables)
    with pytest.raises(TableError) as caught:
        read(tables, notes)
    return "\n".join(caught.value.problems)


def put(table_: str, name: str, values: list[str]) -> Any:
    return lambda tables: tables[table_].__setitem__(name, column(values))


THIRD, REST = "0.222222222222222", "0.555555555555556"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("perturbation", "flu", [THIRD, "0.5", THIRD]), "the column 'flu' must sum to 1; it sums to 0.944444444444444"),
        (put("perturbation", "flu", ["-0.1", "0.6", "0.5"]), "column 'flu': '-0.1' is not a probability"),
        (put("perturbation", "flu", ["nan", "0.5", "0.5"]), "column 'flu': 'nan' is not a probability"),
        (put("perturbation", "flu", ["1.5", "0", "0"]), "column 'flu': '1.5' is not a probability"),
        (put("perturbation", "flu", ["1e-3", "0", "0.999"]), "column 'flu': '1e-3' is not a probability"),
        (put("perturbation", "flu", ["", "0.5", "0.5"]), "column 'flu': '' is not a probability"),
        (put("perturbation", "flu", ["0.1000000000000001", "0.5", "0.4"]), "at most 15 decimals"),
        (put("perturbation", ORIENTATION, ["cold", "flu", "flu"]), "the value 'flu' has more than one row"),
        (put("perturbation", ORIENTATION, ["cold", "flu", "mumps"]), "the value 'mumps' is not in the table 'distribution'"),
        (put("perturbation", "mumps", [THIRD, THIRD, REST]), "the value 'mumps' is not in the table 'distribution'"),
        (put("perturbation", "\\g\\o\\u\\t", [THIRD, THIRD, REST]), "must read 'gout': one value is written in one way"),
        (put("perturbation", "flu", ["0.50", "0.5", "0"]), "column 'flu': '0.50' must read '0.5'"),
        (lambda tables: tables["perturbation"].pop("gout"), "the value 'gout' has no column"),
        (lambda tables: tables["perturbation"].pop(ORIENTATION), "table 'perturbation': the column 'published"),
        (lambda tables: tables.pop("perturbation"), "the table 'perturbation' is not there"),
        (lambda tables: tables.pop("distribution"), "the table 'distribution' is not there"),
        (put("distribution", "count", ["11", "9", "9"]), "column 'count': the counts sum to 29; 30 records are published"),
        (put("distribution", "count", ["0", "9", "21"]), "'0' is not a whole number of at least 1"),
        (put("distribution", "disease", ["cold", "flu", "flu"]), "the value 'flu' stands on two rows"),
        (put("distribution", "disease", ["cold", "flu", "mumps"]), "the value 'gout' is not in the table 'distribution'"),
        (lambda tables: tables["distribution"].pop("count"), "table 'distribution': the column 'count' is not there"),
        (put("release", "disease", ["mumps"] * 30), "the value 'mumps' is not in the table 'distribution'"),
        (put("release", "disease", ["cold"] * 29), "its columns are of different lengths"),
    ],
)  # fmt: skip
def test_damage_is_named(change: Any, said: str) -> None:
    assert said in damaged(change)


def test_rows_missing_in_the_matrix() -> None:
    def shorten(tables: dict[str, dict[str, Labelled]]) -> None:
        for name, own in tables["perturbation"].items():
            tables["perturbation"][name] = column(texts(own)[:2])

    assert "the value 'gout' has no row" in damaged(shorten)


def test_a_value_that_is_never_published() -> None:
    def never(tables: dict[str, dict[str, Labelled]]) -> None:
        for name in ("cold", "flu", "gout"):
            tables["perturbation"][name] = column(["0", "0.5", "0.5"])

    assert "the value 'cold' is never published, as its row of the table 'perturbation' is 0" in damaged(
        never
    )


def test_the_certificate_names_one_sensitive_column() -> None:
    tables, notes = tables_of(made(words("disease", ["cold", "flu", "gout"]), SICK))
    without = PublishedColumns(tuple(note for note in notes.notes if note.role != "sensitive"))
    with pytest.raises(
        TableError, match="a perturbed release has one sensitive column; the certificate names 0"
    ):
        read(tables, without)


@pytest.mark.parametrize("name", ["release", "distribution", "perturbation"])
@pytest.mark.parametrize("other", ["1", "1.00", "+1.0", "1e0", " 1.0", "\\1.0"])
def test_one_number_has_one_text(name: str, other: str) -> None:
    tables, notes = tables_of(made(Domain("disease", "real", np.array([1.0, 2.0]), "interval"), [0, 1] * 12))
    column = ORIENTATION if name == "perturbation" else "disease"
    own = tables[name][column]
    tables[name][column] = Labelled(own.codes, [other if label == "1.0" else label for label in own.labels])
    with pytest.raises(TableError, match=r"column '.*': .* (must read '1\.0'|is not of the kind real)"):
        read(tables, notes)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=60), st.integers(0, 50))
@settings(deadline=None, max_examples=60)
def test_estimates_are_those_of_a_linear_solve(rows: list[tuple[int, int]], seed: int) -> None:
    disease = words("disease", ["a", "b", "c", "d"], missing=True)
    ages, sick = [age for age, _ in rows], [code for _, code in rows]
    data = table([(integers("age", [30, 40, 50]), ages)], [(disease, sick)])
    form = PerturbedForm("plain")
    _, published, plan = publish(form, data, plan_for(form, data, Plan(data.tuples.of), seed))
    publication = read(*tables_of((data, None, published, plan)))
    assert plan.mechanism is not None
    assert plan.sensitive is not None
    active = plan.mechanism.active
    matrix = plan.mechanism.matrix[np.ix_(active, active)]
    labels = ["a", "b", "c", "d", None]
    for where, inside in (({}, range(3)), ({"age": (35, 60)}, (1, 2)), ({"age": [30]}, (0,))):
        matching = np.isin(ages, list(inside))
        observed = np.bincount(plan.sensitive[0][matching], minlength=5)[active]
        expected = np.linalg.solve(matrix, observed)
        found = publication.reconstructed(Query(where))
        assert list(found.values()) == pytest.approx(expected.tolist(), abs=1e-9)
        assert list(found) == [labels[code] or "" for code in active]
        for i, code in enumerate(active):
            query = Query(where | {"disease": [labels[code]]})
            assert publication.estimate(query) == pytest.approx(expected[i], abs=1e-9)
            assert list(publication.reconstructed(query).values()) == pytest.approx([expected[i]], abs=1e-9)
        for variant in ("clipped", "simplex", "bayes"):
            own = publication.reconstructed(Query(where), variant)
            assert all(number >= 0 for number in own.values())
            assert sum(own.values()) == pytest.approx(matching.sum())
        assert publication.estimate(Query(where)) == matching.sum()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=40), st.integers(0, 50))
@settings(deadline=None, max_examples=60)
def test_beliefs_are_bayes_rule_averaged_over_the_matches(rows: list[tuple[int, int]], seed: int) -> None:
    disease = words("disease", ["a", "b", "c"], missing=True)
    data = table([(integers("age", [30, 40, 50]), [a for a, _ in rows])], [(disease, [b for _, b in rows])])
    form = PerturbedForm()
    publication, _, plan = publish(form, data, plan_for(form, data, Plan(data.tuples.of), seed))
    coin, labels = plan.mechanism, ["a", "b", "c", ""]
    assert coin is not None
    assert plan.sensitive is not None
    for target, matching in (({}, range(3)), ({"age": 30}, (0,)), ({"age": 31}, ())):
        seen = [plan.sensitive[0][i] for i, (age, _) in enumerate(rows) if age in matching]
        expected = dict.fromkeys(labels, Fraction(0))
        for v in seen:
            joint = [Fraction(int(coin.counts[i]) * int(coin.numerators[v, i])) for i in range(4)]
            for i in range(4):
                expected[labels[i]] += joint[i] / sum(joint) / len(seen)
        found = publication.posterior(target)
        if not seen:
            assert found == {}
            continue
        assert found["disease"] == pytest.approx({k: float(x) for k, x in expected.items() if x}, abs=1e-12)
    with pytest.raises(TableError, match="no published quasi-identifier 'ages'"):
        publication.posterior({"ages": 3})


def test_queries_it_cannot_answer() -> None:
    _, publication, _, _ = made(words("disease", ["cold", "flu", "gout"]), SICK)
    with pytest.raises(TableError, match="no published column 'zip' to query; there are age, disease"):
        publication.estimate(Query({"zip": ["0"]}))
    with pytest.raises(PolicyError, match="no reconstruction 'plane'"):
        publication.reconstructed(Query(), "plane")
    with pytest.raises(PolicyError, match="a reconstruction counts records"):
        publication.reconstructed(Query({}, "sum", of="age"))
    with pytest.raises(TableError, match="column 'disease': is not a column of numbers"):
        publication.estimate(Query({}, "sum", of="disease"))
    assert publication.estimate(Query({"age": [31], "disease": ["flu"]})) == 0
    assert set(publication.reconstructed(Query({"age": [31]})).values()) == {0.0}


def test_sums_of_numbers() -> None:
    disease = integers("severity", [-1, 0, 5], missing=True)
    data, publication, _, plan = made(disease, SICK + [3] * 10)
    counts = np.bincount(plan.sensitive[0], minlength=4)
    expected = plan.mechanism.reconstruct(counts) @ [-1, 0, 5, 0]
    assert publication.estimate(Query({}, "sum", of="severity")) == pytest.approx(expected)
    ages = data.quasi[0].numbers[data.codes[0]]
    assert publication.estimate(Query({}, "sum", of="age")) == pytest.approx(ages.sum())
    parts = [publication.estimate(Query({"severity": [x]}, "sum", of="age")) for x in (-1, 0, 5, None)]
    assert sum(parts) == pytest.approx(ages.sum())


def test_survey_weights_count() -> None:
    data, _, published, plan = made(words("disease", ["cold", "flu", "gout"]), SICK)
    tables, notes = labelled(published.tables), notes_on(PerturbedForm(), data, plan, published)
    tables["release"]["weight"] = column(["2"] * 15 + ["0.5"] * 15)
    notes = PublishedColumns((*notes.notes, ColumnNote("weight", "other", survey_weight=True)))
    publication = read(tables, notes)
    codes = publication.sensitive_codes[0]
    weighted = np.bincount(codes, [2.0] * 15 + [0.5] * 15, 3)
    assert publication.estimate(Query({"disease": ["flu"]})) == pytest.approx(
        plan.mechanism.reconstruct(weighted)[1]
    )
    assert publication.estimate(Query()) == pytest.approx(37.5)


def test_a_matrix_without_inverse() -> None:
    tables, notes = tables_of(made(words("disease", ["cold", "flu"]), [0, 1] * 10))
    for name in ("cold", "flu"):
        tables["perturbation"][name] = column(["0.5", "0.5"])
    publication = read(tables, notes)
    with pytest.raises(LikenessError, match="no inverse"):
        publication.estimate(Query({"disease": ["flu"]}))
    # Nothing was kept, so the data say nothing: what is left is p.
    assert publication.reconstructed(Query(), "bayes") == pytest.approx({"cold": 10, "flu": 10})


def test_probabilities_are_exact() -> None:
    _, publication, published, plan = made(words("disease", ["cold", "flu", "gout"]), SICK)
    shown = published.tables["perturbation"]["flu"]
    exact = [Fraction(text) for text in texts(shown)]
    assert exact == [Fraction(int(x), SCALE) for x in plan.mechanism.numerators[:, 1]]
    assert sum(exact) == 1
    assert publication.mechanism.largest_posteriors() == plan.mechanism.largest_posteriors()


def test_no_record_need_be_drawn_as_a_protected_value(tmp_path):
    """It was refused by chance, as a table that contradicts itself: whoever tried again until it went chose among coins."""
    frame = pl.DataFrame({"age": [20, 21, 22, 23], "d": ["hiv", "v0", "v1", "v0"]})
    columns = {"age": lk.quasi(), "d": lk.sensitive(values=["hiv"])}
    policy = lk.Policy(columns=columns, privacy=lk.BetaLikeness(1), method="perturbation")
    shown = set()
    for seed in range(20):
        release = lk.anonymize(frame, policy, seed=seed)
        assert release.verdict.ok
        drawn = "hiv" in release.table["d"].to_list()
        if drawn not in shown:
            assert lk.verify(release.write(tmp_path / str(seed)), frame).ok
            assert lk.open_release(tmp_path / str(seed) / "public").estimate({"d": ["hiv"]}) is not None
        shown.add(drawn)
    assert shown == {True, False}
