"""What every generated table promises."""

import hashlib
import inspect
import re
from dataclasses import FrozenInstanceError
from io import BytesIO

import polars as pl
import pytest

from likeness import registry
from likeness.errors import InvalidError

NAMES = ("bkseq", "census", "hospital", "hospital-visits", "informs", "isp", "symptoms")
ROLES = {"identifier", "quasi", "sensitive", "other", "drop"}
CSV_OF_1000_ROWS = {
    "bkseq": "af708cc950a109de7abbd721454592c512cd9377289d804366a87899789f3ced",
    "census": "be0d589a984d685e137d83b4cc435220d2dd7bc4d799d9966e389f4f01e3f02a",
    "hospital": "a63400ccfcdeee5dffb81d3145d417e7f18167e82c72f59b494db8ce45113b3f",
    "hospital-visits": "eacab8fe6bdf2dccf93b954d0469b60072810ca18adffe31fc501ebe01de101f",
    "informs": "dd826e1eb21dd82ea4dd07d32fee5e10fe407e962f5c02b6c8a6b02da22eafef",
    "isp": "e699baefea9002e9325a97cc23902a99564ae7c87015faba3a01c8406a1252e6",
    "symptoms": "f5102612131a66c0d546568da07bd54767bc3f888d344f68916eb3d8b71b346e",
}

LARGE = {"informs": 456_767}  # the rarest of its 619 diagnoses need as many rows

every_dataset = pytest.mark.parametrize("name", NAMES)


def make(name):
    return registry.load("datasets", name)()


def policies_of(dataset):
    if "trees" in inspect.signature(dataset.policy).parameters:
        return [dataset.policy(), dataset.policy(trees=True)]
    return [dataset.policy()]


def csv_of(table):
    buffer = BytesIO()
    table.write_csv(buffer)
    return buffer.getvalue()


def test_loaders_and_helpers_are_no_datasets():
    assert set(NAMES) <= set(registry.names("datasets"))
    assert "files" not in registry.names("datasets")


@every_dataset
def test_same_seed_same_bytes_on_any_machine(name):
    content = csv_of(make(name).generate(rows=1000, seed=7))
    assert hashlib.sha256(content).hexdigest() == CSV_OF_1000_ROWS[name]


@every_dataset
def test_another_seed_another_table(name):
    dataset = make(name)
    assert not dataset.generate(rows=200, seed=1).equals(dataset.generate(rows=200, seed=2))


@every_dataset
@pytest.mark.parametrize("rows", [1, 2, 17, 1234])
def test_as_many_rows_as_asked_for(name, rows):
    assert make(name).generate(rows=rows, seed=rows).height == rows


@every_dataset
def test_default_rows_belong_to_the_class(name):
    kind = registry.load("datasets", name)
    assert isinstance(kind.default_rows, int)
    assert "default_rows" not in inspect.signature(kind).parameters
    if kind.default_rows <= 20_000:
        assert kind().generate().height == kind.default_rows


@every_dataset
def test_nothing_is_missing(name):
    assert make(name).generate(rows=3000).null_count().sum_horizontal().item() == 0


@every_dataset
def test_the_policy_names_exactly_the_columns(name):
    dataset = make(name)
    policy = dataset.policy()
    assert sorted(policy["columns"]) == sorted(dataset.generate(rows=5).columns)
    assert {column["role"] for column in policy["columns"].values()} <= ROLES
    assert policy["privacy"]
    models = {guarantee["model"] for guarantee in policy["privacy"]}
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", model) for model in models)
    sensitive = {guarantee["sensitive"] for guarantee in policy["privacy"] if "sensitive" in guarantee}
    assert all(policy["columns"][column]["role"] == "sensitive" for column in sensitive)


@every_dataset
def test_the_hierarchies_are_those_of_the_policy_and_cover_the_values(name):
    dataset = make(name)
    table = dataset.generate(rows=max(20_000, LARGE.get(name, 0)))
    hierarchies = dataset.hierarchies()
    named = {
        column["hierarchy"]: key
        for policy in policies_of(dataset)
        for key, column in policy["columns"].items()
        if isinstance(column.get("hierarchy"), str)
    }
    assert set(named) == set(hierarchies)
    for file, rows in hierarchies.items():
        assert len({len(row) for row in rows}) == 1
        assert all(row[-1] == "*" for row in rows)
        leaves = [row[0] for row in rows]
        assert len(set(leaves)) == len(leaves)
        assert set(table[named[file]].cast(pl.String).unique()) == set(leaves)
        for level in range(len(rows[0]) - 1):  # one parent a node
            parents = pl.DataFrame({"node": [r[level] for r in rows], "parent": [r[level + 1] for r in rows]})
            assert parents.unique()["node"].is_unique().all()
        assert not any(set(",;|{}[]*") & set(label) for row in rows for label in row[:-1])


@every_dataset
def test_the_categories_are_those_of_the_policy_and_cover_the_values(name):
    dataset = make(name)
    categories = dataset.categories()
    named = {file: column for column, file in dataset.policy().get("categories", {}).items()}
    assert set(named) == set(categories)
    for file, rows in categories.items():
        values = [value for _, *own in rows for value in own]
        assert len(set(values)) == len(values)
        assert set(dataset.generate()[named[file]]) == set(values)


@every_dataset
@pytest.mark.parametrize("rows", [0, -5, True, 2.5])
def test_a_number_of_rows_that_is_none(name, rows):
    with pytest.raises(InvalidError, match="rows must be a whole number of at least 1"):
        make(name).generate(rows=rows)


@every_dataset
def test_more_rows_than_a_table_can_have(name):
    with pytest.raises(
        InvalidError, match=r"^rows must be at most 4,294,967,294, for a table has no more; got 9999"
    ):
        make(name).generate(rows=99_999_999_999_999_999_999)


@every_dataset
def test_everything_wrong_is_said_at_once(name):
    with pytest.raises(InvalidError) as caught:
        make(name).generate(rows=0, seed=-1)
    assert len(caught.value.problems) == 2


@every_dataset
def test_datasets_cannot_be_changed(name):
    with pytest.raises((FrozenInstanceError, TypeError)):
        make(name).dependence = 0.1


@every_dataset
def test_the_summary_is_one_line(name):
    assert 20 < len(registry.summary("datasets", name)) <= 110
