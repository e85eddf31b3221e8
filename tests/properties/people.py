"""The privacy models where people have several records, by their definitions: nothing here comes from likeness."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.properties.brute_force import Model, Row, satisfied, value
from tests.properties.plain_regions import Field

PAIRS = ("entropy-l-diversity", "recursive-cl-diversity", "t-closeness", "proximity", "membership-safety")
"""Models that count pairs of a person and a value of theirs; others count the people who have a value."""
Record = tuple[Any, Row]
"""Who it is of, and its sensitive values."""


class OfPeople(Counter):  # type: ignore[type-arg]
    """How many people have each value; a person may have several."""

    people = 0

    def total(self) -> int:
        """Everybody."""
        return self.people


def counted(model: Model, pairs: Iterable[tuple[Any, Any]]) -> Counter[Any]:
    """What a model counts of the records of a class."""
    distinct = set(pairs)
    if model["model"] in PAIRS:
        return Counter(own for _, own in distinct)
    counts = OfPeople(own for _, own in distinct)
    counts.people = len({person for person, _ in distinct})
    return counts


def violations_of_people(
    models: list[Model],
    sensitive: dict[str, Field],
    records: list[Record],
    classes: list[Any],
    original: list[Record],
) -> list[str]:
    """Every class, or part of one, that violates a model."""
    found = []
    for model in models:
        reference = original if model.get("reference") == "original" else records
        for column, groups in views(model, sensitive, records, classes):
            whole = counted(model, ((person, value(model, column, row)) for person, row in reference))
            for key, pairs in groups.items():
                if not holds(model, column, pairs, whole):
                    found.append(f"{model} on {column and column.name}: {key}: {pairs} of {whole}")
    return found


def says_nothing(models: list[Model], sensitive: dict[str, Field], records: list[Record]) -> bool:
    """Whether a bound of one's own lets everybody of a class have every value, or no value is as rare as ρ1 says."""
    one_class = [0] * len(records)
    for model in [model for model in models if "bound" in model or "rho1" in model]:
        for column, _ in views(model, sensitive, records, one_class):
            whole = counted(model, ((person, value(model, column, row)) for person, row in records))
            shares = [Fraction(n, whole.total()) for n in whole.values()]
            bound_ = [p for v, p in zip(whole, shares, strict=True) if column is None or column.protected(v)]
            if "rho1" in model and all(p > Fraction(str(model["rho1"])) for p in shares):
                return True
            if "bound" in model and len(shares) > 1 and all(model["bound"](p) == 1 for p in bound_):
                return True
    return False


def views(
    model: Model, sensitive: dict[str, Field], records: list[Record], classes: list[Any]
) -> Iterable[tuple[Field | None, dict[Any, list[tuple[Any, Any]]]]]:
    """Who has which of the values that a model looks at, grouped as the adversary can."""
    plain = model["model"] in {"k-anonymity", "ir-k-anonymity"}
    covered: list[Any] = [model["sensitive"]] if model.get("sensitive") else list(sensitive)
    for name in [None] if plain else covered:
        known = [other for other in sensitive if other != name and model.get("others", "known") == "known"]
        column = None if name is None else sensitive[name]
        groups = defaultdict(list)
        for (person, row), own in zip(records, classes, strict=True):
            key = (own,) if plain else (own, *(row[other] for other in known))
            groups[key].append((person, value(model, column, row)))
        yield column, groups


def holds(model: Model, column: Field | None, pairs: list[tuple[Any, Any]], whole: Counter[Any]) -> bool:
    """Whether one class holds one model."""
    people: dict[Any, set[Any]] = defaultdict(set)
    for person, own in pairs:
        people[person].add(own)
    values = set().union(*people.values())
    match model["model"]:
        case "ir-k-anonymity":
            return len(people) >= model["k"]
        case "ir-kl-anonymity":
            return len(people) >= model["k"] and len(values) >= model["l"]
        case "eir-l-diversity":
            few = combinations(sorted(values, key=repr), min(model["l"] - 1, len(values)))
            return not any(all(set(named) & own for own in people.values()) for named in few)
        case "ir-alpha-beta-anonymity" | "eir-alpha-beta-anonymity":
            most = max(Counter(person for person, _ in pairs).values())
            having = Counter(own for _, own in set(pairs))
            of = len(people) if model["model"].startswith("eir") else having.total()
            alone = Fraction(most, len(pairs)) <= Fraction(str(model["alpha"]))
            return alone and all(Fraction(n, of) <= Fraction(str(model["beta"])) for n in having.values())
    return satisfied(model, column, counted(model, pairs), whole)
