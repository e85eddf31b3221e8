"""What a column probably means: its look, the role that speaks for, and why.

From a column to its meaning: rules in order, the careful ones first.

A column is never proposed as ``other``: what nothing is known about is taken for a quasi-identifier, which is
published in classes only, and texts that are nearly unique are left out.

Rules that find columns which are never published: constant, identifiers, unique texts and numbers.

Rules for columns that are published: times, codes, sensitive attributes, and quasi-identifiers, which is the rest.

What the name of a column says: small lists of English, German, French, Spanish, Italian and Portuguese words, all of them
here, without accents.

Names are split at everything that is no letter and at changes of case (``patientID`` is *patient*, *id*). A list
word matches a part that equals it, with or without a plural s; long words also match what begins or ends with them
(``maritalstatus``, ``occupationcode``, ``Hauptdiagnose``), and so do short ones that begin only words of their own (``RACEX``).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.profiling.cells import NUMBERS, are_codes
from likeness.profiling.orders import MOST_ORDERED, order_of
from likeness.report.finding import Finding
from likeness.tables.dates import NO_CENTURY, spellings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.profiling.cells import Cells, Contents

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_COMPOUND = 6
"""Letters from which a word of the lists also matches longer parts."""
_STEMS = ("race", "hisp", "ethn")
"""Shorter words that match what begins with them."""


def _set(words: str) -> frozenset[str]:
    """Turn words into a set."""
    return frozenset(words.split())


def _listed(groups: Mapping[str, str]) -> dict[str, str]:
    """Turn groups of words into a look-up from word to group."""
    return {word: group for group, words in groups.items() for word in words.split()}


PERSONS = _set(
    "patient person individual member subject participant customer client user employee student pupil "
    "respondent citizen resident insured beneficiary donor applicant borrower taxpayer voter people "
    "pers pat pt subj emp "
    "patienten versicherten kunden mitarbeiter teilnehmer probanden personne assure salarie paciente empleado asegurado "
    "alumno paziente assistito dipendente utente funcionario utilizador "
    "historia prontuario cartella akte krankenakte"
)
"""Who a number may belong to; the file of a patient, too."""

ALONE = (PERSONS - _set("people insured historia prontuario cartella akte krankenakte")) | {"nr"}
"""What may be a number of somebody when it is the whole name; *people* and *insured* are counts and sums as often."""

_LONG_PERSONS = tuple(person for person in sorted(PERSONS) if len(person) > 3)

RECORDS = _set(
    "visit record row encounter admission claim event entry order transaction line stay episode discharge "
    "fall besuch aufnahme sejour consulta visita visite ricovero episodio atencion registro "
    "invoice receipt prescription specimen beleg rechnung rezept facture ordonnance factura receta fattura ricetta fatura receita"
)
"""What else a number may belong to: every one of these is new."""

NUMBER_WORDS = _set(
    "id ids identifier pid uid number no nr num key code ref reference nbr nummer numero codigo codice matricule"
)
"""What follows a person or a record when it is a number."""

OWN_NUMBERS = _set("id ids identifier pid uid uuid guid")
"""Numbers of somebody or something even when they stand alone."""

NAME_PARTS = _set(
    "first last given family middle maiden full sur fore nick user mother father spouse contact doctor "
    "physician apellido apellidos completo pila prenom vor nach cognome completo apelido"
)
NAMES = _set(
    "surname firstname lastname forename fullname nickname username givenname familyname middlename "
    "maidenname vorname nachname familienname prenom apellido cognome sobrenome"
)
NAME_ALONE = _set("name nom nombre nome")
"""What names people when it is the whole name of a column; *nombre* may also be how many of something."""

CONTACTS = _listed(
    {
        "e-mail address": "email mail",
        "phone number": "phone telephone mobile tel fax",
        "address": "address street",
        "number of a person": "ssn nino nhs mrn passport iban licence license account card creditcard",
        "account name": "login website homepage url facebook twitter",
        "device": "ip imei vin",
        "likeness of a person": "photo signature fingerprint biometric",
    }
)
"""Words of direct identifiers beside names and numbers."""

LOCATIONS = _set("latitude longitude lat lon lng gps coordinate coordinates")

WEIGHTS = _set("fnlwgt wgt wt pweight finalwt perwt hhwt")
"""Survey weights on their own; *weight* alone may be that of a body."""
SURVEYS = _set("instance sampling sample survey final replicate person household design")

SENSITIVE = _listed(
    {
        "health": (
            "diagnosis diagnoses diagnostic disease illness sickness icd condition disorder syndrome symptom "
            "cancer tumor tumour hiv aids infection drug medication medicine treatment therapy procedure surgery "
            "allergy pregnant pregnancy disability disabled smoker smoking alcohol mental psychiatric genetic "
            "abortion addiction suicide diag diabetes asthma "
            "diagnose krankheit schwangerschaft maladie diagnostico enfermedad embarazo "
            "malattia diagnosi gravidanza doenca gravidez "
            "behandlung therapie traitement tratamiento terapia trattamento tratamento "
            "medikament arzneimittel medikation medicament medicamento farmaco symptome sintoma sintomo "
            "allergie alergia allergia alergia"
        ),
        "belief": "konfession religione religiao religion religious faith politics political party vote union",
        "sexuality": "sexual sexuality orientation",
        "crime": "crime criminal conviction offence offense arrest",
        "money": (
            "income salary wage earning pay wealth debt loan credit pension poverty charges billed dividend savings asset "
            "gehalt lohn einkommen salaire revenu salario ingresos sueldo stipendio reddito renda rendimento"
        ),
        "work": "occupation job profession beruf ocupacion professione profissao",
        "a result": "exam score result",
    }
)
"""Words of sensitive attributes."""

QUASI = _listed(
    {
        "age": "age alter edad eta idade",
        "sex": "sex gender geschlecht sexe genre sexo genero sesso",
        "place of residence": (
            "zip zipcode postcode postal plz city town village county state province region district "
            "postleitzahl wohnort bundesland ville commune ciudad municipio entidad provincia comune cidade"
        ),
        "country": (
            "country nation nationality native citizenship citizen "
            "staatsangehorigkeit nationalite nacionalidad nazionalita cittadinanza nacionalidade"
        ),
        "birth": "birth birthday birthdate dob born geburtsdatum geburtstag naissance nacimiento nascita nascimento",
        "race or ethnicity": "race racial ethnic ethnicity hispanic hisp ethn",
        "language": "language",
        "education": (
            "education degree school schooling enrolled "
            "bildung schulabschluss diplome etudes estudios istruzione escolaridade"
        ),
        "marital status": "marital married marry spouse familienstand civil civile",
        "family": "family household children relationship",
        "body": "height weight bmi",
        "work": "employer employment work workclass worker industry company department veteran",
        "insurance": "insurance insurer medicare medicaid",
        "time": "date datum fecha admitted admission discharge death",
    }
)
"""Words of attributes that neighbours, employers or registers know."""

CODES = _set("zip zipcode postcode postal plz postleitzahl")
"""Words of codes that are masked from the right."""

NOMINAL = _set(
    "sex gender race ethnicity ethnic ethn hispanic hisp marital marry married country state region province city "
    "county code religion party industry occupation language status type category citizenship "
    "department ward insurance veteran flag disposition geschlecht sexe genre sexo genero sesso familienstand entidad provincia "
    "municipio comune bundesland employed unemployed retired smoker pregnant"
)
"""Words of columns whose numbers are only codes, without an order."""

CODED = _set("icd diag diagnosis diagnoses diagnose procedure drug atc ndc cpt drg snomed loinc")
"""Words of columns whose numbers are codes, however many there are."""

NOTES = _set("note notes comment comments remark remarks description text narrative report history")


def parts(name: str) -> tuple[str, ...]:
    """Split a column's name into words, in small letters without accents; digits are in none.

    >>> parts("patientID"), parts("education-num"), parts("ICD9CODX")
    (('patient', 'id'), ('education', 'num'), ('icd', 'codx'))
    """
    plain = "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))
    return tuple(part.lower() for part in _PARTS.findall(plain))


def find(name: str, listed: Mapping[str, str]) -> str | None:
    """Find the group of the first word of a column's name that is ``listed`` (word to group); None where none is.

    Words that equal a listed one, or its plural, go before those that only begin with one, and these before those that end so.

    >>> find("RACEX", QUASI), find("Bruttoeinkommen", SENSITIVE), find("racket", SENSITIVE)
    ('race or ethnicity', 'money', None)
    """
    for part in parts(name):
        for form in (part, part.removesuffix("s")):
            if form in listed:
                return listed[form]
    for fits in (str.startswith, str.endswith):
        for part in parts(name):
            for word, group in listed.items():
                if fits(part, word) and (
                    len(word) >= _COMPOUND or (word in _STEMS and part.startswith(word))
                ):
                    return group
    return None


def has(name: str, words: frozenset[str]) -> bool:
    """Whether a word of the list, or its plural, stands in a column's name."""
    stems = tuple(stem for stem in _STEMS if stem in words)
    return any(
        part in words or part.removesuffix("s") in words or (bool(stems) and part.startswith(stems))
        for part in parts(name)
    )


def names_a_person(name: str) -> bool:
    """Whether a column's name says that it holds people's names.

    >>> names_a_person("name"), names_a_person("LastName"), names_a_person("nombre_paciente"), names_a_person("drug_name")
    (True, True, True, False)
    """
    own = parts(name)
    if any(part in NAMES or (part.endswith("name") and part[:-4] in PERSONS) for part in own):
        return True
    if len(own) == 1 and own[0] in NAME_ALONE:
        return True
    return bool(set(own) & NAME_ALONE) and bool(set(own) & (NAME_PARTS | PERSONS))


def numbers_what(name: str) -> str | None:
    """Say whose number a column's name says it is: ``person``, ``record`` (a visit, a row), ``something``, ``perhaps``, None.

    ``something`` is an id, nobody knows of what. ``perhaps`` is a word that ends so, as *covid* does, or a person alone, as
    in *subject*: the values must bear it out.

    >>> [numbers_what(name) for name in ("patient_id", "DUPERSID", "visitNo", "id", "education-num")]
    ['person', 'person', 'record', 'something', None]
    """
    own = parts(name)
    known = set(own)
    if known & NUMBER_WORDS:
        if known & PERSONS:
            return "person"
        if known & RECORDS:
            return "record"
    for part in own:
        for ending in ("id", "no", "nr", "nbr", "number", "nummer", "numero", "key"):
            stem = part.removesuffix(ending)
            if stem != part and (stem in PERSONS or stem.endswith(_LONG_PERSONS)):
                return "person"
            if stem != part and stem in RECORDS:
                return "record"
    if known & OWN_NUMBERS:
        return "something"
    alone = own[0] if len(own) == 1 else ""
    return "perhaps" if alone in ALONE or any(part.endswith("id") for part in own) else None


def weighs(name: str) -> bool:
    """Whether a column's name says that it holds survey weights; *weight* alone does not."""
    known = set(parts(name))
    return bool(known & WEIGHTS) or (bool(known & {"weight", "weights"}) and bool(known & SURVEYS))


MANY = 30
"""Records from which the share of unique values says something about a column."""
NEARLY_UNIQUE = 0.5
"""Share of records alone with their value from which a column is nearly unique."""
MOST_CODES = 100
"""Whole numbers with a nominal name are codes up to so many values."""


@dataclass(frozen=True)
class Meaning:
    """What a column probably means, the role this speaks for, and why.

    ``looks_like``: in a word or two, such as ``ZIP or similar code``; ``reason``: part of a sentence.
    ``settings``: keys of the policy beside the role: kind and hierarchy. ``finding``: for the steward; often none.
    """

    looks_like: str
    role: str
    reason: str
    settings: dict[str, Any]
    finding: Finding | None = None

    @property
    def warning(self) -> str:
        """What the steward should look at, in words; often nothing."""
        return "" if self.finding is None else str(self.finding)


def settings_of(cells: Cells) -> dict[str, Any]:
    """Declare the kind of a column that is published in classes; whole numbers with a nominal name are codes.

    So are few small ones with 97, 98 or 99 beside them. Ranges and the like are ordered. Nothing is declared of truth values,
    other texts and moments whose kind the cells tell.
    """
    if cells.kind_to_declare is not None:
        return {"kind": cells.kind_to_declare}
    if cells.kind == "text":
        if _is_ordered(cells):
            return {"kind": "ordered", "domain": list(cells.order[0] if cells.order else ())}
        order = order_of(cells.values, codes=not has(cells.name, NOMINAL))
        return {} if order is None else {"kind": "ordered", "domain": order}
    if cells.kind == "integer" and has(cells.name, CODED):
        return {"kind": "categorical"}
    few = cells.kind == "integer" and cells.distinct <= MOST_CODES
    if few and (has(cells.name, NOMINAL) or are_codes(cells.values)):
        return {"kind": "categorical"}
    return {"kind": cells.kind} if cells.kind in {*NUMBERS, "date"} else {}


def _is_ordered(cells: Cells) -> bool:
    """Whether the type of a column lists its categories in an order that is meant: surely, or nothing speaks against it."""
    if cells.order is None:
        return False
    categories, sure = cells.order
    few = 2 <= len(categories) <= MOST_ORDERED
    look = cells.contents
    plain = look is not None and max(look.share("sex"), look.share("marital status")) >= 0.5
    return few and (sure or not (plain or has(cells.name, NOMINAL)))


def with_article(noun: str) -> str:
    """Put the indefinite article before a noun, by its first letter."""
    return f"an {noun}" if noun[0] in "aeioI" else f"a {noun}"


_EACH_ITS_OWN = 0.95
_FREE_TEXT_WORDS, _FREE_TEXT_LENGTH = 4.5, 40
_SHARED_BY = 20
"""Records per value from which an unexplained id is shared by so many that it numbers no person."""
_PATTERNS = (
    ("e-mail address", 0.1),
    ("social security number", 0.1),
    ("IP address", 0.8),
    ("web address", 0.8),
)
"""What leads to a person by itself, and the share of the values from which a column is taken for it."""


def tells_nothing(cells: Cells) -> Meaning | None:
    """Nothing, or the same for everyone."""
    if cells.distinct == 0:
        return Meaning("empty", "drop", "every cell is missing", {})
    if cells.distinct > 1 or cells.missing:
        return None
    warning = None
    if find(cells.name, SENSITIVE):
        words = "tells everybody's value of what sounds sensitive: being in the table gives it away"
        warning = Finding("constant-sounds-sensitive", {}, words.format)
    return Meaning("constant", "drop", "the same for every record", {}, warning)


def looks_like_identifier(cells: Cells) -> Meaning | None:
    """Texts that by themselves lead to a person."""
    look = cells.contents
    if look is None:
        return None
    for pattern, enough in _PATTERNS:
        if look.share(pattern) >= enough:
            reason = f"{look.share(pattern):.0%} of the values look like {with_article(pattern)}"
            return Meaning(pattern, "identifier", reason, {})
    phone = look.share("phone number") - look.share("ZIP+4") - look.share("date") - look.share("IP address")
    if phone >= 0.8:
        return Meaning(
            "phone number", "identifier", f"{phone:.0%} of the values look like a phone number", {}
        )
    return None


def named_identifier(cells: Cells) -> Meaning | None:
    """Names, numbers and addresses of people, by the column's name."""
    shared = cells.records >= _SHARED_BY * cells.distinct
    if parts(cells.name) in {("id",), ("uid",), ("pid",)} and cells.distinct >= MANY:
        shared = False  # nothing but an id is one of people, whatever their number of records
    counts = cells.kind in NUMBERS and "nombre" in parts(cells.name)  # French: how many
    if names_a_person(cells.name) and not counts:
        return Meaning("name", "identifier", "its name says that it names people", {})
    whose = numbers_what(cells.name)
    if whose == "person" or (whose == "record" and not shared):
        return Meaning("id", "identifier", f"its name says that it numbers each {whose}", {})
    looks_so = cells.distinct >= MANY and cells.kind in {"integer", "text"}
    if (whose == "something" or (whose == "perhaps" and looks_so)) and not shared:
        return Meaning("id", "identifier", "its name says that it is a number of someone's own", {})
    contact = find(cells.name, CONTACTS)
    is_flag = cells.distinct <= 2 < cells.records
    if contact and not shared and not is_flag and cells.kind in {"text", *NUMBERS}:
        return Meaning(contact, "identifier", f"its name speaks of {contact}", {})
    return None


def survey_weight(cells: Cells) -> Meaning | None:
    """Numbers that say how many people a record stands for."""
    if cells.kind not in NUMBERS or cells.missing or not weighs(cells.name) or float(cells.values[0]) < 0:
        return None
    return Meaning(
        "survey weights", "drop", "survey weights by its name; published, they would single out records", {}
    )


def location(cells: Cells) -> Meaning | None:
    """Coordinates."""
    if cells.kind not in NUMBERS or not has(cells.name, LOCATIONS) or cells.distinct <= MOST_CODES:
        return None
    return Meaning("location", "drop", "coordinates by its name: they lead to the door", {})


def unique_text(cells: Cells) -> Meaning | None:
    """Texts that are nearly unique, free, or names: never published."""
    look = cells.contents
    if look is None:
        return None
    known = find(cells.name, SENSITIVE) or find(cells.name, QUASI)
    if known and cells.records < MANY:
        return None
    share = cells.distinct / cells.records
    varied = cells.distinct > 1 and cells.unique >= NEARLY_UNIQUE
    free = look.words >= _FREE_TEXT_WORDS or look.length >= _FREE_TEXT_LENGTH
    many = cells.records >= MANY and cells.distinct >= MANY
    if free and (varied or (many and share >= 0.1) or (has(cells.name, NOTES) and share >= 0.05)):
        return Meaning("free text", "drop", "free text may say anything about anybody", {})
    if (varied or share >= 0.3 or (many and share >= 0.05)) and look.share("name") >= 0.8 and not known:
        return Meaning("name", "identifier", "the values look like people's names", {})
    if (varied or many) and look.share("postal address") >= 0.5:
        return Meaning("address", "identifier", "the values look like postal addresses", {})
    if (varied or (many and share >= 0.1)) and look.share("number") >= 0.8 and not known:
        reason = "the values look like numbers of single people or cases"
        return Meaning("id", "identifier", reason, {})
    if varied:
        return Meaning("unique text", "drop", "most records have a text that no other has", {})
    if many and share >= 0.2 and not known:
        return Meaning("unique text", "drop", "so many different texts would single people out", {})
    return None


def unique_number(cells: Cells) -> Meaning | None:
    """Numbers that number the records, or single them out."""
    if cells.kind not in NUMBERS or find(cells.name, QUASI) is not None:
        return None
    first, last = float(cells.values[0]), float(cells.values[-1])
    counts_up = (
        cells.unique == 1 and cells.records > 2 and first in {0, 1} and last - first == cells.records - 1
    )
    if counts_up:
        return Meaning("id", "identifier", "numbers the records one by one", {})
    if cells.records < MANY or cells.unique < NEARLY_UNIQUE:
        return None
    if cells.kind == "integer" and cells.unique >= _EACH_ITS_OWN:
        return Meaning("id", "identifier", "nearly every record has a whole number of its own", {})
    reason = f"{_alone(cells)}, a fingerprint; role: quasi would publish it in intervals"
    return Meaning("unique number", "drop", reason, {})


def _alone(cells: Cells) -> str:
    """Say how many records are alone with their number, rounded down."""
    return f"{int(100 * cells.unique)} % of the records have a number that no other has"


_LONGEST_CODE = 6


def time(cells: Cells) -> Meaning | None:
    """Dates in months and years; moments, which single people out, by their day if that can be read."""
    rule = {"hierarchy": {"dates": ["month", "year"]}}
    if cells.kind == "date":
        return Meaning("date", "quasi", "dates, generalized to months and years", rule)
    if cells.kind == "moment":
        return Meaning("moment", "quasi", "moments, generalized to days, months and years", rule)
    look = cells.contents
    if look is None:
        return None
    if look.share("moment") >= 0.8:
        reason = (
            "moments with the time of day single people out; to keep the column, write days as YYYY-MM-DD"
        )
        return Meaning("moment", "drop", reason, {})
    if look.share("date") >= 0.8:
        mixed = cells.otherwise == "dates" and cells.trouble
        what = "dates in several ways" if mixed else _unread(cells)
        reason = f"{what}; to keep the column, write YYYY-MM-DD"
        return Meaning("date", "drop", reason, {})
    return None


def _unread(cells: Cells) -> str:
    """Say what cannot be told of dates."""
    if NO_CENTURY in spellings(cells.values)[0]:
        return "dates whose years of two digits may be of this century or the last"
    return "dates whose day and month cannot be told apart"


def masked_code(cells: Cells) -> Meaning | None:
    """ZIP codes and the like: equally long, masked from the right."""
    named = has(cells.name, CODES)
    look = cells.contents
    if cells.kind == "integer" and named and cells.distinct > 1:
        lengths = cells.values.cast(str).str.len_chars()
        length = int(lengths[0]) if lengths.n_unique() == 1 and float(cells.values[0]) > 0 else 0
        if length >= 3:
            return _code(length, "its name")
        words = "codes were read as numbers, so leading zeros are lost; read them as text to mask them from the right"
        return Meaning(
            "ZIP or similar code", "quasi", "codes of places, kept as numbers", {"kind": "integer"},
            Finding("codes-read-as-numbers", {}, words.format),
        )  # fmt: skip
    if look is None or look.equal_length is None or not 3 <= look.equal_length <= 10:
        return None
    has_mask = bool(cells.values.str.contains("*", literal=True).any())
    digits = bool(cells.values.str.contains(r"^[0-9-]+$").all())
    # Longer or more varied digits may number people who have several records.
    shared = MANY <= cells.distinct <= cells.records / 10
    by_contents = digits and shared and look.equal_length <= _LONGEST_CODE
    if has_mask or not (named or by_contents):
        return None
    return _code(look.equal_length, "its name" if named else "its values")


def _code(length: int, by: str) -> Meaning:
    """Codes of one length."""
    reason = f"codes of {length} characters by {by}, masked from the right"
    return Meaning("ZIP or similar code", "quasi", reason, {"hierarchy": {"prefix": length}})


def sensitive(cells: Cells) -> Meaning | None:
    """What nobody should learn about a person, by name or by contents."""
    group = find(cells.name, SENSITIVE)
    look = cells.contents
    reason = f"its name speaks of {group}"
    if group is None and look is not None:
        if look.share("diagnosis code") >= 0.9 and cells.distinct >= 10:
            group, reason = "health", "the values look like codes of diagnoses"
        elif look.share("illness") >= 0.1 and look.share("illness") * look.tried >= 2:
            group, reason = "health", "the values name illnesses"
    if group is None:
        return None
    if cells.kind in NUMBERS and cells.records >= MANY and cells.unique >= NEARLY_UNIQUE:
        reason = f"{reason}, but {_alone(cells)}, a fingerprint: round it to publish it"
        return Meaning(group, "drop", reason, {})
    return Meaning(group, "sensitive", reason, settings_of(cells), _mixed_in(look))


def quasi(cells: Cells) -> Meaning:
    """What others may know; also whatever nothing is known about."""
    settings = settings_of(cells)
    warning = _mixed_in(cells.contents)
    group = find(cells.name, QUASI)
    look = cells.contents
    if group is None and look is not None:
        for pattern in ("sex", "marital status"):
            if look.share(pattern) >= 0.5:
                reason = f"the values say {pattern}, which others may know"
                return Meaning(pattern, "quasi", reason, settings, warning)
    if group is not None:
        reason = f"its name speaks of {group}, which others may know"
        return Meaning(group, "quasi", reason, settings, warning)
    looks = "number" if cells.kind in NUMBERS and settings.get("kind") != "categorical" else "category"
    return Meaning(looks, "quasi", "others may know it; nothing says that they cannot", settings, warning)


def _mixed_in(look: Contents | None) -> Finding | None:
    """Warn of single cells that look like direct identifiers."""
    if look is None:
        return None
    found = [name for name in ("e-mail address", "social security number") if look.share(name)]
    return Finding("identifiers-among-values", {"pattern": found[0]}, _mixed) if found else None


def _mixed(*, pattern: str) -> str:
    """Say what some values look like."""
    return f"some values look like {with_article(pattern)}; take them out"


_RULES = (
    tells_nothing,
    looks_like_identifier,
    named_identifier,
    survey_weight,
    location,
    time,
    masked_code,
    unique_text,
    sensitive,
    unique_number,
)


def interpret(cells: Cells) -> Meaning:
    """Say what a column probably means: the first rule that applies decides; where none does, it is a quasi-identifier."""
    found = (rule(cells) for rule in _RULES)
    return next((meaning for meaning in found if meaning is not None), None) or quasi(cells)
