"""What several kinds of dossiers ask for, as entries of their sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.dossier.base import AUDIT, CERTIFICATE, RISK, OpenQuestion, TracedFact

if TYPE_CHECKING:
    from likeness.dossier.base import Documents

Entries = list[TracedFact | OpenQuestion]

POPULATION = (
    "Which population are the people from, and how large a share of it is in the data? (give --population or "
    "--sampling-fraction)"
)


def of_columns(documents: Documents) -> Entries:
    """Tell the role of every column."""
    return [
        documents.told(f"role of {pointer.rsplit('/', 1)[1]}", AUDIT, f"{pointer}/role")
        for pointer, _ in documents.each(AUDIT, "/policy/columns")
    ]


def of_people(documents: Documents) -> Entries:
    """Tell how many records went in, are published, withheld and dropped."""
    return [
        documents.told("records of the input", AUDIT, "/counts/input"),
        documents.told("records published", CERTIFICATE, "/counts/records"),
        documents.told("people published", RISK, "/people"),
        documents.told("records withheld, by reason", AUDIT, "/counts/withheld"),
        documents.told("records dropped before, by reason", AUDIT, "/counts/dropped"),
    ]


def of_guarantee(documents: Documents) -> Entries:
    """Tell every model that is proven, what was asked and what was measured."""
    entries: Entries = [
        documents.told("method", AUDIT, "/method/name"),
        documents.told("form of the release", CERTIFICATE, "/form/name"),
        documents.told("classes", CERTIFICATE, "/counts/classes"),
    ]
    for pointer, own in documents.each(CERTIFICATE, "/guarantee"):
        entries += [
            documents.told(f"{own['model']}: asked", CERTIFICATE, f"{pointer}/parameters"),
            documents.told(f"{own['model']}: measured", CERTIFICATE, f"{pointer}/measured"),
            documents.told(f"{own['model']}: who can check it", CERTIFICATE, f"{pointer}/scope"),
        ]
    return entries


def of_chances(documents: Documents) -> Entries:
    """Tell the chances of finding people."""
    entries: Entries = []
    for name, place in (("prosecutor", "/prosecutor"), ("journalist", "/population/journalist")):
        if documents.each(RISK, place):
            entries += [
                documents.told(f"{name}: {what} chance", RISK, f"{place}/{what}")
                for what in ("mean", "maximum")
            ]
            entries += [
                documents.told(f"{name}: share of people above {pointer.rsplit('/', 1)[1]}", RISK, pointer)
                for pointer, _ in documents.each(RISK, f"{place}/above")
            ]
    entries.append(documents.told("marketer: share of all people linked right at once", RISK, "/marketer"))
    return entries


def of_population(documents: Documents) -> Entries:
    """Tell what is known of the population."""
    if not documents.each(RISK, "/population"):
        return [OpenQuestion(POPULATION)]
    return [
        documents.told("people of the population", RISK, "/population/population"),
        documents.told("sampling fraction", RISK, "/population/sampling_fraction"),
        documents.told("counted in a table of it", RISK, "/population/counted"),
        documents.told("share of the people whom nobody else looks like", RISK, "/population/unique"),
        documents.told(
            "share of the people fewer than k of the population look like",
            RISK,
            "/population/k_map/fewer_than",
        ),
        documents.told(
            "largest chance that who looks so is in the data", RISK, "/population/presence/largest"
        ),
    ]


def of_wp216(documents: Documents, name: str) -> Entries:
    """Tell what one of the three attacks of WP216 achieved."""
    for pointer, own in documents.each(RISK, "/wp216"):
        if own["risk"] == name:
            return [
                documents.told("the adversary", RISK, f"{pointer}/adversary"),
                documents.told("success on people of the data", RISK, f"{pointer}/success/rate"),
                documents.told("at least, at level .95", RISK, f"{pointer}/success/low"),
                documents.told("at most, at level .95", RISK, f"{pointer}/success/high"),
                documents.told("people it was tried on", RISK, f"{pointer}/success/tries"),
                documents.told(
                    "success on people who are not in the data",
                    RISK,
                    f"{pointer}/control/rate",
                    f"What does {name} achieve on people who are not in the data? (give --control or --hold-out)",
                ),
                documents.told("success of a guess without the data", RISK, f"{pointer}/naive/rate"),
                documents.told("gain over the baseline", RISK, f"{pointer}/gain/value"),
                documents.told("gain, at most", RISK, f"{pointer}/gain/high"),
            ]
    return [
        OpenQuestion(f"Why is {name} no risk of this release? (risk.json says why it could not be tried)")
    ]


def of_attacks(documents: Documents) -> Entries:
    """Tell what every attack achieved."""
    entries: Entries = []
    for pointer, own in documents.each(RISK, "/attacks"):
        entries += [
            documents.told(f"{own['attack']}: success", RISK, f"{pointer}/success"),
            documents.told(f"{own['attack']}: baseline", RISK, f"{pointer}/baseline"),
        ]
    return entries


def of_beliefs(documents: Documents, most: int = 5) -> Entries:
    """Tell the largest beliefs in sensitive values."""
    entries: Entries = []
    for pointer, own in documents.each(RISK, "/beliefs")[:most]:
        name = f"{own['column']} {own['value']!r}"
        entries += [
            documents.told(f"largest belief in {name}", RISK, f"{pointer}/belief"),
            documents.told(f"before the release, in {name}", RISK, f"{pointer}/prior"),
        ]
    return entries


def of_loss(documents: Documents) -> Entries:
    """Tell the information loss by every metric."""
    return [
        documents.told(pointer.rsplit("/", 1)[1], AUDIT, pointer)
        for pointer, _ in documents.each(AUDIT, "/metrics")
    ]
