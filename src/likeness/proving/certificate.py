"""The certificate: what was proven, to whom, and what a recipient needs to prove it again.

Every key and value of ``certificate.json`` is either compared with the published files or is one that they cannot
contradict (a declared domain, a version): nothing in it is a sentence, and free text only what the publisher says of the
release (``about``: title, publisher, contact; one line each, and a day), which nobody can check and pages say so. `_Plain`
and its parts name every key once. What is published as it is and what are pseudonyms (``role``), values coded as an end
(``bottom``, ``top``), what is taken as known (``others``) and seeds (``reproducible``) are fields of it. The sentences
about them (`Certificate.remarks`) are made of these when somebody reads them, by the version at hand: nothing is decided by
them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from likeness import registry
from likeness.errors import LikenessError, Refusal, VerificationError
from likeness.models.base import KNOWN_AS, SensitiveModel
from likeness.models.requirements import MOST_GUARANTEES, one_a_column
from likeness.policy.sections import is_line
from likeness.proving.proof import survives_joining
from likeness.published.columns import ColumnNote, PublishedColumns
from likeness.wording import count, nouns, plain_number, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from likeness.forms.base import Form
    from likeness.models.base import PrivacyModel
    from likeness.proving.proof import Verdict
    from likeness.tables.spelling import Formulas

AS_THEY_ARE = "published as they are, and not taken as known to the adversary: "
PSEUDONYMS = "random numbers in place of identifiers, the same number for the same one: "
SEED_WARNING = (
    "a seed was given, and what protects this release is that nobody can repeat its random draws: whoever knows the original "
    "but for a few values can try these values and seeds (a seed can be found by trying, a small one within seconds) until "
    "this release comes out, and then knows them. Do not hand it out: make it again without a seed"
)
"""What a seed means for forms that protect by randomness."""
NOISE = (
    "some published records are nobody's: they were invented, so that buckets or classes hold the guarantee, and counts are of "
    "all records. Which ones, and how many, only the steward knows, so nobody else can check the guarantee"
)
"""What is said where records were added."""


def remarks_on_others(models: Iterable[PrivacyModel], sensitive: Sequence[str]) -> Iterator[str]:
    """Say for every model of a sensitive column whether the others are taken as known.

    Columns are called as they are published; ``sensitive`` are all sensitive ones, and of a single one nothing is said.

    >>> from likeness.models.distinct_l_diversity import DistinctLDiversity
    >>> list(remarks_on_others([DistinctLDiversity(2, sensitive="pay")], ["disease", "pay"]))
    ["distinct-l-diversity on 'pay': 'disease' taken as known to the adversary"]
    """
    for model in one_a_column(models, sensitive) if len(sensitive) > 1 else ():
        if not isinstance(model, SensitiveModel):
            continue
        reading = "known" if model.others == "known" else "not known"
        others = ", ".join(repr(name) for name in sensitive if name != model.sensitive)
        yield f"{model.name} on {model.sensitive!r}: {others} taken as {reading} to the adversary"


def remark_on_columns(begin: str, names: Iterable[str]) -> list[str]:
    """Say what several columns are: ``begin``, then their names; nothing if there are none."""
    listed = ", ".join(map(repr, names))
    return [begin + listed] if listed else []


def remark_on_ends(name: str, side: str, bound: object) -> str:
    """Say that values beyond an end of a column are published as that end; ``side`` is ``below`` or ``above``."""
    return f"{name!r}: values {side} {bound} are published as {bound}"


def remark_on_rounding(name: str, step: float) -> str:
    """Say that values of a column are published as multiples of a number."""
    return f"{name!r}: values are rounded to multiples of {plain_number(step)}"


def remark_on_protected(name: str, values: Sequence[str]) -> str:
    """Say that only some values of a column are protected.

    >>> remark_on_protected("disease", ["HIV", "syphilis"])
    "'disease': only these values are protected: 'HIV', 'syphilis'; nothing is promised of any other"
    """
    named = (
        f"{len(values)} values, listed in certificate.json"
        if len(values) > _NAMED
        else ", ".join(map(quoted, values))
    )
    one = "only this value is" if len(values) == 1 else "only these values are"
    return f"{name!r}: {one} protected: {named}; nothing is promised of any other"


def remark_on_knowledge(known: Mapping[str, Any]) -> str:
    """Say what the adversary is taken to know; ``known`` is an entry of a certificate.

    >>> remark_on_knowledge({"source": "kernel", "sensitive": "disease", "parameters": {"bandwidth": "0.3"}})
    "'disease': the adversary is taken to know what people alike have: the table itself, smoothed by a kernel of bandwidth 0.3"
    """
    told = registry.load("knowledge", known["source"]).told(known["parameters"])
    named = f" ({quoted(known['name'])})" if "name" in known else ""
    return f"{known['sensitive']!r}{named}: the adversary is taken to know {told}"


_NAMED = 20
"""Protected values that a sentence names; of more it gives the number."""

SETS = (
    "everybody has one row, with the set of their sensitive values: each as it is or as a node of the hierarchy above it; "
    "whose row it is has at least one value below every node, and none below others"
)


def remark_on_joining(models: Iterable[PrivacyModel]) -> list[str]:
    """Say what who joins two tables that buckets link cannot learn, and what is taken for granted.

    >>> from likeness.models.t_closeness import TCloseness
    >>> remark_on_joining([TCloseness("1/5")])[0]
    'whoever joins the two tables believes in a value a mean of its shares in buckets, so t-closeness holds for them too; taken \
for granted is that all ways to give the values of a bucket to its rows are as likely'
    """
    about = dict.fromkeys(one for one in models if isinstance(one, SensitiveModel))
    names = {
        kept: list(dict.fromkeys(one.name for one in about if survives_joining(one) == kept))
        for kept in (True, False)
    }
    line = "whoever joins the two tables believes in a value a mean of its shares in buckets"
    if names[True]:
        line += f", so {_listed(names[True])} {'holds' if len(names[True]) == 1 else 'hold'} for them too"
    if names[False]:
        line += (
            f"; {_listed(names[False])} {'is' if len(names[False]) == 1 else 'are'} proven of buckets alone"
        )
    granted = "; taken for granted is that all ways to give the values of a bucket to its rows are as likely"
    return [line + granted]


def _listed(names: Sequence[str]) -> str:
    """Join names as a sentence has them."""
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


def remarks_on(
    form: Form, models: Iterable[PrivacyModel], columns: PublishedColumns, *, reproducible: bool
) -> list[str]:
    """Say what a guarantee takes for granted: everything that a certificate tells in sentences.

    Models name columns as they are published; ``reproducible``: a seed was given.
    """
    names = {
        role: [note.name for note in columns.with_role(role)] for role in ("sensitive", "other", "pseudonym")
    }
    ends = [
        remark_on_ends(note.name, side, bound)
        for note in columns.notes
        for side, bound in (("below", note.bottom), ("above", note.top))
        if bound is not None
    ]
    rounded = [remark_on_rounding(note.name, note.round) for note in columns.notes if note.round is not None]
    protected = [
        remark_on_protected(note.name, note.sensitive_values)
        for note in columns.notes
        if note.sensitive_values is not None
    ]
    warned = [SEED_WARNING] if reproducible and form.protected_by_randomness else []
    return [
        *protected,
        *remarks_on_others(models, names["sensitive"]),
        *remark_on_columns(AS_THEY_ARE, names["other"]),
        *remark_on_columns(PSEUDONYMS, names["pseudonym"]),
        *rounded,
        *ends,
        SETS if any(note.sets for note in columns.notes) else form.remark,
        *(remark_on_joining(models) if form.publishes_buckets else ()),
        *form.further_remarks,
        *warned,
    ]


FORMAT = 2
_MOST_DIGITS = 40
"""Digits of a whole number: those of 128 bits, and a sign."""
_DEEPEST = 64
_NESTED = "it is nested more deeply than what likeness writes"
_FIRST_VERSION = (0, 3)
"""The first version that wrote this format."""
_VERSIONS_OF_FORMAT_1 = ("0.1.0", "0.2.0")


@dataclass(frozen=True)
class Certificate:
    """What is handed out with a release; nothing in it would help an adversary.

    ``form``: the form and its options.
    ``columns``: notes on the published columns.
    ``guarantee``: one entry per model and sensitive column: parameters, scope, measured strength. An entry of scope
    ``steward`` has no measured strength (None): nobody who has the release alone could check it.
    ``records``, ``classes``: published records and equivalence classes.
    ``reproducible``: a seed was given, so that the release could be made again by whoever knows it.
    ``files``: file name to its SHA-256, number of rows and columns; filled when the release is written.
    ``version``: that of likeness that wrote it.
    ``individuals``: published ones, where people may have several records; then people are counted, not records.
    ``formulas``: ``escape`` when an apostrophe stands in the files before texts that a spreadsheet program would run; else
    ``keep``.
    ``knowledge``: what adversaries are taken to know beforehand: ``source``, ``sensitive`` column, ``parameters`` and,
    of several, ``name``; never what they believe of anybody.
    ``about``: what the publisher says of the release: ``title``, ``publisher``, ``contact``, ``date``. Nobody can check it.
    ``noise``: some published records are nobody's. How many is not told; ``records`` counts them too.
    """

    form: dict[str, Any]
    columns: PublishedColumns
    guarantee: tuple[dict[str, Any], ...]
    records: int
    classes: int
    reproducible: bool
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    version: str = ""
    individuals: int | None = None
    formulas: Formulas = "keep"
    knowledge: tuple[dict[str, Any], ...] = ()
    noise: bool = False
    about: dict[str, str] = field(default_factory=dict)

    def make_form(self) -> Form:
        """Make the form the release was published in."""
        options = dict(self.form)
        made: Form = registry.create("forms", options.pop("name"), options)
        return made

    def make_models(self) -> list[PrivacyModel]:
        """Make the models the certificate claims, each once."""
        unique = {
            json.dumps([entry["model"], entry["parameters"]], sort_keys=True): entry
            for entry in self.guarantee
        }
        return [registry.create("models", e["model"], e["parameters"]) for e in unique.values()]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the guarantee takes for granted, in sentences: they follow from the other fields."""
        return (
            *remarks_on(self.make_form(), self.make_models(), self.columns, reproducible=self.reproducible),
            *map(remark_on_knowledge, self.knowledge),
            *([NOISE] if self.noise else []),
        )

    @property
    def weakened_by_seed(self) -> bool:
        """Whether a seed was given where nothing but chance protects the release (`SEED_WARNING`)."""
        return self.reproducible and self.make_form().protected_by_randomness

    def compare(self, verdict: Verdict) -> list[Refusal]:
        """Say where the certificate claims something else than was found."""
        problems = []
        if (self.records, self.classes) != (verdict.records, verdict.classes):
            problems.append(
                # What was changed may be anything.
                _said(
                    f"says {self.records} {nouns(self.records, 'record')} in {self.classes} "
                    f"{nouns(self.classes, 'class')}; the published tables hold {verdict.records} in {verdict.classes}"
                )
            )
        problems += self._compare_people(verdict)
        found = {_key(proof.claim()): proof for proof in verdict.proofs}
        for entry in self.guarantee:
            proof = found.pop(_key(entry), None)
            if proof is None:
                covered = entry.get("sensitive") in {
                    None,
                    *(n.name for n in self.columns.with_role("sensitive")),
                }
                what = "which its own models do not give" if covered else "which is no sensitive column"
                problems.append(_said(f"claims {_subject(entry)}, {what}"))
            elif proof.holds is None and entry["scope"] != proof.scope:
                problems.append(
                    _said(f"claims {_subject(entry)}: scope {entry['scope']}; its scope is {proof.scope}")
                )
            # As texts: True is 1, and 4 is 4.0, to Python.
            elif json.dumps(proof.claim()) != json.dumps(entry):
                problems.append(
                    _said(f"claims {_subject(entry)}: {_phrase(entry)}; found: {_phrase(proof.claim())}")
                )
        problems += [_said(f"lacks an entry for {proof.subject}") for proof in found.values()]
        return problems

    def _compare_people(self, verdict: Verdict) -> list[Refusal]:
        """Compare the number of individuals with what was found, or with what is possible where that is not known."""
        if self.individuals is None or verdict.individuals is not None:
            if self.individuals != verdict.individuals:
                told, found = _people(self.individuals), _people(verdict.individuals)
                return [_said(f"says {told}; found: {found}")]
            about = [model.name for model in self.make_models() if model.about_individuals]
            if self.individuals is None and about and verdict.records:
                return [_said(f"claims {about[0]}, which counts people, and does not say how many there are")]
            return []
        k = max([1, *(model.conditions.size or 1 for model in self.make_models())])
        if not k * verdict.classes <= self.individuals <= verdict.records:
            held = f"{count(verdict.records, 'record')} in {count(verdict.classes, 'class')}"
            asked = "" if k == 1 else f" of at least {count(k, 'individual')} each"
            return [_said(f"says {_people(self.individuals)}; {held}{asked} cannot be theirs")]
        return []

    def to_json(self) -> str:
        """Write it; the same release, the same bytes."""
        plain = {
            "format": FORMAT,
            "likeness": self.version,
            "form": self.form,
            "guarantee": list(self.guarantee),
            "counts": {"records": self.records, "classes": self.classes}
            | ({} if self.individuals is None else {"individuals": self.individuals}),
            "reproducible": self.reproducible,
            "columns": [note.to_json() for note in self.columns.notes],
            "files": self.files,
        } | ({} if self.formulas == "keep" else {"formulas": self.formulas})
        plain |= {"knowledge": list(self.knowledge)} if self.knowledge else {}
        plain |= {"noise": True} if self.noise else {}
        plain |= {"about": self.about} if self.about else {}
        return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"

    @staticmethod
    def from_json(text: str, where: str) -> Certificate:
        """Read it back; `VerificationError` where it is no certificate, or holds anything that `to_json` does not write."""
        try:
            return _read(text, where)
        except VerificationError:
            raise
        except ValidationError as problem:
            first = problem.errors(include_url=False, include_input=False)[0]
            reason = f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, LikenessError) as problem:
            reason = str(problem)
        except RecursionError:
            reason = "it is nested too deeply"
        raise VerificationError(
            Refusal(f"is not a certificate of likeness, or was changed ({reason})", (where,))
        )


def _said(what: str) -> Refusal:
    """Refuse what a certificate says."""
    return Refusal(what, about="certificate.json")


def read_json(text: str) -> Any:
    """Read JSON of a stranger: numbers that mean something, lists and objects of limited depth, no key twice.

    Raises `ValueError` where it is no JSON, or holds a number that no release has (such as 1e400), or is nested more deeply
    than any.
    """
    try:
        found = json.loads(
            text, object_pairs_hook=_once, parse_int=_whole, parse_float=_real, parse_constant=_real
        )
    except RecursionError:
        raise ValueError(_NESTED) from None
    level, depth = [found], 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise ValueError(_NESTED)
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return found


def _whole(text: str) -> int:
    """Read a whole number; Python takes a time for it that is more than in proportion to its digits."""
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _real(text: str) -> float:
    """Read a number, which is finite."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(
            f"{text if len(text) <= _MOST_DIGITS else 'what stands there'} is not a number of 64 bits"
        )
    return number


def _read(text: str, where: str) -> Certificate:
    """Read a certificate; any error but a VerificationError says that it is none."""
    given = read_json(text)
    found = given.get("format") if isinstance(given, dict) else None
    if isinstance(given, dict) and (type(found) is not int or found != FORMAT):
        raise VerificationError(
            Refusal(
                f"is of format {found!r}; this version reads format {FORMAT}{_read_by(found, given.get('likeness'))}",
                (where,),
            )
        )
    plain = _Plain.model_validate(given)
    if tuple(map(int, re.findall("[0-9]+", plain.likeness)[:2])) < _FIRST_VERSION:
        raise ValueError(f"likeness {plain.likeness} wrote no format {FORMAT}")
    certificate = Certificate(
        given["form"],
        PublishedColumns(tuple(ColumnNote.from_json(note) for note in given["columns"])),
        # In any other order the bytes are not those that likeness writes.
        tuple(map(_Claim.ordered, given["guarantee"])),
        plain.counts.records,
        plain.counts.classes,
        plain.reproducible,
        {name: _File.ordered(facts) for name, facts in given["files"].items()},
        plain.likeness,
        plain.counts.individuals,
        plain.formulas or "keep",
        tuple(map(_Known.ordered, given.get("knowledge", ()))),
        plain.noise is True,
        _SaidOfIt.ordered(given.get("about", {})),
    )
    _check_claims(certificate)
    # JSON can hold halves of characters, which no file of ours has.
    certificate.to_json().encode()
    return certificate


def _read_by(format_: Any, version: Any) -> str:
    """Say which version verifies a release of another format: the one that wrote it, if it says so."""
    if format_ == 1 and type(format_) is int:
        wrote = version if isinstance(version, str) and version in _VERSIONS_OF_FORMAT_1 else None
        return f"; verify it with likeness {wrote or _VERSIONS_OF_FORMAT_1[-1]}, which wrote it"
    return "; verify it with the version of likeness that wrote it" if type(format_) is int else ""


def unique_claims(verdict: Verdict) -> tuple[dict[str, Any], ...]:
    """Entries of a certificate for what was proven, one per model and sensitive column however often a policy asks for it."""
    claims = [proof.claim() for proof in verdict.proofs]
    return tuple({_key(claim): claim for claim in claims}.values())


def _line(text: str) -> str:
    """Refuse a text that no policy can say of a release."""
    if not is_line(text):
        raise ValueError("is not one line of text, as policies say it")
    return text


def _day(text: str) -> str:
    """Refuse what is no day, or not written as one is."""
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError("is not a day written as 2026-11-25 is")
    return text


_Count = Annotated[int, Field(ge=0, lt=1 << 62)]
_Name = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    """A part of ``certificate.json``: exactly these keys, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _given_or_left_out(cls, given: Any) -> Any:
        """Refuse keys that are there and say nothing."""
        for key, value in given.items() if isinstance(given, dict) else ():
            if value is None and key != "measured":
                raise ValueError(f"{key} is null; it must say something, or be left out")
        return given

    @classmethod
    def ordered(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Put the keys in their order."""
        return {key: given[key] for key in cls.model_fields if key in given}


class _Claim(_Part):
    model: str
    parameters: dict[str, Any]
    scope: Literal["public", "mechanism", "steward"]
    measured: dict[str, float | Literal["inf"]] | None
    sensitive: _Name | None = None


class _Counts(_Part):
    records: _Count
    classes: _Count
    individuals: _Count | None = None


class _Column(_Part):
    name: str
    role: Literal["quasi", "sensitive", "other", "pseudonym", "added"]
    kind: Literal["integer", "real", "date", "ordered", "hierarchical", "categorical"] | None = None
    shape: Literal["interval", "tree", "set"] | None = None
    low: float | None = None
    high: float | None = None
    bottom: int | float | str | None = None
    round: int | float | None = None
    top: int | float | str | None = None
    order: Annotated[list[str], Field(min_length=1)] | None = None
    values: Annotated[list[str | None], Field(min_length=1)] | None = None
    hierarchy: list[Annotated[list[str], Field(min_length=1)]] | None = None
    distance: Literal["equal", "ordered", "hierarchical"] | None = None
    survey_weight: Literal[True] | None = None
    sets: Literal[True] | None = None
    sensitive_values: Annotated[list[str], Field(min_length=1)] | None = None
    categories: Annotated[list[Annotated[list[str], Field(min_length=2)]], Field(min_length=2)] | None = None


class _Known(_Part):
    source: _Name
    sensitive: _Name
    parameters: dict[str, Any]
    name: Annotated[str, Field(pattern=KNOWN_AS)] | None = None


class _SaidOfIt(_Part):
    title: Annotated[str, AfterValidator(_line)] | None = None
    publisher: Annotated[str, AfterValidator(_line)] | None = None
    contact: Annotated[str, AfterValidator(_line)] | None = None
    date: Annotated[str, AfterValidator(_day)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("it is empty; it must say something, or be left out")
        return self


class _File(_Part):
    sha256: Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]
    rows: _Count
    columns: list[str]


class _Plain(_Part):
    format: int
    likeness: Annotated[
        str, Field(max_length=32, pattern=r"\A[0-9]+(\.[0-9]+){1,3}((a|b|rc|\.post|\.dev)[0-9]+)*\z")
    ]
    form: dict[str, Any]
    guarantee: Annotated[list[_Claim], Field(min_length=1, max_length=MOST_GUARANTEES)]
    counts: _Counts
    reproducible: bool
    columns: list[_Column]
    files: dict[str, _File]
    formulas: Literal["escape"] | None = None
    knowledge: Annotated[list[_Known], Field(min_length=1, max_length=MOST_GUARANTEES)] | None = None
    noise: Literal[True] | None = None
    about: _SaidOfIt | None = None


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Take the keys and values of an object, none of them twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = max(Counter(key for key, _ in pairs).items(), key=itemgetter(1))
        raise ValueError(f"the key {twice!r} stands there twice")
    return found


def _check_claims(certificate: Certificate) -> None:
    """Refuse what has the right type and is nothing that `Certificate.to_json` writes.

    Raises `ValueError` or `PolicyError`, saying what it is.
    """
    form = certificate.make_form()
    if json.dumps(certificate.form) != json.dumps({"name": form.name, **registry.parameters(form)}):
        raise ValueError("form: is not written as likeness writes it")
    keys = set()
    for entry in certificate.guarantee:
        model = registry.create("models", entry["model"], entry["parameters"])
        if json.dumps(registry.parameters(model)) != json.dumps(entry["parameters"]):
            raise ValueError(
                f"guarantee: the parameters of {model.name} are not written as likeness writes them"
            )
        if _key(entry) in keys:
            raise ValueError(f"guarantee: {_subject(entry)} stands there twice")
        keys.add(_key(entry))
    _check_knowledge(certificate)
    if certificate.noise and not form.publishes_added:
        raise ValueError(f"noise: {form.name} publishes no record that is nobody's")
    if certificate.noise and certificate.individuals is not None:
        raise ValueError(
            "counts: individuals are counted, and noise is declared: not every record is somebody's"
        )
    names = [note.name for note in certificate.columns.notes]
    if len(set(names)) < len(names):
        raise ValueError("columns: a name stands there twice")
    if sum(note.survey_weight for note in certificate.columns.notes) > 1:
        raise ValueError("columns: more than one is a survey weight")
    for note in certificate.columns.notes:
        wrong = note.contradiction()
        if (note.kind, note.shape) == ("hierarchical", "set") and form.recoding != "set":
            wrong = "only recoding: set publishes values of a hierarchy as sets"
        if wrong:
            raise ValueError(f"columns: {note.name!r}: {wrong}")


def _check_knowledge(certificate: Certificate) -> None:
    """Refuse knowledge that no model is about, and models about knowledge that is not there."""
    known = certificate.knowledge
    for own in known:
        told = registry.load("knowledge", own["source"]).check_facts(own["parameters"])
        if json.dumps(told) != json.dumps(own["parameters"]):
            raise ValueError(
                f"knowledge: the parameters of {own['source']} are not written as likeness writes them"
            )
    places = [(own["sensitive"], own.get("name")) for own in known]
    if len(set(places)) < len(places):
        raise ValueError("knowledge: one stands there twice")
    used = set()
    for entry in certificate.guarantee:
        model = registry.create("models", entry["model"], entry["parameters"])
        if not model.needs_knowledge:
            continue
        wanted = (entry.get("sensitive"), model.knowledge)
        if wanted not in places:
            raise ValueError(f"knowledge: lacks what {_subject(entry)} is about")
        used.add(wanted)
    if used != set(places):
        raise ValueError("knowledge: holds what no model is about")


def _people(individuals: int | None) -> str:
    """Say how many individuals there are."""
    return "one record a person" if individuals is None else count(individuals, "individual")


def _subject(entry: Mapping[str, Any]) -> str:
    """Name what an entry is about."""
    column = entry.get("sensitive")
    return str(entry["model"]) + ("" if column is None else f" on {column!r}")


def _phrase(entry: Mapping[str, Any]) -> str:
    """Write what an entry claims."""
    measured = entry["measured"]
    strongest = ", ".join(f"{name} = {value}" for name, value in measured.items()) if measured else measured
    return f"{strongest}, scope {entry['scope']}"


def _key(entry: Mapping[str, Any]) -> str:
    """What an entry is about."""
    return json.dumps([entry["model"], entry["parameters"], entry.get("sensitive")], sort_keys=True)
