"""A misspelt value, a range the wrong way round, an unknown column: one clear line, never an answer of 0."""

from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.contracts.parts import example
from tests.forms.publications import integers, plan_for, publish, table, words
from tests.metrics.tables import tree

import likeness as lk
from likeness import registry
from likeness.errors import TableError
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan
from likeness.published.columns import ColumnNote
from likeness.published.regions import read_region
from likeness.queries.asking import Askable, read_query
from likeness.queries.drawing import draw_workload, exact_answers
from likeness.queries.query import Consecutive, Query, Workload

FORMS = [example("forms", name) for name in registry.names("forms")]
GRADE = Domain("grade", "ordered", np.array(["low", "mid", "high"], object), "interval", high=2.0)
ILLNESS = tree(["flu", "cold", "gout"], [0, 0, 1])
DISEASE = Domain("disease", "hierarchical", np.array(ILLNESS.leaves, object), "tree", ILLNESS)
DATA = table(
    [
        (integers("age", [20, 30, 40, 50]), [0, 1, 2, 3]),
        (words("town", ["Nice", "Rome"]), [0, 1, 0, 1]),
        (GRADE, [0, 0, 2, 2]),
    ],
    [(DISEASE, [0, 1, 0, 1])],
)
CASES: list[tuple[dict[str, Any], str]] = [
    ({"disease": {"fluu"}}, "column 'disease': 'fluu' is not one of its values; did you mean 'flu'?"),
    ({"disease": {"FLU"}}, "column 'disease': 'FLU' is not one of its values; did you mean 'flu'?"),
    ({"town": ["Nice", "Paris"]}, "column 'town': 'Paris' is not one of its values; known: Nice, Rome"),
    ({"town": ["Roma", "x", "y"]}, "column 'town': 'Roma' is not one of its values (nor are 2 others); did"),
    ({"town": ["Roma", "x"]}, "column 'town': 'Roma' is not one of its values (nor is 1 other); did"),
    ({"grade": ("low", "hgih")}, "column 'grade': 'hgih' is not one of its values; did you mean 'high'?"),
    ({"grade": {"hgih"}}, "column 'grade': 'hgih' is not one of its values; did you mean 'high'?"),
    ({"grade": ("high", "low")}, "the range ('high', 'low') ends before it begins; write ('low', 'high')"),
    ({"age": (40, 30)}, "column 'age': the range (40, 30) ends before it begins; write (30, 40)"),
    ({"age": (30.5, 30.25)}, "column 'age': the range (30.5, 30.25) ends before it begins"),
    ({"age": (30, float("nan"))}, "column 'age': (30, nan) is no range, as one of its ends is no number"),
    ({"age": (30, "forty")}, "column 'age': 'forty' is not a number"),
    ({"age": {"forty"}}, "column 'age': 'forty' is not a number"),
    ({"town": (1, 5)}, "column 'town': (1, 5) is a range of numbers, and its values are none"),
    ({"town": (5, 1)}, "column 'town': the range (5, 1) ends before it begins"),
    ({"disease": "flu"}, "column 'disease': a condition is a pair (low, high) or a collection of values"),
    ({"diseas": {"flu"}}, "no published column 'diseas' to query; did you mean 'disease'?"),
    ({"zip": {"1"}}, "no published column 'zip' to query; there are age, town, grade, disease"),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize(("where", "message"), CASES, ids=[str(where) for where, _ in CASES])
def test_what_is_refused_by_every_form(form, where, message):
    # Of one class a single town would be the mode, and the only one that is known.
    classes = np.zeros(4, np.int64) if form.shows("categorical", "set") == "region" else np.arange(4) % 2
    publication, _, _ = publish(form, DATA, plan_for(form, DATA, Plan(classes)))
    with pytest.raises(TableError) as caught:
        publication.estimate(Query(where))
    assert message in str(caught.value)
    assert len(caught.value.problems) == 1
    with pytest.raises(TableError) as caught:
        publication.estimate_all(Workload.of_queries([Query({"age": (20, 30)}), Query(where)]))
    assert message in str(caught.value)
    assert len(caught.value.problems) == 1
    if "no published column" not in message:
        assert str(caught.value).startswith("query 1: column ")
    with pytest.raises(TableError) as caught:
        exact_answers(DATA, Workload.of_queries([Query(where)]))
    assert message in str(caught.value)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize(
    "where",
    [
        {"disease": {"gout"}},  # in the hierarchy, and nobody has it
        {"disease": Consecutive(("flu", "cold", "gout"), 2, 3)},
        {"disease": {None}},
        {"disease": set()},
        {"age": (90, 99)},
        {"age": (-5, 3)},
        {"age": {17}},
        {"age": (30.2, 30.8)},
        {"age": (float("-inf"), 19)},
        {"age": (51, float("inf"))},
    ],
    ids=str,
)
def test_what_is_a_legitimate_0(form, where):
    publication, _, _ = publish(form, DATA, plan_for(form, DATA, Plan(np.zeros(4, np.int64))))
    assert publication.estimate(Query(where)) == 0
    assert publication.estimate_all(Workload.of_queries([Query(where)])).tolist() == [0]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_everything_between_no_ends_is_everybody(form):
    publication, _, _ = publish(form, DATA, plan_for(form, DATA, Plan(np.zeros(4, np.int64))))
    for low, high in ((float("-inf"), float("inf")), (20, float("inf")), (float("-inf"), 50)):
        assert publication.estimate(Query({"age": (low, high)})) == 4


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_node_of_a_published_hierarchy_counts_the_values_below_it(form):
    publication, _, _ = publish(form, DATA, plan_for(form, DATA, Plan(np.zeros(4, np.int64))))
    group = next(label for label in ILLNESS.labels if label not in {*ILLNESS.leaves, ILLNESS.labels[0]})
    node = ILLNESS.node_of(group)
    below = ILLNESS.leaves[ILLNESS.left[node] : ILLNESS.right[node] + 1]
    for named, plain in (({group}, below), ([group, "flu", None], [*below, None]), ({"*"}, ILLNESS.leaves)):
        asked, meant = (Workload.of_queries([Query({"disease": one})]) for one in (named, plain))
        assert publication.estimate(asked[0]) == publication.estimate(meant[0])
        assert publication.estimate_all(asked).tolist() == publication.estimate_all(meant).tolist()
        assert exact_answers(DATA, asked).tolist() == exact_answers(DATA, meant).tolist()


def test_a_node_of_a_quasi_identifier_counts_the_values_below_it():
    table = pl.DataFrame({"zip": ["02139", "02140", "10001", "20001"]})
    file = [[code, code[:1] + "****", "*"] for code in table["zip"]]
    release = lk.anonymize(
        table, lk.Policy(columns={"zip": lk.quasi(hierarchy=file)}, privacy=lk.KAnonymity(4)), seed=1
    )
    assert release.estimate({"zip": {"0****"}}) == 2
    assert release.estimate({"zip": {"0****", "02139", "10001"}}) == 3
    assert release.estimate({"zip": {"*"}}) == 4
    with pytest.raises(TableError, match="'3\\*\\*\\*\\*' is not one of its values"):
        release.estimate({"zip": {"3****"}})


def test_a_reconstruction_is_checked_too():
    form = example("forms", "perturbed")
    publication, _, _ = publish(form, DATA, plan_for(form, DATA, Plan(np.zeros(4, np.int64))))
    with pytest.raises(TableError, match="did you mean 'Rome'"):
        publication.reconstructed(Query({"town": ["Roma"]}))


def test_every_mistake_of_a_query_is_told():
    askable = {own.name: Askable.of_domain(own) for own in (*DATA.quasi, *DATA.sensitive)}
    with pytest.raises(TableError) as caught:
        read_query(askable, {"age": (40, 30), "twon": {"Nice"}, "disease": {"fluu"}}, "gae")
    told = caught.value.problems
    assert len(told) == 4
    assert [any(word in line for line in told) for word in ("twon", "gae", "(40, 30)", "fluu")] == [True] * 4


def made(texts):
    note = ColumnNote("code", "quasi", "hierarchical", "tree")
    return Askable.of_regions(note, [read_region(text, note) for text in texts])


@pytest.mark.parametrize(
    ("texts", "condition", "message"),
    [
        (["021**", "30***"], {"02139"}, None),
        (["021**", "30***"], {"99999"}, None),  # nobody was told which codes there are
        (["021**", "30***"], {"021**"}, None),
        (["021**", "30***"], {"02***"}, None),  # all that was published below it
        (["021**", "30***"], {"4****"}, "'4****' is not one of its values"),
        (["021**", "30***"], {"01"}, "'01' is not one of its values; known: 021**, 30***"),
        (["02139", "30100"], {"01"}, "'01' is not one of its values; known: 02139, 30100"),
        (["02139", "30100"], {"02***"}, None),
        (["021**", "02139"], {139}, "'139' is not one of its values"),
        (["18", "39"], {5}, None),
        (["021**", "30***"], {"0213"}, "'0213' is not one of its values; did you mean '021**'?"),
        (["021**", "30***"], {"0213*"}, "'0213*' is not one of its values; did you mean '021**'?"),
        (["[18, 39]", "[40, 59]"], {17}, None),
        (["[18, 39]", "[40, 59]"], (17, 20), None),
        (["[18, 39]", "[40, 59]"], (20, 17), "ends before it begins"),
        (
            ["[18, 39]", "[40, 59]"],
            {"[18, 49]"},
            "'[18, 49]' is not one of its values; did you mean '[18, 39]'?",
        ),
        (["[18, 39]", "[40, 59]"], {"old"}, "'old' is not one of its values"),
        (["2024-03", "2024-04"], {"2024-05-01"}, None),
        (["2024-03", "2024-04"], {date(2023, 1, 1)}, None),
        (["2024-03", "2024-04"], ("2024-04-01", "2024-03-01"), "ends before it begins"),
        (["*"], {"anything"}, None),  # estimating says that * was not explained
        (["*", "021**"], {"anything"}, None),
    ],
)
def test_nodes_of_hierarchies_made_by_a_rule(texts, condition, message):
    found = made(texts).problem([condition])
    assert found is None if message is None else message in found[1]


def test_hierarchies_of_numbers_take_any_number():
    years = tree(["20", "30", "40"], [0, 0, 1])
    asked = Askable.of_domain(Domain("age", "hierarchical", np.array(years.leaves, object), "tree", years))
    assert asked.problem([{17}, (10, 25), {"20", 30}, (90, 99)]) is None
    # A number that is written as a text is a code.
    assert asked.problem([{20}, {"17"}]) == (
        1,
        "column 'age': '17' is not one of its values; known: 20, 30, 40",
    )
    codes = Askable.of_domain(words("code", ["20", "30"]))
    assert codes.problem([{17}]) == (0, "column 'code': '17' is not one of its values; known: 20, 30")
    assert codes.problem([(10, 25)]) is None


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (("2024-01-01", "2024-03-31"), None),
        ((date(1900, 1, 1), datetime(2999, 1, 1)), None),  # noqa: DTZ001  # as tables hold them
        ((np.datetime64("2024-01-01"), np.datetime64("2024-01-02")), None),
        (("2024-03", "2024-04"), "column 'born': '2024-03' is not a day; write days like 2024-03-31"),
        ((2000, 2024), "column 'born': '2000' is not a day"),
        ({"2024"}, "column 'born': '2024' is not a day"),
        (("2024-04-01", "2024-03-01"), "ends before it begins"),
    ],
)
def test_days(condition, message):
    days = Domain("born", "date", np.array(["2024-01-01", "2024-05-01"], "datetime64[D]"), "interval")
    found = Askable.of_domain(days).problem([condition])
    assert found is None if message is None else message in found[1]


def test_a_drawn_workload_may_name_values_that_nobody_kept():
    data = table(
        [(integers("age", list(range(8))), list(range(8)))],
        [(words("disease", [f"d{i}" for i in range(8)]), list(range(8)))],
    )
    workload = draw_workload(data, queries=60, predicates=0, selectivity=0.1, seed=3)
    publication, _, _ = publish(example("forms", "generalized"), data, [0, 0, 0, 0, 0, 0, -1, -1])
    assert publication.estimate_all(workload).tolist().count(0) > 0
    by_hand = Workload.of_queries(list(workload))
    with pytest.raises(TableError, match=r"query \d+: column 'disease': 'd[67]' is not one of its values"):
        publication.estimate_all(by_hand)


def test_conditions_that_no_query_has_are_not_looked_at():
    publication, _, _ = publish(example("forms", "generalized"), DATA, [0, 0, 0, 0])
    workload = Workload.of_queries([Query({"town": ["Nice"]}), Query({"town": ["Roma"]}), Query({})])
    assert publication.estimate_all(workload.take(np.array([0, 2]))).tolist() == [2, 4]
    with pytest.raises(TableError, match="query 0: column 'town'"):
        publication.estimate_all(workload.take(np.array([1])))


def test_in_python():
    ages = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    release = lk.anonymize(ages, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    with pytest.raises(
        lk.TableError, match="column 'disease': 'fluu' is not one of its values; did you mean 'flu'"
    ):
        release.estimate({"disease": {"fluu"}})
    with pytest.raises(lk.TableError, match="ends before it begins"):
        release.estimate({"age": (39, 30)})


def test_a_column_published_as_it_is_says_so():
    table = pl.DataFrame({"age": [30, 31], "disease": ["flu", "cold"], "vip": ["y", "n"]})
    columns = {"age": lk.quasi(), "disease": lk.sensitive(), "vip": lk.other()}
    for more in ({}, {"method": {"name": "anatomy", "l": 2}}):
        release = lk.anonymize(
            table, lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(2), **more), seed=1
        )
        for query in ({"vip": {"y"}}, lk.Query({}, "sum", of="vip")):
            with pytest.raises(TableError) as caught:
                release.estimate(query)
            assert str(caught.value).startswith(
                "column 'vip': is published as it is, beside what is estimated (age, disease); count its cells in the published "
            )


def test_what_prefixes_stand_for_has_a_remedy():
    table = pl.DataFrame({"zip": ["02139", "02140", "10001", "20001"]})
    columns = {"zip": lk.quasi(hierarchy={"prefix": 5})}
    for k, value in ((2, "02139"), (4, "10001")):
        release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(k)), seed=1)
        with pytest.raises(TableError, match="give its hierarchy as a file of all codes instead of a rule"):
            release.estimate({"zip": {value}})
    file = [[code, code[:3] + "**", "*"] for code in table["zip"]]
    known = lk.anonymize(
        table, lk.Policy(columns={"zip": lk.quasi(hierarchy=file)}, privacy=lk.KAnonymity(4)), seed=1
    )
    assert known.estimate({"zip": {"02139"}}) == 1
