"""Whether a release is a correct generalization of its original, and nobody is lost or invented.

Whether published regions cover the values they were made from.

Whether published texts say exactly what stands in the original.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.attacks.matching import reach_of
from likeness.encode import describe_columns
from likeness.errors import Refusal, Statement, TableError
from likeness.folder.audit import content_digest
from likeness.folder.class_map import DROPPED, listed, of_original
from likeness.folder.layout import CLASSES
from likeness.forms.base import as_labelled
from likeness.methods.base import Problem
from likeness.microdata.domain import NUMERIC
from likeness.microdata.grouping import count_copies, one_to_one
from likeness.microdata.regions import LOSSES, aggregated
from likeness.models.requirements import require_of
from likeness.published.regions import Region, shown_labels
from likeness.published.text import read_value
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from likeness.encode import Encoded
    from likeness.folder.audit import Audit
    from likeness.folder.class_map import ClassMap
    from likeness.folder.public_part import PublicPart
    from likeness.forms.base import Publication, ShownColumn
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.mechanism import Mechanism
    from likeness.policy import Policy
    from likeness.tables import EncodedColumn, Labelled

_CLASS_MAP = f"private/{CLASSES}"
_NAMED = 3
_AGGREGATES = {"mean": "means", "mode": "modes"}


def covered(
    cells: ShownColumn, of: NDArray[np.int64], domain: Domain, codes: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """(n,) Decide which records have a value that their published region covers.

    Parameters
    ----------
    cells
        R distinct regions, as they were read.
    of : (n,) int64
        Region of each record.
    domain
        The attribute in the original.
    codes : (n,) int
        Original code of each record.

    Returns
    -------
    (n,) bool

    Raises
    ------
    TableError
        When the original has values that have no place in such a column.

    Examples
    --------
    >>> from likeness.forms.base import ShownColumn
    >>> from likeness.published.columns import ColumnNote
    >>> from likeness.published.regions import read_region
    >>> from likeness.microdata.domain import Domain
    >>> age = Domain("age", "integer", np.array([20, 30, 60]), "interval", low=20, high=60)
    >>> note = ColumnNote("age", "quasi", "integer", "interval")
    >>> covered(ShownColumn(note, [read_region("[20, 40]", note)], np.zeros(1)), np.array([0, 0]), age, np.array([1, 2]))
    array([ True, False])
    """
    # A node that the original does not have covers nothing.
    nodes = set() if domain.hierarchy is None else set(domain.hierarchy.labels)
    known = [region.what != "node" or read_value(region.text) in nodes for region in cells.regions]
    regions = [
        own if is_known else Region("values") for own, is_known in zip(cells.regions, known, strict=True)
    ]
    reach = reach_of(replace(cells, regions=regions), domain)
    own = np.asarray(codes, np.int64)
    if not reach.is_set:
        return np.asarray((reach.low[of] <= own) & (own <= reach.high[of]))
    pairs = np.repeat(np.arange(reach.low.size), reach.sizes) * domain.codes + reach.members
    return np.isin(of * domain.codes + own, pairs)


def exact_codes(published: Domain, original: Domain) -> NDArray[np.int64]:
    """(codes,) Original code of every published value; -1 for values that the original does not have.

    Numbers of the same kind are compared as numbers, all else by its text.
    """
    found = published.codes_in(original)
    if original.kind in NUMERIC and published.kind == original.kind:
        # 0.0 and -0.0 are one number.
        rank = {value: code for code, value in enumerate(original.values.tolist())}
        found[: published.size] = [rank.get(value, -1) for value in published.values.tolist()]
    return found


def same_cells(original: EncodedColumn, rows: NDArray[np.int64], published: Labelled) -> NDArray[np.bool_]:
    """(n,) Decide which published cells are those of the original; ``rows`` (n,) are the rows they were made from.

    A missing cell and an empty text are the same, as in CSV.
    """
    rank: dict[Any, int] = {value: code for code, value in enumerate(original.values.tolist())}
    found = np.array([_code(text, rank, original.kind) for text in published.labels], np.int64)
    shown = found[published.codes]
    own = original.codes[rows].astype(np.int64)
    # A missing cell and an empty text are the same in CSV.
    empty = rank.get("", -1) if original.kind == "text" else -1
    return np.asarray((shown == own) | ((shown == -1) & (own == empty)))


def _code(text: str, rank: dict[Any, int], kind: str) -> int:
    """Code of a published text in the original; -1 for an empty cell, -2 for what is not there."""
    if kind == "text":
        return -1 if text == "" else rank.get(text, -2)
    if text == "":
        return -1
    try:
        return rank.get(_value(text, kind), -2)
    except ValueError:
        return -2


def _value(text: str, kind: str) -> Any:
    """Read a text as a value of a kind."""
    if kind == "integer":
        return int(text)
    if kind == "real":
        return float(text)
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower())
    return np.datetime64(text, "D").astype("datetime64[D]").tolist()


def drawn_problems(
    mechanism: Mechanism,
    found: NDArray[np.int64],
    own: NDArray[np.int64],
    often: NDArray[np.int64],
    made_again: Callable[[], Mechanism | None],
    of_rows: Callable[[NDArray[np.bool_], str], Refusal],
) -> Iterator[Refusal]:
    """Compare perturbed values with what their originals can become, and the mechanism with what the method makes.

    ``mechanism`` is what was published, in the codes of the original, as are ``found`` and ``own`` (n,): the published and the
    original code of every row, which stands for ``often`` (n,) records. ``made_again`` makes the mechanism anew, ``of_rows`` says
    what is wrong with some rows of the column.
    """
    if not np.array_equal(mechanism.counts, count_copies(own, often, mechanism.values)):
        what = "its distribution is not that of the original's values in the published rows"
        yield of_rows(np.zeros(0, np.bool_), what)
        return
    impossible = mechanism.numerators[found, own] == 0
    if impossible.any():
        yield of_rows(impossible, "is nothing that the original's value can become")
    elif not mechanism.plausible(found, own, often):
        what = (
            f"{int(often[found == own].sum())} of {count(int(often.sum()), 'published value')} are their originals, which the "
            "matrix PM does not make: they were not drawn by it"
        )
        yield of_rows(np.zeros(0, np.bool_), what)
    made = made_again()
    if made is None or not np.array_equal(made.numerators, mechanism.numerators):
        what = "is not the one that the policy's method makes for the published records"
        yield Refusal(what, about="the published matrix PM")


def mechanism_of(encoded: Encoded, policy: Policy, here: Microdata) -> Mechanism | None:
    """Make the mechanism for published records anew, which depends on nothing random; None where the policy names no method."""
    requirements = require_of(encoded.name_models(policy.privacy), here, encoded.data)
    problem = Problem(here, requirements, LOSSES["glm"], np.random.Generator(np.random.PCG64(0)))
    # No method is tried unasked for a form that perturbs.
    return None if policy.method is None else policy.method.run(problem).mechanism


def another(why: str) -> Refusal:
    """Refuse an original that a release was not made from.

    >>> str(another("it has 250 rows, not 300"))
    'the original is not the table that the release was made from: it has 250 rows, not 300'
    """
    return Refusal("is not the table that the release was made from", about="the original", why=why)


def other_columns(names: Sequence[str], audit: Audit) -> str | None:
    """Say which columns a table has that the original had not, and the other way round; None where it has the same.

    Of two tables, whose columns a policy names together, nothing is said.
    """
    policy = audit.content["policy"]
    if policy.get("records") is not None:
        return None
    known = policy["columns"]
    absent = [name for name in known if name not in set(names)]
    strange = [name for name in names if name not in known]
    told = []
    if absent:
        told.append(f"it lacks {_few(absent)} of {count(len(known), 'column')}")
    if strange:
        told.append(f"it has {_few(strange)} besides")
    return ", and ".join(told) or None


def _few(names: Sequence[str]) -> str:
    """Name the first few columns, and how many more there are."""
    shown = ", ".join(map(quoted, names[:_NAMED]))
    return shown if len(names) <= _NAMED else f"{shown} and {count(len(names) - _NAMED, 'other')}"


class Origin:
    """A release beside its original.

    The public part's tables were understood; the class map agrees with itself and with what was published; the original
    is encoded under the policy.
    """

    def __init__(self, public: PublicPart, class_map: ClassMap, encoded: Encoded, policy: Policy) -> None:
        self.public, self.class_map, self.encoded, self.policy = public, class_map, encoded, policy
        self._differing: dict[str, NDArray[np.bool_]] = {}

    def problems(self, audit: Audit) -> tuple[list[Refusal], list[Statement]]:
        """Say what is wrong, and what was checked and found right."""
        height, told = self.encoded.table.height, self.class_map.height
        if height != told:
            return [another(f"it has {count(height, 'row')}, not {told:,}")], []
        checks = []
        same = audit.content["original"]["sha256"] == content_digest(self.encoded)
        problems = list(self._same_counts(audit))
        if same and not problems:
            checks.append(
                Statement(f"is the table the release was made from{self._aside}", about="the original")
            )
        lost = list(self._dropped())
        if lost:
            return [*([] if same else [another("other rows are dropped")]), *problems, *lost], checks
        invented = self.class_map.invented
        what = (
            "no record was lost or invented"
            if invented is None
            else f"no record was lost, and nobody is {count(int(invented.sum()), 'published record')}"
        )
        checks.append(Statement(f"{what}: every row of the original is accounted for once"))
        wrong = [
            *self._regions(),
            *self._sensitive(),
            *self._others(),
            *self._individuals(),
            *self._strangers(),
            *self._column_notes(),
        ]
        if not wrong:
            checks.append(Statement(self._made_of_it, about="every published row"))
        if same:
            return problems + wrong, checks
        # Where most rows are others', which ones tells nobody anything.
        first, most = self._another()
        return [first, *([] if most else problems + wrong)], checks

    def _another(self) -> tuple[Refusal, bool]:
        """Say how many published rows disagree with another table, and in what; and whether most do."""
        size = self.publication.size
        if not self._differing:
            return another("its values are others, or the same in another order"), False
        wrong = int(np.logical_or.reduce([*self._differing.values()]).sum())
        often = {name: int(own.sum()) for name, own in self._differing.items()}
        ranked = sorted(often, key=lambda name: -often[name])
        listed = ", ".join(f"{quoted(name)} in {often[name]:,}" for name in ranked)
        which = f"{wrong:,} of {count(size, 'published row')} disagree with it: {listed}"
        return another(which), 2 * wrong > size

    @property
    def _aside(self) -> str:
        """Say of which columns and records nothing was made, and so not all is compared, if there are any."""
        columns, own = self.policy.columns, self.policy.individual
        named = [
            name
            for name, role in self.encoded.roles.items()
            if role == "drop" or (role == "identifier" and columns[name].action == "drop" and name != own)
        ]
        told = []
        if named:
            told.append(
                f"{', '.join(map(quoted, named))} {'is' if len(named) == 1 else 'are'} dropped, and not compared"
            )
        dropped = sum(self.encoded.dropped_records.values())
        if dropped:
            told.append(
                "1 record is dropped, and what it says is not compared"
                if dropped == 1
                else f"{count(dropped, 'record')} are dropped, and what they say is not compared"
            )
        return "".join(f"; {one}" for one in told)

    @property
    def _made_of_it(self) -> str:
        """Say what published rows are to the original, where nothing is wrong."""
        if self.publication.mechanism is not None:
            return (
                "is its original with a value that the matrix PM allows it, and PM is the one that the method makes for the "
                "published records; everything else is as it was"
            )
        if self.public.form is not None and not self.publication.covers:
            shown = [self.public.form.shows(own.note.kind, own.note.shape) for own in self.publication.cells]
            named = " and ".join(_AGGREGATES[own] for own in _AGGREGATES if own in shown)
            covering = ", and regions that cover its own values" if "region" in shown else ""
            return f"shows the {named} of its class in the original{covering}; everything else is as it was"
        return "is a correct generalization of its original: regions cover the original values, everything else is as it was"

    @cached_property
    def publication(self) -> Publication:
        """What was published; records that were dealt to people are with those whose they are."""
        shown = self.public.publication
        assert shown is not None  # noqa: S101  # said above
        return shown if shown.rows is None else shown.dealt(self.class_map.row_of_record)

    @property
    def rows(self) -> NDArray[np.int64]:
        """(published,) Row of the original of each published record."""
        return self.class_map.original_row

    @cached_property
    def records(self) -> NDArray[np.int64]:
        """(published,) Record of each published row."""
        return self.encoded.record_of[self.rows]

    def _same_counts(self, audit: Audit) -> Iterator[Refusal]:
        """Compare what the audit counted in the original."""
        content = audit.content
        for what, found in (("missing", self.encoded.missing), ("renamed", self.encoded.renamed)):
            if content[what] != found:
                yield Refusal(f"{content[what]}; the original gives {found}", ("private/audit.json", what))

    def _dropped(self) -> Iterator[Refusal]:
        """Compare which rows were dropped before anything was searched."""
        wrong = np.flatnonzero((self.class_map.status == DROPPED) != (self.encoded.record_of < 0))
        if wrong.size:
            what = "is said to be dropped and is not, or the other way round"
            yield _of_map(wrong, what)
        added, alone = self.class_map.added, self.encoded.without_records
        # Class maps from before there was such a column say nothing about it.
        strange = np.flatnonzero(False if added is None else added != (False if alone is None else alone))
        if strange.size:
            what = "is said to be a person without records and is a record, or the other way round"
            yield _of_map(strange, what)

    def _regions(self) -> Iterator[Refusal]:
        """Compare every published region with the original value."""
        data = self.encoded.data
        cells = {own.note.name: own for own in self.publication.cells}
        for domain, codes in zip(data.quasi, data.codes, strict=True):
            own = cells.get(domain.name)
            if own is None:
                yield of_column(domain.name, "is a quasi-identifier in the policy, not in certificate.json")
                continue
            if self.public.form is not None and self.public.form.shows(domain.kind, domain.shape) != "region":
                yield from self._aggregates(own, domain, codes[self.records])
                continue
            of = own.of[self.publication.identities]
            try:
                good = covered(own, of, domain, codes[self.records])
            except TableError as problem:
                yield from problem.refusals
                continue
            if not good.all():
                yield self._wrong(~good, domain.name, "does not cover the original's value")

    def _aggregates(self, cells: ShownColumn, domain: Domain, codes: NDArray[np.int32]) -> Iterator[Refusal]:
        """Compare every published mean or mode with that of the original values of its class; ``codes`` (n,) are these."""
        assert self.public.form is not None  # noqa: S101  # there are tables
        which = self.public.form.shows(domain.kind, domain.shape)
        classes = self.publication.identities
        count = int(classes.max(initial=-1)) + 1
        found = aggregated(replace(domain, shown=which), codes, classes, count)
        assert found is not None  # noqa: S101  # the form shows it
        labels = shown_labels(found)
        right = np.array(
            [cells.regions[int(cells.of[i])].text == labels[int(found.of[i])] for i in range(count)], np.bool_
        )
        if not right.all():
            yield self._wrong(
                ~right[classes], domain.name, f"is not the {which} of its class in the original"
            )

    def _sensitive(self) -> Iterator[Refusal]:
        """Compare every published sensitive value with the original one."""
        data, publication = self.encoded.data, self.publication
        first = next(iter(self.public.tables.values()))
        invented = self.class_map.invented
        somebody = np.ones(publication.size, np.bool_) if invented is None else ~invented
        shown = {domain.name: i for i, domain in enumerate(publication.sensitive)}
        for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True):
            if domain.name not in shown:
                yield of_column(domain.name, "is sensitive in the policy, not in certificate.json")
                continue
            i = shown[domain.name]
            to_original = exact_codes(publication.sensitive[i], domain)
            found = to_original[publication.sensitive_codes[i]]
            own = codes[self.records]
            if publication.mechanism is not None:
                if (to_original[publication.mechanism.active] < 0).any():
                    what = "its distribution has a value that the original does not have"
                    yield of_column(domain.name, what)
                    continue
                moved = publication.mechanism.moved(to_original, domain.codes)
                yield from self._drawn(moved, found, own)
                continue
            if domain.name in first.names:
                wrong = (found != own) & somebody
                if wrong.any():
                    yield self._wrong(wrong, domain.name, "is not the original's value")
                continue
            # In a table of its own, values belong to classes: each class must have those of its records.
            width = domain.codes + 1
            keys = publication.classes * width
            theirs, ours = keys + np.where(found < 0, domain.codes, found), (keys + own)[somebody]
            if somebody.all():
                # Classes have the same records on both sides, so that sorted they stand at the same places.
                theirs, ours = np.sort(theirs), np.sort(ours)
                lacking = ours[theirs != ours]
            else:
                # As many values as there are invented records are nobody's; all others are somebody's.
                lacking = _beyond(ours, theirs)
            others = np.unique(lacking // width)
            if others.size:
                self._differing[domain.name] = np.isin(publication.classes, others)
            for number in others[:3]:
                shown_as = publication.describe_class(int(number))
                yield of_column(
                    domain.name, f"the class {shown_as} does not have the sensitive values of its records"
                )

    def _drawn(
        self, mechanism: Mechanism, found: NDArray[np.int64], own: NDArray[np.int32]
    ) -> Iterator[Refusal]:
        """Compare perturbed values with what their originals can become, and the mechanism with what the method makes.

        ``mechanism`` is what was published, in the codes of the original, as are ``found`` and ``own`` (n,): the published and
        the original code of every record.
        """
        name = self.encoded.data.sensitive[0].name

        def made_again() -> Mechanism | None:
            """Make the mechanism for the published records."""
            return mechanism_of(self.encoded, self.policy, self.encoded.data.take(self.records))

        def of_rows(wrong: NDArray[np.bool_], what: str) -> Refusal:
            """Name the rows, where single ones are wrong."""
            return self._wrong(wrong, name, what) if wrong.size else of_column(name, what)

        often = np.ones(own.size, np.int64)
        yield from drawn_problems(mechanism, found, own.astype(np.int64), often, made_again, of_rows)

    def _others(self) -> Iterator[Refusal]:
        """Compare columns published as they are, and pseudonyms."""
        first = next(iter(self.public.tables.values()))
        for name, role in self.encoded.roles.items():
            published = self.encoded.published_name(name)
            pseudonym = role == "identifier" and self.policy.columns[name].action == "pseudonym"
            if role != "other" and not pseudonym:
                continue
            if published not in first.names:
                yield Refusal(f"is missing in {self.public.where(0)}", about=f"column {published!r}")
            elif pseudonym:
                yield from self._pseudonyms(name, published)
            else:
                original = self.encoded.table.as_it_is(name)
                same = same_cells(
                    original, self.rows, self._of_records(as_labelled(first.as_it_is(published)))
                )
                if not same.all():
                    yield self._wrong(~same, published, "is not as it is in the original")

    def _of_records(self, column: Labelled) -> Labelled:
        """Give every record the cell of its published row."""
        row = self.publication.rows
        return column if row is None else replace(column, codes=column.codes[row])

    def _pseudonyms(self, name: str, published: str) -> Iterator[Refusal]:
        """Make sure that pseudonyms and identifiers go one to one."""
        first = next(iter(self.public.tables.values()))
        shown = first.as_it_is(published)
        named = self.encoded.table.encode(name, kind="text").codes[self.rows]
        if not one_to_one(named, self._of_records(as_labelled(shown)).codes):
            what = "its numbers and the original's identifiers do not go one to one"
            yield of_column(published, what)

    def _individuals(self) -> Iterator[Refusal]:
        """Make sure that the numbers of individuals and the individuals of the original go one to one."""
        own, told = self.encoded.data.individuals, self.class_map.persons
        if (own is None) != (told is None):
            what = "it knows individuals and the policy does not, or the other way round"
            yield Refusal(what, (_CLASS_MAP,))
        if own is None or told is None:
            return
        numbers = {_CLASS_MAP: (own, told[self.encoded.data.rows])}
        if self.publication.persons is not None:
            numbers["the published column 'person'"] = (own[self.records], self.publication.persons)
        if self.publication.rows is not None:
            numbers[f"the rows of {next(iter(self.public.labels.values()))}"] = (
                own[self.records],
                self.publication.rows,
            )
        for what, (mine, shown) in numbers.items():
            if not one_to_one(mine, shown):
                yield Refusal("its numbers and the original's individuals do not go one to one", (what,))

    def _strangers(self) -> Iterator[Refusal]:
        """Say which columns nothing in the policy explains."""
        form, roles = self.public.form, self.encoded.roles
        assert form is not None  # noqa: S101  # there are tables
        known = {self.encoded.published_name(name) for name in roles if roles[name] != "drop"} | {
            "person",
            "bucket",
            *form.leading,
        }
        if form.numeric_pairs:
            known |= {f"{domain.name}_{end}" for domain in self.encoded.data.quasi for end in ("low", "high")}
        first = next(iter(self.public.tables.values()))
        for name in first.names:
            if name not in known:
                yield of_column(name, "neither the original nor the policy has it")

    def _column_notes(self) -> Iterator[Refusal]:
        """Compare what recipients are told about the columns and the guarantee."""
        form, certificate = self.public.form, self.public.certificate
        assert form is not None  # noqa: S101  # there are tables
        assert certificate is not None  # noqa: S101  # there are tables
        kept = np.zeros(self.encoded.data.size, np.bool_)
        kept[self.records] = True
        names = {name: table.names for name, table in self.public.tables.items()}
        told = {note.name: note.to_json() for note in certificate.columns.notes}
        for note in describe_columns(self.encoded, self.policy, form, kept, names).notes:
            if told.get(note.name) != note.to_json():
                yield Refusal(
                    f"what it says of column {note.name!r} is not what the policy and the original give",
                    ("certificate.json",),
                )

    def _wrong(self, wrong: NDArray[np.bool_], column: str, what: str) -> Refusal:
        """Name the rows that are wrong, in the release and in the original."""
        rows, shown = self.rows, self.publication.rows
        self._differing[column] = self._differing.get(column, np.zeros(wrong.size, np.bool_)) | wrong

        def name(record: int) -> str:
            place = self.public.where(record if shown is None else int(shown[record]))
            return f"{place} ({of_original(rows[[record]])})"

        where = listed(np.flatnonzero(wrong), name)
        return Refusal(what, (where,), about=f"column {column!r}")


def _beyond(those: NDArray[np.int64], within: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers that are there more often than in another array."""
    number, times = np.unique(those, return_counts=True)
    other, most = np.unique(within, return_counts=True)
    at = np.minimum(np.searchsorted(other, number), max(0, other.size - 1))
    return number[times > np.where(other[at] == number, most[at], 0)] if other.size else number


def of_column(name: str, what: str) -> Refusal:
    """Refuse what a published column says."""
    return Refusal(what, (f"column {name!r}",))


def _of_map(rows: NDArray[np.int64], what: str) -> Refusal:
    """Refuse what the class map says of some rows."""
    return Refusal(what, (_CLASS_MAP,), about=of_original(rows))
