"""What a steward is warned of, whichever command made the release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.microdata.grouping import distinct
from likeness.report.people import people_warnings
from likeness.report.undeclared import undeclared_people
from likeness.tables import EncodedColumn
from likeness.tables.formulas import are_formulas
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from likeness.release import Release


def warnings_of(release: Release) -> list[str]:
    """Collect the warnings about a release, one sentence each.

    Parameters
    ----------
    release
        With its original.
    """
    return [
        *undeclared_people(release),
        *people_warnings(release),
        *values_of_everybody(release),
        *formulas_in(release),
    ]


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


def formulas_in(release: Release) -> list[str]:
    """Say which published texts a spreadsheet program would run as formulas, unless they are escaped.

    Parameters
    ----------
    release
        Any.

    Returns
    -------
    list of str
        One sentence per column that holds or is named by such a text.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 31], "note": ["=1+1", "-5"]})
    >>> columns = {"age": lk.quasi(), "note": lk.other()}
    >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    >>> formulas_in(release)[0][:69]
    "column 'note': 1 published cell begins as a formula does, such as '=1"
    """
    if release.certificate.formulas == "escape":
        return []
    remedy = "; a spreadsheet program that opens the release may run it: say output: {formulas: escape}, or correct the table"
    found: dict[str, str] = {}
    for columns in release.columns.values():
        named = are_formulas(pl.Series(list(columns), dtype=pl.String))
        for name in pl.Series(list(columns), dtype=pl.String).filter(named):
            found[name] = f"the name of the column {quoted(name)} begins as a formula does{remedy}"
        for name, column in columns.items():
            if isinstance(column, EncodedColumn) and column.kind != "text":
                continue
            labels = column.values.tolist() if isinstance(column, EncodedColumn) else column.labels
            which = are_formulas(pl.Series(labels, dtype=pl.String)).to_numpy()
            # The last entry stands for missing cells.
            cells = np.append(which, np.False_)[column.codes]
            number = int(np.count_nonzero(cells))
            if number:
                example = quoted(labels[int(column.codes[int(np.argmax(cells))])])
                begins = "begins as a formula does" if number == 1 else "begin as formulas do"
                found.setdefault(
                    name,
                    f"column {name!r}: {count(number, 'published cell')} {begins}, such as {example}{remedy}",
                )
    return list(found.values())
