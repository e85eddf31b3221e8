"""People who are written in several ways, and so count as several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from likeness.report.finding import Finding
from likeness.wording import count

if TYPE_CHECKING:
    from likeness.release import Release

_SHOWN = 3


def spelling_findings(release: Release) -> list[Finding]:
    """Say how many names of people differ from another in nothing but spaces, capital letters, leading zeros or decimal places.

    Names are compared as they are written, so ``p7`` and ``P7`` are two people. If they are one, classes hold fewer people
    than they are proven to hold.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    list of Finding
        One, to be warned of, where there are such names; else none.
    """
    private = release.private
    name = private.policy.individual
    if name is None:
        return []
    table, missing = private.encoded.table, private.policy.missing_of(name)
    names = table.encode(name, missing=missing.markers, kind="text").values.tolist()
    alike = _alike(pl.Series("name", names, dtype=pl.String))
    if not alike:
        return []
    facts = {
        "column": name,
        "alike": sum(map(len, alike)),
        "people": len(names),
        "such_as": alike[0][:_SHOWN],
    }
    return [Finding("people-written-in-several-ways", facts, _written_otherwise)]


def _written_otherwise(*, column: str, alike: int, people: int, such_as: list[str]) -> str:
    """Say how many people may be one."""
    return (
        f"column {column!r}: {alike:,} of {count(people, 'person')} differ from another only in spaces, capital letters, "
        f"leading zeros or decimal places, such as {' and '.join(map(repr, such_as))}; if they are one, classes hold fewer "
        "people than is proven: write each person in one way"
    )


def _alike(names: pl.Series) -> list[list[str]]:
    """Names that are the same but for spaces, capital letters, leading zeros or decimal places that are zeros.

    Examples
    --------
    >>> _alike(pl.Series("name", ["p7", "P7 ", "7", "007", "7.0", "70", "p8"]))
    [['p7', 'P7 '], ['7', '007', '7.0']]
    """
    bare = (
        pl.col("name")
        .str.replace_all(r"\s+", "")
        .str.to_lowercase()
        .str.replace(r"^0+([0-9])", "$1")
        .str.replace(r"^([0-9]+)[.,]0+$", "$1")
    )
    groups = names.to_frame().group_by(bare.alias("bare"), maintain_order=True).agg("name")
    return groups.filter(pl.col("name").list.len() > 1)["name"].to_list()
