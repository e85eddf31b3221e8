"""What the steward declares: columns, roles, guarantee, method; in Python, YAML or JSON.

====================  ==================================================
``policy``, ``keys``  ``Policy``: the whole file
``column``, ``roles`` ``Column``, and one function a role to declare it
``sections``          the small sections: missing values, output, …
``values``,           numbers, dates, texts, and what is declared about
``domain``,           the values of a column
``hierarchy``
``parts``             models, method and form by name
``column_checks``,    keys and sections that do not go together
``cross_checks``,
``people``
``declared``,         how all problems are found at once, each with its
``problems``          place
``files``,            YAML and JSON with line numbers
``yaml_nodes``
``schema``            JSON Schema
====================  ==================================================
"""

from __future__ import annotations

from likeness.policy.column import Column, drop, identifier, other, quasi, sensitive
from likeness.policy.policy import Policy
from likeness.policy.sections import (
    ColumnMissing,
    Hygiene,
    Kernel,
    Knowledge,
    Missing,
    Output,
    Records,
    RecordsMissing,
    Withhold,
)

__all__ = [
    "Column",
    "ColumnMissing",
    "Hygiene",
    "Kernel",
    "Knowledge",
    "Missing",
    "Output",
    "Policy",
    "Records",
    "RecordsMissing",
    "Withhold",
    "drop",
    "identifier",
    "other",
    "quasi",
    "sensitive",
]
