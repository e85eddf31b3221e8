"""From a table and a policy to a verified release: encode, search, publish, prove."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness._version import __version__
from likeness.certificate import Certificate
from likeness.encode import Encoded, encode
from likeness.errors import PolicyError
from likeness.exact import rational
from likeness.forms._base import as_labelled
from likeness.forms._columns import ColumnNote, PublishedColumns, note_on
from likeness.policy import Policy
from likeness.progress import Progress
from likeness.release import Private, Release
from likeness.solve import Solution, solve
from likeness.tables import EncodedColumn, Labelled, Table, read
from likeness.proof import prove

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.forms._base import Form, Published
    from likeness.methods._base import Method


def anonymize(
    table: Any,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Find, publish and prove a release; never returns an unverified one.

    Parameters
    ----------
    table
        A polars, pandas or Arrow frame, a path, or what `likeness.read` returned.
    policy
        What the columns mean and what must hold: a `Policy`, a mapping, or the path of a policy file.
    seed
        Makes the release reproducible; overrides the policy's. Without one, randomness comes from the operating system.
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
    method = choose_method(policy)
    form = choose_form(policy, method)
    progress.step("encode", 0, 1)
    encoded = encode(original, policy)
    entropy = np.random.SeedSequence(policy.seed)
    search, publish, names = (np.random.Generator(np.random.PCG64(child)) for child in entropy.spawn(3))
    progress.step("search", 0, 1)
    at_most = rational(policy.withhold.at_most)
    solution = solve(method, encoded.data, policy.privacy, search, at_most, progress)
    progress.step("publish", 0, 1)
    published = form.publish(encoded.data, solution.plan, solution.recoding, publish)
    tables = _add_other_columns(encoded, published, policy, names)
    columns = _notes(encoded, form, solution, tables)
    progress.step("prove", 0, 1)
    publication = form.read(
        {name: {k: as_labelled(c) for k, c in t.items()} for name, t in tables.items()}, columns
    )
    verdict = prove(publication, policy.privacy, encoded.data)
    verdict.raise_if_failed()
    certificate = Certificate(
        {"name": form.name, **registry.parameters(form)},
        columns,
        tuple(proof.to_json() for proof in verdict.proofs),
        verdict.records,
        verdict.classes,
        policy.seed is not None,
        _remarks(encoded, policy, form),
        version=__version__,
    )
    private = Private(encoded, policy, method, solution, published.rows, int(entropy.entropy or 0))  # type: ignore[arg-type]
    return Release(tables, certificate, publication, verdict, private)


def as_policy(policy: Policy | Mapping[str, Any] | str | Path) -> Policy:
    """Take a policy in any of its forms."""
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, str | Path):
        return Policy.load(Path(policy))
    return Policy.from_mapping(policy)


def choose_method(policy: Policy) -> Method:
    """The policy's method, or the best known one for its guarantee: Mondrian by least loss."""
    if policy.method is not None:
        method: Method = policy.method
        return method
    made: Method = registry.create("methods", "mondrian", {})
    return made


def choose_form(policy: Policy, method: Method) -> Form:
    """The policy's form, or the one the method publishes in.

    Raises
    ------
    PolicyError
        When the method's plans cannot be published in that form.
    """
    form: Form = policy.form if policy.form is not None else registry.create("forms", method.form, {})
    if form.name != method.form:
        raise PolicyError(f"{method.name}: publishes in the form {method.form!r}, not {form.name!r}")
    if policy.output.numeric_pairs and hasattr(form, "numeric_pairs"):
        form = type(form)(**{**registry.parameters(form), "numeric_pairs": True})
    return form


def _add_other_columns(
    encoded: Encoded, published: Published, policy: Policy, rng: np.random.Generator
) -> dict[str, dict[str, Labelled | EncodedColumn]]:
    """Add columns published as they are, and pseudonyms, to the first table; keep the order of the original's columns."""
    tables = dict(published.tables)
    main = next(iter(tables))
    rows = published.rows[main]
    of_original = encoded.data.rows[rows]
    added: dict[str, Labelled | EncodedColumn] = {}
    for name in encoded.with_role("other"):
        column = _as_it_is(encoded.table, name)
        added[name] = EncodedColumn(
            name, column.kind, np.ascontiguousarray(column.codes[of_original]), column.values
        )
    for name in encoded.with_role("identifier"):
        if policy.columns[name].action == "pseudonym":
            added[name] = _pseudonyms(encoded.table, name, of_original, rng)
    taken = [name for name in added if name in tables[main]]
    if taken:
        raise PolicyError(
            f"column {taken[0]!r} would stand twice in the release; rename it or leave numeric pairs out"
        )
    everything = tables[main] | added
    order = [
        n for name in encoded.table.names for n in (name, f"{name}_low", f"{name}_high") if n in everything
    ]
    order = list(dict.fromkeys(order + list(everything)))
    tables[main] = {encoded.renamed.get(name, name): everything[name] for name in order}
    return tables


def _as_it_is(table: Table, name: str) -> EncodedColumn:
    """A column whose cells are published unchanged."""
    if table.format == "csv":
        return table.encode(name, missing=(), kind="text")
    return table.encode(name, missing=())


def _pseudonyms(table: Table, name: str, rows: NDArray[np.int64], rng: np.random.Generator) -> EncodedColumn:
    """Random numbers in place of an identifier, one per distinct value, in no order of anything."""
    column = table.encode(name, missing=(), kind="text")
    count = len(column.values)
    numbers = rng.permutation(np.arange(1, count + 1, dtype=np.int64))
    own = numbers[column.codes[rows]]
    values, codes = np.unique(own, return_inverse=True)
    return EncodedColumn(name, "integer", codes.astype(np.int32), values)


def _notes(
    encoded: Encoded, form: Form, solution: Solution, tables: Mapping[str, Mapping[str, Any]]
) -> PublishedColumns:
    """Notes on every published column, in the order of the first table."""
    data = encoded.data
    exact = form.name in {"anatomized"}
    known = {domain.name: note_on(domain, "quasi", None) for domain in data.quasi}
    kept = solution.plan.published
    if exact:
        known = {
            domain.name: note_on(domain, "quasi", codes[kept])
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        }
    for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True):
        known[domain.name] = note_on(domain, "sensitive", codes[kept])
    back = {published: name for name, published in encoded.renamed.items()}
    notes = {}
    for table in tables.values():
        for name in table:
            own = back.get(name, name)
            note = known.get(own)
            notes[name] = (
                ColumnNote(name, "other") if note is None else ColumnNote(**{**note.__dict__, "name": name})
            )
    return PublishedColumns(tuple(notes.values()))


def _remarks(encoded: Encoded, policy: Policy, form: Form) -> tuple[str, ...]:
    """What the guarantee takes for granted, for the certificate."""
    remarks = []
    sensitive = [domain.name for domain in encoded.data.sensitive]
    for model in policy.privacy:
        covered = getattr(model, "sensitive", None)
        if covered is not None and len(sensitive) > 1:
            others = ", ".join(repr(name) for name in sensitive if name != covered)
            reading = "known" if model.others == "known" else "not known"
            remarks.append(f"{model.name} on {covered!r}: {others} taken as {reading} to the adversary")
    if encoded.with_role("other"):
        names = ", ".join(repr(name) for name in encoded.with_role("other"))
        remarks.append(f"published as they are, and not taken as known to the adversary: {names}")
    remarks.append(getattr(form, "remark", "sensitive values are published exactly, one per record"))
    return tuple(remarks)
