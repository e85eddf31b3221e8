"""What can go wrong, as people meet it.

::

    LikenessError                    one line: what, where, what to do
    ├── InvalidError                 exit 2: invalid whatever the data hold
    │   ├── PolicyError              the policy contradicts itself or names what does not exist
    │   ├── TableError               a table cannot be read or is malformed
    │   ├── HierarchyError           a hierarchy cannot be read or has gaps
    │   └── OutputError              the output folder cannot be written or already exists
    ├── CannotBeMetError             exit 3: valid, but this table cannot meet it
    │   └── MethodFailedError        so does this method, while the table can
    └── VerificationError            exit 1: a proof or a threshold failed

Every error may carry several lines (``problems``), because a steward wants to hear of all the
mistakes in a policy at once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, ClassVar

from likeness.wording import quoted, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

MOST_PROBLEMS = 20
"""How many problems of one error are shown; the others are counted."""
SEARCHED = 2_000
"""Above this number of names, or of characters in one, none that is merely similar is looked for: it takes too long."""

_MOST_NAMES = 30
_WHOLE_WORD = 5
"""Letters that a word must have for the names that hold it to be meant."""


@dataclass(frozen=True)
class Statement:
    """One thing that was found, as data: it becomes a sentence when somebody reads it.

    Parameters
    ----------
    what
        What was found.
    where
        The places it is about, the outermost first: a file, a part of a policy, a metric.
    at
        Where in the innermost of them: a row, a line.
    about
        What the sentence begins with: a file, a value.

    Examples
    --------
    >>> str(Statement("holds null", ("classes.parquet",), "row 4")), str(Statement("is missing", about="public/"))
    ('classes.parquet, row 4: holds null', 'public/ is missing')
    """

    what: str
    where: tuple[str, ...] = ()
    at: str = ""
    about: str = ""

    @property
    def sentence(self) -> str:
        """What was found, without the place."""
        return f"{self.about} {self.what}" if self.about else self.what

    def __str__(self) -> str:
        """Say it in one line, the place first."""
        places = [*self.where[:-1], ", ".join(filter(None, (*self.where[-1:], self.at)))]
        return ": ".join(filter(None, (*places, self.sentence)))


@dataclass(frozen=True)
class Refusal(Statement):
    """One thing that is refused, as data: it becomes a sentence when somebody reads it.

    Parameters
    ----------
    what
        What is wrong.
    where
        The places it is about, the outermost first: a file, a part of a policy, a metric.
    at
        Where in the innermost of them: a row, a line.
    about
        What the sentence begins with, if that is no column: a file.
    column
        The column that the sentence begins with, if it does.
    why
        Why that is wrong.
    remedy
        What to do about it.
    tried
        Methods that were tried in vain.

    Examples
    --------
    >>> refusal = Refusal("has no levels", ("precision",), column="age", remedy="give it a hierarchy")
    >>> str(refusal), refusal.sentence
    ("precision: 'age' has no levels; give it a hierarchy", "'age' has no levels; give it a hierarchy")
    >>> str(refusal.within("measure"))
    "measure: precision: 'age' has no levels; give it a hierarchy"
    """

    column: str | None = None
    why: str = ""
    remedy: str = ""
    tried: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What is wrong, why and what to do about it, without the place."""
        return self.what_of_columns([] if self.column is None else [self.column])

    def what_of_columns(self, columns: Iterable[str]) -> str:
        """Say it of the first of several columns, and that it is so with the others."""
        first, *others = [*map(repr, columns)] or [self.about]
        said = f"{first} {self.what}" if first else self.what
        said += f": {self.why}" if self.why else ""
        said += f"; {self.remedy}" if self.remedy else ""
        said += f" (methods tried: {', '.join(self.tried)})" if self.tried else ""
        return said + (f" (so it is with {', '.join(others)})" if others else "")

    def to_json(self) -> dict[str, Any]:
        """Write what is said of it as JSON can hold it."""
        return {key: value for key, value in asdict(self).items() if value}

    @staticmethod
    def from_json(given: Mapping[str, Any]) -> Refusal:
        """Read it back."""
        made: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
        }
        return Refusal(**made)

    def within(self, place: str) -> Refusal:
        """Put it into a place around its own."""
        return replace(self, where=(place, *self.where))

    def called(self, place: str) -> Refusal:
        """Call the outermost of its places otherwise."""
        return replace(self, where=(place, *self.where[1:])) if self.where else self


def _as_refusal(given: str | Refusal) -> Refusal:
    return given if isinstance(given, Refusal) else Refusal(given)


class LikenessError(Exception):
    """Anything this library refuses to do, in one clear line per problem.

    Parameters
    ----------
    *problems
        One line each: what is wrong, where, and what to do about it; what is to be pasted somewhere stands in lines below. The
        attribute ``problems`` has them all, ``lines`` (and
        the error's text) the first twenty and how many more there are; ``refusals`` has them as data.

    Examples
    --------
    >>> raise InvalidError("k must be at least 1; got 0")
    Traceback (most recent call last):
    likeness.errors.InvalidError: k must be at least 1; got 0
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, *problems: str | Refusal) -> None:
        self.refusals: tuple[Refusal, ...] = tuple(map(_as_refusal, problems))
        self.problems: tuple[str, ...] = tuple(map(str, self.refusals))
        super().__init__("\n".join(self.lines))

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines to show: the first problems, and how many more there are."""
        more = len(self.problems) - MOST_PROBLEMS
        if more <= 0:
            return self.problems
        return (*self.problems[:MOST_PROBLEMS], f"and {more:,} more")

    def within(self, place: str) -> tuple[Refusal, ...]:
        """The refusals, each put into a place around its own.

        Examples
        --------
        >>> raise PolicyError(*InvalidError("is empty", "is odd").within("records"))
        Traceback (most recent call last):
        likeness.errors.PolicyError: records: is empty
        records: is odd
        """
        return tuple(refusal.within(place) for refusal in self.refusals)


class InvalidError(LikenessError):
    """The request is invalid, whatever the data hold (exit code 2)."""


class PolicyError(InvalidError):
    """The policy contradicts itself, the table, or names what does not exist (exit code 2)."""


class TableError(InvalidError):
    """A table cannot be read, or is malformed (exit code 2)."""


class HierarchyError(InvalidError):
    """A hierarchy cannot be read, has gaps or contradicts itself (exit code 2)."""


class OutputError(InvalidError):
    """The output cannot be written, or would replace something (exit code 2)."""


class CannotBeMetError(LikenessError):
    """The request is valid but this table cannot meet it (exit code 3).

    Parameters
    ----------
    *problems
        Lines that stand for themselves, below the reasons.
    reasons
        What cannot be met, one each, and what would make it possible: the attribute ``reasons``, and as data ``unmet``.
    tried
        Names of the methods that were tried, where the policy names none.

    Examples
    --------
    >>> CannotBeMetError("withheld 9: too few", reasons=["k = 5 of 9 records"], tried=["mondrian"]).problems
    ('cannot be met: k = 5 of 9 records (methods tried: mondrian)', 'withheld 9: too few')
    """

    exit_code: ClassVar[int] = 3

    def __init__(
        self, *problems: str | Refusal, reasons: Iterable[str | Refusal] = (), tried: Iterable[str] = ()
    ) -> None:
        self.unmet: tuple[Refusal, ...] = tuple(map(_as_refusal, reasons))
        self.reasons: tuple[str, ...] = tuple(map(str, self.unmet))
        self.tried: tuple[str, ...] = tuple(tried)
        self.notes: tuple[str | Refusal, ...] = problems
        super().__init__(*self._led(), *problems)

    def _led(self) -> list[Refusal]:
        """Say of the reasons that they cannot be met, and of the first which methods were tried."""
        led = list(self.unmet)
        if led and self.tried:
            led[0] = replace(led[0], tried=self.tried)
        return [reason.within("cannot be met") for reason in led]


class MethodFailedError(CannotBeMetError):
    """The table can meet the request, but the method asked for finds no release (exit code 3).

    Parameters
    ----------
    *problems
        Lines that stand for themselves, below the reasons.
    reasons
        What the method cannot meet, one each.
    method
        Its name.

    Examples
    --------
    >>> MethodFailedError(reasons=["9 records would have to be withheld"], method="sbca").problems[0][:61]
    'cannot be met: sbca finds no release, while there is one: tak'
    """

    def __init__(
        self, *problems: str | Refusal, reasons: Iterable[str | Refusal] = (), method: str = ""
    ) -> None:
        self.method = method
        super().__init__(*problems, reasons=reasons)

    def _led(self) -> list[Refusal]:
        """Say of the first reason that it is this method's."""
        if not self.unmet:
            return []
        first = Refusal(
            f"{self.method} finds no release, while there is one: taken as one class, what may be published of the table holds "
            f"the guarantee; leave method (and form) out for the best known. {self.reasons[0]}"
        )
        return [reason.within("cannot be met") for reason in (first, *self.unmet[1:])]


class VerificationError(LikenessError):
    """A release does not prove what its certificate says (exit code 1)."""

    exit_code: ClassVar[int] = 1


def suggestion(name: str, known: Iterable[str]) -> str:
    """Say which known name was probably meant; when nothing is near, list what there is.

    >>> suggestion("l-diversity", ["distinct-l-diversity", "k-anonymity", "eir-l-diversity"])
    "; did you mean 'distinct-l-diversity' or 'eir-l-diversity'?"
    >>> suggestion("FLU", ["cold", "flu"]), suggestion("x", ["burel", "mondrian"])
    ("; did you mean 'flu'?", '; known: burel, mondrian')
    """
    options = list(known)
    meant = did_you_mean(name, options)
    if meant or not options:
        return meant
    shown = nsmallest(_MOST_NAMES, options)
    if len(options) > _MOST_NAMES:
        shown.append(f"… {len(options) - _MOST_NAMES} more")
    return f"; known: {', '.join(map(shortened, shown))}"


def did_you_mean(name: str, known: Collection[str], *, alike: float = 0.6) -> str:
    """Say which known name was probably meant, or nothing: ``; did you mean 'burel'?``.

    Several are named where they hold the whole word. ``alike``: how alike two words must be for one to be meant, 0 to 1.
    """
    near = nearest(name, known, alike=alike)
    if near is None:
        return ""
    plain = name.strip().casefold()
    if len(plain) >= _WHOLE_WORD and near.strip().casefold() != plain:
        holding = sorted(option for option in known if plain in option.casefold())
        if 1 < len(holding) <= _MOST_NAMES:
            return f"; did you mean {', '.join(map(quoted, holding[:-1]))} or {quoted(holding[-1])}?"
    return f"; did you mean {quoted(near)}?"


def nearest(name: str, known: Collection[str], *, alike: float = 0.6) -> str | None:
    """Find the known name that was probably meant, however it is capitalised; None when nothing is near.

    Another number is never near; above `SEARCHED` names or characters only the same word is looked for.
    """
    plain = name.strip().casefold()
    same = min((option for option in known if option.strip().casefold() == plain), default=None)
    if same is not None or len(known) > SEARCHED or len(name) > SEARCHED:
        return same
    number = _number(name)
    # Another number is never what was meant.
    options = known if number is None else [one for one in known if _number(one) in {None, number}]
    near = get_close_matches(name, options, n=1, cutoff=alike)
    return near[0] if near else None


def _number(text: str) -> float | None:
    """Read a text as a number, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None
