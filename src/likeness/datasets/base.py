"""What every dataset is: a table to generate, with what belongs to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import polars as pl


class Dataset(ABC):
    """A table to generate; a small frozen value."""

    default_rows: ClassVar[int | None] = None
    """Rows of the table unless told otherwise; None where it has a size of its own."""

    @abstractmethod
    def generate(self, rows: int | None = None, seed: int = 0) -> pl.DataFrame:
        """Generate the table.

        Parameters
        ----------
        rows
            How many; None for as many as `default_rows` says.
        seed
            The same seed makes the same table.
        """

    def hierarchies(self) -> dict[str, list[list[str]]]:
        """Give the hierarchies of its columns by the name of their file; none unless it has some."""
        return {}

    def policy(self) -> dict[str, Any] | None:
        """Give a policy for it, as a policy file holds it; None where it has none."""
        return None
