"""One column as small integers: which of its distinct values each record has."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STORED = {"integer": "<i8", "real": "<f8", "date": "<M8[D]"}


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """A column as codes into its distinct values.

    Parameters
    ----------
    name
        The column's name.
    kind
        ``"integer"``, ``"real"``, ``"date"``, ``"boolean"`` or ``"text"``.
    codes
        Shape (n,), int32: the index into ``values`` of each record; -1 where the value is missing.
    values
        Shape (m,): the distinct values that occur, ascending; int64, float64, datetime64[D], bool,
        or an object array of str, by kind.

    Examples
    --------
    >>> import polars as pl
    >>> from likeness.tables import read
    >>> age = read(pl.DataFrame({"age": [40, 31, None, 40]})).encode("age")
    >>> age.codes.tolist(), age.values.tolist(), age.counts().tolist(), age.missing
    ([1, 0, -1, 1], [31, 40], [1, 2], 1)
    """

    name: str
    kind: str
    codes: NDArray[np.int32]
    values: NDArray[Any]

    def counts(self) -> NDArray[np.int64]:
        """Count the records of each value.

        Returns
        -------
        NDArray[np.int64]
            Shape (m,); missing records are counted nowhere.
        """
        # Shifting by one gives the missing records a bin of their own, which is then left out.
        return np.bincount(self.codes + np.int32(1), minlength=len(self.values) + 1)[1:]

    def digest(self) -> bytes:
        """SHA-256 of the values and of which record has which; truth values are texts."""
        if self.kind in _STORED:
            what, values = self.kind, np.ascontiguousarray(self.values.astype(_STORED[self.kind])).tobytes()
        else:
            texts = [str(value) for value in self.values.tolist()]
            if self.kind == "boolean":
                texts = [text.lower() for text in texts]
            lengths = np.array(list(map(len, texts)), "<i8").tobytes()
            what, values = "text", lengths + "".join(texts).encode("utf-8", "surrogatepass")
        found = sha256(f"{what} {len(self.values)} {len(self.codes)} ".encode())
        found.update(values)
        found.update(np.ascontiguousarray(self.codes, "<i4").data)
        return found.digest()

    @property
    def missing(self) -> int:
        """The number of records whose value is missing."""
        return int(np.count_nonzero(self.codes < 0))
