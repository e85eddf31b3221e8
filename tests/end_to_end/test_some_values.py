"""Columns of which only some values need protection, from the policy file to what anybody can verify."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from tests.folder.samples import Folder

import likeness as lk

DRAWN = np.random.default_rng(8)
ILLNESSES = ["HIV", "syphilis", "flu", "cold", "gout"]
TABLE = pl.DataFrame(
    {
        "age": DRAWN.integers(20, 60, 400),
        "sex": DRAWN.choice(["f", "m"], 400),
        "illness": DRAWN.choice(ILLNESSES, 400, p=[0.05, 0.05, 0.4, 0.3, 0.2]),
    }
)
NODES = {"any": {"stigmatized": ["HIV", "syphilis"], "plain": ["flu", "cold", "gout"]}}
BETA = lk.BasicBetaLikeness(2)


def policy(values=("HIV", "syphilis"), privacy=BETA, hierarchy=None, **changes):
    column = lk.sensitive(values=values, hierarchy=hierarchy, distance=None if hierarchy is None else "equal")
    columns = {"age": lk.quasi(), "sex": lk.quasi(), "illness": column}
    return lk.Policy(columns=columns, privacy=privacy, **changes)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return lk.anonymize(TABLE, policy(), seed=3).write(tmp_path_factory.mktemp("some") / "out")


@pytest.fixture
def folder(written, tmp_path):
    return Folder(shutil.copytree(written, tmp_path / "out"))


def note_of(path):
    """What the certificate says about the sensitive column."""
    columns = json.loads((path / "public/certificate.json").read_text())["columns"]
    return next(column for column in columns if column["name"] == "illness")


def classes(path):
    table = pl.read_csv(path / "public/release.csv", infer_schema=False)
    return [Counter(own["illness"].to_list()) for _, own in table.group_by("age", "sex")]


def test_only_the_listed_values_are_limited(written):
    whole = Counter(TABLE["illness"].to_list())
    gains = {
        value: max(Fraction(own[value], own.total()) * 400 / whole[value] - 1 for own in classes(written))
        for value in ILLNESSES
    }
    assert max(gains["HIV"], gains["syphilis"]) <= 2
    # Whoever has gout may be seen to have it.
    assert max(gains["flu"], gains["cold"], gains["gout"]) > 2


def test_protecting_fewer_values_loses_less(written):
    every = lk.anonymize(TABLE, policy(values=None), seed=3)
    some = lk.open_release(written, original=TABLE)
    assert some.loss("ncp")["ncp"] < every.loss("ncp")["ncp"]


def test_anybody_is_told_which_values_and_can_check_it(written):
    found = lk.verify(written / "public")
    assert found.status == "proven"
    note = note_of(written)
    assert note["sensitive_values"] == ["HIV", "syphilis"]
    page = (written / "public/certificate.html").read_text()
    assert (
        "only these values are protected: &#39;HIV&#39;, &#39;syphilis&#39;; nothing is promised of any other"
        in page
    )


def test_a_certificate_that_protects_more_or_others_is_refused(folder):
    """Protecting gout as well is a promise that the table does not hold; fewer values make other figures."""
    for listed, words in [
        (["HIV", "gout", "syphilis"], "claims basic-beta-likeness on 'illness'"),
        (["gout"], "claims basic-beta-likeness on 'illness'"),
        (["HIV", "plague", "syphilis"], "'plague' is said to be protected, and is no value there"),
        (["syphilis", "HIV"], "the values that are protected are not in their order"),
        ([], "sensitive_values"),
    ]:

        def protect(plain, listed=listed):
            plain["columns"][-1]["sensitive_values"] = listed

        folder.rewrite(protect)
        found = lk.verify(folder.root / "public")
        assert found.status == "failed"
        assert words in " ".join(found.problems)


def test_a_node_stands_for_all_values_below_it(written, tmp_path):
    by_node = lk.anonymize(TABLE, policy(values=["stigmatized"], hierarchy=NODES), seed=3).write(
        tmp_path / "out"
    )
    note = note_of(by_node)
    assert note["sensitive_values"] == ["HIV", "syphilis"]
    assert lk.verify(by_node).status == "proven"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["HVI"], "column 'illness': values lists 'HVI', which nobody has; did you mean 'HIV'?"),
        (
            ["plague"],
            "column 'illness': values lists 'plague', which nobody has; leave it out, or correct it",
        ),
        ([], "sensitive.values: must not be empty"),
        (["HIV", "HIV"], "sensitive.values: lists 'HIV' more than once"),
        ("HIV", "sensitive.values: must be a list; got 'HIV'"),
    ],
)
def test_what_is_listed_wrongly_is_refused_in_one_line(values, message):
    with pytest.raises(lk.PolicyError) as refused:
        lk.anonymize(TABLE, policy(values=values))
    assert str(refused.value) == message


def test_other_roles_have_no_values_key():
    with pytest.raises(
        lk.PolicyError, match="values is not a key of a quasi column; only of a sensitive one"
    ):
        lk.Policy.from_mapping(
            {"columns": {"age": {"role": "quasi", "values": ["30"]}}, "privacy": [{"k-anonymity": {"k": 2}}]}
        )


def test_who_would_all_be_withheld_is_not_told_of():
    """Were the only one with plague withheld, a certificate that names plague would tell that there was somebody."""
    table = pl.DataFrame({"age": [30] * 9 + [80], "sex": ["f"] * 10, "illness": ["flu"] * 9 + ["plague"]})
    with pytest.raises(lk.CannotBeMetError, match="the release would tell that there was somebody"):
        lk.anonymize(table, policy(["plague"], lk.AlphaKAnonymity("1/20", 2), withhold={"at_most": 0.2}))


def test_a_policy_file_keeps_them(tmp_path):
    path = tmp_path / "policy.yaml"
    path.write_text(policy().to_yaml())
    assert lk.Policy.load(path) == policy()


def test_attacks_are_after_the_protected_values_alone():
    """Everybody in the class of the 30-year-olds has flu: that is nothing that needs protection."""
    table = pl.DataFrame(
        {
            "age": [30] * 4 + [40] * 4,
            "sex": ["f"] * 8,
            "illness": ["flu"] * 4 + ["HIV", "flu", "cold", "gout"],
        }
    )
    some, every = (
        lk.anonymize(table, policy(values, lk.KAnonymity(4)), seed=1) for values in (["HIV"], None)
    )
    assert some.table.sort(pl.all()).equals(every.table.sort(pl.all()))
    found, plainly = some.attack("homogeneity"), every.attack("homogeneity")
    # Of everybody the most frequent value is flu, and 5 of 8 have it; who is after HIV names it for the four of forty.
    assert (plainly.details["certain"], found.details["certain"]) == (0.5, 0.0)
    assert (found.success, found.baseline) == (1 / 8, 1 / 8)
    assert found.details["max_share"] == 0.25
    strongest = some.attack("skewness")
    assert (strongest.success, strongest.details["max_ratio"]) == (0.25, 2.0)


def test_everybody_of_a_class_who_has_it_is_certain():
    table = pl.DataFrame({"age": [30] * 4 + [40] * 4, "sex": ["f"] * 8, "illness": ["flu"] * 4 + ["HIV"] * 4})
    found = lk.anonymize(table, policy(["HIV"], lk.KAnonymity(4)), seed=1).attack("homogeneity")
    assert found.details["certain"] == found.details["certain_and_right"] == 0.5


@pytest.mark.parametrize(
    ("method", "form", "privacy"),
    [
        ({"name": "perturbation"}, {"name": "perturbed"}, lk.BetaLikeness(4)),
        ({"name": "burel"}, None, lk.BetaLikeness(4)),
        ({"name": "sabre"}, None, lk.TCloseness("0.2")),
        ({"name": "beta-likeness-primacy"}, None, lk.BetaLikeness(4)),
        ({"name": "angel"}, {"name": "angelized"}, lk.DistinctLDiversity(3)),
        ({"name": "anatomy", "l": 2}, {"name": "anatomized"}, lk.DistinctLDiversity(2)),
        (None, None, lk.RecursiveClDiversity(2, 2) & lk.KAnonymity(3)),
    ],
    ids=str,
)
def test_every_form_is_proven_for_the_listed_values(method, form, privacy, tmp_path):
    made = policy(privacy=privacy, method=method, form=form, withhold={"at_most": 0.2})
    out = lk.anonymize(TABLE, made, seed=2).write(tmp_path / "out")
    for found in (lk.verify(out / "public"), lk.verify(out, original=TABLE)):
        assert found.ok
        assert found.status == "proven"
    assert note_of(out)["sensitive_values"] == ["HIV", "syphilis"]
