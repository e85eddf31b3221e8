"""What a dossier is: sections of what is known, each figure with the place it stands in, and of what only people can answer.

A figure is never written down here: it is looked up in a document by its place, which is shown beside it (a JSON pointer,
RFC 6901). What no document has is a question, left open with room for an answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.errors import InvalidError, PolicyError, suggestion
from likeness.pages import render
from likeness.wording import figure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

CERTIFICATE, AUDIT, RISK = "public/certificate.json", "private/audit.json", "risk.json"
"""Documents that figures are traced to; the last is what ``likeness risk --format json`` says."""
_PARTS = frozenset({"base", "common"})
_TO_FILL_IN = "to be filled in"


@dataclass(frozen=True)
class TracedFact:
    """Something known, and where it stands.

    Parameters
    ----------
    label
        What it is.
    value
        As the document has it.
    document, pointer
        Which one, and where in it.
    """

    label: str
    value: Any
    document: str
    pointer: str

    @property
    def shown(self) -> str:
        """The value for people."""
        return _shown(self.value)

    @property
    def source(self) -> str:
        """Document and place."""
        return f"{self.document}#{self.pointer}"


@dataclass(frozen=True)
class OpenQuestion:
    """Something that only people can answer."""

    question: str


@dataclass(frozen=True)
class DossierSection:
    """One section that a kind of dossier asks for.

    Parameters
    ----------
    title
        Its heading.
    asked
        What it is to say, in a sentence or two.
    entries
        What is known, and what is open, in order.
    """

    title: str
    asked: str
    entries: tuple[TracedFact | OpenQuestion, ...]


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents that figures are taken from, as JSON has them, by name."""

    by_name: Mapping[str, Any]

    def at(self, document: str, pointer: str) -> Any:
        """Look something up; raises `KeyError` where there is nothing.

        Examples
        --------
        >>> Documents({"risk.json": {"three": [{"a/b": 5}]}}).at("risk.json", "/three/0/a~1b")
        5
        """
        value = self.by_name[document]
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            try:
                value = value[int(key)] if isinstance(value, list) else value[key]
            except (IndexError, TypeError, ValueError):
                raise KeyError(pointer) from None
        return value

    def told(self, label: str, document: str, pointer: str, otherwise: str = "") -> TracedFact | OpenQuestion:
        """Take what stands somewhere as a fact; a question where nothing does."""
        try:
            value = self.at(document, pointer)
        except KeyError:
            value = None
        if value is None:
            return OpenQuestion(otherwise or label)
        return TracedFact(label, value, document, pointer)

    def each(self, document: str, pointer: str) -> list[tuple[str, Any]]:
        """List what stands under a place: the place of each and what it is; nothing where there is no such place."""
        try:
            value = self.at(document, pointer)
        except KeyError:
            return []
        if isinstance(value, list):
            return [(f"{pointer}/{i}", one) for i, one in enumerate(value)]
        return [(f"{pointer}/{escaped(key)}", one) for key, one in (value or {}).items()]


def escaped(key: str) -> str:
    """Write a key as JSON pointers have it."""
    return str(key).replace("~", "~0").replace("/", "~1")


@dataclass(frozen=True, eq=False)
class Dossier:
    """A document for one agency; private, since it tells what the certificate does not.

    Parameters
    ----------
    kind
        For whom it is.
    title
        Its heading.
    source
        What it follows.
    sections
        In the order that is asked for.
    documents
        What its figures stand in.
    """

    kind: str
    title: str
    source: str
    sections: tuple[DossierSection, ...]
    documents: Documents = field(repr=False)

    @property
    def open_questions(self) -> tuple[str, ...]:
        """What only people can answer, in order."""
        return tuple(
            one.question for own in self.sections for one in own.entries if isinstance(one, OpenQuestion)
        )

    @property
    def facts(self) -> tuple[TracedFact, ...]:
        """What is known, in order."""
        return tuple(one for own in self.sections for one in own.entries if isinstance(one, TracedFact))

    def to_html(self) -> str:
        """Write it as one page of HTML, in which answers can be typed and saved by a browser, or printed and written."""
        sections = [
            {
                "title": own.title,
                "asked": own.asked,
                "facts": [
                    (one.label, one.shown, one.source) for one in own.entries if isinstance(one, TracedFact)
                ],
                "questions": [one.question for one in own.entries if isinstance(one, OpenQuestion)],
            }
            for own in self.sections
        ]
        return render(
            "dossier/templates/dossier.html",
            dossier_title=self.title,
            source=self.source,
            sections=sections,
            documents=sorted({one.document for one in self.facts}),
            open_questions=len(self.open_questions),
            to_fill_in=_TO_FILL_IN,
        )

    def write_docx(self, path: str | Path) -> None:
        """Write it as a Word document (``pip install 'likeness[word]'``).

        Raises
        ------
        InvalidError
            When python-docx is not installed.
        """
        try:
            docx = import_module("docx")
        except ImportError:
            raise InvalidError(
                "Word documents are written by python-docx, which is not installed; pip install 'likeness[word]', or write HTML"
            ) from None
        page = docx.Document()
        page.core_properties.author = ""
        page.core_properties.comments = ""
        page.core_properties.title = self.title
        page.add_heading(self.title, 0)
        page.add_paragraph(self.source)
        page.add_paragraph("Private: it tells more than what is published.")
        for own in self.sections:
            page.add_heading(own.title, 1)
            page.add_paragraph(own.asked)
            facts = [one for one in own.entries if isinstance(one, TracedFact)]
            _add_table(
                page, ("", "", "where it stands"), [(one.label, one.shown, one.source) for one in facts]
            )
            questions = [one for one in own.entries if isinstance(one, OpenQuestion)]
            _add_table(page, ("", _TO_FILL_IN), [(one.question, "") for one in questions])
        page.save(str(path))

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return self.to_html()


def _add_table(page: Any, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Put a table into a Word document; none where it has no rows."""
    if not rows:
        return
    shown = page.add_table(rows=1, cols=len(head))
    shown.style = "Table Grid"
    for cells, texts in zip(
        (shown.rows[0].cells, *(shown.add_row().cells for _ in rows)), (head, *rows), strict=True
    ):
        for cell, text in zip(cells, texts, strict=True):
            cell.text = text
    page.add_paragraph()


def _shown(value: Any) -> str:
    """Write a value of a document for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return figure(value)
    if isinstance(value, dict):
        return ", ".join(f"{key} = {_shown(one)}" for key, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_shown, value)) or "none"
    return str(value)


@cache
def kinds() -> dict[str, str]:
    """Find the kinds of dossiers there are, and the module of each: every file of this folder is one."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem not in _PARTS and not path.stem.startswith("_"):
            name = f"likeness.dossier.{path.stem}"
            found[str(import_module(name).KIND)] = name
    return found


def refuse_unknown(kind: str) -> None:
    """Refuse a kind that there is none of, before any work is done; raises `PolicyError`."""
    known = kinds()
    if not isinstance(kind, str) or kind not in known:
        raise PolicyError(f"dossier: there is no kind {kind!r}{suggestion(str(kind), list(known))}")


def make_dossier(kind: str, documents: Documents) -> Dossier:
    """Fill in a kind of dossier.

    Raises `PolicyError` when there is no such kind.
    """
    refuse_unknown(kind)
    module = import_module(kinds()[kind])
    sections: Callable[[Documents], list[DossierSection]] = module.sections
    return Dossier(kind, module.TITLE, module.SOURCE, tuple(sections(documents)), documents)
