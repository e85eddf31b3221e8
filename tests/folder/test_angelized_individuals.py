"""ANGEL with all values of people who have several records: from the table to the folder, and back from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import likeness as lk

SICK = ["cold", "flu", "gout", "mumps", "scurvy"]
COLUMNS = {
    "who": lk.identifier(),
    "age": lk.quasi(),
    "sex": lk.quasi(),
    "town": lk.other(),
    "disease": lk.sensitive(),
}
GUARANTEE = (lk.KAnonymity(4), lk.EirAlphaBetaAnonymity(1, "0.6"))


def visits(people=60, seed=0):
    """Everybody has one to three diseases, in any order; every tenth is older in one record than in another."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        age = int(rng.integers(20, 70))
        own = rng.choice(SICK, int(rng.integers(1, 4)), replace=False).tolist()
        rows += [
            (
                f"p{person}",
                age + (i if person % 10 == 0 else 0),
                "fm"[person % 2],
                "ab"[person % 3 == 0],
                value,
            )
            for i, value in enumerate(own)
        ]
    frame = pl.DataFrame(rows, schema=list(COLUMNS), orient="row")
    return frame.sample(fraction=1, shuffle=True, seed=seed)


def asked(*models, **more):
    more.setdefault("method", lk.Angel())
    return lk.Policy(columns=COLUMNS, privacy=list(models or GUARANTEE), individual="who", **more)


@pytest.fixture(scope="module")
def frame():
    return visits()


@pytest.fixture(scope="module")
def release(frame):
    return lk.anonymize(frame, asked(*GUARANTEE, lk.EirLDiversity(2)), seed=1)


@pytest.fixture(scope="module")
def folder(release, tmp_path_factory):
    return release.write(tmp_path_factory.mktemp("release") / "out")


def test_people_and_records_are_counted_apart(frame, release):
    people, records = frame["who"].n_unique(), frame.height
    assert release.certificate.records == records
    assert release.certificate.individuals == people
    assert release.counts == {
        "input": records,
        "published": records,
        "withheld": {},
        "dropped": {},
        "added": 0,
    }
    assert release.individual_counts | {"differing_hull": 0} == {
        "input": people, "published": people, "withheld": 0, "dropped": 0, "differing_hull": 0,
    }  # fmt: skip
    quasi, sensitive = release.tables["quasi"], release.tables["sensitive"]
    assert (quasi.height, sensitive["count"].sum()) == (people, records)
    assert "who" not in quasi.columns
    assert repr(release).startswith(f"Release: {records} records of {people} individuals in ")


def test_regions_cover_all_records_of_a_person(frame, release):
    data, plan = release.private.encoded.data, release.private.solution.plan
    differing = [
        own["age"].n_unique() > 1 for _, own in frame.sort("who").group_by("who", maintain_order=True)
    ]
    assert any(differing)
    for classes in (plan.classes, plan.buckets):
        for person in range(int(data.individuals.max()) + 1):
            assert np.unique(classes[data.individuals == person]).size == 1


def test_every_bucket_holds_what_is_said_of_its_people(release):
    sizes = release.tables["quasi"].group_by("bucket").len()
    shares = release.tables["sensitive"].join(sizes, on="bucket").select(pl.col("count") / pl.col("len"))
    assert shares.to_series().max() <= 0.6
    alone = release.tables["quasi"].group_by("age", "sex").len()
    assert alone["len"].min() >= 4


def test_what_the_files_prove_to_whom(frame, folder):
    public = lk.verify(folder / "public")
    assert [(proof.holds, proof.scope) for proof in public.proofs] == [
        (True, "public"),
        (True, "public"),
        (None, "steward"),
    ]
    assert (public.status, lk.verify(folder).status) == ("proven in part", "proven in part")
    whole = lk.verify(folder, frame)
    assert (whole.status, whole.proofs[2].scope) == ("proven", "steward")
    assert public.individuals == whole.individuals == frame["who"].n_unique()


def test_how_many_records_everybody_has_stands_in_the_class_map(frame, tmp_path):
    # Not whoever has which, but in truth nobody has more than the share.
    made = lk.anonymize(frame, asked(lk.KAnonymity(4), lk.EirAlphaBetaAnonymity("0.4", "0.7")), seed=1)
    assert made.verdict.proofs[1].scope == "steward"
    out = made.write(tmp_path / "out")
    assert lk.verify(out / "public").proofs[1].holds is None
    assert lk.verify(out).status == lk.verify(out, frame).status == "proven"
    assert '"measured": null' in (out / "public/certificate.json").read_text()


def test_opened_beside_the_original_it_is_the_release_that_was_written(frame, release, folder, tmp_path):
    again = lk.open_release(folder, frame)
    assert again.loss() == release.loss()
    assert again.attack("linkage") == release.attack("linkage")
    assert again.warnings == release.warnings
    written = again.write(tmp_path / "again")
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert len(names) == 7
    for name in names:
        assert (written / name).read_bytes() == (folder / name).read_bytes(), name


def test_recipients_ask_as_the_steward_does(release, folder):
    opened = lk.open_release(folder / "public")
    for where in ({"disease": {"flu"}}, {"age": (20, 39)}, {"age": (20, 39), "disease": {"flu", "gout"}}):
        assert opened.estimate(where) == pytest.approx(release.estimate(where))
    found = opened.posterior({"sex": "f"})["disease"]
    assert sum(found.values()) > 1
    with pytest.raises(lk.LikenessError, match="individuals can be counted only where"):
        opened.estimate(lk.Query({"sex": {"f"}}, "individuals"))


def test_who_is_withheld_is_withheld_with_all_records():
    frame = visits(40, seed=3).with_columns(
        disease=pl.when(pl.col("who").is_in(["p1", "p2", "p3"])).then(pl.lit("flu")).otherwise("disease")
    )
    frame = frame.unique(["who", "disease"], maintain_order=True)
    found = lk.anonymize(
        frame,
        asked(lk.KAnonymity(3), lk.EirAlphaBetaAnonymity(1, "0.45"), withhold={"at_most": 0.5}),
        seed=1,
    )
    counts, people = found.counts, found.individual_counts
    assert counts["input"] == counts["published"] + sum(counts["withheld"].values())
    assert people["input"] == people["published"] + people["withheld"]
    assert found.tables["quasi"].height == people["published"]
    assert found.tables["sensitive"]["count"].sum() == counts["published"]


class TestChangedFiles:
    """What nobody may change unseen."""

    @pytest.fixture
    def changed(self, folder, tmp_path):
        import shutil

        return Path(shutil.copytree(folder, tmp_path / "changed"))

    def test_two_people_whose_buckets_were_exchanged(self, frame, changed):
        path = changed / "public/quasi.csv"
        table = pl.read_csv(path, infer_schema=False)
        other = int(np.argmax((table["bucket"] != table["bucket"][0]).to_numpy()))
        buckets = table["bucket"].to_list()
        buckets[0], buckets[other] = buckets[other], buckets[0]
        table.with_columns(bucket=pl.Series(buckets)).write_csv(path)
        lines = lk.verify(changed, frame).problems
        assert any("SHA-256" in line for line in lines)
        assert any("classes.parquet" in line for line in lines if "SHA" not in line)

    @pytest.mark.parametrize(
        ("change", "line"),
        [
            (
                {"published_row": "swapped"},
                "is said to be published in another row than others of its person",
            ),
            ({"person": "dropped"}, "the column 'person' is missing; published rows are people"),
        ],
    )
    def test_a_class_map_that_tells_something_else(self, changed, change, line):
        path = changed / "private/classes.parquet"
        table = pl.read_parquet(path)
        if "person" in change:
            table = table.drop("person")
        else:
            many = table.group_by("person").len().filter(pl.col("len") > 1)["person"][0]
            at = int(np.argmax((table["person"] == many).to_numpy()))
            rows = table["published_row"].to_list()
            rows[at] = next(row for row in rows if row != rows[at])
            table = table.with_columns(published_row=pl.Series(rows))
        table.write_parquet(path)
        assert any(line in problem for problem in lk.verify(changed).problems)


class TestRefusals:
    """Bad input: one line each."""

    def refused(self, frame, policy):
        with pytest.raises(lk.LikenessError) as caught:
            lk.anonymize(frame, policy, seed=1)
        (line,) = caught.value.problems
        return line

    def test_a_value_twice_of_one_person(self, frame):
        line = self.refused(
            pl.concat([frame, frame[:2]]), asked(lk.KAnonymity(4), hygiene={"duplicates": "keep"})
        )
        assert line == (
            "angel: publishes how many people have each value; records that repeat one of their person: 2; leave them out, with "
            "hygiene: {duplicates: drop}"
        )

    def test_a_column_of_which_records_of_a_person_say_several_things(self, frame):
        line = self.refused(frame.with_columns(town="disease"), asked())
        assert "column 'town': the records of" in line
        assert "angelized releases publish one row a person" in line

    @pytest.mark.parametrize("half", ["batches", "buckets"])
    def test_a_method_that_takes_every_record_for_another_persons(self, frame, half):
        line = self.refused(frame, (
            lk.Policy(
                columns=COLUMNS, privacy=[lk.KAnonymity(4), lk.TCloseness("0.5")], individual="who",
                method=lk.Angel(**{half: "hilbert-index"}),
            )
        ))  # fmt: skip
        assert line == (
            f"angel: {half}: hilbert-index does not take tables in which people have several records; use danonyir or mondrian"
        )


def test_a_guarantee_by_category_only_the_steward_can_prove(frame, tmp_path):
    # Who has flu and cold has one category: how many have it, the numbers of people with each value do not tell.
    (tmp_path / "severity.csv").write_text("low;cold;flu\nhigh;gout;mumps;scurvy\n")
    policy = asked(
        lk.KAnonymity(4),
        lk.AlphaKAnonymity(alpha="0.95", k=2, by="categories"),
        categories={"disease": str(tmp_path / "severity.csv")},
    )
    made = lk.anonymize(frame, policy, seed=1)
    assert made.verdict.proofs[1].scope == "steward"
    out = made.write(tmp_path / "out")
    assert lk.verify(out / "public").proofs[1].holds is None
    assert lk.verify(out, frame).status == "proven"


def test_buckets_of_people_are_made_by_a_method_that_takes_people(frame):
    made = lk.anonymize(frame, asked(lk.KAnonymity(4), lk.BetaLikeness(4)), seed=1)
    assert made.verdict.ok
    assert made.verdict.proofs[1].scope == "public"


def test_candidates_are_people(release):
    found = release.attack("linkage")
    assert found.details["marketer"] == pytest.approx(
        release.tables["quasi"].select("age", "sex").n_unique() / release.certificate.individuals
    )
    assert "right person" in found.meaning
    assert found.details["prosecutor_max"] <= 1 / 4
    largest = release.attack("homogeneity").details["max_share"]
    assert largest <= 0.6
    assert "does not say which records are one person's" in release.attack_all().skipped["fingerprint"]


class TestCertificates:
    """A reader knows by the certificate that rows are people."""

    def told(self, folder, tmp_path, change):
        import json
        import shutil

        other = Path(shutil.copytree(folder / "public", tmp_path / "public"))
        content = json.loads((other / "certificate.json").read_text())
        change(content)
        (other / "certificate.json").write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        return lk.verify(other).problems

    def test_as_records_the_counts_are_too_many(self, folder, tmp_path):
        lines = self.told(folder, tmp_path, lambda own: own["form"].pop("individuals"))
        assert any("do not sum to its" in line for line in lines)

    @pytest.mark.parametrize("number", [None, 59])
    def test_people_are_as_many_as_there_are_rows(self, folder, tmp_path, number):
        def change(own):
            own["counts"]["individuals"] = number
            if number is None:
                del own["counts"]["individuals"]

        lines = self.told(folder, tmp_path, change)
        assert any("found: 60 individuals" in line for line in lines)

    def test_the_page_says_that_everybody_can_count(self, folder):
        page = (folder / "public/certificate.html").read_text()
        assert "of\n60 individuals in " in page
        assert "only the steward can" not in page.replace("\n", " ")
        assert "how many people of the bucket have it" in page.replace("\n", " ")
