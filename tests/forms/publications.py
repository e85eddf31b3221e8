"""Small tables, published and read back, for the tests of forms and attacks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.forms.base import as_labelled
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.mechanism import SCALE, Mechanism
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import recode
from likeness.published.columns import ColumnNote, PublishedColumns, note_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.forms.base import Form, Publication, Published


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
        notes[domain.name] = note_on(
            domain,
            "quasi",
            codes[kept],
            regions=not form.publishes_exactly,
            shown=form.shows(domain.kind, domain.shape),
        )
    for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True):
        notes[domain.name] = note_on(domain, "sensitive", codes[kept])
    names = dict.fromkeys(
        name for table, own in published.tables.items() if table not in form.undescribed for name in own
    )
    return PublishedColumns(tuple(notes.get(name, ColumnNote(name, "added")) for name in names))


def plan_for(form: Form, data: Microdata, plan: Plan, seed: int = 0) -> Plan:
    """A plan of the kind that a form publishes, of the records that another plan publishes."""
    if form.name == "angelized":
        # Buckets that have nothing to do with the classes.
        of = np.where(plan.published, np.cumsum(plan.published) - 1, -1)
        return Plan(plan.classes, renumber(np.where(of < 0, -1, of * 7 % 11 % 4)))
    if not form.publishes_exactly:
        return plan
    # Records are alike where their quasi-identifiers are equal; buckets are what the classes were.
    classes = renumber(np.where(plan.published, data.tuples.of, -1))
    if form.name == "baseline":
        return Plan(classes, np.where(plan.published, 0, -1))
    if form.name != "perturbed":
        return Plan(classes, plan.classes)
    kept = data.sensitive_codes[0][plan.published]
    coin = mechanism(np.bincount(kept, minlength=data.sensitive[0].codes))
    sensitive = data.sensitive_codes.copy()
    if kept.size:
        sensitive[0, plan.published] = coin.perturb(kept, np.random.default_rng(seed))
    return Plan(classes, sensitive=sensitive, mechanism=coin)


def mechanism(counts: NDArray[np.int64]) -> Mechanism:
    """Keep every third value, and draw the others from all that occur."""
    active = np.flatnonzero(counts)
    numerators = np.zeros((counts.size, counts.size), np.int64)
    if active.size:
        low = 2 * SCALE // (3 * active.size)
        numerators[np.ix_(active, active)] = low
        numerators[active, active] = SCALE - low * (active.size - 1)
    return Mechanism(counts, numerators)


def publish(
    form: Form, data: Microdata, plan: Plan | Sequence[int], seed: int = 0
) -> tuple[Publication, Published, Plan]:
    """Publish a plan and read it back, as anonymize does."""
    made = plan if isinstance(plan, Plan) else Plan(renumber(np.array(plan, np.int64)))
    data = as_shown(form, data)
    if form.needs_individuals and data.individuals is None:
        data = replace(data, individuals=couples(made.classes))
    made, recoding = recode(data, made)
    published = form.publish(data, made, recoding, np.random.default_rng(seed))
    notes = notes_on(form, data, made, published)
    return form.read(labelled(published.tables), notes), published, made


def as_shown(form: Form, data: Microdata) -> Microdata:
    """The same table, its attributes noted as what the form shows of them."""
    return replace(
        data,
        quasi=tuple(replace(own, shown=form.shows(own.kind, own.shape)) for own in data.quasi),
    )


def couples(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Individuals of two records each, in one class; the last of a class may be alone."""
    order = np.argsort(classes, kind="stable")
    starts = np.searchsorted(classes[order], classes[order])
    first = (np.arange(classes.size) - starts) % 2 == 0
    individuals = np.empty(classes.size, np.int64)
    individuals[order] = np.cumsum(first) - 1
    return individuals


def labelled(tables: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: {key: as_labelled(x) for key, x in columns.items()} for name, columns in tables.items()}
