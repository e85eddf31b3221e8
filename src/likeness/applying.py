"""Publish new records in the regions of a release that there is already."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness.anonymization import anonymize
from likeness.errors import (
    CannotBeMetError,
    InvalidError,
    MethodFailedError,
    PolicyError,
    Refusal,
    VerificationError,
)
from likeness.folder.layout import find_layout
from likeness.folder.private_part import read_private
from likeness.folder.public_part import read_public
from likeness.opening import open_release
from likeness.policy import as_policy
from likeness.release import Release
from likeness.tables import Table, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.forms.base import Publication
    from likeness.methods.base import Method
    from likeness.policy import Policy
    from likeness.progress import Progress


def apply(
    release: Release | str | Path,
    table: Any,
    *,
    policy: Policy | Mapping[str, Any] | str | Path | None = None,
    at_most: float | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Publish new records in the regions of an earlier release, where the guarantee then holds for them alone.

    Every published region is one of the earlier release, as it was written there. A record goes to the narrowest that covers it
    and whose class holds the guarantee in the new table; who fits none is withheld, and `withheld_rows` says who and why. What
    both releases tell together of people who are in both is not protected: `Release.warnings` says so.

    Parameters
    ----------
    release
        The earlier release, or its folder (or ``public/`` with a policy).
    table
        The new records: a frame, a path, or what `likeness.read` returned.
    policy
        What the columns mean and what must hold; what was asked then when left out.
    at_most
        Largest share of the new records that may be withheld; what the policy says when left out.
    seed
        Makes it reproducible; never that of the earlier release.
    progress
        Where to say how far the work is.

    Returns
    -------
    Release
        As `likeness.anonymize` gives it, by the method ``regions-of``.

    Raises
    ------
    InvalidError
        When there is no such release, its form has no regions, nothing says what the columns are, or the table is another kind.
    CannotBeMetError
        When more would have to be withheld than may be; says why.
    VerificationError
        When the earlier release does not prove what its certificate says.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> first = pl.DataFrame({"age": [30, 39, 60, 69], "disease": ["flu", "cold", "flu", "cold"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> release = lk.anonymize(first, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=7)
    >>> more = pl.DataFrame({"age": [33, 34, 61, 62, 99], "disease": ["flu", "cold", "flu", "cold", "flu"]})
    >>> again = lk.apply(release, more, at_most=0.2, seed=1)
    >>> sorted(again.table["age"].unique())
    ['[30, 39]', '[60, 69]']
    >>> again.counts["withheld"]
    {"no region of the earlier release that this table can show covers their value of 'age'": 1}
    """
    if not isinstance(release, Release | str | Path):
        raise InvalidError(f"apply needs a release or its folder; got {type(release).__name__}")
    original = table if isinstance(table, Table) else read(table)
    kept, publication = _earlier(release, asked=policy is not None)
    asked = kept if policy is None else as_policy(policy)
    if asked is None:
        raise InvalidError(
            f"{release}: there is no private/ here to say what the columns are; give the policy (policy=, --policy)"
        )
    cells = publication.cells
    texts = [np.array([region.text for region in own.regions], object)[own.of] for own in cells]
    regions = tuple(dict.fromkeys(zip(*(own.tolist() for own in texts), strict=True)))
    given = {"columns": [own.note.name for own in cells], "regions": regions}
    method: Method = registry.create("methods", "regions-of", given)
    if publication.form != method.form:
        raise PolicyError(
            f"apply works with releases of the form {method.form}; one of the form {publication.form} has no regions for others"
        )
    if asked.form is not None and asked.form.name != method.form:
        raise PolicyError(
            f"apply publishes in the form {method.form}; this policy asks for {asked.form.name}"
        )
    if asked.individual is not None or asked.records is not None:
        raise PolicyError(
            "apply works with tables of one record a person; this policy names an individual, or a second table"
        )
    if original.height == 0:
        raise InvalidError(f"{original.source}: has no records")
    asked = asked.naming_method(method).replace(seed=seed)
    if at_most is not None:
        asked = asked.replace(withhold={"at_most": at_most})
    try:
        return anonymize(original, asked, progress=progress)
    except MethodFailedError as problem:
        # Nothing of what it says of methods can be done here.
        what = "too few of these records lie in regions of the earlier release, or have others there"
        why = str(replace(problem.unmet[0], remedy=""))
        first = Refusal(what, why=why, remedy="allow more (--at-most), or anonymize them anew")
        raise CannotBeMetError(*problem.notes, reasons=(first, *problem.unmet[1:])) from None


def withheld_rows(release: Release) -> dict[str, list[int]]:
    """List who was withheld, by reason: positions in the original, from 0; for the steward only.

    Parameters
    ----------
    release
        A release that still knows its original.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> withheld_rows(lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1))
    {}
    """
    private = release.private
    plan, rows = private.solution.plan, private.encoded.data.rows
    out = np.where(plan.published, -1, plan.reason_of)
    found = {str(reason): rows[out == number].tolist() for number, reason in enumerate(plan.because)}
    return {why: own for why, own in found.items() if own}


def _earlier(release: Release | str | Path, *, asked: bool) -> tuple[Policy | None, Publication]:
    """Take what was asked then, and what was published; the proof of a folder is checked again."""
    if isinstance(release, Release):
        return (None if asked else release.private.policy), release.publication
    publication = open_release(release).publication
    layout = find_layout(release)
    if asked or layout.private is None:
        return None, publication
    steward = read_private(layout, layout.private, read_public(layout))
    if steward.refusals or steward.audit is None or steward.policy is None:
        raise VerificationError(*steward.refusals)
    written = steward.audit.written_policy
    # What files said is as it was then; what follows from values follows from the new ones.
    columns = {
        name: column if isinstance(written.columns[name].hierarchy, dict) else steward.policy.columns[name]
        for name, column in written.columns.items()
    }
    return steward.policy.replace(columns=columns), publication
