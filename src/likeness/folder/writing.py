"""Write a release folder, prove it from its own bytes, put it in place."""

from __future__ import annotations

import os
from contextlib import suppress
from ctypes import CDLL
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from likeness.errors import PolicyError
from likeness.folder.audit import make_audit, plain_policy
from likeness.folder.class_map import class_map_of, counts_of, write_class_map
from likeness.folder.known import write_known
from likeness.folder.layout import (
    AUDIT,
    CERTIFICATE,
    CERTIFICATE_PAGE,
    CLASSES,
    KNOWLEDGE,
    PRIVATE,
    PUBLIC,
    REPORT,
    Layout,
    check_target,
    digest,
    put_in_place,
    staging,
)
from likeness.folder.private_part import read_private
from likeness.folder.public_part import read_public
from likeness.folder.verification import judge
from likeness.report.certificate_page import certificate_page
from likeness.report.report_page import report_page
from likeness.tables import FileFormat, retyped, widened, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from likeness.proving.certificate import Certificate
    from likeness.release import Release


def write_folder(release: Release, folder: str | Path, *, overwrite: bool = False) -> Path:
    """Write a release folder, prove it from its own bytes, then put it in place; returns its absolute path.

    The folder must not exist unless ``overwrite``, which replaces a release and nothing else; its parent must. Whatever
    goes wrong, an interruption included, nothing half-written is left, and what stood there stands there still. Raises
    `PolicyError` where the policy publishes no column, `OutputError` where it cannot be written, or something stands there
    that must not be replaced, `VerificationError` where the bytes do not prove the guarantee, `LikenessError` where the
    release no longer knows its original.
    """
    private = release.private
    refuse_no_columns(release)
    target = check_target(folder, overwrite=overwrite, source=private.encoded.table.source)
    give_back()
    with staging(target, overwrite=overwrite) as stage:
        public = _write_public(release, stage / PUBLIC)
        # The steward's own: nobody else may look into it.
        (stage / PRIVATE).mkdir(mode=0o700)
        _write_private(release, public, stage)
        layout = Layout(stage, stage / PUBLIC, stage / PRIVATE)
        give_back()
        read_back = read_public(layout)
        give_back()
        steward = read_private(layout, stage / PRIVATE, read_back)
        give_back()
        judge(read_back, steward, private.encoded, private.policy).raise_if_failed()
        settle(stage)
        # Before it is published: what the ledger lacks nobody keeps to.
        _enter(release, stage / PUBLIC / CERTIFICATE)
        put_in_place(stage, target, overwrite=overwrite)
    return target


def _enter(release: Release, certificate: Path) -> None:
    """Enter a release into its ledger, where there is one; once, however often it is written."""
    private = release.private
    before = private.ledger
    if before is not None:
        rows = next(iter(private.rows.values()))
        after = before.with_release(private.encoded, release.publication, rows)
        after.append(digest(certificate), before)


def refuse_no_columns(release: Release) -> None:
    """Refuse a release that would publish nothing: `PolicyError` where every column is dropped or an identifier."""
    if not any(release.columns.values()):
        raise PolicyError(
            "columns: nothing would be published, as every column is dropped or an identifier; give one another role"
        )


def report_of(release: Release) -> str:
    """Write the report of a release that knows its original, as it stands in ``private/``."""
    private, found = release.private, class_map_of(release)
    policy = plain_policy(private.policy, release.certificate, private.encoded.renamed)
    return report_page(release, policy, counts_of(release, found), release.loss(), found.persons)


def output_format(release: Release) -> FileFormat:
    """Choose the format of the published tables: the policy's, else that of the file the input came in; CSV for frames."""
    private = release.private
    asked, written = private.policy.output.format, private.encoded.table.written
    if asked is not None:
        return FileFormat(asked)
    return FileFormat() if written is None else written.format


def _write_public(release: Release, public: Path) -> Certificate:
    """Write the published tables and their certificate."""
    public.mkdir()
    certificate = replace(release.certificate, files=write_tables(release, [*release.columns], public))
    write_certificate(certificate, public)
    return certificate


def write_tables(release: Release, names: Sequence[str], public: Path) -> dict[str, dict[str, Any]]:
    """Write some of the published tables, a file each, and tell what a certificate says of the files."""
    chosen, form = output_format(release), release.certificate.make_form()
    files: dict[str, dict[str, Any]] = {}
    for name in names:
        columns = release.columns[name]
        path = public / form.file_of(name, chosen.ending)
        how = FileFormat() if name in form.always_csv else chosen
        write(in_type(columns, release, how), path, how, release.certificate.formulas)
        rows = len(next(iter(columns.values())).codes)
        files[path.name] = {"sha256": digest(path), "rows": rows, "columns": list(columns), **how.facts}
    return files


def write_certificate(certificate: Certificate, public: Path) -> None:
    """Write both files of a certificate."""
    write_text(public / CERTIFICATE, certificate.to_json())
    write_text(public / CERTIFICATE_PAGE, certificate_page(certificate))


def in_type(columns: Mapping[str, Any], release: Release, how: FileFormat) -> Mapping[str, Any]:
    """Give columns that still are of their original's type that type, in files that have types."""
    if how.kind == "csv":
        return columns
    encoded = release.private.encoded
    found = {}
    for name, column in columns.items():
        dtype = encoded.dtype(name)
        if dtype is not None and how.kind not in {"parquet", "arrow"}:
            dtype = widened(dtype)
        typed = None if dtype is None else retyped(column, dtype)
        found[name] = column if typed is None else typed
    return found


def _write_private(release: Release, certificate: Certificate, stage: Path) -> None:
    """Write the class map, the report and the audit, which knows all other files."""
    private, folder = release.private, stage / PRIVATE
    found = class_map_of(release)
    write_class_map(found, folder / CLASSES)
    data = private.encoded.data
    if data.knowledge:
        write_known(data.knowledge, data.rows, folder / KNOWLEDGE)
    policy = plain_policy(private.policy, certificate, private.encoded.renamed)
    counts, persons = counts_of(release, found), found.persons
    del found
    give_back()
    measured = release.loss()
    give_back()
    write_text(folder / REPORT, report_page(release, policy, counts, measured, persons))
    known = {stage / PUBLIC / name: facts["sha256"] for name, facts in certificate.files.items()}
    files = {
        path.relative_to(stage).as_posix(): known.get(path) or digest(path) for path in stage.glob("*/*")
    }
    write_text(folder / AUDIT, make_audit(release, policy, counts, measured, files).to_json())


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8 with plain line ends."""
    path.write_bytes(text.encode())


def give_back() -> None:
    """Give freed memory back to the system: glibc keeps what large arrays took, several times a large table in all."""
    with suppress(AttributeError, TypeError, OSError):  # another C library
        CDLL(None).malloc_trim(0)


def settle(stage: Path) -> None:
    """Have every byte on the disk, and the folder as open as any other new one."""
    for path in (path for path in stage.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            os.fsync(file.fileno())
    stage.chmod((stage / PUBLIC).stat().st_mode & 0o777)
