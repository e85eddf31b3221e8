"""Pages from templates: everything is escaped, nothing is fetched, nothing runs."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import jinja2

from likeness.wording import count

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def render(template: str, **facts: Any) -> str:
    """Fill a template of ``templates/``; every text is escaped, and the same facts give the same text."""
    return _environment().get_template(template).render(**facts)


def plain_number(value: float | str | None) -> str:
    """Write a figure without rounding it: a rounded one could claim more than was proven. None is the empty text."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def phrase(values: dict[str, Any] | None) -> str:
    """Write parameters or strengths in one phrase: ``k = 5, others = known``; None is ``not measured``."""
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
