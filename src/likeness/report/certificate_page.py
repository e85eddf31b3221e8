"""``certificate.html``: what ``certificate.json`` says, for people.

The page is made of the certificate and of nothing else, so that `likeness.verify` can make it again and
compare: whoever changes its wording changes what older releases are compared with.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.report.pages import phrase, plain_number, render
from likeness.wording import count

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


def certificate_page(certificate: Certificate) -> str:
    """Write the page: HTML without scripts, complete in itself."""
    form = certificate.make_form()
    scopes = dict.fromkeys(entry["scope"] for entry in certificate.guarantee)
    return render(
        "certificate.html",
        certificate=certificate,
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
        linked=form.needs_individuals,
        columns=[_column_row(note, form) for note in certificate.columns.notes],
        # Not everything in it is shown: the digest makes the page a witness of all of it.
        own_digest=hashlib.sha256(certificate.to_json().encode()).hexdigest(),
        form=phrase({key: value for key, value in certificate.form.items() if key != "name"}),
    )


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
    shown = form.sensitive_shown
    if note.role == "quasi":
        shown = "exactly" if form.publishes_exactly else _SHAPES[note.shape]
    known = []
    if note.low is not None and note.high is not None:
        known.append(f"declared from {plain_number(note.low)} to {plain_number(note.high)}")
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
    if note.role == "sensitive":
        known.append(f"distance {note.distance}")
    return [note.name, note.role, note.kind, shown, "; ".join(known)]


def _values(listed: Sized) -> str:
    """Say how many values there are."""
    return count(len(listed), "value")
