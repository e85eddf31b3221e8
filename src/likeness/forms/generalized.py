"""Generalized tables: every class shows one region, and every record its own sensitive value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from likeness.checks import choice, number, whole
from likeness.errors import PolicyError, TableError
from likeness.forms.base import (
    Columns,
    Form,
    Publication,
    Published,
    ShownColumn,
    beside_own_values,
    publish_values,
    read_survey_weights,
)
from likeness.microdata.grouping import distinct, group_codes
from likeness.published.attained import check_attained
from likeness.published.columns import PublishedColumns, exact_labels, read_domain
from likeness.published.lattice import check_lattice
from likeness.published.regions import Region, read_regions, region_labels
from likeness.queries.answering import make_units, tuples_of, units_of_individuals
from likeness.queries.asking import Askable
from likeness.queries.axes import RegionAxis
from likeness.queries.overlap import Overlap, condition_shares
from likeness.queries.sums import ANYTHING, number_weights, unknown_column
from likeness.tables import Labelled
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import ColumnNote
    from likeness.queries.answering import Units
    from likeness.queries.axes import Axis, MeanAxis


NARROWEST = (
    "regions may be the narrowest that cover their classes, so that somebody has each end of an interval and each listed value: "
    "of small classes exact values may follow from that (neither recoding: grid nor attained was asked for)"
)
"""What is not hidden without a lattice, and without `attained`."""
ON_LATTICE = "regions are rounded outward to steps that were declared, whoever is in them"
NARROWEST_ELSE = "those of other columns may be the narrowest that cover their classes"
GROWING = (
    "regions grow where it would follow from them that at least one and fewer than {least} members of a class have an end of an "
    "interval, a listed value or a child of a node; of interval ends, that is also made less likely in larger classes; what "
    "several values have in common, such as being in the lower half, is not hidden by that"
)
"""What is hidden with `attained`, and what is not."""


@dataclass(frozen=True)
class GeneralizedForm(Form):
    """One table in which every equivalence class shows the same region: intervals, hierarchy nodes, value sets.

    Parameters
    ----------
    recoding
        ``tight`` (default): the narrowest region of each attribute's own geometry - the interval of the members for
        numbers, dates and ordered values, the lowest common hierarchy node, the set of values for plain categories.
        ``hierarchy``: hierarchy nodes also for numbers that have a hierarchy. ``set``: value sets also for categories that
        have one. ``grid``: as ``tight``, but regions of the columns in ``steps`` are rounded outward to whole cells of a lattice
        that is declared and does not look at the data, so that nobody need have the ends of an interval or a listed value.
        Columns without a step stay as they are.
    steps
        With ``recoding: grid``: of numbers and dates how many numbers or days make a cell, counted from 0 and from 1970-01-01;
        of ordered categories how many that follow each other; of hierarchies the level whose nodes are the cells; of plain
        categories groups of at least two values, such as ``[[a, b], [c, d, e]]``.
    numeric_pairs
        Also publish ``<column>_low`` and ``<column>_high`` as numbers, for machines.
    attained
        How many members of a class, at least 2, must have an end of an interval, a listed value of a set or a child of a node, if
        anybody may tell that somebody has it; else the region grows, by a rule that knowing it does not undo
        (`likeness.microdata.attained`). Classes that no region could hide are joined with others, and so are those of fewer.
        Whole numbers and days are taken to lie one apart: of values that are all multiples of 5 everybody knows who was added, so
        give these a step instead. Not with ``recoding: grid``, and not for people with several records. Default: regions do not
        grow.

    Examples
    --------
    >>> GeneralizedForm(recoding="set")
    GeneralizedForm(recoding='set', numeric_pairs=False, steps=None, attained=None)
    """

    recoding: str = "tight"
    numeric_pairs: bool = False
    steps: Mapping[str, Any] | None = field(default=None, hash=False)
    attained: int | None = None

    name: ClassVar[str] = "generalized"
    publishes_counts: ClassVar[bool] = True
    of_classes: ClassVar[bool] = True
    publishes_added: ClassVar[bool] = True

    @property
    def further_remarks(self) -> tuple[str, ...]:  # type: ignore[override]
        """What regions tell of the values they cover."""
        if self.attained is not None:
            return (GROWING.format(least=self.attained),)
        if not self.steps:
            return (NARROWEST,)
        told = ", ".join(f"{quoted(name)} by {step}" for name, step in self.steps.items())
        return (f"{ON_LATTICE} ({told}); {NARROWEST_ELSE}",)

    def with_numeric_pairs(self) -> Self:
        """Publish the ends of regions as numbers too."""
        return replace(self, numeric_pairs=True)

    def __post_init__(self) -> None:
        choice(self.name, "recoding", self.recoding, ("tight", "hierarchy", "set", "grid"))
        check_steps(self.name, self.recoding, {} if self.steps is None else self.steps)
        if not isinstance(self.numeric_pairs, bool):
            raise PolicyError(f"{self.name}: numeric_pairs must be true or false; got {self.numeric_pairs!r}")
        if self.attained is not None:
            whole(self.name, "attained", self.attained, at_least=2)
            if self.recoding == "grid":
                raise PolicyError(
                    f"{self.name}: attained and recoding: grid are two guards against the same; take one of them"
                )

    def keys_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:  # noqa: ARG002
        """Name the numeric pairs, which say what the intervals beside them say."""
        if not self.numeric_pairs:
            return frozenset()
        return frozenset(
            f"{note.name}_{end}"
            for note in columns.with_role("quasi")
            for end in ("low", "high")
            if note.shape == "interval" and note.kind != "ordered"
        )

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:
        """Publish every kept record with its class's region and its own sensitive values, in random order.

        Raises
        ------
        PolicyError
            When a column of the table has the name of a numeric pair.
        """
        names = {domain.name for domain in (*data.quasi, *data.sensitive)}
        rows = plan.in_order(rng)
        classes = plan.of_rows(plan.classes, rows)
        table: dict[str, Any] = {}
        for regions in recoding.attributes:
            codes = regions.of[classes].astype(np.int32)
            table[regions.domain.name] = Labelled(codes, region_labels(regions))
            if self.numeric_pairs and regions.domain.shape == "interval" and regions.domain.kind != "ordered":
                for end, which in (("low", regions.low), ("high", regions.high)):
                    # Everything has no ends; those of the data would tell what its extremes are.
                    ends = np.where(regions.everything, regions.domain.missing_code, which).astype(np.int32)
                    pair = f"{regions.domain.name}_{end}"
                    if pair in names:
                        raise PolicyError(
                            f"column {pair!r} would stand twice in the release; rename it or leave numeric pairs out"
                        )
                    table[pair] = publish_values(regions.domain, ends[codes])
        return beside_own_values(table, rows, data, plan)

    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand a published table.

        Raises
        ------
        TableError
            When a text is not a region of its column, or a pair of numbers disagrees with its interval.
        """
        return GeneralizedPublication(
            tables["release"],
            columns,
            pairs=self.numeric_pairs,
            steps=self.steps or {},
            attained=self.attained,
        )


class GeneralizedPublication(Publication):
    """A generalized table, read back; with ``pairs`` intervals also stand in pairs of columns of numbers."""

    form: ClassVar[str] = "generalized"

    def __init__(
        self,
        table: Columns,
        columns: PublishedColumns,
        *,
        pairs: bool = False,
        steps: Mapping[str, Any] = MappingProxyType({}),
        attained: int | None = None,
    ) -> None:
        quasi = columns.with_role("quasi")
        self.steps, self.attained = steps, attained
        for name in steps.keys() - {note.name for note in quasi}:
            raise TableError(f"steps: there is no quasi-identifier {name!r}")
        self.names = tuple(note.name for note in quasi)
        lengths = {column.codes.shape[0] for column in table.values()}
        self.size = lengths.pop() if lengths else 0
        self.regions: list[list[Region]] = []
        region_codes: list[NDArray[np.int32]] = []
        for note in quasi:
            column = table[note.name]
            regions = self._read(column.labels, note)
            numbers = {region: i for i, region in enumerate(dict.fromkeys(regions))}
            self.regions.append(list(numbers))
            # Mostly every text is another region, and they are numbered as they are.
            place = np.array([numbers[region] for region in regions], np.int32)
            as_they_are = len(numbers) == len(regions)
            region_codes.append(column.codes if as_they_are else place[column.codes])
            if note.name in steps:
                check_lattice(self.regions[-1], note, steps[note.name])
            if pairs:
                _check_pairs(table, note, regions)
        groups = group_codes(region_codes, [len(regions) for regions in self.regions])
        self.classes = groups.of if quasi else np.zeros(self.size, np.int64)
        self.identities = self.classes
        self.class_regions = [codes[groups.first].astype(np.int64) for codes in region_codes]
        self.class_count = groups.count if quasi else int(self.size > 0)
        if attained is not None:
            sizes = np.bincount(self.classes, minlength=self.class_count)
            for note, shown, of in zip(quasi, self.regions, self.class_regions, strict=True):
                check_attained(shown, of, sizes, note, attained)
        sensitive, codes = [], []
        for note in columns.with_role("sensitive"):
            column = table[note.name]
            domain, of_label = read_domain(note, exact_labels(column.labels, note))
            sensitive.append(domain)
            codes.append(of_label[column.codes])
        self.sensitive = tuple(sensitive)
        self.sensitive_codes = np.array(codes, np.int32).reshape(len(sensitive), self.size)
        self.survey_weights = read_survey_weights(table, columns, self.size)
        self.beside = tuple(note.name for note in columns.with_role("other"))
        self.axes = [
            self._axis(Overlap(note, regions), of)
            for note, regions, of in zip(quasi, self.regions, self.class_regions, strict=True)
        ]
        self.cells = tuple(map(ShownColumn, quasi, self.regions, self.class_regions))

    def _read(self, texts: Sequence[str], note: ColumnNote) -> list[Region]:
        """Read the cells of one quasi-identifier."""
        return read_regions(texts, note)

    def _axis(self, overlap: Overlap, of: NDArray[np.int64]) -> RegionAxis | MeanAxis:
        """Make ready for conditions what classes show of one quasi-identifier."""
        return RegionAxis(overlap, of)

    @cached_property
    def askable(self) -> Mapping[str, Askable]:
        """Columns that can be asked about."""
        asked = [Askable.of_regions(cells.note, cells.regions) for cells in self.cells]
        return {own.note.name: own for own in (*asked, *map(Askable.of_domain, self.sensitive))}

    def describe_class(self, number: int) -> str:
        """Its region, column by column."""
        return self.describe_identity(number)

    def total(self, where: Mapping[str, Any], of: str | None = None, power: int = 0) -> float:
        """Add up the records that meet conditions, spreading every class evenly over its region.

        A class that meets a condition in part counts in part; of a quasi-identifier it adds the mean of what lies both in
        its region and in the condition, of a sensitive column the published numbers. Where survey weights are published,
        every record counts for as many people as its weight says. Raises `TableError` where a column was not published, a
        condition does not suit its column, or ``of`` is not a column of numbers.
        """
        published = [domain.name for domain in self.sensitive]
        if of is not None and of not in self.names and of not in published:
            raise unknown_column(of, (*self.names, *published))
        shares, met = self._parts(where, of)
        weights = self.survey_weights * met
        if of in published:
            i = published.index(of)
            weights = weights * number_weights(self.sensitive[i], power)[self.sensitive_codes[i]]
        elif of is not None:
            shares *= self._sums(where, of, power)
        return float(np.bincount(self.classes, weights, self.class_count) @ shares)

    def shares(self, where: Mapping[str, Any], of: str | None, power: int) -> NDArray[np.float64]:
        """(E,) Share of each class that meets conditions on quasi-identifiers, times what `total` adds of the number ``of``."""
        found, _ = self._parts(where, of)
        return found if of is None else found * self._sums(where, of, power)

    def _sums(self, where: Mapping[str, Any], of: str, power: int) -> NDArray[np.float64]:
        """(E,) Mean, over the region of each class, of a quasi-identifier's numbers that meet the condition on it."""
        j = self.names.index(of)
        return np.asarray(self.axes[j].sums(where.get(of, ANYTHING), power)[self.class_regions[j]])

    def _parts(
        self, where: Mapping[str, Any], of: str | None = None
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """(E,) Share of each class that meets conditions, save those on ``of``; (n,) whether records meet the sensitive ones.

        Of records with sets of sensitive values how likely they do.
        """
        shares = np.ones(self.class_count)
        met: NDArray[Any] = np.ones(self.size, np.bool_)
        published = [domain.name for domain in self.sensitive]
        for name, condition in where.items():
            if name in published:
                i = published.index(name)
                values, sets = condition_shares(self.sensitive[i].single, condition), self.sensitive[i].sets
                likely = values > 0 if sets is None else sets.any_of(values[None])[0]
                met = met * likely[self.sensitive_codes[i]]
            elif name not in self.names:
                raise unknown_column(name, (*self.names, *published))
            elif name != of:
                j = self.names.index(name)
                shares *= self.axes[j].shares(condition)[self.class_regions[j]]
        return shares, met

    def total_individuals(self, where: Mapping[str, Any]) -> float:
        """Add up the individuals of every class that have a record there with the sensitive values asked for.

        A class counts for the share of its region that meets the conditions on quasi-identifiers, as in `total` (Wang et al.
        2019, eq. 19, counting individuals); an individual for the mean survey weight of its records. Raises `TableError` where
        a column was not published, a condition does not suit its column, or it was not published whose records are whose.
        """
        if self.persons is None:
            raise self._no_persons()
        shares, met = self._parts(where)
        width = int(self.persons.max(initial=0)) + 1
        who = np.unique(self.classes * width + self.persons, return_inverse=True)[1].reshape(-1)
        meets = np.bincount(who, met) > 0
        weights = np.bincount(who, self.survey_weights) / np.bincount(who)
        class_of = np.zeros(meets.size, np.int64)
        class_of[who] = self.classes
        return float(np.bincount(class_of, weights * meets, self.class_count) @ shares)

    @cached_property
    def units_of_individuals(self) -> Units:
        """Equivalence classes and their individuals; `TableError` where it was not published whose records are whose."""
        if self.persons is None:
            raise self._no_persons()
        return units_of_individuals(
            self.axes_by_name,
            self.sensitive,
            self.sensitive_codes,
            self.classes,
            self.persons,
            self.survey_weights,
            self.class_count,
        )

    @property
    def axes_by_name(self) -> dict[str, Axis]:
        """Its quasi-identifiers, with the region of each class."""
        return dict(zip(self.names, self.axes, strict=True))

    @cached_property
    def units(self) -> Units:
        """Equivalence classes."""
        sets = next((domain.sets for domain in self.sensitive), None)
        if sets is not None:
            # There is one sensitive attribute where sets are published: estimates are about the values that sets are of.
            single, codes = self.sensitive[0].single, self.sensitive_codes[0]
            own = {single.name: (single, np.arange(single.codes))}
            return make_units(
                self.axes_by_name, own, self.classes, codes, self.survey_weights, self.class_count, sets=sets
            )
        sensitive, codes = tuples_of(self.sensitive, self.sensitive_codes)
        return make_units(
            self.axes_by_name, sensitive, self.classes, codes, self.survey_weights, self.class_count
        )

    def candidates(self, target: Mapping[str, Any]) -> NDArray[np.int64]:
        """Classes whose region contains every known quasi-identifier value."""
        inside = np.ones(self.class_count, np.bool_)
        for name, value in target.items():
            if name in self.names:
                j = self.names.index(name)
                inside &= self.axes[j].overlap.contains(value)[self.class_regions[j]]
        return np.flatnonzero(inside)


def check_steps(form: str, recoding: str, steps: Any) -> None:
    """Refuse steps that are none, whatever the columns; `PolicyError` says which."""
    if not isinstance(steps, Mapping) or not all(isinstance(name, str) for name in steps):
        raise PolicyError(
            f"{form}: steps must be columns with their steps, such as {{age: 5}}; got {quoted(steps)}"
        )
    if bool(steps) != (recoding == "grid"):
        what = "recoding: grid needs steps, such as {age: 5}" if not steps else "steps need recoding: grid"
        raise PolicyError(f"{form}: {what}")
    for name, step in steps.items():
        if not isinstance(step, list | tuple):
            if isinstance(step, bool):
                raise PolicyError(
                    f"{form}: steps: {name}: must be a number above 0 or groups of values; got {step}"
                )
            number(form, f"steps: {name}", step, above=0)
            continue
        groups = [own for own in step if isinstance(own, list | tuple) and len(set(own)) > 1]
        values = [value for own in groups for value in own]
        if not step or len(groups) < len(step) or not all(isinstance(value, str) for value in values):
            raise PolicyError(
                f"{form}: steps: {name}: groups are lists of at least two texts; got {quoted(step)}"
            )
        if len(set(values)) < len(values):
            raise PolicyError(f"{form}: steps: {name}: a value stands there twice")


def _check_pairs(table: Columns, note: ColumnNote, regions: list[Region]) -> None:
    """Check that the numeric pair of a column says what its text says."""
    name = note.name
    for end in ("low", "high"):
        pair = table.get(f"{name}_{end}")
        if pair is None:
            continue
        keys = distinct(table[name].codes.astype(np.int64) * len(pair.labels) + pair.codes)
        for key in keys:
            region, text = regions[int(key) // len(pair.labels)], pair.labels[int(key) % len(pair.labels)]
            right = region.ends[0 if end == "low" else 1]
            if text != right:
                raise TableError(
                    f"column '{name}_{end}' says {quoted(text)} where {name!r} says {quoted(region.text)}; "
                    f"it must read {quoted(right)}"
                )
