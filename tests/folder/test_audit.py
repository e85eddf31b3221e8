"""The audit comes back as it was written, and only so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.folder.samples import patients, policy, release

import likeness as lk
from likeness.errors import VerificationError
from likeness.folder.audit import Audit, content_digest, plain_policy
from likeness.hierarchies import prefixes

if TYPE_CHECKING:
    from pathlib import Path


def test_round_trip(written: Path) -> None:
    text = (written / "private/audit.json").read_text()
    audit = Audit.from_json(text, "audit.json")
    assert audit.to_json() == text
    assert audit.policy == policy(seed=11)
    # Not the seed alone: what it gives together with the table and the policy.
    assert audit.content["randomness"]["seed"] == 11
    assert int(audit.content["randomness"]["entropy"]) == release().private.entropy > 2**128
    assert len(audit.files) == 5


@pytest.mark.parametrize("key", ["seed", "entropy"])
def test_without_a_seed_the_drawn_bits_are_kept(key: str, tmp_path: Path) -> None:
    folder = lk.anonymize(patients(), policy()).write(tmp_path / "out")
    randomness = json.loads((folder / "private/audit.json").read_bytes())["randomness"]
    assert {"seed": randomness["seed"] is None, "entropy": int(randomness["entropy"]) > 2**64}[key]
    assert b'"reproducible": false' in (folder / "public/certificate.json").read_bytes()


def test_refuses_what_was_changed(written: Path) -> None:
    text = (written / "private/audit.json").read_text()
    for changed in (
        text[:-2],
        text.replace("polars", "pandas"),
        text.replace('"format": 1', '"format": 2'),
        text + " ",
    ):
        with pytest.raises(VerificationError, match=r"audit\.json"):
            Audit.from_json(changed, "audit.json")


def test_hierarchy_objects_are_kept_as_they_are(tmp_path: Path) -> None:
    tree = prefixes(["02139", "02141", "10001", "10002"], 5)
    made = release(columns={"zip": lk.quasi(hierarchy=tree)})
    folder = made.write(tmp_path / "out")
    kept = (
        Audit.from_json((folder / "private/audit.json").read_text(), "audit.json")
        .policy.columns["zip"]
        .hierarchy
    )
    assert kept.to_rows() == tree.to_rows()
    assert kept.data_derived
    assert lk.verify(folder, patients()).ok


def test_functions_become_caps() -> None:
    made = release(privacy=lk.BetaLikeness(bound=lambda p: 3 * p))
    plain = plain_policy(made.private.policy, made.certificate, {})
    (model,) = plain["privacy"]
    assert model["caps"]["flu"] == "1"
    assert json.loads(json.dumps(plain)) == plain


def test_content_digest_knows_every_cell() -> None:
    one = release().private.encoded
    assert content_digest(one) == content_digest(release().private.encoded)
    changed = patients().with_columns(age=patients()["age"].reverse())
    other = lk.anonymize(changed, policy(privacy=lk.KAnonymity(2)), seed=1).private.encoded
    assert content_digest(one) != content_digest(other)
