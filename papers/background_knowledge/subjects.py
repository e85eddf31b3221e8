"""Adult, samples of it as the paper draws them, and generated tables in the place of the BKseq files."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

import likeness as lk
from likeness.datasets.bkseq import HEAVIEST, LIGHTEST, OLDEST, SEXES, YOUNGEST, Bkseq
from likeness.encode import encode
from likeness.errors import TableError
from likeness.knowledge.base import learn
from likeness.policy.parts import read_knowledge
from likeness.tables import read
from papers.figures.data import data_file

if TYPE_CHECKING:
    from likeness.encode import Encoded

ADULT_FILE = "adult/adult_raw_48842.csv"
BANDWIDTH = 0.3
ROWS = 4_000
YOUNGEST_ADULT, OLDEST_ADULT = 17, 90
SPANS = (5, 10, 20, 40)
CATEGORIES = {
    "sex": ("Female", "Male"),
    "education": (
        "10th", "11th", "12th", "1st-4th", "5th-6th", "7th-8th", "9th", "Assoc-acdm", "Assoc-voc", "Bachelors", "Doctorate",
        "HS-grad", "Masters", "Preschool", "Prof-school", "Some-college",
    ),
}  # fmt: skip
ADULT, WHOLE, BKSEQ = "adult", "adult_all", "bkseq"


@dataclass(frozen=True)
class AdultSource:
    """Complete records of Adult: age, sex, education, and the occupation that the adversary is after.

    Parameters
    ----------
    file
        The table.
    rows
        How many are drawn; None for all 45,222, in their order.
    seed
        Of the sample.
    """

    file: Path
    rows: int | None = None
    seed: int = 1

    def table(self) -> pl.DataFrame:
        """Read the records, without those that lack a value."""
        frame = pl.read_csv(self.file, infer_schema_length=None)
        whole = frame.filter(~pl.any_horizontal(pl.col(pl.String) == "?")).select(*self.columns())
        return whole if self.rows is None else whole.sample(min(self.rows, whole.height), seed=self.seed)

    @staticmethod
    def columns(*, trees: bool = False) -> dict[str, Any]:
        """Say what the columns are; categories are plain, or have trees that group nothing."""
        found = {name: lk.quasi() for name in ("age", "sex", "education")} | {"occupation": lk.sensitive()}
        if trees:
            ages = {"age": lk.quasi(hierarchy=_spans(YOUNGEST_ADULT, OLDEST_ADULT))}
            found |= ages | {name: lk.quasi(hierarchy=_flat(labels)) for name, labels in CATEGORIES.items()}
        return found

    def knowledge(self) -> Any:
        """What people with similar quasi-identifiers have; the paper does not say how it got its own."""
        return {"kernel": {"bandwidth": BANDWIDTH}}


@dataclass(frozen=True)
class BkseqSource:
    """The last table of a generated sequence, with the distributions that its results were drawn from.

    Parameters
    ----------
    seed
        Of the sequence.
    rows
        Patients of each table.
    max_jsd
        Largest divergence of two patients, in bits.
    releases
        Tables of the sequence.
    """

    seed: int
    rows: int = ROWS
    max_jsd: float = 0.28
    releases: int = 23

    @property
    def dataset(self) -> Bkseq:
        """What generates it."""
        return Bkseq(releases=self.releases, max_jsd=self.max_jsd)

    def table(self) -> pl.DataFrame:
        """Generate the table."""
        return self.dataset.generate(self.rows, self.seed)

    @staticmethod
    def columns(*, trees: bool = False) -> dict[str, Any]:
        """Say what the columns are; domains are those declared."""
        numbers = {"age": (YOUNGEST, OLDEST), "weight": (LIGHTEST, HEAVIEST)}
        found = {name: lk.quasi(kind="integer", domain=list(ends)) for name, ends in numbers.items()}
        if trees:
            found = {name: lk.quasi(hierarchy=_spans(*ends)) for name, ends in numbers.items()}
        sex = {"sex": lk.quasi(hierarchy=_flat(SEXES)) if trees else lk.quasi()}
        return {"patient_id": lk.drop(), **sex, **found, "result": lk.sensitive()}

    def knowledge(self) -> Any:
        """Give the true distributions."""
        path = _folder() / f"{self.rows}-{self.max_jsd}-{self.releases}-{self.seed}.csv"
        if not path.is_file():
            self.dataset.beside(self.rows, self.seed)["knowledge"].write_csv(path)
        return {"table": str(path)}


Source = AdultSource | BkseqSource


@dataclass(frozen=True)
class Subject:
    """Tables that are measured alike, and averaged.

    Parameters
    ----------
    name
        Short, for folders: ``adult``, ``adult_all`` or ``bkseq``.
    title
        What they are, for the report.
    sources
        The tables.
    """

    name: str
    title: str
    sources: tuple[Source, ...]


def subjects(rows: int, samples: int, seed: int, data: Path | None) -> tuple[list[Subject], list[str]]:
    """Give the tables there are, and say what is missing.

    Parameters
    ----------
    rows
        Of a sample, and of a generated table.
    samples
        How many of each.
    seed
        Of the first; the others have the next ones.
    data
        Folder of the real tables, as `papers.figures.data.data_folder` gives it.
    """
    seeds = range(seed, seed + samples)
    found, missing = [], []
    try:
        whole = AdultSource(data_file(data, ADULT_FILE))
    except TableError as problem:
        missing.append(f"adult is left out: {problem}")
    else:
        drawn = tuple(replace(whole, rows=rows, seed=one) for one in seeds)
        found = [
            Subject(ADULT, f"Adult, {samples} samples of {rows:,} complete records", drawn),
            Subject(WHOLE, "Adult, all 45,222 complete records", (whole,)),
        ]
    generated = tuple(BkseqSource(one, rows) for one in seeds)
    found.append(Subject(BKSEQ, f"bkseq, {samples} generated tables of {rows:,} patients", generated))
    return found, missing


@lru_cache(maxsize=16)
def known(source: Source, *, trees: bool = False) -> Encoded:
    """Encode a table, and learn what the adversary knows of everybody, kept for a while.

    Parameters
    ----------
    source
        The table.
    trees
        Whether all quasi-identifiers have hierarchies. What is known is the same: it is learnt without them.
    """
    policy = lk.Policy(columns=source.columns(trees=trees), privacy=lk.KAnonymity(2))
    encoded = encode(read(source.table()), policy)
    if trees:
        return replace(encoded, data=replace(encoded.data, knowledge=known(source).data.knowledge))
    return learn(encoded, policy, sources=read_knowledge(source.knowledge()))


def unknown(encoded: Encoded) -> Encoded:
    """Take a table as if nothing were known of anybody."""
    return replace(encoded, data=replace(encoded.data, knowledge=()))


def _flat(labels: tuple[str, ...]) -> list[list[str]]:
    """Rows of a hierarchy of one group."""
    return [[label, "*"] for label in labels]


def _spans(first: int, last: int) -> list[list[str]]:
    """Rows of a hierarchy of spans of 5, 10, 20 and 40."""
    return [
        [str(x), *(f"{x // w * w}-{x // w * w + w - 1}" for w in SPANS), "*"] for x in range(first, last + 1)
    ]


@cache
def _folder() -> Path:
    """Where distributions are written, which a policy can name only as a file."""
    return Path(_kept().name)


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    """The folder, until the process ends."""
    return tempfile.TemporaryDirectory()
