"""What a comparison of methods shows: the picture of loss against the guarantee, and the page around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from likeness.pages import render
from likeness.report.pictures import AFTER, BEFORE, Picture, _short, _spec
from likeness.report.script import drawing_script, script_hash
from likeness.wording import count, figure, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence


class Point(NamedTuple):
    """One release: its method, how strong it is, what it loses, whether it is on the frontier, and what was asked."""

    method: str
    strength: float
    loss: float
    frontier: bool
    asked: str


def risk_utility(
    points: Sequence[Point], strength: str, loss: str, *, stronger_to_the_right: bool
) -> Picture:
    """Draw loss against the strength of the guarantee: a point a release, a line along the frontier.

    ``strength``, ``loss``: what they are called. ``stronger_to_the_right``: whether the guarantee is stronger the larger it is;
    if not, the axis is turned round.
    """
    drawn = [one for one in points if abs(one.strength) < float("inf") and abs(one.loss) < float("inf")]
    values = [
        {
            "method": shortened(one.method),
            "strength": _short(one.strength),
            "loss": _short(one.loss),
            "frontier": "yes" if one.frontier else "no",
            "asked": one.asked,
        }
        for one in drawn
    ]
    strengths = [one.strength for one in drawn]
    least, most = min(strengths, default=0.0), max(strengths, default=0.0)
    wide = 0 < 20 * least < most
    scale = {"type": "log" if wide else "linear", "zero": False, "reverse": not stronger_to_the_right}
    on = [one for one in points if one.frontier]
    by = ", ".join(dict.fromkeys(one.method for one in on))
    told = (
        f"{loss} of {count(len(points), 'release')} against {strength} as it holds, stronger to the right; "
        f"{count(len(on), 'release')}, by {by}, {'is' if len(on) == 1 else 'are'} on the frontier: no other is as "
        "strong and as good."
    )
    spec = _spec(
        values,
        {
            "height": 380,
            "encoding": {
                "x": {"field": "strength", "type": "quantitative", "title": strength, "scale": scale},
                "y": {"field": "loss", "type": "quantitative", "title": loss},
            },
            "layer": [
                {
                    "transform": [{"filter": {"field": "frontier", "equal": "yes"}}],
                    "mark": {"type": "line", "color": BEFORE, "strokeDash": [4, 3]},
                },
                {"mark": _POINT, "encoding": _LOOKS},
            ],
        },
    )
    rows = tuple(
        (one.method, one.asked, figure(one.strength), figure(one.loss), "yes" if one.frontier else "")
        for one in points
    )
    head = ("method", "asked", f"{strength} held", loss, "frontier")
    return Picture("risk-utility", "Risk and utility", told, spec, head, rows)


_POINT = {"type": "point", "filled": True, "size": 70, "strokeWidth": 1.5}
_LOOKS: dict[str, Any] = {
    "color": {
        "field": "method",
        "type": "nominal",
        "scale": {"scheme": "tableau20"},
        "legend": {"orient": "bottom", "columns": 4, "title": None},
    },
    "shape": {
        "field": "frontier",
        "type": "nominal",
        "title": "frontier",
        "scale": {"domain": ["yes", "no"], "range": ["diamond", "circle"]},
        "legend": {"orient": "bottom", "symbolFillColor": AFTER},
    },
    "tooltip": [
        {"field": "method", "type": "nominal"},
        {"field": "asked", "type": "nominal"},
        {"field": "strength", "format": ".4~g", "title": "held"},
        {"field": "loss", "format": ".4~g"},
        {"field": "frontier", "type": "nominal"},
    ],
}


def comparison_page(**facts: Any) -> str:
    """Write the page: HTML complete in itself, with one script that draws the picture and fetches nothing."""
    return render(
        "report/templates/comparison.html", script=drawing_script(), script_hash=script_hash(), **facts
    )
