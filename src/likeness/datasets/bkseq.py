"""Patients whose exam depends on sex, age and weight, in a sequence of tables, made to the facts of the BKseq files."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, ClassVar

import numpy as np
import polars as pl

from likeness.datasets.base import Dataset, Draws, Integers, Reals, check_size
from likeness.errors import InvalidError

SEXES = ("Female", "Male")
YOUNGEST, OLDEST = 20, 80
LIGHTEST, HEAVIEST = 45, 110
MEANS = (66, 78)
SPREAD = 11
UNIT = 10**9
"""Shares are whole multiples of 1 / UNIT, so that they are written exactly and draws need nothing else."""
_SQUARINGS = 20
_GRID = 5
_HALVINGS = 40
_TERMS = 24


@dataclass(frozen=True)
class Bkseq(Dataset):
    """Patients of 23 weeks: an exam that depends on sex, age and weight, and on its last result, both known exactly.

    The BKseq files of Amiri et al. 2016 (section 5) are not public; this has their facts: 23 tables of about 4,000 records,
    quasi-identifiers sex, age and weight, the result of an exam, and what is known of it. A patient with quasi-identifiers q has
    results ω(q) = softmax(b + s X(q) C), where X are sex, age, weight, age times weight and age squared, C is drawn, and s is
    such that the two of a grid of patients who differ most are ``max_jsd`` bits apart (Jensen-Shannon). Later results are those
    of a mixture: with probability ``memory`` of T, which keeps the last result with probability ``stickiness``, else of ω(q).
    Where max_jsd is .28, everybody is one cluster from J = .3 on.

    The table is the last of the sequence; with it come the earlier ones, ω of its patients (``knowledge``, as the source
    ``table`` reads it) and T (``transitions``).

    Parameters
    ----------
    releases
        Number of tables.
    churn
        Share of the patients of a table who are not in the next one, 0 to 1; as many others come.
    max_jsd
        Largest divergence of ω, in bits: 0 to .99.
    stickiness
        Probability that T keeps a result, 0 to 1.
    memory
        Share of results, from the second table on, that T tells, 0 to 1.
    results
        Number of possible results, 2 to 26.

    Examples
    --------
    >>> Bkseq().generate(rows=3, seed=1).columns
    ['patient_id', 'sex', 'age', 'weight', 'result']
    """

    default_rows: ClassVar[int] = 4_000

    releases: int = 23
    churn: float = 0.1
    max_jsd: float = 0.28
    stickiness: float = 0.8
    memory: float = 0.3
    results: int = 10

    def __post_init__(self) -> None:
        """Refuse numbers that are none of these."""
        most = len(ascii_uppercase)
        wrong = [
            f"bkseq: {name} must be a whole number from {low} to {high}; got {value!r}"
            for name, value, low, high in (
                ("releases", self.releases, 1, 1_000),
                ("results", self.results, 2, most),
            )
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high
        ]
        wrong += [
            f"bkseq: {name} must be a number from 0 to {high}; got {value!r}"
            for name, high in (("churn", 1), ("max_jsd", 0.99), ("stickiness", 1), ("memory", 1))
            if isinstance(value := vars(self)[name], bool)
            or not isinstance(value, int | float)
            or not 0 <= value <= high
        ]
        if wrong:
            raise InvalidError(*wrong)

    def generate(self, rows: int | None = None, seed: int = 0) -> pl.DataFrame:
        """Generate the last table.

        Parameters
        ----------
        rows
            The number of patients in each table; 4,000 when left out.
        seed
            Same seed and rows, same tables, on any machine.

        Returns
        -------
        polars.DataFrame
            Columns ``patient_id``, ``sex``, ``age``, ``weight``, ``result``.

        Raises
        ------
        InvalidError
            When there is to be no row, or the seed is negative.
        """
        return self.sequence(rows, seed)[-1]

    def sequence(self, rows: int | None = None, seed: int = 0) -> list[pl.DataFrame]:
        """Generate all tables.

        Parameters
        ----------
        rows, seed
            As of `generate`.

        Returns
        -------
        list
            ``releases`` tables, the oldest first; a patient has one ``patient_id`` in all of them.
        """
        clinic = Clinic(self, rows, seed)
        return clinic.tables()

    def beside(self, rows: int | None = None, seed: int = 0) -> dict[str, pl.DataFrame]:
        """Generate what belongs to the last table.

        Parameters
        ----------
        rows, seed
            As of `generate`.

        Returns
        -------
        dict
            ``knowledge``: ω of every combination of quasi-identifiers of the last table (``sex``, ``age``, ``weight``, ``value``,
            ``share``). ``transitions``: T (``before``, ``value``, ``share``). ``01``, ``02`` and so on: the earlier tables.
        """
        clinic = Clinic(self, rows, seed)
        tables = clinic.tables()
        earlier = {f"{i:02}": table for i, table in enumerate(tables[:-1], 1)}
        return {"knowledge": clinic.knowledge(tables[-1]), "transitions": clinic.transitions()} | earlier

    def policy(self) -> dict[str, Any]:
        """Give a ready policy: k-anonymity, β-likeness and js-background under ω.

        Returns
        -------
        dict
            The content of a policy file.
        """
        return {
            "columns": {
                "patient_id": {"role": "identifier"},
                "sex": {"role": "quasi"},
                "age": {"role": "quasi", "kind": "integer", "domain": [YOUNGEST, OLDEST]},
                "weight": {"role": "quasi", "kind": "integer", "domain": [LIGHTEST, HEAVIEST]},
                "result": {"role": "sensitive"},
            },
            "knowledge": {"table": "knowledge.csv"},
            "privacy": [
                {"model": "k-anonymity", "k": 5},
                {"model": "beta-likeness", "beta": 3},
                {"model": "js-background", "j": 0.3},
            ],
        }


class Clinic:
    """The patients, ω and T of one seed."""

    def __init__(self, asked: Bkseq, rows: int | None, seed: int) -> None:
        self.asked = asked
        self.rows = check_size(rows, asked.default_rows, seed)
        self.draws = Draws(seed, "bkseq")
        m = asked.results
        self.people = self.rows + max(1, self.rows // 2)
        # Sums of three, squared, spread about as Dirichlet(3) does.
        base = self.draws.uniform(m) + self.draws.uniform(m) + self.draws.uniform(m)
        self.base = (base + 0.5) ** 2
        self.slopes = np.stack([self.draws.bell(m) for _ in range(5)])
        stay = round(float(asked.stickiness) * UNIT)
        others = self.draws.below(1000, m * m).reshape(m, m) + 1
        np.fill_diagonal(others, 0)
        moved = others * (UNIT - stay) // others.sum(axis=1, keepdims=True)
        np.fill_diagonal(moved, 0)
        self.steps = moved
        self.steps[np.arange(m), np.arange(m)] = UNIT - moved.sum(axis=1)
        self.sex = self.draws.below(2, self.people)
        self.age = YOUNGEST + self.draws.below(OLDEST - YOUNGEST + 1, self.people)
        mean = np.array(MEANS)[self.sex]
        weight = np.floor(mean + SPREAD * self.draws.bell(self.people) + 0.5).astype(np.int64)
        self.weight = np.clip(weight, LIGHTEST, HEAVIEST)
        self.scale = self._scale()

    def known(self, sex: Integers, age: Integers, weight: Integers) -> Integers:
        """(n, m) ω of patients, as whole multiples of 1 / UNIT that sum to it."""
        shares = _shares(self.base, self.scale * _features(sex, age, weight, self.slopes))
        found = np.floor(shares * UNIT).astype(np.int64)
        found[np.arange(len(found)), found.argmax(axis=1)] += UNIT - found.sum(axis=1)
        return found

    def tables(self) -> list[pl.DataFrame]:
        """All tables, the oldest first."""
        draws, asked = self.draws, self.asked
        order = draws.order(self.people)
        inside, outside = order[: self.rows], order[self.rows :]
        shares = self.known(self.sex, self.age, self.weight)
        everybody = np.arange(self.people)
        state = draws.pick_given(shares, everybody)
        tables = [self._table(inside, state)]
        leaving = min(round(float(asked.churn) * self.rows), outside.size)
        for _ in range(1, asked.releases):
            told = draws.uniform(self.people) < float(asked.memory)
            state = np.where(told, draws.pick_given(self.steps, state), draws.pick_given(shares, everybody))
            inside, outside = inside[draws.order(inside.size)], outside[draws.order(outside.size)]
            inside, outside = (
                np.concatenate([inside[leaving:], outside[:leaving]]),
                np.concatenate([outside[leaving:], inside[:leaving]]),
            )
            tables.append(self._table(np.sort(inside), state))
        return tables

    def knowledge(self, table: pl.DataFrame) -> pl.DataFrame:
        """ω of every combination of quasi-identifiers of a table."""
        cells = table.select("sex", "age", "weight").unique().sort("sex", "age", "weight")
        sex = np.array([SEXES.index(sex) for sex in cells["sex"]], np.int64)
        shares = self.known(sex, cells["age"].to_numpy(), cells["weight"].to_numpy())
        m = self.asked.results
        each = cells[np.repeat(np.arange(cells.height), m)]
        return each.with_columns(
            value=pl.Series([*ascii_uppercase[:m]] * cells.height), share=_written(shares)
        )

    def transitions(self) -> pl.DataFrame:
        """T, one line for each pair of results."""
        names = [*ascii_uppercase[: self.asked.results]]
        return pl.DataFrame(
            {
                "before": [name for name in names for _ in names],
                "value": names * len(names),
                "share": _written(self.steps),
            }
        )

    def _table(self, who: Integers, state: Integers) -> pl.DataFrame:
        """One table."""
        return pl.DataFrame(
            {
                "patient_id": who + 1,
                "sex": pl.Series(SEXES).gather(self.sex[who]),
                "age": self.age[who],
                "weight": self.weight[who],
                "result": pl.Series([*ascii_uppercase]).gather(state[who]),
            }
        )

    def _scale(self) -> float:
        """Find s by halving: the largest divergence of two patients of the grid is ``max_jsd``."""
        most = float(self.asked.max_jsd)
        sex, age, weight = (
            axis.reshape(-1)
            for axis in np.meshgrid(
                [0, 1],
                np.linspace(YOUNGEST, OLDEST, _GRID).astype(np.int64),
                np.linspace(LIGHTEST, HEAVIEST, _GRID).astype(np.int64),
            )
        )
        features = _features(sex, age, weight, self.slopes)
        low, high = 0.0, 1.0
        while _widest(_shares(self.base, high * features)) < most:
            low, high = high, 2 * high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if _widest(_shares(self.base, middle * features)) <= most else (low, middle)
            )
        return low


def _features(sex: Integers, age: Integers, weight: Integers, slopes: Reals) -> Reals:
    """(n, m) ``X C``: what sex, age and weight of patients add to the logarithms of their shares."""
    old = (age - (YOUNGEST + OLDEST) / 2) / ((OLDEST - YOUNGEST) / 2)
    heavy = (weight - (LIGHTEST + HEAVIEST) / 2) / ((HEAVIEST - LIGHTEST) / 2)
    columns = (sex - 0.5, old, heavy, old * heavy, old * old - 0.3)
    found = np.zeros((len(sex), slopes.shape[1]))
    for column, slope in zip(columns, slopes, strict=True):
        found += column[:, None] * slope
    return found


def _shares(base: Reals, exponents: Reals) -> Reals:
    """(n, m) Softmax: ``base · exp(exponents)`` over their sum, from exactly rounded operations alone."""
    # (1 + x / n)^n for a large n: the same on every machine, as the exponential function is not.
    power = np.maximum(0.0, 1.0 + (exponents - exponents.max(axis=1, keepdims=True)) / 2.0**_SQUARINGS)
    for _ in range(_SQUARINGS):
        power = power * power
    found = base * power
    return np.asarray(found / _added(found)[:, None])


def _widest(shares: Reals) -> float:
    """Largest Jensen-Shannon divergence of two rows, in bits."""
    one, other = np.triu_indices(len(shares), 1)
    own = _added(_bits(shares))
    middle = _added(_bits((shares[one] + shares[other]) / 2))
    return float(((own[one] + own[other]) / 2 - middle).max())


def _bits(shares: Reals) -> Reals:
    """``x log2 x``, 0 at 0, from exactly rounded operations alone."""
    mantissa, exponent = np.frexp(np.maximum(shares, 2.0**-1000))
    # log m = 2 artanh((m - 1) / (m + 1)), with m from .5 to 1.
    z = (mantissa - 1) / (mantissa + 1)
    square, total = z * z, np.zeros(shares.shape)
    for term in range(_TERMS, -1, -1):
        total = total * square + 1 / (2 * term + 1)
    two = 0.6931471805599453
    return np.asarray(np.where(shares > 0, shares * (exponent + 2 * z * total / two), 0.0))


def _added(rows: Reals) -> Reals:
    """(n,) Sum of each row, from the first column to the last."""
    return np.asarray(np.cumsum(rows, axis=1)[:, -1])


def _written(shares: Integers) -> pl.Series:
    """Write shares as decimal numbers, exactly."""
    return pl.Series([f"{share // UNIT}.{share % UNIT:09}" for share in shares.reshape(-1).tolist()])
