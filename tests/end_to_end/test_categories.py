"""Categories of sensitive values, from the policy to what anybody can verify."""

from __future__ import annotations

import json
import shutil

import numpy as np
import polars as pl
import pytest
from tests.folder.samples import Folder
from tests.oracles import models as oracles

import likeness as lk
from likeness import registry
from likeness.microdata.domain import Domain

SEVERITY = {"Low": ["Flu", "Headache"], "Mild": ["Cough", "Fever"], "High": ["Chest Pain"]}
LINES = "Low;Flu;Headache\nMild;Cough;Fever\nHigh;Chest Pain\n"
DRAWN = np.random.default_rng(5)
TABLE = pl.DataFrame(
    {
        "age": DRAWN.integers(20, 60, 300),
        "sex": DRAWN.choice(["f", "m"], 300),
        "disease": DRAWN.choice(
            ["Flu", "Headache", "Cough", "Fever", "Chest Pain"], 300, p=[0.3, 0.2, 0.2, 0.2, 0.1]
        ),
    }
)
TWO = lk.DistinctLDiversity(2, by="categories")


def policy(**changes):
    given = {
        "columns": {"age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive()},
        "categories": {"disease": SEVERITY},
        "privacy": TWO & lk.AlphaKAnonymity("3/5", 4, by="categories"),
    }
    return lk.Policy(**given | changes)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return lk.anonymize(TABLE, policy(), seed=3).write(tmp_path_factory.mktemp("categories") / "out")


@pytest.fixture
def folder(written, tmp_path):
    return Folder(shutil.copytree(written, tmp_path / "out"))


def refused(table=TABLE, **changes):
    with pytest.raises(lk.LikenessError) as found:
        lk.anonymize(table, policy(**changes), seed=1)
    assert "\n" not in str(found.value)
    return str(found.value)


def test_every_class_has_the_categories_that_were_asked_for(written):
    table = pl.read_csv(written / "public/release.csv", infer_schema=False)
    of = {value: label for label, own in SEVERITY.items() for value in own}
    shares = (
        table.with_columns(pl.col("disease").replace_strict(of))
        .group_by("age", "sex", "disease").len()
        .group_by("age", "sex").agg(pl.len().alias("categories"), (pl.col("len").max() / pl.col("len").sum()).alias("share"))
    )  # fmt: skip
    assert shares["categories"].min() == 2
    assert shares["share"].max() <= 0.6
    # By value the same table could be split no less: what is asked is another thing.
    assert shares.height > 5


def test_models_are_proven_from_the_public_part_alone(written):
    found = lk.verify(written / "public")
    assert found.status == "proven"
    assert [proof.scope for proof in found.proofs] == ["public", "public"]
    note = next(
        one
        for one in json.loads((written / "public/certificate.json").read_text())["columns"]
        if "categories" in one
    )
    assert note["categories"] == [[label, *own] for label, own in SEVERITY.items()]


def test_a_file_says_the_same_as_a_mapping_and_is_kept(tmp_path, written):
    (tmp_path / "severity.csv").write_text(LINES)
    asked = policy(categories={"disease": "severity.csv"}).in_folder(tmp_path)
    out = lk.anonymize(TABLE, asked, seed=3).write(tmp_path / "out")
    (tmp_path / "severity.csv").unlink()
    assert lk.verify(out, TABLE).status == "proven"
    again = lk.open_release(out, TABLE).write(tmp_path / "again")
    for file in ("public/release.csv", "public/certificate.json", "private/audit.json"):
        assert (out / file).read_bytes() == (again / file).read_bytes()
    # One seed and one content: the same draws, whichever way it was said.
    assert (out / "public/release.csv").read_bytes() == (written / "public/release.csv").read_bytes()


def test_another_order_of_categories_is_another_table(written, folder):
    def exchange(content):
        note = next(one for one in content["columns"] if "categories" in one)
        note["categories"] = [note["categories"][i] for i in (1, 0, 2)]

    folder.rewrite(exchange)
    folder.audit()
    found = lk.verify(folder.root, TABLE)
    assert found.status == "failed"
    assert any("'disease'" in problem for problem in found.problems)


def test_a_value_of_no_certified_category_is_refused(folder):
    frame = folder.frame().with_columns(pl.col("disease").replace("Flu", "Gout"))
    folder.put(frame)
    folder.certify()
    found = lk.verify(folder.root / "public")
    assert found.status == "failed"
    assert any("'Gout' is in none of its categories" in problem for problem in found.problems)


@pytest.mark.parametrize(
    "changed",
    [
        [["Low", "Flu"]],
        [["Low"], ["Mild", "Flu"]],
        [["Low", "Flu"], ["Low", "Cough"]],
        [["", "Flu"], ["Mild", "Cough"]],
        [["Low", "Flu", "Flu"], ["Mild", "Cough"]],
        {"Low": ["Flu"]},
    ],
)
def test_categories_that_are_none_make_no_certificate(folder, changed):
    def edit(content):
        next(one for one in content["columns"] if "categories" in one)["categories"] = changed

    folder.rewrite(edit)
    with pytest.raises(lk.VerificationError, match="is not a certificate of likeness, or was changed"):
        lk.verify(folder.root / "public").raise_if_failed()


def test_only_sensitive_columns_have_categories(folder):
    def edit(content):
        content["columns"][0]["categories"] = [["young", "20"], ["old", "59"]]

    folder.rewrite(edit)
    with pytest.raises(lk.VerificationError, match="only sensitive columns have categories"):
        lk.verify(folder.root / "public").raise_if_failed()


def test_a_value_without_a_category():
    without = {"Low": ["Flu", "Headache"], "Mild": ["cough", "Fever"]}
    assert refused(categories={"disease": without}) == (
        "column 'disease': 'Chest Pain' (and 1 more value) is in no category of the categories of 'disease'; add it to one"
    )
    near = {"Low": ["Flu", "Headache"], "Mild": ["cough", "Fever"], "High": ["Chest Pain"]}
    assert refused(categories={"disease": near}).endswith("; did you mean 'cough'?")


def test_a_missing_value_has_no_category():
    table = TABLE.with_columns(pl.when(pl.int_range(300) > 5).then("disease"))
    assert refused(table, missing={"policy": "category"}) == (
        "column 'disease': missing values have no category; say missing: {policy: drop} to leave their records out"
    )
    assert lk.anonymize(table, policy(missing={"policy": "drop"}), seed=1).certificate.records == 294


def test_categories_that_nobody_has():
    assert refused(categories={"disease": SEVERITY | {"Severe": ["Lungs Infection"]}}) == (
        "column 'disease': nobody has the category 'Severe'; join it with another one, or remove it"
    )
    # All values of Low count in higher ones.
    empty = {"Low": ["Flu"], "Mild": ["Flu", "Headache", "Cough", "Fever"], "High": ["Chest Pain"]}
    assert "nobody has the category 'Low'" in refused(categories={"disease": empty})


def test_fewer_than_two_categories():
    everything = {"All": [value for own in SEVERITY.values() for value in own]}
    assert "there must be two categories at least; found 1" in refused(categories={"disease": everything})


def test_a_model_by_categories_where_the_column_has_none():
    assert refused(categories={}, privacy=TWO) == (
        "distinct-l-diversity: judges 'disease' by categories, and it has none; give them, as in categories: {disease: "
        "severity.csv}"
    )


def test_categories_whose_people_are_all_withheld_are_not_told_of():
    table = pl.DataFrame(
        {
            "age": [*range(20, 24)] * 25 + [90],
            "sex": ["f"] * 101,
            "disease": ["Flu", "Cough"] * 50 + ["Chest Pain"],
        }
    )
    models = lk.AlphaKAnonymity("1/200", 2, values=["High"], by="categories")
    said = refused(table, privacy=models, withhold={"at_most": 0.05})
    assert "everybody of the category 'High' would have to be withheld" in said


def test_levels_and_categories_are_two_ways():
    with pytest.raises(
        lk.PolicyError, match=r"^beta-likeness: level groups values by their hierarchy, and by: categories"
    ):
        lk.BetaLikeness(1, level=1, by="categories")
    with pytest.raises(lk.PolicyError, match=r"^js-background: is about what is known of values"):
        lk.JsBackground("0.1", by="categories")
    with pytest.raises(
        lk.PolicyError, match=r"^t-closeness: by must be one of values, categories; got 'category'"
    ):
        lk.TCloseness("0.1", by="category")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "method"),
    [
        (lk.TCloseness("0.2", by="categories"), "sabre"),
        (lk.BetaLikeness(2, by="categories"), "burel"),
        (lk.RecursiveClDiversity(3, 2, by="categories"), "mondrian"),
        (lk.EntropyLDiversity("3/2", by="categories"), "k-member"),
        (lk.BetaLikeness(2, by="categories"), "perturbation"),
        (lk.DistinctLDiversity(3, by="categories"), "angel"),
        (lk.KAnonymity(3) & lk.MembershipSafety("2/3"), "angel"),
        (lk.MembershipSafety("2/3"), "k-anonymity-primacy"),
        (lk.ThetaSensitivity(4, "1/2"), "mondrian"),
        (lk.ThetaSensitivity(3, "1/2", order="frequency"), "k-member"),
        (lk.PAlphaSensitivity(3, "3/2"), "mondrian"),
    ],
)
def test_methods_find_classes_by_category(model, method, tmp_path):
    release = lk.anonymize(TABLE, policy(privacy=model, method=method, withhold={"at_most": 0.1}), seed=2)
    assert all(proof.holds for proof in release.verdict.proofs)
    assert lk.verify(release.write(tmp_path / "out"), TABLE).status == "proven"


@pytest.mark.parametrize(
    ("values", "column", "categories"),
    [
        ([1, 2, 3, -4], lk.sensitive(kind="integer"), {"low": ["1", "-4"], "high": ["2", "3"]}),
        ([0.5, 2.0, 10.25, 1e30], lk.sensitive(), {"low": ["0.5", "2.0"], "high": ["10.25", "1e+30"]}),
        (["{a|b}", "*", "[1, 2]", "=1"], lk.sensitive(), {"low": ["{a|b}", "*"], "high": ["[1, 2]", "=1"]}),
        (
            ["flu", "cough", "gout", "ulcer"],
            lk.sensitive(hierarchy={"*": {"lungs": ["flu", "cough"], "others": ["gout", "ulcer", "rest"]}}),
            {"low": ["flu", "gout", "rest"], "high": ["cough", "ulcer"]},
        ),
        (
            ["a", "b", "c", "d"],
            lk.sensitive(kind="ordered", domain=list("abcd")),
            {"low": list("ad"), "high": list("bc")},
        ),
    ],
    ids=["integers", "reals", "texts that mean something", "a hierarchy", "ordered"],
)
def test_values_of_every_kind_have_categories(values, column, categories, tmp_path):
    table = pl.DataFrame({"age": list(range(40)), "s": values * 10}, strict=False)
    asked = lk.Policy(
        columns={"age": lk.quasi(), "s": column}, categories={"s": categories}, privacy=TWO & lk.KAnonymity(3),
        method="mondrian",
    )  # fmt: skip
    out = lk.anonymize(table, asked, seed=1).write(tmp_path / "out")
    assert lk.verify(out / "public").status == "proven"
    assert lk.verify(out, table).status == "proven"


def test_a_column_that_is_published_under_another_name_keeps_its_categories(tmp_path):
    table = TABLE.rename({"disease": "class"}).with_columns(who=pl.int_range(300) // 2)
    asked = lk.Policy(
        columns={"who": lk.identifier(), "age": lk.quasi(), "sex": lk.quasi(), "class": lk.sensitive()},
        individual="who",
        hygiene={"inconsistent_quasi": "first"},
        categories={"class": SEVERITY},
        privacy=[
            {"model": "ir-k-anonymity", "k": 3},
            {"model": "eir-l-diversity", "l": 2, "by": "categories"},
        ],
        seed=4,
    )
    out = lk.anonymize(table, asked).write(tmp_path / "out")
    assert lk.verify(out / "public").status == "proven"
    again = lk.open_release(out, table).write(tmp_path / "again")
    assert (out / "public/release.csv").read_bytes() == (again / "public/release.csv").read_bytes()
    assert (out / "private/audit.json").read_bytes() == (again / "private/audit.json").read_bytes()


@pytest.mark.parametrize(
    "model",
    [
        lk.MembershipSafety("1/2"),
        lk.MembershipSafety("3/5"),
        lk.ThetaSensitivity(4, "1/2"),
        lk.ThetaSensitivity(3, "3/5", order="frequency"),
        lk.ThetaSensitivity(4, "3/4", index="category-id"),
        lk.PPlusSensitivity(3),
        lk.PSensitivity(2, by="categories"),
        lk.PAlphaSensitivity(2, "3/2", by="categories"),
        lk.RecursiveClDiversity(2, 2, by="categories"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_released_classes_hold_by_the_plain_definition(model, seed):
    """Classes and categories are counted from the published table by polars; the definitions are those of the oracles."""
    drawn = np.random.default_rng(seed)
    shares = drawn.dirichlet([4] * 5)
    table = TABLE.with_columns(
        disease=pl.Series(drawn.choice([v for own in SEVERITY.values() for v in own], 300, p=shares))
    )
    try:
        release = lk.anonymize(
            table, policy(privacy=model, method="mondrian", withhold={"at_most": 0.1}), seed=seed
        )
    except lk.CannotBeMetError:
        shown, whole = table.with_columns(pl.lit("*").alias("age"), pl.lit("*").alias("sex")), True
    else:
        shown, whole = release.table, False
    rank = {value: i for i, own in enumerate(SEVERITY.values()) for value in own}
    counts = (
        shown.with_columns(pl.col("disease").replace_strict(rank))
        .group_by("age", "sex", "disease").len().pivot("disease", index=["age", "sex"], values="len").fill_null(0)
        .select(pl.col(str(i)) for i in range(3)).rows()
    )  # fmt: skip
    reference = [sum(own) for own in zip(*counts, strict=True)]
    given = {key: own for key, own in registry.parameters(model).items() if key not in {"by", "sensitive"}}
    if model.name == "p-alpha-sensitivity":
        given["by"] = "categories"
    definition = getattr(oracles, model.name.replace("-", "_"))
    domain = Domain("disease", "ordered", np.array(list(SEVERITY), object), "interval")
    held = [definition(own, reference, domain, **given) for own in counts]
    if whole:
        assert held == [False]
    else:
        assert all(held)
        # Of whom there were too many, so many were withheld that the rest barely holds as one class.
        assert len(counts) > 1 or any(
            reason.name == "surplus" for reason in release.private.solution.plan.because
        )


FIVE = pl.DataFrame({"age": [1, 1, 9, 9], "disease": ["Flu", "Cough", "Flu", "Chest Pain"]})


@pytest.mark.parametrize(
    ("declared", "asked", "distance"),
    [
        (None, None, "equal"),
        ("equal", None, "equal"),
        (None, "ordered", "ordered"),
        ("equal", "ordered", "ordered"),
    ],
)
def test_categories_are_as_far_apart_as_is_declared(declared, asked, distance, tmp_path):
    # The class of age 1 is half Low and half Mild, the other half Low and half High; the table half Low and a quarter of each
    # other. Equal: a quarter goes from one to another. Ordered: by one of two steps.
    given = policy(
        columns={"age": lk.quasi(), "disease": lk.sensitive(distance=declared)},
        privacy=lk.TCloseness("1/4", by="categories", distance=asked),
        withhold={"at_most": 0},
    )
    release = lk.anonymize(FIVE, given, seed=1)
    (proof,) = release.verdict.proofs
    assert release.table["age"].n_unique() == 2
    assert proof.strength.values["t"] == {"equal": 0.25, "ordered": 0.125}[distance]
    out = release.write(tmp_path / "out")
    assert lk.verify(out, FIVE).status == "proven"
    certificate = json.loads((out / "public/certificate.json").read_text())
    column = next(one for one in certificate["columns"] if one["name"] == "disease")
    model = certificate["guarantee"][0]["parameters"]
    assert (model.get("distance") or column["distance"]) == distance


def test_categories_have_no_distance_in_a_hierarchy():
    tree = {"*": {"lungs": ["Flu", "Cough", "Fever"], "others": ["Headache", "Chest Pain"]}}
    columns = {"age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive(hierarchy=tree)}
    said = refused(columns=columns, privacy=lk.TCloseness("0.2", by="categories"))
    assert said == (
        "t-closeness: distance hierarchical is that of the values of the sensitive column 'disease', and not of their "
        "categories; say distance: equal or ordered"
    )
    assert lk.anonymize(
        TABLE,
        policy(columns=columns, privacy=lk.TCloseness("0.2", by="categories", distance="ordered")),
        seed=1,
    )


TREE = {"*": {"lungs": ["Flu", "Cough", "Fever"], "others": ["Headache", "Chest Pain"]}}


@pytest.mark.parametrize("more", [{}, {"hierarchy": TREE}, {"hierarchy": TREE, "kind": "hierarchical"}])
def test_an_ordered_distance_is_that_of_categories_where_values_have_no_order(more, tmp_path):
    columns = {"age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive(distance="ordered", **more)}
    given = policy(columns=columns, privacy=lk.TCloseness("0.2", by="categories"))
    assert lk.verify(lk.anonymize(TABLE, given, seed=1).write(tmp_path / "out"), TABLE).status == "proven"
    assert "distance ordered needs numbers, dates or a declared order" in refused(
        columns=columns, privacy=lk.KAnonymity(3), categories={}
    )
