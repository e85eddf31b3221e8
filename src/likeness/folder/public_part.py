"""The public part of a release folder, read from its bytes; everything that is wrong with it, and where."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness._version import __version__
from likeness.endings import FORMATS
from likeness.errors import LikenessError, Refusal, Statement, VerificationError
from likeness.exact import rational
from likeness.folder.layout import CERTIFICATE, CERTIFICATE_PAGE, PARTS, files_in, read_bounded
from likeness.folder.parts import (
    PartFile,
    count_part,
    is_in_parts,
    labelled_columns,
    parts_among,
    read_certified,
    table_of,
    together,
)
from likeness.forms.base import RESERVED
from likeness.microdata.domain import NUMERIC
from likeness.microdata.individuals import who_share
from likeness.progress import Progress
from likeness.proving.certificate import Certificate
from likeness.published.columns import refused_value
from likeness.published.lattice import cell_of, is_checked
from likeness.published.regions import read_mean, read_mode, read_region
from likeness.published.text import MISSING, read_value
from likeness.queries.overlap import read_stretch
from likeness.report.certificate_page import certificate_page, is_page_of
from likeness.tables import format_of
from likeness.wording import count, nouns, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from likeness.engines.base import Engine
    from likeness.folder.layout import Layout
    from likeness.forms.base import Form, Publication, ShownColumn
    from likeness.published.columns import ColumnNote, PublishedColumns
    from likeness.tables import Labelled, Table

_END_NAMES = {
    "low": "declared domain",
    "high": "declared domain",
    "bottom": "end of bottom coding",
    "top": "end of top coding",
}

_LONGEST_PAGE = 4
"""Times the length of our page that a page in other words may have."""
_BESIDE = (
    "it holds nothing but that content",
    "whether anything stands in it beside that content is not looked at",
)
"""What is known of a file that another version packed, and of one of Parquet, Arrow or a statistics program."""
_TOGETHER = 8
"""Files of a table in parts whose counts are held before they are put together."""
_SHOWN = 5  # cells of a column that are named one by one


@dataclass(frozen=True, eq=False)
class PublicPart:
    """What the published files say.

    ``certificate``: None where it cannot be read; nothing else was read then.
    ``tables``, ``labels``: table name to its file, read, and to what messages call that file.
    ``publication``: None where the tables cannot be understood.
    ``refusals``, ``statements``: what is wrong, and what was checked and found right.
    """

    layout: Layout
    certificate: Certificate | None
    tables: Mapping[str, Table]
    labels: Mapping[str, str]
    publication: Publication | None
    refusals: tuple[Refusal, ...]
    statements: tuple[Statement, ...]

    @cached_property
    def form(self) -> Form | None:
        """The form of the release; None when its certificate cannot be read."""
        return None if self.certificate is None else self.certificate.make_form()

    def where(self, row: int) -> str:
        """Name the place of a record in the first published table."""
        name = next(iter(self.tables))
        return f"{self.labels[name]}, {self.tables[name].where(row)}"


@dataclass(eq=False)
class _Found:
    """Published files while they are read; ``columns``: table name to its columns, those that can be taken so."""

    layout: Layout
    certificate: Certificate
    form: Form
    refusals: list[Refusal]
    statements: list[Statement]
    tables: dict[str, Table] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    columns: dict[str, dict[str, Labelled]] = field(default_factory=dict)

    def refuse(self, what: str, *where: str, at: str = "") -> None:
        """Note something that is wrong, in its place."""
        self.refusals.append(Refusal(what, where, at))


def read_public(layout: Layout, engine: Engine | None = None, progress: Progress | None = None) -> PublicPart:
    """Read the published files, and say everything that is wrong with them.

    ``engine``: what works on the files of a table in parts, ``progress``: is told how many are done.
    """
    refusals, statements = layout.outsiders(), list[Statement]()
    if not refusals and not layout.public.is_dir():
        refusals.append(_missing(f"{layout.label(layout.public)}/"))
    certificate = None if refusals else _read_certificate(layout, refusals, statements)
    if certificate is None:
        return PublicPart(layout, None, {}, {}, None, tuple(refusals), tuple(statements))
    part = _Found(layout, certificate, certificate.make_form(), refusals, statements)
    _check_files(part)
    if is_in_parts(certificate.files):
        _read_parts(part, engine or registry.create("engines", "memory", {}), progress or Progress())
    for name in part.form.tables:
        _read_table(part, name)
    _check_columns(part)
    wrong = _label(part)
    _check_pseudonyms(part)
    refusals += wrong
    whole = not wrong and len(part.tables) == len(part.form.tables)
    publication = _understand(part) if whole else None
    if publication is not None:
        _check_links(part, publication)
    return PublicPart(
        layout, certificate, part.tables, part.labels, publication, tuple(refusals), tuple(statements)
    )


def _missing(label: str) -> Refusal:
    """Say that a file or folder is missing."""
    return Refusal("is missing", about=label)


def _read_certificate(
    layout: Layout, refusals: list[Refusal], statements: list[Statement]
) -> Certificate | None:
    """Read the certificate, and make sure that both of its files say the same."""
    path = layout.public / CERTIFICATE
    label = layout.label(path)
    try:
        text = read_bounded(path).decode()
        certificate = Certificate.from_json(text, label)
        page = certificate_page(certificate)
    except FileNotFoundError:
        refusals.append(_missing(label))
        return None
    except (OSError, UnicodeDecodeError) as problem:
        refusals.append(Refusal(f"cannot be read ({problem})", (label,)))
        return None
    except VerificationError as problem:
        refusals.extend(problem.refusals)
        return None
    if text != certificate.to_json():
        refusals.append(Refusal("is not as likeness writes it; it was changed", (label,)))
    shown = layout.public / CERTIFICATE_PAGE
    if shown.is_file():
        found = _check_page(layout, shown, certificate, page.encode())
        if isinstance(found, Refusal):
            refusals.append(found)
        else:
            statements.append(found)
    return certificate


def _check_page(layout: Layout, path: Path, certificate: Certificate, page: bytes) -> Refusal | Statement:
    """Hold the page to the certificate: to the byte where this version wrote both, else to the digests it carries.

    ``path``: the page that lies there; ``page``: what this version would have written. What is wrong, or what is right.
    """
    label, size = layout.label(path), path.stat().st_size
    if size == len(page) and path.read_bytes() == page:
        return Statement(f"says what {CERTIFICATE} says", about=label)
    another = certificate.version != __version__
    # Whatever its size is, no more of it is read than any wording needs.
    if another and size <= _LONGEST_PAGE * len(page) and is_page_of(path.read_bytes(), certificate):
        what = (
            f"was made from {CERTIFICATE} and not changed since; how likeness {certificate.version} words it is not compared "
            f"(this is {__version__})"
        )
        return Statement(what, about=label)
    return Refusal(f"does not say what {CERTIFICATE} says", (label,))


def _takes_parts(form: Form) -> bool:
    """Whether the first table of a form may be one in parts."""
    return form.publishes_counts and form.tables[0] == PARTS


def _check_files(part: _Found) -> None:
    """Compare the files that are there with those that were certified."""
    layout, certified = part.layout, part.certificate.files
    possible = [[part.form.file_of(name, ending) for name in part.form.tables] for ending in FORMATS]
    if parts := parts_among(certified):
        possible = [[*parts, *own[1:]] for own in possible if _takes_parts(part.form)]
    if list(certified) not in possible:
        part.refuse(
            f"certifies the files {', '.join(certified) or '(none)'}; the form {part.form.name} publishes "
            f"{', '.join(part.form.tables)}",
            CERTIFICATE,
        )
    expected = {*certified, CERTIFICATE, CERTIFICATE_PAGE}
    found = {path.relative_to(layout.public).as_posix() for path in files_in(layout.public)}
    missing, extra = sorted(expected - found), sorted(found - expected)
    part.refusals += [_missing(layout.label(layout.public / name)) for name in missing]
    for name in (*(layout.label(layout.public / name) for name in extra), *layout.strangers()):
        part.refuse("is no part of the release", name)
    if not missing and not extra:
        part.statements.append(Statement("no published file is missing and none was added"))


def _read_table(part: _Found, name: str) -> None:
    """Read one published table and compare it with its entry in the certificate."""
    possible = (part.form.file_of(name, ending) for ending in FORMATS)
    file = next((file for file in possible if file in part.certificate.files), None)
    path = None if file is None else part.layout.public / file
    if file is None or path is None or not path.is_file():
        return
    label, facts = part.layout.label(path), part.certificate.files[file]
    wrong, table = read_certified(path, label, facts, part.certificate.formulas)
    part.refusals += wrong
    if table is None:
        return
    _note_packing(part, path, label, facts)
    if not wrong:
        part.statements.append(Statement(f"its bytes, rows and columns are those of {CERTIFICATE}", (label,)))
    part.tables[name], part.labels[name] = table, label


class _Behind(Progress):
    """Passes on how many files of some are done, as a number of all."""

    def __init__(self, progress: Progress, before: int, total: int) -> None:
        self.progress, self.before, self.total = progress, before, total

    def step(self, stage: str, done: int, total: int) -> None:  # noqa: ARG002  # of all, not of these
        """Pass it on."""
        self.progress.step(stage, self.before + done, self.total)


def _read_parts(part: _Found, engine: Engine, progress: Progress) -> None:
    """Read the files of a table in parts, each by itself, and count the rows that say the same."""
    if not _takes_parts(part.form):
        return
    notes = {note.name: note for note in part.certificate.columns.notes}
    files = part.certificate.files
    there = [(part.layout.public / file, files[file]) for file in parts_among(files)]
    read = [
        PartFile(path, part.layout.label(path), facts, part.certificate.formulas, notes)
        for path, facts in there
        if path.is_file()
    ]
    label = f"{part.layout.label(part.layout.public / PARTS)}/"
    before, whole = len(part.refusals), None
    for begin in range(0, len(read), _TOGETHER):
        shown = _Behind(progress, begin, len(read))
        found = engine.each(count_part, read[begin : begin + _TOGETHER], shown, "read back and count")
        part.refusals += [refusal for own in found for refusal in own.refusals]
        found = found if whole is None else [whole, *found]
        if any(own.copies is None for own in found) or len({own.names for own in found}) != 1:
            return
        # The different rows of all files are far fewer than their rows: only these are kept.
        whole = together(found)
    if whole is None:
        return
    for path, facts in there[:1]:
        _note_packing(part, path, label, facts)
    part.tables[PARTS], part.labels[PARTS] = table_of(whole, label), label
    if len(part.refusals) == before:
        rows = part.tables[PARTS].records
        what = f"the bytes, rows and columns of {count(len(read), 'file')}, {count(rows, 'row')}, are those of {CERTIFICATE}"
        part.statements.append(Statement(what, (label,)))


def _note_packing(part: _Found, path: Path, label: str, facts: Mapping[str, Any]) -> None:
    """Say what of a file's bytes could not be compared."""
    how, packer = format_of(path), facts.get("packed_by")
    own = None if how is None else how.packer
    if how is not None and packer != own and (packer is not None or how.compression is None):
        by = "does not say what packed it" if packer is None else f"was packed by {packer}"
        what = (
            f"{by}; whether its bytes are those that this makes of its content cannot be compared "
            f"(here is {own}); {_BESIDE[how.of_statistics or how.kind in {'parquet', 'arrow'}]}"
        )
        part.statements.append(Statement(what, about=label))


def _check_columns(part: _Found) -> None:
    """Compare the columns of all tables with the notes on them."""
    names = [note.name for note in part.certificate.columns.notes]
    described = {name: table for name, table in part.tables.items() if name not in part.form.undescribed}
    there = list(dict.fromkeys(name for table in described.values() for name in table.names))
    if described and there != names:
        part.refuse(
            f"the columns are {', '.join(there)}; {CERTIFICATE} describes {', '.join(names)}",
            ", ".join(part.labels[name] for name in described),
        )
    for name, table in described.items():
        wrong = part.form.misplaced(name, table.names, part.certificate.columns)
        if wrong:
            part.refuse(
                f"holds {', '.join(map(repr, wrong))}, which {part.form.name} releases do not publish there",
                part.labels[name],
            )
    own = part.form.own_columns(part.certificate.columns)
    elsewhere = {
        column
        for name, table in described.items()
        for column in {*table.names} - part.form.keys_in(name, part.certificate.columns)
    }
    for note in part.certificate.columns.notes:
        added = note.role == "added"
        if added and note.name not in own:
            part.refuse(
                f"{note.name!r} has the role added; {part.form.name} releases add no such column", CERTIFICATE
            )
        reserved = note.name in {*part.form.leading, *RESERVED}
        if not added and note.name in own and (reserved or note.name not in elsewhere):
            number = "a random number" if reserved else "a number of the form's own"
            part.refuse(
                f"{note.name!r} has the role {note.role}; in {part.form.name} releases it is {number}",
                CERTIFICATE,
            )


def _label(part: _Found) -> list[Refusal]:
    """Take the columns of all tables as codes and texts, each once; say what is wrong with them."""
    notes = {note.name: note for note in part.certificate.columns.notes}
    wrong: list[Refusal] = []
    for name, table in part.tables.items():
        try:
            part.columns[name] = labelled_columns(table, notes)
        except LikenessError as problem:
            wrong += problem.within(part.labels[name])
    return wrong


def _check_pseudonyms(part: _Found) -> None:
    """Make sure that what is said to be random numbers in place of identifiers is nothing else."""
    names = [note.name for note in part.certificate.columns.with_role("pseudonym")]
    wrong = []
    for key, columns in part.columns.items():
        for name in (name for name in names if name in columns):
            shown = {*columns[name].labels} - {MISSING}
            if shown != {str(number) for number in range(1, len(shown) + 1)}:
                wrong.append(
                    Refusal(
                        f"the column {name!r} is said to hold random numbers in place of identifiers; it holds something else",
                        (part.labels[key],),
                    )
                )
    part.refusals += _first(wrong)


def _check_links(part: _Found, shown: Publication) -> None:
    """Make sure that no pseudonym links what the guarantee takes alone: records, or people where theirs are linked."""
    first, columns = next(iter(part.columns.items()))
    word = "record" if shown.persons is None else "person"
    linking = []
    for name in (note.name for note in part.certificate.columns.with_role("pseudonym")):
        if name not in columns:
            continue
        column = columns[name]
        named = np.array([text != MISSING for text in column.labels])[column.codes]
        sharing = who_share(np.where(named, column.codes, -1), shown.persons)
        several = int(np.count_nonzero(sharing > 1))
        if several:
            what = (
                f"the random numbers of {name!r} link: {several:,} of {count(sharing.size, 'number')} "
                f"{'stands' if several == 1 else 'stand'} for several {nouns(2, word)}, who can be told by all that is published "
                f"of them together; the guarantee counts each {word} alone"
            )
            linking.append(Refusal(what, (part.labels[first],)))
    part.refusals += _first(linking)


def _first(problems: list[Refusal]) -> list[Refusal]:
    """Keep the first of many problems of one kind, each of one column, and say how many more there are."""
    more = len(problems) - _SHOWN
    return problems if more <= 0 else [*problems[:_SHOWN], Refusal(f"and so {count(more, 'further column')}")]


def _understand(part: _Found) -> Publication | None:
    """Read what the tables say, or say which cells say nothing."""
    tables = part.columns
    files = ", ".join(part.labels.values())
    publication = None
    try:
        copies, notes = part.tables[next(iter(tables))].copies, part.certificate.columns
        publication = (
            part.form.read(tables, notes) if copies is None else part.form.read_counts(tables, notes, copies)
        )
        checked = [
            own.note.name
            for own in publication.cells
            if own.note.name in publication.steps and is_checked(own.note)
        ]
        if checked:
            what = f"regions of {', '.join(map(quoted, checked))} are made of whole steps"
            part.statements.append(Statement(what, about=files))
        grown = [own.note.name for own in publication.cells if is_checked(own.note)]
        if publication.attained is not None and grown:
            what = (
                f"regions of {', '.join(map(quoted, grown))} are such that no end, listed value or child is certainly that of at "
                f"least one and fewer than {count(publication.attained, 'record')} of a class"
            )
            part.statements.append(Statement(what, about=files))
        if publication.size == 0:
            part.refuse("holds no records; there is no release of nobody", files)
        part.refusals += [
            refusal.within(files)
            for refusal in _contradictions(publication, part.certificate.columns, part.form)
        ]
    except KeyError as problem:
        part.refuse(f"the column {problem} is missing", files)
    except LikenessError as problem:
        cells = [
            refusal
            for name, columns in tables.items()
            if name not in part.form.undescribed
            for note in part.certificate.columns.notes
            if note.name in columns
            for refusal in _unreadable(
                note, columns[note.name], part.tables[name], part.labels[name], part.form
            )
        ]
        part.refusals += cells or problem.within(files)
    return publication


def _contradictions(publication: Publication, columns: PublishedColumns, form: Form) -> Iterator[Refusal]:
    """Say what was published that cannot be, after what the certificate says of the column."""
    notes = {note.name: note for note in columns.notes}
    yield from _not_rounded(publication, notes, form)
    if any(_ends(note) or note.values is not None for note in columns.with_role("quasi")):
        for cells in publication.cells:
            yield from _beyond(cells, publication.steps.get(cells.note.name))
            yield from _unlisted(cells)
    for domain in publication.sensitive:
        numbers = domain.numbers if domain.kind in NUMERIC else np.zeros(0)
        for side, key, end in _ends(notes[domain.name]):
            beyond = numbers < float(end) if side < 0 else numbers > float(end)
            if beyond.any():
                shown = domain.labels[int(np.argmax(beyond))]
                yield _of_end(domain.name, shown, side, key)


def _not_rounded(publication: Publication, notes: Mapping[str, ColumnNote], form: Form) -> Iterator[Refusal]:
    """Say which values, or ends of regions that no steps were declared for, are no multiples of what they were rounded to.

    Means of such values need not be.
    """
    for cells in publication.cells:
        note = cells.note
        if note.round is None or note.name in publication.steps or note.shape != "interval":
            continue
        if form.shows(note.kind, note.shape) == "mean":
            continue
        step = rational(note.round)
        for region in cells.regions:
            ends = (region.low, region.high) if region.what == "interval" else ()
            if any(not _is_multiple(end, step) for end in ends):
                yield _of_rounding(note, region.text)
                break
    for domain in publication.sensitive:
        note = notes[domain.name]
        if note.round is not None and domain.kind in NUMERIC:
            step = rational(note.round)
            for label, value in zip(domain.labels, domain.values.tolist(), strict=True):
                if not _is_multiple(value, step):
                    yield _of_rounding(note, label)
                    break


def _is_multiple(value: Any, step: Fraction) -> bool:
    """Whether a number is a multiple, as near as numbers of 64 bits can be."""
    exact = rational(value)
    return (exact / step).denominator == 1 or value == float(round(exact / step) * step)


def _of_rounding(note: ColumnNote, shown: str) -> Refusal:
    """Say that something is no multiple."""
    what = (
        f"{shown!r} is no multiple of {note.round}, to which {CERTIFICATE} says that its values are rounded"
    )
    return Refusal(what, (f"column {note.name!r}",))


def _ends(note: ColumnNote) -> list[tuple[int, str, Fraction]]:
    """Ends that no value of a column lies beyond: side (-1: none is smaller), what it is, and where it lies."""
    found = []
    for side, key in ((-1, "low"), (1, "high"), (-1, "bottom"), (1, "top")):
        end = getattr(note, key)
        if end is not None:
            day = isinstance(end, str)
            found.append(
                (side, key, Fraction(np.datetime64(end, "D").astype(int).item()) if day else rational(end))
            )
    return found


def _of_end(name: str, shown: str, side: int, key: str) -> Refusal:
    """Say that something lies beyond an end."""
    where = "below" if side < 0 else "above"
    what = f"{shown!r} lies {where} the {_END_NAMES[key]} that {CERTIFICATE} says"
    return Refusal(what, (f"column {name!r}",))


def _beyond(cells: ShownColumn, step: Any) -> Iterator[Refusal]:
    """Say which regions lie beyond an end of their column, or its cell; of a hierarchy those that lie there as a whole."""
    for side, key, declared in _ends(cells.note):
        end = declared
        if step is not None and cells.note.shape == "interval":
            end = cell_of(declared, rational(step), real=cells.note.kind == "real")[int(side > 0)]
        for region in cells.regions:
            low, high = region.low, region.high
            if region.what == "node":
                stretch = read_stretch(
                    read_value(region.text), days=isinstance(getattr(cells.note, key), str)
                )
                low, high = (None, None) if stretch is None else (stretch.high, stretch.low)
            elif region.what != "interval":
                continue
            if low is not None and (low < end if side < 0 else high > end):
                yield _of_end(cells.note.name, region.text, side, key)
                break


def _unlisted(cells: ShownColumn) -> Iterator[Refusal]:
    """Say which values of a column that lists them all are not listed, or are listed and nowhere published."""
    note = cells.note
    if note.values is None:
        return
    told = set(note.values)
    shown = {value for region in cells.regions for value in region.values}
    more = shown - told
    # What * stands for is not seen where it is published.
    if not any(region.what == "everything" for region in cells.regions):
        more |= told - shown
    if more:
        yield Refusal(f"its values are not those that {CERTIFICATE} lists", (f"column {note.name!r}",))


def _unreadable(note: ColumnNote, column: Labelled, table: Table, label: str, form: Form) -> list[Refusal]:
    """Say which cells of a column are nothing that such a column can hold, and where the first of them stand."""
    exact = note.role == "sensitive" or form.publishes_exactly
    said = {
        code: (None if text == MISSING else refused_value(note, text))
        if exact
        else _refused_cell(note, text, form)
        for code, text in enumerate(column.labels if note.described else [])
    }
    wrong = {code: words for code, words in said.items() if words is not None}
    first = {code: int(np.argmax(column.codes == code)) for code in list(wrong)[:_SHOWN]}
    problems = [Refusal(wrong[code], (label,), table.where(row)) for code, row in first.items()]
    if len(wrong) > _SHOWN:
        what = f"{count(len(wrong) - _SHOWN, 'more text')} cannot stand there"
        problems.append(Refusal(what, (label, f"column {note.name!r}")))
    return problems


def _refused_cell(note: ColumnNote, text: str, form: Form) -> str | None:
    """Say why a text is nothing that a form shows of a column; None where it is."""
    read = {"region": read_region, "mean": read_mean, "mode": read_mode}[form.shows(note.kind, note.shape)]
    try:
        read(text, note)
    except LikenessError as problem:
        return problem.problems[0]
    return None
