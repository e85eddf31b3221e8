"""What the paper says of figures 2 to 9, beside what was measured. Rules were fixed before anything was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from papers.figures import rules
from papers.figures.results import Claim, Outcome
from papers.identity_reserved import why

if TYPE_CHECKING:
    from collections.abc import Mapping

    from papers.figures.results import Panel

PAPER = "paper"
SLACK = 0.05
ROUGH = 0.15
"""Curves of query errors and times are rougher than those of losses."""
FLAT = 0.25
CLOSE = 1.1
MOST_SECONDS = {"kl": 28.5, "ab": 25.9}
RATIOS = {
    "4": (
        ("GeneIR_kl", "DAnonyIR_kl", 1.923, 2.683),
        ("GeneIR_kl", "DAnonyIR_El", 1.863, 2.626),
        ("DAnonyIR_El", "DAnonyIR_kl", 1.0148, 1.0347),
    ),
    "5": (
        ("GeneIR_αβ", "DAnonyIR_αβ", 2.018, 3.039),
        ("GeneIR_αβ", "DAnonyIR_Eαβ", 1.976, 2.915),
        ("DAnonyIR_Eαβ", "DAnonyIR_αβ", 1.0127, 1.0519),
    ),
}
"""Ratios of losses that section 5.2.1 gives for figure 4 and figure 5."""

TRIPLES = {
    "kl": ("GeneIR_kl", "DAnonyIR_kl", "DAnonyIR_El"),
    "ab": ("GeneIR_αβ", "DAnonyIR_αβ", "DAnonyIR_Eαβ"),
}


def claims_by_level(panels: Mapping[str, Panel]) -> list[Claim]:
    """Judge figures 2, 4, 6 and 8."""
    return [
        *_vulnerable(panels, "kl", "2", {"a": "rises", "b": "flat"}),
        *_curves(panels, "kl", "4", {"a": "rises", "b": "rises"}, "loss", SLACK, why.LOSS),
        _steeper(panels),
        *_better(panels, "kl", "4", "loses"),
        *_ratios(panels, "4"),
        *_curves(panels, "kl", "6", {"a": "rises", "b": "falls"}, "relative error", ROUGH, why.LOSS),
        *_better(panels, "kl", "6", "errs"),
        _close(panels, "kl", "6"),
        *_curves(panels, "kl", "8", {"a": "rises", "b": "rises"}, "time", ROUGH, why.TIME),
        *_faster(panels, "kl", "8"),
    ]


def claims_by_shares(panels: Mapping[str, Panel]) -> list[Claim]:
    """Judge figures 3, 5, 7 and 9."""
    down = {"a": "falls", "b": "falls"}
    return [
        *_vulnerable(panels, "ab", "3", {"a": "rises", "b": "falls", "c": "flat"}),
        *_curves(panels, "ab", "5", down | {"c": "rises"}, "loss", SLACK, why.LOSS),
        *_better(panels, "ab", "5", "loses"),
        *_ratios(panels, "5"),
        *_curves(panels, "ab", "7", down | {"c": "falls"}, "relative error", ROUGH, why.LOSS),
        *_better(panels, "ab", "7", "errs"),
        _close(panels, "ab", "7"),
        *_curves(panels, "ab", "9", down | {"c": "rises"}, "time", ROUGH, why.TIME),
        *_faster(panels, "ab", "9"),
    ]


def claims_at_full_size(panel: Panel, names: tuple[str, ...]) -> list[Claim]:
    """Judge the ratios and the times on the whole table, all quantities as the paper fixes them."""
    at = {row: dict(zip(names, values, strict=True)) for row, values in panel.series.items()}
    found = []
    for number, pairs in RATIOS.items():
        for upper, lower, low, high in pairs:
            one = {name: [value] for name, value in at["NLoss"].items()}
            outcome = rules.ratios_within(one, upper, lower, low, high)
            text = f"{upper} loses {low} to {high} times as much as {lower} (figure {number})"
            found.append(
                _claim(
                    panel.name,
                    "section 5.2.1",
                    text,
                    "the ratio lies in the range",
                    outcome,
                    why.ratio(upper, lower),
                )
            )
    for family, most in MOST_SECONDS.items():
        _, plain, enhanced = TRIPLES[family]
        more = at["processor seconds"][enhanced] - at["processor seconds"][plain]
        outcome = Outcome(None if more != more else more <= most, f"{more:.4g} s")  # noqa: PLR0124  # NaN
        text = f"{enhanced} takes at most {most} s longer than {plain}"
        found.append(
            _claim(panel.name, "section 5.3", text, "the difference is at most that", outcome, why.TIME)
        )
    return found


def _claim(panel: str, section: str, text: str, rule: str, outcome: Outcome, reason: str = "") -> Claim:
    """Write one claim; there is one reading, the paper's."""
    return Claim(panel, section, text, PAPER, rule, outcome, reason)


def _vulnerable(
    panels: Mapping[str, Panel], family: str, number: str, moves: Mapping[str, str]
) -> list[Claim]:
    """Section 5.1: how v moves, and who has more."""
    geneir, plain, enhanced = TRIPLES[family]
    found = []
    for letter, move in moves.items():
        panel = panels[f"{number}{letter}"]
        outcome = rules.everyone(
            *(rules.of(name, _moved(panel.series[name], move, SLACK)) for name in (geneir, plain))
        )
        told = {"flat": "hardly changes"}.get(move, move)
        found.append(
            _claim(
                panel.name,
                "section 5.1",
                f"v {told} with {panel.x}",
                _rule(move, SLACK),
                outcome,
                why.VULNERABLE,
            )
        )
        found.append(
            _claim(
                panel.name,
                "section 5.1",
                f"{plain} has more vulnerable classes than {geneir}",
                "above it at every point",
                rules.below(panel.series, geneir, plain),
                why.MORE_VULNERABLE,
            )
        )
        found.append(
            _claim(
                panel.name,
                "section 3",
                f"{enhanced} has no vulnerable class",
                "0 at every point",
                rules.at_most(panel.series[enhanced], 0),
            )
        )
    return found


def _curves(
    panels: Mapping[str, Panel],
    family: str,
    number: str,
    moves: Mapping[str, str],
    what: str,
    slack: float,
    reason: str,
) -> list[Claim]:
    """How the three curves move."""
    section = {"loss": "section 5.2.1", "relative error": "section 5.2.2", "time": "section 5.3"}[what]
    found = []
    for letter, move in moves.items():
        panel = panels[f"{number}{letter}"]
        own = why.CONDITIONS if panel.x.startswith("λ") else reason
        for name in TRIPLES[family]:
            outcome = _moved(panel.series[name], move, slack)
            text = f"The {what} of {name} {move} with {panel.x}"
            found.append(_claim(panel.name, section, text, _rule(move, slack), outcome, own))
    return found


def _steeper(panels: Mapping[str, Panel]) -> Claim:
    """Loss grows more with |QI| than with l."""
    told, good = [], []
    for name in TRIPLES["kl"]:
        by_level, by_quasi = (panels[key].series[name] for key in ("4a", "4b"))
        one, two = by_level[-1] - by_level[0], by_quasi[-1] - by_quasi[0]
        told.append(f"{name}: {one:.3g} over l, {two:.3g} over d")
        good.append(two > one)
    return _claim(
        "4b",
        "section 5.2.1",
        "Loss grows more sharply with |QI| than with l",
        "for each system NLoss grows more from the first to the last d than from the first to the last l",
        Outcome(all(good), "; ".join(told)),
        why.STEEPER,
    )


def _better(panels: Mapping[str, Panel], family: str, number: str, verb: str) -> list[Claim]:
    """DAnonyIR against GeneIR."""
    geneir, plain, enhanced = TRIPLES[family]
    section = "section 5.2.1" if verb == "loses" else "section 5.2.2"
    return [
        _claim(
            panel.name,
            section,
            f"GeneIR {verb} more than DAnonyIR",
            "above both other curves at every point",
            rules.everyone(*(rules.below(panel.series, own, geneir) for own in (plain, enhanced))),
            why.ENHANCED,
        )
        for panel in _of(panels, number)
    ]


def _ratios(panels: Mapping[str, Panel], number: str) -> list[Claim]:
    """The ratios that section 5.2.1 gives, over all panels of a figure."""
    series: dict[str, list[float]] = {}
    for panel in _of(panels, number):
        for name, values in panel.series.items():
            series.setdefault(name, []).extend(values)
    return [
        _claim(
            f"{number}a",
            "section 5.2.1",
            f"{upper} loses {low} to {high} times as much as {lower} (all panels of figure {number})",
            "every ratio lies in the range",
            rules.ratios_within(series, upper, lower, low, high),
            why.ratio(upper, lower),
        )
        for upper, lower, low, high in RATIOS[number]
    ]


def _close(panels: Mapping[str, Panel], family: str, number: str) -> Claim:
    """The enhanced model costs little accuracy."""
    _, plain, enhanced = TRIPLES[family]
    found = (rules.mean_ratio(panel.series, enhanced, plain, high=CLOSE) for panel in _of(panels, number))
    return _claim(
        f"{number}a",
        "section 5.2.2",
        f"The relative error of {enhanced} is close to that of {plain}",
        f"at most {CLOSE} times on average, in every panel",
        rules.everyone(*found),
        why.ratio(enhanced, plain),
    )


def _faster(panels: Mapping[str, Panel], family: str, number: str) -> list[Claim]:
    """GeneIR is faster."""
    geneir, plain, enhanced = TRIPLES[family]
    return [
        _claim(
            panel.name,
            "section 5.3",
            "GeneIR takes far less time than DAnonyIR",
            "below both other curves at every point",
            rules.below(panel.series, geneir, plain, enhanced),
            why.TIME,
        )
        for panel in _of(panels, number)
    ]


def _of(panels: Mapping[str, Panel], number: str) -> list[Panel]:
    """Panels of one figure."""
    return [panel for name, panel in panels.items() if name[:-1] == number]


def _moved(values: list[float], move: str, slack: float) -> Outcome:
    """Decide whether a curve moves as it should."""
    if move == "flat":
        return rules.flat(values, FLAT)
    return rules.rises(values, slack) if move == "rises" else rules.falls(values, slack)


def _rule(move: str, slack: float) -> str:
    """Write a rule."""
    if move == "flat":
        return f"largest and smallest value differ by at most {FLAT:.0%} of the mean"
    back, end = ("falls", "above") if move == "rises" else ("rises", "below")
    return f"ends {end} its start and never {back} by more than {slack:.0%} of the value before"
