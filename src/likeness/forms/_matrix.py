r"""The table ``perturbation``: the matrix PM of a mechanism as exact decimals, values as rows and columns.

The first column says which way the matrix lies, ``published \ original``, and holds the published values; every other
column is an original value. Values are written as in the release, save in the names of columns, which must not be empty:

========================================  ======================================
value                                     name of its column
========================================  ======================================
``flu``                                   ``flu``
the missing value                         ``{}``
three blanks                              a backslash before each
========================================  ======================================
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.forms._columns import exact_labels
from likeness.forms._exact import column_of
from likeness.forms._text import MISSING, read_value, write_value
from likeness.microdata.mechanism import MOST_VALUES, SCALE, Mechanism
from likeness.tables import Labelled, must_read
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.forms._base import Columns
    from likeness.forms._distribution import Distribution
    from likeness.microdata.domain import Domain

PERTURBATION = "perturbation"
"""The name of the table."""
ORIENTATION = r"published \ original"
"""The head of its first column. No value is written so: a backslash in a value is doubled."""
_MISSING_COLUMN = "{}"
_DECIMALS = len(str(SCALE)) - 1
_PROBABILITY = re.compile(rf"[01](?:\.[0-9]{{1,{_DECIMALS}}})?")


def publish_matrix(domain: Domain, mechanism: Mechanism) -> dict[str, Any]:
    """Publish the matrix of a mechanism, for the values that occur.

    Parameters
    ----------
    domain
        The sensitive attribute.
    mechanism
        Its mechanism, over all codes of the domain.

    Returns
    -------
    dict
        Columns of texts.
    """
    active = mechanism.active
    values: list[str | None] = [
        None if code == domain.missing_code else domain.labels[code] for code in active
    ]
    rows = [MISSING if value is None else write_value(value) for value in values]
    columns: dict[str, Any] = {ORIENTATION: Labelled(np.arange(active.size, dtype=np.int32), rows)}
    factor = SCALE // mechanism.scale
    for value, code in zip(values, active.tolist(), strict=True):
        numerators, codes = np.unique(mechanism.numerators[active, code], return_inverse=True)
        texts = [_decimal(number * factor) for number in numerators.tolist()]
        columns[name_column(value)] = Labelled(codes.astype(np.int32), texts)
    return columns


def name_column(value: str | None) -> str:
    r"""Name the column of a value; `read_column` reads it back.

    Parameters
    ----------
    value
        None is the missing value.

    Examples
    --------
    >>> name_column("flu"), name_column(None), name_column("  ")
    ('flu', '{}', '\\ \\ ')
    """
    if value is None:
        return _MISSING_COLUMN
    text = write_value(value)
    return text if text.strip() else "".join(f"\\{character}" for character in value)


def read_column(name: str) -> str | None:
    """Read the value that a column is named after.

    Examples
    --------
    >>> read_column("flu"), read_column("{}")
    ('flu', None)
    """
    return None if name == _MISSING_COLUMN else read_value(name)


def read_matrix(table: Columns, distribution: Distribution) -> Mechanism:
    """Read the published matrix.

    Parameters
    ----------
    table
        The columns of the table ``perturbation``.
    distribution
        The values there are, and how many records have each: the counts of the mechanism.

    Raises
    ------
    TableError
        When it is no matrix of probabilities over these values; says which row or column is wrong.
    """
    first = column_of(PERTURBATION, table, ORIENTATION)
    names = [name for name in table if name != ORIENTATION]
    for name in names:
        _check_name(name)
    across = distribution.find(PERTURBATION, [read_column(name) for name in names])
    down = distribution.find(PERTURBATION, exact_labels(first.labels, distribution.note))[first.codes]
    _check_values("row", down, distribution)
    _check_values("column", across, distribution)
    # Declared values that nobody has count too: the matrix has the square of all.
    most = max(down.size, distribution.counts.size)
    if most > MOST_VALUES:
        raise TableError(
            f"table {PERTURBATION!r}: it has {count(most, 'value')}; at most {MOST_VALUES} are supported"
        )
    numerators = np.zeros((distribution.counts.size, distribution.counts.size), np.int64)
    for name, code in zip(names, across.tolist(), strict=True):
        numerators[down, code] = _read_entries(name, table[name].labels)[table[name].codes]
        total = int(numerators[:, code].sum())
        if total != SCALE:
            raise TableError(
                f"table {PERTURBATION!r}: the column {name!r} must sum to 1; it sums to {_decimal(total)}"
            )
    mechanism = Mechanism(distribution.counts, numerators)
    problems = mechanism.problems() if distribution.counts.any() else []
    if problems:
        raise TableError(*(f"table {PERTURBATION!r}: {problem}" for problem in problems))
    return mechanism


def _check_name(name: str) -> None:
    """Refuse a name of a column that is not the one its value gives it."""
    wrong = must_read(name, name_column(read_column(name)))
    if wrong is not None:
        raise TableError(f"table {PERTURBATION!r}: the name of a column: {wrong}")


def _check_values(what: str, codes: NDArray[np.int32], distribution: Distribution) -> None:
    """Refuse a value that has no row or column, or two."""
    times = np.bincount(codes, minlength=distribution.counts.size)
    for wrong, has in (
        (times > 1, f"more than one {what}"),
        ((times == 0) & (distribution.counts > 0), f"no {what}"),
    ):
        if wrong.any():
            value = distribution.name(int(np.argmax(wrong)))
            raise TableError(f"table {PERTURBATION!r}: the value {value} has {has}; every value has one")


def _read_entries(name: str, texts: Sequence[str]) -> NDArray[np.int64]:
    """Read probabilities as multiples of 1 / SCALE."""
    found = []
    for text in texts:
        whole, _, decimals = text.partition(".")
        numerator = int(whole + decimals.ljust(_DECIMALS, "0")) if _PROBABILITY.fullmatch(text) else SCALE + 1
        if numerator > SCALE:
            raise TableError(
                f"table {PERTURBATION!r}, column {name!r}: {quoted(text)} is not a probability of at most {_DECIMALS} decimals"
            )
        wrong = must_read(text, _decimal(numerator))
        if wrong is not None:
            raise TableError(f"table {PERTURBATION!r}, column {name!r}: {wrong}")
        found.append(numerator)
    return np.array(found, np.int64)


def _decimal(numerator: int) -> str:
    """Write a multiple of 1 / SCALE.

    Examples
    --------
    >>> _decimal(SCALE), _decimal(0), _decimal(SCALE // 4)
    ('1', '0', '0.25')
    """
    whole, rest = divmod(numerator, SCALE)
    return f"{whole}.{rest:0{_DECIMALS}d}".rstrip("0").rstrip(".")
