"""1:M-generalization: everybody's set of values is generalized until k people share it, then the quasi-identifiers."""

from __future__ import annotations

import filecmp
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.microdata.test_highest import COLUMNS, PEOPLE, SEVERITY, TABLE
from tests.oracles.set_generalization import generalized

import likeness as lk
from likeness.encode import encode
from likeness.errors import PolicyError, TableError
from likeness.hierarchies import from_rows
from likeness.methods.one_to_many_generalization import lay_out
from likeness.methods.one_to_many_generalization.kernels import generalize
from likeness.published.columns import ColumnNote
from likeness.queries.drawing import draw_workload, exact_answers, relative_errors
from likeness.queries.query import Query, Workload

TREE = [[value, label, "*"] for label, own in SEVERITY.items() for value in own]


def columns(hierarchy):
    return COLUMNS | {"symptom": lk.sensitive(hierarchy=hierarchy, distance="equal")}


def asked(k=2, l=1, *, hierarchy=None, **more):  # noqa: E741
    given_ = {
        "columns": columns(hierarchy or TREE),
        "individual": "id",
        "privacy": [lk.KlDiversity(k, l)],
        "method": lk.OneToManyGeneralization(k),
    }
    return lk.Policy(**{**given_, **more})


def shown(table, policy):
    """What is published of everybody's set, in the order of the table."""
    data = encode(lk.read(table), policy).data
    return [data.sensitive[0].labels[code] for code in data.sensitive_codes[0].tolist()]


def lost(data):
    """SA loss, and the number of items."""
    records, of = data.source.records, data.source.of
    found = data.sensitive[0].sets.losses(records.sensitive_codes[0], data.sensitive_codes[0][of])
    return found.sum(), found.size


def of_rows(rows, tree, k):
    """The kernel's sets, by labels."""
    hierarchy = from_rows(tree, "t", where=str)
    laid, rank_of, node_of = lay_out(hierarchy)
    items = [sorted(int(rank_of[hierarchy.rank_of[leaf]]) for leaf in row) for row in rows]
    start = np.cumsum([0, *map(len, items)])
    bucket, begin, nodes = generalize(laid, start, np.array([x for own in items for x in own]), k)
    return [
        frozenset(hierarchy.labels[node_of[node]] for node in nodes[begin[b] : begin[b + 1]]) for b in bucket
    ]


AB = [["a1", "A", "*"], ["a2", "A", "*"], ["b1", "B", "*"], ["b2", "B", "*"]]


def test_of_fazals_table_three_sets_are_shared():
    data = encode(lk.read(TABLE), asked()).data
    labels = shown(TABLE, asked())
    assert dict(zip([name for name, *_ in PEOPLE], labels, strict=True)) == {
        "p1": "*",
        "p2": "{High|Lungs Infection}",
        "p3": "*",
        "p4": "{High|Lungs Infection}",
        "p5": "Low",
        "p6": "Low",
        "p7": "*",
        "p8": "Low",
    }
    loss, items = lost(data)
    assert (loss, items) == (pytest.approx(102 / 13), 16)
    assert 100 * loss / items == pytest.approx(49.038, abs=5e-4)


def test_headache_flu_tiredness_and_chills_become_low_and_chills():
    """Fazal et al. 2023 on vertical correlation: what is exact beside a node tells it apart from the others of its level."""
    rows = [["Headache", "Flu", "Tiredness", "Chills"], ["Flu", "Chills"], ["Cough"], ["Cough"]]
    table = pl.DataFrame(
        [(f"p{i}", 30, 2000, "Female", symptom) for i, own in enumerate(rows) for symptom in own],
        schema=TABLE.columns,
        orient="row",
    )
    assert shown(table, asked()) == ["{Chills|Low}", "{Chills|Low}", "Cough", "Cough"]


@pytest.mark.parametrize(
    ("rows", "expected", "loss"),
    [
        (
            [{"a1"}, {"a1", "a2"}, {"b1", "b2"}, {"b1", "b2"}, {"a1", "a2", "b2"}, {"a1", "a2", "b2"},
             {"a1", "a2", "b1", "b2"}],
            [{"A"}, {"A"}, {"b1", "b2"}, {"b1", "b2"}, *[{"a1", "a2", "B"}] * 3],
            350 / 17,
        ),
        (
            [{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}],
            [{"A", "b1", "b2"}, {"A", "B"}, {"A", "b1", "b2"}, {"A", "B"}],
            350 / 11,
        ),
    ],
)  # fmt: skip
def test_the_published_programs_own_tests(rows, expected, loss):
    assert of_rows(rows, AB, 2) == list(map(frozenset, expected))
    table = pl.DataFrame([(f"p{i}", 30, leaf) for i, own in enumerate(rows) for leaf in sorted(own)],
                         schema=["id", "age", "symptom"], orient="row")  # fmt: skip
    own = {key: column for key, column in columns(AB).items() if key not in {"zip", "sex"}}
    data = encode(lk.read(table), asked(hierarchy=AB, columns=own)).data
    total, items = lost(data)
    assert 100 * total / items == pytest.approx(loss)


WIDE = [
    ["a", "A", "X", "*"], ["b", "A", "X", "*"], ["c", "B", "X", "*"], ["d", "C", "Y", "*"], ["e", "C", "Y", "*"],
    ["f", "Y", "Y", "*"], ["g", "D", "D", "*"], ["h", "D", "D", "*"],
]  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(draw=st.data())
def test_is_what_the_plain_recursion_finds(draw):
    k = draw.draw(st.integers(1, 6))
    leaves = st.sets(st.sampled_from("abcdegh"), min_size=1, max_size=4)
    rows = draw.draw(st.lists(leaves, min_size=k, max_size=40))
    tree = from_rows([own for own in WIDE if own[0] != "f"], "t", where=str)
    found = of_rows(rows, [own for own in WIDE if own[0] != "f"], k)
    assert found == generalized(rows, tree, k)
    assert min(Counter(found).values()) >= k
    for row, nodes in zip(rows, found, strict=True):
        below = [set(tree.leaves[tree.left[n] : tree.right[n] + 1]) for n in map(tree.node_of, nodes)]
        assert all(row & own for own in below)
        assert row <= set().union(*below)


def many(people=300, seed=0):
    rng = np.random.default_rng(seed)
    symptoms = [value for own in SEVERITY.values() for value in own]
    rows = [
        (
            f"p{i}",
            int(rng.integers(20, 60)),
            int(rng.integers(2100, 2900)),
            str(rng.choice(["Female", "Male"])),
            symptom,
        )
        for i in range(people)
        for symptom in rng.choice(symptoms, int(rng.integers(1, 4)), replace=False)
    ]
    return pl.DataFrame(rows, schema=TABLE.columns, orient="row")


def test_a_release_is_proven_from_its_public_part_alone(tmp_path):
    many().write_csv(tmp_path / "people.csv")
    policy = asked(5, 3)
    release = lk.anonymize(tmp_path / "people.csv", policy, seed=1)
    assert release.verdict.status == "proven"
    assert release.tables["release"].height == 300
    sets = Counter(release.tables["release"]["symptom"])
    assert min(sets.values()) >= 5
    release.write(tmp_path / "out")
    assert lk.verify(tmp_path / "out" / "public").status == "proven"
    assert lk.verify(tmp_path / "out", tmp_path / "people.csv").status == "proven"
    beside = lk.open_release(tmp_path / "out", tmp_path / "people.csv")
    beside.write(tmp_path / "again")
    same = [path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.*")]
    assert len(same) > 4
    assert filecmp.cmpfiles(tmp_path / "out", tmp_path / "again", same, shallow=False)[0] == same
    again = lk.open_release(tmp_path / "out")
    where = {"symptom": ["Flu", "Cough"], "age": (20, 40)}
    assert again.estimate(Query(where)) == pytest.approx(release.estimate(Query(where)))


class TestWhatIsUnderstood:
    """Of table 1: three people of whom anything may be true, two of High and Lungs Infection, three of Low."""

    def release(self, **more):
        policy = asked(columns=columns(TREE), privacy=[lk.KAnonymity(8), lk.KlDiversity(2, 1)], **more)
        return lk.anonymize(TABLE, policy, seed=1)

    @pytest.mark.parametrize(
        ("symptoms", "expected"),
        [
            (["Flu"], 3 / 13 + 3 / 3),
            (["Lungs Infection"], 3 / 13 + 2),
            (["Chest Pain", "Lungs Infection"], 6 / 13 + 2),
            (["Chest Pain", "Stomach Pain"], 6 / 13 + 4 / 3),
            (["Respiratory Problem"], 3 / 13),
            (["Flu", "Headache", "Tiredness"], 9 / 13 + 3),
        ],
    )
    def test_estimates_take_one_value_below_each_node(self, symptoms, expected):
        publication = self.release().publication
        query = Query({"symptom": symptoms})
        assert publication.estimate(query) == pytest.approx(expected)
        assert publication.estimate_all(Workload.of_queries([query]))[0] == pytest.approx(expected)
        tables = publication.contingency({"symptom": [symptoms], "sex": [["Female"]]})
        assert tables.of("symptom")[0] == pytest.approx(expected)
        assert tables.pair("symptom", "sex")[0, 0] == pytest.approx(expected / 2)
        assert tables.pair("sex", "symptom")[0, 0] == pytest.approx(expected / 2)

    def test_the_steward_is_told_what_is_lost_and_who_is_exposed(self):
        (found,) = (own for own in self.release().findings if own.code == "sensitive-sets")
        assert found.facts == {
            "column": "symptom",
            "people": 8,
            "sets": 3,
            "fewest": 2,
            "items": 16,
            "lost": pytest.approx(102 / 13 / 16),
            "mixed": 2,
        }
        assert "of their 16 values, 49.04% is lost by generalizing (SA-NCP); 2 have a " in str(found)

    def test_everybody_counts_once(self):
        publication = self.release().publication
        assert publication.estimate(Query({})) == pytest.approx(8)
        assert publication.estimate(Query({"age": (32, 45)})) == pytest.approx(8)

    def test_beliefs_are_in_values(self):
        found = self.release().publication.posterior({"age": 40})["symptom"]
        assert found["Lungs Infection"] == pytest.approx((3 / 13 + 2) / 8)
        assert found["Chest Pain"] == pytest.approx((3 / 13 + 2 / 3) / 8)
        assert found["Flu"] == pytest.approx((3 / 13 + 3 / 3) / 8)
        assert found["Cough"] == pytest.approx(3 / 13 / 8)

    def test_errors_of_queries_are_against_the_values_themselves(self):
        table = many()
        exact = lk.anonymize(table, asked(1, 1), seed=1)
        workload = draw_workload(exact.private.encoded.data, queries=200, predicates=1, seed=1)
        flu = exact_answers(exact.private.encoded.data, Workload.of_queries([Query({"symptom": ["Flu"]})]))
        assert flu.tolist() == [table.filter(pl.col("symptom") == "Flu")["id"].n_unique()]
        # With k = 1 every value is published as it is, of everybody.
        assert exact.publication.estimate(Query({"symptom": ["Flu"]})) == flu[0]
        coarse = lk.anonymize(table, asked(20, 1), seed=1)
        errors = [np.median(relative_errors(one.publication, workload)) for one in (exact, coarse)]
        assert errors[0] < errors[1]

    def test_a_category_is_the_values_in_it(self):
        release = self.release()
        tree = release.private.encoded.data.sensitive[0].single.hierarchy
        node = tree.node_of("Low")
        below = list(tree.leaves[tree.left[node] : tree.right[node] + 1])
        asked = (Query({"symptom": named}) for named in (["Low"], below))
        assert len({release.publication.estimate(one) for one in asked}) == 1

    def test_what_nobody_can_have_is_refused(self):
        with pytest.raises(TableError, match="'Lwo' is not one of its values"):
            self.release().publication.estimate(Query({"symptom": ["Lwo"]}))


def changed(release, tmp_path, edit):
    release.write(tmp_path / "out")
    path = tmp_path / "out" / "public" / "release.csv"
    path.write_text(edit(path.read_text()))
    return str(lk.verify(tmp_path / "out" / "public"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{Low|High}", "must read"),
        ("{High|Chest Pain}", "'Chest Pain' is below 'High'"),
        ("Hihg", "'Hihg' is not a label"),
    ],
)
def test_changed_sets_are_refused(tmp_path, text, line):
    release = TestWhatIsUnderstood().release()
    found = changed(release, tmp_path, lambda own: own.replace("{High|Lungs Infection}", text))
    assert "WRONG" in found
    assert line in found


@pytest.mark.parametrize(
    "more",
    [{"role": "quasi"}, {"hierarchy": None}, {"categories": (("low", "Flu"), ("high", "Cough"))}],
)
def test_sets_of_what_has_none_contradict_a_note(more):
    note = ColumnNote("symptom", "sensitive", sets=True, hierarchy=(("Flu", "*"), ("Cough", "*")))
    assert note.contradiction() == ""
    assert ColumnNote.from_json(note.to_json()) == note
    assert "sets are of nodes of the hierarchy" in replace(note, **more).contradiction()


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            {"method": lk.OneToManyGeneralization(9)},
            "one-to-many-generalization: k is 9, and the table has 8 people; use at most 8",
        ),
        ({"columns": COLUMNS}, "generalizes 'symptom', which needs a hierarchy from a file"),
        ({"categories": {"symptom": SEVERITY}}, "leave categories of 'symptom' out"),
    ],
)
def test_tables_it_is_not_for(more, line):
    with pytest.raises(PolicyError, match=line):
        lk.anonymize(TABLE, asked(**more), seed=1)


def test_a_hierarchy_of_the_observed_values_would_tell_of_those_that_are_withheld():
    table = pl.DataFrame({"age": [1, 2, 3, 4], "code": ["10", "11", "20", "21"]})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "code": lk.sensitive(hierarchy={"prefix": 2}, kind="hierarchical")},
        privacy=lk.KlDiversity(2, 1),
        method=lk.OneToManyGeneralization(2),
    )
    with pytest.raises(PolicyError, match="generalizes 'code', which needs a hierarchy from a file"):
        lk.anonymize(table, policy, seed=1)


@pytest.mark.parametrize(
    ("given_", "line"),
    [
        ({"k": 0}, "k must be a whole number of at least 1; got 0"),
        ({"k": 2, "classes": 3}, "classes must be the name of a method; got 3"),
        ({"k": 2, "classes": "perturbation"}, "classes: perturbation makes no classes of records"),
    ],
)
def test_parameters(given_, line):
    with pytest.raises(PolicyError, match=line):
        lk.OneToManyGeneralization(**given_)


def test_the_most_frequent_set_may_be_too_frequent():
    # Three of eight people have the same set, more than 1 of 3.
    with pytest.raises(lk.CannotBeMetError, match="kl-diversity"):
        lk.anonymize(TABLE, asked(2, 3), seed=1)
