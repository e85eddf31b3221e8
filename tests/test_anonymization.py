"""From a table and a policy to a proven release: seeds, rows, columns published as they are, pseudonyms, remarks."""

from __future__ import annotations

import datetime as dt
import decimal
import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import likeness as lk
from likeness.choosing import choose_form
from likeness.policy import as_policy
from likeness.progress import Progress

RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {
        "name": [f"person {i // 2}" for i in range(40)],
        "age": RNG.integers(20, 60, 40),
        "s": RNG.choice(["flu", "cold", "gout"], 40),
        "row": range(40),
    }
)
ALONE = FRAME.with_columns(name=pl.format("person {}", "row"))
"""The same, everybody once."""
COLUMNS = {"name": lk.drop(), "age": lk.quasi(), "s": lk.sensitive(), "row": lk.other()}
K = lk.KAnonymity(3)


def policy(**given: Any) -> lk.Policy:
    """A policy for `FRAME`."""
    return lk.Policy(columns=COLUMNS | given.pop("columns", {}), privacy=given.pop("privacy", K), **given)


@pytest.mark.parametrize("method", ["mondrian", "burel"])
def test_the_same_seed_gives_the_same_release(method):
    asked = policy(privacy=K & lk.BetaLikeness(3), method={"name": method})
    one, two = (lk.anonymize(FRAME, asked, seed=7) for _ in range(2))
    assert one.table.equals(two.table)
    assert one.certificate.to_json() == two.certificate.to_json()
    assert lk.anonymize(FRAME, asked.replace(seed=7)).table.equals(one.table)
    assert json.loads(one.certificate.to_json())["reproducible"] is True


def test_other_seeds_shuffle_the_same_classes_otherwise():
    one, two = (lk.anonymize(FRAME, policy(), seed=seed).table for seed in (1, 2))
    assert not one.equals(two)
    assert one.sort("row").equals(two.sort("row"))
    assert one["row"].to_list() != sorted(one["row"])


def test_without_a_seed_randomness_comes_from_the_operating_system():
    one, two = (lk.anonymize(FRAME, policy()) for _ in range(2))
    assert one.table["row"].to_list() != two.table["row"].to_list()
    assert one.private.entropy != two.private.entropy
    assert min(one.private.entropy, two.private.entropy) > 2**64
    assert json.loads(one.certificate.to_json())["reproducible"] is False


def test_the_seed_of_the_call_comes_before_the_policys():
    def drawn_from(in_policy, in_call=None):
        return lk.anonymize(FRAME, policy(seed=in_policy), seed=in_call).private.entropy

    assert drawn_from(1, 2) == drawn_from(None, 2) == drawn_from(2) != drawn_from(1)


def test_rows_of_every_class_are_mixed_with_those_of_others():
    table = lk.anonymize(FRAME, policy(), seed=1).table
    changes = (table["age"] != table["age"].shift(1)).sum()
    assert changes > table["age"].n_unique()


@pytest.mark.parametrize("make", [lambda f: f, lambda f: f.to_pandas(), lambda f: f.to_arrow()])
def test_the_library_of_the_input_is_that_of_the_output(make):
    table = make(FRAME)
    release = lk.anonymize(table, policy(), seed=1)
    assert type(release.table) is type(table)
    columns = release.table.column_names if isinstance(table, pa.Table) else list(release.table.columns)
    assert columns == ["age", "s", "row"]
    plain = lk.anonymize(FRAME, policy(), seed=1).table
    assert pl.DataFrame(release.table).equals(plain)


def test_paths_and_read_tables_are_taken_as_well(tmp_path):
    FRAME.write_csv(tmp_path / "t.csv")
    file = tmp_path / "policy.yaml"
    file.write_text(policy(seed=3).to_yaml())
    release = lk.anonymize(str(tmp_path / "t.csv"), str(file))
    again = lk.anonymize(lk.read(tmp_path / "t.csv"), json.loads(json.dumps(policy(seed=3).to_mapping())))
    assert release.table.equals(again.table)
    assert release.table["row"].dtype == pl.String


def test_a_pandas_index_tells_where_each_row_is_from():
    table = FRAME.to_pandas().set_axis([f"i{i}" for i in range(40)])
    table.index.name = "who"
    published = lk.anonymize(table, policy(), seed=1).table
    assert published.index.name == "who"
    assert published.index.tolist() == [f"i{i}" for i in published["row"]]


MOMENT = dt.datetime(2024, 2, 29, 12, 30, 1, 5)  # noqa: DTZ001
POLARS = {
    "int8": pl.Series([1, None] * 20, dtype=pl.Int8),
    "uint64": pl.Series([2**64 - 1, 1] * 20, dtype=pl.UInt64),
    "float32": pl.Series([0.1, None] * 20, dtype=pl.Float32),
    "decimal": pl.Series([decimal.Decimal("1.10"), None] * 20),
    "boolean": pl.Series([True, None] * 20),
    "date": pl.Series([MOMENT.date(), None] * 20),
    "moment": pl.Series([MOMENT, None] * 20),
    "zone": pl.Series([MOMENT, None] * 20).dt.replace_time_zone("Europe/Paris"),
    "time": pl.Series([MOMENT.time(), None] * 20),
    "categories": pl.Series(["a", None] * 20, dtype=pl.Categorical),
    "text": pl.Series(["", "NA", None, "\\e", "*"] * 8),
    "mixed": pl.Series(["1", "x"] * 20),
}


@pytest.mark.parametrize("name", POLARS)
@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_columns_published_as_they_are_keep_values_and_type(name, library):
    frame = FRAME.with_columns(POLARS[name].alias("x"))
    table = {"polars": lambda: frame, "pandas": frame.to_pandas, "pyarrow": frame.to_arrow}[library]()
    published = lk.anonymize(table, policy(columns={"x": lk.other()}), seed=1).table
    if library == "pandas":
        assert published["x"].dtype == table["x"].dtype
        assert published["x"].equals(table["x"].loc[published.index])
        return
    if library == "pyarrow":
        assert published.schema.field("x").type.equals(table.schema.field("x").type) or name == "categories"
        rows = published["row"].to_pylist()
        assert published["x"].to_pylist() == [table["x"].to_pylist()[row] for row in rows]
        return
    assert published["x"].dtype == frame["x"].dtype
    assert published["x"].equals(frame["x"][published["row"]])


@pytest.mark.parametrize(
    "table",
    [
        FRAME.with_columns(x=pl.Series(["common"] * 39 + ["secret"], dtype=pl.Enum(["secret", "common"]))),
        FRAME.to_pandas().assign(x=pd.Categorical(["common"] * 39 + ["secret"])),
        FRAME.to_arrow().append_column("x", pa.array(["common"] * 39 + ["secret"]).dictionary_encode()),
    ],
)
def test_types_tell_nothing_of_what_is_withheld(table):
    columns = {
        "x": lk.other(),
        "name": lk.quasi(
            hierarchy=[[f"person {i}", "last" if i == 19 else "others", "*"] for i in range(20)], max_level=1
        ),
    }
    asked = policy(columns=columns, withhold={"at_most": 0.1})
    release = lk.anonymize(table, asked, seed=1)
    assert release.private.solution.plan.withheld == 2
    column = release.table["x"]
    if isinstance(column, pl.Series):
        told = column.dtype.categories.to_list()
    elif isinstance(column, pd.Series):
        told = column.cat.categories.tolist()
    else:
        told = column.unify_dictionaries().chunk(0).dictionary.to_pylist()
    assert told == ["common"]


def test_pseudonyms_are_numbers_without_gaps_in_no_order():
    asked = policy(columns={"name": lk.identifier(action="pseudonym")})
    table = lk.anonymize(ALONE, asked, seed=1).table
    assert table.columns == ["name", "age", "s", "row"]
    assert table["name"].dtype == pl.Int64
    assert sorted(table["name"].unique()) == list(range(1, 41))
    people = table.sort("row")["name"].to_list()
    assert people != sorted(people)
    other = lk.anonymize(ALONE, asked, seed=2).table.sort("row")["name"].to_list()
    assert other != people


def test_a_pseudonym_that_links_records_is_refused():
    with pytest.raises(lk.CannotBeMetError) as caught:
        lk.anonymize(FRAME, policy(columns={"name": lk.identifier(action="pseudonym")}))
    (line,) = caught.value.problems
    assert line.startswith("column 'name': 20 of 20 values stand for several records each (at most 2)")
    assert line.endswith("if it names people, say individual: name to count people")
    once = FRAME.with_columns(
        name=pl.when(pl.col("row") > 1).then(pl.lit("q") + pl.col("row").cast(str)).otherwise("name")
    )
    with pytest.raises(lk.CannotBeMetError, match="1 of 39 values stands for several records each"):
        lk.anonymize(once, policy(columns={"name": lk.identifier(action="pseudonym")}))


LINKED = FRAME.with_columns(
    visit=pl.format("v{}", "row"), house=pl.format("h{}", pl.col("row") // 8), row=pl.lit(0)
)


@pytest.mark.parametrize(
    ("column", "form", "why"),
    [
        ("house", "generalized", "5 of 5 values stand for several records each (at most 8)"),
        ("house", "identity-reserved", "5 of 5 values stand for several people each (at most 4)"),
        ("visit", "generalized", None),
        ("visit", "identity-reserved", None),
    ],
)
def test_pseudonyms_where_people_are_counted_link_nothing_more(column, form, why):
    roles = {
        name: lk.identifier(action="pseudonym" if name == column else None) for name in ("visit", "house")
    }
    linked = form == "identity-reserved"
    asked = policy(
        columns=roles | {"name": lk.identifier()},
        individual="name",
        privacy=lk.IrKAnonymity(2) if linked else lk.KAnonymity(2),
        form=form,
        method="danonyir" if linked else "mondrian",
    )
    if why is None:
        assert lk.anonymize(LINKED, asked).table["visit"].n_unique() > 20
        return
    with pytest.raises(lk.CannotBeMetError) as caught:
        lk.anonymize(LINKED, asked)
    assert f"column 'house': {why}" in str(caught.value)


def test_pseudonyms_of_missing_names_are_missing():
    frame = FRAME.with_columns(name=pl.when(pl.col("row") < 2).then(None).otherwise(pl.col("name")))
    frame = frame.with_columns(
        name=pl.when(pl.col("name").is_null()).then(None).otherwise(pl.format("p{}", "row"))
    )
    table = lk.anonymize(frame, policy(columns={"name": lk.identifier(action="pseudonym")}), seed=1).table
    assert table.sort("row")["name"].is_null().sum() == 2


def test_identifiers_are_dropped_by_default():
    assert "name" not in lk.anonymize(FRAME, policy(columns={"name": lk.identifier()}), seed=1).table.columns


def test_numeric_pairs_stand_beside_their_column():
    asked = policy(output={"numeric_pairs": True}, missing={"policy": "category"})
    ages = [None, *FRAME["age"].to_list()[1:]]
    table = lk.anonymize(FRAME.with_columns(age=pl.Series(ages)), asked, seed=1).table
    assert table.columns == ["age", "age_low", "age_high", "s", "row"]
    for text, low, high, row in table.select("age", "age_low", "age_high", "row").rows():
        if text == "*":
            assert (low, high) == (None, None)
        else:
            assert text in {f"[{low}, {high}]", str(low)}
            assert low <= ages[row] <= high


@pytest.mark.parametrize("role", [lk.other, lk.sensitive, lk.quasi])
def test_a_column_that_has_the_name_of_a_pair(role):
    frame = FRAME.with_columns(age_low=pl.lit("x"))
    asked = policy(columns={"age_low": role()})
    assert "age_low" in lk.anonymize(frame, asked, seed=1).table.columns
    with pytest.raises(lk.PolicyError, match="column 'age_low' would stand twice in the release; rename it"):
        lk.anonymize(frame, asked.replace(output={"numeric_pairs": True}), seed=1)


def test_renamed_columns_are_published_under_their_new_names():
    frame = FRAME.rename({"age": "person", "s": "bucket"})
    columns = {"person": lk.quasi(), "bucket": lk.sensitive(), "name": lk.drop(), "row": lk.other()}
    asked = lk.Policy(columns=columns, privacy=K & lk.DistinctLDiversity(2, sensitive="bucket"))
    release = lk.anonymize(frame, asked, seed=1)
    assert release.table.columns == ["person_original", "bucket_original", "row"]
    assert release.verify().ok
    assert release.verdict.proofs[1].column == "bucket_original"


def test_booleans_are_written_as_files_write_them():
    frame = FRAME.with_columns(b=pl.col("row") % 2 == 0, t=pl.col("row") % 3 == 0)
    release = lk.anonymize(frame, policy(columns={"b": lk.quasi(), "t": lk.sensitive()}), seed=1)
    assert set(release.table["b"]) <= {"true", "false", "*"}
    assert set(release.columns["release"]["t"].labels) == {"true", "false"}
    assert release.table.schema["t"] == pl.Boolean
    assert release.estimate({"t": {True}}) == (FRAME["row"] % 3 == 0).sum()
    assert release.posterior({"b": True})


def test_remarks_say_what_is_taken_for_granted():
    columns = {"name": lk.sensitive(), "row": lk.other()}
    models = K & lk.DistinctLDiversity(2, sensitive="s", others="unknown") & lk.EntropyLDiversity(1)
    remarks = lk.anonymize(FRAME, policy(columns=columns, privacy=models), seed=1).certificate.remarks
    assert remarks == (
        "distinct-l-diversity on 's': 'name' taken as not known to the adversary",
        "entropy-l-diversity on 'name': 's' taken as known to the adversary",
        "entropy-l-diversity on 's': 'name' taken as known to the adversary",
        "published as they are, and not taken as known to the adversary: 'row'",
        "sensitive values are published exactly, one per record",
        (
            "regions may be the narrowest that cover their classes, so that somebody has each end of an interval and each "
            "listed value: of small classes exact values may follow from that (neither recoding: grid nor attained was asked for)"
        ),
    )


def test_the_form_is_chosen_when_left_out():
    assert choose_form(policy()) == lk.GeneralizedForm()
    assert choose_form(policy(), lk.Mondrian()) == lk.GeneralizedForm()


def test_forms_and_methods_that_do_not_fit():
    pairs = choose_form(
        policy(form={"name": "generalized", "recoding": "set"}, output={"numeric_pairs": True}), lk.Mondrian()
    )
    assert pairs == lk.GeneralizedForm(recoding="set", numeric_pairs=True)
    with pytest.raises(
        lk.PolicyError, match=r"needs a method that publishes in it; say method: \{name: anatomy"
    ):
        choose_form(policy(form={"name": "anatomized"}), lk.Mondrian())
    asked = policy(form={"name": "anatomized"}, method=lk.Mondrian())
    with pytest.raises(
        lk.PolicyError,
        match="mondrian: publishes in the form 'generalized' or 'microaggregated' or 'mixed', not 'anatomized'",
    ):
        choose_form(asked, lk.Mondrian())


def test_policies_come_in_any_of_their_forms(tmp_path):
    asked = policy()
    assert as_policy(asked) is asked
    assert as_policy(asked.to_mapping()) == asked
    (tmp_path / "p.json").write_text(json.dumps(asked.to_mapping()))
    assert as_policy(tmp_path / "p.json") == asked
    with pytest.raises(lk.PolicyError, match="no such policy file"):
        as_policy("nowhere.yaml")


def test_progress_is_told_step_by_step():
    class Listener(Progress):
        stages: list[str] = []  # noqa: RUF012

        def step(self, stage: str, done: int, total: int) -> None:
            self.stages.append(stage)

    lk.anonymize(FRAME, policy(method=lk.Mondrian()), progress=Listener())
    assert list(dict.fromkeys(Listener.stages)) == ["encode", "search", "publish", "prove"]


def test_the_input_is_not_changed():
    table = FRAME.to_pandas()
    before = table.copy(deep=True)
    lk.anonymize(table, policy(columns={"age": lk.quasi(bottom=30, top=40)}), seed=1)
    pd.testing.assert_frame_equal(table, before)


@pytest.mark.parametrize("given", [None, 5, [1, 2], {"age": [1]}])
def test_what_is_no_table_is_refused(given):
    with pytest.raises(lk.TableError):
        lk.anonymize(given, policy())


RICH = pl.DataFrame(
    {
        "age": np.random.default_rng(3).integers(20, 60, 300),
        "s": np.random.default_rng(4).choice(["flu", "cold", "gout"], 300, p=[0.5, 0.3, 0.2]),
        "t": np.random.default_rng(5).choice(["low", "high"], 300),
    }
)


def spelt(*models: lk.DistinctLDiversity) -> lk.Release:
    """A release of a table with two sensitive columns."""
    columns = {"age": lk.quasi(), "s": lk.sensitive(), "t": lk.sensitive()}
    return lk.anonymize(RICH, lk.Policy(columns=columns, privacy=[*models]), seed=1)


@pytest.mark.parametrize("others", ["known", "unknown"])
def test_one_model_over_all_columns_means_one_for_each(others, tmp_path):
    spellings = {
        "all": [lk.DistinctLDiversity(2, others=others)],
        "each": [lk.DistinctLDiversity(2, sensitive=name, others=others) for name in ("s", "t")],
    }
    for name, models in spellings.items():
        spelt(*models).write(tmp_path / name)
    files = [sorted((tmp_path / name / "public").iterdir()) for name in spellings]
    assert [path.name for path in files[0]] == [path.name for path in files[1]]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    told = json.loads((tmp_path / "all/public/certificate.json").read_text())
    assert [entry["sensitive"] for entry in told["guarantee"]] == ["s", "t"]
    reading = "known" if others == "known" else "not known"
    assert lk.open_release(tmp_path / "all").certificate.remarks[:2] == (
        f"distinct-l-diversity on 's': 't' taken as {reading} to the adversary",
        f"distinct-l-diversity on 't': 's' taken as {reading} to the adversary",
    )
    page = (tmp_path / "all/private/report.html").read_text()
    assert f"&#39;t&#39; taken as {reading} to the adversary" in page


def test_whoever_knows_the_other_column_is_covered_unless_the_policy_says_otherwise():
    def worst(release: lk.Release) -> int:
        table = release.table
        return min(
            table.group_by("age", known).agg(pl.col(own).n_unique())[own].min()
            for own, known in (("s", "t"), ("t", "s"))
        )

    assert worst(spelt(lk.DistinctLDiversity(2))) >= 2
    assert worst(spelt(lk.DistinctLDiversity(2, others="unknown"))) == 1


def test_brackets_that_nobody_generalized_join_with_those_of_the_original(tmp_path):
    brackets = ["[60-70)", "[70-80)", "[60-70)", "[70-80)"]
    table = pl.DataFrame({"age": brackets, "disease": ["flu", "cold", "gout", "flu"]})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    assert sorted(release.table["age"].to_list()) == sorted(brackets)
    assert release.table.join(table, on="age", how="anti").height == 0
    assert lk.verify(release.write(tmp_path / "out"), table).ok
