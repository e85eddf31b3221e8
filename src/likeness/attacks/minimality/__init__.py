"""Minimality (Wong et al. 2007): the adversary knows the method, and asks why it published just these classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._columns import ColumnAttack, column_of, share_limits
from likeness.attacks.base import AttackResult
from likeness.attacks.minimality.rerun import (
    CHAINS,
    Beliefs,
    ClassTable,
    Rerun,
    Walk,
    arrangements,
    learn_places,
    lifts,
    places,
)
from likeness.checks import check_seed, whole
from likeness.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.attacks.base import Making
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata

_ENOUGH = 50
"""Arrangements that must have been kept before they are trusted; else chains look for more."""
_FEWEST = 20
_RECORDS_A_CLASS = 50_000
"""Records to run the method on for one class."""
_RECORDS_OF_CHAINS = 2_000_000
_BALANCING_ROUNDS = 500
_FEWEST_SIMULATIONS, _MOST_SIMULATIONS = 2, 10
_RECORDS_OF_SIMULATIONS = 2_000_000
_WORK_OF_SIMULATIONS = 10_000_000_000
"""Steps (`Method.work`) that the runs may take together, some 20 s of one processor."""


@dataclass(frozen=True)
class MinimalityAttack(ColumnAttack):
    """Run the method again on what might have been, and see which arrangements of its values a class rules out.

    The adversary knows the method with its parameters, the guarantee, everybody's quasi-identifiers, who is in
    which class and the values of every class. Before, each member of a class G has value s with ``c_s / |G|``. The
    success is the mean probability that the adversary gives a target's true value after running the method, the
    baseline the same before; the gain is what knowing the method adds.

    Parameters
    ----------
    classes
        How many classes to attack, drawn at random; all when left out.
    permutations
        How many arrangements of its values to try for a class; all there are, each once, when they are no more. In
        classes of many members fewer: as many as make 50,000 records, and at least 20.
    simulations
        How many imagined tables to run methods on that do not cut from above. When left out as many as make
        2,000,000 records and, by `Method.work`, 10,000,000,000 steps, but at least 2 and at most 10: large tables
        teach as much in fewer runs. The result says how many it were.
    whole_table
        For methods that cut from above: run on the whole table, the other classes as they are, instead of on the
        class alone. Also finds cuts further up that other values would have changed; exact, and for small tables.
    sensitive
        The column the adversary is after. When left out each is attacked, and the result is that of the largest
        gain, with ``success:COLUMN`` of every one in its details.
    seed
        Of everything drawn.

    Notes
    -----
    *Methods that cut from above* (`Method.cuts_from_above`: strict Mondrian). The method is run on a class's members
    with their values in another arrangement; when it leaves them whole, the arrangement is kept, and the posterior is
    the frequency among those kept, all being as likely. With ``cut: widest`` this is exactly when the method on the
    whole table would publish the same classes, as every cut above is judged by whole classes; otherwise a cut further
    up may come out differently too (``whole_table``). Where fewer than 50 random arrangements are kept (half, where
    fewer than 100 are tried: large classes), chains that start at the truth deal some members' values anew and stay
    where they are when the method would split the class; the first half of each is thrown away. Classes whose
    members were then moved less than 5 times on average are left out as undecided: their chains still remember the
    truth, and would make the attack look better than it is. For the same reason the truth is not added to the
    arrangements kept.

    *All other methods* depend on random numbers or on more than a class, and the chance that they publish
    exactly these classes cannot be had by trying. The adversary imagines tables with everybody's
    quasi-identifiers and the sensitive values dealt at random, runs the method on them, learns how far from the middle
    of their class the holders of each value come to lie, and scales each class's shares by that (rows to 1,
    values to their counts). What this finds is a lower bound on what there is to be found.

    *BUREL is not immune*, contrary to section 7 of the paper. It never looks at the values within a bucket, so within
    one every arrangement is as likely, exactly. But which bucket a record is in decides whether a class reaches for it.
    Six people of ages 6, 46, 59, 164, 176 and 179, of whom two have a (at 6 and 59) and four b, under 1-likeness: literal
    BUREL publishes {46, 59, 164} and {6, 176, 179}, an a in each, with chance 1/2. Whoever knows BUREL then knows that
    the one of 6 has a: with b, the class of 46 and 59 would have taken them and not the one of 164. The belief in a
    goes from 1/3 to 1, and f(1/3) is 2/3. The same with mirror assembly (``variant="mirror"``) for 60, 77, 110, 162, 183
    and 184, with a at 60 and 77; the tests enumerate both. Over 200 random tables of eight people, two of whom have
    the rare value, 22 % of these two get a belief above f from literal BUREL and 17 % are certain (all random choices
    counted).

    In larger tables, with values dealt at random to 2,000 people of random ages (2 %, 18 %, 40 % and 40 %, β = 4), the
    rarest value is 3 times as frequent in the middle of classes as elsewhere (``paper``: the seed has it), or 10 to 30
    times among those far from the others (``mirror``), where a belief in it then goes up by .77 (standard error .11).
    On Adult (β = 4; age, sex and education; occupation) the largest increase is .28 (.04) for ``paper`` and .31 (.02)
    for ``mirror``, and the mean belief in the truth goes up by .003 and .004, that of least-loss Mondrian by .001 (.001).

    Guarantees against background knowledge put only people believed alike into one class, whatever values they have. What is
    believed of somebody stays theirs in imagined tables, though what was learnt from the table itself (``kernel``) would change
    with it: how that gives values away is not looked for.

    References
    ----------
    Wong, Fu, Wang & Pei 2007, "Minimality attack in privacy preserving data publishing"; Cormode, Li, Li &
    Srivastava 2010, "Minimizing minimality and maximizing utility".

    Examples
    --------
    >>> MinimalityAttack(classes=20, permutations=50, simulations=2)
    MinimalityAttack(sensitive=None, classes=20, permutations=50, simulations=2, whole_table=False, seed=0)
    """

    classes: int | None = 50
    permutations: int = 100
    simulations: int | None = None
    whole_table: bool = False
    seed: int = 0

    name: ClassVar[str] = "minimality"
    forms: ClassVar[frozenset[str] | None] = frozenset({"anatomized", "generalized"})
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same for an adversary who does not know the method",
        "standard_error": "of the success, by what was drawn",
        "largest_increase": "largest increase of a probability over the value's share in the class",
        "largest_increase_error": "its standard error",
        "above_limit": "share of targets whose true value is given more than its limit, by two standard errors",
        "kept": "share of the arrangements the method would have published the same",
        "exact": "share of the classes whose arrangements were all tried",
        "chained": "share of the classes that needed chains of exchanges",
        "undecided": "share of the classes left out: chains were stuck, or the method does not make the class of the truth",
        "arrangements": "arrangements of a class's values that the method was run on, in all classes and chains",
        "simulations": "imagined tables that the method was run on",
        "classes": "classes attacked",
        "targets": "records attacked",
    }

    def __post_init__(self) -> None:
        if self.classes is not None:
            whole(self.name, "classes", self.classes, at_least=1)
        whole(self.name, "permutations", self.permutations, at_least=2)
        if self.simulations is not None:
            whole(self.name, "simulations", self.simulations, at_least=2)
        check_seed(self.name, self.seed)
        if not isinstance(self.whole_table, bool):
            raise PolicyError(f"{self.name}: whole_table must be true or false; got {self.whole_table!r}")

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        problem = super().inapplicable(publication, original)
        if problem is None and any(domain.max_level is not None for domain in original.quasi):
            return self._refused("is not defined for releases with hierarchy level limits (max_level)")
        return problem

    def attack_column(
        self,
        publication: Publication,  # noqa: ARG002
        original: Microdata,
        making: Making | None,
        sensitive: str,
    ) -> AttackResult:
        """Attack the members of the classes."""
        making = self.insist(making, "the method, the guarantee and who is in which class")
        column = column_of(original.sensitive, sensitive)
        domain = original.sensitive[column]
        rng = np.random.Generator(np.random.PCG64(self.seed))
        plan = making.plan
        published = np.flatnonzero(plan.published)
        labels = (plan.classes if plan.buckets is None else plan.buckets)[published]
        rerun = Rerun(making, original.take(published), rng)
        table = ClassTable(rerun, np.unique(labels, return_inverse=True)[1], column)
        chosen = self._chosen(table, rng)
        if making.method.cuts_from_above:
            beliefs, details = self._by_arrangement(table, chosen, rng)
        else:
            beliefs, details = self._by_place(table, chosen, rng)
        limits = share_limits(making.requirements, domain)
        return self._result(table, beliefs, details, None if limits is None else _floats(*limits))

    def _chosen(self, table: ClassTable, rng: np.random.Generator) -> list[int]:
        """Draw the classes to attack."""
        if self.classes is None or self.classes >= table.count:
            return list(range(table.count))
        return sorted(rng.choice(table.count, self.classes, replace=False).tolist())

    def _by_arrangement(
        self, table: ClassTable, chosen: list[int], rng: np.random.Generator
    ) -> tuple[list[Beliefs], dict[str, float]]:
        """Keep the arrangements that the method would have published the same."""
        members = [table.members(g) for g in chosen]
        tries = [arrangements(table.values[own], self._tries(own.size), rng) for own in members]
        truth = self._kept(table, members, [np.arange(own.size)[None, :] for own in members])
        kept = self._kept(table, members, [every for every, _ in tries])
        beliefs: list[Beliefs | None] = []
        short: list[int] = []
        tried = sum(every.shape[0] for every, _ in tries)
        for at, own in enumerate(members):
            every, complete = tries[at]
            good = every[kept[at]]
            found = None
            if truth[at][0] and (complete or good.shape[0] >= max(2, min(_ENOUGH, every.shape[0] // 2))):
                found = table.beliefs(own, good, complete=complete)
            elif truth[at][0]:
                short.append(at)
            beliefs.append(found)
        if short:
            walked, steps = self._chains(table, [members[at] for at in short], rng)
            tried += steps * len(short)
            for at, found in zip(short, walked, strict=True):
                beliefs[at] = found
        total = max(1, len(chosen))
        details = {
            "arrangements": float(tried),
            "kept": float(np.mean([own.mean() for own in kept])) if kept else 1.0,
            "exact": sum(complete for _, complete in tries) / total,
            "chained": len(short) / total,
            "undecided": sum(one is None for one in beliefs) / total,
        }
        return [one for one in beliefs if one is not None], details

    def _tries(self, size: int) -> int:
        """How many arrangements of so many values to try: fewer in large classes, whose members are many."""
        return max(min(self.permutations, _RECORDS_A_CLASS // size), min(self.permutations, _FEWEST))

    def _kept(
        self, table: ClassTable, members: list[NDArray[np.int64]], imagined: list[NDArray[np.int64]]
    ) -> list[NDArray[np.bool_]]:
        """Whether the method would still publish a class of each imagined arrangement of its values."""
        sources = [own[every] for own, every in zip(members, imagined, strict=True)]
        if not self.whole_table:
            return table.rerun.members_unchanged(members, sources)
        everybody = np.arange(table.values.size)
        found = []
        for own, source in zip(members, sources, strict=True):
            tables = np.tile(everybody, (source.shape[0], 1))
            tables[:, own] = source
            found.append(table.rerun.unchanged(everybody, tables, table.labels))
        return found

    def _chains(
        self, table: ClassTable, members: list[NDArray[np.int64]], rng: np.random.Generator
    ) -> tuple[list[Beliefs | None], int]:
        """Walk from the truth over arrangements the method would have published the same.

        A step deals the values of some members of each class anew among them: of so many, found in the first half,
        that a good part of the steps is allowed. None for classes whose members were moved too seldom. Also the steps of a walk.
        """
        walks = [Walk(table, own) for own in members]
        burden = CHAINS * sum(own.size for own in members)
        steps = max(_FEWEST, min(2 * self.permutations, _RECORDS_OF_CHAINS // burden))
        for step in range(2 * steps):
            proposals = [walk.propose(rng) for walk in walks]
            good = self._kept(table, members, proposals)
            for walk, proposal, allowed in zip(walks, proposals, good, strict=True):
                walk.move(proposal, allowed, adapt=step < steps)
        return [walk.beliefs(steps) for walk in walks], 2 * steps

    def runs(self, records: int, work: int = 0) -> int:
        """How many imagined tables of so many records the method is run on, which takes so many steps for each.

        Examples
        --------
        >>> MinimalityAttack().runs(1_000), MinimalityAttack().runs(500_000), MinimalityAttack().runs(5_000_000)
        (10, 4, 2)
        >>> MinimalityAttack().runs(30_000, 2_000_000_000), MinimalityAttack().runs(30_000, 32_000_000_000)
        (5, 2)
        """
        if self.simulations is not None:
            return self.simulations
        few = min(_RECORDS_OF_SIMULATIONS // max(1, records), _WORK_OF_SIMULATIONS // max(1, work))
        return max(_FEWEST_SIMULATIONS, min(_MOST_SIMULATIONS, few))

    def _by_place(
        self, table: ClassTable, chosen: list[int], rng: np.random.Generator
    ) -> tuple[list[Beliefs], dict[str, float]]:
        """Scale each class's shares by how often holders of a value come to lie where a record lies."""
        making, data = table.rerun.making, table.rerun.data
        work = making.method.work(data, making.requirements)
        runs = self.runs(table.values.size, work)
        counts = learn_places(table.rerun, table.values, table.width, runs, rng)
        halves = [lifts(counts[half] if counts[half].any() else counts.sum(axis=0)) for half in (0, 1)]
        relative = 1 / np.sqrt(counts.sum(axis=0) + 1)
        own_places = places(table.rerun.data, table.labels)
        beliefs = []
        for g in chosen:
            own = table.members(g)
            held, times = np.unique(table.values[own], return_counts=True)
            first, second = (_scaled(half[own_places[own]], held, times) for half in halves)
            errors = (first + second) / 2 * relative[own_places[own]]
            sums = [float(each[np.arange(own.size), table.values[own]].sum()) for each in (first, second)]
            truth = sum(sums) / 2, (sums[0] - sums[1]) / 2
            beliefs.append(Beliefs(own, first, second, errors, truth))
        return beliefs, {"simulations": float(runs)}

    def _result(
        self,
        table: ClassTable,
        beliefs: list[Beliefs],
        details: dict[str, float],
        limits: NDArray[np.float64] | None,
    ) -> AttackResult:
        """Add up what was found about all targets."""
        after, before, errors, sizes = [0.0], [0.0], [0.0], [0]
        promised, largest, its_error, above = 0.0, 0.0, 0.0, 0
        for one in beliefs:
            values, rows = table.values[one.members], np.arange(one.members.size)
            shares = np.bincount(values, minlength=table.width) / values.size
            # Looked for in one half of what was tried, measured in the other: the largest of many estimates is
            # too large.
            top = np.unravel_index(int((one.first - shares).argmax()), one.first.shape)
            if one.first[top] - shares[top[1]] > promised:
                promised = float(one.first[top] - shares[top[1]])
                largest = max(0.0, float(one.second[top] - shares[top[1]]))
                its_error = float(one.errors[top] * 2**0.5)
            after.append(one.truth[0])
            errors.append(one.truth[1])
            before.append(float(shares[values].sum()))
            sizes.append(values.size)
            if limits is not None:
                own = (one.first[rows, values] + one.second[rows, values]) / 2
                above += int(np.count_nonzero(own - 2 * one.errors[rows, values] > limits[values]))
        targets = max(1, sum(sizes))
        details = {
            "standard_error": self._standard_error(
                np.array(after[1:]) - np.array(before[1:]), np.array(errors[1:]), np.array(sizes[1:]), table
            ),
            "largest_increase": largest,
            "largest_increase_error": its_error,
            **({} if limits is None else {"above_limit": above / targets}),
            **details,
            "classes": float(len(beliefs)),
            "targets": float(sum(sizes)),
        }
        meaning = "mean probability given to the true value by running the method again"
        success, baseline = min(1.0, sum(after) / targets), min(1.0, sum(before) / targets)
        return AttackResult(self.name, success, baseline, meaning, details)

    @staticmethod
    def _standard_error(
        gains: NDArray[np.float64], errors: NDArray[np.float64], sizes: NDArray[np.int64], table: ClassTable
    ) -> float:
        """Standard error of the mean gain: by the classes drawn, and by what was tried."""
        total = float(sizes.sum())
        if total == 0:
            return 0.0
        alone = table.rerun.making.method.cuts_from_above
        # What was learnt from imagined tables is the same for all classes: its errors do not cancel.
        variance = float((errors**2).sum() if alone else errors.sum() ** 2)
        if 1 < sizes.size < table.count:
            # Classes that differ also differ by what was tried in each.
            mean = gains.sum() / total
            spread = float(((gains - mean * sizes) ** 2).sum()) * sizes.size / (sizes.size - 1)
            variance = max(variance, spread * (1 - sizes.size / table.count))
        return float(variance**0.5 / total)


def _scaled(
    lifted: NDArray[np.float64], held: NDArray[np.int64], times: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(n, m) Shares of a class's values in proportion to what was learnt, rows summing to 1 and values to their counts."""
    from likeness.attacks.kernels.assignment import balance

    weights = np.ascontiguousarray(lifted[:, held])
    balance(weights, times.astype(np.int64), _BALANCING_ROUNDS)
    shares = np.zeros_like(lifted)
    shares[:, held] = weights
    return shares


def _floats(limits: object, of: NDArray[np.int64]) -> NDArray[np.float64]:
    """(codes,) Limits as numbers; infinite where the guarantee knows no such value."""
    known = [float(limit) for limit in limits]  # type: ignore[attr-defined]  # a sequence of Real
    return np.array([known[i] if i >= 0 else np.inf for i in of.tolist()])
