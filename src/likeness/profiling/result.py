"""A profile: what was found in a table, and the policy it speaks for.

The proposed policy as a commented file.

A profile for people: a page of text, and tables for notebooks.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from likeness.errors import TableError, suggestion
from likeness.knowledge.reach import reach, reach_in_hierarchy
from likeness.pages import in_notebook
from likeness.policy.files import Dumper
from likeness.profiling.findings import PUBLISHED, share
from likeness.profiling.persons import PAIRED, individual_of
from likeness.profiling.reach import BETAS, identity_reserved
from likeness.wording import columns, count, printed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likeness.policy import Policy
    from likeness.profiling.findings import ColumnProfile, Link
    from likeness.profiling.joined import JoinedRecords
    from likeness.profiling.persons import Persons, Standing, Uniqueness
    from likeness.profiling.reach import Proposal, StrongestParameters
    from likeness.report.finding import Finding


_BANDWIDTH = 0.3


@dataclass(frozen=True, repr=False)
class Profile:
    """What was found in a table, and the policy it speaks for; made by `profile`.

    Printed, it is a page for the steward; in a notebook, tables. It holds counts, markers of missing values and the labels
    of rare sensitive values, so it is private.

    ``source``: what the table is called. ``size``: bytes that it takes in memory, as its frame library says.
    ``columns``: what is said about each, in the order of the table. ``links``: columns that say the same as others, or
    determine them. ``persons``: duplicates, and people with several records.
    ``reach``: the strongest parameters each sensitive column can meet. ``guarantee``: the models that are proposed.
    ``findings``: what the steward should look at, about the table as a whole; ``warnings`` has it in words.
    ``joined``: of two tables, who has how many records, and which have nobody; ``records`` are then those of people.
    """

    source: str
    records: int
    size: int
    columns: tuple[ColumnProfile, ...]
    links: tuple[Link, ...]
    persons: Persons
    uniqueness: Uniqueness
    reach: tuple[StrongestParameters, ...]
    guarantee: tuple[Proposal, ...]
    findings: tuple[Finding, ...]
    joined: JoinedRecords | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the steward should look at, about the table as a whole, in words."""
        return tuple(map(str, self.findings))

    def __getitem__(self, name: str) -> ColumnProfile:
        """Give what is said about one column; `TableError` if there is no such column."""
        for column in self.columns:
            if column.name == name:
                return column
        known = [column.name for column in self.columns]
        raise TableError(f"{self.source}: no column {name!r}{suggestion(name, known)}")

    def with_role(self, role: str) -> tuple[str, ...]:
        """List the columns of one role, in the order of the table."""
        return tuple(column.name for column in self.columns if column.role == role)

    @property
    def individual(self) -> str | None:
        """The column that the proposed policy counts people by; None where each has one record, or none can be it."""
        return individual_of(self.persons, self.columns) if self.joined is None else self.joined.on

    @property
    def encoded_size(self) -> int:
        """Bytes that the columns to be generalized, and the sensitive ones, take once they are encoded."""
        return 4 * self.records * len(self.with_role("quasi") + self.with_role("sensitive"))

    def policy(self) -> Policy:
        """Make the proposed policy, the one that `policy_yaml` writes."""
        from likeness.policy import Policy

        return Policy.from_mapping(self.policy_mapping(), where="proposed policy")

    def policy_mapping(self, folder: str | Path | None = None) -> dict[str, Any]:
        """Write the proposed policy as the content of a policy file.

        ``folder``: where the file will lie, from which it names the second of two tables; None for the working folder.
        """
        told: dict[str, Any] = {} if self.individual is None else {"individual": self.individual}
        if self.joined is not None:
            told["records"] = self.joined.of_policy(table_from(self.joined, folder))
            told["hygiene"] = WITHOUT_RECORDS
        return {
            "columns": {column.name: column.settings for column in self.columns},
            "missing": {"markers": [""], **({"policy": "error"} if self.joined is None else {})},
            **told,
            "privacy": [proposal.model for proposal in self.guarantee],
        }

    def policy_yaml(self, folder: str | Path | None = None) -> str:
        """Write the proposed policy as YAML, with a comment on every column that says why.

        `anonymize` accepts it unchanged for the table it was made of; of two tables it names the second, as a file, from
        ``folder``, where the policy will lie (None: the working folder).
        """
        return write_policy(self, folder)

    def write_policy(self, path: str | Path) -> None:
        """Write the proposed policy to a file, in UTF-8; `OutputError` if it cannot be written."""
        from likeness.errors import OutputError

        try:
            text = self.policy_yaml(Path(path).parent)
            Path(path).write_text(text, encoding="utf-8", newline="\n")
        except OSError as problem:
            raise OutputError(f"{path}: cannot be written ({problem.strerror or problem})") from None

    def known_by_kernel(self, bandwidth: float = _BANDWIDTH) -> dict[str, str]:
        """Say of every quasi-identifier whose values an adversary takes for like one another, under a kernel's bandwidth.

        That is ``knowledge: {kernel: {bandwidth: …}}`` in a policy (`likeness.KernelKnowledge`). Empty where no column is
        sensitive, or people have several records: then nothing can be known beforehand.
        """
        if not self.with_role("sensitive") or self.individual is not None:
            return {}
        found = {}
        for name in self.with_role("quasi"):
            own = self[name]
            if "hierarchy" in own.settings:
                found[name] = reach_in_hierarchy(bandwidth)
            else:
                found[name] = reach(own.span, bandwidth, "days" if own.kind == "date" else "")
        return found

    def to_mapping(self) -> dict[str, Any]:
        """Write everything that was found as JSON can hold it."""
        return {
            "source": self.source,
            "records": self.records,
            "bytes": self.size,
            "encoded_bytes": self.encoded_size,
            "columns": [column.to_mapping() for column in self.columns],
            "links": [link.to_mapping() for link in self.links],
            "persons": self.persons.to_mapping(),
            **({} if self.joined is None else {"joined": self.joined.to_mapping()}),
            "uniqueness": self.uniqueness.to_mapping(),
            "reach": {"k": self.records, "sensitive": [reach.to_mapping() for reach in self.reach]},
            "knowledge": {"bandwidth": _BANDWIDTH, "columns": self.known_by_kernel()},
            "guarantee": [{**proposal.model, "reason": proposal.reason} for proposal in self.guarantee],
            "warnings": list(self.warnings),
            "policy": self.policy_mapping(),
        }

    def to_json(self) -> str:
        """Write everything that was found, and the proposed policy, as JSON text."""
        return json.dumps(self.to_mapping(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write everything for a person to read."""
        return as_text(self)

    def __repr__(self) -> str:
        """Say the most important in one line."""
        roles = ", ".join(
            f"{len(self.with_role(role))} {role}"
            for role in ("identifier", "quasi", "sensitive", "other", "drop")
            if self.with_role(role)
        )
        sizes = f"{count(self.records, 'record')}, {count(len(self.columns), 'column')}"
        return f"Profile({called(self)}: {sizes}: {roles})"

    def _repr_html_(self) -> str:
        """Show everything in a notebook."""
        lists = [(heading, [item.strip() for item in items]) for heading, items in _sections(self)]
        return in_notebook(_title(self), head=_head(self), rows=_rows(self), lists=lists)


_LONGEST_KEY = 100
"""Characters of a column's name up to which it is written before its colon in one line."""


WITHOUT_RECORDS = {"no_sensitive": "drop"}
"""What becomes of people without records, written out."""
_TABLE = "records.csv"
"""What a policy calls the file of a second table that is a frame."""


def table_from(joined: JoinedRecords, folder: str | Path | None) -> str:
    """Give the path of the second table from a folder (None: the working one); a frame has none, and gets a name."""
    if joined.table is None:
        return _TABLE
    return joined.table if folder is None else Path(os.path.relpath(joined.table, folder)).as_posix()


def write_policy(profile: Profile, folder: str | Path | None = None) -> str:
    """Write the policy a profile proposes, with its reasons: YAML that loads as `Profile.policy`."""
    lines = [
        _comment(f"Proposed for {called(profile)}: {count(profile.records, 'record')}, {count(len(profile.columns), 'column')}."),
        "# A proposal, not a judgement: only you know what others may know of these people. Read every line.",
        *(_comment(f"Check: {warning}.") for warning in profile.warnings),
        "columns:",
    ]  # fmt: skip
    for column in profile.columns:
        if profile.joined is not None and column.name in profile.joined.added[:1]:
            lines.append(f"  {_comment(f'Of {profile.joined.second}:')}")
        lines += [f"  {line}" for line in _column(column)]
    lines += [
        "# The empty cell is missing, and refused unless its column says otherwise.",
        f"missing: {_flow(profile.policy_mapping()['missing'])}",
    ]
    if profile.individual is not None:
        lines += [
            "# Several records a person: classes count people. Before that, all but the first of one person's records with",
            "# the same sensitive values are dropped; hygiene: {duplicates: keep} keeps them.",
            *_dump({"individual": profile.individual}, flow=False).splitlines(),
            *_records(profile.joined, folder),
        ]
    elif profile.persons.column is not None and profile[profile.persons.column].role == "identifier":
        lines += [
            "# Several records a person, if this column tells people apart:",
            *_key("individual", profile.persons.column),
        ]
    for column in profile.columns:
        if column.looks_like == "survey weights":
            lines += [
                "# Survey weights: losses count people by them; estimates, too, where they are published (role: other):",
                *_key("weights", column.name),
            ]
    lines.append("privacy:")
    for proposal in profile.guarantee:
        lines += [f"  {_comment(proposal.reason)}", f"  - {_flow(proposal.model)}"]
    linked = identity_reserved(profile.reach)
    if linked:
        lines.append("  # These instead publish all records of a person under one random number:")
        lines += [f"  # - {_flow(model)}" for model in linked]
    return "\n".join([*lines, *_knowledge(profile)]) + "\n"


def _records(joined: JoinedRecords | None, folder: str | Path | None) -> list[str]:
    """Name the second of two tables."""
    if joined is None:
        return []
    told = (
        "# The second table, whose rows are the records of these people. It was a frame: write it to this file, or say which."
        if joined.table is None
        else "# The second table, whose rows are the records of these people; its path is meant from this policy's folder."
    )
    return [
        told,
        f"records: {_flow(joined.of_policy(table_from(joined, folder)))}",
        "# Who has no record in it is left out, unless its sensitive columns may lack values:",
        f"hygiene: {_flow(WITHOUT_RECORDS)}",
    ]


def called(profile: Profile) -> str:
    """What was looked at: a table, or two."""
    return profile.source if profile.joined is None else f"{profile.source} with {profile.joined.second}"


def _knowledge(profile: Profile) -> list[str]:
    """Write, commented out, what adversaries may know beforehand, and the model that says what follows."""
    known = profile.known_by_kernel()
    if not known:
        return []
    sensitive = profile.with_role("sensitive")
    source: dict[str, Any] = {"kernel": {"bandwidth": _BANDWIDTH}}
    model: dict[str, Any] = {"model": "js-background", "j": 0.5}
    if len(sensitive) > 1:
        source, model = source | {"sensitive": sensitive[0]}, model | {"sensitive": sensitive[0]}
    return [
        "# Who knows how values are distributed among people alike is not covered yet. To cover them, add to privacy:",
        f"#   - {_flow(model)}",
        "# and say who counts as alike:",
        f"# knowledge: {_flow(source)}",
        *(_comment(line) for line in _by_words(known)),
    ]


def _by_words(known: dict[str, str]) -> list[str]:
    """Columns of which the same is said, together."""
    names: dict[str, list[str]] = {}
    for name, words in known.items():
        names.setdefault(words, []).append(name)
    return [f"{', '.join(own)}: {words}" for words, own in names.items()]


def _column(column: ColumnProfile) -> list[str]:
    """Reason and facts, what to check, what may be missing, and the column itself."""
    lines = [_comment(f"{column.reason}; {_facts(column)}")]
    if column.role in PUBLISHED:
        declared = [marker for marker in column.markers if marker.declared]
        lines += [
            _comment(
                f"declared missing: {quoted(marker.text)}, {count(marker.records, 'record')}: {marker.why}"
            )
            for marker in declared
        ]
    lines += [_comment(f"check: {warning}") for warning in column.warnings]
    asked = [marker for marker in column.markers if not marker.declared]
    if asked and column.role in PUBLISHED:
        known = column.settings.get("missing", {}).get("markers", [""])
        markers = [*known, *(marker.text for marker in asked)]
        settings = {**column.settings, "missing": {"markers": markers, "policy": "category"}}
        seen = ", ".join(f"{quoted(marker.text)} ({count(marker.records, 'record')})" for marker in asked)
        lines += [
            _comment(f"if {seen} {'means' if len(asked) == 1 else 'mean'} a missing value, write instead:"),
            *(f"# {line}" for line in _entry(column.name, settings)),
        ]
    return [*lines, *_entry(column.name, column.settings)]


def _facts(column: ColumnProfile) -> str:
    """Counts of a column, in a few words."""
    found = count(column.distinct, "value")
    if column.distinct > 1:
        found += f", {share(column.alone, column.records + column.missing)} of records unique"
    return f"{found}, {count(column.missing, 'record')} without" if column.missing else found


def _comment(text: str) -> str:
    """Write one line of comment, whatever the text."""
    plain = " ".join(text.split())
    return "# " + "".join(character if character.isprintable() else "?" for character in plain)


def _entry(name: str, settings: dict[str, Any]) -> list[str]:
    """Write a column of the policy, in one line unless its name forbids it."""
    if len(name) > _LONGEST_KEY or not name.isprintable():
        return _dump({name: settings}, flow=None).splitlines()
    return [_dump({name: settings}, flow=True).strip()[1:-1]]


def _key(key: str, name: str) -> list[str]:
    """Write a key that names a column, commented out."""
    return [f"# {line}" for line in _dump({key: name}, flow=False).splitlines()]


def _flow(content: dict[str, Any]) -> str:
    """Write a mapping in one line."""
    return _dump(content, flow=True).strip()


def _dump(content: dict[str, Any], *, flow: bool | None) -> str:
    """Write YAML as the policy's own reader takes it."""
    text: str = yaml.dump(
        content, Dumper=Dumper, sort_keys=False, allow_unicode=True, default_flow_style=flow, width=1 << 30
    )
    return text


_HEAD = ("column", "kind", "values", "unique", "missing", "role", "because")
_RIGHT = frozenset({"values", "unique", "missing"})
_SHOWN_ALONE = 5


def as_text(profile: Profile) -> str:
    """Write a profile as plain text."""
    head, rows = _head(profile), _rows(profile)
    lines = [_title(profile), ""]
    lines += columns([head, *rows], "", {i for i, name in enumerate(head) if name in _RIGHT})
    for heading, items in _sections(profile):
        lines += ["", heading, *(f"  {item}" for item in items)]
    return "\n".join(lines) + "\n"


def _title(profile: Profile) -> str:
    """What was looked at, and how large it is."""
    records, columns = count(profile.records, "record"), count(len(profile.columns), "column")
    sizes = f"{_megabytes(profile.size)} in memory, {_megabytes(profile.encoded_size)} once encoded"
    return f"Profile of {called(profile)}: {records}, {columns}, {sizes}"


def _megabytes(size: int) -> str:
    """Write a number of bytes.

    >>> _megabytes(2_345_678), _megabytes(8_400), _megabytes(120)
    ('2.3 MB', '0.01 MB', 'less than 0.01 MB')
    """
    if size < 10_000:
        return "0.01 MB" if size >= 5_000 else "less than 0.01 MB"
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e6:.2f} MB"


def _head(profile: Profile) -> tuple[str, ...]:
    """Headings of the columns; of two tables, which one has each."""
    return _HEAD if profile.joined is None else ("table", *_HEAD)


def _rows(profile: Profile) -> list[tuple[str, ...]]:
    """One row a column."""
    return [
        (
            *_table_of(profile.joined, column.name),
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


def _table_of(joined: JoinedRecords | None, name: str) -> tuple[str, ...]:
    """Which of two tables has a column; nothing of one."""
    return () if joined is None else (joined.second if name in joined.added else joined.first,)


def _sections(profile: Profile) -> Iterator[tuple[str, list[str]]]:
    """Headings and their lines; those with nothing to say are left out."""
    sections = (
        ("People and their records", [] if profile.joined is None else profile.joined.lines()),
        ("Missing values", _markers(profile)),
        ("Check", _checks(profile)),
        ("Columns that say the same", [str(link) for link in profile.links]),
        (_standing_title(profile), _uniqueness(profile)),
        ("What this table can meet", _reach(profile)),
        (
            f"What others may know of people alike (knowledge: {{kernel: {{bandwidth: {_BANDWIDTH}}}}})",
            _by_words(profile.known_by_kernel()),
        ),
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


def _reach_of(reach: StrongestParameters) -> list[str]:
    """Strongest parameters of one sensitive column."""
    cs = ", ".join(f"c above {_up(c)} at l = {rank}" for rank, c in reach.recursive_c.items())
    recursive = f"; recursive (c,l)-diversity: {cs}" if cs else ""
    diversity = f"distinct l up to {reach.values:,}; entropy l up to {_down(reach.entropy_l)}{recursive}"
    word, words = ("record", "records") if reach.people is None else ("person", "people")
    share_of = "" if reach.people is None else " of the people"
    more = " or more" if reach.eir_l is not None and reach.eir_l < reach.values else ""
    lines = [
        f"{reach.column}: {diversity}; (α,k)-anonymity: α from {_up(reach.alpha)}{share_of}",
        "  β-likeness, t-closeness, δ-disclosure: any parameter",
        *([] if reach.eir_l is None else [f"  eir-l-diversity: l up to {reach.eir_l:,}{more}"]),
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
