"""What a recipient is told about every published column: enough to understand the tables, nothing about anybody."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from likeness.errors import HierarchyError, TableError
from likeness.hierarchies import categories_from_rows, from_rows
from likeness.microdata.domain import IN_ORDER, NUMERIC, Domain
from likeness.microdata.node_sets import NodeSets
from likeness.microdata.regions import tellable_codes
from likeness.published.text import EVERYTHING, MISSING, read_set, read_value, write_set, write_value
from likeness.tables import misspelled, must_read, read_texts
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.hierarchies import Categories, Hierarchy
    from likeness.microdata.domain import Kind, Shown


_SHAPES = {
    "integer": {"interval"},
    "real": {"interval"},
    "date": {"interval"},
    "ordered": {"interval"},
    "hierarchical": {"tree", "set"},
    "categorical": {"set"},
}
"""How the values of each kind can be generalized."""


@dataclass(frozen=True)
class ColumnNote:
    """What a certificate says about one column.

    ``role``: ``quasi``, ``sensitive``, ``other`` (published as it is), ``pseudonym`` (a random number in place of an
    identifier) or ``added`` (the form's own).
    ``kind``, ``shape``: as in `Domain`. ``low``, ``high``: ends of a declared numeric domain.
    ``bottom``, ``top``: smaller and larger values are published as these; dates as texts.
    ``order``: the values of an ordered column, in order.
    ``values``: what ``*`` stands for in a column published as plain sets, where it may occur (None: missing): the declared
    values, or those that are published; never one that only withheld people have.
    ``hierarchy``: rows (leaf first, root last) of a declared one; of one made from the data only the published values.
    ``distance``: ground distance of a sensitive column.
    ``categories``: ordered categories of a sensitive column's values, least severe first, where the policy declares them: of
    each its label, then its values.
    ``sets``: whether the values of a sensitive column are sets of nodes of its hierarchy: of what people with several have.
    ``sensitive_values``: the values of a sensitive column that are protected, where not all are; nothing is promised of others.
    Of those, the ones that are declared or published, sorted as texts.
    ``survey_weight``: whether the column says how many people of the population a record stands for.
    """

    name: str
    role: str
    kind: str = "categorical"
    shape: str = "set"
    low: float | None = None
    high: float | None = None
    bottom: float | str | None = None
    top: float | str | None = None
    round: float | None = None
    order: tuple[str, ...] | None = None
    values: tuple[str | None, ...] | None = None
    hierarchy: tuple[tuple[str, ...], ...] | None = None
    distance: str = "equal"
    survey_weight: bool = False
    categories: tuple[tuple[str, ...], ...] | None = None
    sets: bool = False
    sensitive_values: tuple[str, ...] | None = None

    @cached_property
    def tree(self) -> Hierarchy | None:
        """The hierarchy that the certificate gives for the column, if it does."""
        if self.hierarchy is None:
            return None
        return from_rows(self.hierarchy, self.name, where=_row_of_the_certificate)

    @cached_property
    def categorized(self) -> Categories | None:
        """The categories that the certificate gives for the column, if it does."""
        if self.categories is None:
            return None
        return categories_from_rows(self.categories, self.name, where=_category_of_the_certificate)

    @property
    def numeric(self) -> bool:
        """Whether its exact values are numbers or days, and no nodes or declared words."""
        return self.kind in NUMERIC and self.hierarchy is None and self.order is None

    @cached_property
    def rank(self) -> dict[str, int]:
        """Position of each of the values of an ordered column."""
        return {label: i for i, label in enumerate(self.order or ())}

    @property
    def described(self) -> bool:
        """Whether the guarantee is about the column, so that more is said of it than its role."""
        return self.role in {"quasi", "sensitive"}

    def contradiction(self) -> str:
        """Say what in the note contradicts the rest of it; empty where nothing does."""
        if not self.described:
            return (
                ""
                if self.survey_weight <= (self.role == "other")
                else "only other columns are survey weights"
            )
        if self.shape not in _SHAPES[self.kind]:
            return f"the kind {self.kind} has no shape {self.shape}"
        if self.survey_weight:
            return "only other columns are survey weights"
        if self.round is not None and not self._may_be_rounded():
            return "values are rounded to a number above 0, whole for whole numbers, and only numbers are"
        return self._wrong_ends() or self._wrong_values()

    def _may_be_rounded(self) -> bool:
        """Whether its values can be rounded to what it says."""
        step = self.round
        if type(step) not in {int, float} or step is None or not step > 0:
            return False
        return self.kind in {"real", "hierarchical"} or (self.kind == "integer" and float(step).is_integer())

    def _wrong_ends(self) -> str:
        """Say what is wrong with the ends of its domain, or of bottom and top coding."""
        ends = {"low": self.low, "high": self.high, "bottom": self.bottom, "top": self.top}
        given = {key: end for key, end in ends.items() if end is not None}
        if given and self.kind not in NUMERIC | {"hierarchical"}:
            return f"{next(iter(given))} needs numbers or dates"
        for key in given.keys() & {"bottom", "top"}:
            if not _is_value(given[key], self.kind):
                return f"{key} is no value of the kind {self.kind}"
        for lower, upper in (("low", "high"), ("bottom", "top")):
            low, high = ends[lower], ends[upper]
            if low is not None and high is not None and (type(low) is str) != (type(high) is str):
                return f"{lower} and {upper} are of two kinds"
            if low is not None and high is not None and low > high:  # type: ignore[operator]
                return f"{lower} is above {upper}"
        domain = [type(end) for end in (self.low, self.high) if end is not None]
        if domain and (domain != [float, float] or self.kind not in NUMERIC):
            return "a declared domain has both ends, of numbers or dates"
        return ""

    def _wrong_values(self) -> str:
        """Say what is wrong with its listed values, its hierarchy or its distance."""
        if (self.order is not None) != (self.kind == "ordered"):
            return "an ordered column, and no other, has an order"
        if self.values is not None and (self.shape != "set" or self.role != "quasi"):
            return "only quasi-identifiers published as plain sets list what * stands for"
        listed = [value for value in self.values or () if value is not None]
        if self.kind == "categorical" and listed != sorted(listed):
            return "its values are not in their order"
        if self.sets and (self.role != "sensitive" or self.hierarchy is None or self.categories is not None):
            return "sets are of nodes of the hierarchy of a sensitive column, without categories"
        if self.hierarchy is not None and self.shape != "tree" and not self.sets:
            return f"the shape {self.shape} has no hierarchy"
        if any(
            len(set(given)) < len(given)
            for given in (self.order or (), self.values or (), self.sensitive_values or ())
        ):
            return "a value stands there twice"
        if self.distance == "ordered" and self.kind not in IN_ORDER and self.categories is None:
            return f"the kind {self.kind} has no distance {self.distance}"
        if self.distance == "hierarchical" and self.tree is None:
            return f"without a hierarchy there is no distance {self.distance}"
        if self.categorized is not None and self.role != "sensitive":
            return "only sensitive columns have categories"
        if self.sensitive_values is not None and (self.role != "sensitive" or self.sets):
            return "only sensitive columns with a value a record have values that are protected, and others"
        if list(self.sensitive_values or ()) != sorted(self.sensitive_values or ()):
            return "the values that are protected are not in their order"
        # Made from their rows, categories and a hierarchy that are none are refused.
        return (
            ""
            if self.tree is None or self.kind == "hierarchical" or self.sets
            else "only hierarchical columns have a hierarchy"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what can be made again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_json(self) -> dict[str, Any]:
        """Write only what is not a default."""
        plain: dict[str, Any] = {"name": self.name, "role": self.role}
        if self.described:
            plain |= {"kind": self.kind, "shape": self.shape}
        for key in ("low", "high", "bottom", "top", "round"):
            if getattr(self, key) is not None:
                plain[key] = getattr(self, key)
        for key in ("order", "values"):
            if getattr(self, key) is not None:
                plain[key] = list(getattr(self, key))
        if self.hierarchy is not None:
            plain["hierarchy"] = [list(row) for row in self.hierarchy]
        if self.role == "sensitive":
            plain["distance"] = self.distance
        if self.categories is not None:
            plain["categories"] = [list(row) for row in self.categories]
        if self.sets:
            plain["sets"] = True
        if self.sensitive_values is not None:
            plain["sensitive_values"] = list(self.sensitive_values)
        if self.survey_weight:
            plain["survey_weight"] = True
        return plain

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> ColumnNote:
        """Read what `to_json` wrote."""
        fields = dict(plain)
        for key in ("order", "values", "sensitive_values"):
            if fields.get(key) is not None:
                fields[key] = tuple(fields[key])
        for key in ("hierarchy", "categories"):
            if fields.get(key) is not None:
                fields[key] = tuple(tuple(row) for row in fields[key])
        return ColumnNote(**fields)


def _is_value(end: float | str, kind: str) -> bool:
    """Whether an end of bottom or top coding is a value of a kind, written as likeness writes it."""
    if kind == "hierarchical":
        # The nodes tell nothing of the kind of the values below them.
        return any(_is_value(end, below) for below in ("integer", "real", "date"))
    if kind == "integer":
        return type(end) is int and -(1 << 63) <= end < 1 << 63
    if kind == "real":
        return type(end) is float
    return isinstance(end, str) and misspelled("date", end) is None


def _row_of_the_certificate(number: int) -> str:
    """Where a row of a hierarchy stands."""
    return f"row {number + 1} of the certificate's hierarchy"


def _category_of_the_certificate(number: int) -> str:
    """Where a category stands."""
    return f"category {number + 1} of the certificate"


@dataclass(frozen=True)
class PublishedColumns:
    """Notes on all published columns, in the order of the table."""

    notes: tuple[ColumnNote, ...]

    def with_role(self, role: str) -> tuple[ColumnNote, ...]:
        """Notes of one role."""
        return tuple(note for note in self.notes if note.role == role)

    @property
    def survey_weight(self) -> str | None:
        """The column of survey weights, where it is published."""
        return next((note.name for note in self.notes if note.survey_weight), None)


class Coded(NamedTuple):
    """Ends of bottom and top coding, and what values are rounded to multiples of; None for what is not done."""

    bottom: Any = None
    top: Any = None
    round: float | None = None


def note_on(
    domain: Domain,
    role: str,
    published: NDArray[np.integer],
    *,
    regions: bool = False,
    shown: Shown = "region",
    coded: Coded | None = None,
) -> ColumnNote:
    """Write the note on one attribute: what was declared of it, and what its published values tell anyway.

    ``published``: codes of the published records. ``coded``: how values were coded before anything else, as a policy says it.
    ``regions``: whether regions are published, and not the values themselves. ``*`` may then stand in a column of sets, and
    the note tells what it stands for, where the published records have all of that; what a hierarchy made from the data has
    as leaves is not told. ``shown``: what classes show; where it is their means or modes, no ``*`` stands for values.
    """
    coded = coded or Coded()
    told = tellable_codes(domain, published)
    tree = domain.hierarchy if domain.shape == "tree" else None
    if domain.sets is not None:
        # Declared in a file: what anybody of a set may have is told whole.
        tree, told = domain.sets.tree, np.ones(domain.sets.tree.size, np.bool_)
    rows: tuple[tuple[str, ...], ...] | None = None
    if tree is not None and not (regions and tree.data_derived):
        rows = tuple(tuple(row) for row, is_told in zip(tree.to_rows(), told, strict=False) if is_told)
    told = tellable_codes(domain, published)
    numeric = domain.kind in NUMERIC and domain.declared
    values = [label for label, is_told in zip(domain.labels, told, strict=False) if is_told]
    everybody = np.bincount(published, minlength=domain.codes)[told].all()
    known = bool(everybody)
    if domain.lattice is not None and domain.lattice.group is not None:
        # Of groups of values everything may be shown where not every value is somebody's.
        group = domain.lattice.group
        known = bool(np.isin(group[told], group[published]).all())
    named = regions and shown == "region" and domain.shape == "set" and known
    return ColumnNote(
        domain.name,
        role,
        domain.kind,
        domain.shape,
        domain.low if numeric else None,
        domain.high if numeric else None,
        _coded_end(coded.bottom, domain.kind),
        _coded_end(coded.top, domain.kind),
        coded.round,
        tuple(domain.labels) if domain.kind == "ordered" else None,
        (*values, *((None,) if domain.missing and told[-1] else ())) if named else None,
        rows,
        domain.distance,
        categories=None
        if domain.categories is None
        else tuple(tuple(row) for row in domain.categories.to_rows()),
        sets=domain.sets is not None,
        sensitive_values=None
        if domain.protected is None
        else tuple(sorted(domain.labels[code] for code in np.flatnonzero(domain.protected & told).tolist())),
    )


def _coded_end(end: Any, kind: str) -> float | str | None:
    """Write an end of bottom or top coding as a value of the column's kind."""
    if end is None or kind == "date" or isinstance(end, date):
        return None if end is None else str(np.datetime64(end, "D"))
    if kind == "hierarchical":
        return end if isinstance(end, int) else float(end)
    return int(end) if kind == "integer" else float(end)


def read_domain(note: ColumnNote, values: Sequence[str | None]) -> tuple[Domain, NDArray[np.int32]]:
    """Make the domain of a column that was published exactly, and the (len(values),) codes of its distinct texts.

    None among ``values`` is the missing value. Raises `TableError` where a text is not of the column's kind, or not one of
    its hierarchy, its declared order or its categories.
    """
    domain, codes = _read_domain(note, values)
    if note.sensitive_values is not None:
        domain = replace(domain, protected=_protected(note, domain))
    if note.categorized is None:
        return domain, codes
    without = [domain.label_of(code) for code in range(domain.codes) if not _categorized(note, domain, code)]
    if without:
        raise TableError(f"column {note.name!r}: {quoted(without[0])} is in none of its categories")
    return replace(domain, categories=note.categorized), codes


def _protected(note: ColumnNote, domain: Domain) -> NDArray[np.bool_]:
    """(codes,) Which values a note says are protected; each is one that the release tells of."""
    listed = note.sensitive_values or ()
    unknown = [value for value in listed if value not in domain.code_of]
    if unknown:
        raise TableError(
            f"column {note.name!r}: {quoted(unknown[0])} is said to be protected, and is no value there"
        )
    return np.isin(np.arange(domain.codes), [domain.code_of[value] for value in listed])


def _categorized(note: ColumnNote, domain: Domain, code: int) -> bool:
    """Whether a value has one of the column's categories; the missing one never has."""
    known = note.categorized
    return known is None or (code < domain.size and domain.labels[code] in known.rank)


def _read_domain(note: ColumnNote, values: Sequence[str | None]) -> tuple[Domain, NDArray[np.int32]]:
    """Make the domain as `read_domain` does, without its categories."""
    present = [value for value in values if value is not None]
    missing = len(present) < len(values)
    tree = note.tree
    if note.sets and tree is not None:
        distinct = sorted(set(present))
        nodes = tuple(read_node_set(text, note) for text in distinct)
        sets = NodeSets(tree, nodes)
        domain = Domain(
            note.name, "categorical", np.array(distinct, object), "set", missing=missing, sets=sets
        )
        rank = {label: i for i, label in enumerate(distinct)}
    elif tree is not None:
        domain = Domain(
            note.name,
            "hierarchical",
            np.array(tree.leaves, object),
            "tree",
            tree,
            missing,
            distance=note.distance,
        )
        rank = dict(tree.rank_of)
    elif note.order is not None:
        domain = Domain(
            note.name, "ordered", np.array(note.order, object), "interval", missing=missing, low=0.0,
            high=float(len(note.order) - 1), distance=note.distance,
        )  # fmt: skip
        rank = dict(note.rank)
    elif note.numeric:
        return _numeric_domain(note, values, missing)
    else:
        distinct = sorted(set(present))
        domain = Domain(
            note.name,
            "categorical",
            np.array(distinct, object),
            "set",
            missing=missing,
            distance=note.distance,
        )
        rank = {label: i for i, label in enumerate(distinct)}
    unknown = [value for value in present if value not in rank]
    if unknown:
        raise TableError(f"column {note.name!r}: {quoted(unknown[0])} is not one of its declared values")
    codes = [domain.missing_code if value is None else rank[value] for value in values]
    return domain, np.array(codes, np.int32)


def exact_labels(labels: Sequence[str], note: ColumnNote) -> list[str | None]:
    r"""Read the labels of exact values, as `publish_values` writes them; None for the missing value.

    Raises `TableError` at a label that is not written as its value is: ``\flu`` for ``flu``.
    """
    if note.numeric or note.sets:
        return [None if label == MISSING else label for label in labels]
    values = [None if label == MISSING else read_value(label) for label in labels]
    for label, value in zip(labels, values, strict=True):
        wrong = None if value is None else must_read(label, write_value(value))
        if wrong is not None:
            raise TableError(f"column {note.name!r}: {wrong}")
    return values


def write_node_set(tree: Hierarchy, nodes: Sequence[int]) -> str:
    r"""Write a set of nodes of a hierarchy: ``*`` for the root, the label of a single one, ``{High|Flu}`` for several.

    >>> tree = from_rows([("Flu", "Low", "*"), ("Cough", "Low", "*"), ("Fever", "High", "*")], "symptom", where=str)
    >>> [write_node_set(tree, nodes) for nodes in ((0,), (1,), (2, 4))]
    ['*', 'Low', '{Flu|High}']
    """
    labels = sorted(tree.labels[node] for node in nodes)
    if len(labels) > 1:
        return write_set(labels)
    return EVERYTHING if nodes[0] == 0 else write_value(labels[0])


def read_node_set(text: str, note: ColumnNote) -> tuple[int, ...]:
    """Read what `write_node_set` wrote: nodes, ascending.

    Raises `TableError` where a label is no node, one is below another, or the text is not the one that is written of them.
    """
    tree = note.tree
    assert tree is not None  # noqa: S101  # the note contradicts itself otherwise
    members = [tree.labels[0]] if text == EVERYTHING else read_set(text) or [read_value(text)]
    where = f"column {note.name!r}: "
    try:
        nodes = sorted(tree.node_of(str(label)) for label in members)
    except HierarchyError as problem:
        raise TableError(f"{where}{problem}") from None
    for before, node in pairwise(nodes):
        if tree.left[node] <= tree.right[before]:
            raise TableError(
                f"{where}of {quoted(text)}, {quoted(tree.labels[node])} is below {quoted(tree.labels[before])}"
            )
    wrong = must_read(text, write_node_set(tree, nodes))
    if wrong is not None:
        raise TableError(f"{where}{wrong}")
    return tuple(nodes)


def refused_value(note: ColumnNote, label: str) -> str | None:
    """Say why a text is no value of a column that is published exactly, as `read_domain` does; None where it is one."""
    if note.sets:
        try:
            read_node_set(label, note)
        except TableError as problem:
            return problem.problems[0]
        return None
    if note.numeric:
        wrong = misspelled(note.kind, label)
    else:
        value = read_value(label)
        wrong = must_read(label, write_value(value))
        known = None if note.tree is None else note.tree.rank_of
        if wrong is None and value not in (known or (note.rank if note.order is not None else {value})):
            wrong = f"{quoted(value)} is not one of its declared values"
    if wrong is None and note.categorized is not None:
        named = label if note.numeric else read_value(label)
        wrong = None if named in note.categorized.rank else f"{quoted(named)} is in none of its categories"
    return None if wrong is None else f"column {note.name!r}: {wrong}"


def parse_numbers(kind: str, texts: Sequence[str], column: str) -> NDArray[Any]:
    """Parse the texts of numbers or dates.

    Raises `TableError` where one is not of that kind, or not written as its value is everywhere.
    """
    try:
        return read_texts(kind, texts)
    except ValueError as problem:
        raise TableError(f"column {column!r}: {problem}") from None


def check_width(column: str, low: float, high: float) -> None:
    """Refuse (`TableError`) ends whose distance is no number of 64 bits, as `likeness.encode` does."""
    if not abs(high - low) < np.inf:
        raise TableError(f"column {column!r}: its values lie further apart than a number of 64 bits can say")


def _numeric_domain(
    note: ColumnNote, values: Sequence[str | None], missing: bool
) -> tuple[Domain, NDArray[np.int32]]:
    """Domain of numbers or dates that were published exactly."""
    numbers = parse_numbers(note.kind, [value for value in values if value is not None], note.name)
    distinct, inverse = np.unique(numbers, return_inverse=True)
    kind = cast("Kind", note.kind)
    ends = Domain(note.name, kind, distinct, "interval").numbers
    low = note.low if note.low is not None else float(ends.min(initial=np.inf)) if ends.size else 0.0
    high = note.high if note.high is not None else float(ends.max(initial=-np.inf)) if ends.size else 0.0
    check_width(note.name, low, high)
    domain = Domain(
        note.name, kind, distinct, "interval", missing=missing, low=low, high=high, distance=note.distance
    )
    codes = np.full(len(values), domain.missing_code, np.int32)
    codes[[i for i, value in enumerate(values) if value is not None]] = inverse
    return domain, codes
