"""What explains a claim that does not hold; each points at the numbers it rests on."""

from __future__ import annotations

LOSES_MOST = {
    "paper": "a point where few are left over, so that their classes are as wide as those of β_GE",
    "library": (
        "where everybody is published (`absorb`), rare values make giant classes under k-anonymity-primacy as under β_GE "
        "(CSV of table 5: share in the largest), and these decide what is lost; who loses more varies"
    ),
}
LINKS_LEAST = (
    "RL is at most the number of classes: giant classes that lie around others are nearest to many records (column RL "
    "beside the share in the largest class)"
)
INC_AGG = (
    "the two differ only in what becomes of clusters that do not hold. By the letter few of these can be made to hold, "
    "from k = 10 on none (the releases are the same), and those that kInc makes hold are wide; with `absorb` the "
    "classes that kInc grows take records from far away"
)
RANGE = "the losses of all three change with k as the giant classes do"
SIZES = {
    "k": "with `absorb` the mean size is that of the giant classes that rare values need, whatever k is",
    "J": (
        "small J makes small parts, in which a value that is frequent in the part needs larger classes; with larger J "
        "the parts that hold grow, and more rare values are published"
    ),
}
GIANTS = "with `absorb` rare values make giant classes"
WITHHELD = (
    "parts in which a value is too frequent, or a rare one needs a class larger than the part, cannot be published "
    "whole (surplus of phase 1); and by the letter clusters are left over that hold nothing together, because those "
    "made before took what they lack"
)
FEWEST = "the others withhold nobody beyond phase 1 here"
BY_J = (
    "what is withheld costs what the class nearest to it loses: with larger J fewer are withheld, but classes are "
    "wider; and the left-over clusters of the letter do not depend on J alone"
)
SMALL_K = "the smaller k, the fewer records a cluster can exchange, and the more clusters are left over that do not hold"
EQUAL_WHERE_ALL = "where nobody is withheld, GCP and RGCP are the same"
TIMES = (
    "clustering by what is known takes five sixths of every time here, whatever follows; where it was done before, "
    "β_GE takes less than half of what the others do (`seconds` of the panels `methods-…`)"
)
TIMES_LOW = (
    "clustering takes five sixths of the time, is done once on the distinct distributions, and costs the same for "
    "every J"
)
TIMES_K = (
    "clustering takes five sixths of the time, and both do the same after it: there is little left over to merge or "
    "to grow"
)
CLOSE = (
    "at small k both exchange records with far ones until their clusters are t-close, where the Hilbert index-based "
    "algorithm goes on along the curve; from k = 10 on they lose less, but link more"
)
QUERIES_CLOSE = "the two publish nearly the same classes, or differ by who is left over"
QUERIES = "at k = 5 it loses more (figure 11), and by the letter it withholds more"
METHODS = (
    "Prices k_R 1.1 and n_R 1.2 charge withholding little: NCP counts withheld records as 1. `(paper)`: by the "
    "letter; others as they are by default. Incognito and Datafly, with spans of 5 to 40 for numbers, may withhold 10 "
    "%; where nothing stands, they have no such release. Methods that keep quasi-identifiers exact are left out: they "
    "lose nothing by RGCP."
)
EVERY_TABLE = (
    "tables differ, and the range expected is that of six or seven others. Without J knowledge adds more where it "
    "guesses more by itself (panel `bkseq-0.9-tables`), under J it does not"
)
NO_MICROAGGREGATION = "kInc_Mic and kAgg_Mic are left out: there is no form for microaggregation yet."
DIFFERENCES = (
    "every value counts alike, so that the rarest decide: of 45,222 people one each is 86, 87 and 89, and gets many "
    "times that share where a wide region is spread evenly; in samples such values get it too, or are withheld"
)
MOVES_MOST = (
    "of sex others move more, by whom they withhold; and where everybody is published, all three have giant classes "
    "(CSV of table 5)"
)
ORDER_OF_COLUMNS = (
    "distances are normalised: plain categories are 1 apart, the first and last age too. In steps of ages, as the "
    "paper's remark on ranges suggests, that of age is 70 times as large, and above that of education"
)
