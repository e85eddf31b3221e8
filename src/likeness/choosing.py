"""The best known method: where a policy names none, those that fit are tried and the release of the least loss is kept.

Which methods are tried is decided by what they cost on a table of this size (`Method.work`), never by a clock: the same table,
policy and seed give the same release on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.errors import CannotBeMetError, PolicyError
from likeness.metrics._base import Evaluation
from likeness.metrics.ncp import Ncp
from likeness.models._requirements import require_of
from likeness.progress import Progress
from likeness.solve import Solution, check_fit, level_parts, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from fractions import Fraction

    import numpy as np

    from likeness.forms._base import Form
    from likeness.methods.base import Method
    from likeness.microdata.data import Microdata
    from likeness.models._base import PrivacyModel
    from likeness.policy import Policy

MOST_WORK = 2_500_000_000
"""Steps that the methods tried may take together, some 5 s of one processor; those made for the guarantee are not counted."""
LOSS = Ncp(charge_withheld=True)
"""What decides: the normalized certainty penalty per record, 1 for each that is withheld."""

KEPT = "kept"
LOSES_MORE = "loses more"
CANNOT = "finds no release"
UNFIT = "does not fit"
TOO_MUCH = "too much work"


@dataclass(frozen=True)
class Candidate:
    """What became of one method that could have made a release.

    Parameters
    ----------
    method
        The method, with its default parameters.
    outcome
        ``kept``; ``loses more``; ``finds no release``; ``does not fit`` the guarantee or the table; ``too much work``: not tried.
    work
        Steps that a run was estimated to take, each some nanoseconds.
    loss
        Normalized certainty penalty of its release, withheld records counted as 1; None without one.
    why
        Why it has none.
    """

    method: Method
    outcome: str
    work: int
    loss: float | None = None
    why: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "method": self.method.name,
            "outcome": self.outcome,
            "work": self.work,
            "loss": self.loss,
            "why": self.why,
        }


@dataclass(frozen=True, eq=False)
class Choice:
    """A solution, and how its method was chosen.

    Parameters
    ----------
    method
        What made it.
    solution
        What was decided.
    candidates
        All that could have, in the order they were looked at; empty where the policy names the method.
    """

    method: Method
    solution: Solution
    candidates: tuple[Candidate, ...] = ()


def methods_to_try(policy: Policy) -> tuple[Method, ...]:
    """The policy's method; where it names none, all that publish in its form, with their default parameters.

    Raises
    ------
    PolicyError
        When no method is tried unasked for that form; says which could be asked.
    """
    if policy.method is not None:
        return (policy.method,)
    form = _default_form(policy) if policy.form is None else policy.form.name
    found = tuple(method for method in _candidates(policy) if form in _forms_of(method))
    if not found:
        makers = [
            name for name in registry.names("methods") if form in _forms_of(registry.load("methods", name))
        ]
        raise PolicyError(
            f"form: {form!r} needs a method that publishes in it; say method: {{name: {' or '.join(makers)}, …}}"
        )
    return found


def choose_form(policy: Policy, method: Method | None = None) -> Form:
    """The policy's form, or the one its method publishes in.

    Parameters
    ----------
    policy
        What was asked.
    method
        What makes the release; left out, the policy's method, or any that is tried where it names none.

    Raises
    ------
    PolicyError
        When the method's plans cannot be published in that form.
    """
    if policy.individual is None and policy.form is not None and policy.form.needs_individuals:
        raise PolicyError(
            f"form: {policy.form.name!r} says whose records are whose; name the column that tells people apart, as in "
            "individual: patient_id"
        )
    if policy.method is None:
        methods_to_try(policy)
        name = _default_form(policy)
    else:
        method = method or policy.method
        possible = _forms_of(method)
        if policy.individual is None:
            possible = [name for name in possible if not registry.load("forms", name).needs_individuals]
        name = possible[0]
        if policy.form is not None and policy.form.name not in possible:
            raise PolicyError(
                f"{method.name}: publishes in the form {' or '.join(map(repr, possible))}, not {policy.form.name!r}"
            )
    form: Form = policy.form if policy.form is not None else registry.create("forms", name, {})
    if policy.output.numeric_pairs and hasattr(form, "numeric_pairs"):
        form = type(form)(**{**registry.parameters(form), "numeric_pairs": True})
    return form


def choose(
    policy: Policy,
    data: Microdata,
    models: Iterable[PrivacyModel],
    rng: Callable[[Method], np.random.Generator],
    withhold_at_most: Fraction,
    progress: Progress,
) -> Choice:
    """Solve by the policy's method, or by the one that loses least of those that fit.

    Methods are looked at in the order of what they cost, the cheapest first, those of equal cost by name. Those made for one of
    the models are tried whatever the size of the table, and so is the cheapest of the others; the rest as long as all of them
    together take no more than `MOST_WORK` steps. Of equal losses the first is kept.

    Parameters
    ----------
    policy
        What was asked.
    data
        All records.
    models
        What must hold.
    rng
        Makes the randomness of the search of each method, as if it was named.
    withhold_at_most
        Largest share of the records (individuals, where people have several) that may be withheld.
    progress
        Listener.

    Raises
    ------
    CannotBeMetError
        When no method finds a release; says why, and which were tried.
    PolicyError
        When the method named does not fit, or none does.

    Notes
    -----
    The loss is measured on the regions that are published, withheld records charged 1 (`LOSS`): the least by another metric may
    be another method's. Only the best solution so far is held.
    """
    models = tuple(models)
    methods = methods_to_try(policy)
    if policy.method is not None:
        return Choice(
            methods[0], solve(methods[0], data, models, rng(methods[0]), withhold_at_most, progress)
        )
    units = data.units
    limited = level_parts(units) is not None
    requirements = require_of(models, units, units)
    work = {method: method.work(units, requirements) for method in methods}
    order = sorted(methods, key=lambda method: (work[method], method.name))
    left = MOST_WORK
    found: list[Candidate] = []
    best: tuple[float, Method, Solution] | None = None
    refused: list[CannotBeMetError | PolicyError] = []
    listener = _Listener(progress)
    for number, method in enumerate(order):
        progress.step("try methods", number, len(order))
        try:
            check_fit(method, units, limited=limited)
            method.check(requirements)
            if not method.made_for(models):
                # The cheapest is tried on any table: there is to be a release.
                if work[method] > left and left < MOST_WORK:
                    found.append(Candidate(method, TOO_MUCH, work[method]))
                    continue
                left -= work[method]
            solution = solve(method, data, models, rng(method), withhold_at_most, listener.of(method))
        except (CannotBeMetError, PolicyError) as problem:
            outcome = CANNOT if isinstance(problem, CannotBeMetError) else UNFIT
            found.append(Candidate(method, outcome, work[method], why=problem.problems[0]))
            refused.append(problem)
            continue
        loss = LOSS.measure(Evaluation(data, solution.plan, solution.recoding))
        found.append(Candidate(method, LOSES_MORE, work[method], loss))
        if best is None or loss < best[0]:
            best = loss, method, solution
    if best is None:
        raise _refusal(refused, found)
    listener.tell(best[1])
    told = tuple(
        Candidate(one.method, KEPT, one.work, one.loss) if one.method is best[1] else one for one in found
    )
    return Choice(best[1], best[2], told)


class _Listener:
    """Passes on what methods do, and what the one that is kept noted."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.notes: dict[str, list[str]] = {}

    def of(self, method: Method) -> Progress:
        """Listen to one method."""
        notes = self.notes.setdefault(method.name, [])
        return _Notes(self.progress, method.name, notes)

    def tell(self, method: Method) -> None:
        """Pass on what a method noted."""
        for note in dict.fromkeys(self.notes[method.name]):
            self.progress.note(note)


class _Notes(Progress):
    """Passes on stages with the method's name, and keeps notes."""

    def __init__(self, progress: Progress, name: str, notes: list[str]) -> None:
        self.progress, self.name, self.notes = progress, name, notes

    def step(self, stage: str, done: int, total: int) -> None:
        """Pass it on."""
        self.progress.step(f"{self.name}: {stage}", done, total)

    def note(self, message: str) -> None:
        """Keep it."""
        self.notes.append(message)


def _refusal(
    refused: list[CannotBeMetError | PolicyError], found: list[Candidate]
) -> CannotBeMetError | PolicyError:
    """Say why no method has a release: as the cheapest that was tried says it."""
    cannot = [problem for problem in refused if isinstance(problem, CannotBeMetError)]
    if not cannot:
        return refused[0]
    tried = ", ".join(one.method.name for one in found if one.outcome == CANNOT)
    first, *others = cannot[0].problems
    return CannotBeMetError(f"{first} (methods tried: {tried})", *others)


def _candidates(policy: Policy) -> list[Method]:
    """All methods that are tried unasked, of those that take several records a person where people have."""
    parts = [registry.load("methods", name) for name in registry.names("methods")]
    return [
        registry.create("methods", part.name, {})
        for part in parts
        if part.candidate and (policy.individual is None or part.takes_individuals)
    ]


def _default_form(policy: Policy) -> str:
    """Where people have several records, the form of a method made for the guarantee; else the one that most publish in."""
    if policy.individual is not None:
        for method in _candidates(policy):
            if method.made_for(tuple(policy.privacy)):
                return method.form
    return "generalized"


def _forms_of(method: Method | type[Method]) -> list[str]:
    """The forms a method's plans can be published in, its own first."""
    return [method.form, *method.forms]
