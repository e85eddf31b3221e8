"""Small tables of individuals with several records each, as a method meets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from tests.methods.problems import number, plain_set, tree

from likeness.methods.base import Problem
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.models.base import PrivacyModel

VALUES = 6


def domains(*, missing: bool = False) -> tuple[Domain, ...]:
    """Numbers with decimals, a set, a hierarchy; weights that are no powers of two."""
    places = Domain(
        "x",
        "real",
        np.array([0.1, 0.25, 0.7, 1.3]),
        "interval",
        missing=missing,
        low=0.1,
        high=1.3,
        weight=0.3,
    )
    return (number("age", 9), plain_set("sex", 3, missing=missing), tree("work", missing=missing), places)


def people(
    seed: int,
    individuals: int,
    *,
    most: int = 3,
    differ: float = 0.1,
    quasi: tuple[Domain, ...] | None = None,
    alike: int | None = None,
) -> Microdata:
    """A table of individuals: up to ``most`` records each, a share of whose cells differ from their first record's."""
    rng = np.random.default_rng(seed)
    quasi = domains(missing=seed % 2 == 1) if quasi is None else quasi
    like = rng.integers(0, alike or individuals, individuals)
    own = np.zeros((len(quasi), individuals), np.int32)
    for j, domain in enumerate(quasi):
        own[j] = rng.integers(0, domain.codes, alike or individuals)[like]
    records = rng.integers(1, most + 1, individuals)
    of = np.repeat(np.arange(individuals), records)
    codes = own[:, of]
    for j, domain in enumerate(quasi):
        other = rng.random(of.size) < differ
        codes[j, other] = rng.integers(0, domain.codes, int(other.sum()))
    sick = np.concatenate([rng.choice(VALUES, size, replace=False) for size in records]).astype(np.int32)
    data = Microdata(
        quasi,
        np.ascontiguousarray(codes),
        (plain_set("disease", VALUES),),
        sick[None],
        np.arange(of.size),
        individuals=of.astype(np.int64),
    )
    return data.people


def asked(
    data: Microdata, models: Sequence[PrivacyModel], seed: int = 0, allowance: int | None = None
) -> Problem:
    """What a method is asked; by default everybody may be withheld."""
    rng = np.random.default_rng(seed)
    allowed = data.size if allowance is None else allowance
    return Problem(data, require_of(models, data), LOSSES["glm"], rng, allowance=allowed)
