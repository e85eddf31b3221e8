"""Pages from templates: everything is escaped, nothing is fetched, nothing runs."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import jinja2

from likeness.wording import count

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def render(template: str, **facts: Any) -> str:
    """Fill a template; the same facts, the same text.

    Parameters
    ----------
    template
        Its file in ``templates/``.
    **facts
        What it shows; every text is escaped.

    Returns
    -------
    str
        A page of HTML.

    Examples
    --------
    >>> "&lt;script&gt;" in render("table.html", caption="", head=["<script>"], rows=[])
    True
    """
    return _environment().get_template(template).render(**facts)


def plain_number(value: float | str | None) -> str:
    """Write a figure without rounding it: a rounded one could claim more than was proven.

    Examples
    --------
    >>> plain_number(5.0), plain_number(1.278481012658228), plain_number("inf"), plain_number(None)
    ('5', '1.278481012658228', 'inf', '')
    """
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def phrase(values: dict[str, Any] | None) -> str:
    """Write parameters or strengths in one phrase.

    Examples
    --------
    >>> phrase({"k": 5.0, "others": "known"})
    'k = 5, others = known'
    """
    if values is None:
        return "not measured"
    return ", ".join(
        f"{key}: of {count(len(value), 'value')}"
        if isinstance(value, dict)
        else f"{key} = {plain_number(value)}"
        for key, value in values.items()
    )


@cache
def _environment() -> jinja2.Environment:
    """Templates of this package."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("likeness.report"),
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
