"""The people of the generated hospitals: invented names, ZIP codes, ages."""

from __future__ import annotations

from string import ascii_uppercase

import numpy as np
import polars as pl

from likeness.datasets._draws import Draws, Integers, broken_line

SEXES = ("Female", "Male")
OLDEST = 102

AGE_KNOTS = (
    (0, 16000),
    (1, 6000),
    (5, 4000),
    (15, 5000),
    (25, 8500),
    (40, 8000),
    (60, 13000),
    (75, 16000),
    (88, 8000),
    (102, 200),
)

_WOMEN = """
Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Sandra Margaret
Ashley Kimberly Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Sharon Laura Cynthia
Dorothy Amy Kathleen Angela Shirley Emma Brenda Pamela Nicole Anna Samantha Katherine Christine Helen
Debra Rachel Carolyn Janet Maria Olivia Heather Diane Julie Joyce Victoria Ruth Virginia Lauren Kelly
Christina Joan Evelyn Judith Andrea Hannah Megan Cheryl Jacqueline Martha Teresa Gloria Sara Janice Ann
Abigail Julia Grace Sophia Frances Isabella
"""
WOMEN = tuple(_WOMEN.split())

_MEN = """
James Robert John Michael David William Richard Joseph Thomas Christopher Charles Daniel Matthew Anthony
Mark Donald Steven Andrew Paul Joshua Kenneth Kevin Brian Timothy Ronald George Jason Edward Jeffrey Ryan
Jacob Nicholas Gary Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin Samuel Gregory Alexander
Patrick Frank Raymond Jack Dennis Jerry Tyler Aaron Jose Adam Nathan Henry Zachary Douglas Peter Kyle
Noah Ethan Jeremy Christian Walter Keith Austin Roger Terry Sean Gerald Carl Dylan Harold Jordan Jesse
Bryan Lawrence Arthur Gabriel
"""
MEN = tuple(_MEN.split())

_SURNAMES = """
Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson
Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis
Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall
Rivera Campbell Mitchell Carter Roberts Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins
Reyes Stewart Morris Morales Murphy Cook Rogers Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly
Howard Ramos Kim Cox Ward Richardson Watson Brooks Chavez Wood James Bennett Gray Mendoza Ruiz Hughes
Price Alvarez Castillo Sanders Patel Myers Long Ross Foster Jimenez Powell Jenkins Perry Russell Sullivan
Bell Coleman Butler Henderson Barnes Fisher Vasquez Simmons O'Brien Murray Ford Castro Marshall Owens
Harrison Fernandez McDonald Woods Washington Kennedy Wells Vargas Chen Freeman Webb Tucker Guzman Burns
Crawford Olson Simpson Porter Hunter Gordon Mendez Silva Shaw Snyder Mason Dixon Munoz Hunt Hicks Holmes
Palmer Wagner Black Robertson Boyd Rose Stone Salazar Fox Warren Mills Meyer
"""
SURNAMES = tuple(_SURNAMES.split())

# ZIP codes by their first three digits: the hospital's own region first, patients from afar last
ZIP_AREAS = (
    ("021", 24), ("024", 12), ("018", 14), ("019", 12), ("017", 10), ("023", 10), ("027", 10), ("028", 8),
    ("030", 8), ("010", 6), ("061", 6), ("068", 4), ("100", 8), ("112", 6), ("120", 4), ("331", 4),
    ("606", 3), ("941", 3),
)  # fmt: skip


def zip_codes() -> list[str]:
    """List the ZIP codes that patients come from, those of the largest areas first.

    Examples
    --------
    >>> zip_codes()[:3], len(zip_codes())
    (['02108', '02115', '02122'], 152)
    """
    return [f"{area}{(8 + 7 * i) % 100:02d}" for area, size in ZIP_AREAS for i in range(size)]


def _falling(n: int, *, flat: int = 0) -> Integers:
    """Weights in proportion to 1 / (rank + flat): a long tail."""
    return 1_000_000 // (np.arange(1, n + 1) + flat)


def draw_ages(draws: Draws, n: int) -> Integers:
    """Draw the ages (n,) of patients, 0 to 102, in whole years."""
    return draws.pick(broken_line(AGE_KNOTS), n)


def draw_sexes(draws: Draws, ages: Integers) -> Integers:
    """Draw sexes (n,), 0 female, 1 male: more women at the age of childbirth, and among the oldest."""
    stage = np.searchsorted([15, 45, 75], ages, side="right")
    return draws.pick_given(((480, 520), (620, 380), (480, 520), (580, 420)), stage)


def draw_zips(draws: Draws, n: int) -> pl.Series:
    """Draw ZIP codes (n,) with a long-tailed number of patients each."""
    codes = zip_codes()
    return pl.Series(codes).gather(draws.pick(_falling(len(codes), flat=4), n))


def draw_names(draws: Draws, sexes: Integers) -> pl.Series:
    """Draw full names (n,) such as ``Mary Q. Smith``, first names by sex; some people share one."""
    first = pl.Series([*WOMEN, *MEN])
    counts = _falling(len(WOMEN), flat=20), _falling(len(MEN), flat=20)
    table = np.zeros((2, len(first)), dtype=np.int64)
    table[0, : len(WOMEN)], table[1, len(WOMEN) :] = counts
    given = first.gather(draws.pick_given(table, sexes))
    family = pl.Series(SURNAMES).gather(draws.pick(_falling(len(SURNAMES), flat=20), len(sexes)))
    initial = pl.Series([*ascii_uppercase]).gather(draws.below(26, len(sexes)))
    return given + " " + initial + ". " + family


def draw_identifiers(draws: Draws, n: int) -> pl.Series:
    """Give n people distinct numbers such as ``P0004711``, in random order."""
    digits = max(7, len(str(n)))
    numbers = pl.Series(draws.order(n) + 1).cast(pl.String).str.zfill(digits)
    return "P" + numbers
