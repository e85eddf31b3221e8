"""The framework of ISO/IEC 27559: context, data, identifiability, governance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.dossier import common
from likeness.dossier.base import DossierSection, OpenQuestion

if TYPE_CHECKING:
    from likeness.dossier.base import Documents

KIND = "27559"
TITLE = "De-identification framework (ISO/IEC 27559)"
SOURCE = (
    "ISO/IEC 27559:2022, Information security, cybersecurity and privacy protection – Privacy enhancing data "
    "de-identification framework"
)


def sections(documents: Documents) -> list[DossierSection]:
    """Fill in its sections."""
    return [
        DossierSection(
            "1. Context assessment",
            "How data are made available, to whom, with which controls, and which threats follow from that.",
            (
                OpenQuestion(
                    "How are the data made available: publicly, under an agreement, or in an environment with controls?"
                ),
                OpenQuestion(
                    "Threat modelling: who could attack deliberately, by accident, or after a breach, and with which means?"
                ),
                OpenQuestion("Transparency: who is told that the data are made available, and how?"),
                OpenQuestion("Impact: what harm could follow for people, and for the organization?"),
            ),
        ),
        DossierSection(
            "2. Data assessment",
            "Which attributes the data have, how they relate to people, and how an attack would use them.",
            (
                *common.of_columns(documents),
                *common.of_people(documents),
                *common.of_population(documents),
                OpenQuestion("Which attributes might an adversary know, from where?"),
            ),
        ),
        DossierSection(
            "3. Identifiability assessment",
            "How probable it is that people are identified, against a threshold.",
            (
                *common.of_chances(documents),
                *(
                    entry
                    for name in ("singling-out", "linkability", "inference")
                    for entry in common.of_wp216(documents, name)
                ),
                OpenQuestion("How probable is an attempt in this context?"),
                OpenQuestion("Which threshold is tolerable, and why?"),
            ),
        ),
        DossierSection(
            "4. Mitigation",
            "What was done to the data, and what it costs; the context may be changed, too.",
            (
                *common.of_guarantee(documents),
                *common.of_loss(documents),
                OpenQuestion("Which controls of the environment lower the risk further?"),
            ),
        ),
        DossierSection(
            "5. De-identification governance",
            "Before, while and after data are made available.",
            (
                OpenQuestion("Who is responsible, with which policies and training?"),
                OpenQuestion("Which agreements bind recipients?"),
                OpenQuestion(
                    "When is the assessment repeated, and what is done when somebody is identified?"
                ),
            ),
        ),
    ]
