"""A table that an engine counts, encoded: what a policy may ask of counts, and the counts as microdata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.encode import check_columns, encode
from likeness.errors import PolicyError, Refusal, TableError

if TYPE_CHECKING:
    from likeness.encode import Encoded
    from likeness.engines.base import Engine, Source
    from likeness.policy import Policy
    from likeness.progress import Progress

_REMEDY = "leave it out, or use engine: memory"


def refuse_uncountable(policy: Policy) -> None:
    """Refuse what needs single records: `PolicyError` with a line for each.

    Counts say how many records say the same, not which, nor whose they are.
    """
    form, method = policy.form, policy.method
    asked = {
        "individual": policy.individual is not None,
        "records": policy.records is not None,
        "weights": policy.weights is not None,
        "knowledge": bool(policy.knowledge),
        "form": form is not None and (not form.publishes_counts or form.attained is not None),
        "method": method is not None and (method.bounds_regions or method.invents or method.keeps_signatures),
        "minimize": policy.minimize is not None and policy.minimize.of_publication,
    }
    problems = [
        Refusal("needs single records, and an engine counts those that say the same", (key,), remedy=_REMEDY)
        for key, there in asked.items()
        if there
    ]
    problems += [
        Refusal("a pseudonym tells records apart that say the same", ("columns", name), remedy=_REMEDY)
        for name, column in policy.columns.items()
        if column.action == "pseudonym"
    ]
    if problems:
        raise PolicyError(*problems)


SEARCHED_ONE_BY_ONE = 2_000_000
"""Records of which a search looks at each by itself where the policy names no method."""


def searches_records(policy: Policy, records: int) -> bool:
    """Whether a search tells equal records apart, so that each needs a row of its own.

    Decided by the policy and by how many there are, so it is the same on every engine and machine.
    """
    if policy.method is None:
        return records <= SEARCHED_ONE_BY_ONE
    limited = any(column.max_level is not None for column in policy.columns.values())
    return limited or not policy.method.keeps_copies


def counted_columns(policy: Policy) -> Policy:
    """Take a policy with no more columns than are counted: those that are dropped, and identifiers, are not looked at."""
    kept = {
        name: column
        for name, column in policy.columns.items()
        if column.role in {"quasi", "sensitive", "other"}
    }
    return policy.replace(columns=kept)


def encode_counted(engine: Engine, source: Source, policy: Policy, progress: Progress) -> Encoded:
    """Count the records of a table that say the same, and encode them as a policy says.

    Raises what `likeness.encode.encode` does, and `PolicyError` where the policy needs single records.
    """
    refuse_uncountable(policy)
    policy = policy.naming(source.names)
    check_columns(source, policy)
    own = counted_columns(policy)
    if not own.columns:
        raise PolicyError(
            "columns: nothing would be published, as every column is dropped or an identifier; give one another role"
        )
    names = [name for name in source.names if name in own.columns]
    table = engine.count(source, names, progress)
    if table.records == 0:
        raise TableError(f"{source.source}: there are no records")
    progress.step("encode", 0, 1)
    return encode(table, own)
