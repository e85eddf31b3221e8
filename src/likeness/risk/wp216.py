"""Singling out, linkability and inference: the three risks of the Article 29 Working Party, each as an attack with its baseline.

An attack on people of the table succeeds for two reasons: they are in it, or anybody like them can be told from it. Only the
first is a risk of theirs. So the same attack is made on people who are not in the table (the control), as Giomi et al. 2022 do:
what succeeds on them, too, is no more than what the table teaches. Beside it stands a guess that has not seen the release at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness.attacks.base import choose_targets
from likeness.attacks.matching import count_matches, shared_cells
from likeness.errors import PolicyError, Refusal
from likeness.intervals import Interval, clopper_pearson, difference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from likeness.attacks.base import Attack
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata

AMONG = 10
"""How many people the linking adversary chooses among."""
_NO_VALUES = "the release shows no sensitive column"
_TOO_FEW = "the release shows fewer than two quasi-identifiers, so nobody's can be in two lists"

SINGLING_OUT = (
    "knows all quasi-identifiers and one sensitive value of a person, and looks whether exactly one published record (or person) "
    "fits: then that one is singled out"
)
SINGLING_OUT_BLIND = (
    "knows all quasi-identifiers of a person, and looks whether exactly one published record (or person) fits: then that one is "
    "singled out"
)
LINKABILITY = (
    f"has two lists of the same people, one with every other quasi-identifier and one with the rest, and looks for each entry of "
    f"the one for the entry of the other that is the same person's, among {AMONG}: the one that most of the published records "
    "which fit it fit together with the first"
)
INFERENCE = (
    "knows all quasi-identifiers of a person, and guesses the sensitive value that most of the published records have which may "
    "be theirs"
)


@dataclass(frozen=True)
class Repetitions:
    """How often an attack succeeded, and where its chance of success lies.

    Parameters
    ----------
    hits, tries
        On how many of how many people, each tried once.
    interval
        Of the chance that it succeeds on people like them, by Clopper and Pearson: it holds its level whatever the chance is.
    """

    hits: int
    tries: int
    interval: Interval

    @classmethod
    def of(cls, hits: int, tries: int, level: float) -> Repetitions:
        """Find the interval.

        Examples
        --------
        >>> Repetitions.of(1, 4, 0.95).rate
        0.25
        """
        return cls(hits, tries, clopper_pearson(hits, tries, level))

    @property
    def rate(self) -> float:
        """Share of the people on whom it succeeded."""
        return self.hits / max(1, self.tries)

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {"rate": self.rate, "hits": self.hits, "tries": self.tries, **self.interval.to_json()}


@dataclass(frozen=True)
class Wp216Risk:
    """What one of the three attacks achieved.

    Parameters
    ----------
    name
        ``singling-out``, ``linkability`` or ``inference``.
    adversary
        What the adversary knows and does, in plain words.
    column
        The sensitive column that it is about; of several the one of the largest gain. None where there is none.
    success
        On people of the table.
    control
        On people who are not in the table; None where there are none.
    naive
        Of a guess without the release.
    """

    name: str
    adversary: str
    column: str | None
    success: Repetitions
    control: Repetitions | None
    naive: Repetitions

    @property
    def baseline(self) -> Repetitions:
        """What success is compared with: people who are not in the table, else the guess."""
        return self.naive if self.control is None else self.control

    @property
    def gain(self) -> float:
        """Success less baseline."""
        return self.success.rate - self.baseline.rate

    @property
    def gain_interval(self) -> Interval:
        """Where the gain lies, by Newcombe's method 10 on both exact intervals."""
        base = self.baseline
        return difference(self.success.interval, self.success.rate, base.interval, base.rate)

    @property
    def risk(self) -> float:
        """Share of what the baseline leaves that succeeds: (s - c) / (1 - c), 0 at least (Giomi et al. 2022, equation 2)."""
        left = 1 - self.baseline.rate
        return max(0.0, self.gain / left) if left > 0 else 0.0

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "risk": self.name,
            "adversary": self.adversary,
            "column": self.column,
            "success": self.success.to_json(),
            "control": None if self.control is None else self.control.to_json(),
            "naive": self.naive.to_json(),
            "gain": {"value": self.gain, **self.gain_interval.to_json()},
            "residual": self.risk,
        }


@dataclass(frozen=True, eq=False)
class People:
    """Whom the three adversaries look for, and in what.

    ``original``: the table's people. ``control``: people who are not in it, or None. ``targets``: how many of each are
    drawn at random, by ``seed``; all where None.
    """

    publication: Publication
    original: Microdata
    control: Microdata | None
    targets: int | None
    seed: int
    level: float

    def drawn(self, data: Microdata) -> Microdata:
        """Draw targets among the people of a table, with all their records."""
        units = data.units
        rows = choose_targets(units.size, self.targets, self.seed)
        if units.members is None:
            return units.take(rows)
        chosen = np.zeros(units.size, np.bool_)
        chosen[rows] = True
        return data.take(np.flatnonzero(chosen[units.members.of]))

    def tried(self, hits: Callable[[Microdata], tuple[int, int]]) -> tuple[Repetitions, Repetitions | None]:
        """Try an attack on people of the table, and on the control."""
        success = Repetitions.of(*hits(self.drawn(self.original)), self.level)
        if self.control is None:
            return success, None
        return success, Repetitions.of(*hits(self.drawn(self.control)), self.level)


def three_risks(people: People) -> tuple[list[Wp216Risk], dict[str, Refusal]]:
    """Try all three, and say why others cannot be tried.

    References
    ----------
    Article 29 Data Protection Working Party, "Opinion 05/2014 on Anonymisation Techniques" (WP216), section 3; Giomi,
    Boenisch, Wehmeyer & Tasnádi 2022, "A unified framework for quantifying privacy risk in synthetic data" (Anonymeter).
    """
    found, refused = [], {}
    for name, attack in (
        ("singling-out", singling_out),
        ("linkability", linkability),
        ("inference", inference),
    ):
        told = attack(people)
        if isinstance(told, Refusal):
            refused[name] = told
        else:
            found.append(told)
    return found, refused


def singling_out(people: People) -> Wp216Risk | Refusal:
    """Look for people whom exactly one published record fits; the guess is made-up people, their values drawn apart."""
    # Where one record a person was made of several, values of others are not told as theirs are.
    plain = people.original.source is None
    columns = [domain.name for domain in people.publication.sensitive] if plain else []
    told = [_of_column(people, "fingerprint", name, SINGLING_OUT) for name in columns]
    alone = [one for one in told if isinstance(one, Wp216Risk)]
    if alone:
        return max(alone, key=lambda one: (one.gain, one.success.rate))
    return _singled_blind(people)


def _of_column(people: People, attack: str, column: str, adversary: str) -> Wp216Risk | Refusal:
    """Single out by one more value, of a sensitive column."""
    made: Attack = registry.create("attacks", attack, {"sensitive": column})
    problem = made.inapplicable(people.publication, people.original)
    if problem is not None:
        return problem

    def hits(data: Microdata) -> tuple[int, int]:
        return _share(made, people.publication, data)

    success, control = people.tried(hits)
    naive = Repetitions.of(*hits(_made_up(people)), people.level)
    return Wp216Risk("singling-out", adversary, column, success, control, naive)


def _singled_blind(people: People) -> Wp216Risk:
    """Single out by quasi-identifiers alone."""

    def hits(data: Microdata) -> tuple[int, int]:
        units = data.units
        counts, tuples = count_matches(people.publication, units, np.arange(units.size))
        return int(np.count_nonzero(counts[tuples.of] == 1)), units.size

    success, control = people.tried(hits)
    naive = Repetitions.of(*hits(_made_up(people)), people.level)
    return Wp216Risk("singling-out", SINGLING_OUT_BLIND, None, success, control, naive)


def _share(attack: Attack, publication: Publication, data: Microdata) -> tuple[int, int]:
    """On how many of all people of a table an attack succeeds, whose success is a share of them."""
    result = attack.run(publication, data)
    tries = int(result.details["targets"])
    return round(result.success * tries), tries


def _made_up(people: People) -> Microdata:
    """Make up people: every value is some person's, and none goes with another."""
    data = people.drawn(people.original)
    rng = np.random.Generator(np.random.PCG64(people.seed))
    codes = np.array([column[rng.permutation(data.size)] for column in data.codes], np.int32)
    values = np.array([column[rng.permutation(data.size)] for column in data.sensitive_codes], np.int32)
    return replace(
        data,
        codes=np.ascontiguousarray(codes.reshape(data.codes.shape)),
        sensitive_codes=np.ascontiguousarray(values.reshape(data.sensitive_codes.shape)),
    )


def linkability(people: People) -> Wp216Risk | Refusal:
    """Link two lists of the same people by the release; the guess takes any entry.

    Entries that equal each other are one and the same to the adversary, who takes any of the equally good ones.
    """
    shared = {own.note.name for own, _ in shared_cells(people.publication, people.original)}
    if len(shared) < 2:
        return Refusal(_TOO_FEW, ("linkability",))

    def hits(data: Microdata) -> tuple[int, int]:
        return _linked(people.publication, data.units, shared, people.seed)

    success, control = people.tried(hits)
    tries = success.tries
    rng = np.random.Generator(np.random.PCG64([people.seed, 1]))
    among = min(AMONG, max(1, tries))
    naive = Repetitions.of(int(np.count_nonzero(rng.integers(among, size=tries) == 0)), tries, people.level)
    return Wp216Risk("linkability", LINKABILITY, None, success, control, naive)


def _linked(publication: Publication, units: Microdata, shared: set[str], seed: int) -> tuple[int, int]:
    """On how many people the linking adversary chooses right."""
    size = units.size
    if size == 0:
        return 0, 0
    rng = np.random.Generator(np.random.PCG64(seed))
    known = [j for j, domain in enumerate(units.quasi) if domain.name in shared]
    second = known[1::2]
    among = min(AMONG, size)
    # Everybody's own entry first, then those of the others that follow in a circle drawn at random.
    place = np.empty(size, np.int64)
    circle = rng.permutation(size)
    place[circle] = np.arange(size)
    others = circle[(place[:, None] + np.arange(among)) % size]
    whose = others.reshape(-1)
    both = units.codes[:, np.repeat(np.arange(size), among)].copy()
    both[second] = units.codes[second][:, whose]
    alone = replace(_plain(units), quasi=tuple(units.quasi[j] for j in second), codes=units.codes[second])
    together = _fitting(publication, _with_codes(units, both)).reshape(size, among)
    apart = _fitting(publication, alone)[others]
    score = np.where(apart > 0, together / np.maximum(1, apart), 0.0)
    best = score >= score.max(axis=1, keepdims=True)
    chosen = np.where(best, rng.random(score.shape), -1.0).argmax(axis=1)
    return int(np.count_nonzero(chosen == 0)), size


def _plain(units: Microdata) -> Microdata:
    """Take people for themselves, without their records."""
    return replace(units, individuals=None, members=None, source=None, knowledge=(), survey_weights=None)


def _with_codes(units: Microdata, codes: NDArray[np.int32]) -> Microdata:
    """Take as many people as there are codes (d, m), who are known by these alone."""
    size = codes.shape[1]
    return replace(
        _plain(units),
        codes=np.ascontiguousarray(codes),
        sensitive=(),
        sensitive_codes=np.zeros((0, size), np.int32),
        rows=np.arange(size),
    )


def _fitting(publication: Publication, data: Microdata) -> NDArray[np.int64]:
    """(n,) How many published records, or people, fit everybody."""
    counts, tuples = count_matches(publication, data, np.arange(data.codes.shape[1]))
    return counts[tuples.of]


def inference(people: People) -> Wp216Risk | Refusal:
    """Guess sensitive values; the guess without the release is the most frequent value of the table."""
    told = list(_inferred(people))
    if told:
        return max(told, key=lambda one: (one.gain, one.success.rate))
    return Refusal(_NO_VALUES, ("inference",))


def _inferred(people: People) -> Iterator[Wp216Risk]:
    """Guess the values of every column that can be guessed."""
    for domain in people.publication.sensitive:
        made: Attack = registry.create("attacks", "homogeneity", {"sensitive": domain.name})
        if made.inapplicable(people.publication, people.original) is not None:
            continue

        def hits(data: Microdata, attack: Attack = made) -> tuple[int, int]:
            return _share(attack, people.publication, data)

        success, control = people.tried(hits)
        frequent = made.run(people.publication, people.drawn(people.original)).baseline
        naive = Repetitions.of(round(frequent * success.tries), success.tries, people.level)
        yield Wp216Risk("inference", INFERENCE, domain.name, success, control, naive)


def refuse_without_people(control: Microdata | None) -> None:
    """Refuse a control of nobody."""
    if control is not None and control.units.size == 0:
        raise PolicyError("risk: the control has no people")
