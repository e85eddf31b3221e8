"""What a comparison runs: every method that publishes something comparable, under every guarantee of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.checks import number
from likeness.choosing import choose_form
from likeness.comparing.run import BEST
from likeness.errors import PolicyError, suggestion
from likeness.exact import rational
from likeness.searching.scale import find_lever, levers
from likeness.searching.search import most_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from likeness.methods.base import Method
    from likeness.microdata.data import Microdata
    from likeness.policy import Policy
    from likeness.searching.scale import Lever

    Grid = dict[Lever, tuple[float, ...]]

_TIMES = (0.4, 1, 2, 4, 10)
"""How many times its own value a whole parameter is asked for: of 5, that is 2, 5, 10, 20 and 50."""
_PARTS = (4, 2, 1, 0.5, 0.25)
"""How many times its own value a share or a ratio is allowed, from the weakest guarantee to the strongest."""
_DIGITS = 4


@dataclass(frozen=True)
class RunAsked:
    """One run that is asked for: a method, or None for the best known one, what is varied, and the policy that says so."""

    method: Method | None
    values: Mapping[str, float]
    policy: Policy

    @property
    def name(self) -> str:
        """The method's name."""
        return BEST if self.method is None else self.method.name

    @property
    def parameters(self) -> dict[str, Any]:
        """The method's parameters that differ from their defaults."""
        return {} if self.method is None else registry.parameters(self.method)


def grid_of(policy: Policy, vary: Mapping[str, Iterable[Any]] | None, data: Microdata) -> Grid:
    """Choose the values of the guarantee's parameters.

    ``vary``: parameter to values, as `find_lever` names them; None for the first parameter that can be varied, at five values
    around its own. Raises `PolicyError` where there is none, or a value is not one that the parameter can have.
    """
    if vary is not None:
        if not vary:
            raise PolicyError("vary: name a parameter of the guarantee and its values, such as k: [2, 5, 10]")
        return {
            lever: _given(policy, lever, values)
            for lever, values in ((find_lever(policy, name), values) for name, values in vary.items())
        }
    for lever in levers(policy).values():
        own = own_value(policy, lever)
        if own is not None:
            return {lever: _around(lever, own, most_of(data, lever, stronger=False))}
    raise PolicyError("vary: the guarantee has no parameter that can be varied")


def own_value(policy: Policy, lever: Lever) -> float | None:
    """Give the value that a policy gives a parameter; None where it is a function, or left out."""
    given = next(
        registry.parameters(model).get(lever.parameter)
        for model in policy.privacy
        if model.name == lever.model
    )
    return float(rational(given)) if isinstance(given, int | float | str) else None


def _given(policy: Policy, lever: Lever, values: Iterable[Any]) -> tuple[float, ...]:
    """Read the values that are given, each once, the weakest first; refuse what makes no guarantee."""
    read = [float(number(lever.subject, "a value", value, above=0)) for value in values]
    broken = [value for value in read if lever.whole and value != int(value)]
    if broken or not read:
        got = f"; got {broken[0]:g}" if broken else ""
        raise PolicyError(f"vary: {lever.subject} takes {'whole ' if lever.whole else ''}numbers{got}")
    for value in read:
        lever.set(policy.privacy, value)
    return tuple(sorted(dict.fromkeys(read), reverse=not lever.larger_is_stronger))


def _around(lever: Lever, own: float, most: int) -> tuple[float, ...]:
    """Choose values around a parameter's own, the weakest first."""
    if lever.whole:
        low = min(own, 2)
        found = [min(max(round(own * times), low), max(most, own)) for times in _TIMES]
        return tuple(dict.fromkeys(map(float, found)))
    low, high = sorted(lever.range.ends or (0, float("inf")))
    times = reversed(_PARTS) if lever.larger_is_stronger else _PARTS
    found = [own * part if part == 1 else min(max(own * part, low), high) for part in times]
    return tuple(dict.fromkeys(own if one == own else float(f"{one:.{_DIGITS}g}") for one in found))


def runs_asked(
    policy: Policy,
    methods: Sequence[Method | str] | None,
    grid: Grid,
    effort: Any,
    seed: int,
) -> list[RunAsked]:
    """List the runs, those of the weakest guarantee first.

    ``methods``: those to compare, ``best`` for the best known one; None for all that publish in the policy's form and need no
    parameters. Raises `PolicyError` where one is not known.
    """
    base = policy.replace(seed=seed)
    form = choose_form(base)
    chosen = _all(base, form) if methods is None else [_made(one) for one in methods]
    if not chosen:
        raise PolicyError("methods: name one at least")
    made = []
    for values in product(*grid.values()):
        privacy = tuple(base.privacy)
        for lever, value in zip(grid, values, strict=True):
            privacy = lever.set(privacy, value)
        told = {lever.subject: lever.as_given(value) for lever, value in zip(grid, values, strict=True)}
        guaranteed = base.replace(privacy=privacy)
        made += [RunAsked(one, told, _by(guaranteed, one, form, effort)) for one in dict.fromkeys(chosen)]
    return made


def _all(policy: Policy, form: Any) -> list[Method | None]:
    """The best known method, and every method that publishes in a form, with default parameters but for the policy's own."""
    found: list[Method | None] = [None]
    for name in registry.names("methods"):
        if registry.load("methods", name).of_a_release:
            continue
        try:
            method: Method = (
                policy.method
                if policy.method is not None and policy.method.name == name
                else registry.create("methods", name, {})
            )
            choose_form(policy.replace(method=method, form=form, effort=None, minimize=None), method)
        except PolicyError:
            # It has no default parameters, or publishes something that cannot be compared.
            continue
        found.append(method)
    return found


def _made(given: Method | str) -> Method | None:
    """Make a method of its name."""
    if not isinstance(given, str):
        return given
    if given == BEST:
        return None
    known = registry.names("methods")
    if given not in known:
        raise PolicyError(f"methods: there is no method {given!r}{suggestion(given, [BEST, *known])}")
    method: Method = registry.create("methods", given, {})
    return method


def _by(policy: Policy, method: Method | None, form: Any, effort: Any) -> Policy:
    """Say in a policy which method makes the release, in the form of the others where it can."""
    if method is None:
        changed = policy.replace(method=None, form=form if policy.method is not None else policy.form)
        return changed if effort is None else changed.replace(effort=effort)
    named = policy.naming_method(method)
    try:
        own = choose_form(named.replace(form=None), method)
        shared = named.replace(form=form)
        choose_form(shared, method)
    except PolicyError:
        return named
    return named if own.name == form.name and policy.form is None else shared
