"""What the steward declares: columns, roles, guarantee, method; in Python, YAML or JSON.

==================  ==================================================
``policy``          ``Policy``: the whole file
``column``          ``Column``, and one function a role to declare it
``sections``        the small sections: missing values, output, …
``values``,         numbers, dates, texts, and what is declared about
``hierarchy``       the values of a column
``parts``           models, method and form by name; JSON Schema
``cross_checks``    sections that do not go together
``problems``        how all problems are found at once, each with its
                    place
``files``           YAML and JSON with line numbers
==================  ==================================================
"""

from __future__ import annotations

from likeness.policy.column import Column, drop, identifier, other, quasi, sensitive
from likeness.policy.policy import Policy, as_policy
from likeness.policy.sections import (
    ColumnMissing,
    Hygiene,
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
    "Missing",
    "Output",
    "Policy",
    "Records",
    "RecordsMissing",
    "Withhold",
    "as_policy",
    "drop",
    "identifier",
    "other",
    "quasi",
    "sensitive",
]
