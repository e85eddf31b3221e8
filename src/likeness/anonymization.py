"""From a table and a policy to a verified release: encode, search, publish, prove."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness import registry
from likeness._version import __version__
from likeness.choosing import choose, choose_form
from likeness.encode import Encoded, describe_columns, encode
from likeness.errors import CannotBeMetError, PolicyError, Refusal
from likeness.exact import rational
from likeness.folder.ledger import Ledger
from likeness.forms.base import as_labelled
from likeness.knowledge.base import certified, learn
from likeness.microdata.copies import counted_again
from likeness.microdata.grouping import group_codes
from likeness.microdata.individuals import who_share
from likeness.policy import Policy, as_policy
from likeness.progress import Progress
from likeness.proving.certificate import Certificate, unique_claims
from likeness.randomness import entropy_of, stream
from likeness.release import Private, Release
from likeness.tables import EncodedColumn, Labelled, Table, read
from likeness.wording import count, nouns, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.blocks import BlockSearch
    from likeness.forms.base import Form, Publication, Published
    from likeness.methods.base import Method
    from likeness.published.columns import PublishedColumns
    from likeness.solve import Solution


def anonymize(
    table: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = None,
    ledger: str | Path | None = None,
    on: str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Find, publish and prove a release; never returns an unverified one.

    Parameters
    ----------
    table
        A polars, pandas or Arrow frame, a path, or whatever else `likeness.read` takes, or returned.
    policy
        What the columns mean and what must hold: a `Policy`, a mapping, or the path of a policy file.
    seed
        Makes the release reproducible: the same table, policy and seed give the same bytes. Overrides the policy's. Without one,
        randomness comes from the operating system, as it should for what is handed out (`likeness.randomness.entropy_of`).
    ledger
        A private file of what was published of whom, which the releases of the same people over time share: everybody keeps the
        values that were possible of them before. The policy asks for it by the model ``m-invariance``. It is begun where there is
        none yet, and the release is entered when it is written.
    on
        The column that tells people apart, for a new ledger.
    progress
        Where to say how far the work is.

    Returns
    -------
    Release
        The proven release, in memory.

    Raises
    ------
    InvalidError
        When policy or table are invalid, whatever the data hold.
    CannotBeMetError
        When this table cannot meet the policy; says what would make it possible.
    VerificationError
        When the release does not prove what it must: a defect of this library, and nothing is returned.

    Examples
    --------
    >>> import polars as pl
    >>> import likeness as lk
    >>> patients = pl.DataFrame({"age": [30, 31, 60, 61], "disease": ["flu", "cold", "flu", "cold"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> release = lk.anonymize(patients, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=7)
    >>> sorted(release.table["age"].unique())
    ['[30, 31]', '[60, 61]']
    """
    progress = progress or Progress()
    original = table if isinstance(table, Table) else read(table)
    policy = as_policy(policy)
    if seed is not None:
        policy = policy.replace(seed=seed)
    if ledger is None and on is not None:
        raise PolicyError("on: is read only with ledger, the file of what was published before")
    if ledger is not None:
        policy = _keeping(policy)
    choose_form(policy)
    progress.step("encode", 0, 1)
    encoded = learn(encode(original, policy), policy, progress)
    policy = policy.naming(encoded.table.names)
    if ledger is None:
        return anonymize_encoded(encoded, policy, progress)
    kept = _open_ledger(encoded, policy, ledger, on)
    kept.refuse_alike(encoded)
    known = replace(encoded.data, signatures=kept.of_records(encoded))
    return anonymize_encoded(replace(encoded, data=known), policy, progress, kept)


def _keeping(policy: Policy) -> Policy:
    """Take a method that keeps to a ledger, where the policy names none; refuse a policy that does not."""
    if all(model.signature_size is None for model in policy.privacy):
        raise PolicyError(
            "ledger: the policy asks for nothing that is kept over releases; add {model: m-invariance, m: 3} to privacy"
        )
    if policy.individual is not None:
        raise PolicyError("ledger: is about people with one record each; leave it out, or individual")
    keeping = [name for name in registry.names("methods") if registry.load("methods", name).keeps_signatures]
    if policy.method is None:
        return policy.naming_method(registry.create("methods", keeping[0], {}))
    if not policy.method.keeps_signatures:
        raise PolicyError(
            f"ledger: the method {policy.method.name} keeps to none; leave method out, or take {' or '.join(keeping)}"
        )
    return policy


def _open_ledger(encoded: Encoded, policy: Policy, path: str | Path, on: str | None) -> Ledger:
    """Open the ledger that a release is to keep to."""
    if len(encoded.data.sensitive) != 1:
        raise PolicyError(
            f"ledger: keeps the values of one sensitive column; this table has {len(encoded.data.sensitive)}"
        )
    m = max(model.signature_size or 0 for model in policy.privacy)
    return Ledger.open(path, on, encoded.data.sensitive[0].name, m)


def anonymize_encoded(
    encoded: Encoded,
    policy: Policy,
    progress: Progress,
    ledger: Ledger | None = None,
    blocks: BlockSearch | None = None,
) -> Release:
    """Find, publish and prove a release of a table that is encoded already; raises what `anonymize` does.

    ``encoded``: as this policy, or one that differs only in the guarantee, the method and the seed, says. ``ledger``: what it has
    its signatures from. ``blocks``: how counts are searched, where they are too many to be searched at a time.
    """
    form = choose_form(policy)
    _refuse_links(encoded, policy, form)
    _refuse_differing(encoded, policy, form)

    @cache
    def entropy_with(method: Method) -> int:
        # A policy that names a method, and one for which that method is chosen, mean the same.
        return entropy_of(encoded, policy.naming_method(method))

    progress.step("search", 0, 1)
    at_most = rational(policy.withhold.at_most)
    models = encoded.name_models(policy.privacy)
    choice = choose(
        policy,
        encoded.data,
        models,
        lambda method: stream(entropy_with(method), "search"),
        lambda method, solution: (
            _ReadBack.of(encoded, policy, form, solution, entropy_with(method)).publication
        ),
        at_most,
        progress,
        blocks,
    )
    entropy, solution = entropy_with(choice.method), choice.solution
    if encoded.is_written_out or solution.data is not None:
        data, plan = counted_again(solution.data or encoded.data, solution.plan)
        encoded, solution = replace(encoded, data=data), replace(solution, plan=plan)
    if solution.plan.added is not None:
        _refuse_added(encoded, policy, form, choice.method)
    progress.step("publish", 0, 1)
    shown = _ReadBack.of(encoded, policy, form, solution, entropy)
    progress.step("prove", 0, 1)
    private = Private(
        encoded, policy, choice.method, solution, shown.rows, entropy, choice.candidates, ledger
    )
    return _proven(shown, form, private)


class _ReadBack(NamedTuple):
    """What a solution is published as, and which records stand in the rows; read back, what is said of its columns."""

    tables: dict[str, dict[str, Labelled | EncodedColumn]]
    rows: dict[str, NDArray[np.int64]]
    columns: PublishedColumns
    publication: Publication

    @classmethod
    def of(cls, encoded: Encoded, policy: Policy, form: Form, solution: Solution, entropy: int) -> _ReadBack:
        """Publish a solution, and read it back."""
        publish, names = (stream(entropy, purpose) for purpose in ("publish", "names"))
        published = form.publish(encoded.data, solution.plan, solution.recoding, publish)
        tables = _add_other_columns(encoded, published, policy, names, form.leading)
        columns = describe_columns(encoded, policy, form, solution.plan.published, tables)
        shown = {name: {k: as_labelled(c) for k, c in t.items()} for name, t in tables.items()}
        copies = encoded.data.copies
        if copies is None:
            return cls(tables, published.rows, columns, form.read(shown, columns))
        counted = copies[published.rows[next(iter(tables))]]
        return cls(tables, published.rows, columns, form.read_counts(shown, columns, counted))


def _proven(shown: _ReadBack, form: Form, private: Private) -> Release:
    """Prove what was read back, and certify what was proven."""
    encoded, policy = private.encoded, private.policy
    verdict = private.prove(shown.publication)
    verdict.raise_if_failed()
    certificate = Certificate(
        {"name": form.name, **registry.parameters(form)},
        shown.columns,
        unique_claims(verdict),
        verdict.records,
        verdict.classes,
        policy.seed is not None,
        version=__version__,
        individuals=verdict.individuals,
        formulas=policy.output.formulas,
        noise=private.solution.plan.added is not None,
        knowledge=certified(encoded, policy),
        about=policy.about.to_mapping(),
    )
    return Release(shown.tables, certificate, shown.publication, verdict, private)


def _refuse_links(encoded: Encoded, policy: Policy, form: Form) -> None:
    """Refuse pseudonyms that link records, or people, where the guarantee takes each for another person's, or as unlinked.

    What is linked can be told apart by all its regions together, and no model counts those.
    """
    linked = form.needs_individuals or form.rows_are_individuals
    units, word = (encoded.data.individuals, "person") if linked else (None, "record")
    problems = []
    for name in encoded.pseudonyms(policy):
        sharing = who_share(encoded.table.encode(name, kind="text").codes[encoded.data.rows], units)
        several = int(np.count_nonzero(sharing > 1))
        if not several:
            continue
        if linked:
            remedy = "leave action: pseudonym out"
        elif policy.individual is not None:
            remedy = (
                "leave action: pseudonym out; the form identity-reserved publishes a random number of each person, for models "
                "about people"
            )
        else:
            remedy = (
                f"leave action: pseudonym out, and if it names people, say individual: {name} to count people"
            )
        problems.append(
            f"column {name!r}: {several:,} of {count(sharing.size, 'value')} {'stands' if several == 1 else 'stand'} for "
            f"several {nouns(2, word)} each (at most {sharing.max():,}); a pseudonym would link them, and who is linked can be "
            f"told by all their quasi-identifiers together, which the guarantee does not count; {remedy}"
        )
    if problems:
        raise CannotBeMetError(*problems)


def _refuse_added(encoded: Encoded, policy: Policy, form: Form, method: Method) -> None:
    """Refuse to invent records where something would have to be said of them that nobody has."""
    if not form.publishes_added:
        what = f"invents records here, which {form.name} cannot publish"
        raise PolicyError(Refusal(what, (method.name,), remedy="leave form out, or the variant"))
    if encoded.data.knowledge:
        what = "invents records here, of whom nobody knows anything beforehand"
        raise PolicyError(Refusal(what, (method.name,), remedy="leave knowledge out, or the variant"))
    beside = [*encoded.with_role("other"), *encoded.pseudonyms(policy)]
    if beside:
        what = f"invents records here, and nobody has their {quoted(beside[0])}, which is published as it is"
        raise PolicyError(
            Refusal(what, (method.name,), remedy="leave the column out of the release (role: drop)")
        )


def _refuse_differing(encoded: Encoded, policy: Policy, form: Form) -> None:
    """Refuse columns published as they are of which a person's records say several things, where a row is a person."""
    people = encoded.data.individuals
    if not form.rows_are_individuals or people is None:
        return
    problems = []
    for name in (*encoded.with_role("other"), *encoded.pseudonyms(policy)):
        codes = encoded.table.encode(name, kind="text").codes[encoded.data.rows]
        values = group_codes(
            [people, codes + 1], [int(people.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 2]
        )
        differing = int(np.count_nonzero(np.bincount(people[values.first]) > 1))
        if differing:
            problems.append(
                f"column {name!r}: the records of {count(differing, 'person')} differ in it, and {form.name} releases publish "
                "one row a person; say role: drop, or leave one value a person"
            )
    if problems:
        raise PolicyError(*problems)


def _add_other_columns(
    encoded: Encoded,
    published: Published,
    policy: Policy,
    rng: np.random.Generator,
    leading: tuple[str, ...],
) -> dict[str, dict[str, Labelled | EncodedColumn]]:
    """Add columns published as they are, and pseudonyms, to the first table; keep the order of the original's columns."""
    tables = dict(published.tables)
    main = next(iter(tables))
    rows = published.rows[main]
    of_original = encoded.data.rows[rows]
    added: dict[str, Labelled | EncodedColumn] = {}
    for name in encoded.with_role("other"):
        column = encoded.table.as_it_is(name)
        added[encoded.published_name(name)] = EncodedColumn(
            name, column.kind, np.ascontiguousarray(column.codes[of_original]), column.values
        )
    for name in encoded.pseudonyms(policy):
        added[encoded.published_name(name)] = _pseudonyms(encoded.table, name, of_original, rng)
    taken = [name for name in added if name in tables[main]]
    if taken:
        raise PolicyError(
            f"column {taken[0]!r} would stand twice in the release; rename it or leave numeric pairs out"
        )
    everything = tables[main] | added
    names = [encoded.published_name(name) for name in encoded.table.names]
    order = [n for name in names for n in (name, f"{name}_low", f"{name}_high") if n in everything]
    order = [*leading, *order]
    tables[main] = {name: everything[name] for name in dict.fromkeys([*order, *everything])}
    return {
        name: {key: _only_published(column) for key, column in table.items()}
        for name, table in tables.items()
    }


def _pseudonyms(table: Table, name: str, rows: NDArray[np.int64], rng: np.random.Generator) -> EncodedColumn:
    """Random numbers in place of an identifier, one per distinct value, in no order of anything."""
    codes = table.encode(name, kind="text").codes[rows]
    # Only those who are published get a number: a gap would tell that somebody was withheld.
    present, own = np.unique(codes, return_inverse=True)
    named = present >= 0
    numbers = np.full(len(present), -1, np.int32)
    numbers[named] = rng.permutation(int(named.sum()))
    return EncodedColumn(name, "integer", numbers[own], np.arange(1, int(named.sum()) + 1, dtype=np.int64))


def _only_published(column: Labelled | EncodedColumn) -> Labelled | EncodedColumn:
    """Leave out values that no published record has: a release must not carry them along in memory either."""
    size = len(column.values if isinstance(column, EncodedColumn) else column.labels)
    occurs = np.zeros(size + 1, np.bool_)
    occurs[column.codes] = True
    if occurs[:-1].all():
        return column
    kept = np.flatnonzero(occurs[:-1])
    number = np.full(size + 1, -1, np.int32)
    number[kept] = np.arange(kept.size, dtype=np.int32)
    codes = number[column.codes]
    if isinstance(column, EncodedColumn):
        return EncodedColumn(column.name, column.kind, codes, column.values[kept])
    return Labelled(codes, [column.labels[i] for i in kept])
