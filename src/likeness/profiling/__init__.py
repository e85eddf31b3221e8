"""Look at a table and propose a policy, with reasons: ``profile`` gives a `Profile`.

============  ================================================================
``looking``   ``profile``: the steps, in order
``cells``     one column, read: kind, values, counts, markers of the missing
``meaning``   what a column probably means: look, role, reason; all word lists
``orders``    the order of ranges, quarters, scales and padded codes
``persons``   duplicates, people with several records, how many are single
``joined``    two tables: the column that joins them, whose the records are
``reach``     the models that are proposed, the strongest the table can meet
``findings``  what is said about one column
``result``    ``Profile``: what was found; the policy as a commented file
============  ================================================================
"""

from __future__ import annotations

from likeness.profiling.findings import ColumnProfile
from likeness.profiling.looking import profile
from likeness.profiling.result import Profile

__all__ = ["ColumnProfile", "Profile", "profile"]
