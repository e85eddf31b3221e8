"""Look at a table and propose a policy, with reasons: ``profile`` gives a `Profile`.

===================  =========================================================
``looking``          ``profile``: the steps, in order
``result``           ``Profile``: what was found, and the proposed policy
``cells``            one column, read: kind, values, counts, markers
``markers``          what may mean a missing value
``words``            what names of columns say: every word list there is
``contents``         what texts look like
``meaning``          what a column probably means: look, role, reason
``interpreting``     the rules that find it, in order
``identifying``,     rules for what is never published, and for what is
``describing``
``links``            columns that say the same as others
``findings``         what is said about one column
``persons``          duplicates, people with several records
``uniqueness``       how much the quasi-identifiers single people out
``reach``            the strongest parameters the table can meet
``guarantee``        the models that are proposed
``policy_text``,     the policy as a commented file; the profile as text and
``page``             as HTML
===================  =========================================================
"""

from __future__ import annotations

from likeness.profiling.findings import ColumnProfile
from likeness.profiling.looking import profile
from likeness.profiling.result import Profile

__all__ = ["ColumnProfile", "Profile", "profile"]
