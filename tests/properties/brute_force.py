"""The privacy models by their definitions, in plain fractions: nothing here comes from likeness."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from tests.properties.plain_regions import NUMBERS, Field, place, severity

PRECISE = Context(prec=60)
Model = dict[str, Any]
Row = dict[str, Any]
"""The sensitive values of a record, by column; texts, None for the missing value."""


ABOUT_CATEGORIES = (
    "p-plus-sensitivity",
    "balanced-p-plus-sensitivity",
    "membership-safety",
    "theta-sensitivity",
)
"""Models that judge by categories unless told otherwise."""


def by_category(model: Model) -> bool:
    """Whether a model looks at categories in place of values."""
    return model.get("by") == "categories" or model["model"] in ABOUT_CATEGORIES


def needs_categories(model: Model) -> bool:
    """Whether a model asks for categories of its column."""
    return by_category(model) or model["model"] == "p-alpha-sensitivity"


def category(column: Field, text: str) -> int:
    """Place of a value's category, 0 for the least severe."""
    return next(i for i, own in enumerate(severity(column).values()) if text in own)


def violations(
    models: Sequence[Model],
    sensitive: dict[str, Field],
    rows: list[Row],
    classes: list[Any],
    original: list[Row],
) -> list[str]:
    """Every class, or part of one, that violates a model."""
    found = []
    for model in models:
        for column, groups in views(model, sensitive, rows, classes):
            reference = original if model.get("reference") == "original" else rows
            shares = Counter(value(model, column, row) for row in reference)
            for key, members in groups.items():
                if not satisfied(model, column, Counter(members), shares):
                    found.append(
                        f"{model} on {column and column.name}: {key}: {Counter(members)} of {shares}"
                    )
    return found


def views(
    model: Model, sensitive: dict[str, Field], rows: list[Row], classes: list[Any]
) -> Iterable[tuple[Field | None, dict[Any, list[Any]]]]:
    """Values that a model looks at, grouped as the adversary can."""
    if model["model"] == "k-anonymity":
        groups = defaultdict(list)
        for own in classes:
            groups[own].append(None)
        yield None, groups
        return
    covered = [model["sensitive"]] if model.get("sensitive") else list(sensitive)
    for name in covered:
        others = [other for other in sensitive if other != name]
        known = others if model.get("others", "known") == "known" else []
        groups = defaultdict(list)
        for row, own in zip(rows, classes, strict=True):
            groups[(own, *(row[other] for other in known))].append(value(model, sensitive[name], row))
        yield sensitive[name], groups


def value(model: Model, column: Field | None, row: Row) -> Any:
    """A record's value, or the node above it when values are grouped."""
    if column is None:
        return None
    own = row[column.name]
    if by_category(model):
        return None if own is None else category(column, own)
    level = model.get("level", 0)
    return column.paths[own][level] if level and own is not None else own


def satisfied(model: Model, column: Field | None, group: Counter, table: Counter) -> bool:
    """Whether one class satisfies one model."""
    if column is not None and "values" in column.column:
        return satisfied_of_some(model, column, group, table)
    n, total = group.total(), table.total()
    q = {v: Fraction(group[v], n) for v in {*group, *table}}
    p = {v: Fraction(table[v], total) for v in q}
    match model["model"]:
        case "k-anonymity":
            return n >= model["k"]
        case "distinct-l-diversity":
            return len(+group) >= model["l"]
        case "p-sensitivity" | "p-plus-sensitivity":
            return len(+group) >= model["p"]
        case "balanced-p-plus-sensitivity":
            return len(+group) >= model["p"] and max(group.values()) - min((+group).values()) <= 1
        case "kl-diversity":
            return all(table[v] >= model["k"] and group[v] * model["l"] <= n for v in +group)
        case "p-alpha-sensitivity":
            last = len(severity(column)) - 1
            ranks = [v if by_category(model) else category(column, v) for v in +group]
            return len(ranks) >= model["p"] and sum(Fraction(last - r, last) for r in ranks) >= Fraction(
                model["alpha"]
            )
        case "membership-safety":
            # What is believed of who is of the category below at least; of everybody, for the lowest.
            among = {v: sum(group[w] for w in group if w >= v - 1) for v in group}
            return all(group[v] <= Fraction(model["delta"]) * among[v] for v in group)
        case "theta-sensitivity":
            return n >= model["k"] and varied(model, group, len(+table))
        case "entropy-l-diversity":
            product = Fraction(str(model["l"])) ** n
            for count in group.values():
                product *= count**count
            return n**n >= product
        case "recursive-cl-diversity":
            r = sorted(group.values(), reverse=True)
            return len(r) >= model["l"] and r[0] < Fraction(str(model["c"])) * sum(r[model["l"] - 1 :])
        case "alpha-k-anonymity":
            named = model.get("values")
            limited = [v for v in q if named is None or ("missing" if v is None else v) in named]
            return n >= model["k"] and all(q[v] <= Fraction(str(model["alpha"])) for v in limited)
        case "t-closeness":
            return movement(model, column, q, p) <= Fraction(str(model["t"]))
        case "delta-disclosure" | "basic-beta-likeness" | "beta-likeness":
            return within_limits(model, q, p)
        case "rho-privacy":
            concerned = [v for v in q if "rho1" not in model or p[v] <= Fraction(str(model["rho1"]))]
            return all(q[v] <= Fraction(str(model["rho2"])) for v in concerned)
        case "proximity":
            numbers = [position(column, v) for v in group.elements()]
            epsilon = Fraction(str(model["epsilon"]))
            return all(sum(abs(x - y) <= epsilon for y in numbers) * model["m"] <= n for x in numbers)
    raise AssertionError(model)


def within_limits(model: Model, q: dict[Any, Fraction], p: dict[Any, Fraction]) -> bool:
    """Whether the shares of some values in a class are near enough to those in the table."""
    if model["model"] == "delta-disclosure":
        if "beta" in model:
            return near_in_ratio(Fraction(str(model["beta"])), q, p)
        delta = decimal(Fraction(str(model["delta"])))
        return all(q[v] > 0 and abs(ln(q[v]) - ln(p[v])) < delta for v in q if p[v] > 0)
    least = 1 - Fraction(str(model["negative"])) if "negative" in model else Fraction(0)
    return all(q[v] >= p[v] * least and below_cap(model, q[v], p[v]) for v in q)


def satisfied_of_some(model: Model, column: Field, group: Counter, table: Counter) -> bool:
    """Whether one class satisfies one model, where only some values of the column need protection."""
    n, total = group.total(), table.total()
    own = {v for v in {*group, *table} if column.protected(v)}
    q = {v: Fraction(group[v], n) for v in own}
    p = {v: Fraction(table[v], total) for v in own}
    there = own & {*+group}
    match model["model"]:
        case "distinct-l-diversity" | "p-sensitivity":
            return not there or len(+group) >= model.get("l", model.get("p"))
        case "recursive-cl-diversity":
            return not there or positively_diverse(model, group, there)
        case "alpha-k-anonymity":
            return n >= model["k"] and all(share <= Fraction(str(model["alpha"])) for share in q.values())
        case "t-closeness":
            # All others count as one.
            q["", "others"], p["", "others"] = 1 - sum(q.values()), 1 - sum(p.values())
            return sum((q[v] - p[v] for v in q if q[v] > p[v]), Fraction(0)) <= Fraction(str(model["t"]))
        case "delta-disclosure" | "basic-beta-likeness" | "beta-likeness":
            return within_limits(model, q, p)
    raise AssertionError(model)


def positively_diverse(model: Model, group: Counter, protected: set[Any]) -> bool:
    """Positive-disclosure recursive (c, l)-diversity by its two cases (Machanavajjhala et al. 2006)."""
    c, l = Fraction(str(model["c"])), model["l"]  # noqa: E741
    ranked = sorted(+group, key=lambda v: (-group[v], v not in protected, repr(v)))
    r = [group[v] for v in ranked]
    y = next(i for i, v in enumerate(ranked, 1) if v in protected)
    if y <= l - 1:
        return r[y - 1] < c * sum(r[l - 1 :])
    return r[y - 1] < c * (sum(r[l - 2 : y - 1]) + sum(r[y:]))


def varied(model: Model, group: Counter, categories: int) -> bool:
    """Whether the numbers of the categories of a class have the variance that is asked for."""
    reading = model.get("order", "severity")
    there = sorted(+group, key=lambda v: (-group[v], v) if reading == "frequency" else v)
    number = {v: v if model.get("index") == "category-id" else i for i, v in enumerate(there)}
    records = sum(group.values())
    mean = Fraction(sum(number[v] * group[v] for v in there), records)
    variance = sum((number[v] - mean) ** 2 * group[v] for v in there) / records
    full = Fraction(min(model["k"], categories) ** 2 - 1, 12)
    return full > 0 and variance >= Fraction(model["mu"]) * full


def near_in_ratio(beta: Fraction, q: dict[Any, Fraction], p: dict[Any, Fraction]) -> bool:
    """δ-disclosure with δ = ln(1 + min{β, -ln max p}); values that everybody has always hold it."""
    if all(share in {0, 1} for share in p.values()):
        return True
    if any(q[v] == 0 for v in q if p[v] > 0):
        return False
    gain = max(max(q[v] / p[v], p[v] / q[v]) - 1 for v in q if p[v] > 0)
    return gain < beta and decimal(gain) < -ln(max(p.values()))


def below_cap(model: Model, q: Fraction, p: Fraction) -> bool:
    """Whether confidence in one value grows by no more than it may."""
    if p == 0:
        return q == 0
    if model.get("bound"):
        return q <= model["bound"](p)
    beta = Fraction(str(model["beta"]))
    if model["model"] == "basic-beta-likeness" or beta <= Fraction(-ln(p)):
        return q <= (1 + beta) * p
    return decimal(q) <= PRECISE.multiply(decimal(p), 1 - ln(p))


def ln(x: Fraction) -> Decimal:
    """Natural logarithm."""
    return PRECISE.subtract(PRECISE.ln(Decimal(x.numerator)), PRECISE.ln(Decimal(x.denominator)))


def decimal(x: Fraction) -> Decimal:
    """A fraction as a decimal number."""
    return PRECISE.divide(Decimal(x.numerator), Decimal(x.denominator))


def position(column: Field, text: str) -> Fraction:
    """A sensitive value as a number: days for dates, ranks for declared orders."""
    found = place(column, text)
    return Fraction(found.toordinal() if column.kind == "date" else found)


def distance_of(model: Model, column: Field) -> str:
    """Ground distance that applies."""
    by_kind = dict.fromkeys((*NUMBERS, "ordered"), "ordered") | {"hierarchical": "hierarchical"}
    return model.get("distance") or column.column.get("distance") or by_kind.get(column.kind, "equal")


def movement(model: Model, column: Field, q: dict[Any, Fraction], p: dict[Any, Fraction]) -> Fraction:
    """Earth mover's distance."""
    extra = {v: q[v] - p[v] for v in q}
    distance = distance_of(model, column)
    if distance == "equal":
        return sum((e for e in extra.values() if e > 0), Fraction(0))
    if distance == "ordered":
        ranked = sorted((v for v in p if p[v] > 0), key=lambda v: position(column, v))
        prefixes = [sum(extra[v] for v in ranked[: i + 1]) for i in range(len(ranked) - 1)]
        return sum(map(abs, prefixes), Fraction(0)) / max(1, len(ranked) - 1)
    return tree_movement(column, extra)


def tree_movement(column: Field, extra: dict[Any, Fraction]) -> Fraction:
    """Settle what can be settled below each node, level by level: ``Σ height / H · min(rich, poor)``."""
    height = len(next(iter(column.paths.values()))) - 1
    below = {(leaf,): extra.get(leaf, Fraction(0)) for leaf in column.paths}
    homes = {(leaf,): path for leaf, path in column.paths.items()}
    cost = Fraction(0)
    for level in range(1, height + 1):
        parents: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for node, path in homes.items():
            parents[path[level]].append(node)
        gathered = {sum(nodes, ()): [below[node] for node in nodes] for nodes in parents.values()}
        if level == height:
            only = next(iter(gathered))
            gathered[only].append(extra.get(None, Fraction(0)))
        for amounts in gathered.values():
            rich = sum((a for a in amounts if a > 0), Fraction(0))
            poor = -sum((a for a in amounts if a < 0), Fraction(0))
            cost += Fraction(level, height) * min(rich, poor)
        homes = {leaves: column.paths[leaves[0]] for leaves in gathered}
        below = {leaves: sum(amounts, Fraction(0)) for leaves, amounts in gathered.items()}
    return cost
