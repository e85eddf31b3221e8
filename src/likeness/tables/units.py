"""Numbers written as text with a unit, percent or a currency, or with a sign as accountants write it."""

from __future__ import annotations

import polars as pl

_UNIT = r"%|‰|\p{Sc}|EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|JPY|CNY|INR"
_SIGN = "[+−-]"
_MINUS = "[−-]"
_NUMBER = "[0-9][0-9.,'’ \u00a0\u2009\u202f]*[0-9.]|[0-9]|[.,][0-9]+"
_FORM = rf"^([(]?) *({_SIGN}?) *((?:{_UNIT})?)\s*({_SIGN}?)({_NUMBER})({_MINUS}?)\s*((?:{_UNIT})?)({_MINUS}?) *([)]?)$"
_MARKED = rf"^[(]|−|[0-9\s]-(?:$|\s)|{_UNIT}"


def with_units(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Write numbers without their unit and with their sign in front, and tell the unit of each; others stay (null).

    Unicode's minus is a sign; a minus behind the number and parentheses are where others have none, and one of theirs has a
    unit, or a mark within: a school's ``2-`` and the ``(13)`` of statistics are no negative numbers.

    >>> plain, units = with_units(pl.Series(["12.5%", "−5 %", "(13%)", "n/a"]))
    >>> plain.to_list(), units.to_list()
    (['12.5', '-5', '-13', 'n/a'], ['%', '%', '%', None])
    """
    if not texts.str.contains(_MARKED).any():
        return texts, pl.Series([None], dtype=pl.String).new_from_index(0, len(texts))
    opened, first, before, second, number, third, behind, last, closed = (
        texts.str.strip_chars().str.extract_groups(_FORM).struct.unnest()
    )
    signs = first + second + third + last
    held = (opened + closed) == "()"
    good = (signs.str.len_chars() + held.cast(pl.UInt32) < 2) & (held | ((opened + closed) == ""))
    good &= (before == "") | (behind == "")
    good = good.fill_null(value=False)
    trailing = (third + last) != ""
    accounted = good & (held | trailing)
    meant = accounted & (((before + behind) != "") | number.str.contains("[.,'’]"))
    if not meant.any() or not (good & ~held).any() or not (good & ~trailing).any():
        good &= ~held & ~trailing
    sign = signs.replace({"−": "-"}).set(held.fill_null(value=False), "-")
    plain = sign + number
    return plain.zip_with(good, texts), (before + behind).set(~good, None)


def unit_of(texts: pl.Series) -> str | None:
    """The one unit of numbers; None where they have none, or several.

    >>> unit_of(pl.Series(["$1,200.50", "$3"])), unit_of(pl.Series(["$3", "€3"])), unit_of(pl.Series(["3"]))
    ('$', None, None)
    """
    units = with_units(texts)[1]
    found = units.unique().drop_nulls()
    return found[0] or None if len(found) == 1 else None
