"""Five records in two classes: the table of the metrics' examples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.forms.base import as_labelled
from likeness.forms.generalized import GeneralizedForm
from likeness.hierarchies import from_rows
from likeness.metrics.base import Evaluation
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan, Reason
from likeness.microdata.regions import recode
from likeness.published.columns import PublishedColumns, note_on

if TYPE_CHECKING:
    from likeness.forms.base import Publication
    from likeness.microdata.regions import Recoding


def mini_table(*, hierarchies: bool = False, withheld: int = 0) -> Evaluation:
    """Publish (20, M), (30, M) as one class and (40, F), (50, M), (60, F) as another.

    The sensitive attribute ``disease`` is flu, flu | flu, ulcer, ulcer. With ``hierarchies`` age is published by the
    hierarchy ``20 30 | 40 50 60 | *`` and sex by ``F M | *``, instead of intervals and sets. The first ``withheld``
    records are withheld.
    """
    age = Domain("age", "integer", np.array([20, 30, 40, 50, 60]), "interval", low=20, high=60)
    sex = Domain("sex", "categorical", np.array(["F", "M"]), "set")
    if hierarchies:
        young, old = "[20, 30]", "[40, 60]"
        ages = [(str(n), young if n <= 30 else old, "*") for n in age.values.tolist()]
        sexes = [("F", "*"), ("M", "*")]
        age = replace(age, shape="tree", hierarchy=from_rows(ages, "age", where=str))
        sex = replace(sex, shape="tree", hierarchy=from_rows(sexes, "sex", where=str))
    disease = Domain("disease", "categorical", np.array(["flu", "ulcer"]), "set")
    data = Microdata(
        (age, sex),
        np.array([[0, 1, 2, 3, 4], [1, 1, 0, 1, 0]], np.int32),
        (disease,),
        np.array([[0, 0, 0, 1, 1]], np.int32),
        np.arange(5),
    )
    plan = Plan(np.array([0, 0, 1, 1, 1]))
    if withheld:
        plan = plan.withhold(np.arange(5) < withheld, Reason("example", "an example"))
    plan, recoding = recode(data, plan)
    return Evaluation(data, plan, recoding, _publish(data, plan, recoding))


def _publish(data: Microdata, plan: Plan, recoding: Recoding) -> Publication:
    """Publish it, and read what was published."""
    form = GeneralizedForm()
    table = form.publish(data, plan, recoding, np.random.Generator(np.random.PCG64(0))).tables["release"]
    kept = plan.published
    notes = [
        note_on(domain, "quasi", codes[kept], regions=True)
        for domain, codes in zip(data.quasi, data.codes, strict=True)
    ]
    notes += [
        note_on(domain, "sensitive", codes[kept])
        for domain, codes in zip(data.sensitive, data.sensitive_codes, strict=True)
    ]
    texts = {name: as_labelled(column) for name, column in table.items()}
    return form.read({"release": texts}, PublishedColumns(tuple(notes)))
