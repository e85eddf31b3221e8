"""The private part of a release folder: whether the steward's files tell the same as the public ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from likeness.errors import LikenessError, Refusal, Statement, TableError, VerificationError
from likeness.folder.audit import Audit
from likeness.folder.cells import CountedCells, cells_problems, read_cells
from likeness.folder.class_map import INVENTED, ClassMap, class_problems, own_problems, read_class_map
from likeness.folder.known import read_known
from likeness.folder.layout import (
    AUDIT,
    CELLS,
    CLASSES,
    KNOWLEDGE,
    PRIVATE_FILES,
    PRIVATE_FILES_OF_PARTS,
    digest,
    files_in,
    read_bounded,
)
from likeness.folder.parts import is_in_parts
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from likeness.folder.layout import Layout
    from likeness.folder.public_part import PublicPart
    from likeness.microdata.knowledge import Knowledge
    from likeness.policy import Policy


@dataclass(eq=False)
class PrivatePart:
    """What the private files say; what cannot be read of them is None.

    ``consistent``: the class map agrees with itself and with what was published.
    ``refusals``, ``statements``: what is wrong, and what was checked and found right.
    """

    audit: Audit | None = None
    policy: Policy | None = None
    class_map: ClassMap | None = None
    cells: CountedCells | None = None
    knowledge: tuple[Knowledge, ...] = ()
    consistent: bool = False
    refusals: list[Refusal] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)


def read_private(layout: Layout, private: Path, public: PublicPart) -> PrivatePart:
    """Read the private files, and compare them with each other and with the public ones.

    Nothing is read where the layout has outsiders; the public part says so.
    """
    part = PrivatePart()
    if layout.outsiders():
        return part  # said of the public part
    found = {path.name for path in private.iterdir()}
    known = public.certificate is not None and bool(public.certificate.knowledge)
    in_parts = CELLS in found if public.certificate is None else is_in_parts(public.certificate.files)
    expected = (*(PRIVATE_FILES_OF_PARTS if in_parts else PRIVATE_FILES), *([KNOWLEDGE] if known else []))
    missing = [layout.label(private / name) for name in expected if name not in found]
    part.refusals += [Refusal("is missing", about=name) for name in missing]
    part.refusals += [
        Refusal("is no part of the release", (layout.label(private / name),))
        for name in sorted(found - {*expected})
    ]
    if AUDIT in found:
        _read_audit(part, layout, private / AUDIT)
    if part.audit is not None:
        _check_digests(part, layout, part.audit, missing)
        _check_claims(part, layout.label(private / AUDIT), public)
    if in_parts and CELLS in found:
        _read_cells(part, layout.label(private / CELLS), private / CELLS, public)
    if not in_parts and CLASSES in found:
        _read_classes(part, layout.label(private / CLASSES), private / CLASSES, public)
    if known and KNOWLEDGE in found and part.class_map is not None:
        _read_knowledge(part, layout.label(private / KNOWLEDGE), private / KNOWLEDGE, public, part.class_map)
    return part


def _read_audit(part: PrivatePart, layout: Layout, path: Path) -> None:
    """Read the audit and the policy in it."""
    label = layout.label(path)
    try:
        part.audit = Audit.from_json(read_bounded(path).decode(), label)
        part.policy = part.audit.policy
    except UnicodeDecodeError:
        part.refusals.append(Refusal("is not UTF-8; it was changed", (label,)))
    except VerificationError as problem:
        part.refusals += problem.refusals
    except (LikenessError, KeyError, TypeError, AttributeError, ValueError) as problem:
        part.refusals.append(Refusal(f"its policy cannot be read; it was changed ({problem})", (label,)))


def _check_digests(part: PrivatePart, layout: Layout, audit: Audit, missing: list[str]) -> None:
    """Compare every file with the SHA-256 that the audit recorded; that some are missing is said already."""
    before = len(part.refusals)
    folders = [path for path in (layout.public, layout.private) if path is not None and path.is_dir()]
    there = {layout.label(path) for folder in folders for path in files_in(folder)}
    for name, told in audit.files.items():
        # Nothing that lies elsewhere is looked at.
        if name not in there:
            if name not in missing:
                part.refusals.append(Refusal(f"is missing; {AUDIT} knows it", about=name))
        elif digest(layout.root / name) != told:
            what = f"its SHA-256 is not the one in {AUDIT}; the file was changed after release"
            part.refusals.append(Refusal(what, (name,)))
    for name in sorted(there - set(audit.files) - {f"private/{AUDIT}"}):
        part.refusals.append(Refusal(f"{AUDIT} does not know it; it was added after release", (name,)))
    if len(part.refusals) == before:
        what = f"every file is as it was released: {len(audit.files)} SHA-256 in private/{AUDIT}"
        part.statements.append(Statement(what))


def _check_claims(part: PrivatePart, label: str, public: PublicPart) -> None:
    """Compare what the audit tells of the release with the certificate."""
    assert part.audit is not None  # noqa: S101  # read before
    certificate, content = public.certificate, part.audit.content
    kept = content["policy"].get("about", {})
    if certificate is None:
        return
    claims = {
        "form": (content["form"], certificate.form),
        "likeness": (content["likeness"], certificate.version),
        "published records": (content["counts"].get("published"), certificate.records),
        "a given seed": (content["randomness"].get("seed") is not None, certificate.reproducible),
        **{
            f"about.{key}": (kept.get(key), certificate.about.get(key))
            for key in {**kept, **certificate.about}
        },
        "noise": (content["counts"].get(INVENTED, 0) > 0, certificate.noise),
    }
    part.refusals += [
        Refusal(f"{quoted(told)}; certificate.json says {quoted(certified)}", (label, what))
        for what, (told, certified) in claims.items()
        if told != certified
    ]
    if part.policy is None:
        return
    claimed = {entry["model"] for entry in certificate.guarantee}
    part.refusals += [
        Refusal(f"does not claim {model.name}, which the policy in {label} asks for", ("certificate.json",))
        for model in part.policy.privacy
        if model.name not in claimed
    ]
    told = [(own["source"], own["parameters"], own.get("name")) for own in certificate.knowledge]
    asked = [(source.name, source.facts, source.called) for source in part.policy.knowledge]
    if told != asked:
        part.refusals.append(
            Refusal("tells other knowledge than the policy that was kept", about="certificate.json")
        )


def _read_knowledge(
    part: PrivatePart, label: str, path: Path, public: PublicPart, class_map: ClassMap
) -> None:
    """Read what adversaries are taken to know of every row of the original."""
    assert public.certificate is not None  # noqa: S101  # without one there is none
    try:
        found = read_known(path, label, public.certificate.knowledge, class_map.height)
    except TableError as problem:
        part.refusals += [refusal.called(label) for refusal in problem.refusals]
        return
    if any((own.of[class_map.published] < 0).any() for own in found):
        part.refusals.append(Refusal("says nothing of a published record", (label,)))
        return
    part.knowledge = found


def _whose(counts: Mapping[str, Any]) -> str:
    """Say whose published rows are."""
    invented = counts.get(INVENTED, 0)
    return f"that of one record, or one of {invented:,} that nobody is" if invented else "that of one record"


def _read_cells(part: PrivatePart, label: str, path: Path, public: PublicPart) -> None:
    """Read what the original's records say, and compare it with itself, the audit and what was published."""
    try:
        part.cells = read_cells(path, label)
    except TableError as problem:
        part.refusals += problem.refusals
        return
    problems = cells_problems(part.cells, public.publication, label)
    counts = part.cells.counts()
    if part.audit is not None and counts != part.audit.content["counts"]:
        what = f"it counts {counts}; {AUDIT} says {part.audit.content['counts']}"
        problems.append(Refusal(what, (label,)))
    part.consistent = not problems and public.publication is not None
    part.refusals += problems
    if part.consistent:
        withheld, dropped = sum(counts["withheld"].values()), sum(counts["dropped"].values())
        what = (
            f"{count(counts['input'], 'record')} = {counts['published']:,} published + {withheld:,} withheld + "
            f"{dropped:,} dropped; its classes hold as many records as those that were published"
        )
        part.statements.append(Statement(what, (label,)))


def _read_classes(part: PrivatePart, label: str, path: Path, public: PublicPart) -> None:
    """Read the class map and compare it with itself, the audit and what was published."""
    try:
        found = read_class_map(path, label)
    except TableError as problem:
        part.refusals += [refusal.called(label) for refusal in problem.refusals]
        return
    part.class_map = found
    shown = public.publication
    problems = own_problems(found, label, of_people=shown is not None and shown.rows is not None)
    if not problems and public.publication is not None:
        problems = class_problems(found, public.publication, label, public.where)
        part.consistent = not problems
    if part.audit is not None and found.counts() != part.audit.content["counts"]:
        what = f"it counts {found.counts()}; {AUDIT} says {part.audit.content['counts']}"
        problems.append(Refusal(what, (label,)))
    if part.audit is not None and public.certificate is not None:
        counts = found.counts()
        unnamed = [
            reason for reason in (*counts["withheld"], *counts["dropped"]) if reason not in part.audit.reasons
        ]
        problems += [
            Refusal(f"{AUDIT} does not name the reason {quoted(reason)}", (label,)) for reason in unnamed
        ]
    part.refusals += problems
    if not problems and public.publication is not None:
        counts = found.counts()
        withheld, dropped = sum(counts["withheld"].values()), sum(counts["dropped"].values())
        added = f" - {counts['added']:,} added" if counts["added"] else ""
        what = (
            f"{count(counts['input'], 'record')} = {counts['published']:,} published{added} + {withheld:,} withheld + "
            f"{dropped:,} dropped; every published row is {_whose(counts)}, in the class it is said to be in"
        )
        part.statements.append(Statement(what, (label,)))
