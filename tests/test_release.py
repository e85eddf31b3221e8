"""A release while the steward works with it, and once it has left the original behind."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import likeness as lk
from likeness.queries.query import Query

RNG = np.random.default_rng(1)
SECRET = "Zaphod Beeblebrox"
FRAME = pl.DataFrame(
    {
        "name": [SECRET, *(f"person {i}" for i in range(59))],
        "age": RNG.integers(20, 60, 60),
        "sex": RNG.choice(["f", "m"], 60),
        "disease": RNG.choice(["flu", "cold", "gout"], 60, p=[0.5, 0.3, 0.2]),
        "note": [f"note {i}" for i in range(60)],
    }
)
POLICY = lk.Policy(
    columns={
        "name": lk.identifier(action="pseudonym"),
        "age": lk.quasi(),
        "sex": lk.quasi(),
        "disease": lk.sensitive(),
        "note": lk.other(),
    },
    privacy=lk.KAnonymity(4) & lk.BetaLikeness(3),
)


@pytest.fixture(scope="module")
def release() -> lk.Release:
    """A release with its original."""
    return lk.anonymize(FRAME, POLICY, seed=1)


COPIES = {
    "pickle": lambda release: pickle.loads(pickle.dumps(release)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("looked", [False, True])
def test_a_copy_leaves_the_original_behind(how, looked):
    made = lk.anonymize(FRAME, POLICY, seed=1)
    if looked:
        assert made.table.height == 60
    other = COPIES[how](made)
    assert other.table.equals(made.table)
    assert other.certificate.to_json() == made.certificate.to_json()
    assert other.verify().ok
    assert repr(other) == repr(made)
    for work in (
        lambda: other.private,
        other.loss,
        lambda: other.attack("linkage"),
        lambda: other.write("nowhere"),
    ):
        with pytest.raises(
            lk.LikenessError,
            match="no longer knows it; use the release that anonymize returned, or the commands",
        ):
            work()


def test_nothing_of_the_original_is_in_the_pickle(release):
    bytes_ = pickle.dumps(release)
    assert SECRET.encode() not in bytes_
    assert b"person 7" not in bytes_
    assert len(bytes_) < 20_000


def test_a_pickled_release_does_not_know_withheld_values():
    towns = [["n", "north", "*"], ["s", "south", "*"]]
    frame = pl.DataFrame({"town": ["n"] * 99 + ["s"], "disease": ["flu", "cold", "gout"] * 33 + ["kuru"]})
    columns = {"town": lk.quasi(hierarchy=towns, max_level=1), "disease": lk.sensitive()}
    made = lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    assert made.private.solution.plan.withheld == 1
    assert b"kuru" not in pickle.dumps(made)
    assert "kuru" not in made.certificate.to_json()
    assert "kuru" not in repr(made)


def test_showing_a_release_shows_no_record(release):
    for shown in (repr(release), release._repr_html_(), str(release), f"{release}"):
        for cell in (SECRET, "person", "note", "flu", "cold"):
            assert cell not in shown
        assert "60 records" in shown
        assert "beta-likeness (beta = 3) on" in shown
    assert repr(release.private.encoded.data) == "Microdata(60 records, 2 quasi-identifiers, 1 sensitive)"


def test_the_page_for_notebooks_escapes_what_it_shows():
    frame = FRAME.rename({"disease": "<b>disease</b>"})
    columns = {
        ("<b>disease</b>" if name == "disease" else name): column for name, column in POLICY.columns.items()
    }
    made = lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(1)), seed=1)
    assert "<b>disease" not in made._repr_html_()
    assert "&lt;b&gt;disease" in made._repr_html_()


def test_losses_by_name_and_all_at_once(release):
    everything = release.loss()
    assert {"ncp", "glm", "discernibility", "ail", "utility"} <= set(everything)
    assert release.loss("glm", "ncp") == {name: everything[name] for name in ("glm", "ncp")}
    assert 0 < everything["glm"] < 1
    with pytest.raises(lk.PolicyError, match="there is no metric 'gml'; did you mean 'glm'"):
        release.loss("gml")


def test_losses_by_value(release):
    given = release.loss(lk.Ncp(loss="glm"), "glm", lk.CAvg(k=2))
    assert (
        given["Ncp(loss='glm', charge_withheld=False, include_noise=False)"]
        == given["glm"]
        == release.loss("glm")["glm"]
    )
    assert given["CAvg(k=2)"] == release.loss("average-class-size")["average-class-size"] / 2


def test_attacks_by_name_or_by_value(release):
    by_name = release.attack("linkage")
    by_value = release.attack(lk.LinkageAttack())
    assert repr(by_name) == repr(by_value)
    with pytest.raises(lk.PolicyError, match="there is no attack 'linkgae'; did you mean 'linkage'"):
        release.attack("linkgae")


def test_estimates_add_up(release):
    assert release.estimate({}) == 60
    parts = [release.estimate({"disease": {value}}) for value in ("flu", "cold", "gout")]
    assert parts == [(FRAME["disease"] == value).sum() for value in ("flu", "cold", "gout")]
    ages = [release.estimate({"age": (age, age)}) for age in range(20, 60)]
    assert sum(ages) == pytest.approx(60)
    assert release.estimate(Query({"sex": {"f"}})) + release.estimate({"sex": ["m"]}) == pytest.approx(60)
    with pytest.raises(lk.TableError, match="no published column 'aeg' to query"):
        release.estimate({"aeg": (1, 2)})
    with pytest.raises(lk.TableError, match="a condition is a pair"):
        release.estimate({"sex": "f"})


def test_beliefs_are_those_of_the_class(release):
    row = release.table.row(0, named=True)
    members = release.table.filter((pl.col("age") == row["age"]) & (pl.col("sex") == row["sex"]))
    where = FRAME.filter(pl.col("note").is_in(members["note"].implode())).row(0, named=True)
    beliefs = release.posterior({"age": where["age"], "sex": where["sex"]})["disease"]
    assert sum(beliefs.values()) == pytest.approx(1)
    assert set(members["disease"]) <= set(beliefs)
    assert release.posterior({"age": 3}) == {}
    with pytest.raises(lk.TableError, match="no published quasi-identifier 'agee'; did you mean 'age'"):
        release.posterior({"agee": 3})
    with pytest.raises(lk.TableError, match="no published quasi-identifier 'disease'"):
        release.posterior({"disease": "flu"})


def test_verifying_again_finds_the_same(release):
    assert release.verify().lines() == release.verdict.lines()
    assert release.verdict.ok


def test_original_distributions_are_proven_for_the_steward_only():
    model = lk.BetaLikeness(3, reference="original")
    made = lk.anonymize(FRAME, POLICY.replace(privacy=[model]), seed=1)
    assert [proof.scope for proof in made.verify().proofs] == ["steward"]
    assert made.verify().proofs[0].holds is True
    left = pickle.loads(pickle.dumps(made))
    assert left.verify().proofs[0].holds is None
    assert left.verify().status == "nothing checkable"
    assert not left.verify().ok


@pytest.mark.parametrize("step", range(1, 4))
def test_a_pandas_index_of_any_kind_is_kept(step):
    index = pd.MultiIndex.from_arrays([range(60), list("ab") * 30], names=["i", "half"])
    table = FRAME.to_pandas().set_axis(index if step == 1 else pd.RangeIndex(0, 60 * step, step))
    published = lk.anonymize(table, POLICY, seed=1).table
    assert published.index.isin(table.index).all()
    assert published.index.is_unique
    assert published.index.names == table.index.names
    notes = table.loc[published.index, "note"]
    assert notes.tolist() == published["note"].tolist()


@pytest.mark.parametrize("given", [3, None, ["ncp"], ("ncp", "glm"), lk.Ncp])
def test_what_is_no_metric_is_refused(release, given):
    for ask in (release.loss, release.measure):
        with pytest.raises(
            lk.PolicyError, match=r"^metrics: must be given one by one, as names such as 'ncp'"
        ) as refused:
            ask(given)
        assert str(refused.value).endswith(f"; got {given!r}")


@pytest.mark.parametrize("given", [3, None, ["linkage"], lk.LinkageAttack])
def test_what_is_no_attack_is_refused(release, given):
    with pytest.raises(
        lk.PolicyError, match=r"^attack: must be one, as its name such as 'linkage'.*attack_all"
    ):
        release.attack(given)


@pytest.mark.parametrize("given", [3, None, ["ncp"], "gcp"])
def test_what_is_no_loss_of_a_cell_has_no_bound(release, given):
    with pytest.raises(lk.PolicyError, match=r"^lower_bound: loss must be one of .*ncp.*; got "):
        release.lower_bound(given)


@pytest.mark.parametrize("given", [3, None, ["out"]])
def test_what_is_no_folder_is_refused(release, given):
    wanted = rf"^folder: must be the path of a folder; got {re.escape(repr(given))}$"
    with pytest.raises(lk.InvalidError, match=wanted):
        release.write(given)
    with pytest.raises(lk.InvalidError, match=wanted):
        lk.open_release(given)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda release: release.dossier(None), "dossier: there is no kind None"),
        (lambda release: release.dossier(["ema"]), "dossier: there is no kind ['ema']"),
        (
            lambda release: release.risk(thresholds=3),
            "risk: thresholds must be a list, such as [0.09]; got 3",
        ),
        (
            lambda release: release.risk(thresholds="0.09"),
            "risk: thresholds must be a list, such as [0.09]; got '0.09'",
        ),
        (lambda release: release.to_database(None, "x"), "to_database: url must be a text; got None"),
        (
            lambda release: release.to_database("sqlite:///x.db", 3),
            "to_database: table must be a text; got 3",
        ),
        (lambda _: lk.Policy.load(None), "policy: must be the path of a file; got None"),
        (
            lambda _: lk.profile(FRAME, roles=3),
            "roles: must give columns their roles, such as {'visit': 'other'}; got 3",
        ),
    ],
)
def test_what_is_of_another_type_is_refused_in_one_line(release, ask, message):
    with pytest.raises(lk.InvalidError) as refused:
        ask(release)
    (line,) = refused.value.problems
    assert line.startswith(message)
