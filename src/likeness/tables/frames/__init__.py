"""The frame libraries: one module each, the same functions in all, imported when such a frame is seen."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from likeness.tables.columns import Distinct

_MODULES = {"polars": "polars_frame", "pandas": "pandas_frame", "pyarrow": "arrow_frame"}


class FrameLibrary(Protocol):
    """What every module of this package can do with a frame of its library."""

    def names(self, frame: Any) -> list[str]:
        """Column names, in order, as text."""

    def height(self, frame: Any) -> int:
        """Count the rows."""

    def unusable(self, frame: Any) -> dict[str, str]:
        """Columns whose cells are not single values, with their type."""

    def distinct(self, frame: Any, position: int) -> Distinct:
        """Turn the column at `position` into codes and distinct values."""

    def order(self, frame: Any, position: int) -> tuple[list[str], bool] | None:
        """The categories of the column's type in their order, as text, and whether the type says that it is one."""

    def take(self, frame: Any, rows: NDArray[np.int64], positions: Sequence[int]) -> Any:
        """Those rows of those columns."""

    def column(self, frame: Any, rows: NDArray[np.int64], position: int) -> Any:
        """One column of those rows; its type keeps only categories that they have."""

    def unpacked(self, frame: Any) -> Any:
        """The frame with columns of text as text, as it came."""

    def preview(self, frame: Any, rows: int) -> tuple[str, str]:
        """Show the first rows as text and as HTML."""

    def texts(self, codes: NDArray[np.int32], labels: Sequence[str]) -> Any:
        """Make a text column from codes into labels; -1 is null."""

    def array(self, values: NDArray[Any], valid: NDArray[np.bool_] | None) -> Any:
        """Make a typed column; null where not valid."""

    def assemble(self, like: Any, columns: Mapping[str, Any], rows: NDArray[np.int64] | None) -> Any:
        """Make a frame of these columns."""


def library(name: str) -> FrameLibrary:
    """Import the module for frames of this library (``polars``, ``pandas``, ``pyarrow``)."""
    return cast("FrameLibrary", import_module(f"{__name__}.{_MODULES[name]}"))


def library_of(frame: Any) -> str | None:
    """Name the library a frame belongs to; None for anything else. Imports none of them."""
    for name, kind in (("polars", "DataFrame"), ("pandas", "DataFrame"), ("pyarrow", "Table")):
        # Whoever holds a frame has its library loaded already.
        loaded = sys.modules.get(name)
        if loaded is not None and isinstance(frame, getattr(loaded, kind)):
            return name
    return None
