"""NIST SP 800-188: de-identifying government datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.dossier import common
from likeness.dossier.base import DossierSection, OpenQuestion

if TYPE_CHECKING:
    from likeness.dossier.base import Documents

KIND = "800-188"
TITLE = "De-identification of a government dataset (NIST SP 800-188)"
SOURCE = (
    "Garfinkel, Near, Dajani, Singer & Guttman 2023, De-Identifying Government Datasets: Techniques and "
    "Governance, NIST SP 800-188"
)


def sections(documents: Documents) -> list[DossierSection]:
    """Fill in its sections."""
    return [
        DossierSection(
            "1. Goals and intended use",
            "Why the data are released, for which use, and which risks follow.",
            (
                OpenQuestion("What is the release to make possible, and for whom?"),
                OpenQuestion(
                    "Which harm could come to people, and to the agency, if somebody were identified?"
                ),
            ),
        ),
        DossierSection(
            "2. Governance",
            "Who decides: a disclosure review board or its like.",
            (
                OpenQuestion("Who reviews the release, and under which authority and procedure?"),
                OpenQuestion("At which point of the life cycle of the data are they de-identified?"),
            ),
        ),
        DossierSection(
            "3. Data-sharing model",
            "Release to the public, under an agreement, as synthetic data, as answers to queries, or in an enclave.",
            (OpenQuestion("Which model was chosen, and why?"),),
        ),
        DossierSection(
            "4. The data",
            "Which columns identify people directly, which in combination, which are sensitive.",
            (*common.of_columns(documents), *common.of_people(documents)),
        ),
        DossierSection(
            "5. De-identification techniques",
            "What was done, with which parameters and software.",
            tuple(common.of_guarantee(documents)),
        ),
        DossierSection(
            "6. Evaluation: re-identification risk",
            "What adversaries could learn, tested against the release.",
            (
                *common.of_chances(documents),
                *common.of_population(documents),
                *common.of_beliefs(documents),
                *common.of_attacks(documents),
                OpenQuestion(
                    "Which people tried to re-identify somebody, with which outside data, and what did they find?"
                ),
            ),
        ),
        DossierSection(
            "7. Evaluation: data quality",
            "Whether the data still serve the intended use.",
            (
                *common.of_loss(documents),
                OpenQuestion("Which analyses were repeated on the release, and with which results?"),
            ),
        ),
        DossierSection(
            "8. After the release",
            "How the risk is watched.",
            (
                OpenQuestion(
                    "Who watches for new outside data and attacks, and when is the release looked at again?"
                ),
            ),
        ),
    ]
