"""The three questions of the Article 29 Working Party's Opinion 05/2014 (WP216), and its good practices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.dossier import common
from likeness.dossier.base import DossierSection, OpenQuestion

if TYPE_CHECKING:
    from likeness.dossier.base import Documents

KIND = "wp216"
TITLE = "Anonymisation by the three questions of WP216"
SOURCE = "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216), sections 3 and 5"


def sections(documents: Documents) -> list[DossierSection]:
    """Fill in its sections."""
    return [
        DossierSection(
            "1. The technique",
            "Which one was used, with which strength.",
            (*common.of_guarantee(documents), *common.of_columns(documents), *common.of_people(documents)),
        ),
        DossierSection(
            "2. Is it still possible to single out an individual?",
            "Isolating some or all records that identify somebody in the data.",
            (
                *common.of_wp216(documents, "singling-out"),
                *common.of_chances(documents),
                *common.of_population(documents),
            ),
        ),
        DossierSection(
            "3. Is it still possible to link records relating to an individual?",
            "Linking at least two records of one person or group, in one database or two.",
            tuple(common.of_wp216(documents, "linkability")),
        ),
        DossierSection(
            "4. Can information be inferred concerning an individual?",
            "Deducing the value of an attribute from those of others, with significant probability.",
            (*common.of_wp216(documents, "inference"), *common.of_beliefs(documents)),
        ),
        DossierSection(
            "5. Means reasonably likely to be used",
            "Where one of the three is not ruled out, the risks of identification are to be evaluated (section 5).",
            (
                OpenQuestion(
                    "Which means are reasonably likely to be used to identify somebody, by the controller or anybody else?"
                ),
                OpenQuestion("Are the original data kept, and who has access to them?"),
                OpenQuestion("Are other releases of the same people published?"),
            ),
        ),
        DossierSection(
            "6. Good practices",
            "General, contextual and technical elements of section 5.2.",
            (
                OpenQuestion("Who reviews the residual risk regularly, and do controls still suffice?"),
                OpenQuestion("How does this release differ from a release-and-forget approach?"),
                OpenQuestion(
                    "Purpose of the release, and nature of the original data, with the controls on them"
                ),
                OpenQuestion("Is the technique disclosed, with what was done to it?"),
            ),
        ),
    ]
