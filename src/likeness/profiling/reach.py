"""The strongest parameters a table can meet: those of the whole table taken as one class.

The guarantee that is proposed: k-anonymity, and β-likeness or l-diversity on every sensitive column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.exact import float_above, smallest_sizes
from likeness.microdata.domain import Domain
from likeness.microdata.grouping import distinct
from likeness.microdata.statistics import ClassStatistics
from likeness.models.base import SensitiveAttribute
from likeness.models.beta_bounds import enhanced_limit
from likeness.models.entropy_l_diversity import EntropyLDiversity
from likeness.models.recursive_cl_diversity import RecursiveClDiversity
from likeness.profiling.persons import keys_of
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells
    from likeness.profiling.persons import Persons

BETAS = (1, 2, 4)
"""Bounds of β-likeness whose smallest classes are shown."""
_RANKS = (2, 3, 4, 5)
_RARE = 3
_MOST_VALUES = 200
_COVERED = 0.99
_ROOM = 20
"""β-likeness is proposed when the classes that its values need are at most this part of the table."""


@dataclass(frozen=True)
class RareValue:
    """A sensitive value that few have; records are counted, or people where these are.

    ``smallest_class``: β to the size of the smallest class that may hold it under enhanced β-likeness.
    """

    label: str
    count: int
    smallest_class: dict[int, int]


@dataclass(frozen=True)
class StrongestParameters:
    """The strongest parameters a sensitive column can meet in this table.

    β-likeness, t-closeness and δ-disclosure can be met with any parameter: the whole table as one class has the
    distribution it is compared with. What they cost is told by the smallest classes of rare values.

    Where people are counted, α, the smallest classes and what suits β-likeness are of people: shares are people who have a
    value, of all people. l and c are of distinct pairs of a person and a value, as these models count them.

    ``values``: different ones, the missing one included: the largest l of distinct l-diversity.
    ``entropy_l``: largest l of entropy l-diversity, not rounded up.
    ``recursive_c``: l to the c that recursive (c,l)-diversity must exceed.
    ``alpha``: smallest α of (α,k)-anonymity, not rounded down: the share of the most frequent value.
    ``rare``: the rarest values, the rarest first.
    ``suits_beta``: whether β-likeness with β = 4 can be met in classes that are small beside the table.
    ``people``: how many, where they are counted instead of records; else None, and so is ``eir_l``.
    ``eir_l``: an l of eir-l-diversity that is surely met: fewer values, even the most frequent ones, are had by fewer
    people than there are. The largest one may be larger.
    """

    column: str
    values: int
    entropy_l: float
    recursive_c: dict[int, float]
    alpha: float
    rare: tuple[RareValue, ...]
    suits_beta: bool
    people: int | None = None
    eir_l: int | None = None

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        counted = "records" if self.people is None else "people"
        rare = [
            {
                "value": value.label,
                counted: value.count,
                "smallest_class": {str(beta): size for beta, size in value.smallest_class.items()},
            }
            for value in self.rare
        ]
        return {
            "column": self.column,
            "counted": counted,
            "distinct_l": self.values,
            "entropy_l": self.entropy_l,
            "recursive_c_above": {str(rank): c for rank, c in self.recursive_c.items()},
            "alpha": self.alpha,
            "rare_values": rare,
            "suits_beta_likeness": self.suits_beta,
            **({} if self.eir_l is None else {"eir_l_at_least": self.eir_l}),
        }


def measure_reach(cells: Cells, person: Cells | None = None) -> StrongestParameters:
    """Measure what a sensitive column can meet.

    ``person``: the column that the policy counts people by, where they have several records; None to count records.
    """
    counts, total = _counted(cells, person)
    places = np.arange(counts.size)
    pairs = np.array([int(counts.sum())])
    whole = ClassStatistics(pairs, counts.size, np.zeros_like(places), places, counts)
    domain = Domain(cells.name, "categorical", np.zeros(0, object), "set")
    attribute = SensitiveAttribute(domain, counts)
    entropy = EntropyLDiversity(1).bind_to(attribute).strongest(whole).values["l"]
    recursive = {
        rank: RecursiveClDiversity(1, rank).bind_to(attribute).strongest(whole).values["c"]
        for rank in _RANKS
        if rank <= counts.size
    }
    order = np.argsort(counts, kind="stable")[:_RARE]
    rare = tuple(
        RareValue(_label(cells, int(i)), int(counts[i]), {beta: smallest_class(int(counts[i]), total, beta) for beta in BETAS})
        for i in order
    )  # fmt: skip
    alpha = float_above(Fraction(int(counts.max()), total))
    found = StrongestParameters(
        cells.name, counts.size, entropy, recursive, alpha, rare, _suits(counts, total)
    )
    if person is None:
        return found
    covered = np.cumsum(np.sort(counts)[::-1])
    return replace(found, people=total, eir_l=min(counts.size, 1 + int(np.count_nonzero(covered < total))))


def smallest_class(count: int, total: int, beta: int) -> int:
    """Size of the smallest class that may hold a value under enhanced β-likeness: at least ``1 / f(p)``, rounded up.

    ``p`` is ``count / total``, of records or of people.

    >>> smallest_class(2, 19, 2)  # f(2/19) = 6/19 (Cao & Karras 2012, Example 2)
    4
    """
    return int(smallest_sizes(enhanced_limit(Fraction(count, total), Fraction(beta)), 1)[0])


def _counted(cells: Cells, person: Cells | None) -> tuple[NDArray[np.int64], int]:
    """(m,) Records of each value and of the table; people, where these are counted: whoever has a value has it once."""
    if person is None:
        counts = np.append(cells.counts, cells.missing) if cells.missing else cells.counts
        return counts, cells.height
    pairs = distinct(person.groups().astype(np.int64) * cells.radix + cells.groups())
    return np.bincount(pairs % cells.radix, minlength=cells.radix), person.radix


def _suits(counts: NDArray[np.int64], total: int) -> bool:
    """Whether the values of nearly all records (or people) fit in classes that are small beside the table."""
    if counts.size > _MOST_VALUES:
        return False
    sizes, values = np.unique(counts, return_counts=True)
    needed = np.array([smallest_class(int(count), total, max(BETAS)) for count in sizes])
    held = np.cumsum((sizes * values)[np.argsort(needed, kind="stable")])
    most = int(np.sort(needed)[np.searchsorted(held, _COVERED * int(counts.sum()))])
    return most <= max(5, total // _ROOM)


def _label(cells: Cells, code: int) -> str:
    """Text of a value."""
    return "missing" if code >= cells.distinct else str(cells.values[code])


K, BETA, L = 5, 4, 3
_MOST_OF_TABLE = 4
"""With several records a person, k is raised to cover `K` people if the table holds so many classes of that size."""


@dataclass(frozen=True)
class Proposal:
    """One privacy model of the proposed policy, as its file has it under ``privacy``, and why, in a sentence."""

    model: dict[str, Any]
    reason: str


def propose_guarantee(
    records: int,
    persons: Persons,
    sensitive: Mapping[str, Cells],
    reaches: Sequence[StrongestParameters],
    *,
    of_people: bool = False,
) -> tuple[Proposal, ...]:
    """Propose models that the table can meet: k-anonymity, and one for each sensitive column.

    ``of_people``: whether the policy names the column that people are counted by. With several sensitive columns, their
    models say ``others: unknown`` unless all hold for who knows the other columns, and always where people are counted.
    """
    found = [_k_of_individuals(persons.people) if of_people else _k_anonymity(records, persons)]
    models = {reach.column: _on(reach) for reach in reaches}
    # What people who know one sensitive value of a person with several records may learn is not looked into here.
    known = len(models) < 2 or (
        not of_people
        and all(_holds_when_known(sensitive, name, proposal.model) for name, proposal in models.items())
    )
    for proposal in models.values():
        model = proposal.model if known else {**proposal.model, "others": "unknown"}
        reason = proposal.reason
        if len(models) > 1 and known:
            reason += "; whoever knows the other sensitive columns is covered"
        elif not known:
            why = "a profile does not look into what other records of a person tell" if of_people else ""
            why = why or "nobody who knows the other sensitive columns can be covered here"
            reason += f"; other sensitive columns are taken as unknown, because {why}"
        found.append(Proposal(model, reason))
    return tuple(found)


def identity_reserved(reaches: Sequence[StrongestParameters]) -> tuple[dict[str, Any], ...]:
    """Give the models to ask for instead where one person's records are to be published under one number.

    As a policy file has them under ``privacy``; none where no people are counted, or there is only one.
    """
    people = max((reach.people or 0 for reach in reaches), default=0)
    if people < 2:
        return ()
    unknown = {"others": "unknown"} if len(reaches) > 1 else {}
    return (
        {"model": "ir-k-anonymity", "k": min(K, people)},
        *(
            {"model": "eir-l-diversity", "l": min(L, reach.eir_l), "sensitive": reach.column, **unknown}
            for reach in reaches
            if reach.eir_l is not None and reach.eir_l > 1
        ),
    )


def _k_of_individuals(people: int) -> Proposal:
    """k-anonymity where classes count people."""
    model = {"model": "k-anonymity", "k": min(K, people)}
    if people < K:
        return Proposal(model, f"the table has only {count(people, 'person', 'people')}: all are one class")
    return Proposal(model, "nobody can be told from fewer than k - 1 other people by the quasi-identifiers")


def _k_anonymity(records: int, persons: Persons) -> Proposal:
    """k-anonymity: of people, where several records of one can be outweighed."""
    k = min(K, records)
    reason = "nobody can be told from fewer than k - 1 others by the quasi-identifiers"
    if k < K:
        return Proposal(
            {"model": "k-anonymity", "k": k},
            f"the table has only {count(records, 'record')}: all are one class",
        )
    if persons.column is None:
        return Proposal({"model": "k-anonymity", "k": k}, reason)
    enough = (K - 1) * persons.most + 1
    if enough * _MOST_OF_TABLE <= records:
        reason = f"records of at least {K} people in every class, as nobody has more than {persons.most:,}"
        return Proposal({"model": "k-anonymity", "k": enough}, reason)
    reason = f"k counts records, and one person has up to {persons.most}: a class may hold a single person"
    return Proposal({"model": "k-anonymity", "k": k}, reason)


def _on(reach: StrongestParameters) -> Proposal:
    """β-likeness where its classes stay small; else distinct l-diversity."""
    if reach.suits_beta:
        model = {"model": "beta-likeness", "beta": BETA, "sensitive": reach.column}
        return Proposal(
            model,
            f"no class may raise the share of a value to more than {1 + BETA} times its share in the table; "
            "how many people are in a class it leaves to k-anonymity",
        )
    l = min(L, reach.values)  # noqa: E741  # the literature's name
    reason = f"{count(reach.values, 'value')}, too many or too rare for beta-likeness"
    return Proposal({"model": "distinct-l-diversity", "l": l, "sensitive": reach.column}, reason)


def _holds_when_known(sensitive: Mapping[str, Cells], name: str, model: Mapping[str, Any]) -> bool:
    """Whether the whole table as one class holds a model for an adversary who knows the other sensitive columns.

    Doubt at the last digit counts as no.
    """
    own = sensitive[name]
    known = keys_of([cells for other, cells in sensitive.items() if other != name])
    entries, counts = np.unique(known * own.radix + own.groups(), return_counts=True)
    part, value = entries // own.radix, entries % own.radix
    if model["model"] == "distinct-l-diversity":
        return bool((np.bincount(part) >= model["l"]).all())
    sizes = np.bincount(known)[part]
    shares = np.bincount(own.groups(), minlength=own.radix)
    caps = np.array(
        [float(enhanced_limit(Fraction(int(size), own.height), Fraction(BETA))) for size in shares]
    )
    return bool((counts / sizes <= caps[value] * (1 - 1e-9)).all())
