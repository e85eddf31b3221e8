"""What a comparison found: a frame with a row for each run, its frontier, and what it recommends."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.checks import number
from likeness.comparing.asking import own_value
from likeness.comparing.kept import FRAME, PAGE, POLICY, PRIVATE, RESULT
from likeness.comparing.recommending import Recommendation, recommend
from likeness.comparing.run import OUTCOMES
from likeness.errors import CannotBeMetError, PolicyError, Refusal
from likeness.metrics.measuring import metric_named, parameters_asked
from likeness.pages import in_notebook
from likeness.policy.files import write_yaml
from likeness.report.compared import Point, comparison_page, risk_utility
from likeness.searching.scale import find_lever
from likeness.wording import columns, count, figure, printed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import altair as alt
    from numpy.typing import NDArray

    from likeness.comparing.run import ComparedRun
    from likeness.metrics.base import Metric
    from likeness.policy import Policy
    from likeness.report.pictures import Picture
    from likeness.searching.scale import Lever

_SHOWN = ("query-error",)
"""Metrics that stand in a few columns, beside the one that is compared by."""
_FILES = {"file", "folder", "from", "earlier"}
"""Parameters of sources of knowledge that name files."""


def loss_named(name: str, policy: Policy) -> Metric:
    """Make the metric of that name; `PolicyError` where there is none."""
    return metric_named(name, parameters_asked(policy.privacy).get(name))


def loss_within(limit: float | str | None, loss: str | None, policy: Policy) -> None:
    """Refuse a metric that there is not, and a limit that it cannot have; either may be None."""
    metric = None if loss is None else loss_named(loss, policy)
    if metric is not None and limit is not None:
        metric.check_limit(str(loss), limit)


def limit_at(name: str, value: float | str, policy: Policy, levers: Collection[Lever]) -> tuple[str, float]:
    """Read how much of a parameter is asked for, by its full name; `PolicyError` where it is not one of those varied."""
    lever = find_lever(policy, name)
    if lever not in levers:
        raise PolicyError(f"parameter {name!r}: was not varied in this comparison")
    return lever.subject, float(number(lever.subject, "the value", value, above=0))


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What a comparison found; made by `compare`.

    It is for the steward only: its figures come from the original.

    Parameters
    ----------
    runs
        Every run, those of the weakest guarantee first, with or without a release.
    levers
        What was varied.
    loss
        The metric that runs are compared by.
    policy
        The policy that was given.
    policies
        The policy of every run, its seed included.
    source
        What the original is called; it is not carried along.
    library
        The library its frame is of.

    Notes
    -----
    A release is on the frontier unless another one holds a guarantee that is at least as strong in everything that was varied,
    loses no more, and is better in one of these. How strong a release is, is counted in the values that were tried: it is as
    strong as the strongest of them that is measured to hold. Where k is tried at 2, 5 and 10, a method that is asked for 2 and
    reaches 6 is as strong as one that is asked for 5, and no stronger.
    """

    runs: tuple[ComparedRun, ...]
    levers: tuple[Lever, ...]
    loss: str
    policy: Policy
    policies: tuple[Policy, ...]
    source: str
    library: str

    @cached_property
    def lower_is_better(self) -> bool:
        """Whether less of the metric is better."""
        return loss_named(self.loss, self.policy).lower_is_better

    def loss_of(self, run: ComparedRun) -> float | None:
        """What a run loses, by the metric that runs are compared by; None where that does not apply."""
        value = run.loss.get(self.loss)
        return None if value is None or isnan(value) else value

    def cost_of(self, run: ComparedRun) -> float:
        """What a run loses, the lower the better; infinite where the metric does not apply."""
        value = self.loss_of(run)
        if value is None:
            return float("inf")
        return value if self.lower_is_better else -value

    def guarantee_of(self, run: ComparedRun) -> dict[str, float]:
        """The strongest of the values that were tried which a run holds, of everything that was varied."""
        found = {}
        for lever in self.levers:
            name = lever.subject
            held = [value for value in self._tried[name] if self.holds(run, {name: value})]
            found[name] = (max if lever.larger_is_stronger else min)(held)
        return found

    @cached_property
    def _tried(self) -> dict[str, list[float]]:
        """All values that were tried, by what was varied."""
        return {
            lever.subject: sorted({run.asked[lever.subject] for run in self.runs}) for lever in self.levers
        }

    def strength_of(self, run: ComparedRun) -> tuple[float, ...]:
        """How strong the guarantee of a run is in everything that was varied, the larger the stronger."""
        found = self.guarantee_of(run)
        return tuple(
            found[lever.subject] if lever.larger_is_stronger else -found[lever.subject]
            for lever in self.levers
        )

    @cached_property
    def compared(self) -> tuple[ComparedRun, ...]:
        """Runs with a release and a loss."""
        return tuple(run for run in self.runs if run.made and self.loss_of(run) is not None)

    @cached_property
    def frontier(self) -> tuple[ComparedRun, ...]:
        """Runs that no other one is better than: as strong and losing no more; the weakest guarantee first."""
        points = [(*self.strength_of(run), -self.cost_of(run)) for run in self.compared]
        found = [run for run, best in zip(self.compared, undominated(points), strict=True) if best]
        return tuple(sorted(found, key=lambda run: (self.strength_of(run), self.cost_of(run), run.label)))

    def strongest_within(self, loss: float | str) -> ComparedRun:
        """Find the strongest guarantee that loses no more than this.

        Parameters
        ----------
        loss
            The most the metric may be (the least, where higher is better).

        Returns
        -------
        ComparedRun
            Of several parameters, the strongest in the first; of equally strong ones, what loses least.

        Raises
        ------
        CannotBeMetError
            When every release loses more.
        """
        limit = float(loss_named(self.loss, self.policy).check_limit(self.loss, loss))
        most = limit if self.lower_is_better else -limit
        found = [run for run in self.compared if self.cost_of(run) <= most]
        if not found:
            best = min(self.compared, key=self.cost_of, default=None)
            least = "" if best is None else f"; {best.label} has {figure(self.loss_of(best) or 0.0)}"
            what = f"no release of the comparison has {self.loss} {figure(limit)}{least}"
            raise CannotBeMetError(Refusal(what, remedy="allow more, or vary weaker guarantees"))
        return self._strongest(found)

    def _strongest(self, runs: Iterable[ComparedRun]) -> ComparedRun:
        return min(
            runs, key=lambda run: ([-own for own in self.strength_of(run)], self.cost_of(run), run.label)
        )

    def least_loss_at(self, guarantee: Mapping[str, float | str] | None = None) -> ComparedRun:
        """Find what loses least of the releases that hold a guarantee, or a stronger one.

        Parameters
        ----------
        guarantee
            Parameters that were varied to values, as in ``{"k": 5}``; the policy's own when left out.

        Returns
        -------
        ComparedRun

        Raises
        ------
        PolicyError
            When a parameter was not varied.
        CannotBeMetError
            When no release holds it.
        """
        limits = self._own if guarantee is None else self._limits(guarantee)
        found = [run for run in self.compared if self.holds(run, limits)]
        if not found:
            asked = ", ".join(f"{name} = {value:g}" for name, value in limits.items())
            what = f"no release of the comparison holds {asked}"
            raise CannotBeMetError(Refusal(what, remedy="ask for less, or compare other methods"))
        return min(found, key=self._least)

    def _least(self, run: ComparedRun) -> tuple[float, list[float], str]:
        return self.cost_of(run), [-own for own in self.strength_of(run)], run.label

    @cached_property
    def _own(self) -> dict[str, float]:
        """The guarantee that the policy asks for, in what was varied."""
        found = {lever.subject: own_value(self.policy, lever) for lever in self.levers}
        return {name: value for name, value in found.items() if value is not None}

    def _limits(self, guarantee: Mapping[str, float | str]) -> dict[str, float]:
        return dict(limit_at(name, value, self.policy, self.levers) for name, value in guarantee.items())

    def holds(self, run: ComparedRun, limits: Mapping[str, float]) -> bool:
        """Whether a run holds, or was asked for, at least this: ``k-anonymity.k`` to value."""
        # What was asked is proven exactly, of what was measured digits may be cut.
        return all(
            any(
                lever.as_strong(own, limits[lever.subject])
                for own in (run.proven[lever.subject], run.asked[lever.subject])
            )
            for lever in self.levers
            if lever.subject in limits
        )

    def promises(self, run: ComparedRun) -> bool:
        """Whether a run was asked for at least what the policy asks for, in what was varied."""
        levers = (lever for lever in self.levers if lever.subject in self._own)
        return all(lever.as_strong(run.asked[lever.subject], self._own[lever.subject]) for lever in levers)

    def recommend(self) -> Recommendation:
        """Recommend a method for the policy's guarantee: what loses least there, with the reasons and the policy that gives it.

        Where no release holds that, the strongest that was found. Where one holds it that was asked for less, the policy asks for
        what the one that was given does.

        Raises
        ------
        CannotBeMetError
            When there is no release at all.
        """
        if not self.compared:
            first = next((run for run in self.runs if run.why), None)
            reasons = () if first is None else tuple(refusal.within(first.label) for refusal in first.why[:1])
            what = f"no run of the comparison made a release that {self.loss} can be measured of"
            raise CannotBeMetError(Refusal(what), *reasons)
        held = [run for run in self.compared if self.holds(run, self._own)]
        # Of what was asked for less, another table may show less.
        best = min(filter(self.promises, held), key=self._least, default=None) or (
            min(held, key=self._least) if held else self._strongest(self.compared)
        )
        return recommend(self, best, held=bool(held), policy=self._policy_of(best, raised=bool(held)))

    def _policy_of(self, run: ComparedRun, *, raised: bool) -> Policy:
        """The policy that a run was made under, ``raised`` to what was given; with a seed only where one was asked for."""
        found = self.policies[self.runs.index(run)]
        for lever in self.levers if raised else ():
            own = self._own.get(lever.subject)
            if own is not None and not lever.as_strong(run.asked[lever.subject], own):
                found = found.replace(privacy=lever.set(found.privacy, own))
        return found.replace(seed=self.policy.seed)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """A row for each run: what was asked, what is measured and what it took; null where there is none of it."""
        names = {
            "strength": sorted({name for run in self.runs for name in run.strength}),
            "loss": sorted({name for run in self.runs for name in run.loss}),
            "attack": sorted({name for run in self.runs for name in run.attacks}),
        }
        on = set(map(id, self.frontier))
        rows = [self._row(run, names, frontier=id(run) in on) for run in self.runs]
        return pl.DataFrame(rows, infer_schema_length=None)

    def _row(self, run: ComparedRun, names: Mapping[str, Sequence[str]], *, frontier: bool) -> dict[str, Any]:
        """One run, flat."""
        made = run.made
        row: dict[str, Any] = {"method": run.method, "parameters": json.dumps(dict(run.parameters))}
        row |= {f"asked: {name}": value for name, value in run.asked.items()}
        row |= {"outcome": run.outcome, "why": "; ".join(map(str, run.why)) or None, "frontier": frontier}
        row |= {"made by": run.made_by or None, "form": run.form or None}
        row |= {f"strength: {name}": run.strength.get(name) for name in names["strength"]}
        row |= {f"loss: {name}": run.loss.get(name) for name in names["loss"]}
        for name in names["attack"]:
            one = run.attacks.get(name)
            row[f"attack: {name}"] = None if one is None else one.success
            row[f"attack: {name}, without the release"] = None if one is None else one.baseline
        return row | {
            "records": run.records if made else None,
            "withheld": run.withheld if made else None,
            "classes": run.classes if made else None,
            "smallest class": run.smallest if made else None,
            "seconds": run.seconds,
            "peak memory": run.memory,
        }

    def to_frame(self) -> Any:
        """Give the `frame` in the library that the original came in: polars, pandas or pyarrow."""
        if self.library == "pandas":
            import pandas as pd

            return pd.DataFrame({column.name: column.to_list() for column in self.frame})
        return self.frame.to_arrow() if self.library == "pyarrow" else self.frame

    def to_json(self) -> dict[str, Any]:
        """Write everything as JSON can hold it."""
        on = set(map(id, self.frontier))
        return {
            "table": self.source,
            "loss": self.loss,
            "lower_is_better": self.lower_is_better,
            "varied": [lever.subject for lever in self.levers],
            "runs": [run.to_json() | {"frontier": id(run) in on} for run in self.runs],
            "recommendation": self.recommend().to_json() if self.compared else None,
        }

    def plot(self) -> alt.Chart:
        """Draw loss against the guarantee, as an Altair chart (``pip install 'likeness[plot]'``)."""
        return self.picture.chart()

    @cached_property
    def picture(self) -> Picture:
        """What the page draws: a point for each release, and the frontier."""
        on = set(map(id, self.frontier))
        lever = self.levers[0]
        points = [
            Point(
                run.label,
                run.proven[lever.subject],
                self.loss_of(run) or 0.0,
                id(run) in on,
                ", ".join(f"{name} = {value:g}" for name, value in run.asked.items()),
            )
            for run in self.compared
        ]
        return risk_utility(points, lever.subject, self.loss, stronger_to_the_right=lever.larger_is_stronger)

    def page(self) -> str:
        """Write a page of HTML, complete in itself; for the steward only."""
        found = self.recommend() if self.compared else None
        return comparison_page(
            title=self._title,
            source=self.source,
            picture=self.picture if self.compared else None,
            loss=self.loss,
            recommended=[] if found is None else [str(one) for one in found.findings],
            policy="" if found is None else found.policy.to_yaml(),
            head=self._head,
            rows=[self._cells(run) for run in self.compared],
            frontier=[self._cells(run) for run in self.frontier],
            without=self.without(),
            strengths=self._wide("strength"),
            losses=self._wide("loss"),
            attacks=self._wide("attacks"),
        )

    def _wide(self, what: str) -> tuple[list[str], list[list[str]]]:
        """All figures of a kind, a row for each release and a column for each figure."""
        found = [(run, run.figures(what)) for run in self.runs if run.made]
        names = sorted({name for _, figures in found for name in figures})
        asked = [lever.subject for lever in self.levers]
        rows = [
            [
                run.label,
                *(f"{run.asked[name]:g}" for name in asked),
                *(figure(figures[name]) if name in figures else "" for name in names),
            ]
            for run, figures in found
        ]
        return ["method", *(f"{name} asked" for name in asked), *names], rows

    def without(self) -> list[list[str]]:
        """Runs without a release, a row for each reason of a method: method, values, outcome, why."""
        found: dict[tuple[str, str, str], list[str]] = {}
        for run in self.runs:
            if not run.made or self.loss_of(run) is None:
                why = "; ".join(map(str, run.why)) if run.why else f"{self.loss} does not apply to it"
                asked = ", ".join(f"{value:g}" for value in run.asked.values())
                found.setdefault((run.label, OUTCOMES[run.outcome], why), []).append(asked)
        return [[label, "; ".join(asked), outcome, why] for (label, outcome, why), asked in found.items()]

    def files(self, root: Path | None) -> dict[str, str]:
        """Write what a folder holds of it: name to text."""
        texts = {
            PAGE: self.page(),
            RESULT: json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n",
            FRAME: self.frame.write_csv(),
        }
        if self.compared:
            found = self.recommend()
            told = found.policy.to_mapping() if root is None else moved(found.policy, root)
            # The reasons are figures about the original, and this may go where the releases go.
            texts[POLICY] = (
                f"# What likeness compare recommends; why stands in {PRIVATE}/{PAGE}.\n{write_yaml(told)}"
            )
        return texts

    @property
    def _title(self) -> str:
        methods = len(dict.fromkeys(run.label for run in self.runs))
        values = " × ".join(
            f"{count(len({run.asked[lever.subject] for run in self.runs}), 'value')} of {lever.subject}"
            for lever in self.levers
        )
        made = sum(run.made for run in self.runs)
        return (
            f"{count(len(self.runs), 'run')}, {count(methods, 'method')} × {values}; {made:,} made a release"
        )

    @property
    def _head(self) -> tuple[str, ...]:
        shown = [self.loss, *(name for name in _SHOWN if name != self.loss)]
        asked = [lever.parameter for lever in self.levers]
        return (
            *("method", *asked),
            *(f"{name} held" for name in asked),
            *shown,
            *("linked", "withheld", "seconds", "MB", "frontier"),
        )

    def _cells(self, run: ComparedRun) -> tuple[str, ...]:
        """A run in a line."""
        shown = [self.loss, *(name for name in _SHOWN if name != self.loss)]
        subjects = [lever.subject for lever in self.levers]
        linked = run.attacks.get("linkage")
        frontier = any(run is one for one in self.frontier)
        return (
            *(run.label, *(f"{run.asked[name]:g}" for name in subjects)),
            *(figure(run.proven[name]) for name in subjects),
            *(figure(run.loss[name]) if name in run.loss else "–" for name in shown),
            "–" if linked is None else f"{linked.success:.2%}",
            f"{run.withheld_share:.2%}",
            "–" if run.seconds is None else f"{run.seconds:.2f}",
            "–" if run.memory is None else f"{run.memory / 1e6:,.0f}",
            "yes" if frontier else "",
        )

    def lines(self) -> list[str]:
        """Say it line by line: a line for each release, what made none and why, and what is recommended."""
        told = columns(
            [self._head, *(self._cells(run) for run in self.compared)], "", range(1, len(self._head) - 1)
        )
        failed = [f"{label}, {asked}: {outcome}: {why}" for label, asked, outcome, why in self.without()]
        return [
            *(told if self.compared else []),
            *failed,
            *(self.recommend().lines() if self.compared else []),
        ]

    def __repr__(self) -> str:
        """Say what was compared."""
        return f"Comparison: {self._title}"

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write every line below it."""
        return "\n".join([repr(self), *self.lines()])

    def _repr_html_(self) -> str:
        """Show every release in a notebook, what made none, and what is recommended."""
        failed = [f"{label}, {asked}: {outcome}: {why}" for label, asked, outcome, why in self.without()]
        lists = [("without a release", failed)] if failed else []
        if self.compared:
            lists.insert(0, ("recommended", self.recommend().lines()))
        rows = [self._cells(run) for run in self.compared]
        return in_notebook(self._title, noun="Comparison", head=self._head, rows=rows, lists=lists)


def moved(policy: Policy, folder: Path) -> dict[str, Any]:
    """Write a policy for a file in another folder: relative paths in it are meant from there."""
    home = (policy.folder or Path()).absolute()

    def path(given: Any) -> Any:
        if isinstance(given, list):
            return [path(one) for one in given]
        if not isinstance(given, str) or Path(given).is_absolute():
            return given
        return Path(os.path.relpath(home / given, folder)).as_posix()

    found = policy.to_mapping()
    for column in found["columns"].values():
        if isinstance(column.get("hierarchy"), str):
            column["hierarchy"] = path(column["hierarchy"])
    if "records" in found:
        found["records"] = {**found["records"], "table": path(found["records"]["table"])}
    if "categories" in found:
        found["categories"] = {
            name: path(given) if isinstance(given, str) else given
            for name, given in found["categories"].items()
        }
    for source in found.get("knowledge", ()):
        for name, given in source.items():
            if isinstance(given, dict):
                source[name] = {key: path(own) if key in _FILES else own for key, own in given.items()}
    return found


def undominated(points: Sequence[Sequence[float]]) -> NDArray[np.bool_]:
    """(n,) Whether no other point is at least as large in everything and larger in something.

    Equal points are all kept.

    >>> undominated([(2, -0.1), (5, -0.1), (5, -0.2), (9, -0.3)]).tolist()
    [False, True, False, True]
    """
    own = np.array(points, np.float64)
    if not own.size:
        return np.ones(len(points), np.bool_)
    as_large = np.all(own[None, :, :] >= own[:, None, :], axis=2)
    larger = np.any(own[None, :, :] > own[:, None, :], axis=2)
    return np.asarray(~np.any(as_large & larger, axis=1), np.bool_)
