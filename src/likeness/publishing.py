"""From a table that nobody holds as a whole to a proven release folder: count, encode, search, write in parts, count again."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import blocks
from likeness.anonymization import anonymize_encoded
from likeness.choosing import LOSS, choose_form
from likeness.counting import (
    counted_columns,
    encode_counted,
    find_counted,
    searches_at_once,
    searches_records,
)
from likeness.engines.base import engine_for
from likeness.folder.audit import make_audit, plain_policy
from likeness.folder.cells import cells_of, write_cells
from likeness.folder.layout import (
    AUDIT,
    CELLS,
    PRIVATE,
    PUBLIC,
    REPORT,
    Layout,
    check_target,
    digest,
    put_in_place,
    staging,
)
from likeness.folder.parts import write_parts
from likeness.folder.private_part import read_private
from likeness.folder.public_part import read_public
from likeness.folder.verification import judge
from likeness.folder.writing import (
    give_back,
    in_type,
    output_format,
    refuse_no_columns,
    settle,
    write_certificate,
    write_tables,
    write_text,
)
from likeness.metrics.base import Evaluation, class_sizes
from likeness.metrics.measuring import measure_all
from likeness.microdata.copies import written_out
from likeness.pages import in_notebook, render
from likeness.policy import as_policy
from likeness.progress import Progress
from likeness.randomness import stream
from likeness.report.measured import counted_line, smallest_class
from likeness.wording import count, figure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.choosing import Candidate
    from likeness.encode import Encoded
    from likeness.engines.base import Engine
    from likeness.methods.base import Method
    from likeness.metrics.measuring import Measurements
    from likeness.policy import Policy
    from likeness.proving.certificate import Certificate
    from likeness.proving.proof import Verdict
    from likeness.release import Release
    from likeness.report.finding import Finding
    from likeness.tables import Table


@dataclass(frozen=True, eq=False)
class PartedRelease:
    """A release that was made of counts, and written: what was found, not the table.

    Attributes
    ----------
    folder : Path
        Where it lies.
    engine : str
        What counted the records.
    policy : Policy
        What was asked; every column of the table is named.
    certificate : Certificate
        What was proven.
    verdict : Verdict
        The proof from the written files.
    method : Method
        What made it.
    candidates : tuple of Candidate
        The methods that could have made it, where the policy names none.
    loss : Measurements
        Information loss by metric, as `Release.loss` gives it; of metrics that can be measured of counts.
    by_attribute : dict of str to float
        The normalized certainty penalty of each quasi-identifier, 1 for each withheld record.
    counts : dict
        What became of the records.
    individuals : dict, optional
        What became of the people, where they may have several records (`Release.individual_counts`).
    cells : int
        How many different records there are.
    blocks : int
        How many blocks they were searched in (`likeness.blocks`).
    smallest_class : int
        Records of the smallest equivalence class or bucket; people, where they may have several.
    findings : tuple of Finding
        What the steward should know (`Release.findings`): the warnings, and what is merely said.
    """

    folder: Path
    engine: str
    policy: Policy
    certificate: Certificate
    verdict: Verdict
    method: Method
    candidates: tuple[Candidate, ...]
    loss: Measurements
    by_attribute: dict[str, float]
    counts: dict[str, Any]
    individuals: dict[str, int] | None
    cells: int
    blocks: int
    smallest_class: int
    findings: tuple[Finding, ...]

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What to look at before it is handed out, as `Release.warnings` says it.

        Examples
        --------
        >>> import tempfile
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "flu"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2))
        >>> with tempfile.TemporaryDirectory() as place:
        ...     made = lk.publish(table, policy, place + "/out", engine="memory")
        >>> [(found.code, dict(found.facts)) for found in made.warnings][0]
        ('one-value-for-everybody', {'column': 'disease', 'records': 2})
        """
        return tuple(found for found in self.findings if found.warned)

    def __repr__(self) -> str:
        """Say what was proven, and where it lies."""
        told = self.certificate
        size = f"{count(told.records, 'record')} in {count(told.classes, 'class')}"
        return "\n".join([f"PartedRelease: {size}, {self.folder}", *self.verdict.lines()])

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        title, *lines = repr(self).splitlines()
        return in_notebook(title.removeprefix("PartedRelease: "), noun="Release", lists=[("", lines)])


def publish(
    source: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    folder: str | Path,
    *,
    engine: str | None = None,
    seed: int | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> PartedRelease:
    """Find, publish and prove a release of a table that need not fit in memory; it is written as a folder of files.

    An engine counts the records that say the same; the proof and the losses work on the counts. So do searches that keep such
    records in one class (`Method.keeps_copies`): the classes are those that `anonymize` finds. For others every record is written
    out again, in the order of the values, so that the classes are the same on every engine, however the table is cut into files.
    Where the policy names no method, that is done for two million records at most; of more, only methods that keep equal records
    together are tried. Four million rows are searched at a time: more are cut in blocks first, by Mondrian under the guarantee,
    and each block is searched by itself (`likeness.blocks`), with Spark by its executors.

    Parameters
    ----------
    source
        A folder of Parquet or CSV files, a pattern (``visits/*.parquet``) or one file; what else the engine takes, such as a
        DataFrame of Spark.
    policy
        What the columns mean and what must hold. What is about single records, or people with several (``records``,
        ``individual``, ``knowledge``, ``weights``, pseudonyms, other forms than ``generalized`` and ``perturbed``), needs them
        in memory, in the order of their values; the release is then one that `open_release` opens.
    folder
        Where the release goes; its parent must exist.
    engine
        ``memory``, ``streaming`` or ``spark``; overrides the policy's. Left out: by what is given (`likeness.engines`).
    seed
        Makes the release reproducible, and the same on every engine; overrides the policy's.
    overwrite
        Replace a release that lies there.
    progress
        Where to say how far the work is.
    delimiter, decimal
        Of CSV files; None to find them.

    Returns
    -------
    PartedRelease
        What was found; the folder holds the release.

    Raises
    ------
    InvalidError
        When policy or table are invalid, whatever the data hold.
    CannotBeMetError
        When this table cannot meet the policy; says what would make it possible.
    OutputError
        When the folder cannot be written, or something stands there that must not be replaced.
    VerificationError
        When the written files do not prove the guarantee; nothing is left behind.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl, likeness as lk
    >>> place = tempfile.TemporaryDirectory()
    >>> pl.DataFrame({"age": [30, 31, 60, 61] * 25}).write_parquet(place.name + "/part.parquet")
    >>> policy = lk.Policy(columns={"age": lk.quasi()}, privacy=lk.KAnonymity(40))
    >>> found = lk.publish(place.name + "/*.parquet", policy, place.name + "/out", engine="streaming")
    >>> found.certificate.records, found.certificate.classes, found.cells
    (100, 2, 4)
    >>> lk.verify(found.folder, original=place.name + "/*.parquet", engine="streaming").ok
    True
    >>> place.cleanup()
    """
    progress = progress or Progress()
    policy = _asked(policy, seed)
    target = check_target(folder, overwrite=overwrite, source=source)
    own = engine_for(source, engine or policy.engine)
    found = find_counted(own, source, policy, delimiter=delimiter, decimal=decimal)
    policy = policy.naming(found.names)
    encoded = encode_counted(own, found, policy, progress)
    release = _search(encoded, policy, own, progress)
    if encoded.table.ordered:
        return _of_records(release, policy, own, release.write(target, overwrite=overwrite))
    with staging(target, overwrite=overwrite) as stage:
        made = _write(release, policy, own, stage, progress)
        # What was written is read back from its files: nothing of what was found is needed any more.
        del release
        give_back()
        layout = Layout(stage, stage / PUBLIC, stage / PRIVATE)
        public = read_public(layout, own, progress)
        progress.step("prove", 0, 1)
        steward = read_private(layout, stage / PRIVATE, public)
        verdict = judge(public, steward, encoded, policy)
        verdict.raise_if_failed()
        settle(stage)
        put_in_place(stage, target, overwrite=overwrite)
    return replace(made, folder=target, verdict=verdict)


def _asked(policy: Policy | Mapping[str, Any] | str | Path, seed: int | None) -> Policy:
    """Take a policy with a seed, if one is given; refuse one whose form and method do not go together."""
    found = as_policy(policy)
    if seed is not None:
        found = found.replace(seed=seed)
    choose_form(found)
    return found


def _search(encoded: Encoded, policy: Policy, engine: Engine, progress: Progress) -> Release:
    """Find and prove a release of counts: its rows are the different ones, however the records were searched, and where."""
    if encoded.table.ordered:
        release = anonymize_encoded(encoded, policy, progress)
    else:
        records = encoded.data.count_records()
        apart = searches_records(policy, records)
        if apart and searches_at_once(policy, records):
            encoded = replace(encoded, data=written_out(encoded.data))
        shared = blocks.BlockSearch(partial(engine.each, local=False), writes_out=apart)
        release = anonymize_encoded(encoded, counted_columns(policy), progress, blocks=shared)
    refuse_no_columns(release)
    return release


@dataclass(frozen=True, eq=False)
class Preview:
    """What a dry run of `publish` found.

    ``source``, ``engine``: what was counted, and by what. ``records``, ``cells``: all, and different ones. ``blocks``: how many
    blocks they are searched in. ``classes``, ``lines``: what can be proven. ``individuals``, ``smallest_class``: as in
    `PartedRelease`. ``method``, ``loss``, ``findings``: as in `PartedRelease`. ``counting``, ``seconds``: how long counting took,
    and all of it. ``writing``: seconds that writing and proving will take, about. ``memory``: bytes that it will take in all,
    about.
    """

    source: str
    engine: str
    records: int
    cells: int
    blocks: int
    classes: int
    class_noun: str
    smallest_class: int
    individuals: dict[str, int] | None
    lines: tuple[str, ...]
    method: Method
    loss: Measurements
    counting: float
    seconds: float
    writing: float
    memory: int
    findings: tuple[Finding, ...]

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What to look at before it is handed out, as `Release.warnings` says it."""
        return tuple(found for found in self.findings if found.warned)

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "findings"}
        found["warnings"] = list(map(str, self.warnings))
        told = {"lines": list(self.lines), "method": self.method.name, "loss": dict(self.loss)}
        return found | told | {"feasible": True}


def in_blocks(number: int) -> list[str]:
    """Say in how many blocks different records were searched, in a line; in none where there was one.

    >>> in_blocks(1), in_blocks(3)
    ([], ['searched in 3 blocks'])
    """
    return [f"searched in {count(number, 'block')}"] if number > 1 else []


MEMORY_A_CELL, MEMORY_A_RECORD, MEMORY = 260, 8, 400_000_000
"""Bytes that a different record takes, that any record takes while the order of the rows is drawn, and that the program itself
takes: measured (`benchmarks/engines.py`)."""
MEMORY_SEARCHED, MEMORY_HELD = 300, 650
"""Bytes that a record takes where the search looks at each, and where the whole release is of single records: measured, too."""
_SECONDS_A_RECORD = 2.5e-6
"""Seconds that a row takes to be written, read back and counted, on one processor of the machine it was measured on."""


def preview(
    source: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    engine: str | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> Preview:
    """Try a policy on a table that an engine counts: can it be met, at about what cost? Writes nothing.

    Parameters
    ----------
    source, policy, engine, seed, progress, delimiter, decimal
        As for `publish`.

    Returns
    -------
    Preview

    Raises
    ------
    InvalidError
        When policy or table are invalid, whatever the data hold.
    CannotBeMetError
        When this table cannot meet the policy; says what would make it possible.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 31, 60, 61] * 25})
    >>> policy = lk.Policy(columns={"age": lk.quasi()}, privacy=lk.KAnonymity(40))
    >>> found = lk.preview(table, policy, engine="memory")
    >>> found.records, found.cells, found.classes
    (100, 4, 2)
    """
    progress = progress or Progress()
    policy = _asked(policy, seed)
    begun = perf_counter()
    own = engine_for(source, engine or policy.engine)
    found = find_counted(own, source, policy, delimiter=delimiter, decimal=decimal)
    policy = policy.naming(found.names)
    encoded = encode_counted(own, found, policy, progress)
    counted = perf_counter()
    release = _search(encoded, policy, own, progress)
    private, records = release.private, encoded.table.records
    evaluation = Evaluation(private.encoded.data, private.solution.plan, private.solution.recoding)
    return Preview(
        found.source,
        own.name,
        records,
        _different(encoded.table),
        private.solution.blocks,
        release.certificate.classes,
        release.certificate.make_form().class_noun,
        smallest_class(release) if encoded.table.ordered else int(class_sizes(evaluation).min()),
        release.individual_counts,
        tuple(release.verdict.lines()),
        private.method,
        measure_all(evaluation),
        counted - begun,
        perf_counter() - begun,
        records * _SECONDS_A_RECORD,
        _memory(encoded, policy),
        release.findings,
    )


def _memory(encoded: Encoded, policy: Policy) -> int:
    """Say about how much memory a release takes."""
    records = encoded.table.records
    if encoded.table.ordered:
        return MEMORY + MEMORY_HELD * records
    searched = 0
    if searches_records(policy, records):
        searched = records if searches_at_once(policy, records) else blocks.ROWS
    held = MEMORY_A_CELL * encoded.table.height + MEMORY_A_RECORD * records
    return MEMORY + held + MEMORY_SEARCHED * searched


def _write(
    release: Release, policy: Policy, engine: Engine, stage: Path, progress: Progress
) -> PartedRelease:
    """Write both parts of a release that was made of counts."""
    private = release.private
    encoded, solution = private.encoded, private.solution
    public, steward = stage / PUBLIC, stage / PRIVATE
    public.mkdir()
    steward.mkdir(mode=0o700)
    how = output_format(release)
    first, *others = release.columns
    columns = release.columns[first]
    copies = release.publication.copies
    assert copies is not None  # noqa: S101  # counted
    files = write_parts(
        columns,
        copies,
        stream(private.entropy, "order"),
        public,
        how,
        release.certificate.formulas,
        lambda some: in_type(some, release, how),
        progress,
    )
    files |= write_tables(release, others, public)
    certificate = replace(release.certificate, files=files)
    write_certificate(certificate, public)
    cells = cells_of(encoded, solution.plan)
    write_cells(cells, steward / CELLS)
    evaluation = Evaluation(encoded.data, solution.plan, solution.recoding)
    losses, sizes = measure_all(evaluation), class_sizes(evaluation)
    made = PartedRelease(
        stage,
        engine.name,
        policy,
        certificate,
        release.verdict,
        private.method,
        private.candidates,
        losses,
        LOSS.by_attribute(evaluation),
        cells.counts(),
        None,
        encoded.table.height,
        solution.blocks,
        int(sizes.min()),
        release.findings,
    )
    write_text(steward / REPORT, _page(made, sizes))
    kept = plain_policy(policy, certificate, encoded.renamed)
    known = {f"{PUBLIC}/{name}": facts["sha256"] for name, facts in files.items()}
    paths = {path.relative_to(stage).as_posix(): path for path in stage.rglob("*") if path.is_file()}
    digests = {name: known.get(name) or digest(path) for name, path in paths.items()}
    write_text(steward / AUDIT, make_audit(release, kept, made.counts, losses, digests).to_json())
    return made


def _of_records(release: Release, policy: Policy, engine: Engine, folder: Path) -> PartedRelease:
    """Say what was found of a release of single records, which an engine counted, and that was written."""
    private, found = release.private, release.certificate
    table = private.encoded.table
    evaluation = release.evaluation
    return PartedRelease(
        folder,
        engine.name,
        policy,
        found,
        release.verdict,
        private.method,
        private.candidates,
        release.loss(),
        LOSS.by_attribute(evaluation),
        release.counts,
        release.individual_counts,
        _different(table),
        release.private.solution.blocks,
        smallest_class(release),
        release.findings,
    )


def _different(table: Table) -> int:
    """Count the different records of a table that an engine counted."""
    if not table.ordered:
        return table.height
    differs = np.zeros(table.height, np.bool_)
    differs[:1] = True
    for name in table.names:
        codes = table.as_it_is(name).codes
        differs[1:] |= codes[1:] != codes[:-1]
    return int(np.count_nonzero(differs))


def _page(made: PartedRelease, sizes: NDArray[np.int64]) -> str:
    """Write the steward's report."""
    counts = made.counts
    shares = ("smallest", 0.0), ("a quarter have at most", 0.25), ("half", 0.5), ("largest", 1.0)
    return render(
        "report/templates/counted.html",
        title=made.certificate.about.get("title", "Report of a release"),
        engine=made.engine,
        cells=count(made.cells, "different record"),
        records=", ".join([count(counts["input"], "record"), *in_blocks(made.blocks)]),
        proven=made.verdict.lines(),
        warnings=list(map(str, made.warnings)),
        notes=[str(found) for found in made.findings if not found.warned],
        counted=counted_line(counts),
        lost=[[name, figure(value), made.loss.metrics[name].range] for name, value in made.loss.items()],
        by_attribute=[[name, figure(value)] for name, value in made.by_attribute.items()],
        tried=[
            [one.method.label, one.outcome, "" if one.loss is None else figure(one.loss)]
            for one in made.candidates
        ],
        sizes=[[words, f"{int(np.quantile(sizes, share)):,}"] for words, share in shares],
    )
