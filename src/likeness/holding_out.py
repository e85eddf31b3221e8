"""Hold some people out of a table that is anonymized: people who are not in the release, but like those who are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.anonymization import anonymize
from likeness.checks import check_seed, number
from likeness.errors import PolicyError
from likeness.policy import as_policy
from likeness.tables import Table, read
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.policy import Policy
    from likeness.progress import Progress
    from likeness.release import Release


class HeldOut(NamedTuple):
    """A release of most of the people of a table, and the others.

    Parameters
    ----------
    release
        Made from the people who were kept.
    control
        The records of those who were not, as a frame of the table's library: for `Release.risk`.
    """

    release: Release
    control: Any


def hold_out(
    table: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    share: float = 0.2,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> HeldOut:
    """Anonymize a table without some of its people, drawn at random, and give these back beside it.

    A release of everybody has nobody to compare with. One that is made in the same way of most of them tells how much of what an
    attack learns of people is learnt because they are in it: the rest it learns of the others, too.

    Parameters
    ----------
    table
        A frame, a path, or what `likeness.read` returned.
    policy
        What the columns mean and what must hold.
    share
        How many of the people are held out.
    seed
        Who, and the seed of the release.
    progress
        Where to say how far the work is.

    Returns
    -------
    HeldOut
        The release, and the control.

    Raises
    ------
    PolicyError
        When the share leaves nobody on one side, or the policy has a second table.

    References
    ----------
    Giomi, Boenisch, Wehmeyer & Tasnádi 2022, "A unified framework for quantifying privacy risk in synthetic data", section 3.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": list(range(30, 50)), "disease": ["flu", "cold"] * 10})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> release, control = lk.hold_out(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(4)), 0.25)
    >>> release.certificate.records, control.height
    (15, 5)
    >>> [one.control.tries for one in release.risk(control=control).three]
    [5, 5]
    """
    exact = number("hold-out", "share", share, above=0, at_most=0.9)
    check_seed("hold-out", seed)
    original = table if isinstance(table, Table) else read(table)
    asked = as_policy(policy)
    if asked.records is not None:
        raise PolicyError(
            "hold-out: this policy has a second table, and records of people who are held out would be nobody's; join them first"
        )
    whose = _whose(original, asked)
    people = int(whose.max(initial=-1)) + 1
    out = round(people * exact)
    if not 0 < out < people:
        raise PolicyError(
            f"hold-out: with a share of {share} of {count(people, 'person')} nobody is on one side; give another"
        )
    rng = np.random.Generator(np.random.PCG64(seed))
    held = np.zeros(people, np.bool_)
    held[rng.choice(people, out, replace=False)] = True
    kept = original.rows(np.flatnonzero(~held[whose]))
    others = original.take(np.flatnonzero(held[whose]), original.names)
    return HeldOut(anonymize(kept, asked.replace(seed=seed), progress=progress), others)


def _whose(table: Table, policy: Policy) -> NDArray[np.int64]:
    """(rows,) Number of each row's person, from 0; rows that name nobody are another person each."""
    if policy.individual is None or policy.individual not in table.names:
        return np.arange(table.height)
    codes = table.encode(policy.individual, kind="text").codes.astype(np.int64)
    nobody = codes < 0
    codes[nobody] = codes.max(initial=-1) + 1 + np.arange(int(nobody.sum()))
    return np.asarray(np.unique(codes, return_inverse=True)[1].reshape(-1), np.int64)
