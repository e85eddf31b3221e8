"""What every privacy model is: a definition used by search, proof and report alike.

A model is a small frozen value. Bound to a sensitive attribute and the distribution it is compared with, it
judges classes exactly (`BoundModel.holds`), says how strong they are, and offers searches a compiled test
that never accepts what the proof would reject.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self

import numpy as np

from likeness.checks import choice, whole
from likeness.errors import PolicyError, Refusal
from likeness.exact import float_above
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.exact import Real
    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.domain import Domain
    from likeness.microdata.knowledge import Distributions
    from likeness.microdata.statistics import ClassStatistics

LARGEST = 1 << 62
"""More records than any table has; larger parameters stand for this where 64 bits must hold them."""

Scope = Literal["public", "mechanism", "steward"]
SomeValues = Literal["limits", "merged", "present"]


@dataclass(frozen=True, eq=False)
class SensitiveAttribute:
    """A sensitive attribute and the distribution that classes are compared with.

    Parameters
    ----------
    domain
        Its values (groups of values, where a model treats all values under a hierarchy node as one).
    counts : (m,) int64
        Records of each value in the reference distribution: of the published records, or of the original
        table when the model says ``reference: original``. Where people have several records, individuals that have it.
    complete
        Whether the domain has every value of the original table; one read back from a release may lack values
        that were withheld.
    individuals
        Number of individuals of the reference distribution, where people may have several records and the model
        speaks of people (`PrivacyModel.counts_individuals`): shares of values may then add up to more than 1.
    knowledge
        What an adversary may know of the records beforehand, for models about that; codes are then those of pairs of one of
        its distributions and a value (`models.requirements.View`).
    protected : (m,) bool, optional
        Which values need protection, where not all do (`SensitiveModel.some_values`).
    """

    domain: Domain
    counts: NDArray[np.int64]
    complete: bool = True
    individuals: int | None = None
    knowledge: Distributions | None = None
    protected: NDArray[np.bool_] | None = None

    @property
    def judged_counts(self) -> NDArray[np.int64]:
        """(m,) Records of each value that needs protection, 0 of the others."""
        return self.counts if self.protected is None else np.where(self.protected, self.counts, 0)

    @property
    def total(self) -> int:
        """Number of records (or individuals) of the reference distribution."""
        return int(self.counts.sum()) if self.individuals is None else self.individuals

    @property
    def shares(self) -> list[Fraction]:
        """Share p_s of each value in the reference distribution, exactly."""
        total = max(1, self.total)
        return [Fraction(int(count), total) for count in self.counts]

    def smallest_classes(self, size: int) -> NDArray[np.int64]:
        """(m,) The same smallest class for every value that occurs and needs protection, 1 for the others."""
        return np.where(self.judged_counts > 0, min(size, LARGEST), 1).astype(np.int64)

    def label(self, code: int) -> str:
        """Text of one value, for messages and reports."""
        return self.domain.label_of(code)


@dataclass(frozen=True)
class Strength:
    """The strongest parameters a table meets.

    Parameters
    ----------
    values
        Parameter name to value; infinity where no parameter would do.
    """

    values: dict[str, float]

    def __str__(self) -> str:
        """Write the parameters as ``k = 5, alpha = 0.4``."""
        return ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a model says about every class.

    Parameters
    ----------
    holds : (E,) bool
        Exact.
    measured : (E,) float64
        The class's own value on the scale of the model's first parameter, for people: the strongest value
        that the class meets with the other parameters as they are, infinite where there is none.
    slack : (E,) float64
        How far the class is on the safe side of the parameter (negative when violated), on the same scale.
    """

    holds: NDArray[np.bool_]
    measured: NDArray[np.float64]
    slack: NDArray[np.float64]

    @property
    def all_hold(self) -> bool:
        """Whether every class holds."""
        return bool(self.holds.all())


def fewest_removed(needed: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """(m,) How many records of each value must go so that the rest can be together.

    ``needed``: of each value, how many must be together that 1, 2, … of its records may be among them, ascending.
    Upper limits on shares survive the union of classes, so the most records that any classes can publish are the largest N
    with ``Σ_s min(n_s, most of s that a class of N may hold) >= N``.

    >>> halves = [2 * np.arange(1, 52), 2 * np.arange(1, 50)]
    >>> fewest_removed(halves)
    array([2, 0])
    """
    sizes = np.concatenate([*needed])
    value = np.repeat(np.arange(len(needed)), [own.size for own in needed])
    whole = np.arange(1, sizes.size + 1)
    possible = np.flatnonzero(np.searchsorted(np.sort(sizes), whole, "right") >= whole)
    most = int(whole[possible[-1]]) if possible.size else 0
    return np.bincount(value[sizes > most], minlength=len(needed))


class BoundModel(ABC):
    """A model that knows its sensitive attribute and reference distribution."""

    @abstractmethod
    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide every class exactly."""

    @abstractmethod
    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """Measure every class on the model's scale."""

    @abstractmethod
    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn measurements into distances from the limit; negative where it is exceeded."""

    @abstractmethod
    def strongest(self, stats: ClassStatistics) -> Strength:
        """Find the strongest parameters that every class meets."""

    @abstractmethod
    def class_test(self) -> ClassTest:
        """Offer searches a compiled test that accepts no class `holds` would reject."""

    def smallest_classes(self) -> NDArray[np.int64]:
        """(m,) Size below which no class with a record of each value holds (n_min); empty without limits."""
        return np.zeros(0, np.int64)

    @property
    def smallest_class(self) -> int:
        """Size below which no class of records holds, whatever their values; 1 where none is known."""
        return 1

    def sizes_needed(self, counts: NDArray[np.int64]) -> list[NDArray[np.int64]] | None:  # noqa: ARG002
        """Say of each value how large a class must be that holds 1, 2, … of its records, as many as ``counts`` (m,) says.

        Only where nothing else is asked for, so that a class of more records of a value holds no less of the others; else None.
        """
        return None

    def surplus(self, counts: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """(m,) How many of each value so many records must lose at least, so that the rest can be one class.

        ``counts`` (m,): records of each value. All of them, where no rest can; None where the model does not tell.
        """
        needed = self.sizes_needed(counts)
        return None if needed is None else fewest_removed(needed)

    def too_frequent(self, counts: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """(m,) Of which values so many are too many in a class of some size, whatever else is in it.

        ``counts``, ``size`` (m,): of each value. None where the model sets no upper limits on shares.
        """
        needed = self.sizes_needed(counts)
        if needed is None:
            return None
        return np.array(
            [n > 0 and own[n - 1] > of for own, n, of in zip(needed, counts, size, strict=True)], np.bool_
        )

    def posterior_limits(self) -> Sequence[Real] | None:
        """Limit on the confidence in each value, where such limits are all the model asks; else None.

        A mechanism that perturbs values meets exactly these models: what it publishes leads to a posterior
        for every single value, and to no classes that other models could judge.
        """
        return None

    def parts(self, limit: Fraction | None = None) -> NDArray[np.int64] | None:  # noqa: ARG002  # most know no parts
        """(codes,) Part of each sensitive code, from 0, where only records of one part may ever share a class; else None.

        Parameters
        ----------
        limit
            Another value for the model's first parameter, one of `part_limits`.
        """
        return None

    def part_limits(self) -> NDArray[np.float64]:
        """Values of the model's first parameter, ascending, at each of which more records may share a class."""
        return np.zeros(0)

    def may_join(self, codes: NDArray[np.int64], stats: ClassStatistics) -> NDArray[np.bool_]:
        """(k, E) Whether a record of each sensitive code may share a class with everybody of each class.

        Beyond what `parts` says; it may say no where that is not certain. Nobody may by default, where there are parts.
        """
        return np.full((codes.size, stats.classes), self.parts() is None)

    @property
    def parts_suffice(self) -> bool:
        """Whether every class within one of the `parts` holds, so that searches that keep to them need not ask."""
        return False

    leaves_somebody: ClassVar[bool] = False
    """Whether one value fewer than `values_needed` must leave somebody of every class without any of them."""

    def values_needed(self) -> int:
        """How many different values every class needs at least; 1 where the model does not say."""
        return 1

    def out_of_reach(self) -> str:
        """Say what no release of these records can hold, as the end of a message; empty when there is nothing."""
        return ""

    def limits_nothing(self) -> str:
        """Say why the model says nothing of these records, as the end of a message; empty where it does.

        Only where one cannot see it from the parameters: values that nobody has, caps that no share exceeds.
        """
        return ""

    def caps(self) -> dict[str, str]:
        """Say by value, in exact numbers, what a function among the parameters limits; empty where there is none."""
        return {}

    def because(self, stats: ClassStatistics) -> str:  # noqa: ARG002
        """Say why a class does not hold, as a part of a message; empty where the measure says it all.

        Parameters
        ----------
        stats
            Of classes, or parts of them, one of which does not hold.
        """
        return ""

    def left_open(self, stats: ClassStatistics) -> str:  # noqa: ARG002
        """Say what people may take the parameters to limit and they do not, measured; empty where there is nothing."""
        return ""

    def strongest_posterior(self, posteriors: Sequence[Fraction]) -> Strength:
        """Find the strongest parameters that hold when confidence in each value can rise this far.

        Parameters
        ----------
        posteriors
            Largest confidence in each value, as `posterior_limits` limits it; 0 for values that do not occur.
        """
        return Strength({"posterior": float_above(max(posteriors, default=Fraction(0)))})

    def judge(self, stats: ClassStatistics) -> Judgement:
        """Judge every class."""
        measured = self.measured(stats)
        return Judgement(self.holds(stats), measured, self.slack(measured))


class Composable:
    """A model, or several: what ``&`` joins."""

    def __and__(self, other: PrivacyModel | Composition) -> Composition:
        """Require all of both.

        Raises
        ------
        PolicyError
            When the other is no model.
        """
        return Composition((*_models_of(self), *_models_of(other)))

    if not TYPE_CHECKING:  # for type checkers the left side alone decides, and `3 & model` is an error

        def __rand__(self, other: object) -> Composition:
            """Refuse what is no model on the left, in our words."""
            return Composition((*_models_of(other), *_models_of(self)))


class ParameterRange(NamedTuple):
    """Which way a parameter of a model is stronger, and between which values it is worth a search.

    Parameters
    ----------
    larger_is_stronger
        Whether the model protects more the larger it is.
    ends
        Where a search begins and ends unless told otherwise; None where only the table says it (whole numbers: from 1 to
        its records), or nothing does.
    weakest
        A value with which the model refuses nothing that can be measured; None where there is none, or the parameter cannot be
        given alone.
    """

    larger_is_stronger: bool = False
    ends: tuple[float, float] | None = None
    weakest: int | None = None


class Conditions(NamedTuple):
    """What a model asks of every class that can be counted while individuals join it.

    Parameters
    ----------
    size
        Fewest records, or individuals.
    values
        Fewest different sensitive values.
    hidden_values
        Fewest values that remain possible for everybody, given all of one's own and of the others (EIR l-diversity). It takes
        whose values they are, not just counts.
    of_records
        Largest share of one individual in the records.
    of_pairs
        Largest share of one value in the pairs of an individual and a value of theirs.
    of_individuals
        Largest share of the individuals that have one value.
    complete
        Whether a class that meets these holds; else the model asks for more.
    """

    size: int | None = None
    values: Fraction | None = None
    hidden_values: int | None = None
    of_records: Fraction | None = None
    of_pairs: Fraction | None = None
    of_individuals: Fraction | None = None
    complete: bool = False

    @property
    def size_alone(self) -> bool:
        """Whether nothing but a size is asked for."""
        return self.counts_alone and self.values is None

    @property
    def counts_alone(self) -> bool:
        """Whether nothing but a size and a number of different values is asked for."""
        return self.complete and self == Conditions(size=self.size, values=self.values, complete=True)


COUNT = ParameterRange(larger_is_stronger=True, weakest=1)
"""A number of records, individuals or values that a class must have."""
SHARE = ParameterRange(ends=(0.001, 1), weakest=1)
"""A largest share or distance."""
GAIN = ParameterRange(ends=(0.01, 100), weakest=10**6)
"""A largest relative gain or ratio."""


class PrivacyModel(Composable, ABC):
    """A privacy guarantee with its parameters; compose with ``&``."""

    name: ClassVar[str]
    needs_sensitive: ClassVar[bool] = False
    closed_under_union: ClassVar[bool]
    """Whether two classes that hold, merged, hold."""
    closed_under_adding: ClassVar[bool]
    """Whether a class that holds, plus any record, holds."""
    closed_under_removing: ClassVar[bool] = False
    """Whether a class that holds, less any record, holds: one that does not then never will by adding others."""
    counts_individuals: ClassVar[bool] = True
    """Whether sizes are individuals where people have several records; else pairs of an individual and a value of theirs."""
    about_individuals: ClassVar[bool] = False
    """Whether it is about people with several records, so that a policy must name the column that tells them apart."""
    needs_knowledge: ClassVar[bool] = False
    """Whether it is about what an adversary knows of each record beforehand; then only the steward can check it."""
    sensitive: str | None = None
    """The sensitive column it covers, where it may name one."""
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({})
    """The parameters that a search may vary, and that other releases are measured by."""

    @property
    def scope(self) -> Scope:
        """Who can check the proof."""
        return "public"

    @property
    def conditions(self) -> Conditions:
        """What it asks of every class that can be counted."""
        return Conditions()

    @property
    def signature_size(self) -> int | None:
        """Fewest values that stay possible of everybody over several releases; None where it is about one release alone."""
        return None

    @property
    def beyond_posteriors(self) -> str:
        """Name the parameter that asks for more than limits on the confidence in each value; empty where none does."""
        return ""

    @property
    def has_function(self) -> bool:
        """Whether a parameter is a Python function, which no file can hold."""
        return False

    def caps_of(self, shares: Iterable[Fraction]) -> dict[str, str]:  # noqa: ARG002
        """Evaluate the function among the parameters at some shares; empty where there is none."""
        return {}

    def with_caps(self, caps: Mapping[str, str]) -> Self:  # noqa: ARG002
        """Put what the function among the parameters gave in its place, so that a file can hold the model."""
        return self

    @property
    @abstractmethod
    def in_plain_words(self) -> str:
        """What it promises of every group, with its parameters, for people who know no statistics.

        One sentence or two with their full stops, for certificates: a group are those whom nobody can tell apart by what is
        published of them, a value is one of the sensitive column. Without rounding, for that could promise more than is proven.

        Examples
        --------
        >>> from likeness.models.k_anonymity import KAnonymity
        >>> KAnonymity(5).in_plain_words
        'Every group has at least 5 people: each of them looks like 4 others or more.'
        """

    @abstractmethod
    def bind(self, attribute: SensitiveAttribute | None) -> BoundModel:
        """Bind the model to what it is measured against."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SensitiveModel(PrivacyModel):
    """A model about the values of a sensitive attribute.

    Parameters
    ----------
    sensitive
        The sensitive column it covers; by default every one, as if the model were given once for each.
    others
        Whether the other sensitive columns count as ``known`` to the adversary (every part of a class that shares their
        values must then hold) or ``unknown``.
    by
        Whether classes are judged by ``values``, or by the ``categories`` that the policy gives the column's values
        (``categories:``): all values of a category then count as one.
    """

    sensitive: str | None = None
    others: str = "known"
    by: str = "values"

    needs_sensitive: ClassVar[bool] = True
    needs_order: ClassVar[bool] = False
    """Whether it says something of values that have an order only: categories, numbers, days, or a declared order."""
    some_values: ClassVar[SomeValues | None] = None
    """How it reads a column of which only some values need protection.

    ``limits``: the shares of no others are limited. ``merged``: all others count as one value. ``present``: a class without any
    of them holds, in the rest all values count. None: it cannot hold for some values alone, and is refused.
    """

    def __post_init__(self) -> None:
        if self.sensitive is not None and not isinstance(self.sensitive, str):
            raise PolicyError(f"{self.name}: sensitive must name one column; got {self.sensitive!r}")
        choice(self.name, "others", self.others, ("known", "unknown"))
        choice(self.name, "by", self.by, ("values", "categories"))

    def __repr__(self) -> str:
        """Only what differs from the defaults, as one would write it."""
        given = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in sorted(fields(self), key=lambda field: bool(field.kw_only))
            if field.default is MISSING or getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    @property
    def counted(self) -> str:
        """What counts as one value: a value, a category of values, or a kind of value: all below a node of the hierarchy."""
        return "category" if self.by == "categories" else "kind of value" if self.group_level else "value"

    def counted_as(self, number: int) -> str:
        """Write a number of what counts as one value: ``1 value``, ``3 different values``, ``2 different kinds of value``."""
        plural = {"category": "categories", "kind of value": "kinds of value"}.get(
            self.counted, f"{self.counted}s"
        )
        return count(number, self.counted, f"different {plural}")

    @property
    def named_values(self) -> frozenset[str]:
        """Sensitive values that the parameters name."""
        return frozenset()

    def naming_only(self, values: Collection[str]) -> Self:  # noqa: ARG002
        """Leave values out that are not among these; of a model that would name none then, leave all."""
        return self

    @property
    def against_original(self) -> bool:
        """Whether classes are compared with the distribution of the original table."""
        return False

    @property
    def compares(self) -> bool:
        """Whether what it asks of a class changes with the records that are published elsewhere."""
        return False

    def eased(self, share: Fraction) -> Self | None:  # noqa: ARG002  # most know no such
        """Give a model that holds, compared with all records, where this holds compared with all but a share; None if unknown.

        Of each value some record is among the others, unless any two values are as far apart.
        """
        return None if self.compares else self

    @property
    def scope(self) -> Scope:
        """``steward`` when the original distribution, which is not published, is the reference."""
        return "steward" if self.against_original else "public"

    @property
    def group_level(self) -> int:
        """Level of the sensitive hierarchy whose nodes count as one value; 0 for the values themselves."""
        return 0

    def distance_in(self, domain: Domain) -> str:  # noqa: ARG002  # most know no distance
        """Ground distance by which it compares values of a column; without one any two are as far apart."""
        return "equal"

    @abstractmethod
    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""

    def bind(self, attribute: SensitiveAttribute | None) -> BoundModel:
        """Bind to a sensitive attribute.

        Raises
        ------
        PolicyError
            When there is none.
        """
        if attribute is None:
            raise PolicyError(f"{self.name}: needs a sensitive column, and none is declared")
        return self.bind_to(attribute)


@dataclass(frozen=True, kw_only=True, repr=False)
class DistributionModel(SensitiveModel):
    """A model that compares classes with the distribution of a sensitive attribute.

    Parameters
    ----------
    reference
        Compare with the distribution of the ``published`` records, which anyone can check, or of the
        ``original`` table, as the papers do, which only the steward can.
    """

    reference: str = "published"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.name, "reference", self.reference, ("published", "original"))

    @property
    def against_original(self) -> bool:
        """Whether classes are compared with the distribution of the original table."""
        return self.reference == "original"

    @property
    def compares(self) -> bool:
        """Whether what it asks of a class changes with the records that are published elsewhere."""
        return not self.against_original

    @property
    def compared_with(self) -> str:
        """What groups are compared with, in words."""
        return "the original table" if self.against_original else "the whole release"


@dataclass(frozen=True, kw_only=True, repr=False)
class GroupedModel(DistributionModel):
    """A model that may treat all values under a node of the sensitive hierarchy as one value.

    Parameters
    ----------
    level
        Level of the hierarchy whose nodes count as one value: 0 for the values themselves (Cao & Karras 2012,
        section 7, the extension for semantically close values).
    """

    level: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "level", self.level, at_least=0)
        if self.level and self.by == "categories":
            what = "level groups values by their hierarchy, and by: categories by their categories; give one of the two"
            raise PolicyError(Refusal(what, (self.name,)))

    @property
    def group_level(self) -> int:
        """The level."""
        return self.level


KNOWN_AS = r"\A[^\W_][\w.-]{0,39}\z"
"""What knowledge may be called: a word that stands in certificates, where no sentence may."""


def is_name(given: object) -> bool:
    """Whether knowledge may be called so: a word of at most 40 letters, digits, hyphens, dots and underscores."""
    return isinstance(given, str) and re.match(KNOWN_AS.replace(r"\z", r"\Z"), given) is not None


@dataclass(frozen=True, kw_only=True, repr=False)
class KnowledgeModel(SensitiveModel):
    """A model about what an adversary knows of each record beforehand.

    Parameters
    ----------
    knowledge
        Name of the knowledge it is about, where the policy has several of the column; by default all, as if the model were
        given once for each.
    """

    knowledge: str | None = None

    needs_knowledge: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.knowledge is not None and not is_name(self.knowledge):
            raise PolicyError(f"{self.name}: knowledge must be the name of one; got {quoted(self.knowledge)}")
        if self.by != "values":
            what = "is about what is known of values, not of their categories; leave by out"
            raise PolicyError(Refusal(what, (self.name,)))

    @property
    def compares(self) -> bool:
        """Whether what it asks of a class changes with the records that are published elsewhere: clusters are of all of them."""
        return True

    @property
    def scope(self) -> Scope:
        """What is believed of whom, only the steward has."""
        return "steward"


@dataclass(frozen=True, repr=False)
class Composition(Composable):
    """Several models that must all hold: what ``&`` makes of them, in their order, however it is bracketed.

    Parameters
    ----------
    models
        The models.

    Examples
    --------
    >>> from likeness.models.k_anonymity import KAnonymity
    >>> from likeness.models.t_closeness import TCloseness
    >>> KAnonymity(2) & TCloseness("0.2")
    KAnonymity(k=2) & TCloseness(t='0.2')
    >>> KAnonymity(2) & 3
    Traceback (most recent call last):
    likeness.errors.PolicyError: &: joins privacy models, as in KAnonymity(5) & BetaLikeness(4); got 3
    """

    models: tuple[PrivacyModel, ...]

    def __iter__(self) -> Iterator[PrivacyModel]:
        """Iterate over the models."""
        return iter(self.models)

    def __repr__(self) -> str:
        """As one would write it."""
        return " & ".join(map(repr, self.models))


def _models_of(given: object) -> tuple[PrivacyModel, ...]:
    """Models of a composition, or the one model that is given; everything else is refused."""
    if isinstance(given, Composition):
        return given.models
    if isinstance(given, PrivacyModel):
        return (given,)
    if isinstance(given, type) and issubclass(given, PrivacyModel):
        name = given.__name__
        raise PolicyError(f"&: {name} is a class; give one with its parameters, {name}(…)")
    told = quoted(given) if isinstance(given, str | int | float) else f"a {type(given).__name__}"
    raise PolicyError(f"&: joins privacy models, as in KAnonymity(5) & BetaLikeness(4); got {told}")
