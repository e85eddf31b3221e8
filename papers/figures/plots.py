"""Draws panels."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from papers.figures.results import Panel

FAMILIES = {
    "BUREL": ("tab:blue", "o"),
    "LMondrian": ("tab:orange", "s"),
    "DMondrian": ("tab:red", "D"),
    "tMondrian": ("tab:red", "D"),
    "SABRE": ("tab:green", "^"),
    "perturbation": ("tab:blue", "o"),
    "Baseline": ("black", "x"),
    "GeneIR": ("tab:orange", "s"),
    "DAnonyIR_E": ("tab:blue", "o"),
    "DAnonyIR": ("tab:green", "^"),
    "kInc": ("tab:green", "^"),
    "kAgg": ("tab:blue", "o"),
    "β_GE": ("tab:red", "D"),
    "(k,l)": ("tab:orange", "s"),
    "(p,l)": ("tab:green", "^"),
    "θ-sensitive": ("tab:red", "D"),
    "(θ*,k)": ("tab:blue", "o"),
    "ANGEL": ("tab:purple", "P"),
    "one table": ("black", "x"),
}
OTHERS = ("tab:purple", "v")


def plot_ending(asked: str) -> str | None:
    """Choose the kind of plots; None where none are asked for, or there is nothing to draw with."""
    from importlib.util import find_spec

    return None if asked == "none" or find_spec("matplotlib") is None else asked


def draw(panel: Panel, path: Path) -> None:
    """Draw one panel to a file.

    Parameters
    ----------
    panel
        What to draw.
    path
        A PNG or SVG file.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    label, own = panel.along or (panel.x, {})
    for name, values in panel.series.items():
        points = [
            (x, y)
            for x, y in zip(own.get(name, panel.xs), values, strict=True)
            if isfinite(x) and isfinite(y)
        ]
        if points:
            axes.plot(*zip(*points, strict=True), label=name, **style(name))
    axes.set_xlabel(label)
    axes.set_ylabel(panel.y)
    if panel.along is None:
        axes.set_xticks(list(panel.xs))
    if panel.logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_title(f"{panel.name}: {panel.title}", fontsize="medium")
    axes.grid(visible=True, alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="x-small", handlelength=3.5)
    figure.savefig(path, dpi=120, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def style(name: str) -> dict[str, Any]:
    """Choose how a curve is drawn: colour by family, dashes for the paper's reading.

    Examples
    --------
    >>> style("BUREL (paper)")["linestyle"], style("BUREL")["linestyle"]
    ('--', '-')
    """
    family = next((family for family in FAMILIES if name.startswith(family)), "")
    colour, marker = FAMILIES.get(family, OTHERS)
    dashes = "--" if "(paper)" in name else ":" if " (" in name else "-"
    return {"color": colour, "marker": marker, "linestyle": dashes, "markersize": 4, "linewidth": 1.3}
