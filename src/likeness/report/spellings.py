"""People who are written in several ways, and so count as several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from likeness.wording import count

if TYPE_CHECKING:
    from likeness.release import Release

_SHOWN = 3


def spelling_findings(release: Release) -> list[tuple[str, bool]]:
    """Say how many names of people differ from another in nothing but spaces, capital letters, leading zeros or decimal places.

    Names are compared as they are written, so ``p7`` and ``P7`` are two people. If they are one, classes hold fewer people
    than they are proven to hold.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    list of (str, bool)
        One sentence, to be warned of, where there are such names; else nothing.
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
    first = " and ".join(repr(text) for text in alike[0][:_SHOWN])
    people = sum(map(len, alike))
    line = (
        f"column {name!r}: {people:,} of {count(len(names), 'person')} differ from another only in spaces, capital letters, "
        f"leading zeros or decimal places, such as {first}; if they are one, classes hold fewer people than is proven: "
        "write each person in one way"
    )
    return [(line, True)]


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
