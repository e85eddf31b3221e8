"""BUREL (Cao & Karras 2012, section 4), and two ways to lose less at the same guarantee.

BUREL: sensitive values of similar frequency share a bucket, few enough that drawing from every bucket in
proportion to its size keeps β-likeness whatever is drawn. A tree of halvings decides how many records each
class draws from each bucket; neighbours in the space of the quasi-identifiers fill it, whatever their
sensitive values are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem, holding_classes, sizes_asked, table_fails
from likeness.methods.burel.buckets import bi_split, bucketize, drawn, gain_limits
from likeness.methods.burel.drawing import REFINEMENTS, draw, mirror, refined
from likeness.methods.burel.exchange import exchange_classes
from likeness.methods.spaces import join_failing, points
from likeness.microdata.plan import Plan
from likeness.microdata.regions import LOSSES
from likeness.models.beta_bounds import GainModel
from likeness.models.k_anonymity import KAnonymity
from likeness.models.requirements import Requirement

if TYPE_CHECKING:
    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel

_PAPER = {
    "buckets": "fewest",
    "assembly": "nearest",
    "retrieve": "hilbert",
    "strict": False,
    "refine": "none",
}
_SETTINGS = {"paper": _PAPER, "mirror": _PAPER | {"buckets": "slack", "assembly": "mirror"}}
_CHOICES: dict[str, tuple[str, ...]] = {
    "buckets": ("fewest", "slack"),
    "assembly": ("nearest", "mirror"),
    "retrieve": ("hilbert", "nearest"),
    "strict": (),
    "refine": REFINEMENTS,
}


@dataclass(frozen=True, repr=False)
class Burel(Method):
    """Make classes that hold β-likeness by sharing out the records of every sensitive value.

    The first requirement of basic or enhanced β-likeness, with any bound f, decides how. k-anonymity decides
    how far classes are split. Classes of ``paper`` and ``mirror`` that fail any other requirement are joined
    with their neighbours on the Hilbert curve until they hold; where the whole table as one class does not,
    everything is withheld.

    Parameters
    ----------
    variant
        ``best`` loses least: the table is cut top down, by the least-loss cuts of Mondrian while there are
        any; then by cuts at which records change sides: of every sensitive value, one side keeps what its
        limit allows and the other can spare, and those nearest the cut go. ``paper`` is BUREL as printed.
        ``mirror`` is BUREL with slack buckets and mirror assembly, as blind to sensitive values within a bucket
        as the paper's: less loss where many values are of similar frequency, more where a few hold most records.
        Left out: ``best``, or ``paper`` when one of the last five options is given.
    min_size
        Smallest class, at least 1: β-likeness by itself protects nobody's identity (with one sensitive value
        only, classes are single records).
    loss
        The information loss that ``best``, mirror assembly and ``refine: exchange`` lower: ``ncp`` (default,
        the paper's), ``glm`` or ``iloss``.
    buckets
        ``fewest`` (``paper``), or ``slack`` (``mirror``): up to 1.3 times as many, with the most room below
        the limits, so that the ECTree grows deeper.
    assembly
        How classes get their records: ``nearest`` (``paper``) to a random seed; or ``mirror`` (``mirror``):
        the records are carried down the ECTree, and at every node all buckets are halved, each at its own
        quantile, along the quasi-identifier whose halves spread least.
    retrieve
        How ``nearest`` finds records: ``hilbert`` (default) by the difference of Hilbert keys, the paper's
        heuristic; ``nearest`` by Euclidean distance, exactly, as the paper sets out: slower with many
        quasi-identifiers and small classes, at less loss.
    strict
        Values share a bucket only if their joint share is *below* f of the rarest, as section 4.3 prints it;
        otherwise (default) if it is at most f, as Lemma 2 and Example 1 have it.
    refine
        Not in the paper; the authors' program has it, and its figures probably too. Classes are split
        further while the frequencies that are really there allow it: ``hilbert`` halves every bucket's part
        of a class along the curve, ``mondrian`` cuts classes at the medians of quasi-identifiers,
        ``exchange`` cuts them as ``best`` does, ``none`` (default) leaves them.

    Notes
    -----
    The paper holds BUREL to be immune to minimality attacks (section 7), because it never looks at the sensitive
    values of the records it draws, only at their buckets, and the buckets' sizes alone decide how large classes
    become. ``paper`` and ``mirror`` keep that, under one β-likeness model and k-anonymity: sensitive values may
    change hands within a bucket and the classes stay what they were, so an adversary who knows the method
    learns nothing about values of one bucket. Between buckets the claim does not hold: which bucket a record is
    in decides which class reaches for it (`MinimalityAttack` has a table of six people where one is
    unmasked). ``best`` trades away what there is of it, as Mondrian does, and so does every refinement, and
    joining the classes that fail further requirements about sensitive values.

    ``best`` is never above Mondrian with the same loss: it begins with Mondrian's classes and only cuts on.

    Shares are compared exactly (integers; f enclosed by rationals). Of partitions into equally few buckets
    the one the paper's recursion finds is taken: from the last bucket on, each begins as late as possible.
    Values of equal frequency stand in the order of their codes.

    References
    ----------
    Cao & Karras 2012, "Publishing microdata with a robust privacy guarantee", section 4;
    slack buckets, mirror assembly and refinement are ours.

    Examples
    --------
    >>> Burel(variant="paper", min_size=5)
    Burel(variant='paper', min_size=5)
    """

    variant: str | None = None
    min_size: int = 1
    loss: str = "ncp"
    buckets: str | None = None
    assembly: str | None = None
    retrieve: str | None = None
    strict: bool | None = None
    refine: str | None = None

    name: ClassVar[str] = "burel"
    candidate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.variant is not None:
            choice(self.name, "variant", self.variant, ("best", "mirror", "paper"))
        whole(self.name, "min_size", self.min_size, at_least=1)
        choice(self.name, "loss", self.loss, tuple(LOSSES))
        for option, allowed in _CHOICES.items():
            value = getattr(self, option)
            if allowed and value is not None:
                choice(self.name, option, value, allowed)
            elif not allowed and not isinstance(value, bool | None):
                raise PolicyError(Refusal(f"{option} must be true or false; got {value!r}", (self.name,)))
        given = [option for option in _CHOICES if getattr(self, option) is not None]
        if self.variant == "best" and given:
            raise PolicyError(
                Refusal(
                    f"{given[0]} is about drawing from buckets, and the variant best has none; "
                    f"leave it out, or choose the variant paper or mirror",
                    (self.name,),
                )
            )
        if self.retrieve is not None and self.setting["assembly"] != "nearest":
            raise PolicyError(
                Refusal(
                    "retrieve says how the assembly nearest finds records; leave it out, or choose "
                    "assembly nearest",
                    (self.name,),
                )
            )

    def __repr__(self) -> str:
        """Name what was given."""
        given = [
            f"{x.name}={getattr(self, x.name)!r}" for x in fields(self) if getattr(self, x.name) != x.default
        ]
        return f"Burel({', '.join(given)})"

    @property
    def setting(self) -> dict[str, object]:
        """The options that hold, of the variant and given; empty for ``best``."""
        given = {name: getattr(self, name) for name in _CHOICES if getattr(self, name) is not None}
        if self.variant == "best" or (self.variant is None and not given):
            return {}
        return _SETTINGS[self.variant or "paper"] | given

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse guarantees without β-likeness.

        Raises
        ------
        PolicyError
            When no requirement limits relative gains.
        """
        gain_limits(self.name, requirements)

    def made_for(self, models: tuple[PrivacyModel, ...]) -> bool:
        """β-likeness, basic or enhanced."""
        return any(isinstance(model, GainModel) for model in models)

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:  # noqa: ARG002
        """Cuts and exchanges weigh every attribute by the hulls of all: about as many rounds as the records can be halved."""
        return 30 * data.size * max(1, len(data.quasi)) ** 2 * data.size.bit_length()

    def run(self, problem: Problem) -> Plan:
        """Decide every record's class.

        Returns
        -------
        Plan
            Classes that all hold; or everything withheld, when the whole table as one class does not hold.
            Where records are drawn from buckets, the history keeps the buckets (texts of their values) and the
            leaves of the ECTree (records drawn from each bucket, and by how many classes).

        Raises
        ------
        PolicyError
            When no requirement limits relative gains, or records must be placed on a curve and more than 63
            quasi-identifiers have several values.
        """
        self.check(problem.requirements)
        if problem.data.size == 0:
            return Plan(np.zeros(0, np.int64))
        problem = self._with_min_size(problem)
        return self._drawn(problem) if self.setting else self._cut(problem)

    def _cut(self, problem: Problem) -> Plan:
        """Cut the table as one class (variant best)."""
        size = problem.data.size
        if not problem.holding(np.zeros(size, np.int64), 1).all():
            return self._nobody(problem)
        return Plan(exchange_classes(problem, LOSSES[self.loss]))

    def _drawn(self, problem: Problem) -> Plan:
        """Draw classes from buckets (variants paper and mirror)."""
        data, setting = problem.data, self.setting
        bound, view = gain_limits(self.name, problem.requirements)
        codes = view.codes(data.sensitive_codes)
        counts = np.bincount(codes, minlength=view.domain.codes)
        buckets = bucketize(
            counts,
            bound.attribute,
            bound.upper_limits,
            strict=bool(setting["strict"]),
            slack=setting["buckets"] == "slack",
        )
        bucket, space = buckets.of[codes], points(data)
        smallest = _smallest_class(problem.requirements)
        leaves = bi_split(buckets.sizes, buckets.limits, smallest)
        problem.progress.step("draw classes", 0, leaves.count)
        if setting["assembly"] == "mirror":
            classes, places = mirror(problem, LOSSES[self.loss], buckets, bucket, space, smallest)
        else:
            classes, places = draw(problem, str(setting["retrieve"]), bucket, space, leaves)

        joined = join_failing(problem, classes, places)
        if joined is None:
            return self._nobody(problem)
        if setting["refine"] != "none":
            problem.progress.step("refine classes", 0, joined[1].size)
            finer = refined(problem, str(setting["refine"]), LOSSES[self.loss], bucket, space, *joined)
            # What no class test promised but the proof refuses is joined again; at worst nothing was gained.
            joined = join_failing(problem, *finer) or joined
        return Plan(joined[0], history=drawn(bound.attribute, buckets, leaves))

    def _with_min_size(self, problem: Problem) -> Problem:
        """Require the smallest class size like any other requirement."""
        if self.min_size == 1:
            return problem
        model = KAnonymity(self.min_size)
        least = Requirement(model, model.bind(None), None)
        return replace(problem, requirements=(*problem.requirements, least))

    def _nobody(self, problem: Problem) -> Plan:
        """Withhold everybody, and say which requirements the whole table does not hold as one class."""
        size = problem.data.size
        whole_table = np.zeros(size, np.int64)
        subjects = [one.subject for one in problem.requirements]
        if self.min_size > 1:
            subjects[-1] = f"min_size = {self.min_size}"
        failing = [
            subject
            for subject, one in zip(subjects, problem.requirements, strict=True)
            if not holding_classes((one,), problem.data, whole_table, 1).all()
        ]
        return Plan(np.full(size, -1, np.int64), because={table_fails(failing): size})


def _smallest_class(requirements: tuple[Requirement, ...]) -> int:
    """Find the largest k asked for."""
    return max(sizes_asked(requirements), default=1)
