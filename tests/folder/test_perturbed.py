"""Perturbed and baseline releases are written, verified, opened and protected like all others."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.folder.samples import Folder, patients, policy, put

import likeness as lk
from likeness.errors import PolicyError, VerificationError
from likeness.forms.perturbed import ORIENTATION
from likeness.hierarchies import from_rows
from likeness.tables import read_published

PERTURBED = ["certificate.html", "certificate.json", "distribution.csv", "perturbation.csv"]


def asked(**changes: Any) -> lk.Policy:
    given: dict[str, Any] = {"method": {"name": "perturbation"}, "privacy": lk.BetaLikeness(2)}
    return policy(**(given | changes))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A perturbed release; without a seed, as they should be."""
    return lk.anonymize(patients(), asked()).write(tmp_path_factory.mktemp("perturbed") / "out")


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Folder:
    """The same, to tamper with."""
    return Folder(shutil.copytree(written, tmp_path / "out"))


def lines(verdict: Any) -> str:
    return "\n".join(verdict.lines())


def edit(folder: Folder, name: str, change: Any) -> None:
    """Change a published table."""
    path = folder.root / "public" / f"{name}.csv"
    put(change(read_published(path).frame), path)


def hidden(folder: Folder) -> None:
    """Hide a change from everything that only looks at digests."""
    folder.certify()
    folder.audit()


def cell(column: str, row: int, value: str) -> Any:
    def change(frame: pl.DataFrame) -> pl.DataFrame:
        values = frame[column].to_list()
        values[row] = value
        return frame.with_columns(pl.Series(column, values))

    return change


def test_files(written: Path) -> None:
    assert sorted(path.name for path in (written / "public").iterdir()) == [*PERTURBED, "release.csv"]
    for part, original in ((written, patients()), (written, None), (written / "public", None)):
        found = lk.verify(part, original)
        assert found.ok, lines(found)
        assert found.proofs[0].scope == "mechanism"
    assert "PM is the one that the method makes" in lines(lk.verify(written, patients()))
    assert "is a correct generalization" not in lines(lk.verify(written, patients()))


def test_the_certificate_says_what_was_proven(written: Path) -> None:
    certificate = json.loads((written / "public/certificate.json").read_text())
    (entry,) = certificate["guarantee"]
    assert entry["scope"] == "mechanism"
    assert 0 < entry["measured"]["beta"] <= 2
    assert certificate["form"] == {"name": "perturbed"}
    assert not certificate["reproducible"]
    told = " ".join(lk.open_release(written / "public").certificate.remarks)
    assert "quasi-identifiers are published exactly" in told
    assert "what is proven is the mechanism, p and PM" in told
    assert "whoever knows the original values of all records but one learns that one's from p" in told
    assert "seed" not in told
    page = (written / "public/certificate.html").read_text()
    assert "perturbed: drawn by the matrix in perturbation.csv" in page
    assert "they hold for the matrix by which its values were drawn" in page
    assert "the column <code>{}</code> the missing" in page
    assert "Whoever belongs to a class with few sensitive values" not in page


def test_opened(written: Path) -> None:
    release = lk.anonymize(patients(), asked())
    opened = lk.open_release(release.write(written.parent / "again") / "public")
    assert list(opened.tables) == ["release", "distribution", "perturbation"]
    assert opened.table["age"].dtype == pl.Int64
    where = {"age": (20, 50)}
    for variant in (None, "plain", "clipped", "simplex", "bayes"):
        assert opened.reconstruct(where, variant) == pytest.approx(release.reconstruct(where, variant))
    assert opened.estimate(where | {"disease": {"flu"}}) == pytest.approx(opened.reconstruct(where)["flu"])
    assert opened.estimate({}) == 80
    with pytest.raises(PolicyError, match="no reconstruction 'raw'"):
        opened.reconstruct(where, "raw")


@pytest.mark.parametrize("method", [{"name": "mondrian"}, {"name": "anatomy", "l": 2}, {"name": "baseline"}])
def test_only_perturbed_releases_can_be_reconstructed(method: dict[str, Any]) -> None:
    release = lk.anonymize(patients(), asked(method=method, privacy=lk.DistinctLDiversity(2)))
    with pytest.raises(
        PolicyError, match="needs the matrix PM, which only perturbed releases publish"
    ) as caught:
        release.reconstruct({})
    assert caught.value.exit_code == 2


def test_parquet(tmp_path: Path) -> None:
    frame = patients().with_columns(disease=pl.col("disease").str.len_chars() / 2)
    given = asked(output={"format": "parquet"}, columns={"disease": lk.sensitive(kind="real")})
    place = lk.anonymize(frame, given).write(tmp_path / "out")
    assert sorted(path.name for path in (place / "public").iterdir()) == [*PERTURBED, "release.parquet"]
    assert lk.verify(place, frame).ok
    assert lk.open_release(place / "public").table["disease"].dtype == pl.Float64
    path = place / "public/perturbation.csv"
    path.rename(path.with_suffix(".parquet"))
    assert "perturbation.csv is missing" in lines(lk.verify(place / "public"))


def test_a_seed_is_told(tmp_path: Path) -> None:
    place = lk.anonymize(patients(), asked(seed=3)).write(tmp_path / "out")
    certificate = json.loads((place / "public/certificate.json").read_text())
    assert certificate["reproducible"]
    assert "a seed can be found by trying" in lk.open_release(place).certificate.remarks[-1]
    assert lk.verify(place, patients(), policy=asked()).ok
    # Elsewhere chance protects nothing.
    for method in ("mondrian", "baseline"):
        other = lk.anonymize(patients(), asked(seed=3, method={"name": method})).certificate
        assert other.reproducible
        assert "seed" not in " ".join(other.remarks)


def test_k_anonymity_of_the_exact_quasi_identifiers(tmp_path: Path) -> None:
    frame = patients().with_columns(age=pl.col("age") // 30, habit=pl.lit("x"))
    frame = pl.concat([frame, frame[:1].with_columns(zip=pl.lit("99999"), name=pl.lit("one more"))])
    given = asked(privacy=lk.KAnonymity(2) & lk.BetaLikeness(2), withhold={"at_most": 0.05})
    release = lk.anonymize(frame, given)
    assert release.certificate.records == 80
    place = release.write(tmp_path / "out")
    found = lk.verify(place, frame)
    assert found.ok, lines(found)
    assert [proof.scope for proof in found.proofs] == ["public", "mechanism"]
    # The one withheld left the distribution too.
    counts = read_published(place / "public/distribution.csv").frame["count"].cast(int)
    assert counts.sum() == 80


def test_the_original_distribution_as_reference(tmp_path: Path) -> None:
    given = asked(privacy=lk.BetaLikeness(2, reference="original"))
    place = lk.anonymize(patients(), given).write(tmp_path / "out")
    assert lk.verify(place, patients()).proofs[0].scope == "steward"
    assert lk.verify(place, patients()).ok
    assert lk.verify(place).proofs[0].holds is None


def test_groups_of_values(tmp_path: Path) -> None:
    rows = [
        ("flu", "cold-like", "*"),
        ("cold", "cold-like", "*"),
        ("gout", "other", "*"),
        ("two\nlines", "other", "*"),
    ]
    tree = from_rows(rows, "disease", where=str)
    given = asked(
        privacy=lk.BetaLikeness(0.2, level=1),
        columns={"disease": lk.sensitive(kind="hierarchical", hierarchy=tree)},
    )
    place = lk.anonymize(patients(), given).write(tmp_path / "out")
    found = lk.verify(place, patients())
    assert found.ok, lines(found)


def test_a_matrix_entry(folder: Folder) -> None:
    edit(folder, "perturbation", cell("flu", 0, "0.1"))
    assert "public/perturbation.csv: its SHA-256 is not the one in certificate.json" in lines(
        lk.verify(folder.root)
    )
    hidden(folder)
    for part in (folder.root, folder.root / "public"):
        assert "table 'perturbation': the column 'flu' must sum to 1" in lines(lk.verify(part))
    with pytest.raises(VerificationError, match="the column 'flu' must sum to 1"):
        lk.open_release(folder.root)


def test_two_matrix_entries(folder: Folder) -> None:
    frame = read_published(folder.root / "public/perturbation.csv").frame
    at = frame[ORIENTATION].to_list().index("flu")
    other = (at + 1) % 4
    swapped = frame["flu"].to_list()
    swapped[at], swapped[other] = swapped[other], swapped[at]
    edit(folder, "perturbation", lambda frame: frame.with_columns(flu=pl.Series(swapped)))
    # Another mechanism that holds: from the public files nobody can tell that it is not the one that was used.
    folder.claim_what_holds()
    folder.audit()
    found = lines(lk.verify(folder.root, patients()))
    assert "the published matrix PM is not the one that the policy's method makes" in found


def test_a_matrix_that_does_not_protect(folder: Folder) -> None:
    def keep_all(frame: pl.DataFrame) -> pl.DataFrame:
        values = frame[ORIENTATION].to_list()
        columns = {name: [str(int(i == j)) for i in range(4)] for j, name in enumerate(values)}
        return frame.with_columns(**{name: pl.Series(own) for name, own in columns.items()})

    edit(folder, "perturbation", keep_all)
    folder.claim_what_holds()
    found = lk.verify(folder.root / "public")
    assert not found.ok
    assert found.proofs[0].violated == 4
    assert "strongest: beta = inf" in lines(found)
    assert (
        "violated by the value 'cold': a published value raises confidence in it to 1; the limit is 0."
        in lines(found)
    )
    assert "… and 1 more value" in lines(found)


def test_a_column_of_the_matrix(folder: Folder) -> None:
    edit(folder, "perturbation", lambda frame: frame.drop("gout"))
    assert f"its columns are {ORIENTATION}, cold, flu" in lines(lk.verify(folder.root / "public"))
    hidden(folder)
    assert "the value 'gout' has no column" in lines(lk.verify(folder.root / "public"))


def test_no_matrix(folder: Folder) -> None:
    (folder.root / "public/perturbation.csv").unlink()
    assert "perturbation.csv is missing" in lines(lk.verify(folder.root / "public"))
    with pytest.raises(VerificationError, match=r"perturbation\.csv is missing"):
        lk.open_release(folder.root)
    path = folder.root / "public/perturbation.csv"
    path.write_bytes(b"disease,flu\n\xff,1\n")
    assert "perturbation.csv: not UTF-8 at line 2" in lines(lk.verify(folder.root))
    path.unlink()
    folder.certify()
    assert "the form perturbed publishes release, distribution, perturbation" in lines(lk.verify(folder.root))


def test_the_distribution(folder: Folder) -> None:
    def shift(frame: pl.DataFrame) -> pl.DataFrame:
        counts = frame["count"].cast(int).to_list()
        counts[0], counts[1] = counts[0] + 1, counts[1] - 1
        return frame.with_columns(count=pl.Series([str(count) for count in counts]))

    edit(folder, "distribution", shift)
    assert "distribution.csv: its SHA-256 is not the one" in lines(lk.verify(folder.root / "public"))
    folder.claim_what_holds()
    folder.audit()
    found = lines(lk.verify(folder.root, patients()))
    assert (
        "column 'disease': its distribution is not that of the original's values in the published rows"
        in found
    )


def test_a_value_that_the_original_does_not_have(folder: Folder) -> None:
    for name in ("release", "distribution", "perturbation"):
        column = ORIENTATION if name == "perturbation" else "disease"
        edit(
            folder,
            name,
            lambda frame, column=column: frame.with_columns(pl.col(column).replace("gout", "mumps")),
        )
    edit(folder, "perturbation", lambda frame: frame.rename({"gout": "mumps"}))
    path = folder.root / "public/certificate.json"
    path.write_text(path.read_text().replace('"gout"', '"mumps"'))
    folder.claim_what_holds()
    folder.audit()
    found = lines(lk.verify(folder.root, patients()))
    assert "column 'disease': its distribution has a value that the original does not have" in found


def test_a_published_value(folder: Folder) -> None:
    path = folder.root / "public/release.csv"
    before = read_published(path).frame["disease"][0]
    edit(folder, "release", cell("disease", 0, "flu" if before != "flu" else "cold"))
    assert "release.csv: its SHA-256 is not the one" in lines(lk.verify(folder.root / "public"))
    folder.certify()
    # Any value can be what chance gave: from the public files nobody can tell; the steward's digests can.
    assert lk.verify(folder.root / "public").ok
    assert "its SHA-256 is not the one in audit.json" in lines(lk.verify(folder.root))


def test_a_quasi_identifier(folder: Folder) -> None:
    edit(folder, "release", cell("age", 0, "19"))
    folder.claim_what_holds()
    folder.audit()
    found = lines(lk.verify(folder.root, patients()))
    assert not lk.verify(folder.root, patients()).ok
    assert (
        "does not cover the original's value" in found
        or "is not shown as the other rows of the class" in found
    )


def test_the_seed_is_not_hidden(tmp_path: Path) -> None:
    folder = Folder(lk.anonymize(patients(), asked(seed=3)).write(tmp_path / "out"))
    told = lk.open_release(folder.root).certificate.remarks
    folder.certify(reproducible=False)
    assert lk.open_release(folder.root / "public").certificate.remarks == told[:-1]
    folder.audit()
    assert "a given seed: True; certificate.json says False" in lines(lk.verify(folder.root))
    folder.certify(reproducible=True)
    folder.audit()
    assert lk.verify(folder.root, patients()).ok


def test_baseline(tmp_path: Path) -> None:
    given = asked(method={"name": "baseline"}, privacy=lk.BetaLikeness("0.01"), output={"format": "parquet"})
    place = lk.anonymize(patients(), given).write(tmp_path / "out")
    assert sorted(path.name for path in (place / "public").iterdir()) == [
        "certificate.html",
        "certificate.json",
        "distribution.csv",
        "release.parquet",
    ]
    for part, original in ((place, patients()), (place, None), (place / "public", None)):
        found = lk.verify(part, original)
        assert found.ok, lines(found)
    (entry,) = json.loads((place / "public/certificate.json").read_text())["guarantee"]
    assert (entry["scope"], entry["measured"]) == ("public", {"beta": 0.0})
    assert "disease" not in lk.open_release(place).table.columns
    folder = Folder.__new__(Folder)
    folder.root = place

    def shift(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(count=pl.col("count").cast(int) + pl.Series([1, -1, 0, 0]))

    edit(folder, "distribution", shift)
    hidden(folder)
    assert lk.verify(place).ok
    assert "does not have the sensitive values of its records" in lines(lk.verify(place, patients()))


def test_a_claim_that_no_mechanism_can_prove(folder: Folder) -> None:
    entry = {"model": "t-closeness", "parameters": {"t": "0.9"}, "scope": "mechanism", "measured": {"t": 0.1}}
    folder.certify(guarantee=(entry | {"sensitive": "disease"},))
    found = lk.verify(folder.root / "public")
    assert "t-closeness on 'disease': is not a limit on the confidence in each value alone" in lines(found)
    assert not found.ok


@pytest.mark.parametrize("rule", ["capped", "paper", "uniform", "blocks"])
def test_every_rule_is_made_again(rule: str, tmp_path: Path) -> None:
    given = asked(method={"name": "perturbation", "rule": rule})
    place = lk.anonymize(patients(), given).write(tmp_path / "out")
    found = lk.verify(place, patients())
    assert found.ok, lines(found)
    wrong = asked(method={"name": "perturbation", "rule": "capped" if rule == "uniform" else "uniform"})
    told = lines(lk.verify(place, patients(), policy=wrong))
    assert "the published matrix PM is not the one that the policy's method makes" in told


PIECES = st.one_of(
    st.binary(min_size=1, max_size=3),
    st.sampled_from([b'"', b"\n", b",", b"{}", b"\\", b"-1", b"1e9", b"0", b".", b"9" * 30, b"\x00", b"flu"]),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["distribution", "perturbation", "release"])
def test_whatever_is_changed_is_said_in_a_sentence(name: str, written: Path) -> None:
    kept = (written / f"public/{name}.csv").read_bytes()

    @settings(deadline=None, max_examples=25, database=None)
    @given(st.integers(0, len(kept) - 1), st.integers(0, 4), PIECES)
    def change(at: int, gone: int, piece: bytes) -> None:
        changed = kept[:at] + piece + kept[at + gone :]
        if changed == kept:
            return
        with tempfile.TemporaryDirectory() as place:
            folder = Folder(Path(shutil.copytree(written / "public", Path(place) / "public")).parent)
            (folder.root / f"public/{name}.csv").write_bytes(changed)
            verdict = lk.verify(folder.root / "public")
            assert any(f"{name}.csv: its SHA-256 is not" in problem for problem in verdict.problems)
            folder.certify()
            # Now only what the texts say is left to tell.
            for line in lk.verify(folder.root / "public").problems:
                assert "Traceback" not in line

    change()


@pytest.mark.parametrize(
    ("method", "table", "column"),
    [
        ("baseline", "release", "disease"),
        ("baseline", "distribution", "age"),
        ("perturbation", "distribution", "age"),
        ({"name": "anatomy", "l": 2}, "quasi", "disease"),
        ({"name": "anatomy", "l": 2}, "sensitive", "age"),
    ],
    ids=str,
)
def test_no_table_holds_what_its_form_does_not_publish_there(
    method: Any, table: str, column: str, tmp_path: Path
) -> None:
    privacy = lk.DistinctLDiversity(2) if isinstance(method, dict) else lk.BetaLikeness(2)
    given = asked(method=method if isinstance(method, dict) else {"name": method}, privacy=privacy)
    folder = Folder.__new__(Folder)
    folder.root = lk.anonymize(patients(), given).write(tmp_path / "out")
    assert lk.verify(folder.root / "public").ok
    rows = patients()[column].cast(pl.String)

    def beside(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(rows.head(frame.height).alias(column))

    edit(folder, table, beside)
    hidden(folder)
    found = lines(lk.verify(folder.root / "public"))
    assert f"{table}.csv: holds '{column}', which " in found
    assert "releases do not publish there" in found
