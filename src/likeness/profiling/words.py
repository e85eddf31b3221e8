"""What the name of a column says: small lists of English words, all of them here.

Names are split at everything that is no letter and at changes of case (``patientID`` is *patient*, *id*). A list
word matches a part that equals it, with or without a plural s; long words also match what begins with them
(``maritalstatus``, ``occupationcode``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
_COMPOUND = 6
"""Letters from which a word of the lists also matches longer parts."""


def _set(words: str) -> frozenset[str]:
    """Turn words into a set."""
    return frozenset(words.split())


def _listed(groups: Mapping[str, str]) -> dict[str, str]:
    """Turn groups of words into a look-up from word to group."""
    return {word: group for group, words in groups.items() for word in words.split()}


PERSONS = _set(
    "patient person individual member subject participant customer client user employee student pupil "
    "respondent citizen resident insured beneficiary donor applicant borrower taxpayer voter people "
    "pers pat pt subj emp"
)
"""Who a number may belong to."""

ALONE = (PERSONS - _set("people insured")) | {"nr"}
"""What may be a number of somebody when it is the whole name; *people* and *insured* are counts and sums as often."""

_LONG_PERSONS = tuple(person for person in sorted(PERSONS) if len(person) > 3)

RECORDS = _set("visit record row encounter admission claim event entry order transaction line stay episode")
"""What else a number may belong to: every one of these is new."""

NUMBERS = _set("id ids identifier pid uid number no nr num key code ref reference")
"""What follows a person or a record when it is a number."""

OWN_NUMBERS = _set("id ids identifier pid uid uuid guid")
"""Numbers of somebody or something even when they stand alone."""

NAME_PARTS = _set(
    "first last given family middle maiden full sur fore nick user mother father spouse contact doctor "
    "physician"
)
NAMES = _set(
    "surname firstname lastname forename fullname nickname username givenname familyname middlename "
    "maidenname"
)

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
            "abortion addiction suicide"
        ),
        "belief": "religion religious faith politics political party vote union",
        "sexuality": "sexual sexuality orientation",
        "crime": "crime criminal conviction offence offense arrest",
        "money": "income salary wage earning pay wealth debt loan credit pension poverty",
        "work": "occupation job profession",
        "a result": "exam score result",
    }
)
"""Words of sensitive attributes."""

QUASI = _listed(
    {
        "age": "age",
        "sex": "sex gender",
        "place of residence": (
            "zip zipcode postcode postal plz city town village county state province region district"
        ),
        "country": "country nation nationality native citizenship citizen",
        "birth": "birth birthday birthdate dob born",
        "race or ethnicity": "race racial ethnic ethnicity hispanic",
        "language": "language",
        "education": "education degree school schooling enrolled",
        "marital status": "marital married marry spouse",
        "family": "family household children relationship",
        "body": "height weight bmi",
        "work": "employer employment work workclass worker industry company department veteran",
        "insurance": "insurance insurer medicare medicaid",
        "time": "date admitted admission discharge death",
    }
)
"""Words of attributes that neighbours, employers or registers know."""

CODES = _set("zip zipcode postcode postal plz")
"""Words of codes that are masked from the right."""

NOMINAL = _set(
    "sex gender race ethnicity ethnic hispanic marital marry married country state region province city "
    "county code religion party industry occupation language status type category citizenship "
    "department ward insurance veteran flag"
)
"""Words of columns whose numbers are only codes, without an order."""

NOTES = _set("note notes comment comments remark remarks description text narrative report history")


def parts(name: str) -> tuple[str, ...]:
    """Split a column's name into words.

    Examples
    --------
    >>> parts("patientID"), parts("education-num"), parts("ICD9CODX")
    (('patient', 'id'), ('education', 'num'), ('icd', 'codx'))
    """
    return tuple(part.lower() for part in _PARTS.findall(name))


def find(name: str, listed: Mapping[str, str]) -> str | None:
    """Find what a column's name says, by one of the lists.

    Parameters
    ----------
    name
        The column.
    listed
        `CONTACTS`, `SENSITIVE` or `QUASI`.

    Returns
    -------
    str or None
        The group of the first word that is listed.

    Examples
    --------
    >>> find("occupation_code", SENSITIVE), find("maritalStatus", QUASI), find("colour", QUASI)
    ('work', 'marital status', None)
    """
    for part in parts(name):
        for form in (part, part.removesuffix("s")):
            if form in listed:
                return listed[form]
    for part in parts(name):
        for word, group in listed.items():
            if len(word) >= _COMPOUND and part.startswith(word):
                return group
    return None


def has(name: str, words: frozenset[str]) -> bool:
    """Whether a word of the list, or its plural, stands in a column's name."""
    return any(part in words or part.removesuffix("s") in words for part in parts(name))


def names_a_person(name: str) -> bool:
    """Whether a column's name says that it holds people's names.

    Examples
    --------
    >>> names_a_person("name"), names_a_person("LastName"), names_a_person("drug_name")
    (True, True, False)
    """
    own = parts(name)
    if any(part in NAMES or (part.endswith("name") and part[:-4] in PERSONS) for part in own):
        return True
    return "name" in own and (own == ("name",) or bool(set(own) & (NAME_PARTS | PERSONS)))


def numbers_what(name: str) -> str | None:
    """Say whose number a column's name says it is.

    Returns
    -------
    str or None
        ``person``, ``record`` (a visit, a row), ``something`` (an id, nobody knows of what), ``perhaps`` (a word that
        ends so, as *covid* does, or a person alone, as in *subject*: the values must bear it out), or None.

    Examples
    --------
    >>> [numbers_what(name) for name in ("patient_id", "DUPERSID", "visitNo", "id", "education-num")]
    ['person', 'person', 'record', 'something', None]
    """
    own = parts(name)
    known = set(own)
    if known & NUMBERS:
        if known & PERSONS:
            return "person"
        if known & RECORDS:
            return "record"
    for part in own:
        for ending in ("id", "no", "nr", "number", "key"):
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
    """Whether a column's name says that it holds survey weights.

    Examples
    --------
    >>> weighs("fnlwgt"), weighs("instance_weight"), weighs("weight")
    (True, True, False)
    """
    known = set(parts(name))
    return bool(known & WEIGHTS) or (bool(known & {"weight", "weights"}) and bool(known & SURVEYS))
