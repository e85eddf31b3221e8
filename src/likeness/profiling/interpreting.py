"""From a column to its meaning: rules in order, the careful ones first.

A column is never proposed as ``other``: what nothing is known about is taken for a quasi-identifier, which is
published in classes only, and texts that are nearly unique are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.profiling import describing, identifying

if TYPE_CHECKING:
    from likeness.profiling.cells import Cells
    from likeness.profiling.meaning import Meaning

_RULES = (
    identifying.tells_nothing,
    identifying.looks_like_identifier,
    identifying.named_identifier,
    identifying.survey_weight,
    identifying.location,
    describing.time,
    describing.masked_code,
    identifying.unique_text,
    describing.sensitive,
    identifying.unique_number,
)


def interpret(cells: Cells) -> Meaning:
    """Say what a column probably means; the first rule that applies decides.

    Parameters
    ----------
    cells
        The column.

    Examples
    --------
    >>> import polars as pl
    >>> from likeness.profiling.cells import read_cells
    >>> from likeness.tables import read
    >>> table = read(pl.DataFrame({"zip": ["02139", "02141"], "sex": ["f", "m"], "disease": ["flu", "flu"]}))
    >>> [interpret(read_cells(table, name)).role for name in table.names]
    ['quasi', 'quasi', 'drop']
    """
    found = (rule(cells) for rule in _RULES)
    return next((meaning for meaning in found if meaning is not None), None) or describing.quasi(cells)
