"""Perturbed and baseline releases hold, by a plain reading of their texts, and lose nobody; folders verify."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from tests.oracles import models as oracles
from tests.properties.cases import Case, cases

import likeness as lk
from likeness import registry
from likeness.forms.base import as_labelled
from likeness.microdata.domain import Domain
from likeness.tables import read_published

FEW = settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
GUARANTEES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("basic-beta-likeness", {"beta": "1/2"}),
    ("beta-likeness", {"beta": 2}),
    ("beta-likeness", {"beta": "1/5"}),
    ("alpha-k-anonymity", {"alpha": "2/3", "k": 1}),
    ("rho-privacy", {"rho2": "0.8"}),
)


@st.composite
def asked(draw: st.DrawFn, method: str) -> tuple[Case, tuple[str, dict[str, Any]], int, lk.Policy]:
    """A table with one sensitive column, a guarantee for it, and a policy."""
    # Its own models are not asked, nor the categories that these would need.
    case = replace(draw(cases(most=30)), models=[])
    assume(len(case.sensitive) == 1)
    name, given_ = draw(st.sampled_from(GUARANTEES))
    k = draw(st.sampled_from([1, 1, 2]))
    policy = case.policy(
        method={"name": method},
        form={"name": "perturbed" if method == "perturbation" else method},
        privacy=[lk.KAnonymity(k), registry.create("models", name, given_)],
        output={},
        withhold={"at_most": 1},
    )
    return case, (name, given_), k, policy


def release_of(case: Case, policy: lk.Policy) -> lk.Release | None:
    try:
        return lk.anonymize(case.frame, policy)
    except lk.InvalidError as error:
        event("refused")
        assert any(words in str(error) for words in case.refusals), error
    except lk.CannotBeMetError as error:
        event("cannot be met")
        assert error.problems[0].startswith("cannot be met: ")
    return None


def plain_tables(case: Case, release: lk.Release, *, written: bool) -> dict[str, pl.DataFrame]:
    """The published texts; now and then those of files, which are verified."""
    assert release.verify().ok
    if not written:
        tables = {
            name: {key: as_labelled(own) for key, own in t.items()} for name, t in release.columns.items()
        }
        return {
            name: pl.DataFrame({key: [own.labels[code] for code in own.codes] for key, own in t.items()})
            for name, t in tables.items()
        }
    with tempfile.TemporaryDirectory() as folder:
        place = release.write(Path(folder) / "out")
        verdict = lk.verify(place, case.frame)
        assert verdict.ok, verdict.lines()
        return {path.stem: read_published(path).frame for path in (place / "public").glob("*.csv")}


SELDOM = st.sampled_from([False] * 7 + [True])


@pytest.mark.slow
@given(drawn=asked("perturbation"), alone=st.booleans(), written=SELDOM)
@FEW
def test_the_published_matrix_protects(drawn, alone, written):
    case, (name, given_), k, policy = drawn
    if alone:
        policy = policy.replace(privacy=policy.privacy[1:])
        k = 1
    release = release_of(case, policy)
    if release is None:
        return
    event("released")
    (sensitive,) = case.sensitive
    tables = plain_tables(case, release, written=written)
    shown, matrix = tables["release"], tables["perturbation"]
    counts = dict(zip(tables["distribution"][sensitive], tables["distribution"].to_series(1), strict=True))
    names = matrix["published \\ original"].to_list()
    pm = {row: [Fraction(x) for x in list(matrix.row(i))[1:]] for i, row in enumerate(names)}
    for i in range(len(names)):
        assert sum(row[i] for row in pm.values()) == 1
    reference = [int(counts[value]) for value in names]
    assert sum(reference) == shown.height == release.certificate.records
    domain = Domain("s", "categorical", np.array(names, object), "set")
    for row in pm.values():
        scaled = [int(n * share * 10**15) for n, share in zip(reference, row, strict=True)]
        plain = getattr(oracles, name.replace("-", "_"))
        assert not any(scaled) or plain(scaled, reference, domain, **given_)
    kept = [int(row) for row in shown["row"]]
    assert len(set(kept)) == len(kept)
    assert set(kept) <= set(case.kept)
    # The numbers of records are those of the published people's own values.
    assert sorted(reference) == sorted(Counter(case.truth(row)[sensitive] for row in kept).values())
    assert set(shown[sensitive]) <= set(names)
    alike = shown.group_by([name for name in shown.columns if name not in {sensitive, "row"}]).len()
    assert alike["len"].min() >= k


@pytest.mark.slow
@given(drawn=asked("baseline"), written=SELDOM)
@settings(FEW, max_examples=25)
def test_the_baseline_publishes_no_link(drawn, written):
    case, _, k, policy = drawn
    release = release_of(case, policy)
    if release is None:
        return
    event("released")
    (sensitive,) = case.sensitive
    tables = plain_tables(case, release, written=written)
    assert set(tables["release"].columns) == {*case.quasi, "row"}
    kept = [int(row) for row in tables["release"]["row"]]
    found = sorted(int(count) for count in tables["distribution"].to_series(1))
    assert found == sorted(Counter(case.truth(row)[sensitive] for row in kept).values())
    assert tables["release"].group_by(list(case.quasi)).len()["len"].min() >= k
