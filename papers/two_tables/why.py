"""What explains a claim that does not hold; each points at how the methods work, or at the measurement it rests on."""

from __future__ import annotations

ROUGH = "one release a point; see the curves"
FLAT = "regions of k people shrink as the table grows, whatever the buckets do"
CERTAIN = (
    "the highest category is published, so who knows a category of somebody rules out all below it, and what is left of the "
    "bucket may be one; σ² bounds no share. Where k is not small nothing is certain through the quasi table under either"
)
LINKED = (
    "equation 26 looks at the quasi table alone: the smaller its regions, the more people are nearest to their own, and the link "
    "to the buckets is not in it"
)
_ALONE = (
    "two different sets a class (l = 2) are hardly more than k-anonymity asks, so (k,l)-diversity makes about the regions of "
    "k-anonymity alone, as the loose link does"
)
_EXCHANGED = (
    "θ-sensitive takes people from anywhere in the order of the table where their category is needed, so that its classes become "
    "wide"
)
_WIDE = "classes of (p,l)-angelization are dealt from the whole table, so wide that many people fit each"
_TIMES = (
    "dealing into buckets, or sorting and exchanging, is less work than making small regions: (k,l)-diversity makes these, and "
    "generalizes sets before; greedy grouping takes a time that grows with the square of the people"
)
_REASONS = {
    ("NCP", "star"): _ALONE,
    ("NCP", "kl"): _EXCHANGED,
    (
        "error",
        "star",
    ): f"the quasi table alone is asked, in which invented records count like others; {_ALONE}",
    ("error", "theta"): _EXCHANGED,
    ("vulnerable", "star"): CERTAIN,
    ("vulnerable", "theta"): (
        f"θ-sensitive publishes values as they are: who knows a rare one is left with one candidate (attack fingerprint); {_WIDE}"
    ),
    ("RL", "star"): LINKED,
    ("RL", "theta"): _WIDE,
    ("RL", "pl"): LINKED,
    ("time", "kl"): _TIMES,
    ("time", "theta"): _TIMES,
    ("time", "star"): _TIMES,
}


def order(what: str, lower: str) -> str:
    """Explain why somebody is not below somebody else.

    Parameters
    ----------
    what
        ``NCP``, ``error``, ``vulnerable``, ``RL`` or ``time``.
    lower
        Who should be below: ``kl``, ``pl``, ``theta`` or ``star``.

    Examples
    --------
    >>> order("RL", "star") == LINKED
    True
    """
    return _REASONS[what, lower]
