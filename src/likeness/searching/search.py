"""The parameter at which a method reaches a given loss, or a given measured privacy: by bisection.

Cao & Karras 2012 (section 6.1) compare methods face to face at an equal closeness, or an equal loss, that they
find by binary search. A steward asks the same: the strongest guarantee that costs no more than this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.anonymization import anonymize_encoded
from likeness.choosing import choose_form
from likeness.encode import encode
from likeness.errors import CannotBeMetError
from likeness.knowledge.base import learn
from likeness.pages import in_notebook
from likeness.policy import as_policy
from likeness.progress import Progress
from likeness.searching.scale import Goal, Lever, Scale, find_lever, loss_goals, measured_goals
from likeness.tables import Table, read
from likeness.wording import columns, count, phrase, printed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from likeness.metrics.base import Metric
    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel
    from likeness.policy import Policy
    from likeness.release import Release
    from likeness.searching.scale import Number


@dataclass(frozen=True)
class Tried:
    """One value that was tried.

    ``met``: whether its release met every goal. ``reached``: what its release measured, by goal; empty without a release,
    and ``problem`` says why there was none.
    """

    value: float
    met: bool
    reached: dict[str, float]
    problem: str | None = None


@dataclass(frozen=True, eq=False)
class Searched:
    """What a search found.

    Parameters
    ----------
    parameter
        What was varied, such as ``beta-likeness.beta``.
    value
        The value found; its release met every goal.
    release
        That release.
    tried
        Every value tried, in the order of the search.
    next_tried
        The nearest value tried on the side that was wanted (stronger, for `strongest`), which failed; None where the
        range ends.
    """

    parameter: str
    value: float
    release: Release
    tried: tuple[Tried, ...]
    next_tried: Tried | None

    def __repr__(self) -> str:
        """Say what was found, and between what."""
        failed = self.next_tried
        beyond = "the end of the range" if failed is None else f"{failed.value:g} failed"
        return (
            f"Searched: {self.parameter} = {self.value:g} ({beyond}; {count(len(self.tried), 'value')} tried)"
        )

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write every value that was tried below it."""
        return "\n".join([repr(self), *columns([self._head, *self._rows])])

    @property
    def _head(self) -> tuple[str, ...]:
        """What is said of every value that was tried."""
        return (self.parameter, "met", "reached")

    @property
    def _rows(self) -> list[tuple[str, ...]]:
        """Every value that was tried, whether it met the goals, and what its release reached."""
        return [
            (
                f"{one.value:g}",
                "yes" if one.met else "no",
                phrase(one.reached) if one.reached else one.problem or "",
            )
            for one in self.tried
        ]

    def _repr_html_(self) -> str:
        """Show every value that was tried in a notebook."""
        title = repr(self).removeprefix("Searched: ")
        return in_notebook(title, noun="Searched", head=self._head, rows=self._rows)


def strongest(
    table: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    parameter: str,
    *,
    loss: Mapping[Metric | str, Number],
    between: tuple[Number, Number] | None = None,
    tolerance: float = 0.01,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Searched:
    """Find the strongest guarantee whose release loses no more than this: "what can I afford at 20 % loss?".

    Parameters
    ----------
    table, policy, seed, progress
        As for `anonymize`; the value that the policy gives the parameter does not matter.
    parameter
        What to vary: ``beta-likeness.beta``, or ``beta`` when one model of the policy has it. Where several models of
        the policy have the name, all of them vary together.
    loss
        Metrics, or their names, to the most each may be (the least, for metrics where higher is better).
    between
        The weakest and the strongest value, in any order; by default a range wide enough for most tables.
    tolerance
        Bisection stops when what is left of the range is this share of the value; whole numbers are decided exactly.

    Returns
    -------
    Searched
        The value, its proven release and all that was tried.

    Raises
    ------
    InvalidError
        When policy, table, parameter or goals are invalid.
    CannotBeMetError
        When not even the weakest value meets the goals; says what it reached.

    Notes
    -----
    Loss need not fall steadily as the guarantee weakens (literal BUREL loses more at some larger β, where fewer buckets
    fit). Bisection then still returns a value that meets the goals, beside a stronger one that was tried and
    does not, but some stronger value in between, untried, may meet them too. It is not claimed to be the strongest there
    is; ``tried`` says what is known. Where the weakest value fails, a few values spread over the range are tried before
    the search gives up, and the weakest of them that meets the goals is where it begins.

    Every value tried is a full, proven release; the table is encoded once. Where the policy has no seed, each has its own
    randomness, and the release returned is the one that was measured.

    References
    ----------
    Cao & Karras 2012, section 6.1.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": list(range(40)), "disease": ["flu", "cold"] * 20})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2))
    >>> found = lk.strongest(table, policy, "k", loss={"ncp": 0.25}, seed=1)
    >>> found
    Searched: k-anonymity.k = 10 (11 failed; 8 values tried)
    >>> found.release.loss("ncp")
    {'ncp': 0.23076923076923078}
    """
    return _search(
        table, policy, parameter, loss_goals(loss), between, tolerance, seed, progress, stronger=True
    )


def weakest(
    table: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    parameter: str,
    *,
    measured: Mapping[PrivacyModel | str, Number],
    between: tuple[Number, Number] | None = None,
    tolerance: float = 0.01,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Searched:
    """Find the weakest guarantee whose release is measured to be this private by another model.

    "The largest β whose release still has 0.1-closeness", as the paper asks for its face-to-face comparisons.

    Parameters
    ----------
    table, policy, parameter, between, tolerance, seed, progress
        As for `strongest`.
    measured
        What the release must measure: ``t-closeness.t`` to the most it may be (the least, for parameters such as k, that
        are stronger when larger); or a model with its parameters to the limit of the first of them.

    Returns
    -------
    Searched
        The value, its proven release and all that was tried. As in `strongest`, bisection does not see every value.

    Raises
    ------
    InvalidError
        When policy, table, parameter or goals are invalid.
    CannotBeMetError
        When not even the strongest value meets the goals; says what it reached.

    References
    ----------
    Cao & Karras 2012, section 6.1, second comparison.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": list(range(40)), "disease": ["flu", "cold", "flu", "hiv"] * 10})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> policy = lk.Policy(columns=columns, privacy=lk.BasicBetaLikeness(4), effort="quick")
    >>> found = lk.weakest(table, policy, "beta", measured={"t-closeness.t": 0.1}, seed=1)
    >>> found, found.tried[-1].reached
    (Searched: basic-beta-likeness.beta = 0.3307 (0.3337 failed; 12 values tried), {'t-closeness.t': 0.0})
    """
    return _search(
        table, policy, parameter, measured_goals(measured), between, tolerance, seed, progress, stronger=False
    )


def _search(
    table: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    parameter: str,
    goals: tuple[Goal, ...],
    between: tuple[Number, Number] | None,
    tolerance: float,
    seed: int | None,
    progress: Progress | None,
    *,
    stronger: bool,
) -> Searched:
    """Bisect from the end that should meet the goals towards the other."""
    progress = progress or Progress()
    policy = as_policy(policy)
    if seed is not None:
        policy = policy.replace(seed=seed)
    lever = find_lever(policy, parameter)
    choose_form(policy)
    original = table if isinstance(table, Table) else read(table)
    progress.step("encode", 0, 1)
    encoded = learn(encode(original, policy), policy, progress)
    tries = _Tries(encoded, policy.naming(encoded.table.names), lever, goals, progress)
    scale = Scale.of(lever, between, tolerance, most_of(tries.encoded.data, lever, stronger=stronger))
    weak, strong = scale.weak_and_strong()
    found = _bisect(tries, scale, *((weak, strong) if stronger else (strong, weak)))
    if found is None:
        raise CannotBeMetError(_unreachable(lever, tries.tried, goals, scale, stronger=stronger))
    meets, fails = found
    assert tries.best is not None  # noqa: S101  # the release of `meets`
    by_value = {one.value: one for one in tries.tried}
    beyond = None if fails is None else by_value[lever.as_given(fails)]
    return Searched(lever.subject, lever.as_given(meets), tries.best, tuple(tries.tried), beyond)


def most_of(data: Microdata, lever: Lever, *, stronger: bool) -> int:
    """Give the largest whole number worth a try: values of a sensitive column for l, records or people for others.

    Where the strongest is asked for, also the first l that nothing can meet, which says so.
    """
    values = [domain.codes for domain in data.sensitive]
    if lever.parameter != "l" or not values:
        return data.units.size
    return min(data.units.size, max(values) + int(stronger))


def _bisect(tries: _Tries, scale: Scale, likely: float, wanted: float) -> tuple[float, float | None] | None:
    """Search between the end that should meet the goals and the one that is wanted.

    Returns the last value that met them and the nearest one beyond that did not; None where no value tried met them.
    """
    tries.left = 2 + scale.steps(likely, wanted)
    meets: float | None = likely
    if not tries.meets(likely):
        meets = next((value for value in scale.spread(likely, wanted) if tries.meets(value)), None)
    if tries.meets(wanted):
        return wanted, None
    if meets is None:
        return None
    fails = wanted
    while (middle := scale.between(meets, fails)) is not None:
        tries.left = scale.steps(meets, fails)
        if tries.meets(middle):
            meets = middle
        else:
            fails = middle
    return meets, fails


class _Tries:
    """Makes releases and keeps the last one that met the goals."""

    def __init__(
        self, encoded: Any, policy: Policy, lever: Lever, goals: tuple[Goal, ...], progress: Progress
    ) -> None:
        self.encoded = encoded
        self.policy = policy
        self.lever = lever
        self.goals = goals
        self.progress = progress
        self.left = 0
        self.tried: list[Tried] = []
        self.best: Release | None = None

    def meets(self, value: float) -> bool:
        """Try a value."""
        self.progress.step("try", len(self.tried), len(self.tried) + self.left)
        policy = self.policy.replace(privacy=self.lever.set(self.policy.privacy, value))
        try:
            release = anonymize_encoded(self.encoded, policy, _NotesOnly(self.progress))
        except CannotBeMetError as problem:
            self.tried.append(Tried(self.lever.as_given(value), False, {}, problem.problems[0]))
            return False
        reached = {goal.name: goal.measure(release) for goal in self.goals}
        met = all(goal.met(reached[goal.name]) for goal in self.goals)
        self.tried.append(Tried(self.lever.as_given(value), met, reached))
        if met:
            self.best = release
        return met


class _NotesOnly(Progress):
    """Passes on notes only: the stages of one try are not the search's."""

    def __init__(self, listener: Progress) -> None:
        self.listener = listener

    def note(self, message: str) -> None:
        """Pass it on."""
        self.listener.note(message)


def _unreachable(
    lever: Lever, tried: list[Tried], goals: tuple[Goal, ...], scale: Scale, *, stronger: bool
) -> str:
    """Say that no value tried meets the goals, and what the end that was likeliest to reached."""
    asked = " and ".join(goal.asked for goal in goals)
    end, best = "weakest" if stronger else "strongest", tried[0]
    head = f"{lever.subject}: none of {count(len(tried), 'value')} tried ({scale}) meets {asked}: at the {end}, {best.value:g}, "
    if best.problem is not None:
        return f"{head}there is no release: {best.problem}"
    reached = ", ".join(f"{name} = {value:.6g}" for name, value in best.reached.items())
    return f"{head}{reached}; ask for less, or widen the range"
