"""Where the second table of an original is: the policy that is kept with a release has lost its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from likeness.policy.sections import READING

if TYPE_CHECKING:
    from likeness.folder.audit import Audit
    from likeness.policy import Policy
    from likeness.tables import Table


def locate_records(policy: Policy, original: Table, audit: Audit | None) -> Policy:
    """Take a policy with the place of its second table, and how that is read.

    Parameters
    ----------
    policy
        What was asked. One of a policy file knows its folder, which stays as it is.
    original
        The first table: the second is looked for beside its file.
    audit
        What is kept with the release: it knows where the second table was when the release was made, and how it was read,
        which a policy that says nothing about that takes over.

    Returns
    -------
    Policy
        With the first of these places that has the file; where none has, as it was.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> policy = lk.Policy(columns={"age": lk.quasi()}, privacy=lk.KAnonymity(2))
    >>> locate_records(policy, lk.read(pl.DataFrame({"age": [1, 2]})), None) is policy
    True
    """
    records = policy.records
    if records is None:
        return policy
    said = {} if audit is None else audit.content["policy"].get("records") or {}
    kept_reading = {key: value for key, value in said.items() if key in READING}
    if kept_reading and not records.reading:
        records = records.replace(**kept_reading)
        policy = policy.replace(records=records)
    if policy.folder is not None:
        return policy
    if original.format != "frame":
        beside = Path(original.source).absolute().parent
        if (beside / records.table).is_file():
            return policy.in_folder(beside)
    kept = None if audit is None else audit.content["original"].get("records")
    if kept is not None and Path(kept).is_file():
        return policy.replace(records=records.replace(table=kept))
    return policy
