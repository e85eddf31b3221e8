"""The dry run: can this table meet this policy, at about what cost? `check` makes a release in memory and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.anonymization import anonymize_encoded
from likeness.choosing import LOSS, choose_form, methods_to_try
from likeness.encode import encode
from likeness.errors import CannotBeMetError
from likeness.folder.writing import refuse_no_columns
from likeness.knowledge.base import learn
from likeness.microdata.grouping import distinct
from likeness.models.requirements import require_of
from likeness.pages import in_notebook
from likeness.policy import as_policy
from likeness.profiling.findings import share
from likeness.progress import Progress
from likeness.tables import Labelled, Table, read
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from likeness.choosing import Candidate
    from likeness.encode import Encoded
    from likeness.forms.base import Form
    from likeness.methods.base import Method
    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel, Strength
    from likeness.models.requirements import Requirement
    from likeness.policy import Policy
    from likeness.release import Release

_RAREST = 3
"""Sensitive values that are named with the classes they need."""


@dataclass(frozen=True)
class Allowance:
    """What a table allows one model, whatever the method.

    ``column``: the sensitive column it covers; None for models about sizes alone.
    ``holds``, ``strongest``: whether the table holds it when everybody is one class, and the strongest parameters then.
    ``smallest_classes``: the sensitive values that need the largest classes, with the smallest class that may hold them, in
    records (individuals, where people have several); empty where the model asks for none.
    ``mean``: size that classes cannot stay below on average, where that is more than any of these; ``because``: why.
    """

    model: PrivacyModel
    column: str | None
    holds: bool
    strongest: Strength
    smallest_classes: Mapping[str, int]
    mean: int | None = None
    because: str | None = None

    @property
    def subject(self) -> str:
        """The model and the column it covers, for messages."""
        return self.model.name if self.column is None else f"{self.model.name} on {self.column!r}"

    def __str__(self) -> str:
        """Say it in one line."""
        line = f"{self.subject}: the table, taken as one class, meets {self.strongest}"
        if self.smallest_classes:
            needs = ", ".join(f"{quoted(value)} {size:,}" for value, size in self.smallest_classes.items())
            line += f"; smallest class that may hold a value: {needs}"
        return line if self.mean is None else f"{line}; on average {self.mean:,} or more: {self.because}"


@dataclass(frozen=True, eq=False, repr=False)
class Checked:
    """What a dry run found; made by `check`.

    Printed, it is a few lines; it knows the release, and through it the original, so it is for the steward only.

    Parameters
    ----------
    source
        What the table is called.
    policy
        What was asked.
    models
        The guarantee, one model for each sensitive column it covers.
    records
        Records of the table.
    dropped
        Those that were dropped before anything was searched, by reason.
    units
        What a class counts: the other records, or their individuals where people may have several records.
    unique
        How many of these are the only ones with their quasi-identifiers.
    people_without_records
        People of the first table without a record in the second.
    allowed
        What the table allows each model of the guarantee.
    methods
        The method that was named, or those that may be tried.
    form
        How the release is published.
    release
        The proven release, in memory; None when the table cannot meet the policy.
    refusal
        Why there is none.
    seconds
        Time it took to encode, search, publish and prove.
    """

    source: str
    policy: Policy
    models: tuple[PrivacyModel, ...]
    records: int
    dropped: Mapping[str, int]
    units: int
    unique: int
    people_without_records: int
    allowed: tuple[Allowance, ...]
    methods: tuple[Method, ...]
    form: Form
    release: Release | None
    refusal: CannotBeMetError | None
    seconds: float

    @property
    def feasible(self) -> bool:
        """Whether the table meets the policy."""
        return self.release is not None

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the table cannot meet the policy, and what would make it possible; empty when it can."""
        return () if self.refusal is None else self.refusal.problems

    @property
    def counted(self) -> str:
        """What a class counts: ``records`` or ``individuals``."""
        return "records" if self.policy.individual is None else "individuals"

    @property
    def unique_share(self) -> float:
        """Share of the records, or individuals, that are the only ones with their quasi-identifiers."""
        return self.unique / max(1, self.units)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """What became of every method that may be tried; empty where the policy names one, or none finds a release."""
        return () if self.release is None else self.release.private.candidates

    def before_and_after(self, most: int = 10) -> list[dict[str, dict[str, str]]]:
        """Take a few records as they were and as they would be published: real ones, so keep them private.

        Parameters
        ----------
        most
            How many records.

        Returns
        -------
        list of dict
            ``before`` and ``after`` of each: column to text. Empty when the table cannot meet the policy.
        """
        return [] if self.release is None else before_and_after(self.release, most)

    def lines(self) -> list[str]:
        """Say it line by line; no record is shown."""
        return list(self._lines)

    def __getstate__(self) -> dict[str, Any]:
        """Take along what is said: a copy of the release leaves the original behind, which that needs."""
        return {**self.__dict__, "_lines": self._lines}

    @cached_property
    def _lines(self) -> list[str]:
        return [
            f"{share(self.unique, self.units)} of the {self.counted} are the only ones with their quasi-identifiers",
            *(f"dropped {number:,}: {reason}" for reason, number in self.dropped.items()),
            *map(str, self.allowed),
            *self._outcome(),
        ]

    def _outcome(self) -> list[str]:
        """Say what was made, or why nothing was."""
        if self.release is None:
            tried = ", ".join(method.name for method in self.methods)
            return [f"may be made by: {tried}, in the form {self.form.name}", *self.problems]
        return [
            f"made by {self.release.private.method.name} in the form {self.form.name}, in {self.seconds:.1f} s",
            *self.release.verdict.lines(),
            *(
                f"{name}: {bound.line(loss, withheld)}"
                for name, (bound, loss, withheld) in self.release.bounds({LOSS.name: LOSS}).items()
            ),
            *(f"warning: {found}" for found in self.release.warnings),
        ]

    @property
    def _title(self) -> str:
        answer = "can be met" if self.feasible else "cannot be met"
        return f"{self.source}, {count(self.records, 'record')}: {answer}"

    def __repr__(self) -> str:
        """Say what was found; no record is shown."""
        return "\n".join([f"Checked: {self._title}", *self.lines()])

    def _repr_html_(self) -> str:
        """Show what was found in a notebook."""
        return in_notebook(self._title, noun="Checked", lists=[("", self.lines())])


def check(
    table: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Try a policy on a table, all of it in memory: whether it can be met, and at about what cost.

    Parameters
    ----------
    table, policy, seed, progress
        As for `anonymize`.

    Returns
    -------
    Checked
        How many are unique, what the table allows each model, which methods may be tried, and the release; or, where the table
        cannot meet the policy, why not.

    Raises
    ------
    InvalidError
        When policy or table are invalid, whatever the data hold, or nothing would be published.
    VerificationError
        When the release does not prove what it must: a defect of this library.

    Examples
    --------
    >>> import polars as pl
    >>> import likeness as lk
    >>> patients = pl.DataFrame({"age": [30, 31, 60, 61], "disease": ["flu", "cold", "flu", "flu"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2) & lk.BetaLikeness(1), method="mondrian")
    >>> found = lk.check(patients, policy, seed=1)
    >>> found.feasible, found.unique_share, found.release.loss("ncp")["ncp"]
    (True, 1.0, 1.0)
    >>> for allowed in found.allowed:
    ...     print(allowed)
    k-anonymity: the table, taken as one class, meets k = 4
    beta-likeness on 'disease': the table, taken as one class, meets beta = 0; smallest class that may hold a value: ...
    >>> lk.check(patients, policy.replace(privacy=lk.KAnonymity(9))).problems[0].partition(";")[0]
    'cannot be met: k-anonymity: the table of 4 records, taken as one class, does not hold it'
    """
    progress = progress or Progress()
    asked = as_policy(policy)
    if seed is not None:
        asked = asked.replace(seed=seed)
    form = choose_form(asked)
    clock = perf_counter()
    progress.step("encode", 0, 1)
    encoded = learn(encode(table if isinstance(table, Table) else read(table), asked), asked, progress)
    encoding = perf_counter() - clock
    asked = asked.naming(encoded.table.names)
    data = encoded.data
    models = tuple(encoded.name_models(asked.privacy))
    requirements = require_of(models, data)
    if asked.method is not None:
        asked.method.check(requirements)
    allowed = tuple(_allowance(requirement, data) for requirement in requirements)
    unique, units = _unique(data)
    clock = perf_counter()
    release, refusal = None, None
    try:
        release = anonymize_encoded(encoded, asked, progress)
    except CannotBeMetError as problem:
        refusal = problem
    else:
        refuse_no_columns(release)
    return Checked(
        source=encoded.table.source,
        policy=asked,
        models=models,
        records=encoded.input_records,
        dropped=encoded.dropped_records,
        units=units,
        unique=unique,
        people_without_records=0 if encoded.hygiene is None else encoded.hygiene.without_records,
        allowed=allowed,
        methods=methods_to_try(asked),
        form=form,
        release=release,
        refusal=refusal,
        seconds=encoding + perf_counter() - clock,
    )


def _allowance(requirement: Requirement, data: Microdata) -> Allowance:
    """Say what a table allows a model, and which sensitive values need the largest classes."""
    units, view = data.units, requirement.view
    everybody = requirement.of_rows(units, np.zeros(units.size, np.int64), 1)
    needs = dict(requirement.largest_needs(_RAREST))
    mean, because = requirement.smallest_mean(data) if needs else (0, "")
    enough = mean <= max(needs.values(), default=0)
    return Allowance(
        requirement.model,
        None if view is None else view.domain.name,
        bool(requirement.bound.holds(everybody).all()),
        requirement.bound.strongest(everybody),
        needs,
        None if enough else mean,
        None if enough else because,
    )


def _unique(data: Microdata) -> tuple[int, int]:
    """Count the records alone with their quasi-identifiers, or the people one of whose records nobody shares; and all of them."""
    tuples = data.tuples
    if data.individuals is None:
        return int(np.count_nonzero(tuples.sizes == 1)), data.size
    somebody = np.zeros(tuples.sizes.size, np.int64)
    somebody[tuples.of] = data.individuals
    shared = np.zeros(tuples.sizes.size, np.bool_)
    shared[tuples.of[data.individuals != somebody[tuples.of]]] = True
    alone = distinct(data.individuals[~shared[tuples.of]]).size
    return alone, int(data.individuals.max(initial=-1)) + 1


def before_and_after(release: Release, most: int) -> list[dict[str, dict[str, str]]]:
    """Take the first ``most`` rows of a release's first table, as they were and as they are published.

    One dict each, of ``before`` and ``after``: column to text. Rows made of no record are passed over.
    """
    private = release.private
    encoded = private.encoded
    name, published = next(iter(release.columns.items()))
    records = private.rows[name]
    places = [place for place in range(min(len(records), most)) if records[place] >= 0]
    before = _originals(encoded, [int(encoded.data.rows[records[place]]) for place in places])
    after = [{column: _published(given, place) for column, given in published.items()} for place in places]
    return [{"before": old, "after": new} for old, new in zip(before, after, strict=True)]


def _originals(encoded: Encoded, rows: list[int]) -> list[dict[str, str]]:
    """Take records of the original as texts."""
    names = encoded.table.names
    frame = encoded.table.take(np.array(rows, np.int64), names)
    return [
        {name: "" if value is None else str(value) for name, value in zip(names, record, strict=True)}
        for record in frame.iter_rows()
    ]


def _published(column: Any, place: int) -> str:
    """Take one published cell as text."""
    code = int(column.codes[place])
    if code < 0:
        return ""
    return str(column.labels[code] if isinstance(column, Labelled) else column.values[code])
