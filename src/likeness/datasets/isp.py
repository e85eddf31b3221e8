"""Customers of an internet service provider, made to the published facts of the ISP table of Sarrafi Aghdam & Sonehara 2016."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from likeness.datasets.base import Dataset, Draws, broken_line, check_size

YOUNGEST, OLDEST = 18, 87
SEXES = ("Male", "Female")
MEN_IN_HUNDRED = 74
AGE_KNOTS = ((18, 30), (27, 150), (38, 240), (50, 160), (62, 90), (75, 30), (87, 8))
REGIONS = {
    "Kanto": ("Tokyo", "Kanagawa", "Saitama", "Chiba", "Ibaraki", "Tochigi", "Gunma"),
    "Kansai": ("Osaka", "Hyogo", "Kyoto", "Nara", "Shiga", "Wakayama", "Mie"),
    "Chubu": ("Aichi", "Shizuoka", "Niigata", "Nagano", "Gifu", "Ishikawa", "Toyama", "Fukui", "Yamanashi"),
    "Kyushu and Okinawa": (
        "Fukuoka",
        "Kumamoto",
        "Kagoshima",
        "Nagasaki",
        "Oita",
        "Miyazaki",
        "Okinawa",
        "Saga",
    ),
    "Hokkaido and Tohoku": ("Hokkaido", "Miyagi", "Fukushima", "Aomori", "Iwate", "Yamagata", "Akita"),
    "Chugoku and Shikoku": (
        "Hiroshima",
        "Okayama",
        "Yamaguchi",
        "Ehime",
        "Kagawa",
        "Tokushima",
        "Shimane",
        "Kochi",
        "Tottori",
    ),
    "Elsewhere": ("Abroad", "Not given"),
}
CHARGES = (980, 1480, 1980, 2480, 2980, 3480, 3980, 4480, 4980, 5980, 6980, 9800)


@dataclass(frozen=True)
class Isp(Dataset):
    """Customers of an internet provider: age, sex, a long-tailed location, and what they pay a month.

    The table of Sarrafi Aghdam & Sonehara 2016 (section 7) is private; this one has its size, 5,750 records, and
    its cardinalities: age 70 (18 to 87), sex 2, location 49. Locations follow a Zipf law, most customers are men, and the
    charge depends on age and location a little.

    Examples
    --------
    >>> Isp().generate(rows=3, seed=1).columns
    ['age', 'sex', 'location', 'monthly_charge']
    """

    default_rows: ClassVar[int] = 5_750

    def generate(self, rows: int | None = None, seed: int = 0) -> pl.DataFrame:
        """Generate the table.

        Parameters
        ----------
        rows
            The number of customers; 5,750 when left out.
        seed
            Same seed and rows, same table, on any machine.

        Returns
        -------
        polars.DataFrame
            Columns ``age``, ``sex``, ``location``, ``monthly_charge`` (yen, 12 tariffs).

        Raises
        ------
        InvalidError
            When there is to be no row, or the seed is negative.
        """
        rows = check_size(rows, self.default_rows, seed)
        draws = Draws(seed, "isp")
        locations = _by_customers()
        age = draws.pick(broken_line(AGE_KNOTS), rows)
        sex = draws.pick([MEN_IN_HUNDRED, 100 - MEN_IN_HUNDRED], rows)
        location = draws.pick([60_000 // (rank + 1) for rank in range(len(locations))], rows)
        likes = np.clip(len(CHARGES) - 1 - age // 12 - (location > 10), 0, len(CHARGES) - 1)
        tariff = np.arange(len(CHARGES))
        weights = 24 - np.abs(tariff[None, :] - np.arange(len(CHARGES))[:, None])
        charge = draws.pick_given(weights**2, likes)
        return pl.DataFrame(
            {
                "age": age + YOUNGEST,
                "sex": pl.Series(SEXES).gather(sex),
                "location": pl.Series(locations).gather(location),
                "monthly_charge": pl.Series(CHARGES).gather(charge),
            }
        )

    def policy(self) -> dict[str, Any]:
        """Give a ready policy: k-anonymity, k = 5.

        Returns
        -------
        dict
            The content of a policy file.
        """
        return {
            "columns": {
                "age": {"role": "quasi", "kind": "integer", "domain": [YOUNGEST, OLDEST]},
                "sex": {"role": "quasi"},
                "location": {"role": "quasi", "hierarchy": "location.csv"},
                "monthly_charge": {"role": "sensitive", "kind": "integer"},
            },
            "privacy": [{"model": "k-anonymity", "k": 5}],
        }

    def hierarchies(self) -> dict[str, list[list[str]]]:
        """Give the hierarchy of locations that the policy names.

        Returns
        -------
        dict
            Rows by file name, one row a location: the location, its region, the root.
        """
        rows = [[place, region, "*"] for region, places in REGIONS.items() for place in places]
        return {"location.csv": rows}


def _by_customers() -> list[str]:
    """Order locations by customers: the first of every region, then the second, and so on."""
    longest = max(len(places) for places in REGIONS.values())
    return [places[i] for i in range(longest) for places in REGIONS.values() if i < len(places)]
