"""A policy in one line, and as a table for notebooks."""

from __future__ import annotations

import html
from collections import Counter
from typing import TYPE_CHECKING, get_args

from likeness.policy.column import Column, Role
from likeness.policy.hierarchy import is_made
from likeness.policy.problems import shown
from likeness.wording import count

if TYPE_CHECKING:
    from likeness.policy.policy import Policy


def summarise(policy: Policy) -> str:
    """Say columns by role, the guarantee, and the method.

    Examples
    --------
    >>> from likeness.policy import Policy
    >>> summarise(Policy(columns={"age": {"role": "quasi"}}, privacy={"model": "k-anonymity", "k": 5}))
    '1 column: 1 quasi; k-anonymity; best method'
    """
    roles = Counter(column.role for column in policy.columns.values())
    counts = ", ".join(f"{roles[role]} {role}" for role in get_args(Role) if roles[role])
    models = " & ".join(model.name for model in policy.privacy)
    method = policy.method.name if policy.method else "best method"
    return f"{count(len(policy.columns), 'column')}: {counts}; {models}; {method}"


def as_html(policy: Policy) -> str:
    """Show one row a column, for notebooks.

    Examples
    --------
    >>> from likeness.policy import Policy
    >>> page = as_html(Policy(columns={"<b>": {"role": "quasi"}}, privacy={"model": "k-anonymity", "k": 5}))
    >>> "<td>&lt;b&gt;</td>" in page
    True
    """
    rows = "".join(
        f"<tr><td>{html.escape(name)}</td><td>{column.role}</td><td>{html.escape(_details(column))}</td></tr>"
        for name, column in policy.columns.items()
    )
    head = "<tr><th>column</th><th>role</th><th></th></tr>"
    title = html.escape(summarise(policy))
    return f"<p>{title}</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _details(column: Column) -> str:
    """Say what is declared beside the role, in short."""
    given = {key: value for key, value in column.to_mapping().items() if key != "role"}
    if is_made(column.hierarchy):
        given["hierarchy"] = column.hierarchy
    return ", ".join(f"{key}: {shown(value)}" for key, value in given.items())
