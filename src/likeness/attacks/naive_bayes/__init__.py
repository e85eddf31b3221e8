"""Naive Bayes: a classifier learned from the release guesses everybody's sensitive value (Cormode 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._beliefs import Evidence, GuessingAttack
from likeness.attacks.base import AttackResult
from likeness.attacks.matching import match_targets, shared_cells
from likeness.attacks.naive_bayes.conditionals import classify_weighed, learn, learn_from_table, weigh
from likeness.checks import choice
from likeness.errors import LikenessError
from likeness.microdata.grouping import group_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.attacks._beliefs import Question
    from likeness.attacks.naive_bayes.conditionals import Conditionals
    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.grouping import Groups


MOST_POSSIBLE = 0.25
"""Values are listed where fewer than this share are possible; otherwise all are tried."""


@dataclass(frozen=True)
class NaiveBayesAttack(GuessingAttack):
    """Learn from the release which sensitive values go with which quasi-identifiers, and guess everybody's.

    The guess for somebody with quasi-identifiers t is ``argmax_v Pr[v] Π_j Pr[t_j|v]``, where Pr[v] is the overall
    share of v and ``Pr[t_j|v] = Σ_{G: t_j in region_j(G)} c_v(G) / N_v``: all records of v whose region covers t_j,
    over all records of v. In two-table forms a record has every value of its bucket with the value's share there;
    where sensitive values were randomized, see ``weighed``. Of equal values the first is guessed; where all are
    impossible, the most frequent one.

    Parameters
    ----------
    targets
        How many records to take as targets, drawn at random; all when left out.
    seed
        Which ones are drawn; the same seed, the same targets.
    sensitive
        The column to guess; all when left out, and the result is that of the largest gain.
    variant
        ``counts``: as above, the paper's. ``laplace``: 1 is added to every count, the number of the attribute's
        values to N_v. ``uniform``: a record counts for every value in its region with 1 over their number, so that
        Pr[t_j|v] sums to 1. ``weighed`` is for randomized values: reconstructed counts are believed as far as chance
        does not explain them, and what was published of the target is looked at too; the others take reconstructed
        counts as they are (negative ones as 0). When left out: ``weighed`` where values were randomized, else
        ``counts``.

    Notes
    -----
    What this finds of a perturbed release is no breach of its guarantee, which is about an adversary whose prior is the
    overall distribution. This one takes from the release itself how values depend on quasi-identifiers. On
    census_income (199,523 records; age, sex, race, marital status, education; major occupation; β = 4, rule
    ``capped``) .505 of all have the most frequent value; ``counts`` guesses .31 to .51 right, depending on the draw,
    ``weighed`` .54 without and .55 with the target's own value, and the classifier learned from the original table .55.

    Under enhanced β-likeness ``Pr[t_j|v] <= (1 + min{β, -ln p_v}) Pr[t_j]`` (equation 19): ``largest_lift`` shows how
    much of that a release uses.

    References
    ----------
    Cao & Karras 2012, section 7, equations (15) to (19); Cormode 2011, "Personal privacy vs population
    privacy".

    Examples
    --------
    >>> NaiveBayesAttack(variant="laplace")
    NaiveBayesAttack(targets=None, seed=0, sensitive=None, variant='laplace')
    """

    variant: str | None = None

    name: ClassVar[str] = "naive-bayes"
    of_regions: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "guessing the table's most frequent value for everybody",
        "learned_from_original": "the same classifier, learned from the original table",
        "without_own_value": "the same, not looking at what was published of the target",
        "most_frequent": "share of targets for whom the most frequent value is guessed",
        "max_confidence": "largest probability that the classifier gives a guess",
        "largest_lift": "largest Pr[t|v] / Pr[t] that was learned; β-likeness by generalizing limits it to 1 + β",
        "random_world": "share guessed by drawing a value from everybody's own class",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant is not None:
            choice(self.name, "variant", self.variant, ("counts", "laplace", "uniform", "weighed"))

    def variant_for(self, publication: Publication) -> str:
        """The variant that a release is attacked with."""
        return self.variant or ("counts" if publication.mechanism is None else "weighed")

    def inapplicable_to(self, publication: Publication, original: Microdata, name: str) -> Refusal | None:  # noqa: ARG002
        """Find why counts of a column cannot be learned; None when they can."""
        weighed = self.variant_for(publication) == "weighed"
        if publication.mechanism is None:
            return (
                self._refused("weighed is for randomized values; this release publishes them as they are")
                if weighed
                else None
            )
        if publication.size == 0:
            return None
        counts = publication.mechanism.counts.astype(np.float64)
        try:
            _ = publication.mechanism.reconstruct(counts) if weighed else publication.reconstruct(counts)
        except LikenessError as problem:
            return self._refused(str(problem))
        return None

    def attack_column(self, question: Question) -> AttackResult:
        """Guess one sensitive attribute of all targets.

        Returns
        -------
        AttackResult
            Its details: ``learned_from_original``, the success of the same classifier learned from the original
            table; ``most_frequent``, the share of targets for whom the most frequent value is guessed;
            ``max_confidence``, the largest probability the classifier gives a guess; ``largest_lift``, the largest
            ``Pr[t_j|v] / Pr[t_j]``; ``random_world``, the share guessed by drawing from everybody's class;
            ``targets``, their number; by ``weighed``, ``without_own_value``.
        """
        publication, original, records = question.publication, question.original, question.records
        columns = [j for _, j in shared_cells(publication, original)]
        codes, tuples = _tuples(original, columns, records)
        variant, mechanism = self.variant_for(publication), publication.mechanism
        further = {}
        if variant == "weighed" and mechanism is not None and publication.size:
            variant = "counts"
            learned = learn(publication, original, question.column, variant)
            lifts = weigh(learned, mechanism)
            own = match_targets(publication, original, records).exact if columns else None
            alone, guess, confidence = classify_weighed(learned, mechanism, lifts, codes, own)
            further["without_own_value"] = question.score(alone[tuples.of])[0]
            lift = max((float(one.max(initial=0.0)) for one in lifts), default=0.0)
        else:
            variant = "counts" if variant == "weighed" else variant
            learned = learn(publication, original, question.column, variant)
            guess, confidence = classify(learned, codes)
            lift = largest_lift(learned)
        success, baseline = question.score(guess[tuples.of])
        everything = learn_from_table(original, question.index, columns, variant)
        known, _ = classify(everything, codes)
        details = {
            "learned_from_original": question.score(known[tuples.of], np.arange(question.domain.codes))[0],
            "most_frequent": int(np.count_nonzero(guess[tuples.of] == learned.likeliest))
            / max(1, records.size),
            "max_confidence": float(confidence.max(initial=0.0)),
            "largest_lift": lift,
            "random_world": Evidence(publication, question.column).strength.random_world,
            "targets": float(records.size),
            **further,
        }
        return AttackResult(
            self.name,
            success,
            baseline,
            f"share of targets whose {question.name!r} a classifier learned from the release guesses",
            details,
        )


def classify(
    learned: Conditionals, codes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Guess the sensitive value of targets with quasi-identifiers ``codes`` (d, targets): guess and confidence (targets,).

    The confidence is its probability, as far as the classifier knows. Where no value is possible the guess is the most
    frequent one, with its share.
    """
    from likeness.attacks.kernels.naive_bayes import take_best

    targets = codes.shape[1]
    best, at, total = np.full(targets, -np.inf), np.full(targets, -1), np.zeros(targets)
    offsets = np.cumsum([0] + [attribute.codes for attribute in learned.attributes]).astype(np.int64)
    with np.errstate(divide="ignore"):
        for first, stop in learned.runs():
            prior = np.log(learned.totals[first:stop] / max(1, int(learned.totals.sum())))
            shares = learned.shares(first, stop)
            logs = np.log(np.concatenate([np.zeros((0, stop - first)), *shares]))
            by, start, possible = _few_possible(shares)
            take_best(codes, offsets[:-1], logs, prior, first, by, start, possible, best, at, total)
    share = (
        learned.totals[learned.likeliest] / max(1, int(learned.totals.sum())) if learned.totals.size else 0.0
    )
    guess = np.where(at >= 0, at, learned.likeliest)
    return guess, np.where(at >= 0, 1 / np.maximum(1.0, total), share)


def _few_possible(
    shares: Sequence[NDArray[np.float64]],
) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Find the attribute whose codes leave fewest values possible, and these; -1 where most are possible."""
    filled = [np.count_nonzero(table) / max(1, table.size) for table in shares]
    by = int(np.argmin(filled)) if filled and min(filled) < MOST_POSSIBLE else -1
    if by < 0:
        return -1, np.zeros(0, np.int64), np.zeros(0, np.int64)
    codes, values = np.nonzero(shares[by])
    start = np.searchsorted(codes, np.arange(shares[by].shape[0] + 1))
    return by, start.astype(np.int64), values.astype(np.int64)


def largest_lift(learned: Conditionals) -> float:
    """Largest ``Pr[t_j|v] / Pr[t_j]`` over all attributes, values t_j and sensitive values v."""
    marginals = learned.marginals()
    most = 0.0
    for first, stop in learned.runs():
        for share, marginal in zip(learned.shares(first, stop), marginals, strict=True):
            covered = marginal > 0
            most = max(most, float((share[covered] / marginal[covered, None]).max(initial=0.0)))
    return most


def _tuples(
    original: Microdata, columns: Sequence[int], records: NDArray[np.int64]
) -> tuple[NDArray[np.int32], Groups]:
    """Distinct quasi-identifiers of the targets, and which target has which."""
    if not columns:
        groups = group_codes([np.zeros(records.size, np.int64)], [1])
        return np.zeros((0, groups.count), np.int32), groups
    codes = original.codes[list(columns)][:, records]
    groups = group_codes(codes, [original.quasi[j].codes for j in columns])
    return np.ascontiguousarray(codes[:, groups.first]), groups
