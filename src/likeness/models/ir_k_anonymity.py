"""Identity-reserved k-anonymity (Wang et al. 2019): no individual is alone, however many records they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from likeness.models.k_anonymity import KAnonymity


@dataclass(frozen=True)
class IrKAnonymity(KAnonymity):
    """Every equivalence class holds the records of at least k individuals.

    `KAnonymity` says the same where the policy names an individual; this one insists that it does.

    Parameters
    ----------
    k
        Fewest individuals of a class, at least 1.

    References
    ----------
    Wang, Du, Luo & Li 2019, definition 2.3 (1).

    Examples
    --------
    >>> IrKAnonymity(5)
    IrKAnonymity(k=5)
    """

    name: ClassVar[str] = "ir-k-anonymity"
    about_individuals: ClassVar[bool] = True
