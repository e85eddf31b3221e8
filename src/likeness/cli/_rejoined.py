"""A release folder beside its original again: what `measure` and `attack` need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.anonymization import as_policy
from likeness.encode import encode
from likeness.errors import InvalidError
from likeness.folder.layout import find_layout
from likeness.folder.private_part import read_private
from likeness.folder.public_part import read_public
from likeness.folder.verification import judge
from likeness.metrics._base import Evaluation
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.encode import Encoded
    from likeness.folder.class_map import ClassMap
    from likeness.forms._base import Publication
    from likeness.policy import Policy
    from likeness.tables import Table


@dataclass(frozen=True, eq=False)
class Rejoined:
    """A release and its original.

    Parameters
    ----------
    publication
        What was published.
    encoded
        The original.
    policy
        What was asked.
    class_map
        What became of every record; None without ``private/``.
    """

    publication: Publication
    encoded: Encoded
    policy: Policy
    class_map: ClassMap | None

    @property
    def evaluation(self) -> Evaluation:
        """What metrics look at.

        Raises
        ------
        InvalidError
            Without ``private/``, which alone says who is in which class.
        """
        if self.class_map is None:
            raise InvalidError(
                "without private/ nobody knows which record is in which class; measure the release folder itself"
            )
        rows = self.encoded.data.rows
        buckets = None if self.class_map.buckets is None else self.class_map.buckets[rows]
        withheld = self.class_map.counts()["withheld"]
        plan = Plan(self.class_map.classes[rows], buckets, withheld_because=withheld)
        return Evaluation(self.encoded.data, *recode(self.encoded.data, _gapless(plan)))


def rejoin(folder: Path, original: Table, policy: Path | None = None) -> Rejoined:
    """Verify a release and put it beside its original.

    Parameters
    ----------
    folder
        The release folder, or its ``public/`` alone.
    original
        The table it was made from.
    policy
        What was asked; what ``private/`` says when left out.

    Raises
    ------
    InvalidError
        When there is no such release, or neither ``private/`` nor a policy says what the columns are.
    VerificationError
        When the release is not what its files say, or was not made from this original: nothing is measured then.
    """
    layout = find_layout(folder)
    public = read_public(layout)
    steward = None if layout.private is None else read_private(layout, layout.private, public)
    told = as_policy(policy) if policy is not None else None if steward is None else steward.policy
    if told is None and steward is None:
        raise InvalidError(f"{folder}: there is no private/ here to say what the columns are; give --policy")
    encoded = None if told is None else encode(original, told)
    judge(public, steward, encoded if steward is not None else None, told).raise_if_failed()
    if public.publication is None or encoded is None or told is None:
        raise InvalidError(f"{folder}: cannot be understood; likeness verify says why")
    return Rejoined(public.publication, encoded, told, None if steward is None else steward.class_map)


def _gapless(plan: Plan) -> Plan:
    """Check that classes are numbered as plans number them; a class map that was verified is."""
    used = np.unique(plan.classes[plan.published])
    if used.size and not np.array_equal(used, np.arange(used.size)):
        raise InvalidError("private/classes.parquet: its classes are not numbered from 0")
    return plan
