"""HTML from templates, each beside what it shows: everything is escaped, nothing is fetched, nothing runs."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import jinja2

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def render(template: str, **facts: Any) -> str:
    """Fill a template, named by its path from here; every text is escaped, and the same facts give the same text."""
    return _environment().get_template(template).render(**facts)


def in_notebook(
    title: str,
    *,
    noun: str = "",
    head: Sequence[str] = (),
    rows: Iterable[Sequence[str]] = (),
    lists: Iterable[tuple[str, Iterable[str]]] = (),
    frame: str = "",
) -> str:
    """Show something in a notebook: a title, a table where it has a ``head``, lists below their headings.

    ``frame``: a table as the library of its frame draws it, the one text that is HTML already.
    """
    return render(
        "templates/notebook.html", title=title, noun=noun, head=head, rows=rows, lists=lists, frame=frame
    )


@cache
def _environment() -> jinja2.Environment:
    """Templates of this package."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("likeness", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _printable(value: Any) -> Any:
    """Show characters that HTML cannot hold as U+FFFD."""
    return _CONTROLS.sub("\ufffd", value) if type(value) is str else value
