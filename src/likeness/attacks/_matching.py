"""Which published records may be somebody's, for everybody at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.forms._regions import position
from likeness.forms._text import read_value
from likeness.microdata.grouping import Groups, group_codes, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.forms._base import Cells, Publication
    from likeness.forms._regions import Region
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


def count_matches(
    publication: Publication, original: Microdata, records: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Groups]:
    """Count the published records whose regions hold all quasi-identifiers of a target.

    The adversary knows the hierarchies: a node stands for all leaves below it, whether the certificate gives
    them or not.

    Parameters
    ----------
    publication
        What was published.
    original
        Where the targets' quasi-identifiers are taken from.
    records : (t,) int64
        The targets, by position.

    Returns
    -------
    counts : (distinct targets,) int64
        Published records that may be those of each distinct tuple of quasi-identifiers.
    targets : Groups
        Which target has which tuple.
    """
    from likeness.kernels.linkage import match_counts

    index = {domain.name: j for j, domain in enumerate(original.quasi)}
    cells = [own for own in publication.cells if own.note.name in index]
    domains = [original.quasi[index[own.note.name]] for own in cells]
    radices = [domain.codes for domain in domains]
    codes = original.codes[[index[own.note.name] for own in cells]][:, records]
    if not cells:
        alike = Groups(np.zeros(records.size, np.int64), np.zeros(1, np.int64), np.array([records.size]))
        return np.array([publication.size]), alike
    targets = group_codes(codes, radices)
    codes = codes[:, targets.first]
    order = _column_order(codes, domains)
    reaches = [_reach(cells[j], domains[j]) for j in order]
    own = np.argsort(pack(codes[order], [radices[j] for j in order]), kind="stable")
    begins = np.cumsum([0] + [members.size for _, _, members in reaches])
    shift = [begin if domains[j].shape == "set" else 0 for begin, j in zip(begins, order, strict=False)]
    found = match_counts(
        np.ascontiguousarray(codes[order][:, own]),
        np.array([domains[j].shape == "set" for j in order], np.int8),
        np.array([low + by for (low, _, _), by in zip(reaches, shift, strict=True)], np.int64),
        np.array([high + by for (_, high, _), by in zip(reaches, shift, strict=True)], np.int64),
        np.concatenate([members for _, _, members in reaches]),
        np.bincount(publication.identities, minlength=cells[0].of.size).astype(np.int64),
    )
    counts = np.empty_like(found)
    counts[own] = found
    return counts, targets


def _column_order(codes: NDArray[np.int32], domains: list[Domain]) -> list[int]:
    """Columns of few values first, so that sorted targets share long beginnings; last the longest range."""
    distinct = [np.unique(column).size for column in codes]
    order = sorted(range(len(domains)), key=lambda j: (distinct[j], j))
    ranges = [j for j in order if domains[j].shape != "set"]
    if ranges:
        order.remove(ranges[-1])
        order.append(ranges[-1])
    return order


def _reach(cells: Cells, domain: Domain) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Give what every identity's region covers: first and last code, or where its members begin and end."""
    if domain.shape == "set":
        rank = {label: code for code, label in enumerate(domain.labels)}
        sets = [_member_codes(region, rank, domain) for region in cells.regions]
        ends = np.cumsum([0] + [len(codes) for codes in sets])
        members = np.array([code for codes in sets for code in codes], np.int64)
        return ends[:-1][cells.of], ends[1:][cells.of], members
    places = [] if domain.shape == "tree" else [position(cells.note, label) for label in domain.labels]
    ranges = np.array([_range(region, places, domain) for region in cells.regions], np.int64).reshape(-1, 2)
    return ranges[cells.of, 0], ranges[cells.of, 1], np.zeros(0, np.int64)


def _member_codes(region: Region, rank: dict[str, int], domain: Domain) -> list[int]:
    """Codes of a value set, ascending; a value that no original record has matches nobody."""
    if region.what == "everything":
        return list(range(domain.codes))
    codes = [domain.missing_code if value is None else rank.get(value, -1) for value in region.values]
    return sorted(code for code in codes if code >= 0)


def _range(region: Region, places: list[Any], domain: Domain) -> tuple[int, int]:
    """First and last code of an interval or node; an empty range where no original value lies in it."""
    if region.what == "everything":
        return 0, domain.codes
    if region.what == "values":
        return (domain.missing_code, domain.missing_code) if domain.missing else (1, 0)
    if region.what == "node" and domain.hierarchy is not None:
        node = domain.hierarchy.node_of(read_value(region.text))
        return int(domain.hierarchy.left[node]), int(domain.hierarchy.right[node])
    return bisect_left(places, region.low), bisect_right(places, region.high) - 1
