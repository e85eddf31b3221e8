"""A policy's models, each bound to the sensitive attributes it covers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import CannotBeMetError, PolicyError, Refusal, suggestion
from likeness.microdata.domain import IN_ORDER
from likeness.microdata.grouping import group_codes
from likeness.microdata.statistics import ClassStatistics, count_classes, count_within
from likeness.models.base import (
    BoundModel,
    Conditions,
    KnowledgeModel,
    PrivacyModel,
    SensitiveAttribute,
    SensitiveModel,
)
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.knowledge import Knowledge
    from likeness.models.base import SomeValues

MOST_GUARANTEES = 1_000
"""Guarantees that a release may have, one a model and sensitive column: each is proven over all records."""


@dataclass(frozen=True, eq=False)
class View:
    """The values a requirement looks at: those of the sensitive attribute at index ``column``, or groups of them.

    ``domain``: the values, or groups of values.
    ``group``: (codes,) int64, group of each value, when values under a hierarchy node, or of a category, count as one; else None.
    ``protected``: (codes,) which values, or groups, need protection, where not all do and the model tells them apart; else None.
    ``known``: indices of the sensitive attributes the adversary is taken to know.
    ``knowledge``: where the requirement also looks at what is known of each record beforehand, its row among the judged codes
    (`Microdata.judged_codes`), and ``distributions`` the number of distributions there; a code is then that of a pair, the
    distribution first.
    """

    column: int
    domain: Domain
    group: NDArray[np.int64] | None = None
    known: tuple[int, ...] = ()
    knowledge: int | None = None
    distributions: int = 1
    protected: NDArray[np.bool_] | None = None

    @property
    def looks_at(self) -> tuple[int, bytes, tuple[int, ...], int | None]:
        """Equal for views that see the same of every record."""
        return self.column, b"" if self.group is None else self.group.tobytes(), self.known, self.knowledge

    @property
    def values(self) -> int:
        """Number of codes that a record may have here."""
        return self.domain.codes * self.distributions

    def codes(self, judged: NDArray[np.int32]) -> NDArray[np.int64]:
        """(n,) Code of each record's value or group, given its judged codes (`Microdata.judged_codes`)."""
        own: NDArray[np.int64] = judged[self.column].astype(np.int64)
        if self.group is not None:
            own = np.asarray(self.group[own])
        if self.knowledge is None:
            return own
        return np.asarray(judged[self.knowledge].astype(np.int64) * self.domain.codes + own)

    def known_codes(
        self, sensitive: Sequence[Domain], sensitive_codes: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """(n,) Number of each record's combination of known sensitive values."""
        return group_codes(
            [sensitive_codes[i] for i in self.known], [sensitive[i].codes for i in self.known]
        ).of


@dataclass(frozen=True, eq=False)
class Requirement:
    """One model, bound to one sensitive attribute (or to none)."""

    model: PrivacyModel
    bound: BoundModel
    view: View | None

    @property
    def subject(self) -> str:
        """The model and the column it covers, for messages."""
        if self.view is None:
            return self.model.name
        named = (
            f" given {self.model.knowledge!r}"
            if isinstance(self.model, KnowledgeModel) and self.model.knowledge
            else ""
        )
        return f"{self.model.name} on {self.view.domain.name!r}{named}"

    def largest_needs(self, most: int) -> list[tuple[str, int]]:
        """List the sensitive values that need the largest classes, each with that size (n_min), the largest first.

        At most ``most`` of them; those that a class of one may hold are left out.
        """
        sizes = self.bound.smallest_classes()
        if self.view is None or sizes.size == 0:
            return []
        label_of = self.view.domain.label_of
        worst = np.argsort(-sizes, kind="stable")[:most].tolist()
        return [(label_of(code), int(sizes[code])) for code in worst if sizes[code] > 1]

    @property
    def compares(self) -> bool:
        """Whether what it asks of a class changes with the records that are published elsewhere."""
        return isinstance(self.model, SensitiveModel) and self.model.compares

    def at_least(self, data: Microdata, allowance: int) -> Requirement | None:
        """Bind what it asks of every class whichever ``allowance`` of the records are withheld; None where nothing is known."""
        if (
            allowance <= 0
            or self.view is None
            or not isinstance(self.model, SensitiveModel)
            or not self.compares
        ):
            return self
        eased = self.model.eased(Fraction(allowance, data.count_records()))
        if eased is None:
            return None
        records = data if data.members is None else data.members.records
        counts = np.bincount(self.view.codes(records.judged_codes))
        # A value that nobody would have any more could bring others nearer to each other.
        if self.model.distance_in(self.view.domain) != "equal" and counts[counts > 0].min() <= allowance:
            return None
        return require_of((eased,), data)[0]

    @property
    def closed_under_adding(self) -> bool:
        """Whether a class that holds, plus any record, holds."""
        # A record whose known values are new to the class makes a part of its own there; one that needs protection may be the
        # first of its class that does.
        asks_more = self.view is not None and (bool(self.view.known) or self.view.protected is not None)
        return self.model.closed_under_adding and not asks_more

    @property
    def conditions(self) -> Conditions:
        """What it asks of every class that can be counted; of values nothing, where not all need protection."""
        asked = self.model.conditions
        if self.view is None or self.view.protected is None:
            return asked
        return Conditions(size=asked.size, of_records=asked.of_records)

    @property
    def by_counts(self) -> bool:
        """Whether the numbers of people, and of those who have each value, decide it, whoever has which values.

        Apart from the largest share of one person in the records (`Conditions.of_records`). Who has a value of a group is told
        by no such numbers: one person may have two of them.
        """
        return self.view is None or (self.view.group is None and self.conditions.hidden_values is None)

    @property
    def limits_records(self) -> bool:
        """Whether it limits the share of one person in the records."""
        most = self.conditions.of_records
        return most is not None and most < 1

    def parts(self, data: Microdata, limit: Fraction | None = None) -> NDArray[np.int64] | None:
        """(rows,) Part of each row of a table; only those of one part may ever share a class. None where all may.

        ``limit``: another value for the model's first parameter.
        """
        parts = self.bound.parts(limit)
        if parts is None or self.view is None:
            return None
        return (
            np.unique(parts[self.view.codes(data.judged_codes)], return_inverse=True)[1]
            .reshape(-1)
            .astype(np.int64)
        )

    def may_join(
        self, data: Microdata, rows: NDArray[np.int64], parts: NDArray[np.int64], count: int
    ) -> NDArray[np.bool_]:
        """(k, count) Whether each of some rows (k,) may share a class with everybody of each of the ``parts`` (n,)."""
        if self.view is None:
            return np.ones((rows.size, count), np.bool_)
        codes, place = np.unique(self.view.codes(data.judged_codes)[rows], return_inverse=True)
        return np.asarray(self.bound.may_join(codes, self.of_rows(data, parts, count))[place.reshape(-1)])

    def smallest_mean(self, data: Microdata) -> tuple[int, str]:
        """Find a size that classes cannot stay below on average, because too many have the same few values; and say why.

        Every class of l different values has one that is none of the l - 1 most frequent, and no value is in more classes than
        have it: E classes need ``l E`` values, and there are ``sum(min(c_s, E))``. Where people have several records and no
        l - 1 values may cover a class (EIR l-diversity), every class needs somebody who has none of them. 1 and no text where
        the model needs no number of values.
        """
        needed = self.bound.values_needed()
        if self.view is None or needed < 2:
            return 1, ""
        people = data.individuals is not None and self.model.counts_individuals
        codes = self.view.codes(data.judged_codes)
        who = data.individuals if people and data.individuals is not None else np.arange(codes.size)
        pairs = np.unique(who * self.view.domain.codes + codes)
        counts = np.bincount(pairs % self.view.domain.codes, minlength=self.view.domain.codes)
        size = np.unique(who).size
        frequent = np.argsort(-counts, kind="stable")[: needed - 1]
        covered = np.unique(
            pairs[np.isin(pairs % self.view.domain.codes, frequent)] // self.view.domain.codes
        ).size
        most, below = 0, size + 1
        while below - most > 1:
            middle = (most + below) // 2
            if int(np.minimum(counts, middle).sum()) >= needed * middle:
                most = middle
            else:
                below = middle
        if people and self.bound.leaves_somebody:
            most = min(most, size - covered)
        if most < 1:
            return 1, ""
        few = frequent[counts[frequent] > 0].size
        word = "people have" if people else "records have"
        which = f"one of the {few} most frequent values" if few > 1 else "the most frequent value"
        return -(-size // most), f"{covered / size:.1%} of the {word} {which}, and every class needs another"

    def statistics(
        self,
        classes: NDArray[np.int64],
        count: int,
        sensitive: Sequence[Domain],
        codes: NDArray[np.int32],
        individuals: NDArray[np.int64] | None = None,
        copies: NDArray[np.int64] | None = None,
    ) -> ClassStatistics:
        """Count what the model needs in every class, or in every part that the adversary can tell apart.

        ``classes`` (n,) is -1 for records that are left out; ``codes`` (s + κ, n) are those of the ``sensitive`` attributes,
        and of what is known of each record where a model looks at it (`Microdata.judged_codes`).
        ``individuals`` (n,) numbers the person of each record, where people may have several; else None. ``copies`` (n,): how
        many records each stands for, where not for one.
        """
        if self.view is None:
            return count_classes(classes, count, individuals=individuals, copies=copies)
        values = self.view.values
        if self.view.known:
            known = self.view.known_codes(sensitive, codes)
            stats = count_within(classes, known, self.view.codes(codes), values, individuals, copies)
        else:
            stats = count_classes(classes, count, self.view.codes(codes), values, individuals, copies)
        if self.view.protected is not None and _some_values(self.model) == "limits":
            stats = stats.of_some(self.view.protected)
        return stats if self.model.counts_individuals else stats.of_values()

    def of_rows(self, data: Microdata, classes: NDArray[np.int64], count: int) -> ClassStatistics:
        """Count what the model needs of the rows of a table: records, or individuals with all theirs (`Microdata.people`).

        ``classes`` (rows,) is -1 for rows that are left out.
        """
        if data.members is None:
            own = data.sensitive, data.judged_codes, data.individuals, data.copies
            return self.statistics(classes, count, *own)
        records = data.members.records
        return self.statistics(
            classes[data.members.of], count, data.sensitive, records.sensitive_codes, data.members.of
        )


def one_a_column(models: Iterable[PrivacyModel], sensitive: Sequence[str]) -> tuple[PrivacyModel, ...]:
    """Write a model of all sensitive columns as one of each: that is what it means. Each model stands there once.

    Raises `PolicyError` where a model needs a sensitive column and there is none, or where there are more models than can
    be proven in time.

    >>> from likeness.models.distinct_l_diversity import DistinctLDiversity
    >>> one_a_column([DistinctLDiversity(2), DistinctLDiversity(2, sensitive="pay")], ["disease", "pay"])
    (DistinctLDiversity(l=2, sensitive='disease'), DistinctLDiversity(l=2, sensitive='pay'))
    """
    found: list[PrivacyModel] = []
    for model in models:
        each: list[PrivacyModel] = [model]
        if isinstance(model, SensitiveModel) and model.sensitive is None:
            if not sensitive:
                raise PolicyError(f"{model.name}: needs a sensitive column, and none is declared")
            each = [replace(model, sensitive=name) for name in sensitive]
        found += [one for one in each if one not in found]
        if len(found) > MOST_GUARANTEES:
            raise PolicyError(
                f"privacy: asks for more than {MOST_GUARANTEES:,} guarantees, one a model and sensitive column; each is proven "
                "over all records, so ask for fewer"
            )
    return tuple(found)


def require(
    models: Iterable[PrivacyModel],
    sensitive: Sequence[Domain],
    published: NDArray[np.int32],
    original: NDArray[np.int32] | None = None,
    *,
    complete: bool = True,
    individuals: NDArray[np.int64] | None = None,
    original_individuals: NDArray[np.int64] | None = None,
    knowledge: Sequence[Knowledge] = (),
    copies: NDArray[np.int64] | None = None,
    original_copies: NDArray[np.int64] | None = None,
) -> tuple[Requirement, ...]:
    """Bind every model to every sensitive attribute it covers; all must hold.

    ``published`` (s, n) are the sensitive codes of the published records, the default reference distribution; ``original``
    (s, N) those of the original table, for models with ``reference: original``. ``complete``: the domains have every value
    of the original table (not those read back from a release). ``individuals`` (n,) and ``original_individuals`` (N,) are
    the person of each record, where people may have several. ``knowledge``: what may be known of the published records;
    its values are those of the domains. ``copies`` (n,), ``original_copies`` (N,): how many records each stands for, where
    not for one. Raises `PolicyError` where a model needs a sensitive column, or knowledge, that is
    not there, or the original table and it is not given.
    """
    names = [domain.name for domain in sensitive]
    found = []
    for model in one_a_column(models, names):
        if not isinstance(model, SensitiveModel):
            found.append(Requirement(model, model.bind(None), None))
            continue
        if model.sensitive not in names:
            hint = suggestion(str(model.sensitive), names)
            raise PolicyError(f"{model.name}: {model.sensitive!r} is not a sensitive column{hint}")
        if not complete:
            _refuse_unknown(model, sensitive)
        i = names.index(model.sensitive)
        known = tuple(j for j in range(len(names)) if j != i) if model.others == "known" else ()
        view = _view(model, sensitive[i], i, known)
        if isinstance(model, KnowledgeModel):
            found.append(_require_knowledge(model, view, knowledge, len(names)))
            continue
        codes = original if model.against_original else published
        people = original_individuals if model.against_original else individuals
        often = original_copies if model.against_original else copies
        if codes is None:
            raise PolicyError(f"{model.name}: reference 'original' needs the original table")
        everybody = count_classes(
            np.zeros(codes.shape[1], np.int64), 1, view.codes(codes), view.domain.codes, people, often
        )
        total = int(everybody.sizes[0]) if people is not None and model.counts_individuals else None
        attribute = SensitiveAttribute(
            view.domain, everybody.totals, complete, total, protected=view.protected
        )
        found.append(Requirement(model, model.bind(attribute), view))
    return tuple(found)


def _require_knowledge(
    model: KnowledgeModel, view: View, knowledge: Sequence[Knowledge], sensitive: int
) -> Requirement:
    """Bind a model to what is known of the records; ``sensitive`` is the number of sensitive attributes."""
    known = known_to(model, [(own.sensitive, own.name) for own in knowledge])
    if len(known) != 1:
        raise PolicyError(
            f"{model.name}: needs to know which of {len(known)} sources is meant"
            if known
            else f"{model.name}: needs what an adversary may know of {model.sensitive!r} beforehand; say it, as in "
            "knowledge: {kernel: {bandwidth: 0.3}}"
        )
    distributions = knowledge[known[0]].distributions
    view = replace(view, knowledge=sensitive + known[0], distributions=distributions.count)
    nobody = np.zeros(view.domain.codes, np.int64)
    return Requirement(
        model, model.bind(SensitiveAttribute(view.domain, nobody, knowledge=distributions)), view
    )


def known_to(model: KnowledgeModel, named: Sequence[tuple[str, str | None]]) -> list[int]:
    """Positions of what a model that covers one column is about; all of that column where it names none.

    ``named``: sensitive column and name of every source of knowledge.
    """
    return [
        i
        for i, (sensitive, name) in enumerate(named)
        if sensitive == model.sensitive and model.knowledge in {None, name}
    ]


def one_a_source(
    models: Iterable[PrivacyModel], named: Sequence[tuple[str, str | None]]
) -> tuple[PrivacyModel, ...]:
    """Write a model about all that is known of its column as one about each; models cover one column each (see `known_to`)."""
    found: list[PrivacyModel] = []
    for model in models:
        known = known_to(model, named) if isinstance(model, KnowledgeModel) else []
        if not isinstance(model, KnowledgeModel) or not known:
            found.append(model)
            continue
        found += [replace(model, knowledge=named[i][1]) for i in known]
    return tuple(dict.fromkeys(found))


def refuse_nothing(requirements: Iterable[Requirement]) -> None:
    """Refuse guarantees that no class of these records could violate, though nobody sees it from their parameters.

    Raises `CannotBeMetError` for the first one, saying which and why.
    """
    for requirement in requirements:
        why = requirement.bound.limits_nothing()
        if why:
            raise CannotBeMetError(
                reasons=[Refusal("says nothing about these records", (requirement.subject,), why=why)]
            )


def published_values(model: SensitiveModel, sensitive: Sequence[Domain]) -> set[str]:
    """Values of the columns that a model covers, as it names them."""
    found: set[str] = set()
    for i, domain in enumerate(sensitive):
        if model.sensitive in {None, domain.name}:
            shown = _view(model, domain, i, ()).domain
            found.update(shown.labels_with("missing"))
    return found


def _refuse_unknown(model: SensitiveModel, sensitive: Sequence[Domain]) -> None:
    """Refuse a model that names values which none of its columns has."""
    if not model.named_values:
        return
    known = published_values(model, sensitive)
    unknown = sorted(model.named_values - known)
    if unknown:
        raise PolicyError(
            f"{model.name} on {model.sensitive!r}: names {quoted(unknown[0])}, which nobody has there"
            f"{suggestion(unknown[0], known)}"
        )


def require_of(
    models: Iterable[PrivacyModel], data: Microdata, original: Microdata | None = None
) -> tuple[Requirement, ...]:
    """Bind every model to the sensitive attributes of a table of records, or of individuals (`Microdata.people`).

    ``data`` are the records that are published, or thought to be; ``original`` all records, for models with
    ``reference: original`` (None: ``data``).
    """
    here, whole = (one if one.members is None else one.members.records for one in (data, original or data))
    return require(
        models,
        data.sensitive,
        here.judged_codes,
        whole.judged_codes,
        individuals=here.individuals,
        original_individuals=whole.individuals,
        knowledge=here.knowledge,
        copies=here.copies,
        original_copies=whole.copies,
    )


def _some_values(model: PrivacyModel) -> SomeValues | None:
    """How a model reads a column of which only some values need protection."""
    return model.some_values if isinstance(model, SensitiveModel) else None


def _view(model: SensitiveModel, domain: Domain, column: int, known: tuple[int, ...]) -> View:
    """Values, or groups of values, that a model looks at, and which of them need protection where not all do."""
    if domain.protected is not None and model.some_values is None:
        raise PolicyError(_not_of_some(model, domain))
    view = _groups(model, domain, column, known)
    if domain.protected is None:
        return view
    group = np.arange(domain.codes) if view.group is None else view.group
    protected = np.zeros(view.domain.codes, np.bool_)
    protected[group[domain.protected]] = True
    mixed = np.flatnonzero(protected[group] & ~domain.protected)
    if mixed.size:
        named = view.domain.name_of(int(group[mixed[0]]))
        what = f"takes {named} of {domain.name!r} for one, and values: protects only some of it"
        raise PolicyError(
            Refusal(what, (model.name,), remedy="list all of its values, or judge single values")
        )
    if model.some_values != "merged":
        return replace(view, protected=protected)
    return _merged(model, view, group, protected)


def _not_of_some(model: SensitiveModel, domain: Domain) -> Refusal:
    """Say that a model cannot hold for some values alone, and which ones can."""
    from likeness import registry

    loaded = (registry.load("models", name) for name in registry.names("models"))
    kin = [one.name for one in loaded if issubclass(one, SensitiveModel) and one.some_values is not None]
    what = f"cannot hold for some values of {domain.name!r} alone, as its values: says"
    return Refusal(what, (model.name,), remedy=f"leave values out there, or take one of {', '.join(kin)}")


def _merged(
    model: SensitiveModel, view: View, group: NDArray[np.int64], protected: NDArray[np.bool_]
) -> View:
    """Let all values that need no protection count as one, the last."""
    domain = view.domain
    if model.distance_in(domain) != "equal":
        what = f"the values of {domain.name!r} that values: leaves out have no place in an order or hierarchy"
        raise PolicyError(Refusal(what, (model.name,), remedy="say distance: equal"))
    own = np.flatnonzero(protected)
    number = np.full(domain.codes, own.size, np.int64)
    number[own] = np.arange(own.size)
    labels = np.array([*(domain.label_of(code) for code in own.tolist()), "any other"], object)
    one = replace(
        domain,
        kind="categorical",
        values=labels,
        shape="set",
        hierarchy=None,
        missing=False,
        low=0.0,
        high=float(own.size),
        distance="equal",
        categories=None,
        protected=None,
    )
    return replace(view, domain=one, group=number[group])


def _groups(model: SensitiveModel, domain: Domain, column: int, known: tuple[int, ...]) -> View:
    """Values, or groups of values, that a model looks at."""
    if model.by == "categories":
        return _by_category(model, domain, column, known)
    if model.needs_order and (domain.kind not in IN_ORDER or domain.missing):
        raise PolicyError(
            f"{model.name}: needs an order of the values of {domain.name!r}; declare it, as in categories: "
            f"{{{domain.name}: severity.csv}}, and leave by out, or kind: ordered"
        )
    level = model.group_level
    if level == 0:
        return View(column, domain, None, known)
    if domain.hierarchy is None:
        raise PolicyError(
            f"{model.name}: level {level} needs a hierarchy on the sensitive column {domain.name!r}"
        )
    if domain.shape != "tree":
        raise PolicyError(
            f"{model.name}: level {level} needs the sensitive column {domain.name!r} by its hierarchy, and it is "
            f"{domain.kind}; give it kind: hierarchical"
        )
    if level >= domain.hierarchy.height:
        raise PolicyError(
            f"{model.name}: level {level} of the hierarchy on {domain.name!r} is its root, so that all "
            f"values would be one; use at most {domain.hierarchy.height - 1}"
        )
    nodes = domain.hierarchy.ancestor_at(np.arange(domain.size), level)
    distinct, group = np.unique(nodes, return_inverse=True)
    labels = np.array([domain.hierarchy.labels[node] for node in distinct], object)
    group = group.astype(np.int64)
    if domain.missing:
        group = np.append(group, len(distinct))
    grouped = replace(domain, values=labels, kind="categorical", shape="set", hierarchy=None)
    return View(column, grouped, group, known)


def _by_category(model: SensitiveModel, domain: Domain, column: int, known: tuple[int, ...]) -> View:
    """Read values as their categories, which are as far apart as the column declares of its values."""
    categories = domain.categories
    if categories is None:
        raise PolicyError(
            f"{model.name}: judges {domain.name!r} by categories, and it has none; give them, as in categories: "
            f"{{{domain.name}: severity.csv}}"
        )
    size = len(categories.labels)
    grouped = replace(
        domain,
        kind="ordered",
        values=np.array(categories.labels, object),
        shape="interval",
        hierarchy=None,
        low=0.0,
        high=float(size - 1),
        declared=True,
        categories=None,
    )
    return View(column, grouped, domain.category_of, known)
