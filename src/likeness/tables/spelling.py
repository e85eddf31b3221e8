"""The one text of every value: what is published is written so, and nothing else is read back.

Where a value could be written in two ways, the way that was taken could say something about a person whom the values do not tell
apart from others: ``020`` and ``20`` are one age and two rows. So a text is a value only where writing that value gives the same
text again.

Texts that a spreadsheet program would run as formulas begin with ``=`` or ``@`` (also in full width), a tab or a line break, or
with ``+`` or ``-`` unless digits, signs and their separators are all they hold: ``-5``, ``+49 170 123`` and ``2-3`` run nothing.
In a file that escapes them an apostrophe stands before every formula, and one more before every text that is some apostrophes and
a formula. So each text is written in one way, each file is read in one way, and no cell begins as a formula does.

Source: OWASP, CSV Injection (https://owasp.org/www-community/attacks/CSV_Injection).
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LONGEST_NUMBER = 64
"""Characters of the longest text that is looked at as a number or day: more than any has that is written here."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DAY = re.compile(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}")
_PLAIN = {"integer": _WHOLE, "real": _REAL, "date": _DAY}


def texts(values: NDArray[Any] | Sequence[Any]) -> list[str]:
    """Write distinct values as the texts a release uses: ISO days, shortest decimals, ``true`` and ``false``.

    >>> texts(np.array([1.0, -0.0, 1e-7])), texts(np.array(["2024-03-01"], "datetime64[D]"))
    (['1.0', '0.0', '1e-07'], ['2024-03-01'])
    """
    array = np.asarray(values)
    if array.dtype.kind == "M":
        return [str(day) for day in array.astype("datetime64[D]")]
    if array.dtype.kind == "b":
        return ["true" if value else "false" for value in array.tolist()]
    if array.dtype.kind == "f":
        array = array + 0.0  # -0.0 is 0.0
    return [str(value) for value in array.tolist()]


def read_texts(kind: str, written: Sequence[str]) -> NDArray[Any]:
    """Read numbers or days that `texts` wrote: (n,) int64, finite float64 or datetime64[D].

    ``kind``: ``integer``, ``real`` or ``date``. `ValueError` at the first text that is none of that kind, or that `texts`
    writes otherwise (``020``); says what is wrong with it.
    """
    listed = list(written)
    if max(map(len, listed), default=0) <= LONGEST_NUMBER:
        try:
            values = _parse(kind, listed)
        except (ValueError, OverflowError):
            values = None
        if values is not None and not _unlimited(values).any() and texts(values) == listed:
            return values
    wrong = next(text for text in listed if misspelled(kind, text) is not None)
    raise ValueError(misspelled(kind, wrong))


def bare_names(name: str) -> pl.Expr:
    """Ask for names of people without spaces, capital letters, leading zeros and decimal places that are zeros."""
    return (
        pl.col(name)
        .str.replace_all(r"\s+", "")
        .str.to_lowercase()
        .str.replace(r"^0+([0-9])", "$1")
        .str.replace(r"^([0-9]+)[.,]0+$", "$1")
    )


def misspelled(kind: str, text: str) -> str | None:
    """Say what is wrong with the text of a number or day; None where nothing is."""
    value = plain_value(kind, text)
    if value is None:
        return f"{quoted(text)} is not of the kind {kind}"
    return must_read(text, texts(np.array([value]))[0])


def plain_value(kind: str, text: str) -> Any:
    """Take a number or day that a text stands for, however it is written; None where it stands for none.

    >>> plain_value("integer", " 020"), plain_value("real", "1_0"), plain_value("date", "NaT")
    (20, None, None)
    """
    plain = text.strip()
    if len(plain) > LONGEST_NUMBER or _PLAIN[kind].fullmatch(plain) is None:
        return None
    if kind == "integer":
        whole = int(plain)
        return whole if -(2**63) <= whole < 2**63 else None
    if kind == "real":
        number = float(plain)
        return number if isfinite(number) else None
    try:
        return np.datetime64(plain, "D")
    except ValueError:
        return None


def must_read(text: str, right: str) -> str | None:
    """Say how a text must be written; None where it is written so."""
    return (
        None
        if text == right
        else f"{quoted(text)} must read {quoted(right)}: one value is written in one way"
    )


def _parse(kind: str, written: list[str]) -> NDArray[Any]:
    """Read short texts of numbers or days, not looking at how they are written."""
    if kind == "integer":
        return np.array([int(text) for text in written], np.int64)
    if kind == "date":
        return np.array(written, "datetime64[D]")
    return np.array([float(text) for text in written], np.float64)


def _unlimited(values: NDArray[Any]) -> NDArray[np.bool_]:
    """(n,) What is no number and no day, or infinite."""
    return np.asarray(np.isnat(values) if values.dtype.kind == "M" else ~np.isfinite(values))


Formulas = Literal["keep", "escape"]

_BEGIN = "(?s)^{quotes}(?:[=@\t\r\n＝＠].|[+＋－-].*[^0-9+.,:/() -])"  # OWASP names the full-width signs
_NUMBER = "(?i)^{quotes}[+-](?:[0-9]*[.,]?[0-9]+e[+-]?[0-9]+|inf(?:inity)?|nan)$"


def are_formulas(texts: pl.Series) -> pl.Series:
    """Which texts a spreadsheet program would take for formulas; as long as `texts`, Boolean.

    >>> are_formulas(pl.Series(["=1+1", "+A1", "-5", "-1e-05", "-", "a=b", "'=1+1"])).to_list()
    [True, True, False, False, False, False, False]
    """
    return _after(texts, "")


def escape(texts: pl.Series) -> pl.Series:
    """Write an apostrophe before formulas, and before apostrophes that stand before formulas.

    >>> escape(pl.Series(["=1+1", "'=1+1", "'tis", "-5"])).to_list()
    ["'=1+1", "''=1+1", "'tis", '-5']
    """
    return _where(_after(texts, "'*"), "'" + texts, texts)


def unescape(texts: pl.Series) -> pl.Series:
    """Read what `escape` wrote."""
    return _where(_after(texts, "'+"), texts.str.slice(1), texts)


def escape_names(names: Sequence[str]) -> list[str]:
    """Write the names of columns as `escape` writes texts."""
    return escape(pl.Series(names, dtype=pl.String)).to_list()


def _after(texts: pl.Series, quotes: str) -> pl.Series:
    """Which texts are formulas behind so many apostrophes."""
    number = texts.str.contains(_NUMBER.format(quotes=quotes))
    return (texts.str.contains(_BEGIN.format(quotes=quotes)) & ~number).fill_null(value=False)


def _where(which: pl.Series, yes: pl.Series, no: pl.Series) -> pl.Series:
    """Take one or the other."""
    return yes.zip_with(which, no) if which.any() else no
