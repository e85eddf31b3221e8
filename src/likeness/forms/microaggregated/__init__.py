"""Microaggregated tables: every class shows the means of its numbers and its most frequent categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np

from likeness.errors import TableError
from likeness.forms.base import Columns, Form, Publication, Published, beside_own_values
from likeness.forms.generalized import GeneralizedPublication
from likeness.microdata.domain import NUMERIC, Domain
from likeness.microdata.grouping import group_codes
from likeness.microdata.means import Means
from likeness.microdata.regions import AttributeRegions
from likeness.microdata.representatives import apart
from likeness.published.regions import mean_values, read_mean, read_mode, read_regions, shown_labels
from likeness.published.text import read_value
from likeness.queries.axes import MeanAxis, RegionAxis
from likeness.queries.overlap import as_text, place_on
from likeness.tables import EncodedColumn, Labelled, read_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.forms.base import People
    from likeness.hierarchies import Hierarchy
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Kind, Shown
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import ColumnNote, PublishedColumns
    from likeness.published.regions import Region
    from likeness.queries.overlap import Overlap


@dataclass(frozen=True)
class MicroaggregatedForm(Form):
    """One table in which every equivalence class shows the means of its numbers and dates, and the modes of its categories.

    Classes that show the same are one class: nobody can tell them apart, and the guarantee is decided on them as one.

    Notes
    -----
    The mean is that of the published records of the class, each counting once, also where survey weights are published. It is
    computed exactly and rounded once, to the nearest number of 64 bits (half to even), and of dates to the nearest day: a mean
    is a rational number, and this is the form in which every program reads it back as the same number, so that equal means are
    equal texts and sums over classes are kept to one part in 2⁵³. So means of whole numbers have decimals. The mode is the value
    that most records have, of equally frequent ones the first of the domain's order; ordered values and leaves of hierarchies
    are categories, also where they are numbers.

    A missing value among categories is a category, the last one. Where all numbers of a class are missing, so is the mean; where
    only some are, ``*`` stands in its place, and such a column is one of texts. Level limits say who may share a class.

    Nothing that is shown need cover the people it was made from. Of somebody known by quasi-identifiers, the classes are
    candidates that lie nearest: numbers, dates and ordered values are apart by their difference over the width of the declared
    domain, without one over that of what was published; leaves by the edges between them over twice the height of the hierarchy
    (the missing value is one more below the root); other categories by 0 or 1; the missing value by 1 from all others, ``*`` by
    1/2 from all. The Euclidean distance of the first and the sum of the others add up.

    An estimate counts every record as what it shows; of whole numbers the mean counts as the whole number nearest to it (of two
    the larger one) where a condition asks, and as it is in sums.

    References
    ----------
    Domingo-Ferrer & Mateo-Sanz 2002, "Practical data-oriented microaggregation for statistical disclosure control"; Amiri et al.
    2016, sections 5.1 and 5.3.

    Examples
    --------
    >>> MicroaggregatedForm().shows("integer", "interval"), MicroaggregatedForm().shows("ordered", "interval")
    ('mean', 'mode')
    """

    name: ClassVar[str] = "microaggregated"
    of_classes: ClassVar[bool] = True
    takes_individuals: ClassVar[bool] = False
    remark: ClassVar[str] = (
        "numbers and dates are published as the means of their classes, categories as the most frequent ones there: no record "
        "need have the values it is published with; sensitive values are published exactly, one per record"
    )

    further_remarks: ClassVar[tuple[str, ...]] = (
        "means are exact but for rounding: whoever knows the numbers of all others of a class learns those of the last",
    )

    def shows(self, kind: str, shape: str) -> Shown:
        """Numbers and dates as means, everything else as modes."""
        return "mean" if kind in NUMERIC and shape == "interval" else "mode"

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:
        """Publish every kept record with what its class shows and its own sensitive values, in random order."""
        rows = rng.permutation(np.flatnonzero(plan.published))
        classes = plan.classes[rows]
        table: dict[str, Any] = {
            shown.domain.name: _publish_shown(shown, shown.of[classes].astype(np.int32))
            for shown in recoding.shown
        }
        return beside_own_values(table, rows, data, plan)

    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand a published table.

        Raises
        ------
        TableError
            When a text is no mean or mode of its column.
        """
        return MicroaggregatedPublication(tables["release"], columns, self.shows)


def _publish_shown(shown: AttributeRegions | Means, codes: NDArray[np.int32]) -> Labelled | EncodedColumn:
    """Publish what classes show of one attribute: means as numbers or days, as long as each is one or missing."""
    if not isinstance(shown, Means) or shown.everything.any():
        return Labelled(codes, shown_labels(shown))
    values = mean_values(shown)
    kind = "date" if shown.domain.kind == "date" else "real"
    return EncodedColumn(
        shown.domain.name, kind, np.where(codes < values.size, codes, -1).astype(np.int32), values
    )


class MicroaggregatedPublication(GeneralizedPublication):
    """A table of means, modes and, as ``shows`` says of kind and shape, regions, read back."""

    form: ClassVar[str] = "microaggregated"
    covers: ClassVar[bool] = False

    def __init__(self, table: Columns, columns: PublishedColumns, shows: Callable[[str, str], Shown]) -> None:
        self._shows = shows
        super().__init__(table, columns)

    def _read(self, texts: Sequence[str], note: ColumnNote) -> list[Region]:
        """Read the cells of one quasi-identifier."""
        shown = self._shows(note.kind, note.shape)
        if shown == "region":
            return read_regions(texts, note)
        read = read_mean if shown == "mean" else read_mode
        return [read(text, note) for text in texts]

    def _axis(self, overlap: Overlap, of: NDArray[np.int64]) -> RegionAxis | MeanAxis:
        """Make ready for conditions what classes show of one quasi-identifier."""
        averaged = self._shows(overlap.note.kind, overlap.note.shape) == "mean"
        return MeanAxis(overlap, of) if averaged else RegionAxis(overlap, of)

    def candidates(self, target: Mapping[str, Any]) -> NDArray[np.int64]:
        """Classes nearest to what is known of a target; all of them where that is nothing."""
        one = np.zeros(1, np.int32)
        known = {
            name: (one, [None if value is None else as_text(value)], None)
            for name, value in target.items()
            if name in self.names
        }
        return self._find(known, strict=True)[1]

    def nearest(self, people: People) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the classes nearest to each of many people."""
        return self._find(people, strict=False)

    def _find(self, people: People, *, strict: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the nearest classes; where a value has no place in its column, refuse it if that is ``strict``."""
        size = max((codes.size for codes, _, _ in people.values()), default=1)
        axial, other = _Axial([], [], []), _Categorical([], [], [])
        for name, (own, labels, tree) in people.items():
            axis = self.axes[self.names.index(name)]
            used, of = np.unique(own, return_inverse=True)
            texts = [labels[code] for code in used.tolist()]
            if self._is_axial(axis):
                places = _places(axis.overlap.note, texts, strict=strict)
                axial.people.append(_over_width(axis.overlap, places)[of.reshape(-1)])
                axial.classes.append(_over_width(axis.overlap, _shown_places(axis.overlap))[axis.of])
                axial.everything.append(_everything(axis.overlap)[axis.of])
            else:
                other.people.append(of.reshape(-1).astype(np.int32))
                other.classes.append(axis.of)
                other.tables.append(self._table(axis, texts, tree, strict=strict))
        return _nearest(size, self.class_count, axial, other)

    def _is_axial(self, axis: RegionAxis | MeanAxis) -> bool:
        """Whether a column is one of numbers, days or places in an order: means, and modes of ordered values."""
        note = axis.overlap.note
        return note.shape == "interval" and self._shows(note.kind, note.shape) != "region"

    def _table(
        self,
        axis: RegionAxis | MeanAxis,
        texts: Sequence[str | None],
        tree: Hierarchy | None,
        *,
        strict: bool,
    ) -> NDArray[np.float64]:
        """(V, R) How far values lie from what is shown of a column of categories; infinitely far from regions without them."""
        note, overlap = axis.overlap.note, axis.overlap
        if self._shows(note.kind, note.shape) == "region":
            holds = np.array([_holding(overlap, text, strict=strict) for text in texts], np.bool_)
            return np.where(holds.reshape(len(texts), len(overlap.regions)), 0.0, np.inf)
        modes = [None if None in region.values else read_value(region.text) for region in overlap.regions]
        tree = (note.tree or tree) if note.shape == "tree" else None
        return _plainly_apart(texts, modes) if tree is None else _edges_apart(tree, texts, modes)


class _Axial(NamedTuple):
    """Where people, and what classes show, lie on the axes of columns that have one, over their width."""

    people: list[NDArray[np.float64]]
    classes: list[NDArray[np.float64]]
    everything: list[NDArray[np.bool_]]


class _Categorical(NamedTuple):
    """What people have in the other columns, what classes show there, and how far these are apart."""

    people: list[NDArray[np.int32]]
    classes: list[NDArray[np.int64]]
    tables: list[NDArray[np.float64]]


def _nearest(
    people: int, classes: int, axial: _Axial, other: _Categorical
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lay people and classes out as the kernel takes them, and its answers in the order of the people."""
    from likeness.forms.microaggregated.kernels import find_nearest

    shown = np.array(axial.classes, np.float64).reshape(len(axial.classes), classes)
    everything = np.array(axial.everything, np.bool_).reshape(shown.shape)
    places = np.array(axial.people, np.float64).reshape(shown.shape[0], people)
    # The axis along which most lie far apart, first.
    spread = [np.var(own[~np.isnan(own)]) if np.isfinite(own).any() else 0.0 for own in shown]
    turns = np.argsort(-np.array(spread), kind="stable")
    places, shown, everything = places[turns], shown[turns], everything[turns]
    blocks = group_codes(
        [*other.people, np.zeros(people, np.int64)], [*(len(own) for own in other.tables), 1]
    )
    groups = group_codes(
        [*other.classes, np.zeros(classes, np.int64)], [*(own.shape[1] for own in other.tables), 1]
    )
    first = np.where(everything[0], np.nan, shown[0]) if shown.shape[0] else np.zeros(classes)
    whose, which = np.argsort(blocks.of, kind="stable"), np.lexsort((first, groups.of))
    starts = np.append(0, np.cumsum(groups.sizes))
    counts, found = find_nearest(
        np.ascontiguousarray(places[:, whose]),
        np.ascontiguousarray(shown[:, which]),
        np.ascontiguousarray(everything[:, which]),
        np.array([own[blocks.first] for own in other.people], np.int32).reshape(
            len(other.people), blocks.count
        ),
        np.append(0, np.cumsum(blocks.sizes)),
        np.array([own[groups.first] for own in other.classes], np.int64).reshape(
            len(other.classes), groups.count
        ),
        np.array([table.shape[1] for table in other.tables], np.int64),
        np.cumsum([0, *(table.size for table in other.tables)]).astype(np.int64),
        np.concatenate([np.zeros(0), *(table.reshape(-1) for table in other.tables)]),
        starts,
        starts[:-1] + np.bincount(groups.of[~np.isnan(first)], minlength=groups.count),
        which.astype(np.int64),
    )
    begins = np.append(0, np.cumsum(counts))
    start = np.zeros(people + 1, np.int64)
    start[1:][whose] = counts
    start = np.cumsum(start)
    back = np.empty(people, np.int64)
    back[whose] = np.arange(people)
    within = np.arange(found.size) - np.repeat(start[:-1], np.diff(start))
    return start, found[np.repeat(begins[:-1][back], np.diff(start)) + within]


def _over_width(overlap: Overlap, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place numbers in the declared domain, or in what was published; all at 0 where that is a single number or none."""
    width = overlap.high - overlap.low
    placed = (places - overlap.low) / width if width > 0 else places * 0.0
    return np.where(np.isinf(places), places, placed)


def _holding(overlap: Overlap, text: str | None, *, strict: bool) -> NDArray[np.bool_]:
    """(R,) Which regions hold a value; ``*`` alone where it has no place in its column, unless that is refused (``strict``)."""
    try:
        return overlap.contains(text)
    except TableError:
        if strict:
            raise
        return _everything(overlap)


def _shown_places(overlap: Overlap) -> NDArray[np.float64]:
    """(R,) Place of every mean, or mode of ordered values; NaN for the missing value and ``*``."""
    return np.array(
        [region.low if region.what == "interval" else np.nan for region in overlap.regions], np.float64
    )


def _everything(overlap: Overlap) -> NDArray[np.bool_]:
    """(R,) Whether ``*`` is shown."""
    return np.array([region.what == "everything" for region in overlap.regions], np.bool_)


def _plainly_apart(texts: Sequence[str | None], modes: Sequence[str | None]) -> NDArray[np.float64]:
    """(V, R) 0 where values are equal, else 1."""
    return np.array([[float(text != mode) for mode in modes] for text in texts]).reshape(
        len(texts), len(modes)
    )


def _edges_apart(
    tree: Hierarchy, texts: Sequence[str | None], modes: Sequence[str | None]
) -> NDArray[np.float64]:
    """(V, R) Edges between leaves over twice the height of their hierarchy; 1 from what is no leaf."""
    domain = Domain("", "hierarchical", np.array(tree.leaves, object), "tree", tree, missing=True)
    rank: dict[str | None, int] = {None: domain.missing_code}
    rank.update(tree.rank_of.items())
    codes, own = (np.array([rank.get(text, -1) for text in several], np.int64) for several in (texts, modes))
    low = np.maximum(own, 0).astype(np.int32)
    node = np.where(low == domain.missing_code, -1, np.append(tree.leaf_node, 0)[low]).astype(np.int32)
    found = apart(AttributeRegions(domain, np.arange(low.size), low, low, node), np.maximum(codes, 0))
    return np.where((codes < 0)[:, None] | (own < 0)[None, :], 1.0, found)


def _places(note: ColumnNote, texts: Sequence[str | None], *, strict: bool) -> NDArray[np.float64]:
    """(V,) Place of each value on the axis of a column; NaN for the missing one, infinite for what has no place there."""
    present = [text for text in texts if text is not None]
    found = np.full(len(texts), np.nan)
    found[[i for i, text in enumerate(texts) if text is not None]] = _placed(note, present, strict=strict)
    return found


def _placed(note: ColumnNote, texts: Sequence[str], *, strict: bool) -> NDArray[np.float64]:
    """(V,) Place of each value that is not missing."""
    if note.numeric:
        try:
            # Many values of a column's own kind, read at once.
            return Domain(
                note.name, cast("Kind", note.kind), read_texts(note.kind, texts), "interval"
            ).numbers
        except ValueError:
            pass
    found = []
    for text in texts:
        try:
            found.append(place_on(note, text))
        except TableError:
            if strict:
                raise
            found.append(np.inf)
    return np.array(found, np.float64)
