"""The small sections of a policy, beside its columns and its guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from unicodedata import category

from pydantic import BeforeValidator, Field, WithJsonSchema

from likeness import registry
from likeness.endings import Ending
from likeness.errors import HierarchyError, did_you_mean
from likeness.policy import values
from likeness.policy.problems import Declared, Entry, RefusalError, refusal

READING = ("delimiter", "quote", "encoding", "decimal", "thousands", "header", "sheet")
"""Keys of `Records` that say how its file is to be read."""
Text = Annotated[str, Field(min_length=1)]
Positive = Annotated[float, Field(gt=0), BeforeValidator(values.finite)]
Step = Annotated[int | float, Field(gt=0), BeforeValidator(values.finite)]
Share = Annotated[float, Field(ge=0, le=1), BeforeValidator(values.finite)]
Natural = Annotated[int, Field(ge=0), BeforeValidator(values.whole)]
Seed = Annotated[int, Field(ge=0), BeforeValidator(values.seed)]
Format = Annotated[Ending, Field()]
MissingPolicy = Literal["error", "category", "drop"]


def _markers(given: Any) -> tuple[str, ...]:
    """Texts of the markers, each once."""
    listed = [given] if isinstance(given, str) or values.is_number(given) else values.items(given)
    if any(isinstance(marker, Mapping) for marker in listed):
        # In a YAML list a bare question mark begins a mapping.
        raise refusal('a marker such as ? must stand in quotes: markers: ["?"]')
    return tuple(dict.fromkeys(values.text(marker) for marker in listed))


Markers = Annotated[
    tuple[str, ...],
    BeforeValidator(_markers),
    WithJsonSchema({"type": "array", "items": {"type": ["string", "number"]}, "uniqueItems": True}),
]


CategoriesKey = Annotated[
    str | dict[str, list[str]],
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {
                    "type": "object",
                    "minProperties": 2,
                    "additionalProperties": {
                        "type": "array",
                        "minItems": 1,
                        "items": {"type": ["string", "number", "boolean"]},
                    },
                },
            ]
        }
    ),
]


def read_categories(given: Any) -> str | dict[str, list[str]]:
    """Read what a policy says under ``categories`` of a column: a path, or each label with the list of its values.

    >>> read_categories({"Low": ["Flu", "Headache"], "Mild": ["Fever"]})
    {'Low': ['Flu', 'Headache'], 'Mild': ['Fever']}
    """
    if isinstance(given, str | Path):
        if not str(given).strip():
            raise refusal("must not be empty; give a file, or each category with the list of its values")
        return str(given)
    if not isinstance(given, Mapping):
        raise refusal("must be a file, or each category with the list of its values", given)
    problems: list[Entry] = []
    found: dict[str, list[str]] = {}
    for label, own in given.items():
        named = values.text(label)
        try:
            found[named] = [values.text(value) for value in values.items(own)]
        except RefusalError as problem:
            problems += [entry._replace(place=(named, *entry.place)) for entry in problem.entries]
    if not problems:
        # Imported here: a policy that names files, or has no categories, needs no numpy.
        from likeness.hierarchies.categories import categories_from_mapping

        try:
            categories_from_mapping(found, "")
        except HierarchyError as problem:
            problems = [Entry((), one.sentence) for one in problem.refusals]
    if problems:
        raise RefusalError(*problems)
    return found


class Missing(Declared):
    """Which cells are missing, and what becomes of them.

    ``markers``: texts that mean a missing value; nulls of typed tables always do, and numbers are taken as their texts.
    ``policy``: ``error``; a ``category`` of its own; or ``drop`` the record.
    """

    example: ClassVar[str] = '{markers: ["?"], policy: error}'

    markers: Markers = Field(default=("",), description="Texts that mean a missing value.")
    policy: MissingPolicy = Field(
        default="error", description="Refuse missing values, make them a category, or drop the record."
    )


class ColumnMissing(Declared):
    """What one column does otherwise than the whole table about missing values.

    ``markers``, ``policy``: as in `Missing`; None for what the table does.
    """

    example: ClassVar[str] = "{policy: category}"

    markers: Markers | None = Field(default=None, description="Texts that mean a missing value here.")
    policy: MissingPolicy | None = Field(
        default=None, description="Refuse missing values, make them a category, or drop the record."
    )


def _decimal(given: Any) -> Any:
    """A decimal mark."""
    if given not in (".", ","):
        raise refusal('must be "." or ","', given)
    return given


Decimal = Annotated[Literal[".", ","], BeforeValidator(_decimal)]


def _header(given: Any) -> bool | tuple[str, ...]:
    """Whether there is a header, or the names of the columns."""
    if isinstance(given, bool):
        return given
    if not isinstance(given, list | tuple):
        raise refusal("must be false, or a list of the columns' names", given)
    return tuple(values.text(name) for name in given)


Header = Annotated[
    bool | tuple[str, ...],
    BeforeValidator(_header),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}]}),
]


class RecordsMissing(Declared):
    """Which cells of a second table are missing, where that is not what the whole policy says.

    In columns that have markers of their own, those count.
    """

    example: ClassVar[str] = '{markers: ["NA"]}'

    markers: Markers = Field(description="Texts that mean a missing value in the second table.")


class Records(Declared):
    """A second table with the records of the people of the first.

    The first table has one row per person, the second any number. What is anonymized are the rows of the second table, each
    with what the first says of its person; people without a row there are left to `Hygiene.no_sensitive`. ``columns`` of
    the policy names the columns of both; but for the key, and columns with ``role: drop`` that do not hold the weights, no
    name may stand in both.

    ``table``: of any format that can be read; the first may have another.
    ``on``: the column that ``individual`` names. Its texts are compared as they are: ``007`` is not ``7``. ``delimiter`` …
    ``sheet``: as in `likeness.read`; ``tab`` is a tab, and ``none`` the quote where quotes have no meaning. What is left
    out is found from the file, whatever is said about the first.
    """

    example: ClassVar[str] = "{table: conditions.csv, on: patient_id}"

    table: Text = Field(description="File of the second table.")
    on: Text = Field(description="The column, in both tables, that names a person.")
    key: Text | None = Field(
        default=None,
        description="What that column is called in the second table, where it has another name there.",
    )
    delimiter: Text | None = Field(
        default=None,
        description="CSV: what stands between cells of the second table, such as ; or tab; found when left out.",
    )
    quote: str | None = Field(
        default=None,
        description='CSV: its quote character, " when left out; none when quotes have no meaning.',
    )
    encoding: Text | None = Field(
        default=None,
        description="CSV: such as cp1252 or utf-8+cp1252; UTF-8, or what the byte order mark says, when left out.",
    )
    decimal: Decimal | None = Field(
        default=None,
        description="The decimal mark of numbers that are text; found for each column when left out.",
    )
    thousands: Literal[",", ".", " ", "'"] | None = Field(
        default=None,
        description="What separates the thousands of numbers that are text, as in 1,234; left out: what can be nothing else.",
    )
    header: Header | None = Field(
        default=None,
        description="CSV: false when the first line is a record already, or the columns' names then.",
    )
    sheet: Text | None = Field(
        default=None,
        description="Excel: the sheet that holds the second table; left out where no other in sight holds anything.",
    )
    missing: Annotated[RecordsMissing, BeforeValidator(RecordsMissing.read)] | None = Field(
        default=None,
        description="Texts that mean a missing value in the second table; left out: as in the first.",
    )

    @property
    def reading(self) -> dict[str, Any]:
        """What is said about reading its file."""
        return {key: value for key, value in self.given().items() if key in READING}


class Hygiene(Declared):
    """What is put in order, where people may have several records, before anything is searched.

    The rules are applied in the order ``no_sensitive``, ``duplicates``, ``inconsistent_quasi``. Records dropped here are
    counted with their reason; they do not count as withheld. Source: the models of Wang et al. 2019 need every record of a
    person to have a sensitive value of its own (table 1: ``|P(s)| = |R(s)|``).

    ``duplicates``: records of one person with the same values in all sensitive columns: ``drop`` all but the first, with
    whatever else they say, ``keep`` them (not where a model is about people with several records), or make it an ``error``.
    Without sensitive columns there are none.
    ``inconsistent_quasi``: people whose records differ in a quasi-identifier: publish the ``hull`` of what they say, take
    the ``first`` record's values for all, or the most frequent ones (``mode``, all quasi-identifiers together; of equally
    frequent ones those that come first), or make it an ``error``.
    ``no_sensitive``: records without a sensitive value, and people of the first table without a row in the second: ``drop``
    them, take the missing value for a sensitive ``value`` like others, or make it an ``error``. The column's own rule, and
    a ``missing.policy`` other than ``error``, come first.
    """

    example: ClassVar[str] = "{duplicates: drop}"

    duplicates: Literal["drop", "keep", "error"] = Field(
        default="drop", description="Records of one person with the same sensitive value."
    )
    inconsistent_quasi: Literal["hull", "first", "mode", "error"] = Field(
        default="hull", description="One person with different quasi-identifiers."
    )
    no_sensitive: Literal["drop", "value", "error"] = Field(
        default="drop", description="Records without a sensitive value."
    )


def read_engine(given: Any) -> Any:
    """Read what a policy says under ``engine``: the name of one."""
    known = registry.names("engines")
    if given is None or given in known:
        return given
    hint = did_you_mean(given, known) if isinstance(given, str) else ""
    raise refusal(f"must be one of {', '.join(known)}{hint}", given)


EFFORTS = ("quick", "normal", "thorough")
"""How long to go on lowering the loss, where it is not said in seconds."""

EffortKey = Annotated[
    str | dict[str, float],
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": list(EFFORTS)},
                {
                    "type": "object",
                    "properties": {"seconds": {"type": "number", "exclusiveMinimum": 0}},
                    "required": ["seconds"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]


def read_effort(given: Any) -> str | dict[str, float]:
    """Read what a policy says under ``effort``: one of `EFFORTS`, or seconds.

    >>> read_effort({"seconds": 60})
    {'seconds': 60.0}
    """
    if isinstance(given, str) and given in EFFORTS:
        return given
    if isinstance(given, Mapping) and list(given) == ["seconds"]:
        seconds = values.finite(given["seconds"])
        if values.is_number(seconds) and seconds > 0:
            return {"seconds": float(seconds)}
        raise refusal("seconds must be above 0", given["seconds"])
    raise refusal(f"must be one of {', '.join(EFFORTS)}, or a time such as {{seconds: 60}}", given)


LONGEST_ABOUT = 300
"""Characters of a text about a release."""


def _line(given: Any) -> Any:
    """Take one line of text, without spaces around it and control characters in it; a text is cut nowhere."""
    if isinstance(given, str):
        given = given.strip()
        if not given:
            raise refusal("must not be empty; say it, or leave the key out")
        if not is_line(given):
            raise refusal(f"must be one line of at most {LONGEST_ABOUT} characters", given)
    return given


def is_line(given: str) -> bool:
    r"""Whether something may be said of a release: one line of at most `LONGEST_ABOUT` characters that all can be shown.

    >>> is_line("City health office"), is_line("two\nlines"), is_line(" "), is_line("turned \u202e around")
    (True, False, False, False)
    """
    # Cc, Cs, Co, Cn: nobody sees them. Cf and Zl: they turn text around, or hide in it, so that a page shows another publisher.
    shown = all(category(letter)[0] != "C" and category(letter) not in {"Zl", "Zp"} for letter in given)
    return 0 < len(given) <= LONGEST_ABOUT and given == given.strip() and shown


def _day_text(given: Any) -> str:
    return values.day(given).isoformat()


Line = Annotated[str, BeforeValidator(_line), Field(min_length=1, max_length=LONGEST_ABOUT)]


class About(Declared):
    """What a release is called, who publishes it, whom to ask, and when: told in the certificate, as it is said here.

    ``date``: the day of publication. It is nobody's clock: the same table, policy and seed give the same bytes on every day.
    """

    example: ClassVar[str] = (
        "{title: Hospital encounters 2024, publisher: City health office, date: 2026-11-25}"
    )

    title: Line | None = Field(default=None, description="What the release is called.")
    publisher: Line | None = Field(default=None, description="Who publishes it.")
    contact: Line | None = Field(default=None, description="Whom to ask: an address.")
    date: Annotated[str, BeforeValidator(_day_text), WithJsonSchema({"type": "string"})] | None = Field(
        default=None, description="Day of publication, such as 2026-11-25."
    )


class Withhold(Declared):
    """How much may be withheld.

    A share of the records; of the individuals, when people have several. Where no method is named and the effort is not
    ``quick``, all who have one of the rarest sensitive values may be among them, if everybody else then loses so much less that
    it is worth it: under models that compare with what is published, a value of few makes large classes. With
    ``rare_values: false`` they never are for that reason.
    """

    example: ClassVar[str] = "{at_most: 0.01}"

    at_most: Share = Field(
        default=0.01, description="Largest share of records (or individuals) that may be withheld."
    )
    rare_values: bool = Field(
        default=True,
        description="Whether all who have one of the rarest sensitive values may be withheld, where the others lose less so.",
    )


class Output(Declared):
    """How the release is written.

    ``formulas``: ``keep`` texts that a spreadsheet program would run as formulas when it opens the release, with a warning;
    or ``escape`` them: an apostrophe is written before each, and taken away by everything here that reads a release.
    """

    example: ClassVar[str] = "{format: csv}"

    format: Format | None = Field(
        default=None,
        description="Format of the release, by the ending of its files; left out: the input's own.",
    )
    numeric_pairs: bool = Field(
        default=False, description="Also publish intervals as pairs of columns, age_low and age_high."
    )
    formulas: Literal["keep", "escape"] = Field(
        default="keep",
        description="Texts that a spreadsheet would run as formulas: keep them, or escape them by an apostrophe.",
    )
