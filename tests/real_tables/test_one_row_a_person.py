"""INFORMS 2005: everybody's diagnoses as one set, and people of several categories in buckets."""

from __future__ import annotations

import numpy as np
import pytest

import likeness as lk
from likeness.encode import encode
from papers.identity_reserved.real import HIERARCHIES, informs_2005
from papers.two_tables.severity import severity

NUMBERS = ("month", "year", "educ_year")
OTHERS = ("gender", "race", "marry", "poverty", "hispanx")


@pytest.fixture(scope="module")
def informs(data_folder):
    return informs_2005(data_folder)


@pytest.fixture(scope="module")
def tree(data_folder):
    """The ICD-9 codes by ranges, shorter paths padded below."""
    lines = (data_folder / HIERARCHIES / "informs_ICD9.txt").read_text().splitlines()
    rows = [line.split(";") for line in lines]
    width = max(map(len, rows))
    return [[row[0]] * (width - len(row)) + row for row in rows]


def columns(**sensitive):
    return {
        "patient_id": lk.identifier(),
        **{name: lk.quasi(kind="integer") for name in NUMBERS},
        **{name: lk.quasi() for name in OTHERS},
        "diagnosis": lk.sensitive(**sensitive),
    }


@pytest.mark.slow
@pytest.mark.parametrize(("k", "l", "sets", "lost"), [(2, 2, 6_794, 0.2970), (10, 3, 988, 0.6077)])
def test_sets_of_diagnoses(informs, tree, k, l, sets, lost):  # noqa: E741
    policy = lk.Policy(
        columns=columns(hierarchy=tree),
        individual="patient_id",
        privacy=lk.KlDiversity(k, l),
        method=lk.OneToManyGeneralization(k),
    )
    data = encode(lk.read(informs), policy).data
    assert data.size == 26_854
    own = data.sensitive[0].sets
    assert own.count == sets
    assert np.bincount(data.sensitive_codes[0]).min() >= k
    found = own.losses(data.source.records.sensitive_codes[0], data.sensitive_codes[0][data.source.of])
    assert found.size == 98_703
    assert found.mean() == pytest.approx(lost, abs=5e-5)
    release = lk.anonymize(informs, policy, seed=1)
    assert release.verify().status == "proven"
    assert release.certificate.records == 26_854


@pytest.mark.slow
def test_the_tight_link_costs_what_the_loose_one_does_not(informs):
    loss = {}
    for link in ("tight", "loose"):
        policy = lk.Policy(
            columns=columns(),
            individual="patient_id",
            categories={"diagnosis": severity(informs["diagnosis"])},
            privacy=[lk.KAnonymity(5), lk.PPlusSensitivity(2), lk.AlphaKAnonymity("1/2", 5)],
            method=lk.PlAngelization(link=link),
        )
        release = lk.anonymize(informs, policy, seed=1)
        assert release.verify().status == "proven"
        loss[link] = release.loss("ncp")["ncp"]
        assert release.certificate.records == 26_854
    assert loss == {"tight": pytest.approx(0.744, abs=5e-4), "loose": pytest.approx(0.0529, abs=5e-5)}
