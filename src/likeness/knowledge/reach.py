"""Whose values a kernel takes for like one another, in words; loads nothing, because profiles say it too."""

from __future__ import annotations


def reach(span: float | None, bandwidth: float, unit: str = "") -> str:
    """Say which values without a hierarchy count as like one another; ``span`` of the numbers, None for plain categories.

    >>> reach(73, 0.3)
    'people count whose values lie less than 21.9 apart, the nearer the more'
    >>> reach(None, 0.3)
    'known exactly: only people of the same value count'
    """
    if span is None:
        if bandwidth <= 1:
            return "known exactly: only people of the same value count"
        return f"people of any other value count {1 - 1 / bandwidth**2:.0%} of those of the same"
    if bandwidth > 1:
        return f"people of the farthest value count {1 - 1 / bandwidth**2:.0%} of those of the same"
    apart = f"{float(f'{bandwidth * span:.4g}'):,.10g}" + (f" {unit}" if unit else "")
    return f"people count whose values lie less than {apart} apart, the nearer the more"


def reach_in_hierarchy(bandwidth: float) -> str:
    """Say the same of values with a hierarchy, however high it is.

    >>> reach_in_hierarchy(0.3)
    'people count whose values meet below 30% of the height of the hierarchy, the lower the more'
    """
    if bandwidth > 1:
        return f"people whose values meet at the root count {1 - 1 / bandwidth**2:.0%} of those of the same"
    return f"people count whose values meet below {bandwidth:.0%} of the height of the hierarchy, the lower the more"
