"""What explains a claim that does not hold; each points at the measurement it rests on."""

from __future__ import annotations

VULNERABLE = "few classes at the ends of the axis, and the paper gives neither its values nor its spread; see the curves"
MORE_VULNERABLE = (
    "the paper's argument is that GeneIR's classes are larger; but GeneIR leaves more classes of two individuals (column "
    "`classes of two`), which one shared diagnosis makes vulnerable, and which all are where β is below 1/2"
)
LOSS = (
    "NLoss is an average over the quasi-identifiers, so one that loses less than the others lowers it; and choices are random, "
    "runs few"
)
STEEPER = "the paper's axis of l is not known: from 2 to 10 classes grow fivefold, and loss with them"
ENHANCED = (
    "an enhanced model is compared with a plain one here: where the plain one holds in small classes, the guarantee costs more "
    "than the better search saves"
)
CONDITIONS = (
    "more conditions do not make the estimates of one release better (panel `conditions`): with a fixed share of the table asked "
    "for, the error falls only where the widths, rounded up to whole values, jump; the paper does not give widths"
)
TIME = (
    "the search here is no scan of all individuals a step: it prunes whole profiles, and what it costs follows the number of "
    "classes, which falls with l and rises with α and β"
)


def ratio(upper: str, lower: str) -> str:
    """Explain a ratio.

    Parameters
    ----------
    upper, lower
        The systems.

    Examples
    --------
    >>> ratio("DAnonyIR_El", "DAnonyIR_kl")[:37]
    'it depends on how many diagnoses pers'
    """
    if upper.startswith("GeneIR"):
        return (
            "GeneIR picks attributes at random here, as in the paper; with the one that loses least it loses less than half "
            "(panels `hierarchies`, `full`), and the ratio no longer grows with the table as it does here, where "
            f"{lower} finds nearer individuals in a larger one (panel `size`); other hierarchies, which the paper does not give, "
            "change little"
        )
    told = (
        "it depends on how many diagnoses persons have and how often these are shared: with one each it is 1; the paper's range "
        "for El/kl comes of about two each, evenly spread over all codes, not of frequencies like these (panel `distinct`)"
    )
    if upper == "DAnonyIR_Eαβ":
        told += (
            "; no class can hold with a share above β of its individuals having one diagnosis, and the most frequent one is "
            "near that in the whole table"
        )
    return told
