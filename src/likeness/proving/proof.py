"""Prove what published tables guarantee: a plain implementation, apart from every search.

It reads regions and sensitive values from the published texts, groups records that nobody can tell apart, and lets
every model decide exactly. `likeness.folder` does this to the bytes of a release folder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from likeness.errors import PolicyError, Refusal, Statement, VerificationError
from likeness.microdata.domain import Domain
from likeness.microdata.grouping import distinct
from likeness.models.base import SensitiveModel
from likeness.models.requirements import (
    Requirement,
    one_a_column,
    published_values,
    refuse_nothing,
    require,
)
from likeness.pages import in_notebook
from likeness.registry import parameters
from likeness.wording import count, printed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.knowledge import Knowledge
    from likeness.microdata.mechanism import Mechanism
    from likeness.models.base import PrivacyModel, Scope, Strength

_SHOWN = 3
_JOINED = {
    True: "; in every bucket, and for who joins the tables",
    False: "; in every bucket: nothing follows for who joins the tables",
}
Status = Literal["proven", "proven in part", "nothing checkable", "failed"]


@dataclass(frozen=True)
class Proof:
    """What was found about one model and one sensitive column.

    ``parameters``: the model's, as a policy writes them.
    ``column``: the sensitive column it covers, if any.
    ``scope``: who can check it: ``public`` (anyone, from the published bytes), ``mechanism`` or ``steward``.
    ``holds``: None when it could not be checked from what was given.
    ``strength``: the strongest parameters all classes meet.
    ``violations``: the first classes that violate it, as the published table shows them, or the first values, where a
    mechanism was judged; ``failures`` has them in words.
    ``violated``: how many classes (or values) do.
    ``of_mechanism``: a mechanism was judged, and not classes.
    ``joined``: of two tables linked by buckets, whether what holds of every bucket holds for everybody who joins the tables; None
    of one table, and of what was not decided on buckets.
    """

    model: str
    parameters: dict[str, Any]
    column: str | None
    scope: Scope
    holds: bool | None
    strength: Strength | None
    violations: tuple[Statement, ...] = ()
    violated: int = 0
    of_mechanism: bool = False
    joined: bool | None = None

    @property
    def failures(self) -> tuple[str, ...]:
        """The first classes or values that violate it, in words."""
        return tuple(map(str, self.violations))

    @property
    def subject(self) -> str:
        """Model, parameters and column, in one phrase."""
        given = ", ".join(
            f"{key} = {value}" for key, value in self.parameters.items() if key not in {"sensitive", "caps"}
        )
        return self.model + (f" ({given})" if given else "") + (f" on {self.column!r}" if self.column else "")

    def lines(self) -> list[str]:
        """Say what was found: whether it holds, and below it where it does not."""
        words = {True: "holds", False: "VIOLATED", None: "not checkable from these files"}
        measured = f"; strongest: {self.strength}" if self.strength is not None else ""
        joined = "" if self.joined is None or not self.holds else _JOINED[self.joined]
        found = [f"{words[self.holds]}: {self.subject}, scope {self.scope}{measured}{joined}"]
        if self.scope == "mechanism" and self.holds:
            found.append("  proven is how values are drawn, not that those at hand were drawn so")
        where, one = ("by the value", "value") if self.of_mechanism else ("in the class", "class")
        found += [f"  violated {where} {failure}" for failure in self.failures]
        if self.violated > len(self.failures):
            found.append(f"  … and {count(self.violated - len(self.failures), f'more {one}')}")
        return found

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write its lines."""
        return "\n".join(self.lines())

    def claim(self) -> dict[str, Any]:
        """What a certificate says about this proof: what was measured only where whoever has the release can check it.

        A strength against the original's distribution would, by its digits, give the original's counts away besides.
        """
        return replace(self, strength=None).to_json() if self.scope == "steward" else self.to_json()

    def to_json(self) -> dict[str, Any]:
        """Write what was proven, and by how much, as JSON can hold it."""
        measured = (
            None
            if self.strength is None
            else {
                name: value if np.isfinite(value) else str(value)
                for name, value in self.strength.values.items()
            }
        )
        plain = {
            "model": self.model,
            "parameters": self.parameters,
            "scope": self.scope,
            "measured": measured,
        }
        return plain if self.column is None else plain | {"sensitive": self.column}


@dataclass(frozen=True)
class Verdict:
    """All that was proven, and all that failed.

    ``proofs``: one per model and sensitive column.
    ``records``, ``classes``: published records and equivalence classes.
    ``refusals``: everything else that is wrong: hashes, counts, rows that are not what they should be; ``problems`` has it in
    words.
    ``statements``: what else was checked and found right; ``checks`` has it in words.
    ``individuals``: published ones, where people may have several records and it is known whose are whose; else None.
    """

    proofs: tuple[Proof, ...]
    records: int
    classes: int
    refusals: tuple[Refusal, ...] = ()
    statements: tuple[Statement, ...] = ()
    individuals: int | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything else that is wrong, in words."""
        return tuple(map(str, self.refusals))

    @property
    def checks(self) -> tuple[str, ...]:
        """What else was checked and found right, in words."""
        return tuple(map(str, self.statements))

    @property
    def failed(self) -> bool:
        """Whether anything is wrong (what could not be checked is not)."""
        return bool(self.refusals) or any(proof.holds is False for proof in self.proofs)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong and something was proven."""
        return not self.failed and any(proof.holds for proof in self.proofs)

    @property
    def status(self) -> Status:
        """What was found, in a word or three.

        ``proven`` (every guarantee), ``proven in part`` (some can be checked only with more files), ``nothing checkable``
        (none could be checked; nothing was found wrong) or ``failed``.
        """
        if self.failed:
            return "failed"
        if not self.ok:
            return "nothing checkable"
        return "proven" if all(proof.holds for proof in self.proofs) else "proven in part"

    def lines(self) -> list[str]:
        """Say what was found, one line each."""
        return [
            *(line for proof in self.proofs for line in proof.lines()),
            *(f"ok: {check}" for check in self.checks),
            *map(str, self._wrong()),
        ]

    def lines_beyond(self, fewer: Verdict) -> list[str]:
        """Say what was found beyond what fewer of the same files gave, whose checks come first here too."""
        proofs = tuple(proof for proof in self.proofs if proof not in fewer.proofs)
        return replace(self, proofs=proofs, statements=self.statements[len(fewer.statements) :]).lines()

    def _wrong(self) -> list[Refusal]:
        """Say what else is wrong."""
        return [refusal.within("WRONG") for refusal in self.refusals]

    def raise_if_failed(self) -> None:
        """Raise `VerificationError`, one line per failure, when anything failed.

        That nothing could be checked is no failure (`status` tells).
        """
        if not self.failed:
            return
        violated = (line for proof in self.proofs if proof.holds is False for line in proof.lines())
        raise VerificationError(*violated, *self._wrong())

    def __repr__(self) -> str:
        """Every line of the verdict."""
        words = {"failed": "FAILED", "nothing checkable": "nothing could be checked from these files"}
        word = words.get(self.status, self.status)
        people = "" if self.individuals is None else f"of {count(self.individuals, 'individual')} "
        head = f"Verdict: {word} ({count(self.records, 'record')} {people}in {count(self.classes, 'class')})"
        return "\n".join([head, *self.lines()])

    def _repr_html_(self) -> str:
        """Show every line of the verdict in a notebook."""
        title, *lines = repr(self).removeprefix("Verdict: ").splitlines()
        return in_notebook(title, noun="Verdict", lists=[("", lines)])


def prove(
    publication: Publication,
    models: Iterable[PrivacyModel],
    original: Microdata | None = None,
    *,
    several: bool = False,
    individuals: NDArray[np.int64] | None = None,
    values: NDArray[np.int32] | None = None,
    knowledge: Sequence[Knowledge] | None = None,
    noise: bool = False,
    invented: NDArray[np.bool_] | None = None,
) -> Verdict:
    """Prove models on published tables, read back.

    ``original`` is only for models whose reference is the original distribution, which nobody else can check. ``several``:
    people may have several records, so that people are counted. ``individuals`` (n,) is whose each published record is,
    where that was not published; only the steward knows. Without it nothing can be proven of such a release, only some
    models refuted. ``knowledge``: what adversaries may know of each published record, which only the steward has. What could
    not be checked for want of these is in the verdict, with ``holds`` None. ``noise``: some records may be nobody's; ``invented``
    (n,) says which, and only the steward knows. Sizes are then of the others; values are judged as they are published.

    Where rows are people to whom records are dealt (`Publication.rows`), everybody can prove what holds whoever has which values;
    for the rest ``individuals`` (n,) is the row that each record is of, and ``values`` (s, n) their sensitive codes in the
    original.
    """
    noise = noise or invented is not None
    proofs: list[Proof] = []
    hidden = several and publication.persons is None and publication.rows is None
    people = individuals if hidden else publication.counted
    truth = None
    if (
        publication.rows is not None
        and individuals is not None
        and values is not None
        and original is not None
    ):
        truth = _as_it_is(publication, individuals, values, original)
    for model in one_a_column(models, [domain.name for domain in publication.sensitive]):
        needs_original = model.scope == "steward" and not model.needs_knowledge
        lacking = (needs_original and original is None) or (model.needs_knowledge and knowledge is None)
        if lacking or (hidden and people is None):
            impossible = {} if lacking or model.needs_knowledge else _impossible(publication, model)
            proofs += [
                impossible.get(column) or Proof(model.name, described, column, "steward", None, None)
                for column, described in _unbound(model, publication)
            ]
            continue
        found = _bind(publication, model, original, people, knowledge)
        if publication.rows is not None and not all(own.by_counts for own in found.requirements):
            # Whoever's values they are decides; only the steward knows.
            proofs += _prove_truth(truth, found, original, knowledge)
            continue
        refuse_nothing(found.requirements)
        for requirement in found.requirements:
            if found.mechanism is not None and requirement.view is not None:
                proofs.append(_prove_mechanism(found.mechanism, requirement))
            elif publication.rows is not None and requirement.view is not None:
                proofs.append(_prove_dealt(publication, requirement, found, individuals))
            else:
                proof = _prove_one(
                    publication, requirement, found.sensitive, found.codes, people, invented=invented
                )
                if noise and invented is None and proof.holds:
                    # Counted with those that nobody is.
                    proof = replace(proof, holds=None, strength=None)
                proofs.append(replace(proof, scope="steward") if hidden or noise else proof)
    count = int(publication.classes.max(initial=-1)) + 1
    shown = None if people is None else distinct(people).size
    return Verdict(tuple(proofs), publication.records, count, individuals=shown)


class _Bound(NamedTuple):
    """A model bound to what was published: its requirements, and the values that they look at.

    ``sensitive`` are the attributes, ``codes`` (s + κ, n) those of the published records, ``mechanism`` how they were perturbed.
    """

    requirements: tuple[Requirement, ...]
    sensitive: Sequence[Domain]
    codes: NDArray[np.int32]
    mechanism: Mechanism | None


def _bind(
    publication: Publication,
    model: PrivacyModel,
    original: Microdata | None,
    people: NDArray[np.int64] | None,
    knowledge: Sequence[Knowledge] | None,
) -> _Bound:
    """Bind a model of one column; what it needs of the original, or of what is known, must be given."""
    sensitive: Sequence[Domain] = publication.sensitive
    codes, mechanism = publication.sensitive_codes, publication.mechanism
    reference = None
    if model.scope == "steward" and not model.needs_knowledge and original is not None:
        sensitive, reference = original.sensitive, original.sensitive_codes
        codes = _translate(publication, original)
        if mechanism is not None:
            # There is one sensitive attribute where values are perturbed.
            (shown,), (domain,) = publication.sensitive, original.sensitive
            mechanism = mechanism.moved(_original_codes(shown, original), domain.codes)
    if model.needs_knowledge and knowledge is not None:
        sensitive, codes = _beside(publication, knowledge)
    # A perturbed column's own frequencies are not those that anything is compared with.
    own, copies = codes, publication.copies
    if mechanism is not None:
        own, copies = mechanism.active[None].astype(np.int32), mechanism.counts[mechanism.active]
    requirements = require(
        [model],
        sensitive,
        own,
        reference,
        complete=False,
        individuals=people,
        original_individuals=None if original is None else original.individuals,
        knowledge=knowledge or (),
        copies=copies,
        original_copies=None if original is None else original.copies,
    )
    return _Bound(requirements, sensitive, codes, mechanism)


def _as_it_is(
    publication: Publication, rows: NDArray[np.int64], values: NDArray[np.int32], original: Microdata
) -> Publication | None:
    """Deal the records to people as they are theirs; None where the original has values that were not published."""
    codes = []
    for domain, own in zip(publication.sensitive, values, strict=True):
        shown = np.full(original.sensitive[original.sensitive_index(domain.name)].codes, -1, np.int32)
        shown[_original_codes(domain, original)] = np.arange(domain.codes)
        codes.append(shown[own])
    told = np.array(codes, np.int32)
    return None if (told < 0).any() else publication.dealt(rows, told)


def _prove_dealt(
    publication: Publication, requirement: Requirement, found: _Bound, individuals: NDArray[np.int64] | None
) -> Proof:
    """Decide one requirement whoever has which values; where that is open, from how many records everybody has.

    ``individuals`` (n,): the row that each record is of, where that is known.
    """
    prove_with = partial(_prove_one, publication, requirement, found.sensitive, found.codes, publication.rows)
    proof = prove_with(most=publication.largest_shares())
    if proof.holds or not requirement.limits_records:
        return proof
    proof = replace(proof, scope="steward")
    if individuals is None:
        return replace(proof, holds=None, strength=None, violations=(), violated=0)
    assert publication.rows is not None  # noqa: S101  # asked of such releases alone
    class_of = np.zeros(int(publication.rows.max(initial=-1)) + 1, np.int64)
    class_of[publication.rows] = publication.classes
    most = np.zeros(int(publication.classes.max(initial=-1)) + 1, np.int64)
    np.maximum.at(most, class_of, np.bincount(individuals, minlength=class_of.size))
    return replace(prove_with(most=most), scope="steward")


def _prove_truth(
    truth: Publication | None,
    found: _Bound,
    original: Microdata | None,
    knowledge: Sequence[Knowledge] | None,
) -> list[Proof]:
    """Decide requirements by who has which values, which only the steward knows; ``truth`` is None where that is not known."""
    proofs = []
    for own in found.requirements:
        column = None if own.view is None else own.view.domain.name
        if truth is None:
            proofs.append(Proof(own.model.name, _described(own.model), column, "steward", None, None))
            continue
        known = _bind(truth, own.model, original, truth.rows, knowledge)
        refuse_nothing(known.requirements)
        proofs += [
            replace(_prove_one(truth, one, known.sensitive, known.codes, truth.rows), scope="steward")
            for one in known.requirements
        ]
    return proofs


def survives_joining(model: PrivacyModel) -> bool:
    """Tell whether what a model says of every bucket holds for everybody who joins the tables that buckets link.

    Whoever's record is whose, a belief is a mean of shares in buckets, weighted by how many of the records that may be somebody's
    are in each. Counted as often as that, buckets make one class: what holds of each and survives unions holds of it.

    >>> from likeness.models.t_closeness import TCloseness
    >>> survives_joining(TCloseness("1/5"))
    True
    """
    return model.closed_under_union and not model.needs_knowledge


def as_published(models: Iterable[PrivacyModel], publication: Publication) -> list[PrivacyModel]:
    """Let models name only values that the release has, or says that the column has.

    A certificate that named another one would tell that somebody who is withheld had it; a recipient could not know what
    is meant.
    """
    return [
        model.naming_only(published_values(model, publication.sensitive))
        if isinstance(model, SensitiveModel) and model.named_values
        else model
        for model in models
    ]


def _beside(
    publication: Publication, knowledge: Sequence[Knowledge]
) -> tuple[tuple[Domain, ...], NDArray[np.int32]]:
    """Put what is known of each published record below its sensitive codes, which are those of the values it is about."""
    domains = list(publication.sensitive)
    codes = list(publication.sensitive_codes)
    for own in knowledge:
        i = [domain.name for domain in publication.sensitive].index(own.sensitive)
        shown = publication.sensitive[i]
        at = {label: code for code, label in enumerate(own.labels)}
        unknown = [label for label in shown.labels if label not in at]
        if unknown or (shown.missing and None not in at):
            what = quoted(unknown[0]) if unknown else "a missing value"
            raise VerificationError(f"column {shown.name!r} holds {what}, of which nothing is known")
        place = np.array([at[label] for label in shown.labels_with(None)], np.int32)
        missing = None in at
        values = np.array(own.labels[:-1] if missing else own.labels, object)
        domains[i] = Domain(shown.name, "categorical", values, "set", missing=missing)
        codes[i] = place[publication.sensitive_codes[i]]
    return tuple(domains), np.array([*codes, *(own.of for own in knowledge)], np.int32).reshape(
        -1, publication.size
    )


def _unbound(model: PrivacyModel, publication: Publication) -> list[tuple[str | None, dict[str, Any]]]:
    """Columns that a model covers (None: classes as such) with its parameters, where nothing more can be said of it."""
    if not isinstance(model, SensitiveModel):
        return [(None, _described(model))]
    names = [domain.name for domain in publication.sensitive]
    return [(name, _described(model)) for name in names if model.sensitive in {None, name}]


def _impossible(publication: Publication, model: PrivacyModel) -> dict[str | None, Proof]:
    """Find what cannot hold, whoever's records they are, by the column that it is about.

    A model that a class holds with anybody more holds best if every record is another person's: what fails then, fails.
    """
    if not model.closed_under_adding or publication.mechanism is not None:
        return {}
    shown = publication.sensitive_codes
    requirements = require([model], publication.sensitive, shown, complete=False, copies=publication.copies)
    proofs = (
        _prove_one(publication, requirement, publication.sensitive, publication.sensitive_codes, None)
        for requirement in requirements
    )
    return {proof.column: replace(proof, scope="steward") for proof in proofs if not proof.holds}


def _prove_one(
    publication: Publication,
    requirement: Requirement,
    sensitive: Sequence[Domain],
    codes: NDArray[np.int32],
    people: NDArray[np.int64] | None,
    *,
    invented: NDArray[np.bool_] | None = None,
    most: NDArray[np.int64] | None = None,
) -> Proof:
    """Decide one requirement on every class; one without a view of those who are not ``invented``.

    ``most`` (E,) are the most records of one person in each class, where they say otherwise.
    """
    if requirement.view is not None and not publication.tells_together:
        # Nobody finds a record's value in one column by that in another.
        requirement = replace(requirement, view=replace(requirement.view, known=()))
    classes = publication.identities if requirement.view is None else publication.classes
    count = int(classes.max(initial=-1)) + 1
    if invented is not None and requirement.view is None:
        classes = np.where(invented, -1, classes)
    stats = requirement.statistics(classes, count, sensitive, codes, people, publication.copies)
    if most is not None and stats.of is not None:
        stats = replace(stats, of=replace(stats.of, most=most))
    holds = requirement.bound.holds(stats)
    bad = np.flatnonzero(~holds) if stats.parent is None else distinct(stats.parent[~holds])
    describe = publication.describe_identity if requirement.view is None else publication.describe_class
    shown = tuple(Statement(describe(int(number))) for number in bad[:_SHOWN])
    column = None if requirement.view is None else requirement.view.domain.name
    return Proof(
        requirement.model.name,
        _described(requirement.model, requirement),
        column,
        requirement.model.scope,
        bad.size == 0,
        requirement.bound.strongest(stats),
        shown,
        int(bad.size),
        joined=survives_joining(requirement.model)
        if publication.links_buckets and requirement.view is not None
        else None,
    )


def _prove_mechanism(mechanism: Mechanism, requirement: Requirement) -> Proof:
    """Decide one requirement on the mechanism that perturbed the values it is about."""
    view, bound = requirement.view, requirement.bound
    assert view is not None  # noqa: S101  # models about quasi-identifiers alone are judged on classes
    limits = bound.posterior_limits()
    if limits is None:
        raise PolicyError(
            Refusal(
                "is not a limit on the confidence in each value alone, so it cannot be proven of "
                "perturbed values",
                (requirement.subject,),
            )
        )
    holds = mechanism.posterior_holds(limits, view.group)
    largest = mechanism.largest_posteriors(view.group)
    bad = np.flatnonzero(~holds)
    shown = tuple(
        Statement(
            f"a published value raises confidence in it to {float(largest[i]):.6g}; the limit is {float(limits[i]):.6g}",
            (view.domain.name_of(i),),
        )
        for i in bad[:_SHOWN].tolist()
    )
    return Proof(
        requirement.model.name,
        _described(requirement.model, requirement),
        view.domain.name,
        "steward" if requirement.model.scope == "steward" else "mechanism",
        bad.size == 0,
        bound.strongest_posterior(largest),
        shown,
        int(bad.size),
        of_mechanism=True,
    )


def _described(model: PrivacyModel, requirement: Requirement | None = None) -> dict[str, Any]:
    """Parameters of a model; a bound that is a Python function is kept as the caps it gave."""
    return parameters(model.with_caps({} if requirement is None else requirement.bound.caps()))


def _translate(publication: Publication, original: Microdata) -> NDArray[np.int32]:
    """Published sensitive codes in the codes of the original's domains."""
    pairs = zip(publication.sensitive, publication.sensitive_codes, strict=True)
    columns = [_original_codes(domain, original)[codes] for domain, codes in pairs]
    return np.array(columns, np.int32).reshape(len(columns), publication.size)


def _original_codes(domain: Domain, original: Microdata) -> NDArray[np.int32]:
    """(codes,) The original's code of every published value."""
    target = original.sensitive[original.sensitive_index(domain.name)]
    codes = domain.codes_in(target)
    unknown = np.flatnonzero(codes[: domain.size] < 0)
    if unknown.size:
        raise VerificationError(
            f"column {domain.name!r} holds {quoted(domain.labels[unknown[0]])}, which the original does not"
        )
    return codes.astype(np.int32)
