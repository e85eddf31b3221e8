"""Statements of sections 3 to 5 that can be computed: what they say, and what comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import likeness as lk
from likeness.errors import CannotBeMetError
from likeness.microdata.domain import Domain
from likeness.microdata.statistics import count_classes
from likeness.models.base import SensitiveAttribute
from papers.beta_likeness.bench import BETAS, Bench
from papers.beta_likeness.systems import LIBRARY, PAPER, PERTURBATION, PERTURBATION_PAPER
from papers.figures import rules
from papers.figures.results import Claim, Outcome, Panel, Results

if TYPE_CHECKING:
    from numpy.typing import NDArray

DISTRIBUTIONS = 2000
MOST_VALUES = 50


def statements(bench: Bench) -> Results:
    """Compute them."""
    bench.tick("statements")
    negative, broken = theorem_3(np.random.default_rng(bench.seed))
    series = {"some α is not above 0 (%)": negative, "some posterior is above f(p) (%)": broken}
    panel = Panel(
        "text",
        f"Sections 3 to 5: Theorem 3 on {DISTRIBUTIONS:,} random distributions of 2 to {MOST_VALUES} values",
        "β",
        "",
        BETAS,
        series,
        note="p drawn from a Dirichlet distribution whose concentration is drawn log-uniformly from 0.05 to 5.",
    )
    return Results([panel], [*_theorem_3_claims(bench, negative, broken), *_definitions()])


def theorem_3(rng: np.random.Generator) -> tuple[list[float], list[float]]:
    """Count distributions where the retention rule as printed has some α ≤ 0, and where a posterior is above f(p)."""
    negative, broken = [], []
    for beta in BETAS:
        bad = above = 0
        for _ in range(DISTRIBUTIONS):
            m = int(rng.integers(2, MOST_VALUES + 1))
            p = rng.dirichlet(np.full(m, 10 ** rng.uniform(np.log10(0.05), np.log10(5))))
            p = np.maximum(p, 1e-6) / np.maximum(p, 1e-6).sum()
            alpha, limit = retention(p, beta)
            bad += bool((alpha <= 0).any())
            above += bool((posteriors(p, alpha) > limit * (1 + 1e-9)).any())
        negative.append(100 * bad / DISTRIBUTIONS)
        broken.append(100 * above / DISTRIBUTIONS)
    return negative, broken


def retention(p: NDArray[np.float64], beta: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Theorem 3 as printed: α of every value, and f(p).

    Examples
    --------
    >>> retention(np.array([0.99, 0.01]), 1)[0].round(3)
    array([ 0.99, -0.98])
    """
    limit = p * (1 + np.minimum(beta, -np.log(p)))
    gamma = limit / p * (1 - p) / (1 - limit)
    least = 1 / (gamma.max() + p.size - 1)
    return (p.size * gamma * least - 1) / (p.size - 1), limit


def posteriors(p: NDArray[np.float64], alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest posterior of every value over all published ones (equation 8), where the matrix is one at all.

    Examples
    --------
    >>> posteriors(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    array([0.75, 0.75])
    """
    matrix = np.diag(alpha) + (1 - alpha) / p.size
    joint = np.maximum(matrix, 0) * p
    found: NDArray[np.float64] = (joint / joint.sum(axis=1, keepdims=True)).max(axis=0)
    return found


def _theorem_3_claims(bench: Bench, negative: list[float], broken: list[float]) -> list[Claim]:
    """What section 5 says."""
    flaw = (
        "very frequent values have so large a γ that others' α, as printed, is 0 or below; Lemma 3 takes α in (0, 1] for "
        "granted"
    )
    refused = {PAPER: list[float](), LIBRARY: list[float]()}
    for reading, system in ((PAPER, PERTURBATION_PAPER), (LIBRARY, PERTURBATION)):
        refused[reading] = [beta for beta in BETAS if bench.make(system, beta).release is None]
    return [
        Claim(
            "text",
            "section 5, before Lemma 3",
            "α is above 0 for every value",
            PAPER,
            "of the random distributions none has an α of 0 or below",
            rules.at_most(negative, 0),
            flaw,
        ),
        Claim(
            "text",
            "section 5, Theorem 3",
            "Perturbation with α as printed satisfies β-likeness",
            PAPER,
            "of the random distributions none has a posterior above f(p)",
            rules.at_most(broken, 0),
            flaw,
        ),
        *(
            Claim(
                "text",
                "section 5, Theorem 3, on this table",
                "Perturbation satisfies β-likeness",
                reading,
                "a release is made and proven at every β from 1 to 5",
                Outcome(not own, f"refused at β = {own}" if own else "proven at every β"),
                flaw,
            )
            for reading, own in refused.items()
        ),
    ]


def _definitions() -> list[Claim]:
    """What sections 2 to 4 say of definitions, on tables of a few records."""
    roles = "the roles of the two models are swapped in the text"
    beta, delta = _lacking(lk.BetaLikeness(1)), _lacking(lk.DeltaDisclosure(100))
    f = 2 / 19 * 3
    return [
        Claim(
            "text",
            "section 3, end",
            "β-likeness always disallows q = 0, δ-disclosure allows any q below p",
            PAPER,
            "β-likeness refuses a class that lacks a value, δ-disclosure holds for it",
            Outcome(
                not beta and delta,
                f"classes that lack a value: β-likeness {_word(beta)}, δ-disclosure {_word(delta)}",
            ),
            roles,
        ),
        Claim(
            "text",
            "section 4.4, Example 2",
            "f(p₁) ≈ 0.31 for p₁ = 2/19, β = 2",
            PAPER,
            "f(p₁) rounds to 0.31",
            Outcome(round(f, 2) == 0.31, f"f(p₁) = {f:.6f}"),
            "the digits are cut off, not rounded",
        ),
        Claim(
            "text",
            "section 4.3, Combinable with < beside Example 1",
            "Six values of one record each share buckets of two at β = 1",
            PAPER,
            "with the strict comparison of Combinable there are three classes, as in the example",
            _example_1(strict=True),
            "two sixths are not below f(1/6) = 2/6; Lemma 2 and the example need ≤",
        ),
        Claim(
            "text",
            "section 4.3, Lemma 2 and Example 1",
            "Six values of one record each share buckets of two at β = 1",
            LIBRARY,
            "with ≤ there are two classes of three records, or more",
            _example_1(strict=False),
        ),
    ]


def _lacking(model: lk.BetaLikeness | lk.DeltaDisclosure) -> bool:
    """Whether a model takes three classes of two of three equally frequent values, each of which lacks one."""
    attribute = SensitiveAttribute(
        Domain("s", "categorical", np.array(["a", "b", "c"], object), "set"), np.array([2, 2, 2])
    )
    stats = count_classes(np.array([0, 0, 1, 1, 2, 2]), 3, np.array([0, 1, 1, 2, 0, 2]), 3)
    return bool(model.bind(attribute).holds(stats).all())


def _example_1(*, strict: bool) -> Outcome:
    """Split six people with six diseases, as Example 1."""
    table = pl.DataFrame({"age": list(range(6)), "disease": list("abcdef")})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.BetaLikeness(1), method=lk.Burel(strict=strict))
    try:
        classes = lk.anonymize(table, policy, seed=1).certificate.classes
    except CannotBeMetError:
        return Outcome(False, "no release")
    return Outcome(classes > 1, f"classes: {classes}")


def _word(holds: bool) -> str:
    """Say whether a model holds."""
    return "holds" if holds else "refuses"
