"""The systems that are compared, as the paper has them and as this library does by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import likeness as lk
from papers.two_tables.subjects import PEOPLE, RECORDS, WHO

if TYPE_CHECKING:
    from collections.abc import Callable

    from papers.two_tables.subjects import Subject

MU = "0.6"
WEAK = "0.38"
"""What INFORMS 2005 can meet at k = 5 when nobody is invented (0.381)."""
P = L = 2
"""The paper names no values; these are the smallest there are, and the μ of its own example."""
SHARE = "1/2"
"""No category is more than that of a bucket, where shares are limited."""


@dataclass(frozen=True)
class System:
    """A method, and the guarantee it is asked for.

    Parameters
    ----------
    name
        As figures show it.
    method
        Makes the method for a k.
    privacy
        Makes the guarantee for a k.
    of
        Which table it publishes: all ``records``, or ``people`` with the highest category of theirs.
    individual
        Whether it knows whose records are whose; else every record is another person's.
    tree
        Whether the sensitive column has the category table for a hierarchy, and not for categories.
    """

    name: str
    method: Callable[[int], Any]
    privacy: Callable[[int], list[Any]]
    of: str = RECORDS
    individual: bool = True
    tree: bool = False

    def policy(self, subject: Subject, k: int) -> lk.Policy:
        """Ask for a release; anybody may be withheld, and it is measured how many are.

        Parameters
        ----------
        subject
            The table.
        k
            Smallest class and smallest bucket.
        """
        sensitive = {"hierarchy": subject.tree} if self.tree else {"kind": "categorical"}
        more: dict[str, Any] = {"individual": WHO} if self.individual else {}
        if not self.tree:
            own = subject.categories if self.of == RECORDS else subject.labels
            more["categories"] = {subject.sensitive: own}
        return lk.Policy(
            columns=subject.columns(**sensitive),
            privacy=self.privacy(k),
            method=self.method(k),
            withhold={"at_most": 1},
            **more,
        )


def _by_frequency(k: int) -> lk.ThetaSensitivity:
    """θ-sensitivity as the paper computes it."""
    return lk.ThetaSensitivity(k, MU, order="frequency")


KL = System(
    "(k,l)-diversity",
    lk.OneToManyGeneralization,
    lambda k: [lk.KAnonymity(k), lk.KlDiversity(k, L)],
    tree=True,
)
PL = System(
    "(p,l)-angelization",
    lambda _: lk.PlAngelization(P, L),
    lambda k: [lk.KAnonymity(k), lk.PPlusSensitivity(P)],
)
PL_LOOSE = System("(p,l)-angelization (loose)", lambda _: lk.PlAngelization(P, L, link="loose"), PL.privacy)
THETA_PAPER = System(
    "θ-sensitive (paper)",
    lambda _: lk.ThetaSensitive("paper"),
    lambda k: [_by_frequency(k)],
    individual=False,
)
THETA = System(
    "θ-sensitive",
    lambda _: lk.ThetaSensitive(),
    lambda k: [lk.KAnonymity(k), lk.ThetaSensitivity(k, MU)],
    of=PEOPLE,
    individual=False,
)
STAR_PAPER = System(
    "(θ*,k)-utility (paper)",
    lambda _: lk.ThetaStarUtility("paper"),
    lambda k: [lk.KAnonymity(k), _by_frequency(k)],
)
STAR = System(
    "(θ*,k)-utility",
    lambda _: lk.ThetaStarUtility(),
    lambda k: [lk.KAnonymity(k), lk.ThetaSensitivity(k, MU)],
)
STAR_WEAK = System(
    f"(θ*,k)-utility (μ = {WEAK})",
    STAR.method,
    lambda k: [lk.KAnonymity(k), lk.ThetaSensitivity(k, WEAK)],
)
ANGEL = System(
    "ANGEL",
    lambda _: lk.Angel(publish="highest"),
    lambda k: [lk.KAnonymity(k), lk.AlphaKAnonymity(SHARE, k)],
)
ANGEL_VALUES = System(
    "ANGEL (all values)",
    lambda _: lk.Angel(),
    lambda k: [lk.KAnonymity(k), lk.EirAlphaBetaAnonymity(1, SHARE)],
)
ONE_TABLE = System("one table", lambda _: lk.Mondrian(), ANGEL.privacy, of=PEOPLE, individual=False)

CURVES = (KL, PL, PL_LOOSE, THETA_PAPER, THETA, STAR_PAPER, STAR, ANGEL, ONE_TABLE)
"""Figures 6 to 9."""
EVERY = (*CURVES[:7], STAR_WEAK, *CURVES[7:], ANGEL_VALUES)
"""The table of all systems at one k."""


@dataclass(frozen=True)
class Compared:
    """Who is who in the paper's comparisons: names of curves."""

    kl: str
    pl: str
    theta: str
    star: str

    @property
    def everybody(self) -> tuple[str, ...]:
        """All four, the paper's own last."""
        return self.kl, self.pl, self.theta, self.star


READINGS = {
    "paper": Compared(KL.name, PL.name, THETA_PAPER.name, STAR_PAPER.name),
    "library": Compared(KL.name, PL.name, THETA.name, STAR.name),
}
