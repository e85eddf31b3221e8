"""Whom an adversary looks for, and what was published of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.checks import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain


def check_targets(name: str, targets: int | None, seed: int) -> None:
    """Check what `choose_targets` is told.

    Parameters
    ----------
    name
        The attack.
    targets, seed
        Its parameters.

    Raises
    ------
    PolicyError
        When one is out of range.

    Examples
    --------
    >>> check_targets("linkage", 0, 0)
    Traceback (most recent call last):
    likeness.errors.PolicyError: linkage: targets must be a whole number ...
    """
    if targets is not None:
        whole(name, "targets", targets, at_least=1)
    whole(name, "seed", seed, at_least=0)


def choose_targets(size: int, targets: int | None, seed: int) -> NDArray[np.int64]:
    """Draw targets from all records; all of them when no number is given.

    Parameters
    ----------
    size
        Number of records.
    targets
        How many to draw.
    seed
        Which ones are drawn; the same seed, the same targets.

    Returns
    -------
    (t,) int64
        Positions, ascending.

    Examples
    --------
    >>> choose_targets(4, None, 0)
    array([0, 1, 2, 3])
    >>> choose_targets(1000, 2, 7).size
    2
    """
    if targets is None or targets >= size:
        return np.arange(size)
    rng = np.random.Generator(np.random.PCG64(seed))
    return np.sort(rng.choice(size, targets, replace=False))


def published_codes(original: Domain, published: Domain) -> NDArray[np.int64]:
    """Give the published code of every original value; -1 for values that were not published.

    Parameters
    ----------
    original, published
        One attribute, as the original table and the published tables have it.

    Returns
    -------
    (codes,) int64
    """
    codes = [published.code_of.get(label, -1) for label in original.labels]
    if original.missing:
        codes.append(published.missing_code)
    return np.array(codes, np.int64)
