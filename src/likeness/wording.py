"""Words in messages and reports: a number and the noun it counts."""

from __future__ import annotations

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
