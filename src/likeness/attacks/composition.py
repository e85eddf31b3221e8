"""Composition: put several releases of the same people together, and keep the values that all of them allow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.attacks._beliefs import Evidence, GuessingAttack
from likeness.attacks.base import AttackResult, Held
from likeness.attacks.matching import match_targets
from likeness.checks import choice
from likeness.errors import PolicyError, Refusal, suggestion
from likeness.forms.base import Publication
from likeness.intervals import paired_difference, wilson
from likeness.microdata.grouping import group_codes
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from numpy.typing import NDArray

    from likeness.attacks._beliefs import Question
    from likeness.attacks.base import ReleaseReader
    from likeness.attacks.matching import Match
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain

_TIE = 1e-12
"""Beliefs that differ by less, relatively, are equal: they are products of rounded sums."""
_CELLS = 1 << 22
"""Beliefs that are looked at at once."""


@dataclass(frozen=True, eq=False)
class EarlierRelease:
    """An earlier release, as the adversary has it.

    Parameters
    ----------
    publication
        What was published.
    people
        Who was in the table it was made from, where the adversary knows that; else None.
    row_of : (n,) int64, optional
        Which of them each of the people of the table attacked is, -1 for none.
    class_of : (people,) int64, optional
        The published class that each of them is in, -1 for none, where the adversary knows that.
    """

    publication: Publication
    people: Microdata | None = None
    row_of: NDArray[np.int64] | None = None
    class_of: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class CompositionAttack(GuessingAttack):
    """Guess the sensitive value that this release and earlier ones of the same people allow together.

    In every release the published records whose regions hold the target's quasi-identifiers are candidates, and its belief
    b_r(s) in value s is the mean of the shares of s in their classes (or of what randomized values stand for), as for
    `homogeneity`. Somebody with one value that does not change has one that no release excludes: what is left is the
    intersection of the candidate sets, and the belief in it is ``∏ b_r(s) / ∏ p_r(s)``, the last over all releases but one,
    scaled to sum to 1; p_r are the shares of everybody in release r. The release that is left out of the second product is this
    one (for whom nobody here could be, the first of the earlier ones). Releases of any forms are put together, values by their
    text.

    The adversary takes it that the target is in every release where somebody could be it, with the same quasi-identifiers and
    the same value. Where ``on`` names the column of an identifier they know who was in each earlier table, and by which
    quasi-identifiers. Where nothing is left the target had not one value all the time, and this release alone is believed.
    Of people with several records any value of theirs is a right answer.

    With ``knows: class`` they also know which class (bucket) everybody is in, in every release: the strongest adversary there is,
    and the one whom guarantees about classes are about. Under `MInvariance` that adversary learns nothing from a second release.

    The baseline is what the best of the releases tells alone.

    Parameters
    ----------
    targets
        How many records (people, where they have several) to take as targets, drawn at random; all when left out.
    seed
        Which ones are drawn; the same seed, the same targets.
    sensitive
        The column to guess; all when left out, and the result is that of the largest gain.
    earlier
        The earlier releases: folders (or their ``public/`` alone), `likeness.Release` or `Publication`; one, or several.
    on
        An identifier, a column of all the originals: the adversary knows who was in which table. Needs earlier releases that were
        opened beside their originals. When left out, targets are looked for by their quasi-identifiers of today alone.
    knows
        ``regions``: what the releases show; ``class``: also who is in which class, for which ``on`` and the ``private/`` of all
        are needed.

    References
    ----------
    Ganta, Kasiviswanathan & Smith 2008, "Composition attacks and auxiliary information in data privacy", section 3.

    Examples
    --------
    >>> CompositionAttack(earlier=("2023/out", "2024/out"))
    CompositionAttack(targets=None, seed=0, sensitive=None, earlier=('2023/out', '2024/out'), on=None, knows='regions')
    """

    earlier: Any = ()
    on: str | None = None
    knows: str = "regions"

    name: ClassVar[str] = "composition"
    _own: ClassVar[EarlierRelease | None] = None
    """The release attacked, where it is known who is in which class (`informed`)."""
    takes_individuals: ClassVar[bool] = True
    takes_earlier: ClassVar[bool] = True
    explained: ClassVar[Mapping[str, str]] = {
        "baseline": "the same of whoever reads one release alone, the one that tells most",
        "low": "lower end of the 95 % interval of the success (Wilson)",
        "high": "its upper end",
        "gain_low": "lower end of the 95 % interval of the gain, target by target (Agresti and Min)",
        "gain_high": "its upper end",
        "prior": "guessing the table's most frequent value for everybody",
        "this_release": "the same of whoever reads this release alone",
        "earlier_release": "the same of whoever reads one earlier release alone, the one that tells most",
        "certain": "share of targets of whom all releases together leave one value",
        "certain_and_right": "share of targets of whom that one value is true",
        "certain_alone": "largest share of targets of whom one release alone leaves one value",
        "values_left": "values left by all releases together, on average over the targets",
        "values_left_alone": "values left by the one release that leaves fewest, on average over the targets",
        "fewest_left": "fewest values left of a target by all releases together",
        "in_all": "share of targets that somebody could be in every release",
        "contradicted": "share of targets of whom the releases together leave no value",
        "targets": "records or people attacked",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        listed = self.earlier if isinstance(self.earlier, list | tuple) else (self.earlier,)
        object.__setattr__(self, "earlier", tuple(listed))
        if self.on is not None and (not isinstance(self.on, str) or not self.on):
            raise PolicyError(self._refused(f"on must be the name of a column; got {quoted(self.on)}"))
        choice(self.name, "knows", self.knows, ("regions", "class"))

    def informed(self, own: Held, read: ReleaseReader) -> Self:
        """Read the earlier releases; with ``on`` also find everybody in their originals, and in their classes.

        Raises `PolicyError` where one is no release, or its original is not at hand or has no such column.
        """
        if self.knows == "class" and self.on is None and self.earlier:
            what = "knows: class is of adversaries who know who is who"
            raise PolicyError(
                self._refused(what, "name the column that tells people apart, as in on: patient_id")
            )
        found = []
        for number, one in enumerate(self.earlier, 1):
            if isinstance(one, EarlierRelease):
                found.append(one)
                continue
            held = Held(one) if isinstance(one, Publication) else read(one, f"{self.name}: earlier")
            found.append(
                EarlierRelease(held.publication) if self.on is None else self._linked(held, own, number)
            )
        made = replace(self, earlier=tuple(found))
        if self.knows == "class":
            whole = EarlierRelease(own.publication, class_of=self._classes(own, "this release"))
            object.__setattr__(made, "_own", whole)
        return made

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        if not self.earlier:
            return self._refused(
                "needs earlier releases of the same people",
                "name them, as in earlier=[…] or --earlier FOLDER",
            )
        unread = [one for one in self.earlier if not isinstance(one, EarlierRelease | Publication)]
        if unread:
            return self._refused(
                f"the earlier release {quoted(str(unread[0]))} was not read", "attack by release.attack"
            )
        if self.knows == "class" and self._own is None:
            return self._refused(
                "who is in which class is not told by what is published", "attack by release.attack"
            )
        return super().inapplicable(publication, original)

    def inapplicable_to(self, publication: Publication, original: Microdata, name: str) -> Refusal | None:
        """Find why the attack is not defined for one sensitive column; None when it is."""
        here = next(own for own in publication.sensitive if own.name == name)
        if here.sets is not None:
            return self._refused(f"compares values, and of {name!r} sets of values are published")
        own = set(original.sensitive[original.sensitive_index(name)].labels_with(None))
        for number, one in enumerate(self._releases(), 1):
            domains = {domain.name: domain for domain in one.publication.sensitive}
            if name not in domains:
                what = f"earlier release {number}: {name!r} is no sensitive column there{suggestion(name, domains)}"
                return self._refused(what)
            there = domains[name]
            if there.sets is not None or own.isdisjoint(there.labels_with(None)):
                what = "sets of values" if there.sets is not None else "none of the values of the original"
                return self._refused(f"earlier release {number}: {what} of {name!r} are published there")
        return None

    def attack_column(self, question: Question) -> AttackResult:
        """Guess one sensitive attribute of all targets; the details are those of ``explained``."""
        releases = self._releases()
        found = _put_together(question, releases, None if self._own is None else self._own.class_of)
        answers = np.arange(question.domain.codes)
        together, prior = question.score(found.guess, answers)
        alone = [question.score(guess, answers)[0] for guess in found.alone]
        best = int(np.argmax(alone))
        right = question.sets.recoded(answers).has(found.guess)
        before = question.sets.recoded(answers).has(found.alone[best])
        certain = found.left == 1
        only = np.where(certain, found.guess, -1)
        total = max(1, question.records.size)
        share = wilson(int(np.count_nonzero(right)), question.records.size)
        gain = paired_difference(
            int(np.count_nonzero(right & ~before)),
            int(np.count_nonzero(before & ~right)),
            question.records.size,
        )
        matched = found.left_alone > 0
        somewhere = matched.any(axis=0)
        fewest = np.where(matched, found.left_alone, found.answers).min(axis=0)
        details = {
            "low": share.low,
            "high": share.high,
            "gain_low": gain.low,
            "gain_high": gain.high,
            "prior": prior,
            "this_release": alone[0],
            "earlier_release": max(alone[1:]),
            "certain": int(np.count_nonzero(certain)) / total,
            "certain_and_right": question.score(only, answers)[0],
            "certain_alone": max(int(np.count_nonzero(own == 1)) for own in found.left_alone) / total,
            "values_left": _mean(found.left[found.left > 0]),
            "values_left_alone": _mean(fewest[somewhere]),
            "fewest_left": float(found.left[found.left > 0].min(initial=found.answers)),
            "in_all": int(np.count_nonzero(matched.all(axis=0))) / total,
            "contradicted": int(np.count_nonzero((found.left == 0) & somewhere)) / total,
            "targets": float(question.records.size),
        }
        meaning = f"share of targets whose {question.name!r} all releases together believe most"
        return AttackResult(self.name, together, alone[best], meaning, details)

    def _releases(self) -> list[EarlierRelease]:
        """The earlier releases, all of them read."""
        return [one if isinstance(one, EarlierRelease) else EarlierRelease(one) for one in self.earlier]

    def _linked(self, held: Held, own: Held, number: int) -> EarlierRelease:
        """Find the people of a table in the original of an earlier release."""
        assert self.on is not None  # noqa: S101  # asked only then
        assert own.original is not None  # noqa: S101  # a release without it is not attacked
        original = held.original
        if original is None:
            raise PolicyError(
                self._refused(
                    f"on: {quoted(self.on)} is looked for in the original of earlier release {number}, which is not at hand",
                    "open it beside its original, as in open_release(folder, original=…)",
                )
            )
        tables = (own.original, "the table"), (original, f"the original of earlier release {number}")
        names = []
        for one, where in tables:
            if self.on not in one.table.names:
                hint = suggestion(self.on, one.table.names)
                raise PolicyError(self._refused(f"on: {quoted(self.on)} is no column of {where}{hint}"))
            column = one.table.encode(self.on, kind="text")
            labels = [*column.values.tolist(), None]
            names.append([labels[code] for code in column.codes[one.data.units.rows].tolist()])
        rows: dict[Any, int] = {}
        for row, who in enumerate(names[1]):
            if who is not None and rows.setdefault(who, row) != row:
                what = f"on: {quoted(self.on)}: several people of {tables[1][1]} have {quoted(str(who))}"
                raise PolicyError(self._refused(what, "name a column that tells people apart"))
        rows[None] = -1
        row_of = np.array([rows.get(who, -1) for who in names[0]], np.int64)
        classes = None
        if self.knows == "class":
            classes = self._classes(held, f"earlier release {number}")
        return EarlierRelease(held.publication, original.data.units, row_of, classes)

    def _classes(self, held: Held, which: str) -> NDArray[np.int64]:
        """(people,) The published class that everybody is in, -1 for who is in none."""
        publication = held.publication
        if held.rows is None or held.original is None or publication.rows is not None:
            what = f"knows: class needs to know whose row is whose in {which}"
            raise PolicyError(
                self._refused(what, "open it beside its original, with private/, of one record a row")
            )
        data = held.original.data
        found = np.full(data.units.size, -1, np.int64)
        somebody = held.rows >= 0
        members = data.units.members
        of = np.arange(data.size) if members is None else members.of
        found[of[held.rows[somebody]]] = publication.classes[somebody]
        return found


@dataclass(frozen=True, eq=False)
class _Together:
    """What is found of t targets by r releases, this one first.

    ``guess`` (t,), ``alone`` (r, t): what all of them, and each alone, believe most: codes of the original, -1 for no value of
    it. ``left`` (t,), ``left_alone`` (r, t): how many values are possible, 0 where none is. ``answers``: how many there are.
    """

    guess: NDArray[np.int64]
    alone: list[NDArray[np.int64]]
    left: NDArray[np.int64]
    left_alone: NDArray[np.int64]
    answers: int


class _Witness:
    """What one release says of the targets.

    ``of`` (t,): which of its ``tuples`` each target is, the last of them for those whom the adversary knows not to be there.
    ``prior`` (answers,): the shares of everybody.
    """

    def __init__(
        self,
        publication: Publication,
        name: str,
        people: Microdata,
        rows: NDArray[np.int64],
        code_of: dict[str | None, int],
        *,
        another: bool,
        class_of: NDArray[np.int64] | None = None,
    ) -> None:
        column = next(i for i, own in enumerate(publication.sensitive) if own.name == name)
        self._evidence = Evidence(publication, column)
        labels = publication.sensitive[column].labels_with(None)
        self._answers = len(code_of)
        self._answer_of = np.array([code_of[label] for label in labels], np.int64)
        self.prior = np.zeros(self._answers)
        self.prior[self._answer_of] = self._evidence.prior
        if class_of is not None:
            # Whose class is known has it for the only candidate.
            self.tuples = self._evidence.stats.classes + 1
            own = np.where(rows >= 0, class_of[rows], -1)
            self.of = np.where(own >= 0, own, self.tuples - 1)
            each = np.arange(self.tuples)
            self._start, self._matched = np.append(each, self.tuples - 1), each[:-1]
            self._parts = each, each[:-1], np.ones(self.tuples - 1, np.int64)
            return
        there = rows >= 0
        match = match_targets(publication, people, rows[there], another=another)
        self._start, self._matched = _list(match)
        self.tuples = match.targets.count + 1
        self.of = np.full(rows.size, self.tuples - 1)
        self.of[there] = match.targets.of
        self._parts = self._evidence.parts(match.reaches[0].low.size)

    def beliefs(self, which: NDArray[np.int64]) -> NDArray[np.float64]:
        """(t, answers) What is believed of some tuples; nothing of those that nobody could be."""
        from likeness.attacks.kernels.shares import sum_shares

        evidence = self._evidence
        own, found = np.zeros((which.size, evidence.values)), np.zeros(which.size, np.int64)
        sum_shares(which, self._start, self._matched, self._parts, evidence.of_classes(), own, found)
        own /= np.maximum(1, found)[:, None]
        if evidence.readings.shape[0]:
            # Value by value: a product of matrices depends on the number of cores.
            read = np.zeros((which.size, evidence.readings.shape[1]))
            for value, reading in enumerate(evidence.readings):
                read += own[:, value, None] * reading
            own = read
        beliefs = np.zeros((which.size, self._answers))
        beliefs[:, self._answer_of] = own
        return beliefs


def _list(match: Match) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the identities that may be each tuple's, and nobody's of one more: where those of each begin, and their numbers."""
    from likeness.attacks.kernels.beliefs import list_matches

    if match.exact is not None:
        there = match.exact >= 0
        start, matched = np.concatenate([[0], np.cumsum(there)]).astype(np.int64), match.exact[there]
        return np.append(start, start[-1]), np.asarray(matched, np.int64)
    start, matched = list_matches(*match.lay_out())
    # As they were sorted for the search; here they are as targets are numbered.
    place = np.empty(match.order.size, np.int64)
    place[match.order] = np.arange(match.order.size)
    sizes = np.diff(start)[place]
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    entries = np.repeat(start[place] - begins[:-1], sizes) + np.arange(int(begins[-1]))
    return np.append(begins, begins[-1]), np.asarray(matched[entries], np.int64)


def _put_together(
    question: Question, releases: list[EarlierRelease], class_of: NDArray[np.int64] | None
) -> _Together:
    """Put what all releases say of every target together; targets of whom all say the same are looked at once.

    ``class_of`` (people,): the class of everybody in this release, where that is known.
    """
    code_of: dict[str | None, int] = {
        label: code for code, label in enumerate(question.domain.labels_with(None))
    }
    size = len(code_of)
    for publication in (question.publication, *(one.publication for one in releases)):
        own = next(domain for domain in publication.sensitive if domain.name == question.name)
        for label in own.labels_with(None):
            code_of.setdefault(label, len(code_of))
    people = question.original.units
    witnesses = [
        _Witness(
            question.publication,
            question.name,
            people,
            question.records,
            code_of,
            another=False,
            class_of=class_of,
        )
    ]
    for one in releases:
        if one.people is None or one.row_of is None:
            whom, rows, another = people, question.records, True
        else:
            whom, rows, another = one.people, one.row_of[question.records], False
        witnesses.append(
            _Witness(
                one.publication, question.name, whom, rows, code_of, another=another, class_of=one.class_of
            )
        )
    groups = group_codes([own.of for own in witnesses], [own.tuples for own in witnesses])
    asked = _asked(question.domain, len(code_of))
    guess = np.empty(groups.count, np.int64)
    left = np.empty(groups.count, np.int64)
    alone = np.empty((len(witnesses), groups.count), np.int64)
    left_alone = np.empty((len(witnesses), groups.count), np.int64)
    step = max(1, _CELLS // len(code_of))
    for begin in range(0, groups.count, step):
        part = slice(begin, begin + step)
        some = groups.first[part]
        told = [own.beliefs(own.of[some]) for own in witnesses]
        together = compose(told, [own.prior for own in witnesses])
        left[part] = np.count_nonzero(together, axis=1)
        nothing = left[part] == 0
        together[nothing] = told[0][nothing]
        guess[part] = _most(together, asked, witnesses[0].prior)
        for i, belief in enumerate(told):
            left_alone[i, part] = np.count_nonzero(belief, axis=1)
            alone[i, part] = _most(belief, asked, witnesses[i].prior)
    shown = [np.where(own < size, own, -1)[groups.of] for own in (guess, *alone)]
    return _Together(shown[0], shown[1:], left[groups.of], left_alone[:, groups.of], len(code_of))


def compose(told: list[NDArray[np.float64]], priors: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """(t, m) Put beliefs of several releases together: ``∏ b_r(s) / ∏ p_r(s)``, not scaled to sum to 1.

    The second product is over all but the first release that tells something of somebody. ``told``: (t, m) of each, nothing
    but 0 where it says nothing. ``priors``: (m,) of each.

    Examples
    --------
    >>> half, most = np.array([0.5, 0.5, 0.0]), np.array([0.2, 0.2, 0.6])
    >>> compose([half[None], np.array([[0.5, 0.0, 0.5]])], [most, most])
    array([[1.25, 0.  , 0.  ]])
    """
    found, started = np.zeros(told[0].shape), np.zeros(told[0].shape[0], np.bool_)
    for own, prior in zip(told, priors, strict=True):
        says = own.any(axis=1)
        ratio = np.divide(own, prior, out=np.zeros(own.shape), where=prior > 0)
        found = np.where((says & started)[:, None], found * ratio, found)
        found[says & ~started] = own[says & ~started]
        started |= says
    return found


def _asked(domain: Domain, answers: int) -> NDArray[np.bool_]:
    """(answers,) Which values the adversary is after: those that need protection, where only some do."""
    found = np.ones(answers, np.bool_)
    if domain.protected is not None:
        found[: domain.codes] = domain.protected
    return found


def _most(
    beliefs: NDArray[np.float64], asked: NDArray[np.bool_], prior: NDArray[np.float64]
) -> NDArray[np.int64]:
    """(t,) The value of the largest belief, of equal ones the first; what most have where nothing is believed."""
    own = np.where(asked, beliefs, 0.0)
    top = own.max(axis=1, initial=0.0)
    first = np.argmax(own >= (top * (1 - _TIE))[:, None], axis=1)
    usual = np.where(asked, prior, 0.0)
    return np.where(top > 0, first, int(np.argmax(usual)) if usual.any() else -1)


def _mean(numbers: NDArray[np.int64]) -> float:
    """Mean of whole numbers, 0 of none."""
    return int(numbers.sum()) / max(1, numbers.size)
