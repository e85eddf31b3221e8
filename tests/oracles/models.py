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
    from likeness.microdata.knowledge import Distributions

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


def m_invariance(counts: Counts, reference: Counts, domain: Domain, *, m: int) -> bool:
    """m-unique: no value twice, and m of them."""
    return max(counts) <= 1 and sum(counts) >= m


def m_invariance_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"m": st.integers(1, 4)})


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


def kl_diversity(counts: Counts, reference: Counts, domain: Domain, *, k: int, l: int) -> bool:  # noqa: E741
    there = [number for number, own in enumerate(counts) if own > 0]
    shared = all(reference[number] >= k for number in there)
    return shared and _size(counts) >= l and len(there) >= l and max(counts) * l <= _size(counts)


def kl_diversity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"k": st.integers(1, 6), "l": st.integers(1, 4)})


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


def _beliefs_of(counts: Counts, reference: Distributions) -> list[tuple[list[Fraction], int]]:
    """What is believed of each member of a class, and the member's value; codes are those of a distribution and a value."""
    shares = [[Fraction(int(x), sum(map(int, row))) for x in row] for row in reference.rows]
    return [
        (shares[code // len(shares[0])], code % len(shares[0]))
        for code, count in enumerate(counts)
        for _ in range(count)
    ]


def jensen_shannon(one: Sequence[Fraction], other: Sequence[Fraction]) -> Decimal:
    """In nats."""
    found = Decimal(0)
    for a, b in zip(one, other, strict=True):
        for x in (a, b):
            if x:
                found = _PRECISE.add(found, _PRECISE.multiply(_decimal(x / 2), _ln(2 * x / (a + b))))
    return found


def js_background(
    counts: Counts,
    reference: Distributions,
    domain: Domain,
    *,
    j: str,
    base: int | str = 2,
    odds: str | None = None,
) -> bool:
    members = _beliefs_of(counts, reference)
    unit = Decimal(1) if base == "e" else _ln(Fraction(2))
    values = {value for _, value in members}
    for one, _ in members:
        for other, _ in members:
            # 60 digits: divergences of such small fractions are no nearer to another one.
            if jensen_shannon(one, other) > _PRECISE.multiply(_decimal(Fraction(j)), unit) + Decimal("1e-60"):
                return False
            told = [s for s in values if one[s] or other[s]]
            if odds is None or not told:
                continue
            if any(not one[s] or not other[s] for s in told):
                return False
            ratios = [one[s] / other[s] for s in told]
            if max(ratios) / min(ratios) > Fraction(odds):
                return False
    return True


def js_background_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"j": fractions("0", "1")}, optional={"base": st.sampled_from([2, "e"]), "odds": fractions("1", "9")}
    )


def bt_privacy(
    counts: Counts,
    reference: Distributions,
    domain: Domain,
    *,
    t: str,
    posterior: str = "omega",
    smooth: str | None = None,
) -> bool:
    members = _beliefs_of(counts, reference)
    believe = _omega if posterior == "omega" else _arrangements
    limit = _PRECISE.multiply(_decimal(Fraction(t)), _ln(Fraction(2))) + Decimal("1e-60")
    for x, (own, _) in enumerate(members):
        after = believe(members, x)
        if after is None:
            return Fraction(t) == 1
        both = (own, after)
        if smooth is not None:
            both = (_smoothed(own, domain, Fraction(smooth)), _smoothed(after, domain, Fraction(smooth)))
        if jensen_shannon(*both) > limit:
            return False
    return True


def bt_privacy_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"t": fractions("0", "1")},
        optional={"posterior": st.sampled_from(["omega", "exact"]), "smooth": fractions("1/4", "3")},
    )


def _omega(members: list[tuple[list[Fraction], int]], x: int) -> list[Fraction]:
    """Li, Li & Zhang's estimate of what member x has."""
    n, m = len(members), len(members[0][0])
    counts = [sum(value == s for _, value in members) for s in range(m)]
    totals = [sum(shares[s] for shares, _ in members) for s in range(m)]
    own = members[x][0]
    found = [counts[s] * own[s] / totals[s] if totals[s] else Fraction(counts[s], n) for s in range(m)]
    return [a / sum(found) for a in found] if any(found) else [Fraction(c, n) for c in counts]


def _arrangements(members: list[tuple[list[Fraction], int]], x: int) -> list[Fraction] | None:
    """The share of all arrangements of the class's values in which member x has each, by their weights."""
    m = len(members[0][0])
    others = [tuple(shares) for y, (shares, _) in enumerate(members) if y != x]
    counts = [sum(value == s for _, value in members) for s in range(m)]

    def left(s: int) -> tuple[int, ...]:
        return tuple(count - (u == s) for u, count in enumerate(counts))

    own = members[x][0]
    ways = [own[s] * _ways(tuple(others), left(s)) if counts[s] and own[s] else Fraction(0) for s in range(m)]
    return [a / sum(ways) for a in ways] if any(ways) else None


@cache
def _ways(rows: tuple[tuple[Fraction, ...], ...], counts: tuple[int, ...]) -> Fraction:
    """Sum of the weights of all ways to give the rows as many of each value as are left."""
    if not rows:
        return Fraction(1)
    return sum(
        (
            rows[0][s] * _ways(rows[1:], (*counts[:s], count - 1, *counts[s + 1 :]))
            for s, count in enumerate(counts)
            if count and rows[0][s]
        ),
        Fraction(0),
    )


def _smoothed(shares: Sequence[Fraction], domain: Domain, bandwidth: Fraction) -> list[Fraction]:
    """Nadaraya's and Watson's kernel over the values, as one distribution again."""
    found = []
    for s in range(len(shares)):
        kernel = [
            max(Fraction(0), 1 - (_value_distance(domain, s, u) / bandwidth) ** 2) for u in range(len(shares))
        ]
        found.append(sum(k * a for k, a in zip(kernel, shares, strict=True)) / sum(kernel))
    return [a / sum(found) for a in found]


def _value_distance(domain: Domain, one: int, other: int) -> Fraction:
    if one == other:
        return Fraction(0)
    if domain.distance == "equal" or domain.size in {one, other}:
        return Fraction(1)
    if domain.distance == "ordered":
        return Fraction(abs(one - other), domain.size - 1)
    assert domain.hierarchy is not None
    tree = domain.hierarchy
    ancestors = [
        i for i in range(tree.size) if tree.left[i] <= min(one, other) and tree.right[i] >= max(one, other)
    ]
    lowest = min(ancestors, key=lambda i: int(tree.right[i] - tree.left[i]))
    return Fraction(int(tree.heights()[lowest]), max(1, int(tree.heights()[0])))


def p_sensitivity(counts: Counts, reference: Counts, domain: Domain, *, p: int) -> bool:
    return len([count for count in counts if count > 0]) >= p


def p_sensitivity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"p": st.integers(1, 4)})


p_plus_sensitivity = p_sensitivity
p_plus_sensitivity_parameters = p_sensitivity_parameters
balanced_p_plus_sensitivity_parameters = p_sensitivity_parameters


def balanced_p_plus_sensitivity(counts: Counts, reference: Counts, domain: Domain, *, p: int) -> bool:
    there = [count for count in counts if count > 0]
    return len(there) >= p and all(abs(a - b) <= 1 for a in there for b in there)


def p_alpha_sensitivity(
    counts: Counts, reference: Counts, domain: Domain, *, p: int, alpha: str, by: str = "values"
) -> bool:
    categories = domain.categories
    if by == "values":
        assert categories is not None
        category = [categories.rank[label] + 1 for label in domain.labels]
        last = len(categories.labels)
    else:
        category, last = list(range(1, domain.codes + 1)), domain.codes
    there = [code for code, count in enumerate(counts) if count > 0]
    weights = [Fraction(last - category[code], max(1, last - 1)) for code in there]
    return len(there) >= p and sum(weights) >= Fraction(alpha)


p_alpha_sensitivity.domains = ("categorized",)  # type: ignore[attr-defined]


def p_alpha_sensitivity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"p": st.integers(1, 4), "alpha": fractions("1/12", "3")}, optional={"by": st.just("categories")}
    )


def membership_safety(counts: Counts, reference: Counts, domain: Domain, *, delta: str) -> bool:
    """Who knows the category below one, and so that no lower one is possible, believes in it up to δ; so does who knows none."""
    return all(
        n <= Fraction(delta) * (sum(counts[s - 1 :]) if s else sum(counts)) for s, n in enumerate(counts)
    )


def membership_safety_parameters() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"delta": fractions("1/6", "1")})


def theta_sensitivity(
    counts: Counts,
    reference: Counts,
    domain: Domain,
    *,
    k: int,
    mu: str,
    index: str = "distinct",
    order: str = "severity",
) -> bool:
    there = [(code, n) for code, n in enumerate(counts) if n > 0]
    if order == "frequency":
        there.sort(key=lambda pair: (-pair[1], pair[0]))
    numbers = [code + 1 if index == "category-id" else i for i, (code, _) in enumerate(there, 1)]
    every = [x for x, (_, n) in zip(numbers, there, strict=True) for _ in range(n)]
    mean = Fraction(sum(every), len(every))
    variance = sum((x - mean) ** 2 for x in every) / len(every)
    categories = sum(n > 0 for n in reference)
    return (
        _size(counts) >= k
        and categories > 1
        and variance >= Fraction(mu) * Fraction(min(k, categories) ** 2 - 1, 12)
    )


def theta_sensitivity_parameters() -> st.SearchStrategy[dict[str, Any]]:
    reading = st.sampled_from(
        [{}, {"order": "frequency"}, {"index": "category-id"}, {"index": "distinct", "order": "severity"}]
    )
    given = st.fixed_dictionaries({"k": st.integers(2, 7), "mu": fractions("1/12", "1")})
    return st.builds(lambda a, b: a | b, given, reading)
