"""Earlier tables of the same people: who knows what somebody had knows what they are likely to have next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction  # noqa: TC003  # the schema of policies reads annotations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness import registry
from likeness.checks import number
from likeness.errors import PolicyError, TableError, suggestion
from likeness.exact import rational
from likeness.knowledge.base import CONTRADICTED, KnowledgeSource, Subject, path_of, refuse_size
from likeness.knowledge.beside import Beside
from likeness.microdata.grouping import group_codes
from likeness.policy.parts import read_source
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SequenceKnowledge(KnowledgeSource):
    """An adversary who knows what each person had in earlier tables, and how values follow one another there.

    The belief in value s of somebody who had s₁ one table ago, s₂ two tables ago and so on is proportional to
    ``prior(s) Π_r T_r(s_r → s) / p_r(s)``. T_r is mined from all pairs of earlier tables that are r apart, of the people who are
    in both: ``T_r(x → s) = (N(x, s) + a p_r(s)) / (N(x) + a)``, where p_r are the shares of the values that such a pair ends
    with, and a is the smoothing. The division keeps p from being counted once for every table: where values do not
    depend on the past, everybody has the prior. Where no two earlier tables are r apart, what was had then tells nothing;
    neither does a value that no such pair ends with. People without a past have the prior.

    Parameters
    ----------
    earlier
        Earlier tables, any files that are read, the oldest first and one step apart, the own table following the last: their
        paths from the policy's folder. Their sensitive column is read as the policy says of the own one.
    on
        The identifier that tells whose a record is, a column of every table. Records that name nobody are nobody's past.
    prior
        Another source: what is known without the past; what everybody has when left out.
    smoothing
        a, at least 0: how many pairs the shares of all count for. With 0, what never followed is believed impossible.

    References
    ----------
    Riboni, Pareschi & Bettini 2012, sequential background knowledge; what T is divided by is ours.

    Examples
    --------
    >>> SequenceKnowledge(("2022.csv", "2023.csv"), "patient_id")
    SequenceKnowledge(earlier=('2022.csv', '2023.csv'), on='patient_id')
    """

    earlier: tuple[str, ...]
    on: str
    prior: Any = None
    smoothing: float | str | Fraction = 1

    name: ClassVar[str] = "sequence"

    def __post_init__(self) -> None:
        super().__post_init__()
        listed = self.earlier if isinstance(self.earlier, list | tuple) else (self.earlier,)
        if not listed:
            raise PolicyError(
                f"{self.name}: earlier must name at least one table, as in [2022.csv, 2023.csv]"
            )
        object.__setattr__(
            self, "earlier", tuple(path_of(self.name, "each of earlier", path) for path in listed)
        )
        if not isinstance(self.on, str) or not self.on:
            raise PolicyError(f"{self.name}: on must be the name of a column; got {quoted(self.on)}")
        number(self.name, "smoothing", self.smoothing, at_least=0)
        if isinstance(self.prior, Mapping):
            try:
                object.__setattr__(self, "prior", read_source(self.prior))
            except PolicyError as problem:
                raise PolicyError(*problem.within(f"{self.name}: prior")) from None
        if self.prior is not None and not isinstance(self.prior, KnowledgeSource):
            raise PolicyError(
                f"{self.name}: prior must be a source of knowledge, such as {{kernel: {{bandwidth: 0.3}}}}; "
                f"got {quoted(self.prior)}"
            )
        if self.prior is not None and (self.prior.called, self.prior.sensitive) != (None, None):
            raise PolicyError(
                f"{self.name}: prior is of the same column and has no name; leave name and sensitive out there"
            )

    def __repr__(self) -> str:
        """Only what differs from the defaults."""
        more = f", prior={self.prior!r}" if self.prior is not None else ""
        more += f", smoothing={self.smoothing!r}" if self.smoothing != 1 else ""
        return f"SequenceKnowledge(earlier={self.earlier!r}, on={self.on!r}{more})"

    @property
    def facts(self) -> dict[str, Any]:
        """How many tables, the smoothing, and the facts of the prior."""
        found: dict[str, Any] = {"earlier": len(self.earlier), "smoothing": str(self.smoothing)}
        if self.prior is not None:
            found["prior"] = {"source": self.prior.name, "parameters": self.prior.facts}
        return found

    @classmethod
    def check_facts(cls, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Write them again."""
        tables, smoothing = facts["earlier"], facts["smoothing"]
        if type(tables) is not int or tables < 1 or not isinstance(smoothing, str):
            raise ValueError("sequence: what is told of it is not as likeness writes it")
        number(cls.name, "smoothing", smoothing, at_least=0)
        found: dict[str, Any] = {"earlier": tables, "smoothing": smoothing}
        if "prior" in facts:
            prior = facts["prior"]
            source = registry.load("knowledge", prior["source"])
            found["prior"] = {"source": source.name, "parameters": source.check_facts(prior["parameters"])}
        return found

    @classmethod
    def told(cls, facts: Mapping[str, Any]) -> str:
        """Say it in words."""
        tables = count(facts["earlier"], "earlier table")
        prior = facts.get("prior")
        known = (
            "what everybody has"
            if prior is None
            else registry.load("knowledge", prior["source"]).told(prior["parameters"])
        )
        return f"what each person had in {tables}, how values follow one another there, and {known}"

    def shares(self, subject: Subject) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Put prior and past together."""
        prior, prior_of = (
            (subject.totals[None, :], np.zeros(subject.data.size, np.int64))
            if self.prior is None
            else self.prior.shares(subject)
        )
        past, values = self._past(subject)
        m = subject.domain.codes
        refuse_size(self, values, m)
        groups = group_codes(
            [prior_of, *(own + 1 for own in past.own)], [prior.shape[0], *[values + 1] * len(self.earlier)]
        )
        refuse_size(self, groups.count, m)
        found = prior[prior_of[groups.first]]
        # From the last table back: what was had r tables ago.
        for steps, had in enumerate(reversed(past.own), 1):
            ratios = transitions(past.tables, steps, (values, m), float(rational(self.smoothing)))
            had_by = had[groups.first]
            found[had_by >= 0] *= ratios[had_by[had_by >= 0]]
        impossible = np.flatnonzero(~found.any(axis=1))
        found[impossible] = prior[prior_of[groups.first][impossible]]
        subject.counted[CONTRADICTED] = int(np.isin(groups.of, impossible).sum())
        return found, groups.of

    def _past(self, subject: Subject) -> tuple[_Past, int]:
        """Read the earlier tables; what everybody had, and how many values there are, those that nobody has any more last."""
        where = f"knowledge: {self.name}"
        encoded = subject.encoded
        policy = subject.policy.naming(encoded.table.names)
        identifiers = policy.with_role("identifier")
        if self.on not in identifiers:
            raise PolicyError(
                f"{where}: on: {quoted(self.on)} is not an identifier{suggestion(self.on, identifiers)}; give the column that "
                "tells whose a record is role: identifier"
            )
        sensitive = subject.original_name(subject.domain.name)
        markers = policy.missing_of(self.on).markers
        number_of: dict[str, int] = {}
        value_of = {label: code for code, label in enumerate(subject.domain.labels_with(None))}
        own = encoded.table.encode(self.on, missing=markers, kind="text")
        people = [_numbered(own.values, number_of)[own.codes[encoded.data.rows]]]
        values = []
        for path in self.earlier:
            beside = Beside.read(subject, path, f"{where}: earlier")
            beside.check_columns([self.on, sensitive])
            attribute = beside.attribute(sensitive)
            names = beside.table.encode(self.on, missing=markers, kind="text")
            person = _numbered(names.values, number_of)[names.codes]
            labels = attribute.domain.labels_with(None)
            shown = np.unique(attribute.codes[attribute.codes >= 0])
            recode = np.full(len(labels) + 1, -1, np.int64)
            recode[shown] = [value_of.setdefault(labels[code], len(value_of)) for code in shown.tolist()]
            value = recode[attribute.codes]
            value[person < 0] = -1
            person = np.where(value < 0, -1, person)
            _refuse_twice(person, names.values[names.codes], beside, self.on)
            people.append(person)
            values.append(value)
        had = []
        for person, value in zip(people[1:], values, strict=True):
            found = np.full(len(number_of) + 1, -1, np.int64)
            found[person[person >= 0]] = value[person >= 0]
            had.append(found)
        return _Past([found[people[0]] for found in had], had), len(value_of)


@dataclass(frozen=True, eq=False)
class _Past:
    """What was had, -1 for nothing: in ``own`` (n,) by the records of the own table, in ``tables`` by all people; by table."""

    own: list[NDArray[np.int64]]
    tables: list[NDArray[np.int64]]


def transitions(
    tables: list[NDArray[np.int64]], steps: int, shape: tuple[int, int], smoothing: float
) -> NDArray[np.float64]:
    """(values, m) ``T(x → s) / p(s)`` of two tables that are some steps apart: 1 where nothing was seen.

    ``tables``: (people,) the value of each person in each table, in their order, -1 for nothing; ``shape`` is that of the result:
    the last of the ``values`` are those that the own table does not have.
    """
    values, m = shape
    before = np.concatenate([[], *(tables[i] for i in range(len(tables) - steps))]).astype(np.int64)
    after = np.concatenate([[], *(tables[i + steps] for i in range(len(tables) - steps))]).astype(np.int64)
    both = (before >= 0) & (after >= 0)
    before, after = before[both], after[both]
    kept = after < m
    pairs = (
        np.bincount(before[kept] * m + after[kept], minlength=values * m)
        .reshape(values, m)
        .astype(np.float64)
    )
    begins = np.bincount(before, minlength=values).astype(np.float64)
    ends = pairs.sum(axis=0)
    found = np.ones(shape)
    # Multiplied out by how many pairs there are: of independent values both are the same whole number.
    below = (begins[:, None] + smoothing) * ends
    np.divide(pairs * before.size + smoothing * ends, below, out=found, where=below > 0)
    return found


def _numbered(values: NDArray[Any], number_of: dict[str, int]) -> NDArray[np.int64]:
    """(values + 1,) Number of each person, new ones added; -1 at the end, for records that name nobody."""
    return np.array([*(number_of.setdefault(str(name), len(number_of)) for name in values), -1], np.int64)


def _refuse_twice(person: NDArray[np.int64], names: NDArray[Any], beside: Beside, on: str) -> None:
    """Refuse a table in which somebody stands twice: what they had would be two things."""
    rows = np.flatnonzero(person >= 0)
    _, first = np.unique(person[rows], return_index=True)
    again = np.delete(rows, first)
    if again.size:
        raise TableError(
            f"{beside.where}: {on!r}: {quoted(str(names[again[0]]))} stands there again in {beside.table.where(int(again[0]))}; "
            "a person has one record in each earlier table"
        )
