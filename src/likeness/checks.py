"""One-sentence checks of parameters, shared by all parts."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from likeness.errors import PolicyError, Refusal, did_you_mean
from likeness.exact import rational
from likeness.seeds import seed_problem
from likeness.wording import quoted

if TYPE_CHECKING:
    from fractions import Fraction


def whole(part: str, name: str, value: Any, *, at_least: int, at_most: int | None = None) -> int:
    """Return a whole number within limits, both inclusive.

    Raises `PolicyError` when it is not one; the message names the part, the parameter, the value and the limits.

    >>> whole("k-anonymity", "k", 0, at_least=1)
    Traceback (most recent call last):
    likeness.errors.PolicyError: k-anonymity: k must be a whole number of at least 1; got 0
    """
    limits = f"of at least {at_least}" if at_most is None else f"from {at_least} to {at_most}"
    good = isinstance(value, Integral) and not isinstance(value, bool)
    if not good or value < at_least or (at_most is not None and value > at_most):
        raise PolicyError(Refusal(f"{name} must be a whole number {limits}; got {quoted(value)}", (part,)))
    return int(value)


def check_seed(part: str, value: Any) -> None:
    """Refuse what is no seed: a whole number of at least 0, and of `likeness.seeds.SEED_BITS` at most.

    Raises `PolicyError`; the message names the part and the value.

    >>> check_seed("risk", -1)
    Traceback (most recent call last):
    likeness.errors.PolicyError: risk: seed must be a whole number of at least 0; got -1
    """
    if problem := seed_problem(whole(part, "seed", value, at_least=0)):
        raise PolicyError(Refusal(f"seed {problem}; got {quoted(value)}", (part,)))


def number(
    part: str,
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Fraction:
    """Return a number within limits, as the fraction it stands for (`likeness.exact.rational`).

    Raises `PolicyError` when it is not one; the message names the part, the parameter, the value and the limits.

    >>> number("beta-likeness", "beta", 0.5, above=0)
    Fraction(1, 2)
    """
    limits = [
        f"{word} {limit}"
        for word, limit in (("above", above), ("of at least", at_least), ("at most", at_most))
        if limit is not None
    ]
    asked = " ".join(["a number", *([" and ".join(limits)] if limits else [])])
    complaint = Refusal(f"{name} must be {asked}; got {quoted(value)}", (part,))
    try:
        exact = rational(value)
    except (ValueError, TypeError, ZeroDivisionError):
        raise PolicyError(complaint) from None
    if (
        (above is not None and exact <= rational(above))
        or (at_least is not None and exact < rational(at_least))
        or (at_most is not None and exact > rational(at_most))
    ):
        raise PolicyError(complaint)
    return exact


def choice(part: str, name: str, value: Any, options: tuple[str, ...]) -> str:
    """Return a word that must be one of a few.

    Raises `PolicyError` when it is not; says which was probably meant.
    """
    if value not in options:
        hint = did_you_mean(str(value), options)
        raise PolicyError(
            Refusal(f"{name} must be one of {', '.join(options)}; got {quoted(value)}{hint}", (part,))
        )
    return str(value)
