"""The six systems that are compared: a model, and what searches for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.metrics.vulnerable_classes import VulnerableClasses
from likeness.models.eir_alpha_beta_anonymity import EirAlphaBetaAnonymity
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.ir_alpha_beta_anonymity import IrAlphaBetaAnonymity
from likeness.models.ir_kl_anonymity import IrKlAnonymity

if TYPE_CHECKING:
    from likeness.models.base import SensitiveModel

LEVELS = (2, 4, 6, 8, 10)
"""Values of k = l; the paper's axes have no numbers in the text."""
ALPHAS, BETAS = (0.4, 0.5, 0.6, 0.7, 0.8), (0.3, 0.4, 0.5, 0.6, 0.7)
"""Values of α and β; the paper's axes have no numbers in the text."""
DIMENSIONS = (3, 4, 5, 6, 7, 8)
LEVEL, ALPHA, BETA, QUASI = 6, 0.6, 0.4, 6
"""What the paper fixes."""


@dataclass(frozen=True, order=True)
class Setting:
    """What is asked of a release.

    Parameters
    ----------
    level
        k = l.
    alpha, beta
        Of the (α,β) models.
    quasi
        How many quasi-identifiers, d.
    """

    level: int = LEVEL
    alpha: float = ALPHA
    beta: float = BETA
    quasi: int = QUASI


@dataclass(frozen=True)
class System:
    """A model and what searches for it.

    Parameters
    ----------
    name
        As in the paper.
    model
        ``kl`` or ``ab``, the identity-reserved models; ``El`` or ``Eab``, the enhanced ones.
    method
        ``danonyir`` or ``geneir``.
    options
        Further parameters of the method.
    """

    name: str
    model: str
    method: str
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def trees(self) -> bool:
        """Whether it generalizes along hierarchies."""
        return self.method == "geneir"

    def relevant(self, setting: Setting) -> Setting:
        """Set what the model does not look at to what the paper fixes, so that equal runs are made once.

        Examples
        --------
        >>> DANONYIR_EL.relevant(Setting(level=3, alpha=0.9))
        Setting(level=3, alpha=0.6, beta=0.4, quasi=6)
        """
        if self.model in {"kl", "El"}:
            return Setting(level=setting.level, quasi=setting.quasi)
        return Setting(alpha=setting.alpha, beta=setting.beta, quasi=setting.quasi)


def guarantee(model: str, setting: Setting) -> SensitiveModel:
    """Make a model.

    Parameters
    ----------
    model
        ``kl``, ``El``, ``ab`` or ``Eab``.
    setting
        Its parameters.

    Examples
    --------
    >>> guarantee("El", Setting(level=3))
    EirLDiversity(l=3)
    """
    if model == "kl":
        return IrKlAnonymity(setting.level, setting.level)
    if model == "El":
        return EirLDiversity(setting.level)
    if model == "ab":
        return IrAlphaBetaAnonymity(setting.alpha, setting.beta)
    return EirAlphaBetaAnonymity(setting.alpha, setting.beta)


def vulnerable(model: str, setting: Setting) -> VulnerableClasses:
    """Make the metric v that goes with a model.

    Examples
    --------
    >>> vulnerable("El", Setting(level=3)).l
    3
    """
    if model in {"kl", "El"}:
        return VulnerableClasses(l=setting.level)
    return VulnerableClasses(alpha=setting.alpha, beta=setting.beta)


PAPER = (("variant", "paper"),)
"""DAnonyIR as the paper has it."""

GENEIR_KL = System("GeneIR_kl", "kl", "geneir")
DANONYIR_KL = System("DAnonyIR_kl", "kl", "danonyir", PAPER)
DANONYIR_EL = System("DAnonyIR_El", "El", "danonyir", PAPER)
GENEIR_AB = System("GeneIR_αβ", "ab", "geneir")
DANONYIR_AB = System("DAnonyIR_αβ", "ab", "danonyir", PAPER)
DANONYIR_EAB = System("DAnonyIR_Eαβ", "Eab", "danonyir", PAPER)
GENEIR_LEAST = System("GeneIR_kl (least loss)", "kl", "geneir", (("attribute_choice", "least-loss"),))
BETTER = (
    GENEIR_LEAST,
    System("DAnonyIR_kl (default)", "kl", "danonyir"),
    System("DAnonyIR_El (default)", "El", "danonyir"),
    System("DAnonyIR_αβ (default)", "ab", "danonyir"),
    System("DAnonyIR_Eαβ (default)", "Eab", "danonyir"),
)
"""What this library does beyond the paper."""

BY_LEVEL = (GENEIR_KL, DANONYIR_KL, DANONYIR_EL)
"""Figures 2, 4, 6 and 8."""
BY_SHARES = (GENEIR_AB, DANONYIR_AB, DANONYIR_EAB)
"""Figures 3, 5, 7 and 9."""
