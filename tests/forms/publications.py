"""Small tables, published and read back, for the tests of forms and attacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.forms._base import as_labelled
from likeness.forms._columns import ColumnNote, PublishedColumns, note_on
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import recode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.forms._base import Form, Publication, Published


def integers(name: str, values: Sequence[int], *, missing: bool = False) -> Domain:
    low, high = float(min(values)), float(max(values))
    return Domain(name, "integer", np.array(values), "interval", missing=missing, low=low, high=high)


def words(name: str, values: Sequence[str], *, missing: bool = False) -> Domain:
    return Domain(name, "categorical", np.array(values, object), "set", missing=missing)


def table(
    quasi: Sequence[tuple[Domain, list[int]]], sensitive: Sequence[tuple[Domain, list[int]]]
) -> Microdata:
    n = len((*quasi, *sensitive)[0][1])
    return Microdata(
        tuple(domain for domain, _ in quasi),
        np.array([codes for _, codes in quasi], np.int32).reshape(len(quasi), n),
        tuple(domain for domain, _ in sensitive),
        np.array([codes for _, codes in sensitive], np.int32).reshape(len(sensitive), n),
        np.arange(n),
    )


def notes_on(form: Form, data: Microdata, plan: Plan, published: Published) -> PublishedColumns:
    """The notes a certificate would carry."""
    kept = plan.published
    notes: dict[str, ColumnNote] = {}
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        everything = bool(np.bincount(codes[kept], minlength=domain.codes).all())
        exact = codes[kept] if form.publishes_exactly else None
        notes[domain.name] = note_on(domain, "quasi", exact, everything=everything and exact is None)
    for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True):
        notes[domain.name] = note_on(domain, "sensitive", codes[kept])
    names = dict.fromkeys(name for columns in published.tables.values() for name in columns)
    return PublishedColumns(tuple(notes.get(name, ColumnNote(name, "other")) for name in names))


def publish(
    form: Form, data: Microdata, plan: Plan | Sequence[int], seed: int = 0
) -> tuple[Publication, Published, Plan]:
    """Publish a plan and read it back, as anonymize does."""
    made = plan if isinstance(plan, Plan) else Plan(renumber(np.array(plan, np.int64)))
    made, recoding = recode(data, made)
    published = form.publish(data, made, recoding, np.random.default_rng(seed))
    notes = notes_on(form, data, made, published)
    return form.read(labelled(published.tables), notes), published, made


def labelled(tables: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: {key: as_labelled(x) for key, x in columns.items()} for name, columns in tables.items()}
