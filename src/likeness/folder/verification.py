"""Verify a release folder: what its bytes prove, to whom, and what is wrong, with where."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.counting import encode_counted, find_counted
from likeness.encode import Encoded, encode
from likeness.engines.base import engine_for
from likeness.errors import InvalidError, LikenessError, Refusal, Statement
from likeness.folder.audit import content_digest, locate_records, plain_policy
from likeness.folder.cells import rows_of_cells, value_texts
from likeness.folder.class_map import listed
from likeness.folder.layout import CELLS, CERTIFICATE, KNOWLEDGE, PARTS, digest, find_layout
from likeness.folder.ledger import Ledger
from likeness.folder.origin import (
    Origin,
    another,
    drawn_problems,
    exact_codes,
    mechanism_of,
    of_column,
    other_columns,
)
from likeness.folder.parts import is_in_parts, same_rows
from likeness.folder.private_part import PrivatePart, read_private
from likeness.folder.public_part import PublicPart, read_public
from likeness.knowledge.base import learn
from likeness.microdata.grouping import number_keys, pack
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode
from likeness.models.requirements import one_a_column, one_a_source
from likeness.policy import as_policy
from likeness.policy.sections import READING
from likeness.progress import Progress
from likeness.proving.proof import Verdict, as_published, prove
from likeness.randomness import stream
from likeness.tables import read_again
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.engines.base import Engine
    from likeness.folder.audit import Audit
    from likeness.folder.cells import CountedCells
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.knowledge import Knowledge
    from likeness.policy import Policy


def verify(
    folder: str | Path,
    original: Any = None,
    *,
    policy: Policy | Mapping[str, Any] | str | Path | None = None,
    engine: str | None = None,
    progress: Progress | None = None,
    ledger: str | Path | None = None,
) -> Verdict:
    """Prove again what a release guarantees, from its files alone.

    From the published files anyone proves the guarantee and that the certificate says no more than that.
    With ``private/`` it is also proven that nothing was changed since; with the original as well, that every
    published row is a correct generalization of its original, that no record is lost or invented, and models
    with scope ``steward``.

    Parameters
    ----------
    folder
        A release folder, or its ``public/`` alone.
    original
        The table the release was made from: a frame, a path, or what `likeness.read` returned; needs
        ``private/``, which says how a file was read then, and so is read now.
    policy
        What must have been asked for; by default it is what the files say.
    engine
        What reads the files of a table in parts and counts the original of one: ``memory``, ``streaming`` or ``spark``.
    progress
        Where to say how far the work is.
    ledger
        The ledger of the releases that it is one of: everybody's possible values are then compared with what it says of them.
        Needs the original, too.

    Returns
    -------
    Verdict
        Every proof, everything that is wrong with where it is, and everything that was found right.

    Raises
    ------
    InvalidError
        When there is no such release, it cannot be read, or an original is given without ``private/``, or a ledger without both.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 31, 60, 61], "disease": ["flu", "cold", "flu", "cold"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=7)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = release.write(place + "/out")
    ...     lk.verify(folder / "public").ok, lk.verify(folder, table).ok
    (True, True)
    """
    layout = find_layout(folder)
    asked = None if policy is None else as_policy(policy)
    if original is not None and layout.private is None:
        raise InvalidError(
            f"{folder}: there is no private/ here; without its class map a release cannot be compared with "
            "its original"
        )
    try:
        own = engine_for(original, engine)
        public = read_public(layout, own, progress)
        in_parts = public.certificate is not None and is_in_parts(public.certificate.files)
        steward = None if layout.private is None else read_private(layout, layout.private, public)
        if steward is not None and steward.audit is not None and asked is not None:
            asked = asked.naming(steward.audit.content["policy"]["columns"])
            steward.refusals += compare_policy(public, steward, asked)
        encoded, told = None, asked
        if steward is not None and original is not None:
            told = asked or steward.policy
            ordered = steward.audit is not None and steward.audit.is_ordered
            counting = own if in_parts or ordered else None
            encoded = _encode(
                original, told, steward, counting, progress or Progress(), is_kept=asked is None
            )
        found = judge(public, steward, encoded, told)
        return found if ledger is None else _over_time(found, Path(ledger), public, steward, encoded)
    except OSError as problem:
        raise InvalidError(f"{folder}: cannot be read ({problem.strerror or problem})") from None


def _over_time(
    found: Verdict, ledger: Path, public: PublicPart, steward: PrivatePart | None, encoded: Encoded | None
) -> Verdict:
    """Add what a ledger says of a release."""
    if steward is None or encoded is None:
        raise InvalidError(f"{ledger}: a ledger is compared with a release beside its original and private/")
    kept = Ledger.read(ledger)
    about: Refusal | Statement = Refusal(
        "cannot be compared with the release, which is not whole", (ledger.name,)
    )
    if digest(public.layout.public / CERTIFICATE) not in kept.releases:
        about = Refusal("knows no release with this certificate.json", (ledger.name,))
    elif (
        steward.class_map is not None
        and steward.consistent
        and public.publication is not None
        and steward.audit is not None
    ):
        if _is_another(steward.audit, encoded):
            # Whose rows these are cannot be said of another table.
            return found
        about = kept.check(
            encoded, public.publication, encoded.record_of[steward.class_map.original_row], entered=True
        )
    if isinstance(about, Refusal):
        return replace(found, refusals=(*found.refusals, about))
    return replace(found, statements=(*found.statements, about))


def judge(
    public: PublicPart, steward: PrivatePart | None, encoded: Encoded | None, policy: Policy | None
) -> Verdict:
    """Put together everything that was found; ``encoded`` is the original, where it was given."""
    problems, checks = list(public.refusals), list(public.statements)
    individuals, values = _individuals(public, steward, encoded), _values(public, steward, encoded)
    proven = _prove(
        public, encoded, policy, problems, individuals, values, _known(steward), _invented(steward)
    )
    problems += _repeated(public)
    if not problems:
        partly = any(proof.holds is None for proof in proven.proofs)
        what = "the numbers of records and classes" if partly else "counts and measured strengths"
        checks.append(Statement("are those of certificate.json", about=what))
    if public.certificate is not None and public.certificate.noise:
        what = "declares that some published records are nobody's; who they are, and so what is guaranteed, only private/ tells"
        checks.append(Statement(what, about="certificate.json"))
    if public.certificate is not None and public.certificate.about:
        told = " and ".join(public.certificate.about)
        checks.append(
            Statement(
                f"tells {told} as the publisher says it; nobody can check that", about="certificate.json"
            )
        )
    if steward is not None:
        problems += steward.refusals
        checks += steward.statements
        if encoded is not None and policy is not None:
            checks += _learn_again(steward, encoded, policy, problems)
            wrong, right = _compare(public, steward, encoded, policy)
            # What else is wrong may come of it.
            is_first = steward.audit is not None and _is_another(steward.audit, encoded)
            problems = wrong + problems if is_first else problems + wrong
            checks += right
    return replace(proven, refusals=tuple(problems), statements=tuple(checks))


def _is_another(audit: Audit, encoded: Encoded) -> bool:
    """Whether an original is another table than the release was made from."""
    return bool(audit.content["original"]["sha256"] != content_digest(encoded))


def _individuals(
    public: PublicPart, steward: PrivatePart | None, encoded: Encoded | None
) -> NDArray[np.int64] | None:
    """(n,) Whose each published record is, as the original says, or the class map; None where neither is at hand.

    Where rows are people, the row that it is of.
    """
    if steward is None or steward.class_map is None or not steward.consistent:
        return None
    if public.publication is not None and public.publication.rows is not None:
        return steward.class_map.row_of_record
    rows = steward.class_map.original_row
    if encoded is None:
        return None if steward.class_map.persons is None else steward.class_map.persons[rows]
    if encoded.data.individuals is None or rows.max(initial=-1) >= encoded.table.height:
        return None
    records = encoded.record_of[rows]
    # A row that the original dropped is somebody's mistake, said elsewhere; nobody is counted then.
    return encoded.data.individuals[records] if (records >= 0).all() else None


def _values(
    public: PublicPart, steward: PrivatePart | None, encoded: Encoded | None
) -> NDArray[np.int32] | None:
    """(s, n) Sensitive codes of the records that were dealt to people, in the original; None where it is not at hand."""
    if steward is None or steward.class_map is None or not steward.consistent or encoded is None:
        return None
    rows = steward.class_map.original_row
    dealt = public.publication is not None and public.publication.rows is not None
    if not dealt or rows.max(initial=-1) >= encoded.table.height:
        return None
    records = encoded.record_of[rows]
    return np.asarray(encoded.data.sensitive_codes[:, records]) if (records >= 0).all() else None


def _known(steward: PrivatePart | None) -> list[Knowledge] | None:
    """What may be known of each published row; None where it is not at hand."""
    if steward is None or steward.class_map is None or not steward.consistent or not steward.knowledge:
        return None
    return [own.take(steward.class_map.original_row) for own in steward.knowledge]


def _invented(steward: PrivatePart | None) -> NDArray[np.bool_] | None:
    """(published,) Which published rows are nobody's; None where the class map is not at hand."""
    if steward is None or steward.class_map is None or not steward.consistent:
        return None
    return steward.class_map.invented


def _learn_again(
    steward: PrivatePart, encoded: Encoded, policy: Policy, problems: list[Refusal]
) -> list[Statement]:
    """Compare what is said to be known of every record with what the sources of the policy say of the original."""
    if not steward.knowledge or steward.class_map is None or steward.class_map.height != encoded.table.height:
        return []
    label = f"private/{KNOWLEDGE}"
    try:
        found = learn(encoded, policy).data.knowledge
    except LikenessError as problem:
        return [Statement(f"not compared with what it was learnt from ({problem.problems[0]})", (label,))]
    for kept, own in zip(steward.knowledge, found, strict=True):
        shares = kept.take(encoded.data.rows)
        if kept.labels != own.labels or (shares.of < 0).any():
            problems.append(Refusal("is not about the values and records of the original", (label,)))
        elif not np.array_equal(shares.distributions.rows[shares.of], own.distributions.rows[own.of]):
            problems.append(Refusal("is not what its sources say of the original", (label,)))
    return [] if problems else [Statement("is what its sources say of the original", (label,))]


def _repeated(public: PublicPart) -> list[Refusal]:
    """Say which rows repeat one of the same person, where a model counts a person's records: no release has such rows."""
    certificate, shown = public.certificate, public.publication
    if certificate is None or shown is None or shown.persons is None or not len(shown.sensitive_codes):
        return []
    if not any(model.about_individuals for model in certificate.make_models()):
        return []
    radices = [int(shown.persons.max(initial=-1)) + 1, *(domain.codes for domain in shown.sensitive)]
    _, first = number_keys(pack([shown.persons, *shown.sensitive_codes], radices))
    again = np.delete(np.arange(shown.size), first)
    if not again.size:
        return []
    what = "says what another row says of the same person; a value counts once"
    return [Refusal(what, (listed(again, public.where),))]


def _encode(
    original: Any,
    policy: Policy | None,
    steward: PrivatePart,
    counting: Engine | None,
    progress: Progress,
    *,
    is_kept: bool,
) -> Encoded | None:
    """Encode the original as the policy says; None, and a problem, when that fails.

    ``counting``: what counts its records, where those of the release were counted. ``is_kept``: the policy is the one that was
    kept with the release.
    """
    audit = steward.audit
    if counting is None:
        original = read_again(original, {} if audit is None else audit.reading)
    if policy is None:
        return None
    names = None
    try:
        if counting is not None:
            reading = {} if audit is None else audit.reading
            original = counting.find(
                original, delimiter=reading.get("delimiter"), decimal=reading.get("decimal")
            )
        names = original.names
        policy = locate_records(policy, original, audit)
        if counting is None:
            return encode(original, policy)
        return encode_counted(counting, find_counted(counting, original, policy), policy, progress)
    except LikenessError as problem:
        steward.refusals += _unfit(problem, names, audit, is_kept=is_kept)
        return None


def _unfit(
    problem: LikenessError, names: Sequence[str] | None, audit: Audit | None, *, is_kept: bool
) -> list[Refusal]:
    """Say why an original, with such columns, cannot be encoded: under the policy that was kept only another table cannot."""
    told = None if audit is None or names is None else other_columns(names, audit)
    if told is not None:
        return [another(told)]
    unfit = list(problem.within("the original does not fit the policy"))
    # A second table that is not there says nothing about the first.
    second = audit is None or audit.content["policy"].get("records") is not None
    return (
        unfit
        if second or names is None or not is_kept
        else [another("it does not fit the policy that was kept"), *unfit]
    )


def _prove(
    public: PublicPart,
    encoded: Encoded | None,
    policy: Policy | None,
    problems: list[Refusal],
    individuals: NDArray[np.int64] | None,
    values: NDArray[np.int32] | None,
    knowledge: list[Knowledge] | None,
    invented: NDArray[np.bool_] | None,
) -> Verdict:
    """Prove what the certificate claims and the policy asks for, from the published texts."""
    certificate, publication = public.certificate, public.publication
    if certificate is None or publication is None:
        return Verdict((), 0 if certificate is None else certificate.records, 0)
    data = None if encoded is None else encoded.data
    several = certificate.individuals is not None or individuals is not None
    try:
        certified = certificate.make_models()
        proven = partial(
            prove,
            several=several,
            individuals=individuals,
            values=values,
            knowledge=knowledge,
            noise=certificate.noise,
            invented=invented if certificate.noise else None,
        )
        verdict = proven(publication, certified, data)
        problems += certificate.compare(verdict)
        if policy is None:
            return verdict
        named = policy.privacy if encoded is None else encoded.name_models(policy.privacy)
        sensitive = [domain.name for domain in publication.sensitive]
        sources = [(own["sensitive"], own.get("name")) for own in certificate.knowledge]
        models = as_published(one_a_source(one_a_column(named, sensitive), sources), publication)
        # What is certified was proven just now.
        asked = [
            (model.name, proven(publication, [model], data).proofs)
            for model in models
            if model not in certified
        ]
    except LikenessError as problem:
        problems += problem.refusals
        return Verdict((), publication.size, int(publication.classes.max(initial=-1)) + 1)
    claimed = {(proof.subject, proof.column) for proof in verdict.proofs}
    extra = tuple(
        proof for _, proofs in asked for proof in proofs if (proof.subject, proof.column) not in claimed
    )
    lacking = [proof.subject for proof in extra] + [name for name, proofs in asked if not proofs]
    problems += [
        Refusal(f"does not claim {what}, which the policy asks for", about="certificate.json")
        for what in lacking
    ]
    return replace(verdict, proofs=verdict.proofs + extra)


def _compare(
    public: PublicPart, steward: PrivatePart, encoded: Encoded, policy: Policy
) -> tuple[list[Refusal], list[Statement]]:
    """Compare the release with its original: what is wrong, and what is right."""
    if public.certificate is None or public.publication is None or steward.audit is None:
        return [], []
    if is_in_parts(public.certificate.files):
        return _compare_counts(public, steward, encoded, policy)
    if steward.class_map is None or not steward.consistent:
        why = "the class map is not whole"
        return [Refusal("the release cannot be compared with its original", why=why)], []
    try:
        return Origin(public, steward.class_map, encoded, policy).problems(steward.audit)
    except LikenessError as problem:
        return list(problem.refusals), []


def _compare_counts(
    public: PublicPart, steward: PrivatePart, encoded: Encoded, policy: Policy
) -> tuple[list[Refusal], list[Statement]]:
    """Compare a release with the counts of its original: what it must publish is made again, and counted.

    So every published row is a correct generalization of an original record, and none was lost or invented.
    """
    cells, publication, form = steward.cells, public.publication, public.form
    if (
        cells is None
        or steward.audit is None
        or not steward.consistent
        or publication is None
        or form is None
    ):
        why = f"private/{CELLS} is not whole"
        return [Refusal("the release cannot be compared with its original", why=why)], []
    of = rows_of_cells(cells, encoded)
    if of is None:
        if _is_another(steward.audit, encoded):
            height, told = encoded.table.records, steward.audit.content["original"]["rows"]
            why = (
                "its values are others" if height == told else f"it has {count(height, 'row')}, not {told:,}"
            )
            return [another(why)], []
        return [Refusal("the original does not hold the records that it counts", (f"private/{CELLS}",))], []
    data, plan, going = _as_planned(cells, encoded, encoded.record_of[of])
    del of
    if publication.mechanism is not None:
        plan, wrong = _with_drawn(cells, encoded, policy, publication, data, plan, going)
        if wrong:
            return wrong, []
    plan, recoding = recode(data, plan)
    # In whatever order: rows are counted.
    order = stream(steward.audit.entropy, "publish")
    shown = form.publish(data, plan, recoding, order)
    rows = shown.rows[PARTS]
    columns = dict(shown.tables[PARTS])
    for name in encoded.with_role("other"):
        column = encoded.table.as_it_is(name)
        own = column.codes[data.rows[rows]]
        columns[encoded.published_name(name)] = replace(column, codes=own)
    assert data.copies is not None  # noqa: S101  # counted
    if not same_rows(columns, data.copies[rows], public.tables[PARTS]):
        what = "the published rows are not those that the classes of its original give"
        return [Refusal(what, (public.labels[PARTS],))], []
    what = (
        f"{count(publication.records, 'row')}, counted, are what the classes of the "
        f"{count(encoded.table.records, 'record')} of the original give: every row is that of one record, and none was lost or "
        "invented"
    )
    if publication.mechanism is not None:
        what += "; they have values that the matrix PM allows, and PM is the one that the method makes for the published records"
    return [], [Statement(what, (public.labels[PARTS],))]


def _as_planned(
    cells: CountedCells, encoded: Encoded, records: NDArray[np.int64]
) -> tuple[Microdata, Plan, NDArray[np.bool_]]:
    """Put the records of an original beside what was decided of them; ``records`` (n,) are those of the cells, -1 for none.

    Tells, too, of which cells (n,) that are.
    """
    going = records >= 0
    if np.array_equal(records, np.arange(encoded.data.size)):
        return encoded.data, Plan(cells.classes), going
    data = replace(encoded.data.take(records[going]), copies=cells.copies[going])
    return data, Plan(cells.classes[going]), going


def _with_drawn(
    cells: CountedCells,
    encoded: Encoded,
    policy: Policy,
    publication: Publication,
    data: Microdata,
    plan: Plan,
    going: NDArray[np.bool_],
) -> tuple[Plan, list[Refusal]]:
    """Add the values that were published to a plan, and the mechanism; or say what is wrong with them.

    ``data``, ``plan``: of those cells that are ``going`` (n,).
    """
    (shown,), (domain,), label = publication.sensitive, data.sensitive, f"private/{CELLS}"
    to_original = exact_codes(shown, domain)
    assert publication.mechanism is not None and data.copies is not None  # noqa: S101, PT018  # counted, and drawn
    if (to_original[publication.mechanism.active] < 0).any():
        return plan, [of_column(domain.name, "its distribution has a value that the original does not have")]
    mechanism = publication.mechanism.moved(to_original, domain.codes)
    column = cells.published.get(domain.name)
    if column is None:
        return plan, [Refusal(f"does not say which values of {domain.name!r} were published", (label,))]
    place = {text: code for code, text in enumerate(value_texts(domain))}
    codes = np.array([place.get(text, -1) for text in column.labels], np.int32)[column.codes[going]]
    kept = np.flatnonzero(plan.published)
    found, own, often = codes[kept].astype(np.int64), data.sensitive_codes[0][kept], data.copies[kept]
    if (found < 0).any():
        return plan, [Refusal(f"has values of {domain.name!r} that the original does not have", (label,))]
    wrong = drawn_problems(
        mechanism,
        found,
        own.astype(np.int64),
        often,
        lambda: mechanism_of(encoded, policy, data.take(kept)),
        lambda _, what: of_column(domain.name, what),
    )
    return replace(plan, sensitive=np.maximum(codes, 0)[None], mechanism=mechanism), list(wrong)


def compare_policy(public: PublicPart, steward: PrivatePart, policy: Policy) -> list[Refusal]:
    """Compare the policy that was given with the one that was kept; seed, output and how files are read may differ."""
    if public.certificate is None or steward.audit is None:
        return []
    given = plain_policy(policy, public.certificate, steward.audit.content["renamed"])
    kept = steward.audit.content["policy"]
    keys = [key for key in {**kept, **given} if key not in {"seed", "output"}]
    return [
        Refusal("is not that of the policy that was given", ("private/audit.json", "policy", key))
        for key in keys
        if _compared(key, kept) != _compared(key, given)
    ]


def _compared(key: str, policy: Mapping[str, Any]) -> Any:
    """Section of a policy, without how the file of a second table is read: what is read is compared."""
    section = policy.get(key)
    if key != "records" or section is None:
        return section
    return {name: value for name, value in section.items() if name not in READING}
