"""The algorithms that are compared, as the paper has them, and as this library does by default."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import likeness as lk

if TYPE_CHECKING:
    from papers.background_knowledge.subjects import Source

KS = (3, 5, 10, 15, 20)
BETAS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
JS = ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8")


@dataclass(frozen=True, order=True)
class Setting:
    """What is asked of a release.

    Parameters
    ----------
    k
        Smallest class.
    beta
        Of β-likeness.
    j
        Largest divergence within a class, in bits, as a decimal number; the empty text to ask for none.
    t
        Of t-closeness, which then stands in the place of β-likeness; 0 to ask for none.
    """

    k: int = 5
    beta: float = 3.0
    j: str = "0.8"
    t: float = 0.0


@dataclass(frozen=True, order=True)
class System:
    """An algorithm.

    Parameters
    ----------
    name
        As figures show it.
    method
        The method.
    options
        Its parameters, other than its defaults.
    original
        Whether classes are compared with the distribution of the original table, as in the paper; else with that of what is
        published.
    form
        How it is published.
    at_most
        Share of the records that may be withheld.
    """

    name: str
    method: str
    options: tuple[tuple[str, Any], ...] = ()
    original: bool = False
    form: str = "generalized"
    at_most: float = 1.0

    @property
    def trees(self) -> bool:
        """Whether it needs a hierarchy of every quasi-identifier."""
        return self.method in {"incognito", "datafly"}

    def policy(self, source: Source, setting: Setting) -> lk.Policy:
        """Ask for a release; anybody may be withheld."""
        reference = "original" if self.original else "published"
        likeness: Any = (
            lk.TCloseness(setting.t, reference=reference)
            if setting.t
            else lk.BetaLikeness(setting.beta, reference=reference)
        )
        form = (
            {"name": "generalized", "recoding": "set"} if self.form == "generalized" else {"name": self.form}
        )
        return lk.Policy(
            columns=source.columns(trees=self.trees),
            privacy=[
                lk.KAnonymity(setting.k),
                likeness,
                *([lk.JsBackground(setting.j)] if setting.j else []),
            ],
            method={"name": self.method, **dict(self.options)},
            form=form,
            withhold={"at_most": self.at_most},
            **({"knowledge": source.knowledge()} if setting.j else {}),
        )

    def under(self, name: str, **changed: Any) -> System:
        """Take another name, and other fields."""
        return replace(self, name=name, **changed)


MODERATE = 0.1
"""What methods that withhold as many as they may are given."""
SUPPRESS = ("leftover", "suppress")
INCREMENTAL = ("rest", "incremental")

K_INC = System("kInc", "k-anonymity-primacy", (INCREMENTAL,))
K_AGG = System("kAgg", "k-anonymity-primacy")
BETA_GE = System("β_GE", "beta-likeness-primacy")
K_INC_PAPER = K_INC.under("kInc (paper)", options=(INCREMENTAL, SUPPRESS), original=True)
K_AGG_PAPER = K_AGG.under("kAgg (paper)", options=(SUPPRESS,), original=True)
BETA_GE_PAPER = BETA_GE.under("β_GE (paper)", original=True)
BUREL = System("BUREL", "burel")

PAPER = (K_INC_PAPER, K_AGG_PAPER, BETA_GE_PAPER)
LIBRARY = (K_INC, K_AGG, BETA_GE)

HILBERT = System("Hilbert", "hilbert-index", original=True)
HILBERT_CHUNK = System("Hilbert (chunk)", "hilbert-index", (("mode", "chunk"),), original=True)
CLOSE = (K_INC_PAPER, K_AGG_PAPER, HILBERT, HILBERT_CHUNK, K_INC, K_AGG)
"""Figures 11 and 12, under t-closeness."""

EVERY = (
    *PAPER,
    *LIBRARY,
    System("kInc (cheapest)", "k-anonymity-primacy", (INCREMENTAL, ("leftover", "cheapest"))),
    System("kAgg (cheapest)", "k-anonymity-primacy", (("leftover", "cheapest"),)),
    BUREL,
    System("BUREL (paper)", "burel", (("variant", "paper"),)),
    System("BUREL (mirror)", "burel", (("variant", "mirror"),)),
    System("Mondrian", "mondrian"),
    System("Hilbert", "hilbert-index"),
    System("Hilbert (chunk)", "hilbert-index", (("mode", "chunk"),)),
    System("k-member", "k-member"),
    System("MDAV", "mdav"),
    System("SBCA", "sbca"),
    System("local recoding", "local-recoding"),
    System("Incognito", "incognito", at_most=MODERATE),
    System("Datafly", "datafly", at_most=MODERATE),
)
"""All methods that publish classes under k-anonymity, β-likeness and J."""
EVERY_CLOSE = (
    *(one for one in EVERY if one.method not in {"beta-likeness-primacy", "burel"}),
    System("t-close (merge)", "t-close-microaggregation", (("variant", "merge"),)),
    System("t-close (k-first)", "t-close-microaggregation"),
    System("SABRE", "sabre"),
)
"""The same under t-closeness in the place of β-likeness."""
