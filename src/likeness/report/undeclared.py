"""People who stand in several records of a table whose policy does not say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.grouping import distinct
from likeness.microdata.individuals import find_individuals
from likeness.wording import count

if TYPE_CHECKING:
    from likeness.release import Release

_LEAST_REPEATED = 0.01
"""Share of records that repeat an identifier, up to which no class is looked at."""


def undeclared_people(release: Release) -> list[str]:
    """Say which identifiers stand for several records each, and how few of them the classes of a release hold.

    Where a policy does not name the column that tells people apart (``individual``), every record is taken as another
    person's: a class of ten records may be one person.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    list of str
        One sentence per identifier that repeats; none where the policy names the individual.
    """
    private = release.private
    encoded, plan = private.encoded, private.solution.plan
    if encoded.data.individuals is not None:
        return []
    classes = plan.classes if plan.buckets is None else plan.buckets
    kept = np.flatnonzero(plan.published)
    found = []
    for name in encoded.with_role("identifier"):
        names = encoded.table.encode(name, kind="text").codes[encoded.data.rows[kept]].astype(np.int64)
        named = names >= 0
        own = classes[kept][named]
        different = distinct(names[named]).size
        if named.sum() - different <= _LEAST_REPEATED * named.sum():
            continue
        people = find_individuals(own, int(own.max(initial=-1)) + 1, names[named])
        filled = people.sizes[people.records > 0]
        if (2 * filled > people.records[people.records > 0]).all():
            # Names that two people share by chance lie in different classes.
            continue
        found.append(
            f"column {name!r} has {count(different, 'value')} in {count(int(named.sum()), 'published record')}: "
            f"if it names people, the smallest class holds {filled.min()} of them, and "
            f"{np.count_nonzero(filled == 1):,} of {count(filled.size, 'class')} a single one; "
            f"say individual: {name} to count people"
        )
    return found
