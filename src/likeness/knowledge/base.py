"""What every source of knowledge is: it says of every record how likely an adversary thinks each sensitive value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, suggestion
from likeness.microdata.knowledge import Knowledge
from likeness.models.base import is_name
from likeness.wording import count, nouns, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.encode import Encoded
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.policy import Policy
    from likeness.progress import Progress

MOST_CELLS = 1 << 28
"""Shares that the distinct distributions of one source may have together: two gigabytes of them."""


@dataclass(frozen=True, eq=False)
class Subject:
    """Whom and what knowledge is about.

    Parameters
    ----------
    encoded
        The table, encoded.
    policy
        What the columns mean; files that a source names lie in its folder.
    column
        Position of the sensitive attribute.
    counted
        What a source had to do of itself, and how often; it adds to that.
    """

    encoded: Encoded
    policy: Policy
    column: int
    counted: dict[str, int] = field(default_factory=dict)

    @property
    def data(self) -> Microdata:
        """The records."""
        return self.encoded.data

    @property
    def domain(self) -> Domain:
        """The sensitive attribute."""
        return self.data.sensitive[self.column]

    @property
    def codes(self) -> NDArray[np.int32]:
        """(n,) Sensitive code of each record."""
        return np.asarray(self.data.sensitive_codes[self.column])

    @property
    def totals(self) -> NDArray[np.float64]:
        """(m,) How many records have each value."""
        return np.bincount(self.codes, minlength=self.domain.codes).astype(np.float64)

    def original_name(self, published: str) -> str:
        """Name that the table and its policy have for a column."""
        renamed = {shown: name for name, shown in self.encoded.renamed.items()}
        return renamed.get(published, published)

    def find_quasi(self, names: Iterable[str], where: str) -> list[int]:
        """Positions of quasi-identifiers that a policy names; `PolicyError`, from ``where``, for any that is none."""
        known = [domain.name for domain in self.data.quasi]
        found = []
        for name in names:
            shown = self.encoded.published_name(name)
            if shown not in known:
                raise PolicyError(
                    f"{where}: {quoted(name)} is not a quasi-identifier{suggestion(name, known)}"
                )
            found.append(known.index(shown))
        return found


@dataclass(frozen=True, kw_only=True)
class KnowledgeSource(ABC):
    """Where an adversary's knowledge of one sensitive column comes from.

    Parameters
    ----------
    called
        What models and reports call it, where a policy has several, a word: the key ``name`` in policies.
    sensitive
        The sensitive column it is about; may be left out where there is one.
    """

    called: str | None = None
    sensitive: str | None = None

    name: ClassVar[str]
    main: ClassVar[str] = ""
    """The parameter that a policy may give alone, as in ``table: morbidity.csv``."""

    def __post_init__(self) -> None:
        if self.called is not None and not is_name(self.called):
            raise PolicyError(
                f"{self.name}: its name must be a word of letters, digits, hyphens, dots, underscores; got {quoted(self.called)}"
            )

    @abstractmethod
    def shares(self, subject: Subject) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Learn distributions.

        Parameters
        ----------
        subject
            Whom and what it is about.

        Returns
        -------
        shares : (u, m) float64
            Distributions over the codes of the sensitive attribute, not negative, each with a positive sum.
        of : (n,) int64
            Which of them each record has.

        Raises
        ------
        PolicyError, TableError
            When the source does not say it of every record.
        """

    @property
    def facts(self) -> dict[str, Any]:
        """Parameters as a certificate may tell them: no files, and nothing learnt from them."""
        return {}

    def meaning(self, subject: Subject) -> Iterator[tuple[str, str]]:  # noqa: ARG002  # most have none by column
        """Say of quasi-identifiers what the parameters mean there: name and words, for whoever has the table.

        Parameters
        ----------
        subject
            Whom and what it is about.
        """
        return iter(())

    @classmethod
    def check_facts(cls, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Write the `facts` of a certificate as this source writes them; `LikenessError` or `ValueError` where it has no such."""
        if facts:
            raise ValueError(f"{cls.name} tells no parameters")
        return {}

    @classmethod
    @abstractmethod
    def told(cls, facts: Mapping[str, Any]) -> str:
        """Say in words what the adversary knows, as what follows "the adversary is taken to know"."""


def learn(
    encoded: Encoded,
    policy: Policy,
    progress: Progress | None = None,
    sources: Sequence[KnowledgeSource] | None = None,
) -> Encoded:
    """Find out what adversaries know of every record, as a policy says; the table as it is where it says nothing.

    ``progress`` hears what sources had to do of themselves. ``sources``: what they know instead of what the policy says.

    Raises `PolicyError` where no model uses what the policy says, people may have several records, or a source is about no
    sensitive column; and what the sources raise.
    """
    asked = policy.knowledge if sources is None else sources
    if not asked:
        return encoded
    if sources is None and not any(model.needs_knowledge for model in policy.privacy):
        raise PolicyError(
            "knowledge: no model in privacy uses it; add one, such as {model: js-background, j: 0.3}, or leave it out"
        )
    if encoded.data.individuals is not None:
        raise PolicyError(
            "knowledge: is about tables with one record a person; leave knowledge and the models about it out, or individual"
        )
    columns = [domain.name for domain in encoded.data.sensitive]
    found = []
    for source in asked:
        wanted = source.sensitive if source.sensitive is None else encoded.published_name(source.sensitive)
        if wanted is None and len(columns) != 1:
            raise PolicyError(
                f"knowledge: {source.name}: say which sensitive column it is about, as in sensitive: {(*columns, '…')[0]}"
            )
        if wanted is not None and wanted not in columns:
            raise PolicyError(
                f"knowledge: {source.name}: {quoted(wanted)} is not a sensitive column{suggestion(wanted, columns)}"
            )
        subject = Subject(encoded, policy, 0 if wanted is None else columns.index(wanted))
        shares, of = source.shares(subject)
        found.append(Knowledge.from_shares(subject.domain, shares, of, source.called))
        for what, number in subject.counted.items():
            if number and progress is not None:
                progress.note(f"knowledge: {source.name}: {_COUNTED[what](number)}")
    return replace(encoded, data=replace(encoded.data, knowledge=tuple(found)))


def _unlike(number: int) -> str:
    return (
        f"{count(number, 'record')} of the table could be nobody there; {nouns(number, 'it is', 'they are')} believed to have "
        "what everybody has there"
    )


def _scaled(number: int) -> str:
    return f"the shares of {count(number, 'cell')} sum to nearly 1; they were scaled to 1"


def _contradicted(number: int) -> str:
    return (
        f"{count(number, 'record')} {nouns(number, 'has', 'have')} a past after which nothing that the prior knows is possible; "
        f"{nouns(number, 'it is', 'they are')} believed to have what the prior says"
    )


UNLIKE, SCALED, CONTRADICTED = "unlike", "scaled", "contradicted"
_COUNTED = {UNLIKE: _unlike, SCALED: _scaled, CONTRADICTED: _contradicted}
"""What sources do of themselves (`Subject.counted`), in words."""


def path_of(source: str, key: str, given: Any) -> str:
    """Take a path as a text; `PolicyError` where it is none."""
    if not isinstance(given, str | PathLike) or not str(given):
        raise PolicyError(f"{source}: {key} must be the path of a file; got {quoted(given)}")
    return str(given)


def certified(encoded: Encoded, policy: Policy) -> tuple[dict[str, Any], ...]:
    """What a certificate tells of the knowledge of a table, as `learn` found it: from where, never what."""
    return tuple(
        {"source": source.name, "sensitive": own.sensitive, "parameters": source.facts}
        | ({} if own.name is None else {"name": own.name})
        for source, own in zip(policy.knowledge, encoded.data.knowledge, strict=True)
    )


def refuse_size(source: KnowledgeSource, distributions: int, values: int) -> None:
    """Refuse more distributions than fit the memory."""
    if distributions * values > MOST_CELLS:
        raise PolicyError(
            f"knowledge: {source.name}: {distributions:,} distributions of {values:,} values each do not fit; "
            "group the sensitive values, or coarsen quasi-identifiers"
        )
