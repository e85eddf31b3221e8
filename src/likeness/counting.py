"""A table that an engine counts, encoded: what a policy asks of it that counts tell, and the counts, or records, as microdata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness import blocks
from likeness.choosing import choose_form
from likeness.encode import check_columns, encode
from likeness.errors import PolicyError, Refusal, TableError
from likeness.knowledge.base import learn

if TYPE_CHECKING:
    from likeness.encode import Encoded
    from likeness.engines.base import Engine, Source
    from likeness.policy import Policy
    from likeness.progress import Progress


def refuse_uncountable(policy: Policy) -> None:
    """Refuse what no engine can count: `PolicyError`."""
    if policy.records is not None:
        what = "joins a second table, and engines count one"
        raise PolicyError(Refusal(what, ("records",), remedy="use engine: memory, or join them beforehand"))


def needs_records(policy: Policy) -> bool:
    """Whether a release is about single records, or people, so that counts of those that say the same are not enough."""
    form, method, minimize = choose_form(policy), policy.method, policy.minimize
    return (
        policy.individual is not None
        or policy.weights is not None
        or bool(policy.knowledge)
        or not form.publishes_counts
        or form.attained is not None
        or (method is not None and (method.bounds_regions or method.invents or method.keeps_signatures))
        or (minimize is not None and minimize.of_publication)
        or any(column.action == "pseudonym" for column in policy.columns.values())
    )


SEARCHED_ONE_BY_ONE = 2_000_000
"""Records of which a search looks at each by itself where the policy names no method."""


def searches_records(policy: Policy, records: int) -> bool:
    """Whether a search tells equal records apart, so that each needs a row of its own.

    Decided by the policy and by how many there are, so it is the same on every engine and machine.
    """
    if policy.method is None:
        return records <= SEARCHED_ONE_BY_ONE
    return _keeps_apart(policy) or not policy.method.keeps_copies


def searches_at_once(policy: Policy, records: int) -> bool:
    """Whether a search that tells equal records apart looks at all of them together, not block by block."""
    decides_for_all = policy.method is not None and policy.method.full_domain
    return records <= blocks.ROWS or decides_for_all or _keeps_apart(policy)


def _keeps_apart(policy: Policy) -> bool:
    """Whether level limits keep parts of the table apart, between which single records may move."""
    return any(column.max_level is not None for column in policy.columns.values())


def counted_columns(policy: Policy) -> Policy:
    """Take a policy with no more columns than are counted: those that are dropped are not looked at.

    Neither are identifiers, unless they tell whose a record is or get a pseudonym.
    """
    kept = {
        name: column
        for name, column in policy.columns.items()
        if column.role in {"quasi", "sensitive", "other"}
        or name in {policy.individual, policy.weights}
        or column.action == "pseudonym"
    }
    return policy.replace(columns=kept)


def encode_counted(engine: Engine, source: Source, policy: Policy, progress: Progress) -> Encoded:
    """Count the records of a table that say the same, and encode them as a policy says.

    Where a release is about single records (`needs_records`), they are written out in the order of their values: so the
    table is the same whoever counted it. Raises what `likeness.encode.encode` does, and `PolicyError` for what engines do not do.
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
    if not needs_records(policy):
        return encode(table, own)
    return learn(encode(table.written_out(), own), own, progress)
