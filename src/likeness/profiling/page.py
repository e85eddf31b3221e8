"""A profile for people: a page of text, and tables for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from likeness.profiling.findings import share
from likeness.profiling.reach import BETAS
from likeness.profiling.uniqueness import PAIRED
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likeness.profiling.reach import Reach
    from likeness.profiling.result import Profile
    from likeness.profiling.uniqueness import Standing

_HEAD = ("column", "kind", "values", "unique", "missing", "role", "because")
_RIGHT = frozenset({2, 3, 4})
_SHOWN_ALONE = 5


def as_text(profile: Profile) -> str:
    """Write a profile as plain text.

    Parameters
    ----------
    profile
        The profile.
    """
    rows = _rows(profile)
    widths = [max(len(row[i]) for row in [_HEAD, *rows]) for i in range(len(_HEAD))]
    lines = [_title(profile), ""]
    lines += [_aligned(row, widths) for row in [_HEAD, *rows]]
    for heading, items in _sections(profile):
        lines += ["", heading, *(f"  {item}" for item in items)]
    return "\n".join(lines) + "\n"


def as_html(profile: Profile) -> str:
    """Show a profile as a table and lists.

    Parameters
    ----------
    profile
        The profile.
    """
    head = "".join(f"<th>{title}</th>" for title in _HEAD)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in _rows(profile)
    )
    lists = "".join(
        f"<p><b>{escape(heading)}</b></p><ul>"
        + "".join(f"<li>{escape(item.strip())}</li>" for item in items)
        + "</ul>"
        for heading, items in _sections(profile)
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p>{escape(_title(profile))}</p>{table}{lists}</div>"


def _title(profile: Profile) -> str:
    """What was looked at, and how large it is."""
    records, columns = count(profile.records, "record"), count(len(profile.columns), "column")
    sizes = f"{_megabytes(profile.size)} in memory, {_megabytes(profile.encoded_size)} once encoded"
    return f"Profile of {profile.source}: {records}, {columns}, {sizes}"


def _megabytes(size: int) -> str:
    """Write a number of bytes."""
    return f"{size / 1e6:,.1f} MB"


def _rows(profile: Profile) -> list[tuple[str, ...]]:
    """One row a column."""
    return [
        (
            _printable(column.name),
            column.kind,
            f"{column.distinct:,}",
            share(column.alone, column.records),
            f"{column.missing:,}",
            column.role,
            f"{column.looks_like}: {column.reason}",
        )
        for column in profile.columns
    ]


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """Cells under each other."""
    cells = [
        cell.rjust(width) if i in _RIGHT else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _sections(profile: Profile) -> Iterator[tuple[str, list[str]]]:
    """Headings and their lines; those with nothing to say are left out."""
    sections = (
        ("Missing values", _markers(profile)),
        ("Check", _checks(profile)),
        ("Columns that say the same", [str(link) for link in profile.links]),
        (_standing_title(profile), _uniqueness(profile)),
        ("What this table can meet", _reach(profile)),
        ("Proposed guarantee", [f"{_model(own.model)}: {own.reason}" for own in profile.guarantee]),
    )
    return ((heading, items) for heading, items in sections if items)


def _markers(profile: Profile) -> list[str]:
    """Markers that are declared, then those asked about, of columns that are published."""
    published = [column for column in profile.columns if column.is_published]
    declared = [
        f"{column.name}: {quoted(marker.text)} ({count(marker.records, 'record')}) is declared missing: {marker.why}"
        for column in published
        for marker in column.markers
        if marker.declared
    ]
    return declared + [f"{column.name}: {asked}" for column in published for asked in column.questions]


def _checks(profile: Profile) -> list[str]:
    """Warnings, of the table and of its columns."""
    own = [f"{column.name}: {warning}" for column in profile.columns for warning in column.warnings]
    return [*profile.warnings, *own]


def _standing_title(profile: Profile) -> str:
    """Heading of what the quasi-identifiers single out."""
    together = profile.uniqueness.together
    if together is None:
        return ""
    number = count(len(together.columns), "quasi-identifier")
    return f"Who stands out, by {number}: {', '.join(together.columns)}"


def _uniqueness(profile: Profile) -> list[str]:
    """Groups by all quasi-identifiers, by each and by pairs."""
    found = profile.uniqueness
    if found.together is None:
        return []
    whom = "people" if found.of_people else "records"
    together = found.together
    smallest = f"the smallest of {count(together.groups, 'group')} has {together.smallest:,}"
    lines = [f"together: {_below(together, profile.records, whom)}; {smallest}"]
    lines += [f"{own.columns[0]}: {_below(own, profile.records, whom)}" for own in found.alone[:_SHOWN_ALONE]]
    if found.pairs:
        first = f" (of the {PAIRED} columns that identify most)" if len(found.alone) > PAIRED else ""
        lines.append(f"in pairs{first}:")
    lines += [
        f"  {' and '.join(pair.columns)}: {_below(pair, profile.records, whom)}" for pair in found.pairs
    ]
    return lines


def _below(standing: Standing, records: int, whom: str) -> str:
    """Shares of the records in small groups."""
    alone, *others = standing.below.items()
    parts = [f"{share(alone[1], records)} unique"]
    parts += [f"{share(number, records)} in groups below {size}" for size, number in others]
    return f"{', '.join(parts)} {whom}"


def _reach(profile: Profile) -> list[str]:
    """Strongest parameters."""
    persons = profile.persons
    if profile.individual is not None:
        records = count(profile.records, "record")
        line = f"k-anonymity: k up to {persons.people:,}, the number of people; they have {records}"
    else:
        line = f"k-anonymity: k up to {profile.records:,}, the number of records"
        line += "" if persons.column is None else f"; they are of {count(persons.people, 'person', 'people')}"
    return [line, *(item for reach in profile.reach for item in _reach_of(reach))]


def _reach_of(reach: Reach) -> list[str]:
    """Strongest parameters of one sensitive column."""
    cs = ", ".join(f"c above {_up(c)} at l = {rank}" for rank, c in reach.recursive_c.items())
    recursive = f"; recursive (c,l)-diversity: {cs}" if cs else ""
    diversity = f"distinct l up to {reach.values:,}; entropy l up to {_down(reach.entropy_l)}{recursive}"
    word, words = ("record", "records") if reach.people is None else ("person", "people")
    share_of = "" if reach.people is None else " of the people"
    lines = [
        f"{reach.column}: {diversity}; (α,k)-anonymity: α from {_up(reach.alpha)}{share_of}",
        "  β-likeness, t-closeness, δ-disclosure: any parameter",
        *([] if reach.eir_l is None else [f"  eir-l-diversity: l up to {reach.eir_l:,} or more"]),
        "  under enhanced β-likeness a class needs, to hold a rare value:",
    ]
    for value in reach.rare:
        sizes = ", ".join(f"{value.smallest_class[beta]:,} (β = {beta})" for beta in BETAS)
        lines.append(
            f"    {quoted(value.label)}, {count(value.count, word, words)}: at least {sizes} {words}"
        )
    return lines


def _down(number: float) -> str:
    """Write four digits, never more than the number."""
    return f"{int(number * 1e4) / 1e4:.4f}".rstrip("0").rstrip(".")


def _up(number: float) -> str:
    """Write four digits, never less than the number."""
    return f"{-int(-number * 1e4 // 1) / 1e4:.4f}".rstrip("0").rstrip(".")


def _model(model: dict[str, object]) -> str:
    """Write a model in a few words."""
    given = ", ".join(f"{key} = {value}" for key, value in model.items() if key not in {"model", "sensitive"})
    on = f" on {model['sensitive']}" if "sensitive" in model else ""
    return f"{model['model']} ({given}){on}"


def _printable(text: str) -> str:
    """Write a name in one line."""
    return text if text.isprintable() else repr(text)
