"""``audit.json``: what the steward keeps about how a release was made. Private.

Where the second table of an original is: the policy that is kept with a release has lost its folder.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness.choosing import KEPT, Candidate
from likeness.errors import Refusal, VerificationError
from likeness.folder.class_map import NOT_SAID
from likeness.hierarchies import from_rows
from likeness.methods.local_search import Search
from likeness.microdata.plan import Reason
from likeness.policy import Policy
from likeness.policy.hierarchy import rule_of
from likeness.policy.sections import READING
from likeness.proving.certificate import read_json
from likeness.tables import JoinedTable, Table
from likeness.tables.parts import files_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.encode import Encoded
    from likeness.methods.base import Method
    from likeness.proving.certificate import Certificate
    from likeness.release import Release
    from likeness.tables import Columned

FORMAT = 1
_KEYS = (
    "format",
    "likeness",
    "policy",
    "hierarchies",
    "categories",
    "method",
    "candidates",
    "refusals",
    "form",
    "randomness",
    "original",
    "counts",
    "reasons",
    "missing",
    "renamed",
    "metrics",
    "files",
    "digest",
)
_OF_VALUES = "values"
_MAY_LACK = {"candidates", "refusals", "reasons", "categories"}
"""Keys that 0.2 did not write; categories stand there where the policy has some."""


@dataclass(frozen=True)
class Audit:
    """The content of ``audit.json``: its keys and values, without the digest."""

    content: dict[str, Any]

    @property
    def files(self) -> dict[str, str]:
        """Path within the release folder to the SHA-256 of every other file."""
        return dict(self.content["files"])

    @property
    def policy(self) -> Policy:
        """What was asked; files of hierarchies and categories are here as they were then. `PolicyError` where it is no policy."""
        policy = self.written_policy
        if "categories" in self.content:
            kept = {
                name: {label: values for label, *values in rows}
                for name, rows in self.content["categories"].items()
            }
            policy = policy.replace(categories=kept)
        columns = dict(policy.columns)
        for name, kept in self.content["hierarchies"].items():
            tree = from_rows(
                kept["rows"],
                name,
                where=lambda i: f"audit.json, row {i + 1}",
                data_derived=kept["data_derived"],
            )
            columns[name] = columns[name].replace(hierarchy=tree)
        return policy.replace(columns=columns)

    @property
    def written_policy(self) -> Policy:
        """What was asked, as it was written: hierarchies and categories that were files are their paths.

        Raises
        ------
        PolicyError
            When it is no policy.
        """
        return Policy.from_mapping(self.content["policy"], where="audit.json")

    @property
    def entropy(self) -> int:
        """What the random numbers were made from."""
        return int(self.content["randomness"]["entropy"])

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The methods that could have made it; not those that are no longer installed."""
        known = registry.names("methods")
        refusals = self.content.get("refusals", {})
        return tuple(
            Candidate(
                self.method
                if told["outcome"] == KEPT
                else registry.create("methods", told["method"], told.get("parameters", {})),
                told["outcome"],
                told["work"],
                told["loss"],
                Refusal.from_json(refusals[name]) if name in refusals else None,
                Search(**told["search"]) if "search" in told else None,
            )
            for name, told in self.content.get("candidates", {}).items()
            if told["method"] in known
        )

    @property
    def is_ordered(self) -> bool:
        """Whether rows of the original are numbered in the order of their values, because an engine counted them."""
        return "order" in self.content["original"]

    @property
    def reading(self) -> dict[str, Any]:
        """What was said of how to read the original (`Table.reading`), so that nobody need say it again."""
        return dict(self.content["original"].get("reading", {}))

    @property
    def reasons(self) -> dict[str, Reason]:
        """Why records were withheld or dropped, by the sentences of then: those of the class map and the counts."""
        given = self.content.get("reasons", {})
        return {sentence: Reason.from_json(own, sentence) for sentence, own in given.items()}

    @property
    def method(self) -> Method:
        """What made the release; `PolicyError` where there is no such method."""
        given = dict(self.content["method"])
        made: Method = registry.create("methods", str(given.pop("name", "")), given)
        return made

    def to_json(self) -> str:
        """Write it, with the digest of everything else in it."""
        return (
            json.dumps(self.content | {"digest": _digest(self.content)}, indent=2, ensure_ascii=False) + "\n"
        )

    @staticmethod
    def from_json(text: str, label: str) -> Audit:
        """Read it back; raises `VerificationError` where it is not whole, or was changed."""
        try:
            content = read_json(text)
            if content["format"] != FORMAT:
                raise VerificationError(
                    Refusal(f"is of format {content['format']}; this version reads format {FORMAT}", (label,))
                )
            if tuple(content) != tuple(key for key in _KEYS if key in content or key not in _MAY_LACK):
                raise VerificationError(
                    Refusal("its keys are not those that likeness writes; it was changed", (label,))
                )
            told = content.pop("digest")
            _check_shape(content)
        except (ValueError, KeyError, TypeError) as problem:
            raise VerificationError(
                Refusal(f"cannot be read; it was changed ({problem})", (label,))
            ) from None
        audit = Audit(content)
        if told != _digest(content) or text != audit.to_json():
            raise VerificationError(
                Refusal("its digest is not that of its content; it was changed", (label,))
            )
        return audit


def _check_shape(content: Mapping[str, Any]) -> None:
    """Refuse what `Audit.to_json` does not write; a TypeError says which part it is."""
    for key, value in content.items():
        if not isinstance(value, str if key == "likeness" else int if key == "format" else dict):
            raise TypeError(f"{key} is not whole")
    inside = {
        "randomness": {"seed", "entropy"},
        "original": {"source", "rows", "sha256"},
        "counts": {"input", "published", "withheld", "dropped", "added"},
    }
    for key, names in inside.items():
        # Only an original of two tables has the place of the second, only one that was counted has an order, and few releases
        # have records that nobody is.
        may = {"original": {"records", "order", "reading"}, "counts": {"invented"}}.get(key, set())
        if set(content[key]) - may != names:
            raise TypeError(f"{key} is not whole")
    if not isinstance(content["original"].get("records", ""), str):
        raise TypeError("original is not whole")
    if content["original"].get("order", _OF_VALUES) != _OF_VALUES:
        raise TypeError("original is not whole")
    if not isinstance(content["original"].get("reading", {}), dict):
        raise TypeError("original is not whole")
    for one in content.get("reasons", {}).values():
        if not isinstance(one, dict) or not isinstance(one.get("reason"), str):
            raise TypeError("reasons is not whole")


def make_audit(
    release: Release,
    policy: Mapping[str, Any],
    counts: Mapping[str, Any],
    measured: Mapping[str, float],
    files: Mapping[str, str],
) -> Audit:
    """Write down how a release, with its original, was made.

    ``policy`` is as `plain_policy` gives it, ``counts`` is what became of the records, as the class map counts them,
    ``measured`` the information loss by metric, and ``files`` the SHA-256 of every file but this one by path within the
    release folder.
    """
    private = release.private
    encoded = private.encoded
    categories = {
        encoded.original_name(domain.name): domain.categories.to_rows()
        for domain in encoded.data.sensitive
        if domain.categories is not None
    }
    return Audit(
        {
            "format": FORMAT,
            "likeness": release.certificate.version,
            "policy": dict(policy),
            "hierarchies": _hierarchies(encoded, private.policy),
            **({"categories": categories} if categories else {}),
            "method": {"name": private.method.name, **registry.parameters(private.method)},
            "candidates": {one.method.label: one.to_json() for one in private.candidates},
            "refusals": {
                one.method.label: one.why.to_json() for one in private.candidates if one.why is not None
            },
            "form": release.certificate.form,
            # As a text: 128 bits are more than the numbers of many JSON readers hold.
            "randomness": {"seed": private.policy.seed, "entropy": str(private.entropy)},
            "original": {
                "source": encoded.table.source.encode("utf-8", "backslashreplace").decode(),
                "rows": encoded.table.records,
                "sha256": content_digest(encoded),
                **_second(encoded.table),
                **({"order": _OF_VALUES} if encoded.table.ordered else {}),
                **({"reading": encoded.table.reading} if encoded.table.reading else {}),
            },
            "counts": dict(counts),
            "reasons": _reasons(release, counts),
            "missing": dict(encoded.missing),
            "renamed": dict(encoded.renamed),
            "metrics": {name: _finite(value) for name, value in measured.items()},
            "files": dict(sorted(files.items())),
        }
    )


def plain_policy(policy: Policy, certificate: Certificate, renamed: Mapping[str, str]) -> dict[str, Any]:
    """Write a policy as a file holds it; a bound that is a Python function as the caps it gave.

    The caps are those in ``certificate``. ``renamed`` is column to the name it is published under, where that differs.
    """
    back = {published: name for name, published in renamed.items()}
    models: list[Any] = []
    for model in policy.privacy:
        if not model.has_function:
            models.append(model)
            continue
        written = registry.parameters(model.with_caps({})).keys() - registry.parameters(model).keys()
        for entry in certificate.guarantee:
            given = dict(entry["parameters"])
            if entry["model"] == model.name and written <= given.keys():
                if given.get("sensitive") in back:
                    given["sensitive"] = back[given["sensitive"]]
                models.append(registry.create("models", model.name, given))
    return json.loads(json.dumps(policy.replace(privacy=tuple(models)).to_mapping()))  # type: ignore[no-any-return]


def content_digest(encoded: Encoded) -> str:
    """SHA-256 of what was encoded of an original: values and codes of all its attributes, and whose records are whose."""
    data = encoded.data
    found = hashlib.sha256(json.dumps(list(encoded.table.names)).encode())
    for domains, codes in ((data.quasi, data.codes), (data.sensitive, data.sensitive_codes)):
        for domain, own in zip(domains, codes, strict=True):
            found.update(json.dumps([domain.name, domain.kind, domain.labels]).encode())
            found.update(np.ascontiguousarray(own, "<i4").data)
    found.update(np.ascontiguousarray(data.rows, "<i8").data)
    if data.copies is not None:
        found.update(np.ascontiguousarray(data.copies, "<i8").data)
    if data.individuals is not None:
        # By the first record of each: what people are called is not published.
        _, first, of = np.unique(data.individuals, return_index=True, return_inverse=True)
        found.update(np.ascontiguousarray(first[of.reshape(-1)], "<i8").data)
    return found.hexdigest()


def _reasons(release: Release, counts: Mapping[str, Any]) -> dict[str, Any]:
    """Name the reasons that were counted, by the sentence that counts and class map have for each."""
    plan, encoded = release.private.solution.plan, release.private.encoded
    known = {str(reason): reason for reason in (*plan.because, *encoded.because, NOT_SAID)}
    return {sentence: known[sentence].to_json() for sentence in (*counts["withheld"], *counts["dropped"])}


def _second(table: Table) -> dict[str, str]:
    """Where the second table of an original lies, if it has one: the policy that is kept has lost its folder."""
    if not isinstance(table, JoinedTable):
        return {}
    return {"records": str(Path(table.second.source).absolute()).encode("utf-8", "backslashreplace").decode()}


def _hierarchies(encoded: Encoded, policy: Policy) -> dict[str, Any]:
    """Keep the hierarchies that a file or an object gave: the file may change, the object goes."""
    trees = {domain.name: domain.hierarchy for domain in (*encoded.data.quasi, *encoded.data.sensitive)}
    kept = {}
    for name, column in policy.columns.items():
        tree = trees.get(encoded.published_name(name))
        if column.hierarchy is not None and rule_of(column.hierarchy) is None and tree is not None:
            kept[name] = {"rows": tree.to_rows(), "data_derived": tree.data_derived}
    return kept


def _digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of the rest of the file."""
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _finite(value: float) -> float | str:
    """Keep a number as JSON can."""
    return float(value) if np.isfinite(value) else str(value)


def _is_there(table: Path) -> bool:
    """Whether a file, a folder or a pattern has a table."""
    return table.exists() or bool(files_of(table))


def locate_records(policy: Policy, original: Columned, audit: Audit | None) -> Policy:
    """Take a policy with the place of its second table, and how that is read.

    A policy of a file knows its folder, which stays as it is. Else the second table is looked for beside the file or files of
    ``original``, then where it was when the release was made, as ``audit`` knows; where neither has it, the place stays as
    it was. A policy that says nothing about how the table is read takes that over from ``audit`` in any case.
    """
    records = policy.records
    if records is None:
        return policy
    said = {} if audit is None else audit.content["policy"].get("records") or {}
    kept_reading = {key: value for key, value in said.items() if key in READING}
    if kept_reading and not records.reading:
        records = records.replace(**kept_reading)
        policy = policy.replace(records=records)
    if policy.folder is not None:
        return policy
    if not isinstance(original, Table) or original.format not in {"frame", "database"}:
        beside = Path(original.source).absolute().parent
        if _is_there(beside / records.table):
            return policy.in_folder(beside)
    kept = None if audit is None else audit.content["original"].get("records")
    if kept is not None and _is_there(Path(kept)):
        return policy.replace(records=records.replace(table=kept))
    return policy
