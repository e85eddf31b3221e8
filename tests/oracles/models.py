"""The privacy models by plain definition: one class, one loop, fractions.

A model's definition has the model's name and takes the counts of one class, the counts of the reference
distribution and the column's domain; ``NAME_parameters`` draws parameters for it. Contract tests look both up
by name, and ``NAME.domains`` says which kinds of column the model is for, when not all.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.hierarchies import Hierarchy
    from likeness.microdata.domain import Domain

    Counts = Sequence[int]

_PRECISE = Context(prec=80)


@cache
def fractions(low: str, high: str) -> st.SearchStrategy[str]:
    """Texts of simple fractions between two bounds: where ties are."""
    return st.fractions(Fraction(low), Fraction(high), max_denominator=12).map(str)


class OfPeople(list[int]):
    """Counts of individuals that have each value: an individual may have several."""

    def __init__(self, counts: Counts, people: int) -> None:
        super().__init__(counts)
        self.people = people


def _size(counts: Counts) -> int:
    return counts.people if isinstance(counts, OfPeople) else sum(counts)


def _shares(counts: Counts) -> list[Fraction]:
    return [Fraction(count, _size(counts)) for count in counts]


@cache
def _ln(x: Fraction) -> Decimal:
    return _PRECISE.subtract(
        _PRECISE.ln(Decimal(x.numerator)),
        _PRECISE.ln(Decimal(x.denominator)),
    )


def _decimal(x: Fraction) -> Decimal:
    return _PRECISE.divide(Decimal(x.numerator), Decimal(x.denominator))


def k_anonymity(counts: Counts, reference: Counts, domain: Domain, *, k: int) -> bool:
    return _size(counts) >= k


def k_anonymity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"k": st.integers(1, 8)})


def distinct_l_diversity(counts: Counts, reference: Counts, domain: Domain, *, l: int) -> bool:  # noqa: E741
    return len([count for count in counts if count > 0]) >= l


def distinct_l_diversity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"l": st.integers(1, 4)})


def entropy_l_diversity(counts: Counts, reference: Counts, domain: Domain, *, l: str) -> bool:  # noqa: E741
    """``Π q**-q >= l``, raised to the power n: ``n**n >= l**n Π c**c``."""
    n = sum(counts)
    product = Fraction(l) ** n
    for count in counts:
        product *= count**count
    return n**n >= product


def entropy_l_diversity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"l": st.one_of(st.integers(1, 4), fractions("1", "4"))})


def recursive_cl_diversity(counts: Counts, reference: Counts, domain: Domain, *, c: str, l: int) -> bool:  # noqa: E741
    r = sorted((count for count in counts if count > 0), reverse=True)
    return len(r) >= l and r[0] < Fraction(c) * sum(r[l - 1 :])


def recursive_cl_diversity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"c": fractions("1/4", "6"), "l": st.integers(2, 4)})


def alpha_k_anonymity(
    counts: Counts,
    reference: Counts,
    domain: Domain,
    *,
    alpha: str,
    k: int,
    values: Sequence[str] | None = None,
) -> bool:
    labels = [*domain.labels, "missing"]
    return _size(counts) >= k and all(
        q <= Fraction(alpha)
        for q, label in zip(_shares(counts), labels, strict=False)
        if values is None or label in values
    )


def alpha_k_anonymity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"alpha": fractions("1/12", "1"), "k": st.integers(1, 5)}, optional={"values": st.just(["0"])}
    )


def t_closeness(
    counts: Counts, reference: Counts, domain: Domain, *, t: str, distance: str | None = None
) -> bool:
    return earth_movers_distance(counts, reference, domain, distance or domain.distance) <= Fraction(t)


def t_closeness_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"t": fractions("0", "1")}, optional={"distance": st.just("equal")})


def earth_movers_distance(counts: Counts, reference: Counts, domain: Domain, distance: str) -> Fraction:
    extra = [p - q for p, q in zip(_shares(reference), _shares(counts), strict=True)]
    if distance == "equal":
        return sum(map(abs, extra), Fraction(0)) / 2
    if distance == "ordered":
        present = [s for s, n in enumerate(reference) if n > 0]
        prefixes = [sum(extra[: s + 1]) for s in present[:-1]]
        return sum(map(abs, prefixes), Fraction(0)) / max(1, len(present) - 1)
    assert domain.hierarchy is not None
    return _tree_cost(domain.hierarchy, extra)


def _tree_cost(tree: Hierarchy, extra: list[Fraction]) -> Fraction:
    """What cannot be settled below a node its parent settles: ``Σ height · min(pos, neg) / H``."""
    height = max(1, tree.height)
    cost = Fraction(0)

    def settle(node: int) -> Fraction:
        nonlocal cost
        below = [settle(child) for child in tree.children(node)] or [extra[int(tree.left[node])]]
        if node == 0 and len(extra) > tree.size:
            below.append(extra[-1])  # the missing value, directly under the root
        rich = sum((part for part in below if part > 0), Fraction(0))
        poor = -sum((part for part in below if part < 0), Fraction(0))
        at = height if node == 0 else int(tree.level[node])
        cost += Fraction(at, height) * min(rich, poor)
        return sum(below, Fraction(0))

    settle(0)
    return cost


def delta_disclosure(
    counts: Counts, reference: Counts, domain: Domain, *, delta: str | None = None, beta: str | None = None
) -> bool:
    """``|ln(q / p)| < δ``, or ``max(q / p, p / q) < 1 + min{β, -ln max p}``; values that everybody has always hold."""
    table = _shares(reference)
    if beta is not None and all(p in {0, 1} for p in table):
        return True
    for q, p in zip(_shares(counts), table, strict=True):
        if p == 0:
            continue
        if q == 0:
            return False
        if beta is None:
            assert delta is not None
            if abs(_ln(q / p)) >= _decimal(Fraction(delta)):
                return False
            continue
        gain = max(q / p, p / q) - 1
        if gain >= Fraction(beta) or _decimal(gain) >= -_ln(max(table)):
            return False
    return True


def delta_disclosure_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        st.fixed_dictionaries({"delta": fractions("1/12", "3")}),
        st.fixed_dictionaries({"beta": fractions("1/12", "3")}),
    )


def _gains_allowed(
    counts: Counts, reference: Counts, ceiling: list[Decimal | Fraction], negative: str | None
) -> bool:
    for q, p, cap in zip(_shares(counts), _shares(reference), ceiling, strict=True):
        above = q > cap if isinstance(cap, Fraction) else _decimal(q) > cap
        if above or (negative is not None and p > 0 and (p - q) / p > Fraction(negative)):
            return False
    return True


def basic_beta_likeness(
    counts: Counts, reference: Counts, domain: Domain, *, beta: str, negative: str | None = None
) -> bool:
    caps = [(1 + Fraction(beta)) * p for p in _shares(reference)]
    return _gains_allowed(counts, reference, caps, negative)


def basic_beta_likeness_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"beta": fractions("1/12", "4")}, optional={"negative": fractions("1/4", "1")}
    )


def beta_likeness(
    counts: Counts, reference: Counts, domain: Domain, *, beta: str, negative: str | None = None
) -> bool:
    caps = [enhanced_cap(p, Fraction(beta)) for p in _shares(reference)]
    return _gains_allowed(counts, reference, caps, negative)


def enhanced_cap(p: Fraction, beta: Fraction) -> Decimal | Fraction:
    """f(p): a fraction where β decides, else a decimal of 80 digits (a logarithm, never equal to a share)."""
    if p in {0, 1}:
        return p
    if -_ln(p) >= _decimal(beta):
        return p * (1 + beta)
    return _PRECISE.multiply(_decimal(p), 1 - _ln(p))


beta_likeness_parameters = basic_beta_likeness_parameters


def rho_privacy(
    counts: Counts, reference: Counts, domain: Domain, *, rho2: str, rho1: str | None = None
) -> bool:
    return all(
        q <= Fraction(rho2)
        for q, p in zip(_shares(counts), _shares(reference), strict=True)
        if rho1 is None or p <= Fraction(rho1)
    )


def rho_privacy_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"rho2": fractions("5/12", "11/12")}, optional={"rho1": fractions("1/12", "1/3")}
    )


def proximity(counts: Counts, reference: Counts, domain: Domain, *, epsilon: str, m: int) -> bool:
    numbers = [Fraction(str(value)) for value in domain.values.tolist()]
    group = [number for number, count in zip(numbers, counts, strict=True) for _ in range(count)]
    return all(
        Fraction(sum(abs(y - x) <= Fraction(epsilon) for y in group), len(group)) <= Fraction(1, m)
        for x in group
    )


proximity.domains = ("numbers",)


def proximity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"epsilon": fractions("0", "4"), "m": st.integers(1, 4)})


def ir_k_anonymity(counts: Counts, reference: Counts, domain: Domain, *, k: int) -> bool:
    return _size(counts) >= k


def ir_k_anonymity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"k": st.integers(1, 8)})


def ir_kl_anonymity(counts: Counts, reference: Counts, domain: Domain, *, k: int, l: int) -> bool:  # noqa: E741
    return _size(counts) >= k and len([count for count in counts if count > 0]) >= l


def ir_kl_anonymity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"k": st.integers(1, 8), "l": st.integers(1, 4)})


def ir_alpha_beta_anonymity(
    counts: Counts, reference: Counts, domain: Domain, *, alpha: str, beta: str
) -> bool:
    """Every record is its own individual: the largest share of one is 1 / n."""
    return Fraction(1, sum(counts)) <= Fraction(alpha) and max(_shares(counts)) <= Fraction(beta)


def ir_alpha_beta_anonymity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"alpha": fractions("1/12", "1"), "beta": fractions("1/12", "1")})


def eir_l_diversity(counts: Counts, reference: Counts, domain: Domain, *, l: int) -> bool:  # noqa: E741
    """One reasoning set: the class itself."""
    return len([count for count in counts if count > 0]) >= l


def eir_l_diversity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"l": st.integers(1, 4)})


def eir_alpha_beta_anonymity(
    counts: Counts, reference: Counts, domain: Domain, *, alpha: str, beta: str
) -> bool:
    return ir_alpha_beta_anonymity(counts, reference, domain, alpha=alpha, beta=beta)


def eir_alpha_beta_anonymity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return ir_alpha_beta_anonymity_parameters()


def minimum_frequency(counts: Counts, reference: Counts, domain: Domain, *, m: int) -> bool:
    """The model that `tests/plugin` brings."""
    return all(count == 0 or count >= m for count in counts)


def minimum_frequency_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"m": st.integers(1, 4)})
