"""The certificate: what was proven, to whom, and what a recipient needs to prove it again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, get_args

from likeness import registry
from likeness.errors import LikenessError, VerificationError
from likeness.forms._columns import ColumnNote, PublishedColumns
from likeness.tables.formulas import Formulas
from likeness.wording import count, nouns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.forms._base import Form
    from likeness.models._base import PrivacyModel
    from likeness.proof import Verdict

FORMAT = 1
_MOST_DIGITS = 40
"""Digits of a whole number: those of 128 bits, and a sign."""
_DEEPEST = 64
_NESTED = "it is nested more deeply than what likeness writes"
_SCOPES = ("public", "mechanism", "steward")
_ROLES = ("quasi", "sensitive", "other")
_SHAPES = ("interval", "tree", "set")


@dataclass(frozen=True)
class Certificate:
    """What is handed out with a release; nothing in it would help an adversary.

    Parameters
    ----------
    form
        The form and its options.
    columns
        Notes on the published columns.
    guarantee
        One entry per model and sensitive column: parameters, scope, measured strength.
    records, classes
        Published records and equivalence classes.
    reproducible
        Whether a seed was given, so that the release could be made again by whoever knows it.
    remarks
        What the guarantee takes for granted.
    files
        File name to its SHA-256, number of rows and columns; filled when the release is written.
    version
        Version of likeness that wrote it.
    individuals
        Published individuals, where people may have several records; then people are counted, not records.
    formulas
        ``escape`` when an apostrophe stands in the files before texts that a spreadsheet program would run; else ``keep``.
    """

    form: dict[str, Any]
    columns: PublishedColumns
    guarantee: tuple[dict[str, Any], ...]
    records: int
    classes: int
    reproducible: bool
    remarks: tuple[str, ...] = ()
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    version: str = ""
    individuals: int | None = None
    formulas: Formulas = "keep"

    def make_form(self) -> Form:
        """Make the form the release was published in."""
        options = dict(self.form)
        made: Form = registry.create("forms", options.pop("name"), options)
        return made

    def make_models(self) -> list[PrivacyModel]:
        """Make the models the certificate claims, each once."""
        unique = {
            json.dumps([entry["model"], entry["parameters"]], sort_keys=True): entry
            for entry in self.guarantee
        }
        return [registry.create("models", e["model"], e["parameters"]) for e in unique.values()]

    def compare(self, verdict: Verdict) -> list[str]:
        """Say where the certificate claims something else than was found."""
        problems = []
        if (self.records, self.classes) != (verdict.records, verdict.classes):
            problems.append(
                # What was changed may be anything.
                f"certificate.json says {self.records} {nouns(self.records, 'record')} in {self.classes} "
                f"{nouns(self.classes, 'class')}; the published tables hold {verdict.records} in {verdict.classes}"
            )
        problems += self._compare_people(verdict)
        found = {_key(proof.to_json()): proof for proof in verdict.proofs if proof.holds is not None}
        claimed = {_key(entry): entry for entry in self.guarantee}
        unchecked = {proof.model: proof.scope for proof in verdict.proofs if proof.holds is None}
        for key, entry in claimed.items():
            proof = found.get(key)
            scope = unchecked.get(entry["model"])
            if proof is None and scope is None:
                problems.append(
                    f"certificate.json claims {_subject(entry)}, which its own models do not give"
                )
            elif proof is None and not self._covers(entry):
                problems.append(f"certificate.json claims {_subject(entry)}, which is no sensitive column")
            elif proof is None and entry["scope"] != scope:
                problems.append(
                    f"certificate.json claims {_subject(entry)}: scope {entry['scope']}; its scope is {scope}"
                )
            elif proof is not None and proof.to_json() != entry:
                own = proof.to_json()
                problems.append(
                    f"certificate.json claims {_subject(entry)}: {_phrase(entry)}; found: {_phrase(own)}"
                )
        problems += [
            f"certificate.json lacks an entry for {proof.subject}"
            for key, proof in found.items()
            if key not in claimed
        ]
        return problems

    def _covers(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entry is about a column that there is, or about none."""
        column = entry.get("sensitive")
        return column is None or column in {note.name for note in self.columns.with_role("sensitive")}

    def _compare_people(self, verdict: Verdict) -> list[str]:
        """Compare the number of individuals with what was found, or with what is possible where that is not known."""
        if self.individuals is None or verdict.individuals is not None:
            if self.individuals != verdict.individuals:
                told, found = _people(self.individuals), _people(verdict.individuals)
                return [f"certificate.json says {told}; found: {found}"]
            about = [model.name for model in self.make_models() if model.about_individuals]
            if self.individuals is None and about and verdict.records:
                return [
                    f"certificate.json claims {about[0]}, which counts people, and does not say how many there are"
                ]
        elif not verdict.classes <= self.individuals <= verdict.records:
            held = f"{count(verdict.records, 'record')} in {count(verdict.classes, 'class')}"
            return [f"certificate.json says {_people(self.individuals)}; {held} cannot be theirs"]
        return []

    def to_json(self) -> str:
        """Write it; the same release, the same bytes."""
        plain = {
            "format": FORMAT,
            "likeness": self.version,
            "form": self.form,
            "guarantee": list(self.guarantee),
            "counts": {"records": self.records, "classes": self.classes}
            | ({} if self.individuals is None else {"individuals": self.individuals}),
            "reproducible": self.reproducible,
            "remarks": list(self.remarks),
            "columns": [note.to_json() for note in self.columns.notes],
            "files": self.files,
        } | ({} if self.formulas == "keep" else {"formulas": self.formulas})
        return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str, where: str) -> Certificate:
        """Read it back.

        Raises
        ------
        VerificationError
            When it is not a certificate.
        """
        try:
            plain: Mapping[str, Any] = read_json(text)
            _check_format(plain["format"], where)
            certificate = Certificate(
                dict(plain["form"]),
                PublishedColumns(tuple(ColumnNote.from_json(note) for note in plain["columns"])),
                tuple(plain["guarantee"]),
                plain["counts"]["records"],
                plain["counts"]["classes"],
                plain["reproducible"],
                tuple(plain["remarks"]),
                dict(plain["files"]),
                plain["likeness"],
                plain["counts"].get("individuals"),
                plain.get("formulas", "keep"),
            )
            _check_shape(certificate)
            certificate.make_form()
            certificate.make_models()
        except VerificationError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, LikenessError) as problem:
            raise VerificationError(
                f"{where}: is not a certificate of likeness, or was changed ({problem})"
            ) from None
        return certificate


def read_json(text: str) -> Any:
    """Read JSON of a stranger: numbers that mean something, lists and objects that are not nested without end.

    Raises
    ------
    ValueError
        When it is no JSON, or holds a number that no release has, or is nested more deeply than any.

    Examples
    --------
    >>> read_json('{"k": 5}')
    {'k': 5}
    >>> read_json("1e400")
    Traceback (most recent call last):
    ValueError: 1e400 is not a number of 64 bits
    """
    try:
        found = json.loads(text, parse_int=_whole, parse_float=_real, parse_constant=_real)
    except RecursionError:
        raise ValueError(_NESTED) from None
    level, depth = [found], 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise ValueError(_NESTED)
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return found


def _whole(text: str) -> int:
    """Read a whole number; Python takes a time for it that is more than in proportion to its digits."""
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _real(text: str) -> float:
    """Read a number, which is finite."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(
            f"{text if len(text) <= _MOST_DIGITS else 'what stands there'} is not a number of 64 bits"
        )
    return number


def _check_format(found: Any, where: str) -> None:
    """Refuse certificates of other versions."""
    if found != FORMAT:
        raise VerificationError(f"{where}: is of format {found}; this version reads format {FORMAT}")


def _check_shape(certificate: Certificate) -> None:
    """Refuse what `Certificate.to_json` does not write.

    Raises
    ------
    ValueError
        Saying which part it is.
    """
    if not certificate.guarantee:
        raise ValueError("it claims no guarantee")
    if certificate.individuals is not None and type(certificate.individuals) is not int:
        raise ValueError("its number of individuals is not whole")
    for entry in certificate.guarantee:
        if not {"model", "parameters", "scope", "measured"} <= set(entry) or entry["scope"] not in _SCOPES:
            raise ValueError("an entry under guarantee is not whole")
    for note in certificate.columns.notes:
        _check_note(note)
    for name, facts in certificate.files.items():
        if set(facts) != {"sha256", "rows", "columns"} or not all(
            isinstance(column, str) for column in facts["columns"]
        ):
            raise ValueError(f"the entry of {name!r} under files is not whole")
    if not all(isinstance(remark, str) for remark in certificate.remarks):
        raise ValueError("a remark is not a text")
    if certificate.formulas not in get_args(Formulas):
        raise ValueError("it does not say how formulas are written")


def _check_note(note: ColumnNote) -> None:
    """Refuse a note of other types than `ColumnNote` has; a ValueError says which."""
    texts = [note.name, note.role, note.kind, note.shape, note.distance, *(note.order or ())]
    texts += [label for row in note.hierarchy or () for label in row]
    numbers = (end for end in (note.low, note.high) if end is not None)
    if (
        not all(isinstance(text, str) for text in texts)
        or not all(value is None or isinstance(value, str) for value in note.values or ())
        or not all(isinstance(number, int | float) for number in numbers)
        or note.role not in _ROLES
        or note.shape not in _SHAPES
    ):
        raise ValueError(f"the entry of {note.name!r} under columns is not whole")


def _people(individuals: int | None) -> str:
    """Say how many individuals there are."""
    return "one record a person" if individuals is None else count(individuals, "individual")


def _subject(entry: Mapping[str, Any]) -> str:
    """Name what an entry is about."""
    column = entry.get("sensitive")
    return str(entry["model"]) + ("" if column is None else f" on {column!r}")


def _phrase(entry: Mapping[str, Any]) -> str:
    """Write what an entry claims."""
    measured = entry.get("measured")
    strongest = ", ".join(f"{name} = {value}" for name, value in measured.items()) if measured else measured
    known = {"model", "parameters", "scope", "measured", "sensitive"}
    extra = "".join(f", {key}" for key in entry if key not in known)
    return f"{strongest}, scope {entry.get('scope')}{extra}"


def _key(entry: Mapping[str, Any]) -> str:
    """What an entry is about."""
    return json.dumps([entry["model"], entry["parameters"], entry.get("sensitive")], sort_keys=True)
