"""Similarity: different sensitive values that mean nearly the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._beliefs import Evidence, GuessingAttack
from likeness.attacks.base import AttackResult
from likeness.checks import whole
from likeness.microdata.domain import NUMERIC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.attacks._beliefs import Question
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


@dataclass(frozen=True)
class SimilarityAttack(GuessingAttack):
    """Guess to which category of sensitive values somebody's belongs, when a class holds many of few categories.

    Categories are the nodes of one level of the sensitive column's hierarchy. Numbers, dates and ordered
    values without a hierarchy are cut into runs of about equally many records. The category that most of
    the candidates' values belong to is guessed; candidates are those of the attack `homogeneity`.

    Parameters
    ----------
    targets
        How many records to take as targets, drawn at random; all when left out.
    seed
        Which ones are drawn; the same seed, the same targets.
    sensitive
        The column to guess; all with categories when left out, and the result is that of the largest gain.
    level
        Level of the hierarchy: 1 (default) is the lowest above the values.
    runs
        Number of categories of ordered values without a hierarchy, at least 2.

    Notes
    -----
    The missing value is a category of its own.

    References
    ----------
    Cao & Karras 2012, section 2 and Table 1; Li et al. 2007, "t-Closeness", section 3.

    Examples
    --------
    >>> SimilarityAttack(runs=4)
    SimilarityAttack(targets=None, seed=0, sensitive=None, level=1, runs=4)
    """

    level: int = 1
    runs: int = 5

    name: ClassVar[str] = "similarity"
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "guessing the table's most frequent category for everybody",
        "categories": "number of categories",
        "max_confidence": "largest share of one category among the records that may be a target's",
        "max_share": "largest share of one category in a class",
        "category_beta": "largest relative gain of the share of a category in a class: β-likeness of categories",
        "random_world": "share guessed by drawing a category from everybody's own class",
        "unmatched": "share of targets with no candidate",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "level", self.level, at_least=1)
        whole(self.name, "runs", self.runs, at_least=2)

    def inapplicable_to(self, publication: Publication, original: Microdata, name: str) -> Refusal | None:  # noqa: ARG002
        """Find why a sensitive column has no categories; None when it has."""
        domain = original.sensitive[original.sensitive_index(name)]
        if domain.hierarchy is None:
            if domain.kind in NUMERIC or domain.kind == "ordered":
                return None
            return self._refused(
                f"the values of {name!r} have neither a hierarchy nor an order, so none are similar",
                "give the column a hierarchy",
            )
        if self.level >= domain.hierarchy.height:
            return self._refused(
                f"level {self.level} of the hierarchy of {name!r} is its root, one category for all; "
                f"the hierarchy has {domain.hierarchy.height - 1} levels between values and root"
            )
        return None

    def attack_column(self, question: Question) -> AttackResult:
        """Guess the category of one sensitive attribute of all targets.

        Returns
        -------
        AttackResult
            Its details: ``categories``, their number; ``max_confidence`` of the guesses; ``max_share`` of a
            category in a class; ``category_beta``, the largest relative gain ``(q_c - p_c) / p_c`` over classes
            and categories; ``random_world``, the share guessed by drawing from everybody's class;
            ``unmatched`` targets; ``targets``, their number.
        """
        answer_of = self._categories(question)
        own = question.own_codes
        group = np.zeros(question.published.codes, np.int64)
        group[own[own >= 0]] = answer_of[own >= 0]
        evidence = Evidence(question.publication, question.column, group)
        guesses = evidence.guess(question.original, question.records)
        success, baseline = question.score(guesses.answer, answer_of)
        details = {
            "categories": float(np.unique(answer_of).size),
            "max_confidence": float(guesses.confidence.max(initial=0.0)),
            "max_share": evidence.strength.share,
            "category_beta": max(0.0, evidence.strength.ratio - 1),
            "random_world": evidence.strength.random_world,
            "unmatched": int(np.count_nonzero(guesses.candidates == 0)) / max(1, question.records.size),
            "targets": float(question.records.size),
        }
        return AttackResult(
            self.name,
            success,
            baseline,
            f"share of targets whose category of {question.name!r} is the most frequent among the records that may be "
            "theirs",
            details,
        )

    def _categories(self, question: Question) -> NDArray[np.int64]:
        """(codes,) Category of every original value, the missing one last."""
        domain = question.domain
        if domain.hierarchy is not None:
            ranks = np.array([domain.hierarchy.rank_of[label] for label in domain.labels], np.int64)
            _, found = np.unique(domain.hierarchy.ancestor_at(ranks, self.level), return_inverse=True)
        else:
            found = self._runs(domain, question.original.sensitive_codes[question.index])
        categories = np.asarray(found, np.int64)
        return np.append(categories, categories.max(initial=-1) + 1) if domain.missing else categories

    def _runs(self, domain: Domain, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Run of every value: where the middle of its records stands among all."""
        counts = np.bincount(codes, minlength=domain.codes)[: domain.size]
        middle = np.cumsum(counts) - counts / 2
        places = np.floor(self.runs * middle / max(1, int(counts.sum()))).astype(np.int64)
        _, found = np.unique(np.minimum(places, self.runs - 1), return_inverse=True)
        return np.asarray(found, np.int64)
