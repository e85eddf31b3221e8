"""Open a release from its published files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.anonymization import as_it_is
from likeness.errors import InvalidError, VerificationError
from likeness.folder.layout import find_layout
from likeness.folder.public_part import labelled_columns, read_public
from likeness.folder.verification import judge
from likeness.forms.base import as_labelled
from likeness.microdata.domain import NUMERIC
from likeness.published.columns import parse_numbers
from likeness.release import Release
from likeness.tables import EncodedColumn, Labelled

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.proving.certificate import Certificate
    from likeness.tables import Table


def open_release(folder: str | Path) -> Release:
    """Open a release from its folder, or from its ``public/`` alone.

    Only the published files are read, and what they prove is proven again; the original is not known to it.

    Parameters
    ----------
    folder
        A release folder, or its ``public/``.

    Returns
    -------
    Release
        With its tables as polars frames; `Release.estimate`, `Release.posterior` and `Release.verify` work,
        what needs the original does not.

    Raises
    ------
    InvalidError
        When there is no such release.
    VerificationError
        When it does not prove what its certificate says; each line says where.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 31, 60, 61], "disease": ["flu", "cold", "flu", "cold"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=7)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     opened = lk.open_release(release.write(place + "/out"))
    >>> opened.posterior({"age": 30})
    {'disease': {'cold': 0.5, 'flu': 0.5}}
    """
    layout = find_layout(folder)
    try:
        public = read_public(layout)
        verdict = judge(public, None, None, None)
    except OSError as problem:
        raise InvalidError(f"{folder}: cannot be read ({problem.strerror or problem})") from None
    verdict.raise_if_failed()
    if public.certificate is None or public.publication is None:
        raise VerificationError(f"{folder}: cannot be understood")
    undescribed = public.certificate.make_form().undescribed
    notes = {note.name: note for note in public.certificate.columns.notes}
    tables = {
        name: labelled_columns(table, notes) if name in undescribed else _columns(table, public.certificate)
        for name, table in public.tables.items()
    }
    return Release(tables, public.certificate, public.publication, verdict)


def _columns(table: Table, certificate: Certificate) -> dict[str, Labelled | EncodedColumn]:
    """Take the columns of a published table, numbers as numbers where the certificate says what they are."""
    notes = {note.name: note for note in certificate.columns.notes}
    exact = certificate.make_form().publishes_exactly
    columns: dict[str, Labelled | EncodedColumn] = {}
    for name in table.names:
        note, column = notes[name], as_it_is(table, name)
        numeric = note.kind in NUMERIC and (note.role == "sensitive" or (note.role == "quasi" and exact))
        if column.kind != "text":
            columns[name] = column
        else:
            columns[name] = _numbers(column, note.kind) if numeric else as_labelled(column)
    return columns


def _numbers(column: EncodedColumn, kind: str) -> EncodedColumn:
    """Read the texts of numbers or dates; empty cells are null."""
    present = np.array([text != "" for text in column.values], np.bool_)
    numbers = parse_numbers(kind, [str(text) for text in column.values[present]], column.name)
    values, codes = np.unique(numbers, return_inverse=True)
    recode = np.full(present.size + 1, -1, np.int32)
    recode[:-1][present] = codes
    return EncodedColumn(column.name, kind, recode[column.codes], values)
