"""ANGEL: quasi-identifiers lose what k-anonymity alone costs; buckets give the guarantee about sensitive values."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, table, words

import likeness as lk
from likeness.methods.angel import Angel
from likeness.methods.base import Problem
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require
from likeness.progress import Progress

COLUMNS = {"age": lk.quasi(), "sex": lk.quasi(), "disease": lk.sensitive()}
VALUES = ["cold", "flu", "gout", "mumps", "scurvy"]


def people(rows=400, seed=0):
    """Diseases that go with age: a guarantee about them costs one table much."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 70, rows)
    sick = np.minimum(4, (age - 20) // 10 + rng.integers(0, 2, rows))
    return pl.DataFrame({"age": age, "sex": rng.choice(["f", "m"], rows), "disease": np.array(VALUES)[sick]})


def asked(*models, method=None, **more):
    return lk.Policy(columns=COLUMNS, privacy=list(models), method=method or Angel(), **more)


def problem(models, codes, ages):
    data = table(
        [(integers("age", list(range(max(ages) + 1))), ages)],
        [(words("disease", [f"d{i}" for i in range(6)]), codes)],
    )
    requirements = require(models, data.sensitive, data.sensitive_codes)
    return Problem(data, requirements, LOSSES["ncp"], np.random.default_rng(0), progress=Progress())


@pytest.mark.parametrize(
    "model", [lk.BetaLikeness(1), lk.DistinctLDiversity(3), lk.TCloseness("0.2"), lk.BetaLikeness("0.2")]
)
def test_quasi_identifiers_lose_what_k_anonymity_alone_loses(model):
    release = lk.anonymize(people(), asked(lk.KAnonymity(5), model), seed=1)
    alone = lk.anonymize(
        people(), lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(5), method="mondrian"), seed=1
    )
    together = lk.anonymize(people(), asked(lk.KAnonymity(5), model, method=lk.Mondrian()), seed=1)
    assert release.certificate.records == 400
    assert release.loss("ncp") == alone.loss("ncp")
    assert release.loss("ncp")["ncp"] < together.loss("ncp")["ncp"]
    shown = sorted(alone.table.select("age", "sex").rows())
    assert sorted(release.tables["quasi"].select("age", "sex").rows()) == shown


@settings(deadline=None, max_examples=60)
@given(draw=st.data())
def test_of_any_table_batches_and_buckets_hold_or_their_records_are_withheld(draw):
    n = draw.draw(st.integers(1, 40))
    codes = draw.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    ages = draw.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    k, least = draw.draw(st.integers(1, 5)), draw.draw(st.integers(2, 4))
    plan = Angel().run(problem([lk.KAnonymity(k), lk.DistinctLDiversity(least)], codes, ages))
    assert (plan.classes < 0).tolist() == (plan.buckets < 0).tolist()
    assert sum(plan.withheld_because.values()) == plan.withheld
    for number in range(plan.count):
        assert np.count_nonzero(plan.classes == number) >= k
    for number in range(int(plan.buckets.max(initial=-1)) + 1):
        assert len({code for code, own in zip(codes, plan.buckets, strict=True) if own == number}) >= least
    # One class of everybody would hold: nobody need be withheld.
    if n >= k and len(set(codes)) >= least:
        assert plan.withheld == 0


def test_what_is_not_asked_changes_nothing():
    ages, codes = [0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 2, 3, 0, 1, 2, 3]
    sizes = Angel().run(problem([lk.KAnonymity(4)], codes, ages))
    assert sizes.classes.tolist() == sizes.buckets.tolist()
    assert len(set(sizes.classes[:4])) == len(set(sizes.classes[4:])) == 1
    assert sizes.count == 2
    values = Angel().run(problem([lk.DistinctLDiversity(4)], codes, ages))
    # Batches of equal quasi-identifiers: what is published of them is exact.
    assert values.classes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert np.bincount(values.buckets).tolist() == [4, 4]


def test_who_has_no_batch_has_no_bucket_either():
    # The only one of the south can be alike to nobody; the one gout of the south is nobody's in the other table.
    towns = [["N1", "north", "*"], ["N2", "north", "*"], ["S1", "south", "*"]]
    frame = pl.DataFrame(
        {"town": ["N1", "N2"] * 10 + ["S1"], "disease": ["flu", "cold", "mumps", "scurvy"] * 5 + ["gout"]}
    )
    policy = lk.Policy(
        columns={"town": lk.quasi(hierarchy=towns, max_level=1), "disease": lk.sensitive()},
        privacy=[lk.KAnonymity(4), lk.DistinctLDiversity(2)],
        method="angel",
        withhold={"at_most": 0.05},
    )
    found = lk.anonymize(frame, policy, seed=1)
    assert found.certificate.records == 20
    assert all(proof.holds for proof in found.verdict.proofs)
    quasi, sensitive = found.tables["quasi"], found.tables["sensitive"]
    assert quasi.height == sensitive["count"].sum() == 20
    assert "gout" not in set(sensitive["disease"])
    assert sum(found.private.solution.plan.withheld_because.values()) == 1


def test_buckets_are_made_by_what_was_made_for_the_guarantee():
    own = problem([lk.BetaLikeness(2), lk.KAnonymity(2)], [0, 1, 2] * 4, list(range(12)))
    value = tuple(one for one in own.requirements if one.view is not None)
    assert Angel()._of_buckets(value).name == "burel"
    assert Angel(buckets="k-member")._of_buckets(value).name == "k-member"
    close = problem([lk.TCloseness("0.2")], [0, 1, 2] * 4, list(range(12))).requirements
    assert Angel()._of_buckets(close).name == "sabre"


def test_a_level_limit_keeps_regions_apart():
    towns = [["N1", "north", "*"], ["N2", "north", "*"], ["S1", "south", "*"], ["S2", "south", "*"]]
    frame = pl.DataFrame(
        {"town": ["N1", "N2", "S1", "S2"] * 10, "disease": ["flu", "cold", "gout", "mumps"] * 10}
    )
    policy = lk.Policy(
        columns={"town": lk.quasi(hierarchy=towns, max_level=1), "disease": lk.sensitive()},
        privacy=[lk.KAnonymity(20), lk.DistinctLDiversity(2)],
        method="angel",
    )
    release = lk.anonymize(frame, policy, seed=1)
    assert set(release.tables["quasi"]["town"]) == {"north", "south"}


class TestParameters:
    def test_a_name_a_mapping_and_a_method_are_one(self):
        assert Angel(batches={"name": "mondrian"}) == Angel(batches=lk.Mondrian()) == Angel()
        widest = Angel(batches={"name": "mondrian", "cut": "widest"})
        assert widest == Angel(batches=lk.Mondrian(cut="widest")) != Angel()
        assert hash(widest) == hash(Angel(batches=lk.Mondrian(cut="widest")))

    @pytest.mark.parametrize(
        ("given", "line"),
        [
            (
                {"batches": "mondrain"},
                "angel: batches: there is no method 'mondrain'; did you mean 'mondrian'",
            ),
            ({"batches": {"name": "mondrian", "cut": "x"}}, "angel: batches: mondrian: cut must be"),
            ({"batches": {"strict": True}}, "angel: batches: say which method"),
            ({"batches": 5}, "angel: batches must be the name of a method"),
            ({"batches": None}, "angel: batches must be the name of a method"),
            ({"buckets": "anatomy"}, "angel: buckets: .* is missing"),
            ({"buckets": {"name": "anatomy", "l": 2}}, "angel: buckets: anatomy makes no classes of records"),
            ({"batches": "angel"}, "angel: batches: angel makes no classes of records"),
        ],
    )
    def test_others_are_refused(self, given, line):
        with pytest.raises(lk.PolicyError, match=line):
            Angel(**given)

    def test_what_a_method_refuses_of_its_half_is_refused(self):
        with pytest.raises(lk.PolicyError, match="sabre"):
            lk.anonymize(people(), asked(lk.KAnonymity(2), lk.BetaLikeness(2), method=Angel(buckets="sabre")))

    def test_they_are_written_and_read(self, tmp_path):
        policy = asked(lk.KAnonymity(3), lk.BetaLikeness(2), method=Angel(batches=lk.Mondrian(cut="widest")))
        path = tmp_path / "policy.yaml"
        path.write_text(policy.to_yaml())
        assert lk.Policy.load(path) == policy
        folder = lk.anonymize(people(), policy, seed=1).write(tmp_path / "out")
        audit = json.loads((folder / "private/audit.json").read_text())
        assert audit["method"] == {"name": "angel", "batches": {"name": "mondrian", "cut": "widest"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    policy = asked(lk.KAnonymity(5), lk.BetaLikeness(1))
    return lk.anonymize(people(), policy, seed=1).write(tmp_path_factory.mktemp("angel") / "out")


class TestWritten:
    def test_it_is_proven_from_what_was_published(self, folder):
        found = lk.verify(folder / "public")
        assert found.status == "proven"
        assert [proof.holds for proof in found.proofs] == [True, True]
        assert lk.verify(folder, people()).status == "proven"

    def test_rows_whose_buckets_were_exchanged_are_found_beside_the_original(self, folder, tmp_path):
        shutil.copytree(folder, tmp_path / "out")
        path = tmp_path / "out/public/quasi.csv"
        header, *rows = path.read_text().splitlines()
        first = rows[0].rsplit(",", 1)
        at, other = next(
            (i, row.rsplit(",", 1))
            for i, row in enumerate(rows)
            if row.rsplit(",", 1)[1] != first[1] and row.rsplit(",", 1)[0] != first[0]
        )
        rows[0], rows[at] = f"{first[0]},{other[1]}", f"{other[0]},{first[1]}"
        path.write_text("\n".join([header, *rows]) + "\n")
        found = lk.verify(tmp_path / "out", people())
        assert found.status == "failed"
        assert any("is not shown as the other rows of the bucket it has" in line for line in found.problems)

    def test_the_stronger_the_guarantee_the_more_one_table_loses(self):
        frame = people(2000)
        release = lk.anonymize(frame, asked(lk.KAnonymity(5), lk.BetaLikeness(1)), seed=1)
        one = lk.anonymize(frame, asked(lk.KAnonymity(5), lk.BetaLikeness(1), method="burel"), seed=1)
        assert release.loss("ncp")["ncp"] < one.loss("ncp")["ncp"] / 3

    def test_no_belief_is_above_what_beta_allows(self, folder):
        shown = lk.open_release(folder, original=people()).publication
        counts = dict(people()["disease"].value_counts().iter_rows())
        for age in range(20, 70, 7):
            for value, belief in shown.posterior({"age": age, "sex": "f"})["disease"].items():
                share = Fraction(counts[value], 400)
                assert belief <= share * (1 + min(1, -np.log(float(share)))) + 1e-12
