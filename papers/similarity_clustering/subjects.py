"""The two tables: the first 5,000 complete records of Adult, and a generated stand-in for the private ISP table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.datasets.files import adult, adult_hierarchies
from likeness.datasets.isp import OLDEST, YOUNGEST, Isp
from likeness.errors import TableError

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

ADULT_ROWS = 5_000


@dataclass(frozen=True, eq=False)
class Subject:
    """A table to publish.

    Parameters
    ----------
    name
        Short, for folders.
    title
        What it is, for the report.
    table
        The records.
    panels
        The paper's names of its two panels of figure 5.
    quasi
        The quasi-identifiers: age, sex, and the one with many categories.
    hierarchies
        A hierarchy for each, for the algorithms that need one.
    sensitive
        The sensitive column.
    """

    name: str
    title: str
    table: pl.DataFrame
    panels: tuple[str, str]
    quasi: tuple[str, str, str]
    hierarchies: dict[str, Any]
    sensitive: str

    @property
    def place(self) -> str:
        """The quasi-identifier with many categories."""
        return self.quasi[2]


def subjects(data: Path | None, seed: int) -> tuple[list[Subject], list[str]]:
    """Give the tables there are, and say what is missing.

    Parameters
    ----------
    data
        Folder of the real tables; None to look where LIKENESS_DATA says.
    seed
        Of the generated table.
    """
    found, missing = [], []
    names = ("age", "sex", "native-country")
    try:
        table = adult(data)[:ADULT_ROWS]
        files = adult_hierarchies(data)
    except TableError as problem:
        missing.append(f"adult is left out: {problem}")
    else:
        hierarchies: dict[str, Any] = {name: str(files[name]) for name in names}
        title = f"Adult, its first {ADULT_ROWS:,} complete records"
        found.append(Subject("adult", title, table, ("5a", "5b"), names, hierarchies, "salary-class"))
    isp = Isp()
    hierarchies = {"age": _ages(YOUNGEST, OLDEST), "location": isp.hierarchies()["location.csv"]}
    names = ("age", "sex", "location")
    title = "a generated stand-in for the ISP table, 5,750 records"
    table = isp.generate(seed=seed)
    found.append(Subject("isp", title, table, ("5c", "5d"), names, hierarchies, "monthly_charge"))
    return found, missing


def _ages(first: int, last: int) -> list[list[str]]:
    """Rows of a hierarchy of ages: runs of 5, 10 and 20 years."""
    widths = (5, 10, 20)
    return [
        [str(age), *(f"{age // width * width}-{age // width * width + width - 1}" for width in widths), "*"]
        for age in range(first, last + 1)
    ]
