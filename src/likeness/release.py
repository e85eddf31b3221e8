"""A release: published tables, their certificate, and, while the steward works with it, where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.attacks.base import Attack, AttackResults, Held, Making
from likeness.checks import choice
from likeness.errors import InvalidError, LikenessError, OutputError, PolicyError, Refusal
from likeness.exact import rational
from likeness.metrics.base import Evaluation
from likeness.microdata.individuals import rows_of
from likeness.microdata.regions import LOSSES
from likeness.pages import in_notebook
from likeness.proving.proof import Verdict, as_published, prove
from likeness.queries.query import Query
from likeness.tables import build, in_own_type
from likeness.wording import count, quoted, shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from likeness.attacks.base import AttackResult
    from likeness.bounds import Bound
    from likeness.choosing import Candidate
    from likeness.dossier.base import Dossier
    from likeness.encode import Encoded
    from likeness.folder.ledger import Ledger
    from likeness.forms.base import Publication
    from likeness.methods.base import Method
    from likeness.metrics.base import Metric
    from likeness.metrics.measuring import Measurements
    from likeness.microdata.data import Microdata
    from likeness.policy import Policy
    from likeness.proving.certificate import Certificate
    from likeness.report.finding import Finding
    from likeness.report.pictures import Plots
    from likeness.risk.summary import Risk
    from likeness.solve import Solution
    from likeness.tables import EncodedColumn, Labelled


HIDDEN = (
    "without private/ nobody knows which record is in which class; open or measure the release folder itself"
)
"""What is said of ``public/`` beside its original."""


def database_names(name: str, tables: Collection[str]) -> tuple[str, ...]:
    """Name the tables of a release in a database.

    >>> database_names("patients", ["release"]), database_names("patients", ["quasi", "sensitive"])
    (('patients',), ('patients_quasi', 'patients_sensitive'))
    """
    return (name,) if len(tables) == 1 else tuple(f"{name}_{table}" for table in tables)


@dataclass(frozen=True, eq=False)
class Private:
    """What only the steward has: the original, the plan, the randomness.

    ``rows``: table name to the record each published row was made from.
    ``entropy``: what the random numbers were made from (`likeness.randomness.entropy_of`).
    ``candidates``: the methods that could have made it, and what became of them, where the policy names none.
    ``ledger``: what was published of the same people before, where that is kept.
    ``kept``: of an opened release, the policy with what its files of hierarchies and categories said when it was made.
    """

    encoded: Encoded
    policy: Policy
    method: Method
    solution: Solution
    rows: dict[str, NDArray[np.int64]]
    entropy: int
    candidates: tuple[Candidate, ...] = ()
    ledger: Ledger | None = None
    kept: Policy | None = None

    @property
    def policy_for_others(self) -> Policy:
        """The policy by which other tables are read as the original was, wherever the files are that it names."""
        return self.policy if self.kept is None else self.kept

    def prove(self, publication: Publication) -> Verdict:
        """Prove what was asked of what was published, with what only the steward knows."""
        data, people = self.encoded.data, self.encoded.data.individuals
        # A table without columns has no rows either; writing such a release is refused.
        several = people is not None and publication.size > 0
        rows = next(iter(self.rows.values()), None)
        individuals = people[rows] if people is not None and several and rows is not None else None
        values = None
        if publication.rows is not None and rows is not None:
            kept = self.solution.plan.published
            individuals, values = rows_of(data, rows)[kept], data.sensitive_codes[:, kept]
        found = prove(
            publication,
            as_published(self.encoded.name_models(self.policy.privacy), publication),
            data,
            several=several,
            invented=rows < 0 if self.solution.plan.added is not None and rows is not None else None,
            individuals=individuals,
            values=values,
            knowledge=[own.take(rows) for own in data.knowledge if rows is not None],
        )
        if self.ledger is None or rows is None:
            return found
        over_time = self.ledger.check(self.encoded, publication, rows)
        if isinstance(over_time, Refusal):
            return replace(found, refusals=(*found.refusals, over_time))
        return replace(found, statements=(*found.statements, over_time))


class Release:
    """A proven release.

    Made by `likeness.anonymize`, or by `likeness.open_release` from a folder; opened beside its original, it is the release that
    was written. Writing, pickling or showing it never carries
    the original along.

    Attributes
    ----------
    certificate : Certificate
        What was proven.
    """

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Labelled | EncodedColumn]],
        certificate: Certificate,
        publication: Publication,
        verdict: Verdict,
        private: Private | None = None,
        original: Encoded | None = None,
    ) -> None:
        self._tables = {name: dict(table) for name, table in tables.items()}
        self.certificate = certificate
        self._publication = publication
        self._verdict = verdict
        self._private = private
        self._original = original if private is None else private.encoded

    @property
    def columns(self) -> dict[str, dict[str, Labelled | EncodedColumn]]:
        """Published tables as columns of codes and labels."""
        return self._tables

    @property
    def publication(self) -> Publication:
        """The published tables, understood from their texts."""
        return self._publication

    @property
    def verdict(self) -> Verdict:
        """What was proven when this release was made or opened."""
        return self._verdict

    @property
    def private(self) -> Private:
        """What only the steward has.

        Raises
        ------
        LikenessError
            When this release was opened without its original or without ``private/``, or was pickled.
        """
        if self._private is None:
            self._know_original()
            raise InvalidError(HIDDEN)
        return self._private

    def _know_original(self) -> Encoded:
        """Take the original, encoded; refuse what needs it where it is not known."""
        if self._original is None:
            raise LikenessError(
                "this needs the original table, and this release no longer knows it; use the release that anonymize returned, or "
                "the commands likeness measure and likeness attack with --original, or open its folder beside it: "
                "open_release(folder, original=…)"
            )
        return self._original

    @cached_property
    def tables(self) -> dict[str, Any]:
        """Published tables as frames of the library the original came in.

        Columns keep their order, labels and types (categories, truth values, times, narrow and nullable numbers, types of
        Arrow in pandas), apart from the categories that nobody has who is published. Changed are: regions, sets of values and
        whatever else the original has no cell for, which are texts (of numbers: numbers); days where a time of day was left out;
        and texts that hold numbers or days, which become numbers and days. A pandas index is kept: it tells which row of the
        original a row was made from, so it is for the steward only, and is never written.

        A DuckDB relation comes back as a relation of its connection (as a polars frame where that is closed, or does not look
        for variables of Python); pyarrow's readers as pyarrow tables, and all else that gives an Arrow stream as polars frames.
        """
        if self._private is None:
            import polars as pl

            from likeness.tables import read

            like = read(pl.DataFrame({"any": [0]}))
            return {name: build(like, columns) for name, columns in self._tables.items()}
        original = self._private.encoded
        frames = {}
        for name, columns in self._tables.items():
            rows = self._private.rows.get(name)
            index = None if rows is None or (rows < 0).any() else original.data.rows[rows]
            shown: dict[str, Any] = dict(columns)
            for fresh, own in self._exact.items():
                if fresh not in columns:
                    continue
                if index is not None and original.roles[own] == "other":
                    shown[fresh] = original.table.column(own, index)
                else:
                    kept = in_own_type(original.table, own, columns[fresh])
                    shown[fresh] = columns[fresh] if kept is None else kept
            frames[name] = build(original.table, shown, index)
        return frames

    @property
    def _exact(self) -> dict[str, str]:
        """Columns of single values, by the names they are published under, and what they are called in the original."""
        original = self._know_original()
        quasi = ["quasi"] if self.certificate.make_form().publishes_exactly else []
        return {
            original.published_name(own): own
            for role in ("sensitive", "other", *quasi)
            for own in original.with_role(role)
        }

    @property
    def table(self) -> Any:
        """The published table (the first one, in forms that publish two).

        Drop a pandas index before you hand it out: it tells whose row is whose (see `tables`).
        """
        return next(iter(self.tables.values()))

    def verify(self) -> Verdict:
        """Prove the guarantee again, from the published texts.

        Returns
        -------
        Verdict
        """
        if self._private is None:
            several = self.certificate.individuals is not None
            return prove(
                self._publication,
                self.certificate.make_models(),
                several=several,
                noise=self.certificate.noise,
            )
        return self._private.prove(self._publication)

    @cached_property
    def evaluation(self) -> Evaluation:
        """What metrics measure; it remembers what was measured."""
        private = self.private
        solution = private.solution
        return Evaluation(private.encoded.data, solution.plan, solution.recoding, self._publication)

    @property
    def plot(self) -> Plots:
        """The pictures of the report, each an Altair chart (``pip install 'likeness[plot]'``).

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
        >>> release.plot.class_sizes().to_dict()["title"]
        'Class sizes'
        """
        from likeness.report.pictures import Plots

        return Plots(self)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What to look at before it is handed out: codes and figures, each a sentence when written as text.

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "flu"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
        >>> [(found.code, dict(found.facts)) for found in release.warnings][0]
        ('one-value-for-everybody', {'column': 'disease', 'records': 2})
        """
        return tuple(found for found in self.findings if found.warned)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The `warnings`, and what is merely said: what perturbing keeps, how many people stand in several records."""
        from likeness.report.warned import findings_of

        return findings_of(self)

    @property
    def counts(self) -> dict[str, Any]:
        """What became of every record of the original: ``input`` = ``published`` - ``added`` + ``withheld`` + ``dropped``.

        Those withheld and dropped by reason; added are rows of people without records, and records that nobody is
        (``invented`` of them, where there are any).

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1).counts
        {'input': 2, 'published': 2, 'withheld': {}, 'dropped': {}, 'added': 0}
        """
        from likeness.folder.class_map import counts_of

        return counts_of(self)

    @property
    def individual_counts(self) -> dict[str, int] | None:
        """What became of every individual of the original; None where every record is another person's.

        Beside ``input``, ``published``, ``withheld`` and ``dropped``, where there are any: those ``without_records`` in the
        second table, and those whose records differ in a quasi-identifier, under the rule they are published by
        (``differing_hull``, ``differing_first``, ``differing_mode``).
        """
        hygiene = self.private.encoded.hygiene
        if hygiene is None:
            return None
        shown = self.certificate.individuals
        # Where one record is left of everybody, records are people.
        published = int(self.private.solution.plan.published.sum()) if shown is None else shown
        withheld, dropped = hygiene.people - published, hygiene.individuals_dropped
        found = {
            "input": hygiene.people_before,
            "published": published,
            "withheld": withheld,
            "dropped": dropped,
        }
        if hygiene.without_records:
            found["without_records"] = hygiene.without_records
        return found | (
            {f"differing_{hygiene.inconsistent_rule}": hygiene.inconsistent} if hygiene.inconsistent else {}
        )

    def loss(self, *metrics: Metric | str) -> Measurements:
        """Measure the information loss; what was measured before is not measured again.

        Parameters
        ----------
        *metrics
            Metrics, or their names; all that apply when left out. A name of what is measured against a guarantee (``c-avg``,
            ``vulnerable-classes``) stands for that of the policy, as in the report.

        Returns
        -------
        Measurements
            A dict of metric name to value; a metric given with parameters goes by how it is written, such as ``CAvg(k=5)``. Its
            ``details`` tell how a value was measured, ``notes`` what of that changes how it is to be read (fewer queries asked
            than wanted), ``skipped`` why other metrics do not apply.

        Raises
        ------
        PolicyError
            When there is no such metric, or it does not apply.
        """
        from likeness.metrics.measuring import measure, measured_name

        private = self.private
        wanted = {measured_name(own): None if isinstance(own, str) else own for own in metrics}
        return measure(self.evaluation, private.encoded.name_models(private.policy.privacy), wanted)

    def lower_bound(self, loss: str = "ncp") -> Bound:
        """Find a loss per record, 1 for each withheld, that no release of this table under its policy falls below.

        Parameters
        ----------
        loss
            The loss of a cell: ``ncp``, ``glm`` or ``iloss``.

        Returns
        -------
        Bound
            Its ``value`` and how it was found; found once, the first time it is asked for, patiently unless the policy's effort
            is ``quick``.

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 30, 39], "disease": ["flu", "cold", "flu"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
        >>> round(release.lower_bound().value, 3), release.loss("ncp")["ncp"]
        (0.667, 1.0)
        """
        from likeness.bounds import lower_bound

        loss = choice("lower_bound", "loss", loss, tuple(LOSSES))
        private = self.private
        data, plan = private.encoded.data, private.solution.plan
        policy = private.policy
        whole = plan.buckets is None and plan.mechanism is None and plan.added is None
        return self.evaluation.once(
            ("lower bound", loss),
            lambda: lower_bound(
                data,
                private.encoded.name_models(policy.privacy),
                loss,
                int(rational(policy.withhold.at_most) * data.size),
                of_values=whole,
                patient=policy.effort != "quick",
            ),
        )

    def bounds(self, metrics: Mapping[str, Metric]) -> dict[str, tuple[Bound, float, int]]:
        """Take the lower bound of each metric that has one, with what this release loses on the same scale.

        There every withheld record loses 1, which metrics need not charge: how many these are stands behind it.

        Parameters
        ----------
        metrics
            Name to metric, as in `Measurements.metrics`.
        """
        from likeness.metrics.base import mean_loss

        return {
            name: (
                self.lower_bound(loss),
                mean_loss(self.evaluation, loss, charge_withheld=True),
                self._withheld,
            )
            for name, metric in metrics.items()
            if (loss := metric.bounded) is not None
        }

    @property
    def _withheld(self) -> int:
        """How many records are withheld."""
        evaluation = self.evaluation
        return evaluation.data.count_records(~evaluation.plan.published)

    def measure(self, *metrics: Metric | str) -> dict[str, Any]:
        """Measure as ``likeness measure --format json`` does: the `loss`, how each value is to be read, and what is kept.

        Parameters
        ----------
        *metrics
            As for `loss`.

        Returns
        -------
        dict
            ``records``, ``withheld`` ones among them, ``classes``; ``metrics``: name to ``value``, ``range``,
            ``lower_is_better``, how ``withheld`` records count, ``details`` and a ``note`` where there are any, and a
            ``lower_bound`` with the ``gap`` to it, every withheld record charged 1 (``charged_withheld``), of metrics
            that have one (see `lower_bound`); what is ``kept``, in words; and why others were ``skipped``.

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
        >>> release.measure("ncp")["metrics"]["ncp"]["value"]
        1.0
        """
        from likeness.report.finding import kept_findings

        found = self.loss(*metrics)
        told = found.to_json()
        for name, (bound, loss, withheld) in self.bounds(found.metrics).items():
            told["metrics"][name]["lower_bound"] = bound.to_json(loss, withheld)
        return {
            "records": self.evaluation.data.size,
            "withheld": self._withheld,
            "classes": self.evaluation.recoding.classes,
            **told,
            "kept": [str(one) for one in kept_findings(self.evaluation)],
            "skipped": found.skipped,
        }

    def report(self) -> str:
        """Write the report that ``private/`` holds: a page of HTML for the steward alone.

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
        >>> release.report()[:15]
        '<!DOCTYPE html>'
        """
        from likeness.folder.writing import report_of

        return report_of(self)

    def attack(self, attack: Attack | str, knowledge: Any = None) -> AttackResult:
        """Attack the release with what the adversary of an attack knows.

        Parameters
        ----------
        attack
            An attack, or its name.
        knowledge
            What the adversary knows beforehand, instead of what the policy says: one source or a list, as a policy has them, or
            a file that has the key ``knowledge``. For attacks of such adversaries (``takes_knowledge``).

        Raises
        ------
        PolicyError
            When there is no such attack, it is not defined for the release, or its adversary takes no knowledge.
        """
        if not isinstance(attack, Attack | str):
            what = (
                "must be one, as its name such as 'linkage' or an object such as LinkageAttack(targets=100)"
            )
            raise PolicyError(f"attack: {what}; attack_all runs all; got {quoted(attack)}")
        made: Attack = registry.create("attacks", attack, {}) if isinstance(attack, str) else attack
        self._know_original()
        made = made.informed(self._held(), _read_earlier)
        if knowledge is None:
            return made.run(self._publication, self._know_original().data, self._making)
        if not made.takes_knowledge:
            able = [
                name for name in registry.names("attacks") if registry.load("attacks", name).takes_knowledge
            ]
            raise PolicyError(f"{made.name}: takes no knowledge; attacks that do: {', '.join(able)}")
        return made.run(self._publication, self._believing(knowledge), self._making)

    def attack_all(self, knowledge: Any = None, earlier: Any = (), on: str | None = None) -> AttackResults:
        """Attack the release with every attack that is defined for it.

        Parameters
        ----------
        knowledge
            What adversaries know beforehand, for attacks that take it (see `attack`).
        earlier
            Earlier releases of the same people, for attacks that put releases together (see `likeness.CompositionAttack`).
        on
            The identifier by which their adversary finds people in all originals; None: none.

        Returns
        -------
        AttackResults
            A dict of attack name to `AttackResult`; its ``skipped`` tells why the others are not defined for this release.

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> found = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1).attack_all()
        >>> found["linkage"].success, found.skipped["categorical-similarity"][:48]
        (0.5, "categorical-similarity: needs categories of 'dis")
        """
        found = AttackResults()
        for name in registry.names("attacks"):
            own = registry.load("attacks", name)
            made = registry.create(
                "attacks", name, {"earlier": earlier, "on": on} if own.takes_earlier else {}
            )
            try:
                found[name] = self.attack(made, knowledge if own.takes_knowledge else None)
            except PolicyError as problem:
                found.refusals[name] = problem.refusals
        return found

    def _held(self) -> Held:
        """Give it as whoever has it has it: with its original, and whose row is whose, where these are known."""
        rows = None if self._private is None else next(iter(self._private.rows.values()), None)
        return Held(self._publication, self._original, rows)

    def risk(
        self,
        *,
        population: Any = None,
        sampling_fraction: float | None = None,
        control: Any = None,
        thresholds: Sequence[float | str] = (0.09, 0.05),
        targets: int | None = 2_000,
        seed: int = 0,
        attacks: bool = True,
    ) -> Risk:
        """Find the risk in the words of those who ask: prosecutor, journalist, marketer, k-map, presence, WP216's three, attacks.

        Parameters
        ----------
        population
            A table of the population that the people are from, with the quasi-identifiers: a frame, a path, or what
            `likeness.read` returned. Chances of people who are not known to be in the release are then counted in it.
        sampling_fraction
            Instead of it, how large a share of the population the original is, drawn at random: then they are estimated, by
            mixtures of latent classes, and beside them by the usual models.
        control
            A table of people like those in the original who are not in it, with its quasi-identifiers and sensitive columns: what
            attacks achieve on them is the baseline of singling out, linkability and inference (see `likeness.hold_out`).
        thresholds
            Of chances: the share of people above each is told. 0.09 (read as one in eleven) is that of the European Medicines
            Agency and Health Canada.
        targets
            How many people singling out, linkability and inference are tried on, drawn at random; None: all.
        seed
            Which ones are drawn.
        attacks
            Run every attack that is defined for the release, too (see `attack_all`).

        Returns
        -------
        Risk
            ``print`` it, or take its attributes; ``to_json`` has all of it, but not ``highest``, who carries most risk.

        Raises
        ------
        PolicyError
            When something is out of range, or a population or control cannot be looked at.

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39, 60, 64], "disease": ["flu", "cold", "flu", "flu"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
        >>> found = release.risk(population=pl.DataFrame({"age": [30, 35, 38, 39, 60, 61, 64, 70]}))
        >>> found.prosecutor.maximum, found.population.journalist.maximum, found.population.smallest
        (0.5, 0.3333333333333333, 3)
        """
        from likeness.risk.summary import RiskQuestion, find_risk
        from likeness.tables import read, read_beside

        if isinstance(thresholds, str) or not isinstance(thresholds, Iterable):
            raise PolicyError(f"risk: thresholds must be a list, such as [0.09]; got {quoted(thresholds)}")
        private = self._private
        read_as = read if private is None else partial(read_beside, other=private.encoded.table)
        question = RiskQuestion(
            None if population is None else read_as(population),
            sampling_fraction,
            None if control is None else read_as(control),
            tuple(thresholds),
            targets,
            seed,
        )
        question.check()
        return find_risk(
            self._publication,
            self._know_original(),
            None if private is None else private.policy_for_others,
            None if private is None else private.solution.plan,
            self.attack_all() if attacks else {},
            question,
        )

    def dossier(self, kind: str, risk: Risk | None = None) -> Dossier:
        """Fill in the document that an agency asks for: each figure with its place, each open question left open. Private.

        Parameters
        ----------
        kind
            ``ema``, ``hipaa``, ``27559``, ``800-188`` or ``wp216``.
        risk
            What `risk` found, with a population and a control where these are known; without them when left out.

        Returns
        -------
        Dossier
            Its ``to_html`` and ``write_docx`` write it.

        Raises
        ------
        PolicyError
            When there is no such kind.

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39, 60, 64], "disease": ["flu", "cold", "flu", "flu"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
        >>> found = release.dossier("wp216")
        >>> [fact.source for fact in found.facts if fact.label == "k-anonymity: measured"], len(found.open_questions)
        (['public/certificate.json#/guarantee/0/measured'], 11)
        """
        import json

        from likeness.dossier.base import AUDIT, CERTIFICATE, RISK, Documents, make_dossier, refuse_unknown
        from likeness.folder.audit import plain_policy

        refuse_unknown(kind)
        private = self.private
        made = registry.parameters(private.method)
        audit = {
            "policy": plain_policy(private.policy, self.certificate, private.encoded.renamed),
            "method": {"name": private.method.name, **made},
            "counts": self.counts,
            "metrics": dict(self.loss()),
        }
        found = self.risk() if risk is None else risk
        documents = {
            CERTIFICATE: json.loads(self.certificate.to_json()),
            AUDIT: audit,
            RISK: found.to_json(),
        }
        return make_dossier(kind, Documents(documents))

    def _believing(self, knowledge: Any) -> Microdata:
        """Take the original records with what somebody else knows of them beforehand."""
        from likeness.knowledge.base import learn
        from likeness.policy.parts import load_knowledge, read_knowledge

        policy = self.private.policy
        if isinstance(knowledge, str | Path):
            policy = policy.in_folder(Path(knowledge).absolute().parent)
            sources = load_knowledge(knowledge)
        else:
            sources = read_knowledge(knowledge)
        return learn(self.private.encoded, policy, sources=sources).data

    @property
    def _making(self) -> Making | None:
        """How it was made; None where the steward's files are not at hand."""
        if self._private is None:
            return None
        solution = self._private.solution
        return Making(self._private.method, solution.requirements, solution.plan)

    def estimate(self, query: Query | Mapping[str, Any]) -> float:
        """Estimate how many records meet conditions, or a sum or mean of theirs, from what was published.

        Parameters
        ----------
        query
            A `Query`, or column to condition: a pair ``(low, high)`` or a collection of values.

        Returns
        -------
        float
            NaN for the mean over no record.

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
        >>> release.estimate({"age": (30, 34), "disease": {"flu"}})
        0.5
        >>> release.estimate(lk.Query({"disease": {"flu"}}, "avg", of="age"))
        34.5
        """
        return self._publication.estimate(query if isinstance(query, Query) else Query(query))

    def reconstruct(self, query: Query | Mapping[str, Any], variant: str | None = None) -> dict[str, float]:
        """Estimate how many of the records that meet conditions have each original sensitive value.

        Parameters
        ----------
        query
            A `Query`, or column to condition, as in `estimate`; a condition on the sensitive column chooses which
            values are returned.
        variant
            ``plain`` (unbiased, may be negative), ``clipped``, ``simplex`` or ``bayes``; the one the form names when
            left out (see `Mechanism.reconstruct`).

        Returns
        -------
        dict
            Value to estimated number of records.

        Raises
        ------
        PolicyError
            When this release is not perturbed: no matrix PM was published, and values are as they are.

        Examples
        --------
        >>> import polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39] * 50, "disease": (["flu"] * 3 + ["cold"] * 2) * 20})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> asked = lk.Policy(columns=columns, privacy=lk.BetaLikeness(1), method={"name": "perturbation"})
        >>> found = lk.anonymize(table, asked).reconstruct({"age": (30, 34)}, "bayes")
        >>> list(found), round(sum(found.values()))
        (['cold', 'flu'], 50)
        """
        return self._publication.reconstructed(query if isinstance(query, Query) else Query(query), variant)

    def posterior(self, target: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """What an adversary who knows a target's quasi-identifiers believes about its sensitive values.

        Parameters
        ----------
        target
            Quasi-identifier values by column.

        Raises
        ------
        PolicyError
            When no values by column are given.
        """
        if not isinstance(target, Mapping):
            what = "must give values of quasi-identifiers by column, as in {'age': 34}"
            raise PolicyError(f"posterior: {what}; got {shortened(repr(target))}")
        return self._publication.posterior(target)

    def write(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the release folder, prove it from its own bytes, then put it in place.

        Parameters
        ----------
        folder
            Where; must not exist unless ``overwrite``.
        overwrite
            Replace an existing release folder.

        Raises
        ------
        OutputError
            When it cannot be written or already exists.
        VerificationError
            When the bytes do not prove the guarantee; nothing is left behind.
        """
        from likeness.folder import write_folder

        return write_folder(self, folder, overwrite=overwrite)

    def to_database(self, url: str, table: str, *, overwrite: bool = False) -> tuple[str, ...]:
        """Put the published tables into a database, prove inside the transaction that it holds their rows, then commit.

        What is read back must be, text for text and in any order, the rows that were proven. Rows stand in random order, empty
        cells are NULL; columns of whole numbers, numbers, days, truth values and points in time have such types, all others are
        texts, as in the files.

        Parameters
        ----------
        url
            Of the database: ``sqlite:///research.db``, which is made where it is not there, or ``postgresql://…``
            (``pip install 'likeness[database]'``).
        table
            What the table is called there, behind a schema in PostgreSQL if one is meant (``open.patients``); of a release of
            several tables each gets this name, an underscore and its own: ``patients_quasi``, ``patients_sensitive``.
        overwrite
            Replace tables of these names; their rights and indices are dropped with them.

        Returns
        -------
        tuple of str
            The names of the tables.

        Raises
        ------
        OutputError
            When it cannot be written, or a table is there already, or it is the one that the release was made from, which is not
            replaced; the database is as it was.
        VerificationError
            When the database does not give the published rows back; it is as it was.

        Examples
        --------
        >>> import tempfile, polars as pl, likeness as lk
        >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
        >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
        >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
        >>> folder = tempfile.TemporaryDirectory()
        >>> url = f"sqlite:///{folder.name}/research.db"
        >>> release.to_database(url, "patients")
        ('patients',)
        >>> sorted(lk.read(url).frame["age"])
        ['[30, 39]', '[30, 39]']
        >>> folder.cleanup()
        """
        from likeness.folder.writing import refuse_no_columns
        from likeness.tables.databases import Stored, put

        for key, given in (("url", url), ("table", table)):
            if not isinstance(given, str):
                raise OutputError(f"to_database: {key} must be a text; got {quoted(given)}")
        refuse_no_columns(self)
        types, rows = {}, None
        if self._private is not None:
            original = self._private.encoded.table
            rows = original.read_rows
            types = {fresh: original.raw(own).values.dtype for fresh, own in self._exact.items()}
        names = database_names(table, self._tables)
        stored = (Stored.of(columns, types, self.certificate.formulas) for columns in self._tables.values())
        put(url, dict(zip(names, stored, strict=True)), overwrite=overwrite, original=rows)
        return names

    def __getstate__(self) -> dict[str, Any]:
        """Leave the original behind."""
        state = dict(self.__dict__)
        state["_private"] = state["_original"] = None
        for kept in ("tables", "evaluation", "findings"):
            state.pop(kept, None)
        return state

    def __repr__(self) -> str:
        """Say what was proven; no record is shown."""
        told = self.certificate
        return "\n".join([f"Release: {self._size()}, {told.form['name']}", *self._verdict.lines()])

    def _size(self) -> str:
        """Say how much is published."""
        told, found = self.certificate, self._verdict.individuals
        people = "" if found is None else f"of {count(found, 'individual')} "
        return f"{count(told.records, 'record')} {people}in {count(told.classes, 'class')}"

    def _repr_html_(self) -> str:
        """Show what was proven in a notebook."""
        title = f"{self._size()}, {self.certificate.form['name']}"
        return in_notebook(title, noun="Release", lists=[("", self._verdict.lines())])


def _read_earlier(one: Any, where: str) -> Held:
    """Take an earlier release, with what it knows of its original; `TableError` where a folder is none.

    ``where`` it is named, for messages.
    """
    if isinstance(one, Release):
        return one._held()  # noqa: SLF001  # its own class
    if not isinstance(one, str | Path):
        raise PolicyError(f"{where}: must be the folder of a release, or a release; got {type(one).__name__}")
    from likeness.knowledge.release import read_publication

    return Held(read_publication(Path(one), f"{where}: {one}"))
