"""Words in messages and reports: a number and the noun it counts."""

from __future__ import annotations

SHOWN = 40
"""Characters of a cell that a message shows."""
_PLURALS = {"person": "people", "leaf": "leaves", "query": "queries"}


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun.

    Parameters
    ----------
    number
        How many.
    noun
        What is counted, one of it.
    plural
        Several of it, where neither an s, es after another s, nor the usual irregular plural does.

    Examples
    --------
    >>> count(1, "record"), count(1200, "class"), count(2, "person"), count(0, "sensitive value")
    ('1 record', '1,200 classes', '2 people', '0 sensitive values')
    """
    return f"{number:,} {nouns(number, noun, plural)}"


def nouns(number: int, noun: str, plural: str | None = None) -> str:
    """Give a noun the form that a number asks for.

    Parameters
    ----------
    number, noun, plural
        As in `count`.

    Examples
    --------
    >>> nouns(1, "class"), nouns(3, "equivalence class"), nouns(2, "person")
    ('class', 'equivalence classes', 'people')
    """
    if number == 1:
        return noun
    if plural is not None:
        return plural
    head, blank, last = noun.rpartition(" ")
    return head + blank + _PLURALS.get(last, f"{last}es" if last.endswith("s") else f"{last}s")


def shortened(text: str) -> str:
    """Cut a text that is too long for a message, and say how long it is.

    Examples
    --------
    >>> shortened("flu"), shortened("x" * 5000)[35:]
    ('flu', 'xxxxx… (5,000 characters)')
    """
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({count(len(text), 'character')})"


def quoted(value: object, most: int = SHOWN) -> str:
    """Write a value of a table in quotes, short enough for a message.

    Parameters
    ----------
    value
        A text; numbers and others are written without quotes.
    most
        Characters of a text that are shown.

    Examples
    --------
    >>> quoted("flu"), quoted(5), quoted("x" * 5000)[35:]
    ("'flu'", '5', "xxxxxx'… (5,000 characters)")
    """
    if not isinstance(value, str):
        return shortened(repr(value))
    return repr(value) if len(value) <= most else f"{value[:most]!r}… ({count(len(value), 'character')})"
