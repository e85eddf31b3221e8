"""What is compared: every method as the paper has it, and as this library does by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import likeness as lk

if TYPE_CHECKING:
    from collections.abc import Callable

PAPER, LIBRARY, VARIANT = "paper", "library", "variant"


@dataclass(frozen=True)
class System:
    """A method under a guarantee.

    Parameters
    ----------
    name
        As figures show it.
    family
        The paper's name for it: ``BUREL``, ``LMondrian`` …
    of
        ``paper``: as Cao & Karras 2012 describes it; ``library``: by this library's defaults; else a variant of it.
    method
        The method.
    guarantee
        Makes the model from the parameter (β, or t).
    form
        How it is published; None for what the method publishes.
    """

    name: str
    family: str
    of: str
    method: Any
    guarantee: Callable[[float], Any]
    form: Any = None


def beta(value: float) -> Any:
    """Enhanced β-likeness, as always in the paper's section 6."""
    return lk.BetaLikeness(value)


def delta(value: float) -> Any:
    """δ-disclosure with δ derived from β so that β-likeness follows (section 6.2)."""
    return lk.DeltaDisclosure(beta=value)


def closeness(value: float) -> Any:
    """t-closeness; the earth mover's distance is that of ordered values."""
    return lk.TCloseness(value)


# AIL is the mean NCP: Mondrian chooses its cuts by the loss that it is judged by.
LEAST_LOSS = lk.Mondrian(loss="ncp")

BUREL = System("BUREL", "BUREL", LIBRARY, lk.Burel(), beta)
BUREL_PAPER = System("BUREL (paper)", "BUREL", PAPER, lk.Burel(variant="paper"), beta)
BUREL_MIRROR = System("BUREL (mirror)", "BUREL", VARIANT, lk.Burel(variant="mirror"), beta)
BUREL_AUTHORS = System(
    "BUREL (authors' program)", "BUREL", VARIANT, lk.Burel(variant="paper", refine="hilbert"), beta
)
L_MONDRIAN = System("LMondrian", "LMondrian", LIBRARY, LEAST_LOSS, beta)
L_MONDRIAN_ALL = System("LMondrian (all dimensions)", "LMondrian", VARIANT, lk.Mondrian(cut="all"), beta)
L_MONDRIAN_PAPER = System("LMondrian (paper)", "LMondrian", PAPER, lk.Mondrian(cut="widest"), beta)
D_MONDRIAN = System("DMondrian", "DMondrian", LIBRARY, LEAST_LOSS, delta)
D_MONDRIAN_PAPER = System("DMondrian (paper)", "DMondrian", PAPER, lk.Mondrian(cut="widest"), delta)
T_MONDRIAN = System("tMondrian", "tMondrian", LIBRARY, LEAST_LOSS, closeness)
T_MONDRIAN_PAPER = System("tMondrian (paper)", "tMondrian", PAPER, lk.Mondrian(cut="widest"), closeness)
SABRE = System("SABRE", "SABRE", LIBRARY, lk.Sabre(), closeness)
SABRE_PAPER = System("SABRE (paper)", "SABRE", PAPER, lk.Sabre(bound="plain", buckets="fewest"), closeness)

PERTURBATION = System("perturbation", "perturbation", LIBRARY, lk.Perturbation(), beta)
PERTURBATION_BAYES = System(
    "perturbation (iterative Bayes)",
    "perturbation",
    VARIANT,
    lk.Perturbation(),
    beta,
    lk.PerturbedForm(reconstruction="bayes"),
)
PERTURBATION_BLOCKS = System(
    "perturbation (blocks)", "perturbation", VARIANT, lk.Perturbation(rule="blocks"), beta
)
PERTURBATION_PAPER = System(
    "perturbation (paper)",
    "perturbation",
    PAPER,
    lk.Perturbation(rule="paper"),
    beta,
    lk.PerturbedForm(reconstruction="plain"),
)
BASELINE = System("Baseline", "Baseline", "", lk.Baseline(), beta)

GENERALIZING = (
    BUREL_PAPER,
    BUREL_AUTHORS,
    BUREL_MIRROR,
    BUREL,
    L_MONDRIAN_PAPER,
    L_MONDRIAN_ALL,
    L_MONDRIAN,
    D_MONDRIAN_PAPER,
    D_MONDRIAN,
)
"""Figures 5 to 8."""
RANDOMIZING = (PERTURBATION_PAPER, PERTURBATION_BAYES, PERTURBATION_BLOCKS, PERTURBATION, BASELINE)
"""Figure 9."""


def chosen(of: str, *systems: System) -> dict[str, str]:
    """Names by family of the systems of one reading; those of no reading belong to both."""
    return {system.family: system.name for system in systems if system.of in {of, ""}}
