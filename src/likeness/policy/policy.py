"""What the steward declares: the columns, the guarantee the release must give, and how it is made.

The keys of a policy file, each with its type, its default and its meaning.

A policy in one line, and as a table for notebooks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, get_args

from pydantic import BeforeValidator, Field, PrivateAttr

from likeness.errors import PolicyError, suggestion
from likeness.pages import in_notebook
from likeness.policy.column import Column, Role
from likeness.policy.cross_checks import contradictions
from likeness.policy.files import Document, read_document, write_yaml
from likeness.policy.hierarchy import is_made
from likeness.policy.parts import plain_parts, read_knowledge, read_minimize, read_models, read_part
from likeness.policy.problems import Attempt, Declared, RefusalError, refuse_odd_keys, refused, shown, unique
from likeness.policy.sections import (
    About,
    CategoriesKey,
    EffortKey,
    Hygiene,
    Missing,
    Output,
    Records,
    Seed,
    Text,
    Withhold,
    read_categories,
    read_effort,
    read_engine,
)
from likeness.wording import columns, count, printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from likeness.forms.base import Form
    from likeness.knowledge.base import KnowledgeSource
    from likeness.methods.base import Method
    from likeness.metrics.base import Metric
    from likeness.models.base import Composition, PrivacyModel
    from likeness.policy.problems import Entry
    from likeness.policy.sections import MissingPolicy


def _method(given: Any) -> Any:
    return read_part("methods", given)


def _form(given: Any) -> Any:
    if isinstance(given, Mapping) and "recoding" in given and "name" not in given:
        given = {"name": "generalized", **given}
    return read_part("forms", given)


def _plain_dict(given: Any) -> Any:
    return dict(given) if isinstance(given, Mapping) else given


class PolicyKeys(Declared):
    """The keys of a policy file; `Policy` is what can be done with them."""

    example: ClassVar[str] = "{columns: {age: {role: quasi}}, privacy: [{model: k-anonymity, k: 5}]}"
    needed: ClassVar[Mapping[str, str]] = {
        "columns": "declare every column of the table, as in columns: {age: {role: quasi}}",
        "privacy": "say which guarantee the release must give, as in privacy: [{model: k-anonymity, k: 5}]",
    }

    columns: Annotated[
        dict[str, Annotated[Column, BeforeValidator(Column.read)]], BeforeValidator(_plain_dict)
    ] = Field(description="Every column of the table.")
    missing: Annotated[Missing, BeforeValidator(Missing.read)] = Field(
        default=Missing(), description="Which cells are missing, and what becomes of them."
    )
    individual: Text | None = Field(default=None, description="The column that names a person (1:M tables).")
    records: Annotated[Records, BeforeValidator(Records.read)] | None = Field(
        default=None, description="A second table, with the records of the people of the first."
    )
    hygiene: Annotated[Hygiene, BeforeValidator(Hygiene.read)] = Field(
        default=Hygiene(), description="What is put in order before anonymization."
    )
    weights: Text | None = Field(
        default=None,
        description="Column of survey weights: losses count people by it; estimates, too, where it is published.",
    )
    categories: Annotated[
        dict[str, Annotated[CategoriesKey, BeforeValidator(read_categories)]], BeforeValidator(_plain_dict)
    ] = Field(
        default={},
        description="Ordered categories of the values of sensitive columns, least severe first: a file, or label to values.",
    )
    knowledge: Annotated[tuple[Any, ...], BeforeValidator(read_knowledge)] = Field(
        default=(),
        description="What adversaries are taken to know beforehand: one source, or several with names.",
    )
    privacy: Annotated[tuple[Any, ...], BeforeValidator(read_models)] = Field(
        description="The guarantee: models that must all hold."
    )
    method: Annotated[Any, BeforeValidator(_method)] | None = Field(
        default=None,
        description="The method; left out: the best known one for this guarantee, found by trying those that fit.",
    )
    form: Annotated[Any, BeforeValidator(_form)] | None = Field(
        default=None, description="How the release is published; left out: what the method publishes."
    )
    withhold: Annotated[Withhold, BeforeValidator(Withhold.read)] = Field(
        default=Withhold(), description="How much may be withheld."
    )
    effort: Annotated[EffortKey, BeforeValidator(read_effort)] = Field(
        default="normal",
        description="How long to go on lowering the loss, where no method is named: quick, normal, thorough, or {seconds: 60}.",
    )
    minimize: Annotated[Any, BeforeValidator(read_minimize)] | None = Field(
        default=None, description="The metric that is lowered, where no method is named; left out: ncp."
    )
    seed: Seed | None = Field(
        default=None,
        description="Makes the release reproducible; left out: randomness from the operating system.",
    )
    engine: Annotated[Text | None, BeforeValidator(read_engine)] = Field(
        default=None,
        description="Where counting runs: memory, streaming or spark; left out: by what is given.",
    )
    about: Annotated[About, BeforeValidator(About.read)] = Field(
        default=About(), description="Title, publisher, contact and date, for the certificate."
    )
    output: Annotated[Output, BeforeValidator(Output.read)] = Field(
        default=Output(), description="How the release is written."
    )

    @classmethod
    def contradictions(cls, attempt: Attempt) -> Iterable[Entry]:
        """Find problems between the sections."""
        return contradictions(attempt.given)


UNNAMED = "*"
"""What declares the columns that a policy does not name."""


class Policy(PolicyKeys):
    """What the steward declares: the columns, the guarantee the release must give, and how it is made.

    Parameters
    ----------
    columns
        Every column of the table by name, as `identifier`, `quasi`, `sensitive`, `other` and `drop` make
        them, or as mappings of their keys; ``"*"`` stands for all that are not named.
    privacy
        A privacy model, several joined by ``&``, or a list; all must hold.
    method
        The anonymization method; None for the best known: those that fit are tried, and the least loss is kept.
    form
        How the release is published; None for what the method publishes.
    missing
        Which cells are missing, and what becomes of them.
    withhold
        How much may be withheld.
    effort
        How long to go on lowering the loss, where no method is named: ``quick`` takes the best method's classes as they are;
        ``normal``, the default, improves them by local moves, in about three times the time it took to find them;
        ``thorough`` in forty times; ``{"seconds": 60}`` for so long, and then what is found depends on the machine.
    minimize
        The metric that is lowered, where no method is named: the release that has least of it is kept, and local moves lower it.
        ``ncp``, the default, ``glm``, ``iloss`` and ``ail`` (it has least where ``ncp`` has) are 1 for who is withheld; columns
        count by their ``weight`` in them, and records by ``weights``. ``discernibility`` is about who shares a class: neither
        weights of columns nor survey weights change it, and of moves that lower it as much NCP decides. ``query-error`` is the
        error of its random queries, the same ones for every release that is compared; ``{name: query-error, predicates: 2}``
        declares others, by the metric's parameters. Moves do not see queries: they lower NCP, and what came of it is kept
        where its error is the least.
    weights
        Column of survey weights: how many people each record stands for. Information losses that are means or sums over
        records (``ncp``, ``glm``, ``iloss``, ``nloss``, ``ail``, ``gcp``, ``utility``) count every record in proportion to
        it; estimates count people where it is published (role ``other``), and records where it is not (role ``drop``).
        Searches and guarantees count records.
    seed
        Makes the release reproducible; None takes randomness from the operating system.
    engine
        Where counting runs: ``memory``, ``streaming`` or ``spark``. None for what suits the table: memory, or streaming where its
        files take more than a share of the machine's memory. For `publish`, and the command line: `anonymize` works in memory.
    about
        What the release is called, who publishes it, whom to ask and when: ``title``, ``publisher``, ``contact``, ``date``. The
        certificate tells it.
    output
        How the release is written.
    individual
        The identifier column that names a person, where people may have several records (1:M tables): classes
        then count people, and records of one person stay together. It has no pseudonym: the form
        `identity-reserved` publishes a random number of each person as ``person``.
    records
        A second table with the records of the people of the first; ``on`` is the column that ``individual``
        names, too. ``columns`` names the columns of both tables.
    hygiene
        What is put in order first, where people may have several records.
    knowledge
        What adversaries are taken to know beforehand: a source, a mapping of one, or a list of these with names.
    categories
        Ordered categories of the values of a sensitive column, by its name: the path of a file with one line a category,
        least severe first, label and values between semicolons (``Low;Flu;Headache``), or a mapping of each label to its
        values. A value in several categories counts in the highest. Models judge classes by them with ``by: categories``.

    Raises
    ------
    PolicyError
        With one line for every problem there is.

    Examples
    --------
    >>> from likeness.models.k_anonymity import KAnonymity
    >>> from likeness.policy import drop, quasi
    >>> policy = Policy(columns={"name": drop(), "age": quasi(), "sex": quasi()}, privacy=KAnonymity(5))
    >>> policy
    Policy(3 columns: 2 quasi, 1 drop; k-anonymity; best method)
    >>> policy.with_role("quasi")
    ('age', 'sex')
    """

    _folder: Path | None = PrivateAttr(default=None)

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            columns: Mapping[str, Column | Mapping[str, Any]],
            privacy: PrivacyModel
            | Composition
            | Mapping[str, Any]
            | Sequence[PrivacyModel | Composition | Mapping[str, Any]],
            method: Method | Mapping[str, Any] | str | None = None,
            form: Form | Mapping[str, Any] | str | None = None,
            missing: Missing | Mapping[str, Any] = ...,
            withhold: Withhold | Mapping[str, Any] = ...,
            effort: str | Mapping[str, float] = ...,
            minimize: Metric | Mapping[str, Any] | str | None = None,
            weights: str | None = None,
            seed: int | None = None,
            engine: str | None = None,
            about: About | Mapping[str, Any] = ...,
            output: Output | Mapping[str, Any] = ...,
            individual: str | None = None,
            records: Records | Mapping[str, Any] | None = None,
            hygiene: Hygiene | Mapping[str, Any] = ...,
            categories: Mapping[str, str | Path | Mapping[str, Sequence[str]]] = ...,
            knowledge: KnowledgeSource
            | Mapping[str, Any]
            | Sequence[KnowledgeSource | Mapping[str, Any]] = ...,
        ) -> None: ...

    else:

        def __init__(self, /, **given: Any) -> None:
            problems = self._fill(given)
            if problems:
                raise PolicyError(*map(refused, problems))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a policy file; relative paths in it are meant from its folder.

        Parameters
        ----------
        path
            YAML, or JSON when its name ends in ``.json``.

        Raises
        ------
        PolicyError
            With every problem of the file, its line first.

        Examples
        --------
        >>> Policy.load("nowhere.yaml")
        Traceback (most recent call last):
        likeness.errors.PolicyError: nowhere.yaml: there is no such policy file (nowhere.yaml)
        """
        return cls._of(read_document(path), Path(path).absolute().parent)

    @classmethod
    def from_mapping(
        cls, mapping: Mapping[str, Any], *, where: str = "", folder: str | Path | None = None
    ) -> Self:
        """Make a policy of the content of a policy file.

        Parameters
        ----------
        mapping
            Keys and values as a policy file has them.
        where
            What messages begin with, such as the file's name.
        folder
            Where relative paths are meant from; the working folder when left out.

        Raises
        ------
        PolicyError
            With every problem there is.

        Examples
        --------
        >>> Policy.from_mapping({"columns": {"age": {"role": "quasi"}}, "privcy": []}, where="policy.yaml")
        Traceback (most recent call last):
        likeness.errors.PolicyError: policy.yaml: unknown key 'privcy'; did you mean 'privacy'?
        """
        try:
            refuse_odd_keys(mapping)
        except RefusalError as problem:
            raise PolicyError(*Document(where, {}).explain(problem.entries)) from None
        return cls._of(Document(where, dict(mapping)), None if folder is None else Path(folder))

    @classmethod
    def _of(cls, document: Document, folder: Path | None) -> Self:
        """Make the policy a document holds; its messages begin with file and line."""
        policy = cls.__new__(cls)
        problems = unique((*document.problems, *policy._fill(document.content)))  # noqa: SLF001  # ours
        if problems:
            raise PolicyError(*document.explain(problems))
        policy._folder = folder  # noqa: SLF001  # ours
        return policy

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """Describe policy files in JSON Schema (draft 2020-12), with every part there is.

        Examples
        --------
        >>> schema = Policy.json_schema()
        >>> schema["required"]
        ['columns', 'privacy']
        """
        from likeness.policy.parts import policy_schema

        return policy_schema(Policy)

    @property
    def folder(self) -> Path | None:
        """Where relative paths in the policy are meant from: the folder of its file; None if it has none."""
        return self._folder

    def with_role(self, role: Role) -> tuple[str, ...]:
        """List the columns that have a role, in the order of the policy.

        Raises
        ------
        PolicyError
            When there is no such role.
        """
        if role not in get_args(Role):
            raise PolicyError(f"there is no role {role!r}{suggestion(role, get_args(Role))}")
        return tuple(name for name, column in self.columns.items() if column.role == role)

    def naming(self, names: Iterable[str]) -> Self:
        """Declare the columns of a table that the policy does not name as ``"*"`` does, which is left out then.

        Parameters
        ----------
        names
            All columns of the table.

        Examples
        --------
        >>> columns = {"age": {"role": "quasi"}, "*": {"role": "drop"}}
        >>> Policy(columns=columns, privacy={"model": "k-anonymity", "k": 5}).naming(["age", "sex"]).with_role("drop")
        ('sex',)
        """
        if UNNAMED not in self.columns:
            return self
        others = self.columns[UNNAMED]
        named = {name: column for name, column in self.columns.items() if name != UNNAMED}
        return self.replace(columns=named | {name: others for name in names if name not in named})

    def naming_method(self, method: Method) -> Self:
        """Name the method, where none was: the same as if it had been, and nothing was said of how one is to be found.

        Parameters
        ----------
        method
            The method.
        """
        return self.replace(method=method, effort=None, minimize=None)

    def missing_of(self, name: str, *, in_records: bool = False) -> Missing:
        """Say which cells of a column are missing, and what becomes of them.

        Where people may have several records, `Hygiene.no_sensitive` decides about sensitive columns, unless the
        column, or ``missing`` without it, says something itself.

        Parameters
        ----------
        name
            A column of the policy.
        in_records
            Whether it is asked about cells of the second table, which may have markers of its own.

        Examples
        --------
        >>> policy = Policy(
        ...     columns={"age": {"role": "quasi", "missing": {"policy": "drop"}}},
        ...     privacy={"model": "k-anonymity", "k": 5},
        ...     missing={"markers": ["?"]},
        ... )
        >>> policy.missing_of("age")
        Missing(markers=('?',), policy='drop')
        """
        own = self.columns[name].missing
        found = self.missing
        if in_records and self.records is not None and self.records.missing is not None:
            found = found.replace(markers=self.records.missing.markers)
        if own is not None:
            found = found.replace(**own.given())
        if (
            self.individual is None
            or self.columns[name].role != "sensitive"
            or (own is not None and own.policy is not None)
            or self.missing.policy != "error"
            or self._error_is_said
        ):
            return found
        rules: dict[str, MissingPolicy] = {"drop": "drop", "value": "category", "error": "error"}
        return found.replace(policy=rules[self.hygiene.no_sensitive])

    @property
    def _error_is_said(self) -> bool:
        """Whether the policy says in as many words that missing values are errors, and nothing nearer to the case."""
        return (
            self.missing.policy == "error"
            and "policy" in self.missing.model_fields_set
            and "no_sensitive" not in self.hygiene.model_fields_set
        )

    def in_folder(self, folder: str | Path) -> Self:
        """Take the same policy with another place that relative paths in it are meant from.

        Parameters
        ----------
        folder
            The place.

        Examples
        --------
        >>> policy = Policy(columns={"age": {"role": "quasi"}}, privacy={"model": "k-anonymity", "k": 5})
        >>> policy.in_folder("/data").folder == Path("/data")
        True
        """
        found = self.replace()
        found._folder = Path(folder)  # noqa: SLF001  # ours
        return found

    def to_mapping(self) -> dict[str, Any]:
        """Write the policy as a policy file holds it, without the defaults, as JSON can hold it.

        Raises
        ------
        PolicyError
            When something lives only in Python, such as a bound that is a function.

        Examples
        --------
        >>> Policy(columns={"age": {"role": "quasi"}}, privacy={"model": "k-anonymity", "k": 5}).to_mapping()
        {'columns': {'age': {'role': 'quasi'}}, 'privacy': [{'model': 'k-anonymity', 'k': 5}]}
        """
        found = super().to_mapping()
        found["columns"] = {name: column.to_mapping() for name, column in self.columns.items()}
        if self.individual is not None and self._error_is_said:
            # A default elsewhere; here, not saying it would leave missing sensitive values to the hygiene rules.
            found["missing"] = {**found.get("missing", {}), "policy": "error"}
        given = {
            "privacy": self.privacy,
            "method": self.method,
            "form": self.form,
            "minimize": self.minimize,
            "knowledge": self.knowledge,
        }
        return found | plain_parts(given)

    def to_yaml(self) -> str:
        """Write the policy as YAML, without the defaults; it loads back as the same policy.

        Raises
        ------
        PolicyError
            When something lives only in Python.

        Examples
        --------
        >>> policy = Policy(columns={"age": {"role": "quasi"}}, privacy={"model": "k-anonymity", "k": 5})
        >>> print(policy.to_yaml(), end="")
        columns:
          age: {role: quasi}
        privacy:
        - {model: k-anonymity, k: 5}
        """
        return write_yaml(self.to_mapping())

    def replace(self, **changes: Any) -> Self:
        """Make the same policy with other values for some keys, checked again.

        Examples
        --------
        >>> policy = Policy(columns={"age": {"role": "quasi"}}, privacy={"model": "k-anonymity", "k": 5})
        >>> policy.replace(seed=7).seed
        7
        """
        changed = super().replace(**changes)
        changed._folder = self._folder  # noqa: SLF001  # ours
        return changed

    def __eq__(self, other: object) -> bool:
        """Whether two policies declare the same, wherever their files lie."""
        return isinstance(other, Policy) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Columns by role, the guarantee, and the method."""
        return f"Policy({summarise(self)})"

    _repr_pretty_ = printed

    def __str__(self) -> str:
        """Write a line for each column and model, and for what else is said."""
        return "\n".join(_lines(self))

    def _repr_html_(self) -> str:
        """One row a column, for notebooks."""
        rows = [(name, column.role, _details(column)) for name, column in self.columns.items()]
        return in_notebook(summarise(self), head=("column", "role", ""), rows=rows)


def summarise(policy: Policy) -> str:
    """Say columns by role, the guarantee, and the method: ``1 column: 1 quasi; k-anonymity; best method``."""
    roles = Counter(column.role for column in policy.columns.values())
    counts = ", ".join(f"{roles[role]} {role}" for role in get_args(Role) if roles[role])
    models = " & ".join(model.name for model in policy.privacy)
    method = policy.method.name if policy.method else "best method"
    return f"{count(len(policy.columns), 'column')}: {counts}; {models}; {method}"


def _lines(policy: Policy) -> list[str]:
    """Write a policy for a terminal: title, columns, models, and what else differs from the defaults."""
    own = [(name, column.role, _details(column)) for name, column in policy.columns.items()]
    others = {key: value for key, value in policy.given().items() if key not in {"columns", "privacy"}}
    return [
        f"Policy: {summarise(policy)}",
        *columns([("column", "role", ""), *own]),
        "privacy",
        *(f"  {model!r}" for model in policy.privacy),
        *(f"{key}: {shown(value)}" for key, value in others.items()),
    ]


def _details(column: Column) -> str:
    """Say what is declared beside the role, in short."""
    given = {key: value for key, value in column.to_mapping().items() if key != "role"}
    if is_made(column.hierarchy):
        given["hierarchy"] = column.hierarchy
    return ", ".join(f"{key}: {shown(value)}" for key, value in given.items())


def as_policy(policy: Policy | Mapping[str, Any] | str | Path) -> Policy:
    """Take a policy in any of its forms."""
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, str | Path):
        return Policy.load(Path(policy))
    return Policy.from_mapping(policy)
