"""People whose quasi-identifiers and sensitive values a release shows together, or of whom an attack makes something certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness import registry
from likeness.errors import PolicyError, Refusal
from likeness.metrics.base import Metric, everybody, generalized, publication_of
from likeness.microdata.grouping import distinct, group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.attacks.base import Attack
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class VulnerableRecords(Metric):
    """Number of people of whom a release gives something away for certain.

    To the letter of the paper ("actual ∩ output") these are the people whose quasi-identifiers and sensitive values stand
    together in the output, exactly as they are. Where a quasi-identifier or a value is generalized that hardly happens,
    whatever can be concluded. With an ``attack`` they are the people of whom it leaves a single possibility.

    Parameters
    ----------
    attack
        The attack that says who is vulnerable, by its name, or a mapping of ``name`` and parameters: one that tells of what
        share of its targets something is certain (``certain``), such as ``membership``. Left out: to the letter.
    normalised
        Divide by the number of people.

    Notes
    -----
    To the letter, a person of two tables is one whose bucket has a single value. A category is a value as it is where it has no
    other, a set of nodes where all of them are leaves. Of several sensitive columns all must be shown; of several records of a
    person one suffices. An attack that draws targets says what holds of those.

    References
    ----------
    Fazal et al. 2023, equation 25 and figure 8A, where nobody is said to be vulnerable in two loosely linked tables.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> VulnerableRecords().measure(mini_table())
    0.0
    >>> VulnerableRecords(attack={"name": "membership", "known": 2})
    VulnerableRecords(attack={'name': 'membership', 'known': 2}, normalised=False)
    """

    attack: Any = None
    normalised: bool = False

    name: ClassVar[str] = "vulnerable-records"
    unasked: ClassVar[bool] = False
    range: ClassVar[str] = "0 to P: 0 when nobody is vulnerable, P when all are; normalised, 0 to 1"
    withheld: ClassVar[str] = (
        "Nobody sees them; an attack may be wrong about them for certain, which it says."
    )
    of_regions: ClassVar[bool] = True
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "vulnerable-records-normalised": {"normalised": True}
    }

    def __post_init__(self) -> None:
        if self.attack is None:
            return
        if "certain" not in self._adversary().explained:
            telling = [
                one
                for one in registry.names("attacks")
                if "certain" in registry.load("attacks", one).explained
            ]
            what = f"attack: {self._adversary().name} does not say of whom something is certain; {', '.join(telling)} do"
            raise PolicyError(Refusal(what, (self.name,)))

    def _adversary(self) -> Attack:
        """Make the attack."""
        given = self.attack if isinstance(self.attack, Mapping) else {"name": self.attack}
        rest = {key: value for key, value in given.items() if key != "name"}
        if not isinstance(given.get("name"), str):
            raise PolicyError(Refusal("attack: say which, as in {name: membership}", (self.name,)))
        try:
            found: Attack = registry.create("attacks", given["name"], rest)
        except PolicyError as problem:
            raise PolicyError(*problem.within(f"{self.name}: attack")) from None
        return found

    def measure(self, evaluation: Evaluation) -> float:
        """Count the people.

        Raises
        ------
        PolicyError
            When the attack is not defined for the release.
        """
        people = everybody(evaluation)
        if self.attack is None:
            found = float(_shown_exactly(evaluation))
        else:
            result = self._adversary().run(publication_of(self.name, evaluation), evaluation.data)
            found = result.details["certain"] * result.details["targets"]
        return found / max(1, people) if self.normalised else found


def _shown_exactly(evaluation: Evaluation) -> int:
    """Count the people with a record whose quasi-identifiers and sensitive values are published together as they are."""
    data, plan = evaluation.data, evaluation.plan
    exact = np.ones(evaluation.recoding.classes, np.bool_)
    for regions in evaluation.recoding.attributes:
        exact &= ~generalized(regions)[regions.of]
    shown = np.append(exact, False)[plan.classes]
    if plan.buckets is not None:
        rows = np.append(
            np.flatnonzero(plan.published), -1 - np.arange(0 if plan.added is None else plan.added.size)
        )
        values = group_codes(
            plan.sensitive_of(data.sensitive_codes, rows), [own.codes for own in data.sensitive]
        )
        width = max(1, values.count)
        held = np.unique(plan.of_rows(plan.buckets, rows) * width + values.of) // width
        single = np.bincount(held, minlength=int(plan.buckets.max(initial=-1)) + 1) == 1
        shown &= np.append(single, False)[plan.buckets]
    for i, own in enumerate(data.sensitive):
        codes = data.sensitive_codes[i]
        if plan.sensitive is not None:
            shown &= plan.sensitive[i] == codes
        shown &= _exactly(evaluation, i, own.codes)[codes]
    return int(shown.sum() if data.individuals is None else distinct(data.individuals[shown]).size)


def _exactly(evaluation: Evaluation, column: int, codes: int) -> NDArray[np.bool_]:
    """(codes,) Whether each code of a sensitive column stands for a single value."""
    data = evaluation.data
    sets = data.sensitive[column].sets
    if sets is not None:
        sizes = np.array([len(own) for own in sets.nodes], np.int64)
        return np.asarray(np.bincount(sets.exactly[0], minlength=sets.count) == sizes)
    if data.source is not None:
        categories = data.source.records.sensitive[column].categories
        assert categories is not None  # noqa: S101  # the highest of which was kept
        return np.array([len(own) == 1 for own in categories.values], np.bool_)
    return np.ones(codes, np.bool_)
