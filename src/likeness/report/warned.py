"""What a steward is warned of, whichever command made the release."""

from __future__ import annotations

from dataclasses import fields
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness import registry
from likeness.apart import RARE_VALUES
from likeness.encode import missing_in
from likeness.encode.lattice import why_not_growing
from likeness.methods.base import holding_classes
from likeness.metrics.base import mean_loss
from likeness.microdata.grouping import distinct
from likeness.proving.certificate import SEED_WARNING
from likeness.report.finding import Finding, kept_findings
from likeness.report.measured import class_sizes
from likeness.report.people import people_findings, undeclared_people
from likeness.tables import EncodedColumn, FileFormat, retyped
from likeness.tables.dates import CENTURY, have_short_years
from likeness.tables.kinds import MixedError, with_leading_zero
from likeness.tables.spelling import are_formulas
from likeness.tables.units import unit_of
from likeness.wording import count, nouns, plain_number, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.attacks.base import Attack
    from likeness.models.requirements import Requirement
    from likeness.release import Release

TELLS_NOTHING = 0.95
"""Information loss (GLM) from which a release is said to tell next to nothing."""
SMALL = 5
"""Members from which a class tells little by the ends of its regions."""
_VALUES_SHOWN = 3
_MANY_ALONE = 0.01
"""Share of the people who are alone with their number in a column published as it is, from which that is told of any column."""


def findings_of(release: Release) -> tuple[Finding, ...]:
    """Collect what is found about a release: warnings, and what is merely said."""
    return (
        *undeclared_people(release),
        *people_findings(release),
        *without_quasi_identifiers(release),
        *leading_zeros_lost(release),
        *short_years(release),
        *units_lost(release),
        *values_of_everybody(release),
        *without_rare_values(release),
        *alone_in_a_class(release),
        *undone(release),
        *alone_with_a_number(release),
        *tells_nothing(release),
        *formulas_in(release),
        *kept_findings(release.evaluation),
        *weakened_by_seed(release),
        *beside_an_earlier_one(release),
        *without_ledger(release),
        *depends_on_time(release),
        *file_findings(release),
    )


def without_rare_values(release: Release) -> list[Finding]:
    """Say that all who have some values were withheld, because they are so few."""
    plan, individuals = release.private.solution.plan, release.private.encoded.data.individuals
    found = []
    for place, (reason, number) in enumerate(plan.because.items()):
        if reason.name == RARE_VALUES:
            few = {"records": number}
            if individuals is not None:
                few = {"individuals": np.unique(individuals[plan.reason_of == place]).size}
            facts = {"values": reason.facts["values"], **few}
            found.append(Finding("rare-values-withheld", facts, _rare))
    return found


def _rare(*, values: str, records: int = 0, individuals: int = 0) -> str:
    few = count(individuals, "individual") if individuals else count(records, "record")
    return (
        f"nobody with {values} is published: with {few} so rare, classes would have to be so large that all "
        "others lose more; where they are what the release is about, say withhold: {rare_values: false}"
    )


def file_findings(release: Release) -> list[Finding]:
    """Say how the original's file was read, and what of how it is written the release does not keep."""
    return [*written_otherwise(release), *read_with_labels(release), *types_not_kept(release)]


def weakened_by_seed(release: Release) -> list[Finding]:
    """Say that a seed was given where nothing but chance protects the release."""
    return [Finding("weakened-by-seed", {}, _seeded)] if release.certificate.weakened_by_seed else []


def _seeded() -> str:
    return SEED_WARNING


def beside_an_earlier_one(release: Release) -> list[Finding]:
    """Say that a release has the regions of an earlier one, and what both tell together is not protected."""
    if not release.private.method.repeats_regions:
        return []
    return [Finding("beside-an-earlier-release", {}, _beside)]


def _beside() -> str:
    return (
        "it has the regions of an earlier release, and the guarantee is about each release alone: who is in both may be told "
        "apart by what both say of one region; leave those out who were in the earlier one"
    )


def without_ledger(release: Release) -> list[Finding]:
    """Say that a guarantee over releases is given of this one alone, where nothing is kept of whom it publishes."""
    private = release.private
    models = [model.name for model in private.policy.privacy if model.signature_size is not None]
    if not models or private.ledger is not None:
        return []
    return [Finding("no-ledger", {"models": models}, _no_ledger)]


def _no_ledger(*, models: Sequence[str]) -> str:
    return (
        f"{' and '.join(models)} is about all releases of the same people, and no ledger keeps what is published of whom: it is "
        "proven of this release alone, and a later one may break it; keep one from the first release on (ledger=, --ledger)"
    )


def depends_on_time(release: Release) -> list[Finding]:
    """Say that a seed does not make a release again whose search went on for so many seconds."""
    effort = release.private.policy.effort
    if not release.certificate.reproducible or effort is None or isinstance(effort, str):
        return []
    return [Finding("depends-on-time", {"seconds": effort["seconds"]}, _timed)]


def _timed(*, seconds: float) -> str:
    return (
        f"how much is tried in {seconds:g} s depends on the machine, so the same seed may give another release; quick, normal "
        "and thorough count steps"
    )


def leading_zeros_lost(release: Release) -> list[Finding]:
    """Say which texts that begin with a zero are published as numbers, since the policy says that they are: codes, as it looks.

    One finding per column, with how many records have one.
    """
    encoded, policy = release.private.encoded, release.private.policy
    found = []
    for domain in (*encoded.data.quasi, *encoded.data.sensitive):
        name = encoded.original_name(domain.name)
        if domain.kind not in {"integer", "real"} or policy.columns[name].kind != domain.kind:
            continue
        raw = encoded.table.raw(name)
        missing = missing_in(encoded.table, policy, name).markers
        zeros = with_leading_zero(raw.values) & ~raw.values.cast(pl.String).is_in(missing)
        if zeros.any():
            facts = {
                "column": domain.name,
                "records": int(raw.records()[zeros.to_numpy()].sum()),
                "such_as": min(raw.values.filter(zeros)),
                "kind": domain.kind,
            }
            found.append(Finding("leading-zeros-lost", facts, _zeros_lost))
    return found


def _zeros_lost(*, column: str, records: int, such_as: str, kind: str) -> str:
    return (
        f"column {column!r}: {count(records, 'cell')} such as {quoted(such_as)} {'begins' if records == 1 else 'begin'} with a "
        f"zero, which numbers do not keep; say kind: categorical in place of {kind} where they are codes"
    )


def _read_from_text(release: Release, *kinds: str) -> Iterator[tuple[str, pl.Series]]:
    """Give the columns of some kinds that the original has as text, with its distinct texts that are not missing."""
    encoded, policy = release.private.encoded, release.private.policy
    for domain in (*encoded.data.quasi, *encoded.data.sensitive):
        name = encoded.original_name(domain.name)
        if domain.kind in kinds and encoded.table.is_text(name):
            markers = missing_in(encoded.table, policy, name).markers
            yield domain.name, encoded.table.raw(name).without(markers).values


def short_years(release: Release) -> list[Finding]:
    """Say which columns hold dates whose years have two digits, and which century they are read as."""
    names = [name for name, texts in _read_from_text(release, "date") if have_short_years(texts)]
    facts = {"columns": names, "first": CENTURY[0], "last": CENTURY[1]}
    return [Finding("two-digit-years", facts, _short_years)] if names else []


def _short_years(*, columns: Sequence[str], first: int, last: int) -> str:
    return (
        f"years of two digits in {' and '.join(map(quoted, columns))} are read as {first} to {last}; write them with four where "
        "any is of another century"
    )


def units_lost(release: Release) -> list[Finding]:
    """Say which columns of numbers came with a unit, which is not published."""
    units = {name: unit_of(texts) for name, texts in _read_from_text(release, "integer", "real")}
    lost = {name: unit for name, unit in units.items() if unit is not None}
    return [Finding("units-not-published", {"columns": lost}, _units_lost)] if lost else []


def _units_lost(*, columns: Mapping[str, str]) -> str:
    listed = ", ".join(f"{quoted(name)} ({unit})" for name, unit in columns.items())
    return f"numbers are published without the unit that they came with: {listed}; tell it to who gets the release"


def written_otherwise(release: Release) -> list[Finding]:
    """Say what of how the original's file is written is not kept: its encoding, its quotes, marks in its numbers.

    One finding, merely said, where the release is a file of the same kind and anything is written in another way.
    """
    private = release.private
    encoded, asked = private.encoded, private.policy.output.format
    table = encoded.table
    written = table.written
    if written is None or (asked is not None and FileFormat(asked).kind != written.format.kind):
        return []
    other = dict(written.other)
    numbers = [
        domain.name for domain in (*encoded.data.quasi, *encoded.data.sensitive) if domain.kind == "real"
    ]
    if any(table.has_comma(encoded.original_name(name)) for name in numbers):
        other["decimal"] = ","
    if table.thousands is not None:
        other["thousands"] = table.thousands
    if not other:
        return []
    facts = {"kind": written.format.kind, "came_with": other}
    return [Finding("written-otherwise", facts, _written_otherwise, warned=False)]


def _written_otherwise(*, kind: str, came_with: Mapping[str, str]) -> str:
    """Say what is written in which way, and how it was."""
    ways = {
        "encoding": "in UTF-8 (it came in {})",
        "quote": "with double quotes (it came with {})",
        "delimiter": "with a plain delimiter (it came with {!r})",
        "header": "with the names of its columns (it came with {})",
        "lines": "with lines that end in LF (it came with {})",
        "format": "as a transport file (it came as {})",
        "macros": "without macros (it came as {})",
        "sheet": "in a sheet of its own (it came in {!r})",
        "decimal": "with a point in numbers (it came with a comma)",
        "thousands": "with nothing between thousands (it came with {!r})",
    }
    listed = "; ".join(ways[name].format(value) for name, value in came_with.items())
    return f"the release is written as its table came ({kind}), but {listed}"


def types_not_kept(release: Release) -> list[Finding]:
    """Say which columns of a Parquet or Arrow file are published as texts, since they are no values of their type any more.

    One finding, merely said, with the type that each had.
    """
    private = release.private
    encoded, asked = private.encoded, private.policy.output.format
    written = encoded.table.written
    chosen = FileFormat(asked) if asked is not None else None if written is None else written.format
    if chosen is None or chosen.kind not in {"parquet", "arrow"}:
        return []
    lost = {}
    for columns in release.columns.values():
        for name, column in columns.items():
            dtype = encoded.dtype(name)
            if dtype is not None and retyped(column, dtype) is None:
                # The categories of an Enum are no part of what is said.
                lost[name] = str(dtype.base_type())
    return [Finding("types-not-kept", {"columns": lost}, _other_types, warned=False)] if lost else []


def _other_types(*, columns: Mapping[str, str]) -> str:
    """Say which types are lost."""
    listed = ", ".join(f"{quoted(name)} ({dtype})" for name, dtype in columns.items())
    return f"written as texts, not in the type that they came in: {listed}"


def read_with_labels(release: Release) -> list[Finding]:
    """Say what was made of a file of a statistics program while it was read: labels, missing values; and what is lost."""
    encoded, columns = release.private.encoded, release.private.policy.columns
    if encoded.table.written is None:
        return []
    facts = dict(encoded.table.written.read)
    if "ordinal" in facts:
        shown = {encoded.original_name(own.name) for own in (*encoded.data.quasi, *encoded.data.sensitive)}
        facts["ordinal"] = {
            name: order
            for name, order in facts["ordinal"].items()
            if name in shown and columns[name].kind != "ordered"
        }
    facts = {name: value for name, value in facts.items() if value}
    return [Finding("read-with-labels", facts, _with_labels, warned=False)] if facts else []


def _with_labels(
    *,
    labelled: Sequence[str] = (),
    partly_labelled: Sequence[str] = (),
    user_missing: Mapping[str, Any] = MappingProxyType({}),
    titles: Mapping[str, str] = MappingProxyType({}),
    ordinal: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """Say which columns are of labels, which are of codes still, what is missing, and what of the file is not published."""
    parts = []
    if labelled:
        parts.append(f"{' and '.join(map(quoted, labelled))} by the labels of their values")
    if partly_labelled:
        parts.append(
            f"{' and '.join(map(quoted, partly_labelled))} by their codes, of which not all have a label of their own"
        )
    if user_missing:
        listed = "; ".join(
            f"{quoted(name)}, {count(what, 'value') if isinstance(what, int) else ', '.join(f'.{letter}' for letter in what)}"
            for name, what in user_missing.items()
        )
        parts.append(f"as missing what the file declares missing ({listed})")
    if titles:
        listed = ", ".join(
            f"{quoted(name)}: {quoted(label)}" for name, label in [*titles.items()][:_VALUES_SHOWN]
        )
        parts.append(
            f"without what its columns are labelled ({listed}{', …' * (len(titles) > _VALUES_SHOWN)})"
        )
    if ordinal:
        listed = "; ".join(f"{quoted(name)}, {' < '.join(order)}" for name, order in ordinal.items())
        parts.append(f"without the order of ordinal labels, which kind: ordered and a domain say ({listed})")
    return f"the table was read from a file of a statistics program: {', '.join(parts)}"


def without_quasi_identifiers(release: Release) -> list[Finding]:
    """Say that no column counts as what an adversary may know, where others are published as they are: all look alike then."""
    data, others = release.private.encoded.data, release.private.encoded.with_role("other")
    if data.quasi or not others:
        return []
    return [Finding("no-quasi-identifier", {"others": len(others)}, _no_quasi)]


def _no_quasi(*, others: int) -> str:
    """Say what is proven of nobody then."""
    shown = f"what is published as it is ({count(others, 'column')})"
    return (
        f"no column has the role quasi, so everybody is taken to look alike, and {shown} can tell people apart all the same: "
        "give the role quasi to what an adversary may know"
    )


def values_of_everybody(release: Release) -> list[Finding]:
    """Say which sensitive columns have one value only in all published records: no class can hide it."""
    private = release.private
    data, published = private.encoded.data, private.solution.plan.published
    records = data.count_records(published)
    return [
        Finding("one-value-for-everybody", {"column": domain.name, "records": records}, _everybodys)
        for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True)
        if distinct(codes[published]).size == 1
    ]


def _everybodys(*, column: str, records: int) -> str:
    """Say that a value is everybody's."""
    which = "the only published record has one value" if records == 1 else (
        f"all {count(records, 'published record')} have the same value"
    )  # fmt: skip
    return (
        f"{which} of {column!r}: everybody learns it of everybody in the release; give the column the role other or drop if "
        "that is all right, else do not hand it out"
    )


def alone_in_a_class(release: Release) -> list[Finding]:
    """Count the people who are alone in their class, which models of distributions alone allow.

    One finding where there are any; none for forms that publish quasi-identifiers exactly and say so.
    """
    private = release.private
    if release.certificate.make_form().publishes_exactly:
        return []
    sizes = class_sizes(release)
    alone = int(np.count_nonzero(sizes == 1))
    if not alone:
        return []
    facts = {
        "alone": alone,
        "classes": int(sizes.size),
        "unit": "record" if private.encoded.data.individuals is None else "person",
        "models": list(dict.fromkeys(model.name for model in private.policy.privacy)),
    }
    return [Finding("alone-in-a-class", facts, _alone)]


def _alone(*, alone: int, classes: int, unit: str, models: Sequence[str]) -> str:
    """Say how many are alone, and what would help."""
    verb = "asks" if len(models) == 1 else "ask"
    several = nouns(2, unit)
    return (
        f"{alone:,} of {count(classes, 'class')} {'holds' if alone == 1 else 'hold'} a single {unit}, whose quasi-identifiers "
        f"are published exactly: who knows them finds the {unit}; {' and '.join(models)} {verb} for no number of {several} in a "
        "class, so add {model: k-anonymity, k: …}"
    )


def undone(release: Release) -> list[Finding]:
    """Say whose exact quasi-identifiers follow from regions being the narrowest, where classes are small.

    One finding where the smallest class has fewer than `SMALL` records, and some column has no declared steps, nor grows; where
    somebody is alone, that is told instead (`alone_in_a_class`). Of a release that was made of counts it says how small the
    smallest is: who can be told takes the records.
    """
    private = release.private
    form, quasi = release.certificate.make_form(), private.encoded.data.quasi
    tight = [domain.name for domain in quasi if domain.lattice is None and domain.attained is None]
    smallest = int(class_sizes(release).min(initial=SMALL))
    if smallest >= SMALL or smallest < 2 or not tight or form.publishes_exactly:
        return []
    if private.encoded.data.copies is not None:
        recovered = {}
        # As exact as it is, nothing is to be undone.
        if not mean_loss(release.evaluation, "glm"):
            return []
    else:
        attack: Attack = registry.create("attacks", "downcoding", {})
        if attack.refusal(release.publication, private.encoded.data) is not None:
            return []
        found = release.attack(attack).details
        if not found["values_known"]:
            return []
        recovered = {"recovered": found["recovered"], "known": found["values_known"]}
    takes = {field.name for field in fields(registry.load("forms", form.name))}
    facts = recovered | {
        "smallest": smallest,
        "columns": tight,
        "form": form.name,
        "can_round": "steps" in takes,
        "can_grow": "attained" in takes
        and all(
            domain.lattice is None
            and not why_not_growing(
                domain, private.policy.columns[private.encoded.original_name(domain.name)]
            )
            for domain in quasi
        ),
    }
    return [Finding("regions-can-be-undone", facts, _undone)]


def _undone(
    *,
    smallest: int,
    columns: Sequence[str],
    form: str,
    can_round: bool,
    can_grow: bool,
    recovered: float | None = None,
    known: float | None = None,
) -> str:
    """Say what follows from regions, and what would help."""
    remedies = [f"ask for k of at least {SMALL}"]
    if can_round:
        remedies.append(
            f"declare steps that regions are rounded outward to (form: {{name: {form}, recoding: grid, steps: {{…}}}}) of "
            f"{' and '.join(map(quoted, columns))}"
        )
    if can_grow:
        remedies.append(f"let regions grow where that would follow (form: {{name: {form}, attained: 2}})")
    follows = (
        "exact quasi-identifiers of some of its records may follow (not whose is whose; the attack downcoding counts them in a "
        "sample that fits into memory)"
        if recovered is None
        else f"follow the exact quasi-identifiers of {recovered:.1%} of the records (not whose is whose), and {known:.1%} of "
        "generalized values (attack downcoding)"
    )
    return (
        f"the smallest class has {count(smallest, 'record')}, and regions are the narrowest that cover their classes: from them "
        f"alone {follows}; {', or '.join(remedies)}"
    )


def alone_with_a_number(release: Release) -> list[Finding]:
    """Count the people who have a number that nobody else has, in columns published as they are: such as survey weights.

    One finding for the survey weights (``weights``), where anybody is alone with theirs; one for every other column of
    numbers with the role ``other`` where at least one person in a hundred is.
    """
    private = release.private
    encoded, published = private.encoded, np.flatnonzero(private.solution.plan.published)
    individuals, copies = encoded.data.individuals, encoded.data.copies
    # Records that say the same are people of their own.
    times = None if copies is None else copies[published]
    person = np.arange(published.size) if individuals is None else individuals[published]
    people = encoded.data.count_records(published) if individuals is None else distinct(person).size
    found = []
    for name in encoded.with_role("other"):
        weights = name == encoded.survey_weights
        try:
            column = encoded.table.encode(name)
        except MixedError:
            continue
        if column.kind not in {"integer", "real"}:
            continue
        alone = _alone_with(column.codes[encoded.data.rows[published]], person, times)
        if alone and (weights or alone >= _MANY_ALONE * people):
            facts = {
                "column": encoded.published_name(name),
                "alone": alone,
                "people": people,
                "unit": "record" if individuals is None else "person",
                "weights": weights,
            }
            found.append(Finding("alone-with-a-number", facts, _alone_number))
    return found


def _alone_with(codes: NDArray[np.int32], person: NDArray[np.int64], times: NDArray[np.int64] | None) -> int:
    """Number of people who have a value that is nobody else's; -1 is no value. ``times``: how many people each row is."""
    has = codes >= 0
    if times is not None:
        return int(np.count_nonzero(np.bincount(codes[has], times[has]) == 1))
    most = int(person.max(initial=0)) + 1
    code, who = np.divmod(distinct(codes[has].astype(np.int64) * most + person[has]), most)
    return int(distinct(who[np.bincount(code)[code] == 1]).size)


def _alone_number(*, column: str, alone: int, people: int, unit: str, weights: bool) -> str:
    """Say how many a number gives away, and what would help."""
    remedy = (
        "give it the role drop, and the losses of the release are still counted with it"
        if weights
        else "give it the role drop, or quasi where it matters; weights that must be published are declared as weights:"
    )
    return (
        f"column {column!r}: {alone:,} of {count(people, unit)} {'has' if alone == 1 else 'have'} a "
        f"{'survey weight' if weights else 'number'} that nobody else has: whoever knows it finds the {unit}; round the numbers "
        f"until several share each, or {remedy}"
    )


def tells_nothing(release: Release) -> list[Finding]:
    """Say that a release tells next to nothing, which model needs that, and for which values.

    One finding, where the information loss (GLM) is `TELLS_NOTHING` or more, or all is one class although quasi-identifiers
    differ. A model is said to need it where a sensitive value may stand only in classes of more than half of the table, or
    where it fails in a half of the table whichever quasi-identifier is cut at its median.
    """
    records = release.certificate.records
    if release.certificate.make_form().publishes_exactly or records < 2:
        return []
    # Where means are published, of the regions that their classes span.
    loss = mean_loss(release.evaluation, "glm")
    classes = release.evaluation.recoding.classes
    if loss < TELLS_NOTHING and not (classes == 1 and loss > 0):
        return []
    individuals = release.certificate.individuals
    units = records if individuals is None else individuals
    facts = {
        "loss": loss,
        "classes": classes,
        "units": units,
        "unit": "record" if individuals is None else "person",
        "needed_by": _needed_by(release, units),
    }
    return [Finding("tells-nothing", facts, _nothing_told)]


def _needed_by(release: Release, units: int) -> list[dict[str, Any]]:
    """Find the models that keep most of the table in one class, with the values that need the largest classes."""
    found = []
    halves = None
    for requirement in release.private.solution.requirements:
        values = {
            value: least for value, least in requirement.largest_needs(_VALUES_SHOWN) if 2 * least > units
        }
        halves = _halves(release) if halves is None else halves
        if not values and (
            not halves or any(_both_hold(release, requirement, own) for own in halves.values())
        ):
            continue
        view = requirement.view
        sensitive = release.private.encoded.data.sensitive
        found.append(
            {
                "model": requirement.model.name,
                "column": None if view is None else view.domain.name,
                "values": values,
                "known": [] if view is None else [sensitive[i].name for i in view.known],
                "halved": _met_by_halves(release, requirement, halves),
            }
        )
    return found


def _met_by_halves(
    release: Release, requirement: Requirement, halves: Mapping[str, NDArray[np.int64]]
) -> dict[str, Any]:
    """Find by which quasi-identifier the published records are cut in two so that both halves meet the strongest model.

    ``column``, ``parameter`` and ``value``: what the model would have to be weakened to, for there to be more than one class.
    Empty where nothing finite is met.
    """
    data = release.private.encoded.data.take(np.flatnonzero(release.private.solution.plan.published))
    met = []
    for column, half in halves.items():
        reached = requirement.bound.strongest(requirement.of_rows(data, half, 2)).values
        for parameter, value in reached.items():
            if parameter in requirement.model.ranges and np.isfinite(value):
                larger = requirement.model.ranges[parameter].larger_is_stronger
                # To the side on which both halves still hold it.
                four = Context(prec=4, rounding=ROUND_FLOOR if larger else ROUND_CEILING)
                told = float(four.create_decimal(Decimal(float(value))))
                met.append(
                    (-value if larger else value, {"column": column, "parameter": parameter, "value": told})
                )
                break
    return min(met, key=itemgetter(0))[1] if met else {}


def _halves(release: Release) -> dict[str, NDArray[np.int64]]:
    """By quasi-identifier, (published,) the half of each published record (of each person's records) cut at its median."""
    private = release.private
    data = private.encoded.data
    data = data.take(np.flatnonzero(private.solution.plan.published))
    found = {}
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        middle = _median(codes, data.copies)
        upper = codes > middle if (codes > middle).any() else codes >= middle
        if upper.all():
            continue
        half = upper.astype(np.int64)
        if data.individuals is not None:
            of = np.zeros(int(data.individuals.max()) + 1, np.int64)
            of[data.individuals[::-1]] = half[::-1]
            half = of[data.individuals]
        found[domain.name] = half
    return found


def _median(codes: NDArray[np.int32], copies: NDArray[np.int64] | None) -> float:
    """Median of codes, each of which counts so often.

    >>> _median(np.array([0, 3, 5]), None), _median(np.array([0, 3, 5]), np.array([2, 1, 1]))
    (3.0, 1.5)
    """
    if copies is None:
        return float(np.median(codes))
    up_to = np.cumsum(np.bincount(codes, copies))
    below, above = np.searchsorted(up_to, [(up_to[-1] - 1) // 2, up_to[-1] // 2], "right")
    return (int(below) + int(above)) / 2


def _both_hold(release: Release, requirement: Requirement, half: NDArray[np.int64]) -> bool:
    """Whether both halves of what is published hold a model."""
    private = release.private
    data = private.encoded.data.take(np.flatnonzero(private.solution.plan.published))
    return bool(holding_classes((requirement,), data, half, 2).all())


def _nothing_told(
    *, loss: float, classes: int, units: int, unit: str, needed_by: Sequence[Mapping[str, Any]]
) -> str:
    """Say how little is told, why, and what would help."""
    held = (
        f"all {count(units, unit)} are one class" if classes == 1 else f"there are {count(classes, 'class')}"
    )
    line = f"the release tells next to nothing: its information loss (glm) is {loss:.3g} of at most 1, and {held}"
    if not needed_by:
        return (
            f"{line}; no model needs that by itself: look at the method, at levels and hierarchies of quasi-identifiers"
            + (", and at people whose records differ in them" if unit == "person" else "")
        )
    help_ = ["weaken it" if len(needed_by) == 1 else "weaken them"]
    for one in needed_by:
        subject = one["model"] if one["column"] is None else f"{one['model']} on {one['column']!r}"
        line += f"; {subject} needs that"
        if one["known"]:
            line += f", {' and '.join(map(repr, one['known']))} being known"
            help_.append("take other sensitive columns as unknown where they are (others: unknown)")
        if one["values"]:
            needs = ", ".join(f"{value!r} {least:,}" for value, least in one["values"].items())
            line += f" (smallest class that may hold a value: {needs})"
            help_ += [
                "group rare values (level, with a hierarchy)",
                "let their records be withheld (withhold: at_most)",
            ]
    for one in needed_by:
        if one["halved"]:
            met = f"{one['halved']['parameter']} = {plain_number(one['halved']['value'])}"
            line += f"; cut in two at the middle of {one['halved']['column']!r}, both halves would meet {one['model']} with {met}"
    return f"{line}; {', or '.join(dict.fromkeys(help_))}"


_REMEDY = "a spreadsheet program that opens the release may run it: say output: {formulas: escape}, or correct the table"


def formulas_in(release: Release) -> list[Finding]:
    """Say which published texts a spreadsheet program would run as formulas, unless they are escaped.

    One finding per column that is named by such a text, or else holds one.
    """
    if release.certificate.formulas == "escape":
        return []
    found: dict[str, Finding] = {}
    for place, columns in enumerate(release.columns.values()):
        # Only the first table has rows that stand for several.
        copies = None if place else release.publication.copies
        names = pl.Series(list(columns), dtype=pl.String)
        for name in names.filter(are_formulas(names)):
            found[name] = Finding("formula-as-name", {"column": name}, _formula_as_name)
        for name, column in columns.items():
            if isinstance(column, EncodedColumn) and column.kind != "text":
                continue
            labels = column.values.tolist() if isinstance(column, EncodedColumn) else column.labels
            which = are_formulas(pl.Series(labels, dtype=pl.String)).to_numpy()
            # The last entry stands for missing cells.
            cells = np.append(which, np.False_)[column.codes]
            number = int(np.count_nonzero(cells) if copies is None else copies[cells].sum())
            if number and name not in found:
                example = min(labels[code] for code in distinct(column.codes[cells]).tolist())
                facts = {"column": name, "cells": number, "example": example}
                found[name] = Finding("formulas", facts, _formulas)
    return list(found.values())


def _formula_as_name(*, column: str) -> str:
    """Say that a column's name is a formula."""
    return f"the name of the column {quoted(column)} begins as a formula does; {_REMEDY}"


def _formulas(*, column: str, cells: int, example: str) -> str:
    """Say how many cells of a column are formulas."""
    begins = "begins as a formula does" if cells == 1 else "begin as formulas do"
    return (
        f"column {column!r}: {count(cells, 'published cell')} {begins}, such as {quoted(example)}; {_REMEDY}"
    )
