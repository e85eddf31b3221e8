"""``certificate.html``: what ``certificate.json`` says, for people.

The page is made of the certificate and of nothing else. `likeness.verify` decides by the certificate; the page is held to it:

* a page of this very version is made again and compared byte for byte;
* a page of another version may be worded otherwise. It carries the SHA-256 of its ``certificate.json``, so it belongs to
  these facts and no others, and that of its own bytes (with zeros in that place), so nothing was changed since it was
  written. What its sentences say is not compared, and `verify` says so: whoever writes a page of his own, and both digests
  anew, can say anything on it.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.pages import render
from likeness.wording import count, phrase, plain_number

if TYPE_CHECKING:
    from collections.abc import Sized

    from likeness.forms.base import Form
    from likeness.proving.certificate import Certificate
    from likeness.published.columns import ColumnNote

_SCOPES = {
    "public": "public: anyone can check it from the published files; frequencies are compared with those of "
    "the published records",
    "mechanism": "mechanism: what is proven is how values were drawn, not what was drawn",
    "steward": "steward: only whoever holds the original table and the private files can check it",
}
_UNPROTECTED = {
    "other": "as it is",
    "pseudonym": "a random number in place of each identifier",
    "added": "added by the form",
}
_SHAPES = {
    "interval": "the interval from the smallest to the largest value of the class",
    "tree": "the lowest node of its hierarchy above all values of the class",
    "set": "the set of the values of the class",
}
_AGGREGATES = {
    "mean": "the mean of the values of the class",
    "mode": "the most frequent value of the class",
}


_FACTS = re.compile(rb'<meta name="likeness-certificate" content="([0-9a-f]{64})">')
_SEAL = re.compile(rb'<meta name="likeness-page" content="([0-9a-f]{64})">')
_UNSEALED = "0" * 64


def certificate_page(certificate: Certificate) -> str:
    """Write the page: HTML without scripts, complete in itself."""
    form = certificate.make_form()
    scopes = dict.fromkeys(entry["scope"] for entry in certificate.guarantee)
    page = render(
        "report/templates/certificate.html",
        certificate=certificate,
        classes=count(certificate.classes, form.class_noun),
        by_bucket=form.publishes_buckets,
        about=certificate.about,
        promises=[_promise(entry) for entry in certificate.guarantee],
        quasi=[note.name for note in certificate.columns.with_role("quasi")],
        open_columns=[note.name for note in certificate.columns.with_role("other")],
        guarantee=[_guarantee_row(entry) for entry in certificate.guarantee],
        scopes=[_SCOPES[scope] for scope in scopes],
        claimed="steward" in scopes,
        proven=any(scope != "steward" for scope in scopes),
        drawn="perturbation" in form.tables,
        covers_sensitive=any("sensitive" in entry for entry in certificate.guarantee),
        has_sensitive=bool(certificate.columns.with_role("sensitive")),
        files=[
            [name, plain_number(facts["rows"]), ", ".join(facts["columns"]), facts["sha256"]]
            for name, facts in certificate.files.items()
        ],
        linked=form.needs_individuals or form.rows_are_individuals,
        columns=[_column_row(note, form) for note in certificate.columns.notes],
        # Not everything in it is shown: the digest makes the page a witness of all of it.
        own_digest=_digest_of(certificate),
        seal=_UNSEALED,
        form=phrase({key: value for key, value in certificate.form.items() if key != "name"}),
    )
    # Names in the table may look like anything, but no `<` of theirs stands in the page.
    return page.replace(_seal_line(_UNSEALED), _seal_line(_digest(page.encode())), 1)


def is_page_of(page: bytes, certificate: Certificate) -> bool:
    """Whether a page, in whatever words, was written for a certificate and not changed since.

    Parameters
    ----------
    page
        Its bytes.
    certificate
        What it must have been made of.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 31, 60, 61]})
    >>> release = lk.anonymize(table, lk.Policy(columns={"age": lk.quasi()}, privacy=lk.KAnonymity(2)), seed=1)
    >>> page = certificate_page(release.certificate).encode()
    >>> is_page_of(page, release.certificate), is_page_of(page.replace(b"k = 2", b"k = 9"), release.certificate)
    (True, False)
    """
    facts, seals = _FACTS.findall(page), _SEAL.findall(page)
    if len(seals) != 1 or facts != [_digest_of(certificate).encode()]:
        return False
    seal: str = seals[0].decode()
    return _digest(page.replace(_seal_line(seal).encode(), _seal_line(_UNSEALED).encode())) == seal


def _seal_line(seal: str) -> str:
    """The line of a page that has the SHA-256 of its bytes."""
    return f'<meta name="likeness-page" content="{seal}">'


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest_of(certificate: Certificate) -> str:
    """SHA-256 of ``certificate.json``."""
    return _digest(certificate.to_json().encode())


def _promise(entry: dict[str, Any]) -> dict[str, Any]:
    """Say in plain words what was proven, of which column, and whether anybody can check it; the model says it itself."""
    model = registry.create("models", entry["model"], entry["parameters"])
    return {
        "column": entry.get("sensitive", ""),
        "says": model.in_plain_words,
        "model": entry["model"],
        "checked": entry["scope"] != "steward",
    }


def _guarantee_row(entry: dict[str, Any]) -> list[str]:
    """Write one line of what was proven."""
    name = entry["model"]
    given = {key: value for key, value in entry["parameters"].items() if key != "sensitive"}
    return [
        name,
        registry.summary("models", name).replace("``", ""),
        entry.get("sensitive", ""),
        phrase(given),
        "the steward alone can tell" if entry["measured"] is None else phrase(entry["measured"]),
        entry["scope"],
    ]


def _column_row(note: ColumnNote, form: Form) -> list[str]:
    """Write one line of how a column is to be read."""
    if note.name in form.leading:
        return [note.name, "", "", "a random number", ""]
    if not note.described:
        return [
            note.name,
            note.role,
            "",
            _UNPROTECTED[note.role],
            "a survey weight" if note.survey_weight else "",
        ]
    shown = (
        "as the set of the nodes of its hierarchy above the values of a person"
        if note.sets
        else form.sensitive_shown
    )
    if note.role == "quasi":
        aggregate = _AGGREGATES.get(form.shows(note.kind, note.shape), _SHAPES[note.shape])
        shown = "exactly" if form.publishes_exactly else aggregate
    known = []
    if note.low is not None and note.high is not None:
        known.append(f"declared from {plain_number(note.low)} to {plain_number(note.high)}")
    if note.round is not None:
        known.append(f"rounded to multiples of {plain_number(note.round)}")
    for side, end in (("below", note.bottom), ("above", note.top)):
        if end is not None:
            known.append(f"{side} {plain_number(end)} published as {plain_number(end)}")
    if note.order is not None:
        # Values that are nowhere published could be any text.
        known.append(f"an order of {_values(note.order)} (in certificate.json)")
    if note.values is not None:
        known.append(f"* stands for {_values(note.values)} (in certificate.json)")
    if note.hierarchy is not None:
        known.append(f"hierarchy of {_values(note.hierarchy)} (in certificate.json)")
    if note.categories is not None:
        known.append(f"{count(len(note.categories), 'category')} of values (in certificate.json)")
    if note.role == "sensitive":
        known.append(f"distance {note.distance}")
    return [note.name, note.role, note.kind, shown, "; ".join(known)]


def _values(listed: Sized) -> str:
    """Say how many values there are."""
    return count(len(listed), "value")
