"""A column to be built: a code per record and the label of each code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Labelled:
    """A text column given as codes, so that each label is written once.

    Parameters
    ----------
    codes
        Shape (n,), int32: the index into ``labels`` of each record; -1 makes the cell null.
    labels
        The text of each code; need not be sorted, may repeat.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from likeness.tables import build, read
    >>> like = read(pl.DataFrame({"age": [40, 31]}))
    >>> column = Labelled(np.array([0, 1, -1], dtype=np.int32), ["[18, 39]", "[40, 90]"])
    >>> build(like, {"age": column})["age"].to_list()
    ['[18, 39]', '[40, 90]', None]
    """

    codes: NDArray[np.int32]
    labels: list[str]
