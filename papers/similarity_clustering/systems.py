"""The algorithms that are compared, each as a policy on one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import likeness as lk
from likeness.microdata.regions import LOSSES, region_losses

if TYPE_CHECKING:
    from likeness.microdata.regions import AttributeRegions
    from papers.similarity_clustering.subjects import Subject

SBCA = "SBCA"
SBCA_ORDER = "SBCA (ties in order)"
UTD = "Mondrian (UTD)"
UTD_ALPHABETICAL = "Mondrian (UTD, alphabetical)"
MAJORITY = "Mondrian (UTD, majority first)"
TIGHT = "Mondrian (tight regions, majority first)"
OWN = "Mondrian (least loss)"
INCOGNITO = "Incognito"
DATAFLY = "Datafly"
K_MEMBER = "k-member"
MDAV = "MDAV"


@dataclass(frozen=True)
class System:
    """One algorithm and how it sees the categories.

    Parameters
    ----------
    method
        The method.
    hierarchies
        Whether it generalizes along hierarchies.
    first_seen
        Whether the many categories are numbered in the order they appear in, as the UTD toolbox was probably run; else by
        name.
    majority_first
        Whether the more frequent sex has the lower code, so that a median can divide the two.
    """

    method: Any
    hierarchies: bool = False
    first_seen: bool = False
    majority_first: bool = False


SYSTEMS = {
    SBCA: System(lk.Sbca()),
    SBCA_ORDER: System(lk.Sbca(ties="order")),
    UTD: System(lk.Mondrian(cut="utd"), first_seen=True),
    UTD_ALPHABETICAL: System(lk.Mondrian(cut="utd")),
    MAJORITY: System(lk.Mondrian(cut="utd"), first_seen=True, majority_first=True),
    TIGHT: System(lk.Mondrian(cut="all"), first_seen=True, majority_first=True),
    OWN: System(lk.Mondrian(loss="ncp")),
    INCOGNITO: System(lk.Incognito(loss="ncp"), hierarchies=True),
    DATAFLY: System(lk.Datafly(), hierarchies=True),
    K_MEMBER: System(lk.KMember(loss="ncp")),
    MDAV: System(lk.Mdav()),
}


def publish(subject: Subject, name: str, k: int, seed: int) -> lk.Release:
    """Make the release of one algorithm; the UTD toolbox lets full-domain algorithms withhold k records."""
    system = SYSTEMS[name]
    columns: dict[str, Any] = {column: lk.drop() for column in subject.table.columns}
    columns[subject.sensitive] = lk.sensitive()
    for column in subject.quasi:
        has_hierarchy = system.hierarchies and column in subject.hierarchies
        columns[column] = lk.quasi(hierarchy=subject.hierarchies[column]) if has_hierarchy else lk.quasi()
    if system.first_seen:
        seen = subject.table[subject.place].unique(maintain_order=True).to_list()
        columns[subject.place] = lk.quasi(kind="ordered", domain=seen)
    if system.majority_first:
        by_frequency = subject.table["sex"].value_counts(sort=True)["sex"].to_list()
        columns["sex"] = lk.quasi(kind="ordered", domain=by_frequency)
    at_most = k / subject.table.height if system.hierarchies else 0
    policy = lk.Policy(
        columns=columns, privacy=lk.KAnonymity(k), method=system.method, withhold={"at_most": at_most}
    )
    return lk.anonymize(subject.table, policy, seed=seed)


def lost(release: lk.Release) -> dict[str, float]:
    """NCP of every attribute (equations 1 and 2), a withheld cell counting 1, categories by the number of their values.

    The UTD toolbox codes categories as numbers, but the paper measures them as sets: so do we, however they were coded.
    """
    evaluation = release.evaluation
    sizes = np.bincount(
        evaluation.plan.classes[evaluation.plan.published], minlength=evaluation.recoding.classes
    )
    return {
        regions.domain.name: (float(sizes @ _cells(regions)[regions.of]) + evaluation.plan.withheld)
        / evaluation.data.size
        for regions in evaluation.recoding.attributes
    }


def _cells(regions: AttributeRegions) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Loss of every distinct region."""
    domain = regions.domain
    if domain.kind == "ordered":
        values = (regions.high - regions.low + 1).astype(np.float64)
        return np.where(values > 1, values / domain.codes, 0.0)
    return region_losses(regions, LOSSES["ncp"])


def total(release: lk.Release) -> float:
    """NCP of the whole release."""
    own = lost(release)
    return sum(own.values()) / len(own)
