"""The declared domain of a column: what it says, and whether the values keep to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from likeness.errors import LikenessError
from likeness.microdata.domain import NUMERIC, Domain
from likeness.tables import texts
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.hierarchies import Hierarchy
    from likeness.microdata.domain import Kind
    from likeness.policy.column import Column
    from likeness.tables import EncodedColumn


class EncodeError(LikenessError):
    """Problems of one column, gathered by `likeness.encode.encode`."""


def check_domain(encoded: EncodedColumn, column: Column) -> None:
    """Refuse values outside the declared domain, and domains of another kind than the values.

    Parameters
    ----------
    encoded
        The column's values.
    column
        What the policy declares.

    Raises
    ------
    EncodeError
        Naming the first value outside.
    """
    if column.domain is None:
        return
    name, values = encoded.name, encoded.values
    if not isinstance(column.domain[0], str):
        if encoded.kind in NUMERIC:
            numbers = Domain(name, cast("Kind", encoded.kind), values, "interval").numbers
        elif column.hierarchy is None:
            raise EncodeError(
                f"column {name!r}: its declared domain [{column.domain[0]}, {column.domain[1]}] is a range of numbers, "
                f"and its values are {encoded.kind}; say kind: integer or real, or list all values"
            )
        else:
            # Read as text for the sake of a hierarchy; the range is one of numbers all the same.
            numbers = np.array([_as_number(label) for label in texts(values)])
        low, high = ends_of(column.domain, encoded.kind)
        outside = texts(values[~((numbers >= low) & (numbers <= high))])
        where = f"outside its declared domain [{column.domain[0]}, {column.domain[1]}]"
        remedy = "; widen it, or declare bottom and top coding"
    else:
        listed = {str(value) for value in column.domain}
        outside = [label for label in texts(values) if label not in listed]
        where, remedy = "not in its declared domain", "; add it, or correct the table"
    if outside:
        more = f" (and {count(len(outside) - 1, 'more value')})" if len(outside) > 1 else ""
        raise EncodeError(f"column {name!r}: {quoted(outside[0])} is {where}{more}{remedy}")


def declared_values(column: Column, hierarchy: Hierarchy | None) -> list[str] | None:
    """List the texts of all values, in order: the declared domain, or the leaves of the hierarchy; None without either."""
    if column.domain is not None:
        return [str(value) for value in column.domain]
    return None if hierarchy is None else list(hierarchy.leaves)


def ends_of(domain: Sequence[Any], kind: str) -> tuple[float, float]:
    """Give both ends of a declared range as numbers; days since 1970 for dates.

    Examples
    --------
    >>> ends_of([0, 110], "integer"), ends_of(["1970-01-02", "1970-01-03"], "date")
    ((0.0, 110.0), (1.0, 2.0))
    """
    if kind != "date":
        return float(domain[0]), float(domain[1])
    days = np.array(domain, "datetime64[D]").astype(np.int64)
    return float(days[0]), float(days[1])


def _as_number(text: str) -> float:
    """Read a number; NaN for anything else."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
