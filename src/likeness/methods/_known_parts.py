"""Records that cannot be published in any class, because the adversary knows other sensitive values of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models._requirements import Requirement


def hopeless_records(requirement: Requirement, data: Microdata) -> NDArray[np.bool_]:
    """Find the records whose known sensitive values alone violate a requirement, even in a class of everybody.

    Every part of a class whose records share what the adversary knows must hold. Where the part of the whole table
    does not, at least one smaller part of these records would not either, if the model is closed under union: some of
    them must be withheld, and withholding all of them always helps.

    Parameters
    ----------
    requirement
        A bound model, with sensitive columns taken as known.
    data
        The records.

    Returns
    -------
    (n,) bool
        True also for individuals one of whose records is such a record. All False where nothing is taken as known, or the
        model is not closed under union.
    """
    hopeless = np.zeros(data.size, np.bool_)
    view = requirement.view
    if view is None or not view.known or not requirement.model.closed_under_union:
        return hopeless
    records = data if data.members is None else data.members.records
    of = np.arange(data.size) if data.members is None else data.members.of
    stats = requirement.of_rows(data, hopeless.astype(np.int64), 1)
    known = view.known_codes(data.sensitive, records.sensitive_codes)
    _, part = np.unique(known, return_inverse=True)
    hopeless[of[~requirement.bound.holds(stats)[part]]] = True
    return hopeless
