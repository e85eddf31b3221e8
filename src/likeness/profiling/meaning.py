"""What a column probably means, and so its role: by name, by kind, by contents; the careful reading first.

A column is never proposed as ``other``: what nothing is known about is taken for a quasi-identifier, which is
published in classes only, and texts that are nearly unique are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.profiling import words
from likeness.profiling.cells import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.profiling.cells import Cells
    from likeness.profiling.contents import Contents

MANY = 30
"""Records from which the share of unique values says something about a column."""
NEARLY_UNIQUE = 0.5
"""Share of records alone with their value from which a column is nearly unique."""
_EACH_ITS_OWN = 0.95
_FREE_TEXT_WORDS, _FREE_TEXT_LENGTH = 4.5, 40
_MOST_CODES = 100
"""Whole numbers with a nominal name are codes up to so many values."""
_SHARED_BY = 20
"""Records per value from which an unexplained id is shared by so many that it numbers no person."""


@dataclass(frozen=True)
class Meaning:
    """What a column probably means.

    Parameters
    ----------
    looks_like
        In a word or two: ``name``, ``id``, ``e-mail address``, ``date``, ``ZIP or similar code``, ``health`` …
    role
        The role this speaks for.
    reason
        Why, in part of a sentence.
    settings
        Keys of the policy beside the role: kind and hierarchy.
    warning
        What the steward should look at; often nothing.
    """

    looks_like: str
    role: str
    reason: str
    settings: dict[str, Any]
    warning: str = ""


def interpret(cells: Cells) -> Meaning:
    """Say what a column probably means; the first rule that applies decides.

    Parameters
    ----------
    cells
        The column.

    Examples
    --------
    >>> import polars as pl
    >>> from likeness.profiling.cells import read_cells
    >>> from likeness.tables import read
    >>> table = read(pl.DataFrame({"zip": ["02139", "02141"], "sex": ["f", "m"], "disease": ["flu", "flu"]}))
    >>> [interpret(read_cells(table, name)).role for name in table.names]
    ['quasi', 'quasi', 'drop']
    """
    rules: tuple[Callable[[Cells], Meaning | None], ...] = (
        _without_difference,
        _direct_identifier,
        _identifier_by_name,
        _survey_weight,
        _location,
        _time,
        _masked_code,
        _unique_text,
        _sensitive,
        _unique_number,
        _quasi,
    )
    found = (rule(cells) for rule in rules)
    return next(meaning for meaning in found if meaning is not None)


def settings_of(cells: Cells) -> dict[str, Any]:
    """Kind to declare for a column that is published in classes.

    Whole numbers whose name is nominal (``sex``, ``race``) are codes; those that came as reals are whole again.
    """
    if cells.kind_to_declare is not None:
        return {"kind": cells.kind_to_declare}
    if cells.kind == "integer" and cells.distinct <= _MOST_CODES and words.has(cells.name, words.NOMINAL):
        return {"kind": "categorical"}
    return {"kind": cells.kind} if cells.kind in {*NUMBERS, "date"} else {}


def _without_difference(cells: Cells) -> Meaning | None:
    """Nothing, or the same for everyone."""
    if cells.distinct == 0:
        return Meaning("empty", "drop", "every cell is missing", {})
    if cells.distinct > 1 or cells.missing:
        return None
    warning = ""
    if words.find(cells.name, words.SENSITIVE):
        warning = "tells everybody's value of what sounds sensitive: being in the table gives it away"
    return Meaning("constant", "drop", "the same for every record", {}, warning)


def _direct_identifier(cells: Cells) -> Meaning | None:
    """Texts that by themselves lead to a person."""
    look = cells.contents
    if look is None:
        return None
    for pattern, enough in (
        ("e-mail address", 0.1),
        ("social security number", 0.1),
        ("IP address", 0.8),
        ("web address", 0.8),
    ):
        if look.share(pattern) >= enough:
            reason = f"{_percent(look.share(pattern))} of the values look like {_article(pattern)}"
            return Meaning(pattern, "identifier", reason, {})
    phone = look.share("phone number") - look.share("ZIP+4") - look.share("date") - look.share("IP address")
    if phone >= 0.8:
        return Meaning(
            "phone number", "identifier", f"{_percent(phone)} of the values look like a phone number", {}
        )
    return None


def _identifier_by_name(cells: Cells) -> Meaning | None:
    """Names, numbers and addresses of people, by the column's name."""
    shared = cells.records >= _SHARED_BY * cells.distinct
    if words.names_a_person(cells.name):
        return Meaning("name", "identifier", "its name says that it names people", {})
    whose = words.numbers_what(cells.name)
    if whose == "person" or (whose == "record" and not shared):
        return Meaning("id", "identifier", f"its name says that it numbers each {whose}", {})
    looks_so = cells.distinct >= MANY and cells.kind in {"integer", "text"}
    if (whose == "something" or (whose == "perhaps" and looks_so)) and not shared:
        return Meaning("id", "identifier", "its name says that it is a number of someone's own", {})
    contact = words.find(cells.name, words.CONTACTS)
    is_flag = cells.distinct <= 2 < cells.records
    if contact and not shared and not is_flag and cells.kind in {"text", *NUMBERS}:
        return Meaning(contact, "identifier", f"its name speaks of {contact}", {})
    return None


def _survey_weight(cells: Cells) -> Meaning | None:
    """Numbers that say how many people a record stands for."""
    if (
        cells.kind not in NUMBERS
        or cells.missing
        or not words.weighs(cells.name)
        or float(cells.values[0]) < 0
    ):
        return None
    return Meaning(
        "survey weights", "drop", "survey weights by its name; published, they would single out records", {}
    )


def _location(cells: Cells) -> Meaning | None:
    """Coordinates."""
    if (
        cells.kind not in NUMBERS
        or not words.has(cells.name, words.LOCATIONS)
        or cells.distinct <= _MOST_CODES
    ):
        return None
    return Meaning("location", "drop", "coordinates by its name: they lead to the door", {})


def _time(cells: Cells) -> Meaning | None:
    """Dates in months and years; moments, which single people out, by their day if that can be read."""
    rule = {"hierarchy": {"dates": ["month", "year"]}}
    if cells.kind == "date":
        return Meaning("date", "quasi", "dates, generalized to months and years", rule)
    if cells.kind == "moment":
        return Meaning("moment", "quasi", "moments, generalized to days, months and years", rule)
    look = cells.contents
    if look is None:
        return None
    if look.share("moment") >= 0.8:
        reason = (
            "moments with the time of day single people out; to keep the column, write days as YYYY-MM-DD"
        )
        return Meaning("moment", "drop", reason, {})
    if look.share("date") >= 0.8:
        reason = "dates whose day and month cannot be told apart; to keep the column, write YYYY-MM-DD"
        return Meaning("date", "drop", reason, {})
    return None


def _masked_code(cells: Cells) -> Meaning | None:
    """ZIP codes and the like: equally long, masked from the right."""
    named = words.has(cells.name, words.CODES)
    look = cells.contents
    if cells.kind == "integer" and named and cells.distinct > 1:
        lengths = cells.values.cast(str).str.len_chars()
        length = int(lengths[0]) if lengths.n_unique() == 1 and float(cells.values[0]) > 0 else 0
        if length >= 3:
            return _code(length, "its name")
        return Meaning(
            "ZIP or similar code", "quasi", "codes of places, kept as numbers", {"kind": "integer"},
            "codes were read as numbers, so leading zeros are lost; read them as text to mask them from the right",
        )  # fmt: skip
    if look is None or look.equal_length is None or not 3 <= look.equal_length <= 10:
        return None
    has_mask = bool(cells.values.str.contains("*", literal=True).any())
    digits = bool(cells.values.str.contains(r"^[0-9-]+$").all())
    by_contents = digits and cells.distinct >= MANY and cells.unique < NEARLY_UNIQUE
    if has_mask or not (named or by_contents):
        return None
    return _code(look.equal_length, "its name" if named else "its values")


def _code(length: int, by: str) -> Meaning:
    """Codes of one length."""
    reason = f"codes of {length} characters by {by}, masked from the right"
    return Meaning("ZIP or similar code", "quasi", reason, {"hierarchy": {"prefix": length}})


def _unique_text(cells: Cells) -> Meaning | None:
    """Texts that are nearly unique, free, or names: never published."""
    look = cells.contents
    if look is None:
        return None
    known = words.find(cells.name, words.SENSITIVE) or words.find(cells.name, words.QUASI)
    if known and cells.records < MANY:
        return None
    share = cells.distinct / cells.records
    varied = cells.distinct > 1 and (cells.unique >= NEARLY_UNIQUE or share >= NEARLY_UNIQUE)
    free = look.words >= _FREE_TEXT_WORDS or look.length >= _FREE_TEXT_LENGTH
    many = cells.records >= MANY and cells.distinct >= MANY
    if free and (varied or (many and share >= 0.1) or (words.has(cells.name, words.NOTES) and share >= 0.05)):
        return Meaning("free text", "drop", "free text may say anything about anybody", {})
    if (varied or (many and share >= 0.05)) and look.share("name") >= 0.8 and not known:
        return Meaning("name", "identifier", "the values look like people's names", {})
    if (varied or many) and look.share("postal address") >= 0.5:
        return Meaning("address", "identifier", "the values look like postal addresses", {})
    if (varied or (many and share >= 0.1)) and look.share("number") >= 0.8 and not known:
        reason = "the values look like numbers of single people or cases"
        return Meaning("id", "identifier", reason, {})
    if varied or (many and share >= 0.2):
        return Meaning("unique text", "drop", "nearly every record has a text of its own", {})
    return None


def _sensitive(cells: Cells) -> Meaning | None:
    """What nobody should learn about a person, by name or by contents."""
    group = words.find(cells.name, words.SENSITIVE)
    look = cells.contents
    reason = f"its name speaks of {group}"
    if group is None and look is not None:
        if look.share("diagnosis code") >= 0.9 and cells.distinct >= 10:
            group, reason = "health", "the values look like codes of diagnoses"
        elif look.share("illness") >= 0.1 and look.share("illness") * look.tried >= 2:
            group, reason = "health", "the values name illnesses"
    if group is None:
        return None
    if cells.kind in NUMBERS and cells.records >= MANY and cells.unique >= NEARLY_UNIQUE:
        reason = f"{reason}, but nearly every record has a number of its own, a fingerprint: round it to publish it"
        return Meaning(group, "drop", reason, {})
    return Meaning(group, "sensitive", reason, settings_of(cells))


def _unique_number(cells: Cells) -> Meaning | None:
    """Numbers that number the records, or single them out."""
    if cells.kind not in NUMBERS or words.find(cells.name, words.QUASI) is not None:
        return None
    first, last = float(cells.values[0]), float(cells.values[-1])
    counts_up = (
        cells.unique == 1 and cells.records > 2 and first in {0, 1} and last - first == cells.records - 1
    )
    if counts_up:
        return Meaning("id", "identifier", "numbers the records one by one", {})
    if cells.records < MANY or cells.unique < NEARLY_UNIQUE:
        return None
    if cells.kind == "integer" and cells.unique >= _EACH_ITS_OWN:
        return Meaning("id", "identifier", "nearly every record has a whole number of its own", {})
    reason = "nearly every record has a number of its own, a fingerprint; role: quasi would publish it in intervals"
    return Meaning("unique number", "drop", reason, {})


def _quasi(cells: Cells) -> Meaning:
    """What others may know; also whatever nothing is known about."""
    settings = settings_of(cells)
    warning = _mixed_in(cells.contents)
    group = words.find(cells.name, words.QUASI)
    look = cells.contents
    if group is None and look is not None:
        for pattern in ("sex", "marital status"):
            if look.share(pattern) >= 0.5:
                reason = f"the values say {pattern}, which others may know"
                return Meaning(pattern, "quasi", reason, settings, warning)
    if group is not None:
        reason = f"its name speaks of {group}, which others may know"
        return Meaning(group, "quasi", reason, settings, warning)
    looks = "number" if cells.kind in NUMBERS and settings.get("kind") != "categorical" else "category"
    return Meaning(looks, "quasi", "others may know it; nothing says that they cannot", settings, warning)


def _mixed_in(look: Contents | None) -> str:
    """Warn of single cells that look like direct identifiers."""
    if look is None:
        return ""
    found = [name for name in ("e-mail address", "social security number") if look.share(name)]
    return f"some values look like {_article(found[0])}; take them out" if found else ""


def _percent(share: float) -> str:
    """Write a share."""
    return f"{share:.0%}"


def _article(noun: str) -> str:
    """Put the indefinite article before a noun."""
    return f"an {noun}" if noun[0] in "aeioI" else f"a {noun}"
