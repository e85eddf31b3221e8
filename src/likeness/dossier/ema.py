"""The anonymisation report of the European Medicines Agency's Policy 0070, as its external guidance asks for it (chapter 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.dossier import common
from likeness.dossier.base import RISK, DossierSection, OpenQuestion

if TYPE_CHECKING:
    from likeness.dossier.base import Documents

KIND = "ema"
TITLE = "Anonymisation report (EMA Policy 0070)"
SOURCE = (
    "European Medicines Agency, External guidance on the implementation of the European Medicines Agency policy on "
    "the publication of "
    "clinical data for medicinal products for human use (EMA/90915/2016), chapter 3 and the template of the anonymisation report"
)


def sections(documents: Documents) -> list[DossierSection]:
    """Fill in its sections."""
    return [
        DossierSection(
            "1. Anonymisation methodology followed",
            "Whether anonymisation fulfils the three criteria (no singling out, no linking, no inference) or rests on "
            "a risk assessment.",
            (
                OpenQuestion(
                    "Which of the two options is followed, and why is it appropriate for these documents?"
                ),
                OpenQuestion(
                    "Which clinical reports and studies does this report cover (product, procedure number)?"
                ),
            ),
        ),
        DossierSection(
            "2. Identification of data variables",
            "Direct identifiers and quasi-identifiers of trial participants, and what is done to each.",
            (
                *common.of_columns(documents),
                OpenQuestion(
                    "Which direct identifiers and quasi-identifiers stand in running text, and how were they found?"
                ),
            ),
        ),
        DossierSection(
            "3. Anonymisation process",
            "The techniques that were used, and how many participants they leave out.",
            (*common.of_guarantee(documents), *common.of_people(documents)),
        ),
        DossierSection(
            "4. Risk assessment and thresholds",
            "Reference population, adversaries, and the threshold: for publication the maximum risk, 0.09 where no "
            "other is justified.",
            (
                *common.of_chances(documents),
                *common.of_population(documents),
                documents.told("who uses the thresholds", RISK, "/thresholds_used_by"),
                OpenQuestion("Which threshold was set, and why?"),
                OpenQuestion(
                    "Which other information might an adversary have (registries, news, similar trials)?"
                ),
            ),
        ),
        DossierSection(
            "5. Singling out, linkability, inference",
            "The residual risk by each of the three criteria of Opinion 05/2014.",
            tuple(
                entry
                for name in ("singling-out", "linkability", "inference")
                for entry in common.of_wp216(documents, name)
            ),
        ),
        DossierSection(
            "6. Data utility considerations",
            "What the anonymised data can still be used for, and what was weighed.",
            (
                *common.of_loss(documents),
                OpenQuestion("What does the loss mean for the scientific usefulness of the reports?"),
            ),
        ),
        DossierSection(
            "7. Conclusion",
            "Whether anonymisation is achieved, and who says so.",
            (
                OpenQuestion("Is the residual risk acceptable?"),
                OpenQuestion("Name, role, date and signature"),
            ),
        ),
    ]
