"""What a steward is warned of, whichever command made the release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.grouping import distinct
from likeness.report.people import people_warnings
from likeness.report.undeclared import undeclared_people
from likeness.wording import count

if TYPE_CHECKING:
    from likeness.release import Release


def warnings_of(release: Release) -> list[str]:
    """Collect the warnings about a release, one sentence each.

    Parameters
    ----------
    release
        With its original.
    """
    return [*undeclared_people(release), *people_warnings(release), *values_of_everybody(release)]


def values_of_everybody(release: Release) -> list[str]:
    """Say which sensitive columns have one value only in all published records: no class can hide it.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    list of str
        One sentence per column; nothing of a single record's, which the guarantee speaks of.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 31], "disease": ["flu", "flu"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    >>> values_of_everybody(release)[0][:69]
    "all 2 published records have the same value of 'disease': everybody l"
    """
    private = release.private
    data, published = private.encoded.data, private.solution.plan.published
    number = int(np.count_nonzero(published))
    which = "the only published record has one value" if number == 1 else (
        f"all {count(number, 'published record')} have the same value"
    )  # fmt: skip
    return [
        f"{which} of {domain.name!r}: everybody learns it of everybody in the release; give the column the role other or drop if "
        "that is all right, else do not hand it out"
        for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True)
        if distinct(codes[published]).size == 1
    ]
