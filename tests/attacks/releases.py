"""Random small releases of every form, for attacks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import as_shown, publish
from tests.metrics.tables import evaluations

from likeness import registry
from likeness.attacks.base import Making
from likeness.hierarchies import Categories, from_rows
from likeness.microdata.data import Members
from likeness.microdata.domain import Domain
from likeness.microdata.knowledge import Knowledge
from likeness.microdata.mechanism import Mechanism
from likeness.microdata.plan import Plan, renumber
from likeness.models.k_anonymity import KAnonymity
from likeness.models.requirements import require

if TYPE_CHECKING:
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata

DISEASES = from_rows([("flu", "lung", "*"), ("hiv", "immune", "*"), ("tb", "lung", "*")], "d", where=str)
DISEASE = Domain(
    "disease", "hierarchical", np.array(DISEASES.leaves, object), "tree", DISEASES, distance="hierarchical"
)
SCALE = 100
FORMS = registry.names("forms")
RECORD_FORMS = tuple(name for name in FORMS if not registry.load("forms", name).needs_individuals)
"""Forms of releases in which every record is another person's."""
COVERING = tuple(
    name for name in RECORD_FORMS if example("forms", name).shows("integer", "interval") == "region"
)
"""Those of them whose regions cover the people they were made from."""


SEVERITY = Categories(("low", "mild", "high"), (("cold",), ("asthma", "flu"), ("hiv", "tb")))


def with_highest(data: Microdata, values: list[list[str]]) -> Microdata:
    """Everybody's highest category in place of the sensitive attribute; what it was made from is kept beside it."""
    of = np.repeat(np.arange(data.size), [len(line) for line in values])
    own = sorted({value for line in values for value in line})
    domain = Domain("disease", "categorical", np.array(own, object), "set", categories=SEVERITY)
    flat = np.array([[own.index(value) for line in values for value in line]], np.int32)
    records = replace(data.take(of), sensitive=(domain,), sensitive_codes=flat, individuals=of)
    shown = Categories(
        SEVERITY.labels,
        tuple((label, *own) for label, own in zip(SEVERITY.labels, SEVERITY.values, strict=True)),
    )
    labels = np.array(SEVERITY.labels, object)
    categories = Domain("disease", "ordered", labels, "interval", high=2.0, declared=True, categories=shown)
    codes = np.array([[SEVERITY.highest(line) for line in values]], np.int32)
    return replace(
        data, sensitive=(categories,), sensitive_codes=codes, knowledge=(), source=Members(of, records)
    )


@dataclass(frozen=True, eq=False)
class Attacked:
    """A table, what was published of it, and how."""

    data: Microdata
    plan: Plan
    publication: Publication
    making: Making


def coin(counts: np.ndarray, elsewhere: list[int]) -> Mechanism:
    """A mechanism that publishes each other value with some hundredths, the same for all others."""
    active = np.flatnonzero(counts)
    numerators = np.zeros((counts.size, counts.size), np.int64)
    for i in active:
        numerators[active, i] = elsewhere[i]
        numerators[i, i] = SCALE - (active.size - 1) * elsewhere[i]
    return Mechanism(counts, numerators, SCALE)


def perturbed(data: Microdata, plan: Plan, elsewhere: list[int]) -> Plan:
    """Perturb the published records."""
    kept = plan.published
    counts = np.bincount(data.sensitive_codes[0][kept], minlength=data.sensitive[0].codes).astype(np.int64)
    mechanism = coin(counts, elsewhere)
    codes = data.sensitive_codes[0].copy()
    if kept.any():
        codes[kept] = mechanism.perturb(codes[kept], np.random.default_rng(5))
    return replace(plan, sensitive=codes[None], mechanism=mechanism)


def people(draw: st.DrawFn, plan: Plan) -> np.ndarray:
    """Individuals, up to three a class, each of whose records are in one class."""
    own = draw(st.lists(st.integers(0, 2), min_size=plan.classes.size, max_size=plan.classes.size))
    return np.unique(plan.classes * 3 + np.array(own), return_inverse=True)[1].reshape(-1)


@st.composite
def attacked(
    draw: st.DrawFn, form: str, *, several: bool = False, highest: bool = False, rows: int = 14
) -> Attacked:
    """Up to 14 records of up to 3 quasi-identifiers, in up to 5 classes, some withheld; people may have several.

    Where they have one each, something is known of them beforehand, and may be wrong. With ``highest`` they had several, and
    what is left is the highest category of them.
    """
    evaluation = draw(evaluations(rows))
    domain = replace(DISEASE, missing=draw(st.booleans()))
    n = evaluation.data.size
    sick = draw(st.lists(st.integers(0, domain.codes - 1), min_size=n, max_size=n))
    data = replace(evaluation.data, sensitive=(domain,), sensitive_codes=np.array([sick], np.int32))
    believed = draw(st.lists(st.integers(0, 3), min_size=n * domain.codes, max_size=n * domain.codes))
    shares = np.array(believed, np.float64).reshape(n, domain.codes)
    shares[shares.sum(axis=1) == 0] = 1.0
    plan = evaluation.plan
    own = example("forms", form)
    data = as_shown(own, data)
    if own.publishes_exactly:
        # Records of equal quasi-identifiers are alike; buckets are what the classes were.
        plan = Plan(renumber(np.where(plan.published, data.tuples.of, -1)), plan.classes)
    if form == "angelized":
        # Buckets that have nothing to do with the classes.
        plan = Plan(plan.classes, renumber(np.where(plan.published, np.arange(n) * 7 % 11 % 3, -1)))
    if form == "perturbed":
        assume(plan.published.any())
        plan = perturbed(data, plan, draw(st.lists(st.integers(1, 20), min_size=4, max_size=4)))
    if highest:
        sets = st.lists(
            st.sampled_from(SEVERITY.values[0] + SEVERITY.values[1] + SEVERITY.values[2]),
            min_size=1,
            max_size=3,
        )
        data = with_highest(data, draw(st.lists(sets.map(set).map(sorted), min_size=n, max_size=n)))
    elif several or own.needs_individuals:
        data = replace(data, individuals=people(draw, plan))
    else:
        data = replace(data, knowledge=(Knowledge.from_shares(domain, shares, np.arange(n)),))
    publication, _, made = publish(own, data, plan)
    bound = require([KAnonymity(1)], data.sensitive, data.sensitive_codes[:, made.published])
    return Attacked(data, made, publication, Making(example("methods", "mondrian"), bound, made))
