"""What a table's sensitive values cannot supply, whatever the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.wording import count

if TYPE_CHECKING:
    from likeness.models._base import SensitiveAttribute


def too_few_values(attribute: SensitiveAttribute, least: int) -> str:
    """Say that the records have fewer sensitive values than every class needs, as the end of a message; empty when not."""
    present = int((attribute.counts > 0).sum())
    if present >= least:
        return ""
    return f". No release can hold it: {attribute.domain.name!r} has {count(present, 'value')}"
