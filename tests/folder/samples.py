"""Tables, policies and releases that the tests of folders share."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import likeness as lk
from likeness.folder.layout import digest
from likeness.proving.certificate import Certificate
from likeness.published.columns import ColumnNote, PublishedColumns
from likeness.report.certificate_page import certificate_page
from likeness.tables import read_published, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ODD = ["plain", "{a|b}", "*", "", 'say "hi"', "two\nlines", "[1, 2]", "a,b", "\\e", " padded "]


def patients(rows: int = 80, seed: int = 5) -> pl.DataFrame:
    """A small table with every role, and values that need escaping."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(rows)],
            "age": rng.integers(18, 90, rows),
            "zip": rng.choice(["02139", "02141", "10001", "10002"], rows),
            "habit": rng.choice(ODD, rows),
            "disease": rng.choice(["flu", "cold", "gout", "two\nlines"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "visit": rng.integers(0, 9, rows).astype(float) / 8,
            "note": rng.choice(["<script>", "plain", "", "1.50"], rows),
        }
    )


def policy(**changes: Any) -> lk.Policy:
    """A policy for `patients`."""
    columns = {
        "name": lk.identifier(action="pseudonym"),
        "age": lk.quasi(bottom=20, top=80),
        "zip": lk.quasi(hierarchy={"prefix": 5}),
        "habit": lk.quasi(missing={"markers": ["?"]}),
        "disease": lk.sensitive(),
        "visit": lk.other(),
        "note": lk.other(),
    }
    given = {
        "columns": columns | changes.pop("columns", {}),
        "privacy": lk.KAnonymity(4) & lk.BetaLikeness(3),
        "missing": {"markers": ["?"]},
    }
    return lk.Policy(**(given | changes))


def release(**changes: Any) -> lk.Release:
    """A release of `patients`, always the same."""
    return lk.anonymize(patients(), policy(**changes), seed=11)


def plain_release(folder: Path, text: str, *, there: bool = False) -> None:
    """A folder that can be told for a release, in no time."""
    folder.mkdir(exist_ok=there)
    (folder / "public").mkdir()
    certificate = {"files": {"file": {}}, "likeness": "0", "guarantee": []}
    (folder / "public" / "certificate.json").write_text(json.dumps(certificate))
    (folder / "public" / "file").write_text(text)


def text_of(folder: Path) -> str:
    """What `plain_release` wrote; nothing where there is no such folder."""
    file = folder / "public" / "file"
    return file.read_text() if file.exists() else ""


def put(frame: pl.DataFrame, path: Path) -> None:
    """Write a published table as likeness writes it."""
    write({name: frame[name] for name in frame.columns}, path, "csv")


def written(content: Any) -> bytes:
    """Any JSON as the bytes of a file."""
    # Halves of characters are escaped: a file cannot hold them.
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


class Folder:
    """A written release, to be tampered with."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.table = next(root.glob("public/*.csv"))

    def read(self, name: str) -> Any:
        """Content of a JSON file."""
        return json.loads((self.root / name).read_bytes())

    def frame(self) -> pl.DataFrame:
        """The published table, every cell text."""
        return read_published(self.table).frame

    def put(self, frame: pl.DataFrame) -> None:
        """Replace the published table."""
        put(frame, self.table)

    def classes(self) -> pl.DataFrame:
        """The class map."""
        return pl.read_parquet(self.root / "private/classes.parquet")

    def put_classes(self, frame: pl.DataFrame) -> None:
        """Replace the class map."""
        frame.write_parquet(self.root / "private/classes.parquet")

    def certify(self, **changes: Any) -> None:
        """Recompute the public hashes and pages, as somebody would who wants to hide a change."""
        path = self.root / "public/certificate.json"
        certificate = Certificate.from_json(path.read_text(), "certificate.json")
        files = {
            name: facts | {"sha256": digest(self.root / "public" / name)}
            for name, facts in certificate.files.items()
            if (self.root / "public" / name).exists()
        }
        self.put_certificate(replace(certificate, **({"files": files} | changes)))

    def put_certificate(self, certificate: Certificate) -> None:
        """Replace the certificate and its page."""
        (self.root / "public/certificate.json").write_text(certificate.to_json())
        (self.root / "public/certificate.html").write_text(certificate_page(certificate))

    def rewrite(self, edit: Callable[[dict[str, Any]], Any]) -> None:
        """Edit the certificate as plain JSON, and make the page say the same."""
        content = self.read("public/certificate.json")
        edit(content)
        self.forge(content)

    def forge(self, content: Any) -> None:
        """Replace the certificate by any JSON; its page says the same where there can be any."""
        # What no certificate is has no page.
        with suppress(Exception):
            read = Certificate(
                content["form"],
                PublishedColumns(tuple(map(ColumnNote.from_json, content["columns"]))),
                tuple(content["guarantee"]),
                content["counts"]["records"],
                content["counts"]["classes"],
                content["reproducible"],
                content["files"],
                content["likeness"],
                content["counts"].get("individuals"),
                content.get("formulas", "keep"),
                tuple(content.get("knowledge", ())),
            )
            (self.root / "public/certificate.html").write_text(certificate_page(read))
        (self.root / "public/certificate.json").write_bytes(written(content))

    def claim_what_holds(self) -> None:
        """Recompute the public hashes, and claim what the changed table measures."""
        self.certify()
        found = lk.verify(self.root / "public")
        self.certify(
            guarantee=tuple(proof.claim() for proof in found.proofs),
            records=found.records,
            classes=found.classes,
        )

    def audit(self, **changes: Any) -> None:
        """Recompute the private hashes too."""
        content = self.read("private/audit.json") | changes
        content.pop("digest")
        content["files"] = {
            path.relative_to(self.root).as_posix(): digest(path)
            for path in sorted(self.root.glob("*/*"))
            if path.name != "audit.json"
        }
        told = hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()
        text = json.dumps(content | {"digest": told}, indent=2, ensure_ascii=False) + "\n"
        (self.root / "private/audit.json").write_text(text)
