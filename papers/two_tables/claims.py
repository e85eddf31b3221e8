"""What the paper says of figures 6 to 9, beside what was measured. Rules were fixed before anything was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from papers.figures import rules
from papers.figures.results import Claim
from papers.two_tables import why
from papers.two_tables.systems import READINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from papers.figures.results import Outcome, Panel
    from papers.two_tables.systems import Compared

SLACK = 0.05
ROUGH = 0.15
"""Curves of query errors are rougher than those of losses."""
FLAT = 0.25
NONE = 0.01
"""What "almost vanishes" is."""
SECTIONS = {
    "NCP": "Utility loss",
    "error": "Query accuracy",
    "vulnerable": "Privacy loss",
    "RL": "Privacy loss",
    "time": "Execution time",
}
"""The paper's section of what is compared."""
ORDERS = {
    "NCP": (("star", "kl"), ("star", "pl"), ("star", "theta"), ("kl", "pl"), ("kl", "theta")),
    "error": (("star", "kl"), ("star", "pl"), ("star", "theta"), ("theta", "kl"), ("theta", "pl")),
    "vulnerable": (("star", "theta"), ("theta", "kl"), ("theta", "pl")),
    "RL": (("star", "theta"), ("theta", "pl"), ("pl", "kl")),
    "time": (("kl", "theta"), ("theta", "star"), ("star", "pl")),
}
"""Who is below whom, as the paper says."""
LOWEST = ("star",)
"""Of figures 6B and 7B the paper says only who is lowest."""
COLUMNS = {
    "NCP": "NCP",
    "error": "query error, figure 7",
    "vulnerable": "vulnerable",
    "RL": "RL / n",
    "time": "argsorts",
}
"""Where the table of all systems has it."""


def claims_of_figures(panels: Mapping[str, Panel]) -> list[Claim]:
    """Judge all figures, once with the paper's methods and once with this library's defaults."""
    return [claim for reading, who in READINGS.items() for claim in _claims(panels, reading, who)]


def claims_at_one_k(panel: Panel) -> list[Claim]:
    """Judge the paper's orders of all systems at one k, of which each is a row of the panel."""
    found = []
    for reading, who in READINGS.items():
        for what, column in COLUMNS.items():
            values = {name: [value] for name, value in zip(panel.labels, panel.shown[column], strict=True)}
            found += [_order(panel.name, what, values, pair, reading, who, "below") for pair in ORDERS[what]]
    return found


def _order(
    panel: str,
    what: str,
    values: Mapping[str, Sequence[float]],
    pair: tuple[str, str],
    reading: str,
    who: Compared,
    rule: str = "below at every point",
) -> Claim:
    """Judge who is below whom."""
    lower, upper = (getattr(who, role) for role in pair)
    told = {"vulnerable": "vulnerable records"}.get(what, what)
    text = f"{told}: {lower} below {upper}"
    outcome = rules.below(values, lower, upper)
    return Claim(panel, SECTIONS[what], text, reading, rule, outcome, why.order(what, pair[0]))


def _claims(panels: Mapping[str, Panel], reading: str, who: Compared) -> list[Claim]:
    """Judge all figures in one reading."""
    found: list[Claim] = []

    def say(panel: str, what: str, text: str, rule: str, outcome: Outcome, reason: str) -> None:
        found.append(Claim(panel, SECTIONS[what], text, reading, rule, outcome, reason))

    def orders(what: str, panel: str, only: Sequence[str] = ("star", "kl", "pl", "theta")) -> None:
        found.extend(
            _order(panel, what, panels[panel].series, pair, reading, who)
            for pair in ORDERS[what]
            if pair[0] in only
        )

    def moves(what: str, panel: str, way: str, slack: float) -> None:
        judge: Callable[[Sequence[float], float], Outcome] = getattr(rules, way)
        outcome = rules.everyone(
            *(rules.of(name, judge(panels[panel].series[name], slack)) for name in who.everybody)
        )
        text = f"{what} {way} with {panels[panel].x} under every algorithm"
        say(panel, what, text, f"ends there, and no step back above {slack:.0%}", outcome, why.ROUGH)

    orders("NCP", "6a")
    moves("NCP", "6a", "rises", SLACK)
    orders("NCP", "6b", LOWEST)
    moves("NCP", "6b", "falls", SLACK)
    text = f"NCP of {who.star} is almost constant with any number of records"
    rule = f"differs by at most {FLAT:.0%} of the mean"
    say("6b", "NCP", text, rule, rules.flat(panels["6b"].series[who.star], FLAT), why.FLAT)
    orders("error", "7a")
    moves("error", "7a", "rises", ROUGH)
    orders("error", "7b", LOWEST)
    moves("error", "7b", "falls", ROUGH)
    orders("vulnerable", "8a")
    text, rule = f"{who.star} prevents ma, nma, sva, csa and sVer", "nobody vulnerable at any point"
    known = panels["8a"].extra[f"{who.star}: vulnerable, bucket known"]
    say("8a", "vulnerable", text, rule, rules.at_most(panels["8a"].series[who.star], 0), why.CERTAIN)
    text = f"{text}, of who knows the bucket too"
    say("8a", "vulnerable", text, rule, rules.at_most(known, 0), why.CERTAIN)
    orders("RL", "8b")
    moves("RL", "8b", "falls", SLACK)
    outcome = rules.at_most(panels["8b"].series[who.star], NONE)
    say("8b", "RL", f"RL of {who.star} almost vanishes", f"at most {NONE:g} a record", outcome, why.LINKED)
    for panel in ("9a", "9b"):
        orders("time", panel)
    return found
