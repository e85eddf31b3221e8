"""Whether published texts say exactly what stands in the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.microdata.domain import NUMERIC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.tables import EncodedColumn, Labelled


def exact_codes(published: Domain, original: Domain) -> NDArray[np.int64]:
    """(codes,) Original code of every published value; -1 for values that the original does not have.

    Examples
    --------
    >>> from likeness.microdata.domain import Domain
    >>> shown = Domain("disease", "categorical", np.array(["cold", "gout"], object), "set")
    >>> exact_codes(shown, Domain("disease", "categorical", np.array(["cold", "flu"], object), "set"))
    array([ 0, -1])
    """
    if original.kind in NUMERIC and published.kind == original.kind:
        values: list[Any] = original.values.tolist()
        shown: list[Any] = published.values.tolist()
    else:
        values, shown = list(original.labels), list(published.labels)
    rank = {value: code for code, value in enumerate(values)}
    found = [rank.get(value, -1) for value in shown]
    return np.array([*found, *([original.missing_code] if published.missing else [])], np.int64)


def same_cells(original: EncodedColumn, rows: NDArray[np.int64], published: Labelled) -> NDArray[np.bool_]:
    """Decide which published cells are those of the original.

    Parameters
    ----------
    original
        The whole column.
    rows : (n,) int64
        Row of the original of each published row.
    published
        Codes and texts of the n published cells; the empty text where there is nothing.

    Returns
    -------
    (n,) bool
    """
    rank: dict[Any, int] = {value: code for code, value in enumerate(original.values.tolist())}
    found = np.array([_code(text, rank, original.kind) for text in published.labels], np.int64)
    shown = found[published.codes]
    own = original.codes[rows].astype(np.int64)
    # A missing cell and an empty text are the same in CSV.
    empty = rank.get("", -1) if original.kind == "text" else -1
    return np.asarray((shown == own) | ((shown == -1) & (own == empty)))


def _code(text: str, rank: dict[Any, int], kind: str) -> int:
    """Code of a published text in the original; -1 for an empty cell, -2 for what is not there."""
    if kind == "text":
        return -1 if text == "" else rank.get(text, -2)
    if text == "":
        return -1
    try:
        return rank.get(_value(text, kind), -2)
    except ValueError:
        return -2


def _value(text: str, kind: str) -> Any:
    """Read a text as a value of a kind."""
    if kind == "integer":
        return int(text)
    if kind == "real":
        return float(text)
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower())
    return np.datetime64(text, "D").astype("datetime64[D]").tolist()
