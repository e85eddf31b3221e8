"""A table that an engine counts, encoded: what a policy asks of it that counts tell, and the counts, or records, as microdata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness import blocks, registry
from likeness.choosing import choose_form
from likeness.encode import check_columns, encode, join_records, read_records
from likeness.errors import PolicyError, TableError
from likeness.knowledge.base import learn
from likeness.tables import ToJoin

if TYPE_CHECKING:
    from likeness.encode import Encoded
    from likeness.engines.base import Engine, Source
    from likeness.policy import Policy
    from likeness.progress import Progress
    from likeness.tables import Columned, Table


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


def find_counted(
    engine: Engine,
    source: Any,
    policy: Policy,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> Source | ToJoin:
    """Find the table that an engine is to count; where the policy names a second one, with the records, that is read.

    Raises `TableError` where either is not there, or is none.
    """
    found = engine.find(source, delimiter=delimiter, decimal=decimal)
    records = policy.records
    if records is None:
        return found
    return ToJoin(found, read_records(records, policy.folder), records.on, records.key)


def encode_counted(engine: Engine, source: Source | ToJoin, policy: Policy, progress: Progress) -> Encoded:
    """Count the records of a table that `find_counted` found and that say the same, and encode them as a policy says.

    Where a release is about single records (`needs_records`), they are written out in the order of their values: so the
    table is the same whoever counted it. Raises what `likeness.encode.encode` does.
    """
    policy = policy.naming(source.names)
    check_columns(source, policy)
    own = counted_columns(policy)
    if not own.columns:
        raise PolicyError(
            "columns: nothing would be published, as every column is dropped or an identifier; give one another role"
        )
    first = source.first if isinstance(source, ToJoin) else source
    table = engine.count(first, _counted(first, own), progress)
    if table.records == 0:
        raise TableError(f"{first.source}: there are no records")
    progress.step("encode", 0, 1)
    if not needs_records(policy):
        return encode(table, own)
    table = table.written_out()
    if isinstance(source, ToJoin):
        table = join_records(table, own, _in_order(source, own, progress))
    return learn(encode(table, own), own, progress)


def _counted(table: Columned, policy: Policy) -> list[str]:
    """Columns of a table that are counted."""
    return [name for name in table.names if name in policy.columns]


def _in_order(both: ToJoin, policy: Policy, progress: Progress) -> Table:
    """Put a second table in the order of its values, whose they are first: so it, too, is the same however it is cut."""
    names = [both.key, *(name for name in _counted(both.second, policy) if name != both.key)]
    memory: Engine = registry.create("engines", "memory", {})
    return memory.count(both.second, names, progress).written_out()
