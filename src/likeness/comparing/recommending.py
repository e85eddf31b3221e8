"""What a comparison recommends, and why: facts, put into words when they are shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.comparing.run import OUTCOMES
from likeness.pages import in_notebook
from likeness.report.finding import Finding
from likeness.wording import count, figure, printed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.comparing.comparison import Comparison
    from likeness.comparing.run import ComparedRun
    from likeness.policy import Policy


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation:
    """A method for a guarantee, and why.

    Parameters
    ----------
    run
        The run that is recommended.
    findings
        What is recommended, then its reasons: codes and figures, each a sentence when written as text.
    policy
        The policy that gives it.
    """

    run: ComparedRun
    findings: tuple[Finding, ...]
    policy: Policy

    def lines(self) -> list[str]:
        """Say it line by line."""
        return [str(one) for one in self.findings]

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "method": self.run.method,
            "asked": dict(self.run.asked),
            "findings": [
                {"code": one.code, "facts": dict(one.facts), "says": str(one)} for one in self.findings
            ],
            "policy": self.policy.to_mapping(),
        }

    def __repr__(self) -> str:
        """Say what is recommended."""
        return f"Recommendation: {self.findings[0]}"

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write the reasons below it."""
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return in_notebook(str(self.findings[0]), noun="Recommendation", lists=[("", self.lines()[1:])])


def recommend(compared: Comparison, best: ComparedRun, *, held: bool, policy: Policy) -> Recommendation:
    """Give the reasons for a run; ``held``: whether it holds the guarantee of the policy that was given."""
    chosen = {
        "method": best.label,
        "made_by": best.made_by,
        "asked": dict(best.asked),
        "metric": compared.loss,
        "loss": compared.loss_of(best),
    }
    found = [Finding("recommended", chosen, _chosen, warned=False)]
    if not held:
        found = [Finding("strongest-found", chosen, _strongest)]
    found += [*_next_best(compared, best), *_beside(compared, best)]
    if best.attacks:
        name, worst = max(best.attacks.items(), key=lambda one: (one[1].success - one[1].baseline, one[0]))
        found.append(Finding("attack", {"attack": name, **worst._asdict()}, _attack, warned=False))
    took = {
        "withheld": best.withheld,
        "of": best.records,
        "unit": "record" if compared.policy.individual is None else "individual",
        "seconds": best.seconds,
        "memory": best.memory,
    }
    found.append(Finding("took", took, _took, warned=False))
    failed = Counter(run.outcome for run in compared.runs if not run.made)
    if failed:
        facts = {"outcomes": dict(failed), "runs": len(compared.runs)}
        found.append(Finding("without-release", facts, _failed, warned=False))
    return Recommendation(best, tuple(found), policy)


def _next_best(compared: Comparison, best: ComparedRun) -> list[Finding]:
    """Say what loses least of the other methods, under as strong a guarantee."""
    least = best.asked if compared.promises(best) else compared.guarantee_of(best)
    others = [run for run in compared.compared if run.label != best.label and compared.holds(run, least)]
    if not others:
        return []
    other = min(others, key=lambda run: (compared.cost_of(run), run.label))
    facts = {
        "method": other.label,
        "metric": compared.loss,
        "loss": compared.loss_of(other),
        "than": compared.loss_of(best),
        "others": len({run.label for run in others}),
    }
    return [Finding("next-best", facts, _next, warned=False)]


def _beside(compared: Comparison, best: ComparedRun) -> list[Finding]:
    """Say what the next stronger and the next weaker release on the frontier lose."""
    own = compared.strength_of(best)
    stronger = [run for run in compared.frontier if compared.strength_of(run) > own][:1]
    weaker = [run for run in compared.frontier if compared.strength_of(run) < own][-1:]
    return [
        Finding(
            f"{word}-guarantee",
            {
                "word": word,
                "method": run.label,
                "holds": compared.guarantee_of(run),
                "metric": compared.loss,
                "loss": compared.loss_of(run),
                "than": compared.loss_of(best),
            },
            _beyond,
            warned=False,
        )
        for word, runs in (("stronger", stronger), ("weaker", weaker))
        for run in runs
    ]


def _values(asked: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {figure(value)}" for name, value in asked.items())


def _more(loss: float, than: float) -> str:
    """Say how much more, or less, one loss is than another."""
    if loss == than:
        return "as much"
    by = figure(abs(loss - than)) if than <= 0 else f"{abs(loss / than - 1):.1%}"
    return f"{by} {'more' if loss > than else 'less'}"


def _by(method: str, made_by: str) -> str:
    """Name a method, and the one it chose."""
    return method if made_by in {"", method} else f"{method} (here {made_by})"


def _chosen(*, method: str, made_by: str, asked: Mapping[str, float], metric: str, loss: float) -> str:
    """Say what is recommended."""
    return (
        f"recommended: {_by(method, made_by)} under {_values(asked)}: of the releases that hold the policy's guarantee it has "
        f"the best {metric}, {figure(loss)}"
    )


def _strongest(*, method: str, made_by: str, asked: Mapping[str, float], metric: str, loss: float) -> str:
    """Say that the policy's guarantee is out of reach, and what is nearest."""
    return (
        f"no release holds the policy's guarantee; the strongest found is {_by(method, made_by)} under {_values(asked)}, with "
        f"{metric} {figure(loss)}"
    )


def _next(*, method: str, metric: str, loss: float, than: float, others: int) -> str:
    """Say what the next best loses."""
    return (
        f"the best of {count(others, 'other method')} under it, {method}, has {metric} {figure(loss)}, "
        f"{_more(loss, than)}"
    )


def _beyond(
    *, word: str, method: str, holds: Mapping[str, float], metric: str, loss: float, than: float
) -> str:
    """Say what the next stronger guarantee costs, or the next weaker one saves."""
    return (
        f"the next {word} guarantee on the frontier, {_values(holds)} by {method}, has {metric} {figure(loss)}, "
        f"{_more(loss, than)}"
    )


def _attack(*, attack: str, success: float, baseline: float) -> str:
    """Say which attack gains most."""
    return (
        f"of the attacks tried, {attack} gains most: it succeeds with {success:.2%}, and with {baseline:.2%} without the "
        "release"
    )


def _took(*, withheld: int, of: int, unit: str, seconds: float | None, memory: int | None) -> str:
    """Say what it took."""
    took = "" if seconds is None else f"; it took {seconds:.1f} s"
    held = "" if memory is None else f" and {memory / 1e6:,.0f} MB"
    return f"{withheld:,} of {count(of, unit)} {'is' if withheld == 1 else 'are'} withheld{took}{held}"


def _failed(*, outcomes: Mapping[str, int], runs: int) -> str:
    """Say how many runs made no release."""
    each = ", ".join(f"{OUTCOMES[outcome]} ({number:,})" for outcome, number in sorted(outcomes.items()))
    return f"{sum(outcomes.values()):,} of {count(runs, 'run')} made no release: {each}"
