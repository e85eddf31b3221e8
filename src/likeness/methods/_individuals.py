"""What individuals with several records count in: one place of a histogram per distinct value of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.data import Members
    from likeness.models._requirements import Requirement, View


class _Block(NamedTuple):
    """The part of the joint histogram that the tests of one view read: slices of equal length.

    Parameters
    ----------
    offset
        Where it begins.
    slices, stride
        Number of slices, and places of each: the values first.
    records
        Where in a slice the numbers of individuals with 1, 2, … records begin, 0 where no test reads them.
    size_at
        Where in a slice its number of individuals stands, 0 where the class is the only slice.
    """

    offset: int
    slices: int
    stride: int
    records: int
    size_at: int


def views_of_individuals(
    members: Members, requirements: Sequence[Requirement], individuals: int
) -> tuple[NDArray[np.int32], list[ClassTest], int]:
    """Lay the sensitive values that all requirements look at side by side in one histogram of individuals.

    Parameters
    ----------
    members
        The records of the individuals.
    requirements
        Bound models.
    individuals
        Number of individuals.

    Returns
    -------
    views : (v, individuals) int32
        Places in the joint histogram that each individual counts in; those with fewer than v are filled up with the last
        place of all, which no test reads.
    tests
        The requirements' tests, placed.
    width
        Length of the joint histogram.
    """
    looked_at = [(requirement, requirement.bound.class_test()) for requirement in requirements]
    with_records = {
        requirement.view.looks_at
        for requirement, test in looked_at
        if requirement.view is not None and test.record_counts
    }
    blocks: dict[tuple[object, ...], _Block] = {}
    rows, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    tests = []
    width = 0
    for requirement, test in looked_at:
        view = requirement.view
        if view is None:
            tests.append(test)
            continue
        if view.looks_at not in blocks:
            block = _add(view, members, width, view.looks_at in with_records, rows, places)
            blocks[view.looks_at] = block
            width += block.slices * block.stride
        tests.append(_placed(requirement, view, test, blocks[view.looks_at]))
    if width == 0:
        return np.zeros((0, individuals), np.int32), tests, 0
    return _side_by_side(np.concatenate(rows), np.concatenate(places), individuals, width), tests, width + 1


def _add(
    view: View,
    members: Members,
    offset: int,
    with_records: bool,
    rows: list[NDArray[np.int64]],
    places: list[NDArray[np.int64]],
) -> _Block:
    """Lay out a view's block; append who counts where to ``rows`` and ``places``."""
    data, of, values = members.records, members.of, view.domain.codes
    known = np.zeros(of.size, np.int64)
    if view.known:
        known = view.known_codes(data.sensitive, data.sensitive_codes)
    slices = int(known.max(initial=0)) + 1
    # In each slice an individual is there once, with so many records.
    inside, number = np.unique(of * slices + known, return_counts=True)
    most = int(number.max(initial=1)) if with_records else 0
    size_at = values + most if view.known else 0
    block = _Block(offset, slices, values + most + bool(view.known), values if with_records else 0, size_at)
    rows.append(of)
    places.append(offset + known * block.stride + view.codes(data.sensitive_codes))
    begins = offset + inside % slices * block.stride
    if with_records:
        rows.append(inside // slices)
        places.append(begins + values + number - 1)
    if view.known:
        rows.append(inside // slices)
        places.append(begins + size_at)
    return block


def _placed(requirement: Requirement, view: View, test: ClassTest, block: _Block) -> ClassTest:
    """Place one test on its block."""
    from likeness.kernels.class_tests import CLASS_SIZE, OWN_SUM

    size_at = block.size_at or CLASS_SIZE
    if not requirement.model.counts_individuals:
        size_at = OWN_SUM
    # What comes behind the values is the size where the class is not the only slice, or the next slice.
    with_counts = block.size_at or block.stride
    return test._replace(
        offset=block.offset,
        values=with_counts if test.record_counts else view.domain.codes,
        slices=block.slices,
        stride=block.stride,
        size_at=size_at,
    )


def _side_by_side(
    rows: NDArray[np.int64], places: NDArray[np.int64], individuals: int, width: int
) -> NDArray[np.int32]:
    """(v, individuals) The distinct places of each row, ascending, filled up with ``width``."""
    # Sorting is several times as fast here as `np.unique`, which hashes.
    keys = np.sort(rows * width + places)
    distinct = keys[np.diff(keys, prepend=-1) > 0]
    row = distinct // width
    start = np.searchsorted(row, np.arange(individuals + 1))
    views = np.full((int(np.diff(start).max(initial=0)), individuals), width, np.int32)
    views[np.arange(row.size) - start[row], row] = distinct % width
    return views
