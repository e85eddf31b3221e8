"""Rules that find columns which are never published: constant, identifiers, unique texts and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.profiling import words
from likeness.profiling.cells import NUMBERS
from likeness.profiling.meaning import MANY, MOST_CODES, NEARLY_UNIQUE, Meaning, with_article

if TYPE_CHECKING:
    from likeness.profiling.cells import Cells

_EACH_ITS_OWN = 0.95
_FREE_TEXT_WORDS, _FREE_TEXT_LENGTH = 4.5, 40
_SHARED_BY = 20
"""Records per value from which an unexplained id is shared by so many that it numbers no person."""
_PATTERNS = (
    ("e-mail address", 0.1),
    ("social security number", 0.1),
    ("IP address", 0.8),
    ("web address", 0.8),
)
"""What leads to a person by itself, and the share of the values from which a column is taken for it."""


def tells_nothing(cells: Cells) -> Meaning | None:
    """Nothing, or the same for everyone."""
    if cells.distinct == 0:
        return Meaning("empty", "drop", "every cell is missing", {})
    if cells.distinct > 1 or cells.missing:
        return None
    warning = ""
    if words.find(cells.name, words.SENSITIVE):
        warning = "tells everybody's value of what sounds sensitive: being in the table gives it away"
    return Meaning("constant", "drop", "the same for every record", {}, warning)


def looks_like_identifier(cells: Cells) -> Meaning | None:
    """Texts that by themselves lead to a person."""
    look = cells.contents
    if look is None:
        return None
    for pattern, enough in _PATTERNS:
        if look.share(pattern) >= enough:
            reason = f"{look.share(pattern):.0%} of the values look like {with_article(pattern)}"
            return Meaning(pattern, "identifier", reason, {})
    phone = look.share("phone number") - look.share("ZIP+4") - look.share("date") - look.share("IP address")
    if phone >= 0.8:
        return Meaning(
            "phone number", "identifier", f"{phone:.0%} of the values look like a phone number", {}
        )
    return None


def named_identifier(cells: Cells) -> Meaning | None:
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


def survey_weight(cells: Cells) -> Meaning | None:
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


def location(cells: Cells) -> Meaning | None:
    """Coordinates."""
    if (
        cells.kind not in NUMBERS
        or not words.has(cells.name, words.LOCATIONS)
        or cells.distinct <= MOST_CODES
    ):
        return None
    return Meaning("location", "drop", "coordinates by its name: they lead to the door", {})


def unique_text(cells: Cells) -> Meaning | None:
    """Texts that are nearly unique, free, or names: never published."""
    look = cells.contents
    if look is None:
        return None
    known = words.find(cells.name, words.SENSITIVE) or words.find(cells.name, words.QUASI)
    if known and cells.records < MANY:
        return None
    share = cells.distinct / cells.records
    varied = cells.distinct > 1 and cells.unique >= NEARLY_UNIQUE
    free = look.words >= _FREE_TEXT_WORDS or look.length >= _FREE_TEXT_LENGTH
    many = cells.records >= MANY and cells.distinct >= MANY
    if free and (varied or (many and share >= 0.1) or (words.has(cells.name, words.NOTES) and share >= 0.05)):
        return Meaning("free text", "drop", "free text may say anything about anybody", {})
    if (varied or share >= 0.3 or (many and share >= 0.05)) and look.share("name") >= 0.8 and not known:
        return Meaning("name", "identifier", "the values look like people's names", {})
    if (varied or many) and look.share("postal address") >= 0.5:
        return Meaning("address", "identifier", "the values look like postal addresses", {})
    if (varied or (many and share >= 0.1)) and look.share("number") >= 0.8 and not known:
        reason = "the values look like numbers of single people or cases"
        return Meaning("id", "identifier", reason, {})
    if varied:
        return Meaning("unique text", "drop", "most records have a text that no other has", {})
    if many and share >= 0.2 and not known:
        return Meaning("unique text", "drop", "so many different texts would single people out", {})
    return None


def unique_number(cells: Cells) -> Meaning | None:
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
