"""Background knowledge: who is believed beforehand to have what, and what a class's values then say of each of its members."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log2
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack, column_of, histograms
from likeness.attacks.base import AttackResult, check_targets, choose_targets
from likeness.checks import whole
from likeness.errors import PolicyError, suggestion
from likeness.microdata.knowledge import UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.attacks._columns import Histograms
    from likeness.attacks.base import Making
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.knowledge import Knowledge

_STATES = 20
"""Binary logarithm of the most states of one class whose arrangements are all counted; 16 MB of them."""
_ALL_STATES = 1 << 26
"""States of all such classes together, the smallest first: some 10 s of one processor."""
_SAMPLED = 256
"""Records of the largest class that is sampled; above, scaling is off by less than a sample of some seconds."""
_MOST_CELLS = 1 << 27
_EQUAL = 1e-9
"""Beliefs that differ by less than this part are equal."""


@dataclass(frozen=True)
class BackgroundKnowledgeAttack(ColumnAttack):
    """Join what is known of everybody beforehand with the values of their class.

    The adversary knows a distribution ω of the sensitive value of each record (``knowledge`` in the policy), and who is in which
    class. Every way to give the class's values to its members is as likely as the product of ``ω_x(s_x)``; the belief that x has
    s is the part of these ways in which x has it. Guessed is the value believed most; of several, one of them at random.

    Three figures stand side by side: the share of the targets guessed right by knowledge alone (the baseline), by the class alone
    (``by_class``, its most frequent value), and by both (the success). What knowledge adds to the release is both less class
    (``added``). Where all ω of a class are equal, beliefs are the class's shares, and knowledge adds nothing.

    Parameters
    ----------
    knowledge
        Name of what is known, where the policy has several of a column; when left out each is tried, and the result is that of
        the largest success, with ``success:NAME`` of every one in its details.
    targets
        Attack only so many records, drawn at random; all when left out.
    sweeps
        How often the members of a class that is sampled are paired anew and their values exchanged.
    sensitive
        The column the adversary is after. When left out each that something is known of is attacked, and the result is that of
        the largest gain.
    seed
        Of the targets drawn, and of sampling.

    Notes
    -----
    Beliefs are exact where all arrangements can be counted (``exact``): by how full each value is, or each distribution, with up
    to 2²⁰ states a class and 2²⁶ in all, the smallest classes first. Other classes of up to 256 records are sampled (Metropolis;
    ``standard_error`` is the largest). Still larger ones are scaled (Sinkhorn), off by about ``1/|G|``: by .076, .018 and
    .0041 at 8, 32 and 128 records with random beliefs over three values, the largest of a class. No belief is above
    ``ρ c_s / |G|``, with ρ the largest odds of two members over the values of the class (swap the two in every arrangement);
    ``largest_bound`` is the largest of these.

    Where regions overlap, or people of equal quasi-identifiers are in several buckets, the published tables alone do not tell
    everybody's class; the adversary is taken to know it all the same: the worst case, and what anybody knows where regions do not
    overlap. In baseline releases everybody is in one class. In perturbed ones values are drawn anew for each record, so that no
    class has values to share out.

    Knowledge may be wrong. Where it rules out every arrangement of a class, what it thinks impossible counts as 2⁻⁴⁰ there
    (``contradicted``).

    References
    ----------
    Amiri, Yazdani, Shakery & Chinaei 2016, sections 3.2 and 3.3.

    Examples
    --------
    >>> BackgroundKnowledgeAttack(targets=1000)
    BackgroundKnowledgeAttack(sensitive=None, knowledge=None, targets=1000, sweeps=10000, seed=0)
    """

    knowledge: str | None = None
    targets: int | None = None
    sweeps: int = 10_000
    seed: int = 0

    name: ClassVar[str] = "background-knowledge"
    forms: ClassVar[frozenset[str] | None] = frozenset(
        {"anatomized", "angelized", "baseline", "generalized", "microaggregated", "mixed"}
    )
    takes_knowledge: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "share guessed right by knowledge alone",
        "by_class": "share guessed right by the class alone, from its most frequent value",
        "added": "what knowledge adds to the class: success less by_class",
        "mean_belief": "mean belief in the true values",
        "largest_belief": "largest belief in one value",
        "largest_bound": "largest belief that the odds within classes allow",
        "uncertainty": "entropy of the beliefs over that of the class's shares, on average; 1: knowledge tells nothing",
        "largest_change": "largest Jensen-Shannon divergence of belief and knowledge, in bits",
        "exact": "share of targets whose beliefs are exact",
        "sampled": "share of targets whose beliefs are estimated from a sample of arrangements",
        "standard_error": "largest standard error of a sampled belief",
        "contradicted": "share of targets in classes whose values the knowledge rules out",
        "classes": "classes attacked",
        "targets": "records attacked",
    }

    def __post_init__(self) -> None:
        if self.knowledge is not None and not isinstance(self.knowledge, str):
            raise PolicyError(f"{self.name}: knowledge must be the name of one; got {self.knowledge!r}")
        check_targets(self.name, self.targets, self.seed)
        whole(self.name, "sweeps", self.sweeps, at_least=64)

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        problem = super().inapplicable(publication, original)
        if problem is not None:
            return problem
        if not original.knowledge:
            return self._refused(
                "nothing says what an adversary may know beforehand",
                "say it in the policy, as in knowledge: {kernel: {bandwidth: 0.3}}",
            )
        names = [own.name for own in original.knowledge if own.name is not None]
        if self.knowledge is not None and self.knowledge not in names:
            return self._refused(
                f"no knowledge is called {self.knowledge!r}{suggestion(self.knowledge, names)}"
            )
        if not self.columns(publication, original):
            about = "" if self.sensitive is None else f" about {self.sensitive!r}"
            return self._refused(f"nothing is known beforehand{about}")
        return None

    def columns(self, publication: Publication, original: Microdata) -> list[str]:
        """Names of the columns that something is known of."""
        return [name for name in super().columns(publication, original) if self._known(original, name)]

    def attack_column(
        self, publication: Publication, original: Microdata, making: Making | None, sensitive: str
    ) -> AttackResult:
        """Attack the classes."""
        making = self.insist(making, "who is in which class")
        plan = making.plan
        column = column_of(original.sensitive, sensitive)
        shown = original.sensitive_codes if plan.sensitive is None else plan.sensitive
        labels = plan.classes if plan.buckets is None else plan.buckets
        records = np.flatnonzero(plan.published)
        of = np.unique(labels[records], return_inverse=True)[1].reshape(-1).astype(np.int64)
        if not publication.tells_classes:
            of = np.zeros(records.size, np.int64)
        chosen = choose_targets(records.size, self.targets, self.seed)
        if chosen.size < records.size:
            kept = np.isin(of, of[chosen])
            target = np.zeros(records.size, np.bool_)
            target[chosen] = True
            records, of, target = (
                records[kept],
                np.unique(of[kept], return_inverse=True)[1].reshape(-1),
                target[kept],
            )
        else:
            target = np.ones(records.size, np.bool_)
        found = histograms(of, shown[column][records], original.sensitive[column].codes)
        truth = original.sensitive_codes[column][records]
        results = {}
        for own in self._known(original, sensitive):
            world = Joint(found, of, own, records)
            world.believe(self)
            results[own.name or sensitive] = self._result(world, truth, target, sensitive)
        most = max(results.values(), key=lambda one: one.success)
        each = {f"success:{name}": one.success for name, one in results.items()}
        return most if len(results) == 1 else replace(most, details={**most.details, **each})

    def _known(self, original: Microdata, column: str) -> list[Knowledge]:
        """What is known of a column, and asked about."""
        return [
            own
            for own in original.knowledge
            if own.sensitive == column and self.knowledge in {None, own.name}
        ]

    def _result(
        self, world: Joint, truth: NDArray[np.int32], target: NDArray[np.bool_], sensitive: str
    ) -> AttackResult:
        """Say what came of it; ``truth`` (n,) is the code of each record, ``target`` (n,) whether it is a target."""
        size = max(1, int(np.count_nonzero(target)))

        def mean(of_records: NDArray[Any]) -> float:
            return float(of_records[target].sum() / size)

        both, alone = world.guessed(truth)
        class_of = world.class_of
        of_target = np.zeros(world.histograms.sizes.size, np.bool_)
        of_target[class_of[target]] = True
        cells = of_target[world.class_of_cell]
        exact, sampled = world.looked_at
        success = mean(both)
        return AttackResult(
            self.name,
            success,
            mean(world.guessed_before(truth)),
            f"share of targets whose {sensitive!r} is guessed from what was known beforehand and the values of their class",
            {
                "by_class": mean(alone),
                "added": success - mean(alone),
                "mean_belief": mean(world.belief_in(truth)),
                "largest_belief": min(1.0, float(world.found[cells].max(initial=0.0))),
                "largest_bound": float(world.bounds[of_target].max(initial=0.0)),
                "uncertainty": mean(world.uncertainty[world.unit_of]),
                "largest_change": float(world.changes[of_target[world.unit_class]].max(initial=0.0)),
                "exact": mean(exact[class_of]),
                "sampled": mean(sampled[class_of]),
                "standard_error": float(world.errors[cells].max(initial=0.0)),
                "contradicted": mean(world.contradicted[class_of]),
                "classes": float(np.count_nonzero(of_target)),
                "targets": float(np.count_nonzero(target)),
            },
        )


class Joint:
    """What the adversary works with: classes, the distributions of their members (units), a cell for each value of each unit."""

    def __init__(
        self, found: Histograms, class_of: NDArray[np.int64], known: Knowledge, records: NDArray[np.int64]
    ) -> None:
        self.histograms, self.class_of, self.known = found, class_of, known
        classes, count = found.sizes.size, known.distributions.count
        self.distribution_of = known.of[records].astype(np.int64)
        keys, unit_of, members = np.unique(
            class_of * count + self.distribution_of, return_inverse=True, return_counts=True
        )
        self.unit_of, self.members = unit_of.reshape(-1), members.astype(np.int64)
        self.unit_class, self.distributions = keys // count, keys % count
        self.first_value = np.searchsorted(found.class_of, np.arange(classes + 1)).astype(np.int64)
        self.first_unit = np.searchsorted(self.unit_class, np.arange(classes + 1)).astype(np.int64)
        self.values, self.units = np.diff(self.first_value), np.diff(self.first_unit)
        self.places = np.concatenate([[0], np.cumsum(self.values * self.units)]).astype(np.int64)
        within = np.arange(self.unit_class.size) - self.first_unit[self.unit_class]
        self.unit_place = self.places[self.unit_class] + within * self.values[self.unit_class]
        self.how = np.zeros(classes, np.int64)
        self.contradicted = np.zeros(classes, np.bool_)

    @cached_property
    def unit_of_cell(self) -> NDArray[np.int64]:
        """(cells,) Unit of each cell."""
        return np.repeat(np.arange(self.unit_class.size), self.values[self.unit_class])

    @cached_property
    def class_of_cell(self) -> NDArray[np.int64]:
        """(cells,) Class of each cell."""
        return np.asarray(self.unit_class[self.unit_of_cell])

    @cached_property
    def entry_of_cell(self) -> NDArray[np.int64]:
        """(cells,) Entry of each cell's value in the histograms."""
        within = np.arange(int(self.places[-1])) - self.unit_place[self.unit_of_cell]
        return np.asarray(self.first_value[self.class_of_cell] + within)

    def believe(self, attack: BackgroundKnowledgeAttack) -> None:
        """Find the beliefs; refuses classes of so many distributions and values that they fit in no memory."""
        from likeness.attacks.background_knowledge.kernels import believe

        if int(self.places[-1]) > _MOST_CELLS:
            raise PolicyError(
                f"{attack.name}: {int(self.places[-1]):,} beliefs do not fit; attack fewer targets, as in targets=1000"
            )
        self.how = self._ways()
        self.found, self.errors = np.zeros(int(self.places[-1])), np.zeros(int(self.places[-1]))
        believe(
            self.how, self.first_value, self.histograms.value, self.histograms.count, self.first_unit,
            self.distributions, self.members, self.places, self.known.distributions.shares, 1 / UNIT,
            attack.sweeps, attack.seed, self.found, self.errors, self.contradicted,
        )  # fmt: skip

    def _ways(self) -> NDArray[np.int64]:
        """(E,) How each class is looked at: see `likeness.attacks.background_knowledge.kernels`."""
        from likeness.attacks.background_knowledge.kernels import BALANCED, EVEN, EXACT, SAMPLED

        found = self.histograms
        by_value = np.add.reduceat(np.log2(found.count + 1), self.first_value[:-1])
        by_member = np.add.reduceat(np.log2(self.members + 1), self.first_unit[:-1])
        states = np.minimum(by_value, by_member)
        how = np.where(found.sizes <= _SAMPLED, SAMPLED, BALANCED)
        order = np.argsort(states, kind="stable")
        order = order[states[order] <= min(_STATES, log2(_ALL_STATES))]
        how[order[np.cumsum(np.exp2(states[order])) <= _ALL_STATES]] = EXACT
        how[(self.values == 1) | (self.units == 1)] = EVEN
        return how.astype(np.int64)

    @property
    def looked_at(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(E,) Whether beliefs are exact, and whether they are sampled."""
        from likeness.attacks.background_knowledge.kernels import EVEN, EXACT, SAMPLED

        return (self.how == EVEN) | (self.how == EXACT), self.how == SAMPLED

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """(E,) Largest ``ρ c_s / |G|`` of each class, at most 1; 1 where no arrangement is possible."""
        from likeness.kernels.beliefs import odds

        found = self.histograms
        log_odds = odds(
            self.first_unit,
            self.distributions,
            self.first_value,
            found.value,
            self.known.distributions.shares,
        )
        most = np.maximum.reduceat(found.count, self.first_value[:-1]) / found.sizes
        with np.errstate(over="ignore"):
            return np.where(self.contradicted, 1.0, np.minimum(1.0, np.exp(log_odds) * most))

    @cached_property
    def uncertainty(self) -> NDArray[np.float64]:
        """(units,) Entropy of the belief over that of the class's shares; 1 where the class has one value."""
        from likeness.attacks.background_knowledge.kernels import EVEN

        found = self.histograms
        shares = found.count / found.sizes[found.class_of]
        own = np.add.reduceat(_entropy(self.found), self.unit_place)
        of_class = np.add.reduceat(_entropy(shares), self.first_value[:-1])[self.unit_class]
        alike = self.how[self.unit_class] == EVEN
        return np.where(alike, 1.0, own / np.where(alike, 1.0, of_class))

    @cached_property
    def changes(self) -> NDArray[np.float64]:
        """(units,) Jensen-Shannon divergence of belief and knowledge, in bits."""
        before = self.known.distributions.shares[
            self.distributions[self.unit_of_cell], self.histograms.value[self.entry_of_cell]
        ]
        terms = _entropy((before + self.found) / 2) - (_entropy(before) + _entropy(self.found)) / 2
        # Values that nobody of the class has, are half as likely in the middle.
        elsewhere = 1.0 - np.add.reduceat(before, self.unit_place)
        return np.asarray(np.add.reduceat(terms, self.unit_place) + elsewhere / 2)

    def guessed(self, truth: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(n,) Chance that each record's value ``truth`` is guessed by knowledge and class, and by the class alone."""
        tied = self.found >= np.maximum.reduceat(self.found, self.unit_place)[self.unit_of_cell] * (
            1 - _EQUAL
        )
        ties = np.add.reduceat(tied.astype(np.float64), self.unit_place)
        entry, cell = self._locate(truth)
        both = np.where(cell >= 0, tied[cell] / ties[self.unit_of], 0.0)
        count, first = self.histograms.count, self.first_value[:-1]
        frequent = count == np.maximum.reduceat(count, first)[self.histograms.class_of]
        number = np.add.reduceat(frequent.astype(np.float64), first)
        return both, np.where(entry >= 0, frequent[entry] / number[self.class_of], 0.0)

    def guessed_before(self, truth: NDArray[np.int32]) -> NDArray[np.float64]:
        """(n,) Chance that each record's value is guessed by knowledge alone."""
        rows = self.known.distributions.rows
        # Equal shares may be rounded to two neighbouring multiples.
        tied = rows >= rows.max(axis=1, keepdims=True) - 1
        return np.asarray(tied[self.distribution_of, truth] / tied.sum(axis=1)[self.distribution_of])

    def belief_in(self, truth: NDArray[np.int32]) -> NDArray[np.float64]:
        """(n,) Belief in each record's value."""
        cell = self._locate(truth)[1]
        return np.where(cell >= 0, self.found[cell], 0.0)

    def _locate(self, truth: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(n,) Entry and cell of each record's value; -1 where its class has none of it."""
        found, width = self.histograms, self.known.distributions.values
        keys, wanted = found.class_of * width + found.value, self.class_of * width + truth
        entry = np.searchsorted(keys, wanted)
        there = np.append(keys, -1)[entry] == wanted
        cell = self.unit_place[self.unit_of] + entry - self.first_value[self.class_of]
        return np.where(there, entry, -1), np.where(there, cell, -1)


def _entropy(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """``-x log2 x`` of each share, 0 at 0."""
    return np.asarray(-shares * np.log2(np.where(shares > 0, shares, 1.0)))
