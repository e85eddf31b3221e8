"""HIPAA: Expert Determination, 45 CFR 164.514(b)(1), and the identifiers of Safe Harbor, (b)(2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.dossier import common
from likeness.dossier.base import DossierSection, OpenQuestion

if TYPE_CHECKING:
    from likeness.dossier.base import Documents

KIND = "hipaa"
TITLE = "De-identification under HIPAA: Expert Determination"
SOURCE = (
    "45 CFR 164.514(b)(1) and (2); U.S. Department of Health and Human Services, Guidance Regarding Methods for "
    "De-identification of "
    "Protected Health Information, November 26, 2012"
)
IDENTIFIERS = (
    "names",
    (
        "geographic subdivisions smaller than a state, but for the first three digits of a ZIP code where all such ZIP codes "
        "together have more than 20,000 people (else 000)"
    ),
    (
        "elements of dates, except the year, that relate to the individual, and ages over 89, which may be one category of 90 or "
        "older"
    ),
    "telephone numbers",
    "fax numbers",
    "email addresses",
    "social security numbers",
    "medical record numbers",
    "health plan beneficiary numbers",
    "account numbers",
    "certificate or license numbers",
    "vehicle identifiers and serial numbers, including license plate numbers",
    "device identifiers and serial numbers",
    "web addresses (URLs)",
    "IP addresses",
    "biometric identifiers, including finger and voice prints",
    "full-face photographs and comparable images",
    "any other unique identifying number, characteristic or code, but for a code for re-identification that 164.514(c) permits",
)
"""The eighteen of 164.514(b)(2)(i), (A) to (R)."""


def sections(documents: Documents) -> list[DossierSection]:
    """Fill in its sections."""
    return [
        DossierSection(
            "1. The expert",
            "A person with appropriate knowledge of and experience with generally accepted statistical and scientific "
            "principles and "
            "methods for rendering information not individually identifiable, (b)(1).",
            (OpenQuestion("Who is the expert, and what are their education and experience?"),),
        ),
        DossierSection(
            "2. The anticipated recipient",
            "The risk is judged for an anticipated recipient, alone or with other reasonably available information, (b)(1)(i).",
            (
                OpenQuestion("Who receives the information, under which agreement, for how long?"),
                OpenQuestion("Which other information is reasonably available to them?"),
            ),
        ),
        DossierSection(
            "3. The information",
            "What it holds.",
            (*common.of_columns(documents), *common.of_people(documents)),
        ),
        DossierSection(
            "4. Methods",
            "The principles and methods that were applied; they are to be documented, (b)(1)(ii).",
            tuple(common.of_guarantee(documents)),
        ),
        DossierSection(
            "5. Results of the analysis",
            "That the risk is very small that the information could be used by an anticipated recipient to identify "
            "an individual who is "
            "a subject of it, (b)(1)(i).",
            (
                *common.of_chances(documents),
                *common.of_population(documents),
                *common.of_attacks(documents),
                OpenQuestion("Is the risk very small, and why?"),
                OpenQuestion("For how long does the determination hold?"),
            ),
        ),
        DossierSection(
            "6. For comparison: the identifiers of Safe Harbor",
            "Safe Harbor, (b)(2), asks that these be removed, and that there be no actual knowledge that the rest "
            "could identify anybody. "
            "Under Expert Determination they need not all be.",
            (
                *(
                    OpenQuestion(f"({'ABCDEFGHIJKLMNOPQR'[i]}) {name}: is it in the information?")
                    for i, name in enumerate(IDENTIFIERS)
                ),
                OpenQuestion(
                    "Is there actual knowledge that the information could identify an individual, (b)(2)(ii)?"
                ),
            ),
        ),
        DossierSection(
            "7. Determination",
            "Who determines it.",
            (OpenQuestion("Name, date and signature of the expert"),),
        ),
    ]
