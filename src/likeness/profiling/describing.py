"""Rules for columns that are published: times, codes, sensitive attributes, and quasi-identifiers, which is the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.profiling import words
from likeness.profiling.cells import NUMBERS
from likeness.profiling.meaning import MANY, NEARLY_UNIQUE, Meaning, settings_of, with_article

if TYPE_CHECKING:
    from likeness.profiling.cells import Cells
    from likeness.profiling.contents import Contents

_LONGEST_CODE = 6


def time(cells: Cells) -> Meaning | None:
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
        mixed = cells.otherwise == "dates" and cells.trouble
        what = "dates in several ways" if mixed else "dates whose day and month cannot be told apart"
        reason = f"{what}; to keep the column, write YYYY-MM-DD"
        return Meaning("date", "drop", reason, {})
    return None


def masked_code(cells: Cells) -> Meaning | None:
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
    # Longer or more varied digits may number people who have several records.
    shared = MANY <= cells.distinct <= cells.records / 10
    by_contents = digits and shared and look.equal_length <= _LONGEST_CODE
    if has_mask or not (named or by_contents):
        return None
    return _code(look.equal_length, "its name" if named else "its values")


def _code(length: int, by: str) -> Meaning:
    """Codes of one length."""
    reason = f"codes of {length} characters by {by}, masked from the right"
    return Meaning("ZIP or similar code", "quasi", reason, {"hierarchy": {"prefix": length}})


def sensitive(cells: Cells) -> Meaning | None:
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
    return Meaning(group, "sensitive", reason, settings_of(cells), _mixed_in(look))


def quasi(cells: Cells) -> Meaning:
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
    return f"some values look like {with_article(found[0])}; take them out" if found else ""
