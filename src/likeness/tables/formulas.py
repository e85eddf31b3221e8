r"""Texts that a spreadsheet program would run as formulas, and how they stand in a file that escapes them.

A formula is a text that begins with ``=`` or ``@`` (also in full width), a tab or a line break, or with ``+`` or ``-`` unless
digits, signs and their separators are all it holds: ``-5``, ``+49 170 123`` and ``2-3`` run nothing. In a file that escapes them
an apostrophe stands before every formula, and one more before every text that is some apostrophes and a formula. So each text is
written in one way, each file is read in one way, and no cell begins as a formula does.

Source: OWASP, CSV Injection (https://owasp.org/www-community/attacks/CSV_Injection).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

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
