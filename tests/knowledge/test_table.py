"""Tables of shares: everybody has the shares of the most specific cell that holds them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.knowledge.tables import (
    COLUMNS,
    beliefs,
    learnt,
    policy_of,
    random_people,
    saved,
    shares_of,
    subject_of,
)

import likeness as lk
from likeness.errors import LikenessError, PolicyError
from likeness.published.columns import note_on
from likeness.published.regions import read_region
from likeness.queries.cells import match, reach
from likeness.queries.overlap import Overlap

TREE = [["flu", "lung", "*"], ["cold", "lung", "*"], ["ulcer", "belly", "*"]]
ZIPS = [["021", "02*", "***"], ["022", "02*", "***"], ["102", "10*", "***"], ["119", "11*", "***"]]
TWO = {
    "age": {"role": "quasi", "domain": [0, 99]},
    "sex": {"role": "quasi"},
    "disease": {"role": "sensitive"},
}
PEOPLE = pl.DataFrame(
    {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"], "disease": ["flu", "hiv", "flu", "hiv"]}
)


def known(tmp_path, lines, frame=PEOPLE, columns=None, **more):
    """What is believed of everybody, by a table in lines of CSV."""
    (tmp_path / "morbidity.csv").write_text("\n".join(lines) + "\n")
    policy = policy_of(columns or TWO, {"table": "morbidity.csv"}, tmp_path, **more)
    return beliefs(frame, policy)


def refused(tmp_path, lines, frame=PEOPLE, columns=None):
    with pytest.raises(LikenessError) as problem:
        known(tmp_path, lines, frame, columns)
    assert len(problem.value.problems) == 1
    return problem.value.problems[0]


def test_cells_of_intervals_and_values(tmp_path):
    found = known(
        tmp_path,
        [
            "age,sex,value,share",
            '"[0, 35]",*,flu,0.5',
            '"[0, 35]",*,hiv,0.5',
            '"[36, 99]",f,flu,3/4',
            '"[36, 99]",f,hiv,1/4',
            '"[36, 99]",m,hiv,1',
        ],
    )
    assert found.tolist() == [[0.5, 0.5], [0.5, 0.5], [0.75, 0.25], [0, 1]]


def test_the_most_specific_cell_counts_and_absent_columns_mean_everything(tmp_path):
    found = known(
        tmp_path,
        [
            "age,value,share",
            "*,flu,0.5",
            "*,hiv,0.5",
            '"[30, 40]",flu,0.25',
            '"[30, 40]",hiv,0.75',
            "40,flu,1",
        ],
    )
    assert found.tolist() == [[0.5, 0.5], [0.25, 0.75], [1, 0], [0.5, 0.5]]
    assert known(tmp_path, ["value,share", "flu,0.25", "hiv,0.75"]).tolist() == [[0.25, 0.75]] * 4


def test_a_region_is_smaller_than_another_though_the_table_has_nobody_between(tmp_path):
    lines = [
        "age,value,share",
        '"[0, 90]",flu,1',
        '"[10, 80]",hiv,1',
        '"[15, 60]",flu,0.5',
        '"[15, 60]",hiv,0.5',
    ]
    assert known(tmp_path, lines).tolist() == [[0.5, 0.5]] * 4


def test_hierarchies_sets_and_the_missing_value(tmp_path):
    frame = pl.DataFrame(
        {
            "zip": ["021", "022", "102", "119", None],
            "sex": ["f", "m", "x", None, "f"],
            "disease": ["flu", "hiv", "flu", "hiv", "flu"],
        }
    )
    columns = {
        "zip": {"role": "quasi", "missing": {"policy": "category"}},
        "sex": {"role": "quasi", "missing": {"policy": "category"}},
        "disease": {"role": "sensitive"},
    }
    lines = [
        "zip,sex,value,share",
        "02*,{f|m},flu,1",
        "102,*,hiv,1",
        "11*,,flu,0.5",
        "11*,,hiv,0.5",
        ",{f|m|},hiv,1",
    ]
    for hierarchy in (ZIPS, {"prefix": 3}):
        columns["zip"] |= {"hierarchy": hierarchy}
        # Published in sets, a node still stands for what lies below it.
        for form in ({}, {"form": {"name": "generalized", "recoding": "set"}}):
            found = known(tmp_path, lines, frame, columns, **form)
            assert found.tolist() == [[1, 0], [1, 0], [0, 1], [0.5, 0.5], [0, 1]]


def test_values_may_be_numbers_and_missing(tmp_path):
    frame = pl.DataFrame({"sex": ["f", "m"], "pay": [1.5, None]})
    columns = {"sex": {"role": "quasi"}, "pay": {"role": "sensitive", "missing": {"policy": "category"}}}
    assert (
        known(tmp_path, ["sex,value,share", "*,1.50,0.5", "*,,0.5"], frame, columns).tolist()
        == [[0.5, 0.5]] * 2
    )


def test_nearly_one_is_scaled_and_counted(tmp_path):
    saved(
        tmp_path,
        "t.csv",
        pl.DataFrame(
            {"sex": ["f", "f", "m"], "value": ["flu", "hiv", "hiv"], "share": ["0.3333333", "0.6666666", "1"]}
        ),
    )
    found, subject = shares_of(PEOPLE, lk.TableKnowledge("t.csv"), TWO, tmp_path)
    assert found[0] == pytest.approx([1 / 3, 2 / 3])
    assert found.sum(axis=1) == pytest.approx(1)
    assert subject.counted == {"scaled": 1}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["age,value", "*,flu"], "lacks the column 'share'; it has age, value"),
        (["agee,value,share", "*,flu,1"], "'agee' is not a quasi-identifier; did you mean 'age'"),
        (["disease,value,share", "*,flu,1"], "'disease' is not a quasi-identifier"),
        (["value,share", "flu,0.5", "hiv,0.4"], "the shares of everybody sum to 0.9, not to 1"),
        (["sex,value,share", "f,flu,0.999998", "m,flu,1"], "the shares of sex = f sum to 0.999998, not to 1"),
        (["value,share", "flu,-0.5", "hiv,1.5"], "line 2: column 'share': -0.5 is negative"),
        (["value,share", "flu,nan"], "line 2: column 'share': 'nan' is not a number"),
        (["value,share", "fluu,1"], "line 2: column 'value': 'fluu' is no value of 'disease'; did you mean 'flu'"),
        (["value,share", "flu,0.5", "flu,0.5"], "line 3: 'flu' of everybody stands there twice"),
        (["sex,value,share", "f,flu,1"], "2 records of polars frame, the first in row 2 (sex = m), are in no cell"),
        (
            ["age,sex,value,share", '"[0, 30]",*,flu,1', "*,f,hiv,1", "*,m,hiv,1"],
            "the first in row 1 (age = 20, sex = f), are in age = [0, 30], sex = * and age = *, sex = f",
        ),
        (["sex,value,share", "{f|m},flu,1", "{m|f},hiv,1"], "line 3: column 'sex': '{m|f}' must read '{f|m}'"),
        (["age,value,share", '"[30, 20]",flu,1'], "the interval '[30, 20]' ends before it begins"),
        (["age,value,share", "young,flu,1"], "line 2: column 'age': 'young' is not of the kind integer"),
    ],
)  # fmt: skip
def test_bad_tables_are_one_line(tmp_path, lines, words):
    found = refused(tmp_path, lines)
    assert found.startswith("knowledge: table: ")
    assert words in found


def test_equal_cells_in_other_words_are_two(tmp_path):
    frame = pl.DataFrame({"zip": ["a", "b"], "disease": ["flu", "hiv"]})
    columns = {"zip": {"role": "quasi", "hierarchy": [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]},
               "disease": {"role": "sensitive"}}  # fmt: skip
    form = {"form": {"name": "generalized", "recoding": "set"}}
    with pytest.raises(LikenessError, match=r"are in zip = ab and zip = \{a\|b\}, neither of which lies"):
        known(tmp_path, ["zip,value,share", "ab,flu,1", "{a|b},hiv,1"], frame, columns, **form)


def test_a_path_that_is_none_and_files_that_are_not_there(tmp_path):
    with pytest.raises(PolicyError, match="table: file must be the path of a file; got 3"):
        lk.TableKnowledge(3)
    with pytest.raises(LikenessError, match=r"knowledge: table: .*morbidity\.csv"):
        learnt(PEOPLE, policy_of(TWO, {"table": "morbidity.csv"}, tmp_path))


def cells_of(rng, frame):
    """Cells that lie inside each other or beside each other, mostly."""
    low, high = (int(x) for x in np.sort(rng.integers(15, 65, 2)))
    ages = ["*", "[0, 39]", "[40, 110]", f"[{low}, {high}]" if low < high else str(low), "40", ""]
    zips = ["*", "02*", "021", "022", "10*", "119", ""]
    sexes = ["*", "f", "m", "{f|m}", ""]
    made = {(ages[0], zips[0], sexes[0])} | {
        tuple(str(rng.choice(own)) for own in (ages, zips, sexes)) for _ in range(int(rng.integers(0, 6)))
    }
    return sorted(made)


def plain(subject, cells):
    """The most specific cell of everybody, or None where it is not said, one record and cell at a time."""
    data = subject.data
    regions, overlaps = [], []
    for j in range(3):
        note = note_on(data.quasi[j], "quasi", data.codes[j])
        # A node with one value below it is published as that value.
        regions.append([read_region(cell[j].replace("10*", "102"), note) for cell in cells])
        overlaps.append(Overlap(note, regions[-1]))

    def inside(j, a, b):
        one, other = regions[j][a], regions[j][b]
        if other.what == "everything" or one == other:
            return True
        if one.what != other.what:
            return False
        return (
            one.values <= other.values
            if one.what == "values"
            else other.low <= one.low and one.high <= other.high
        )

    found = []
    for i in range(data.size):
        target = [data.quasi[j].labels_with(None)[data.codes[j, i]] for j in range(3)]
        held = np.all([overlaps[j].contains(target[j]) for j in range(3)], axis=0)
        least = [
            a for a in np.flatnonzero(held)
            if all(inside(j, a, b) for b in np.flatnonzero(held) for j in range(3))
        ]  # fmt: skip
        found.append(least[0] if len(least) == 1 else None)
    return found


@settings(max_examples=60)
@given(st.integers(0, 100_000))
def test_it_is_the_plain_search(tmp_path_factory, seed):
    rng = np.random.default_rng(seed)
    frame = random_people(rng, 30, missing=True).select("age", "zip", "sex", "disease")
    columns = {name: COLUMNS[name] for name in frame.columns}
    columns["zip"] = columns["zip"] | {"hierarchy": ZIPS}
    columns["sex"] = columns["sex"]
    cells = cells_of(rng, frame)
    folder = tmp_path_factory.mktemp("cells")
    weight = rng.integers(1, 9, len(cells))
    rows = [
        (*cell, value, f"{share}/10")
        for cell, own in zip(cells, weight, strict=True)
        for value, share in (("flu", own), ("hiv", 10 - own))
    ]
    table = pl.DataFrame(rows, schema=["age", "zip", "sex", "value", "share"], orient="row")
    source = lk.TableKnowledge(saved(folder, "cells.csv", table))
    subject = subject_of(frame, policy_of(columns, source, folder))
    wanted = plain(subject, cells)
    if None in wanted:
        with pytest.raises(LikenessError, match="neither of which lies inside the other"):
            source.shares(subject)
        return
    shares, of = source.shares(subject)
    at = subject.domain.code_of.get("flu")
    if at is None or "hiv" not in subject.domain.code_of:
        return
    np.testing.assert_allclose(shares[of][:, at], weight[wanted] / 10)


@settings(max_examples=40)
@given(st.integers(0, 100_000))
def test_reach_and_match_are_asked_one_at_a_time(seed):
    rng = np.random.default_rng(seed)
    frame = random_people(rng, 25, missing=True)
    subject = subject_of(frame, policy_of(COLUMNS, {"kernel": {"bandwidth": 1}}))
    data = subject.data
    holds, of = [], []
    count = int(rng.integers(1, 200))
    for j, domain in enumerate(data.quasi):
        note = note_on(domain, "quasi", data.codes[j])
        texts = {"*", *(domain.labels)}
        if domain.missing:
            texts.add("")
        if domain.kind in {"integer", "real"}:
            texts.add(f"[{domain.labels[0]}, {domain.labels[-1]}]" if domain.size > 1 else "*")
        regions = [read_region(text, note) for text in sorted(texts)]
        found = reach(note, regions, domain)
        overlap = Overlap(note, regions)
        for code, label in enumerate(domain.labels_with(None)):
            assert found[code].tolist() == overlap.contains(label).tolist()
        holds.append(found)
        of.append(rng.integers(0, len(regions), count))
    start, cells = match(holds, of, np.ascontiguousarray(data.codes))
    for i in range(data.size):
        plainly = np.all([held[data.codes[j, i]][of[j]] for j, held in enumerate(holds)], axis=0)
        assert cells[start[i] : start[i + 1]].tolist() == np.flatnonzero(plainly).tolist()


def test_many_cells_are_compared_in_blocks(monkeypatch):
    from likeness.queries import cells as module

    rng = np.random.default_rng(2)
    holds, of = [rng.random((5, 40)) < 0.5 for _ in range(2)], [rng.integers(0, 40, 1000) for _ in range(2)]
    tuples = rng.integers(0, 5, (2, 20)).astype(np.int32)
    whole = match(holds, of, tuples)
    monkeypatch.setattr(module, "_BLOCK", 128)
    monkeypatch.setattr(module, "_WORDS", 4)
    for one, other in zip(whole, match(holds, of, tuples), strict=True):
        assert one.tolist() == other.tolist()


def test_a_release_under_a_table_of_illness(tmp_path):
    rng = np.random.default_rng(7)
    frame = random_people(rng, 240).select("age", "sex", "disease")
    lines = ["age,sex,value,share"]
    for age, sex, shares in [
        ("[0, 39]", "*", (4, 1, 3, 2)),
        ("[40, 110]", "f", (1, 4, 3, 2)),
        ("[40, 110]", "m", (1, 1, 4, 4)),
    ]:
        lines += [
            f'"{age}",{sex},{value},{share}/10'
            for value, share in zip(("flu", "hiv", "cold", "gout"), shares, strict=True)
        ]
    (tmp_path / "morbidity.csv").write_text("\n".join(lines) + "\n")
    columns = {name: COLUMNS[name] for name in frame.columns}
    (tmp_path / "policy.yaml").write_text(
        policy_of(columns, {"table": "morbidity.csv"})
        .replace(privacy=[lk.JsBackground(0.05), lk.KAnonymity(5)])
        .to_yaml()
    )
    assert "knowledge:\n  table: {file: morbidity.csv}" in (tmp_path / "policy.yaml").read_text()
    release = lk.anonymize(frame, tmp_path / "policy.yaml", seed=1)
    assert release.certificate.knowledge == ({"source": "table", "sensitive": "disease", "parameters": {}},)
    out = release.write(tmp_path / "out")
    assert lk.verify(out).status == "proven"
    # Nobody of 40 shares a region with somebody of 39.
    ages = {row.strip("[]").split(", ")[0] for row in release.table["age"].to_list()}
    assert not any(
        "[" in row and int(row[1:3]) < 40 <= int(row[5:7])
        for row in release.table["age"].to_list()
        if row != "*"
    ), ages


def test_facts_tell_nothing():
    source = lk.TableKnowledge("secret.csv")
    assert source.facts == type(source).check_facts({}) == {}
    with pytest.raises(ValueError, match="table tells no parameters"):
        type(source).check_facts({"file": "secret.csv"})
