"""The ledger of what was published of whom: a private file that releases over time share.

It holds, for one column that tells people apart and one sensitive column, the signature of everybody who was published: the
values that their group left possible. A release under m-invariance gives everybody the same one again. JSON, one object: ``on``,
``sensitive`` and ``m``; ``releases``, the SHA-256 of every certificate; ``signatures``, lists of values (null: the missing one);
``people`` and ``signature_of``, side by side; ``sha256`` of all that.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from likeness.errors import InvalidError, OutputError, PolicyError, Refusal, Statement, suggestion
from likeness.folder.layout import refuse_in_release
from likeness.microdata.domain import NUMERIC
from likeness.microdata.signatures import Signatures
from likeness.placing import write_text
from likeness.tables import as_codes, bare_names
from likeness.wording import count, nouns, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from likeness.encode import Encoded
    from likeness.forms.base import Publication
    from likeness.microdata.domain import Domain

FORMAT = 1
_LARGEST = 1 << 32
"""Bytes of a ledger that is read."""
_KEYS = {"format", "on", "sensitive", "m", "releases", "signatures", "people", "signature_of", "sha256"}


@dataclass(frozen=True, eq=False)
class Ledger:
    """What was published of whom.

    Parameters
    ----------
    path
        Its file.
    on
        The column that tells people apart.
    sensitive
        The sensitive column.
    m
        Fewest values of a signature.
    releases
        SHA-256 of the certificates of the releases, in their order.
    signatures
        Distinct signatures, values in the order of their texts.
    people
        Everybody who was published: the position of their signature.
    """

    path: Path
    on: str
    sensitive: str
    m: int
    releases: tuple[str, ...] = ()
    signatures: tuple[tuple[str | None, ...], ...] = ()
    people: dict[str, int] | None = None

    @classmethod
    def open(cls, path: str | Path, on: str | None, sensitive: str, m: int) -> Self:
        """Read a ledger that fits, or begin one where there is no file yet.

        Raises `InvalidError` where it is none, was changed, or is of another column or m; `PolicyError` where a new one needs
        ``on``; `OutputError` where a new one would lie in the public part of a release.
        """
        place = Path(path)
        if not place.exists():
            refuse_in_release(place, "a ledger names people")
            if on is None:
                raise PolicyError(
                    f"ledger: {place} is a new one; say which column tells people apart, as in on: patient_id"
                )
            return cls(place, on, sensitive, m)
        found = cls.read(place)
        for what, own, asked in (
            ("the people of the column", found.on, on),
            ("the sensitive column", found.sensitive, sensitive),
            ("m", found.m, m),
        ):
            if asked is not None and own != asked:
                raise InvalidError(
                    f"{place}: is the ledger of another series of releases: of {what} {quoted(own)}, not {quoted(asked)}"
                )
        return found

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a ledger; `InvalidError` where it is none, or was changed."""
        try:
            if path.stat().st_size > _LARGEST:
                raise InvalidError(f"{path}: is larger than any ledger")
            content = json.loads(path.read_text(encoding="utf-8"))
        except OSError as problem:
            raise InvalidError(f"{path}: cannot be read ({problem.strerror or problem})") from None
        except ValueError:
            raise InvalidError(f"{path}: is no ledger of releases") from None
        if not isinstance(content, dict) or set(content) != _KEYS or content["format"] != FORMAT:
            raise InvalidError(f"{path}: is no ledger of releases")
        if content["sha256"] != _digest(content):
            raise InvalidError(f"{path}: was changed since it was written; take the copy that is as it was")
        if not _is_whole(content):
            raise InvalidError(f"{path}: is no ledger of releases: people and signatures do not fit together")
        people = dict(zip(content["people"], content["signature_of"], strict=True))
        signatures = tuple(tuple(values) for values in content["signatures"])
        return cls(
            path,
            content["on"],
            content["sensitive"],
            content["m"],
            tuple(content["releases"]),
            signatures,
            people,
        )

    def _content(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        people = self.people or {}
        content = {
            "format": FORMAT,
            "on": self.on,
            "sensitive": self.sensitive,
            "m": self.m,
            "releases": list(self.releases),
            "signatures": [list(values) for values in self.signatures],
            "people": list(people),
            "signature_of": list(people.values()),
        }
        return content | {"sha256": _digest(content)}

    def names_of(self, encoded: Encoded) -> list[str]:
        """(n,) Whose each record is. `PolicyError` where that is not told of one, or somebody has several."""
        table = encoded.table
        if self.on not in table.names:
            raise PolicyError(f"ledger: on: {quoted(self.on)} is no column{suggestion(self.on, table.names)}")
        column = as_codes(table.encode(self.on, kind="text"))
        codes = column.codes[encoded.data.rows]
        times = np.bincount(codes[codes >= 0], minlength=len(column.values))
        if (codes < 0).any():
            row = int(encoded.data.rows[np.flatnonzero(codes < 0)[0]])
            raise PolicyError(
                f"ledger: on: {quoted(self.on)} is missing in {table.where(row)}; everybody needs one"
            )
        if (times > 1).any():
            who = str(column.values[int(times.argmax())])
            raise PolicyError(
                f"ledger: on: {count(int(times.max()), 'record')} have {quoted(who)} in {quoted(self.on)}; a ledger is about "
                "people with one record each"
            )
        names = [str(value) for value in column.values]
        return [names[code] for code in codes.tolist()]

    def refuse_alike(self, encoded: Encoded) -> None:
        """Refuse people who are named as others were before but for how it is written: they would be new, and be told apart.

        Raises `PolicyError` where there is one whose earlier name nobody has now.
        """
        here = pl.DataFrame({"name": self.names_of(encoded)}, schema={"name": pl.String})
        known = pl.DataFrame({"known": list(self.people or {})}, schema={"known": pl.String})
        new = here.join(known, left_on="name", right_on="known", how="anti").with_columns(
            bare=bare_names("name")
        )
        gone = known.join(here, left_on="known", right_on="name", how="anti").with_columns(
            bare=bare_names("known")
        )
        both = new.join(gone, on="bare", maintain_order="left")
        if both.height:
            alike = both["name"].n_unique()
            raise PolicyError(
                f"ledger: {count(alike, 'person')} of this table {nouns(alike, 'differs', 'differ')} from one of earlier "
                f"releases only in spaces, capital letters, leading zeros or decimal places, such as "
                f"{quoted(both['name'][0])} and {quoted(both['known'][0])}; write everybody as before"
            )

    def of_records(self, encoded: Encoded) -> Signatures:
        """Find the signatures of the people of a table."""
        domain = self._domain_in(encoded)
        code_of = {label: code for code, label in enumerate(_labels(domain))}
        sets = np.zeros((len(self.signatures), domain.codes), np.bool_)
        for number, values in enumerate(self._signatures_of(domain)):
            sets[number, [code_of[value] for value in values if value in code_of]] = True
        people = self.people or {}
        of = np.array([people.get(name, -1) for name in self.names_of(encoded)], np.int64)
        return Signatures(of, sets, np.array([len(values) for values in self.signatures], np.int64))

    def _domain_in(self, encoded: Encoded) -> Domain:
        """Take the sensitive column of a table."""
        return encoded.data.sensitive[encoded.data.sensitive_index(self.sensitive)]

    def _signatures_of(self, domain: Domain) -> list[tuple[str | None, ...]]:
        """Write the signatures as the values of a column are written here."""
        return [_in_order(_plain(value, domain) for value in own) for own in self.signatures]

    def check(
        self, encoded: Encoded, publication: Publication, rows: NDArray[np.int64], *, entered: bool = False
    ) -> Statement | Refusal:
        """Say whether everybody who is published has the signature of the ledger, or who first has not.

        ``rows`` (n,) are the records that the published ones were made from. ``entered``: whether the release is one of the
        ledger's, which then knows everybody.
        """
        known = self.of_records(encoded)
        shown, values = _shown(publication, self.sensitive)
        before = known.of[rows]
        if entered and (before < 0).any():
            unknown = np.flatnonzero(before < 0)
            where = encoded.table.where(int(encoded.data.rows[rows[unknown[0]]]))
            people = count(int(unknown.size), "person")
            what = f"{people} published {nouns(int(unknown.size), 'is', 'are')} unknown to the ledger, the first in {where}"
            return Refusal(what, ("m-invariance",))
        number_of = {own: number for number, own in enumerate(self._signatures_of(self._domain_in(encoded)))}
        number = np.array([number_of.get(own, -1) for own in values], np.int64)
        old = np.flatnonzero(before >= 0)
        wrong = old[number[shown[old]] != before[old]]
        if wrong.size:
            where = encoded.table.where(int(encoded.data.rows[rows[wrong[0]]]))
            people = count(int(wrong.size), "person")
            has = nouns(int(wrong.size), "has", "have")
            what = f"{people} published {has} other possible values than in earlier releases, the first in {where}"
            return Refusal(what, ("m-invariance",))
        releases, people = count(len(self.releases), "release"), count(int(rows.size), "person")
        return Statement(
            f"m-invariance over {releases} of the ledger: {old.size:,} of {people} published were in one, and have the values "
            "that were possible of them then (scope steward)"
        )

    def with_release(self, encoded: Encoded, publication: Publication, rows: NDArray[np.int64]) -> Self:
        """Add the signatures of everybody who is published and was not yet."""
        names = self.names_of(encoded)
        shown, values = _shown(publication, self.sensitive)
        kept = self._signatures_of(self._domain_in(encoded))
        signatures = {own: number for number, own in enumerate(kept)}
        number = np.array([signatures.setdefault(own, len(signatures)) for own in values], np.int64)
        people = dict(self.people or {})
        for row, own in zip(rows.tolist(), number[shown].tolist(), strict=True):
            people.setdefault(names[row], own)
        return replace(self, signatures=tuple(signatures), people=people)

    def _knows_no_more_than(self, other: Ledger) -> bool:
        """Whether another ledger has the signature of everybody."""
        theirs, own = other.people or {}, self.people or {}
        return all(
            name in theirs and other.signatures[theirs[name]] == self.signatures[number]
            for name, number in own.items()
        )

    def append(self, certificate: str, before: Ledger) -> None:
        """Write it, with the SHA-256 of the certificate of the release that it got from ``before``, what the file still must be.

        Raises `OutputError` where the file is another one by now, or cannot be written; then it is as it was.
        """
        there = Ledger.read(self.path) if self.path.exists() else None
        # Of other people the same may be published, byte for byte.
        if there is not None and certificate in there.releases and self._knows_no_more_than(there):
            return
        if (there.releases if there is not None else ()) != before.releases:
            raise OutputError(
                f"{self.path}: another release was written into this ledger since this one was made; make this one again"
            )
        own = replace(self, releases=(*self.releases, certificate))
        text = json.dumps(own._content(), ensure_ascii=False, separators=(",", ":"))  # noqa: SLF001  # its own
        write_text(self.path, text + "\n", overwrite=there is not None)


def _is_whole(content: dict[str, Any]) -> bool:
    """Whether everybody has a signature that is there."""
    signatures, people, of = content["signatures"], content["people"], content["signature_of"]
    return (
        all(isinstance(own, list) for own in (signatures, people, of, content["releases"]))
        and len(people) == len(of) == len({name for name in people if isinstance(name, str)})
        and all(isinstance(number, int) and 0 <= number < len(signatures) for number in of)
        and all(
            isinstance(own, list) and all(value is None or isinstance(value, str) for value in own)
            for own in signatures
        )
    )


def _digest(content: dict[str, Any]) -> str:
    """SHA-256 of everything in a ledger but that."""
    own = {key: value for key, value in content.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(own, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _shown(
    publication: Publication, sensitive: str
) -> tuple[NDArray[np.int64], Sequence[tuple[str | None, ...]]]:
    """(n,) Which signature the class of each published record shows, and these, values in the order of their texts."""
    column = [domain.name for domain in publication.sensitive].index(sensitive)
    domain = publication.sensitive[column]
    classes = int(publication.classes.max(initial=-1)) + 1
    held = np.zeros((classes, domain.codes), np.bool_)
    held[publication.classes, publication.sensitive_codes[column]] = True
    sets, of = np.unique(np.packbits(held, axis=1), axis=0, return_inverse=True)
    labels = _labels(domain)
    found = [
        _in_order(labels[code] for code in np.flatnonzero(row).tolist())
        for row in np.unpackbits(sets, axis=1, count=domain.codes).astype(np.bool_)
    ]
    return of.reshape(-1).astype(np.int64)[publication.classes], found


def _labels(domain: Domain) -> list[str | None]:
    """Values as a ledger keeps them, None for the missing one."""
    return [_plain(label, domain) for label in domain.labels_with(None)]


def _plain(value: str | None, domain: Domain) -> str | None:
    """Write a number as one, whether or not its column has others with decimal places: 30.0 is 30."""
    return value.removesuffix(".0") if value is not None and domain.kind in NUMERIC else value


def _in_order(values: Iterable[str | None]) -> tuple[str | None, ...]:
    """Put values in the order of their texts, the missing one last."""
    return tuple(sorted(values, key=lambda label: (label is None, label or "")))
