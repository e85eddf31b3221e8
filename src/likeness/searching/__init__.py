"""Search for the parameter at which a method reaches a loss, or a privacy: `strongest` and `weakest`."""

from likeness.searching.search import Searched, Tried, strongest, weakest

__all__ = ["Searched", "Tried", "strongest", "weakest"]
