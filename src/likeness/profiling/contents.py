"""What the texts of a column look like: addresses, numbers of people, names, codes, free text.

Every pattern is tried on the distinct values, at most `MOST` of them, evenly spread: the only place where a
profile samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

MOST = 10_000
"""Distinct values that patterns are tried on."""

_PATTERNS = {
    "e-mail address": r"[\w.+-]+@[\w-]+\.[\w.-]+",
    "social security number": r"^[0-9]{3}-[0-9]{2}-[0-9]{4}$",
    "IP address": r"^[0-9]{1,3}(\.[0-9]{1,3}){3}$",
    "web address": r"^(https?://|www\.)\S+$",
    "phone number": r"^(\+[0-9]|\(?[0-9]{2,5}\)?[ ./-])[0-9() ./-]{5,}$",
    "date": r"^([0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{2}|[0-9]{4})|[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2})$",
    "moment": r"^[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}[ T][0-9]{1,2}:[0-9]{2}",
    "ZIP+4": r"^[0-9]{5}-[0-9]{4}$",
    "diagnosis code": r"^[A-TV-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4}|[0-9A-Z]{0,4})$",
    "name": r"^\p{Lu}[\p{L}'’.-]*,?( (\p{Lu}[\p{L}'’.-]*|d[aei]|de la|v[ao]n|von|bin|al)){1,4}$",
    "postal address": r"(?i)([0-9]+\w? .*\b(street|st|road|rd|avenue|ave|lane|ln|drive|dr|blvd|way|place|court)\b"
    r"|\w+(straße|strasse|weg|platz|gasse) [0-9]+)",
    "number": r"^[A-Za-z]{0,4}[-_ ]?[0-9][0-9A-Za-z-]*$",
}
_SEX = frozenset(
    {"m", "f", "male", "female", "man", "woman", "x", "other", "diverse", "unknown", "nonbinary"}
)
_MARITAL = frozenset(
    {"married", "single", "divorced", "widowed", "separated", "never married", "never-married"}
)
_ILLNESSES = (
    r"(?i)\b(cancer|carcinoma|diabetes|asthma|flu|influenza|hepatitis|hypertension|depression|pneumonia|hiv|aids|"
    r"bronchitis|migraine|epilepsy|dementia|schizophrenia|gastritis|ulcer|infarction|stroke|arthritis|anaemia|anemia|"
    r"tuberculosis|heart (disease|failure|attack))\b"
)


@dataclass(frozen=True)
class Contents:
    """What the distinct texts of a column look like.

    Parameters
    ----------
    shares
        Pattern to the share of the values tried that have it, where any has.
    tried
        How many values that is.
    length, words
        Mean number of characters and of words.
    equal_length
        Number of characters if all values have as many; else None.
    """

    shares: dict[str, float]
    tried: int
    length: float
    words: float
    equal_length: int | None

    def share(self, pattern: str) -> float:
        """Share of the values that have a pattern."""
        return self.shares.get(pattern, 0.0)


def look_at(texts: pl.Series) -> Contents:
    """Try all patterns on the distinct texts of a column.

    Parameters
    ----------
    texts
        At least one value.

    Examples
    --------
    >>> look_at(pl.Series(["ann@example.org", "bob@example.org"])).share("e-mail address")
    1.0
    >>> look_at(pl.Series(["Ann B. Lee", "Bob O'Brien"])).share("name")
    1.0
    """
    lengths = texts.str.len_chars()
    shortest, longest = lengths.min(), lengths.max()
    tried = texts if len(texts) <= MOST else texts.gather_every(-(-len(texts) // MOST))
    plain = tried.str.strip_chars()
    shares = {name: float(plain.str.contains(pattern).sum()) for name, pattern in _PATTERNS.items()}
    lower = plain.str.to_lowercase()
    shares["sex"] = float(lower.is_in(list(_SEX)).sum()) if len(texts) <= len(_SEX) else 0.0
    shares["marital status"] = float(lower.is_in(list(_MARITAL)).sum())
    shares["illness"] = float(plain.str.contains(_ILLNESSES).sum())
    return Contents(
        {name: count / len(tried) for name, count in shares.items() if count},
        len(tried),
        float(lengths.cast(pl.Float64).sum()) / len(texts),
        float(plain.str.count_matches(r"\S+").cast(pl.Float64).sum()) / len(tried),
        int(longest) if shortest == longest and isinstance(longest, int) else None,
    )
