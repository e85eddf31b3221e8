"""What only withheld people have leaves no trace: the same classes are published alike whether or not the others were there."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.forms.publications import mechanism

import likeness as lk
from likeness import registry
from likeness.encode import describe_columns, encode
from likeness.forms.base import as_labelled
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import recode
from likeness.tables import read

TOWNS = [[town, land, "*"] for town, land in (("Bern", "CH"), ("Genf", "CH"), ("Rom", "IT"), ("Nizza", "FR"))]
COLUMNS = {
    "letter": {"role": "quasi"},
    "listed": {"role": "quasi", "domain": ["a", "b", "c", "x"]},
    "grade": {"role": "quasi", "kind": "ordered", "domain": ["low", "mid", "high"]},
    "age": {"role": "quasi"},
    "dose": {"role": "quasi"},
    "size": {"role": "quasi", "domain": [0, 300]},
    "born": {"role": "quasi"},
    "zip": {"role": "quasi", "hierarchy": {"prefix": 3}},
    "pay": {"role": "quasi", "hierarchy": {"intervals": {"width": [10, 100]}}},
    "seen": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}},
    "town": {"role": "quasi", "hierarchy": TOWNS},
}
SENSITIVE = [
    {"role": "sensitive"},
    {"role": "sensitive", "hierarchy": {"prefix": 3}},
    {"role": "sensitive", "kind": "ordered", "domain": ["100", "200", "201", "999"]},
]
USUAL = {
    "letter": ["a", "b", "c"], "listed": ["a", "b", "c"], "grade": ["low", "high"], "age": [20, 30, 40],
    "dose": [0.5, 1.5], "size": [10, 20], "born": ["2000-01-01", "2000-02-01"], "zip": ["100", "101", "110"],
    "pay": [15, 17, 25], "seen": ["2020-01-01", "2020-01-02", "2021-05-05"], "town": ["Bern", "Genf", "Nizza"],
    "s": ["100", "200", "201"],
}  # fmt: skip
ODD = {
    "letter": ["x", None], "listed": ["x", None], "grade": ["mid", None], "age": [7, 25, 99, None],
    "dose": [0.1, 9.5, None], "size": [1, 299, None], "born": ["1900-01-01", "2000-01-15", None],
    "zip": ["102", "111", "200", None], "pay": [1, 16, 18, 900, None], "seen": ["2019-01-01", "2020-01-31", None],
    "town": ["Rom", None], "s": ["999", None],
}  # fmt: skip
FORMS = [
    *({"name": name, "recoding": how} for name in ("generalized", "identity-reserved") for how in ("tight", "hierarchy", "set")),
    {"name": "generalized", "numeric_pairs": True},
    *({"name": name} for name in ("anatomized", "baseline", "microaggregated", "perturbed")),
    *({"name": "mixed", "recoding": how} for how in ("tight", "set")),
]  # fmt: skip


def told(frame, form, sensitive, classes, buckets, *, wide):
    """Texts of the published tables, row by row, and the notes on their columns."""
    columns = COLUMNS | {"s": sensitive, "who": {"role": "identifier"}}
    policy = lk.Policy.from_mapping(
        {"columns": columns, "privacy": [{"model": "k-anonymity", "k": 2}], "missing": {"policy": "category"}}
        | ({"individual": "who"} if form.needs_individuals else {})
        | {"form": {"name": form.name, **registry.parameters(form)}}
    )
    encoded = encode(read(frame), policy)
    data = encoded.data
    bounds = None
    if wide:
        last = np.array([domain.codes - 1 for domain in data.quasi], np.int32)
        bounds = np.stack([np.zeros_like(data.codes), np.repeat(last[:, None], data.size, axis=1)])
    plan = Plan(renumber(classes), buckets=buckets, bounds=bounds)
    if form.name == "perturbed":
        kept = plan.published
        coin = mechanism(
            np.bincount(data.sensitive_codes[0][kept], minlength=data.sensitive[0].codes).astype(np.int64)
        )
        drawn = data.sensitive_codes.copy()
        drawn[0, kept] = coin.perturb(data.sensitive_codes[0][kept], np.random.default_rng(3))
        plan = replace(plan, sensitive=drawn, mechanism=coin)
    plan, recoding = recode(data, plan)
    published = form.publish(data, plan, recoding, np.random.default_rng(5))
    texts = {}
    for name, table in published.tables.items():
        shown = {column: as_labelled(own) for column, own in table.items()}
        texts[name] = {
            column: [own.labels[code] for code in own.codes.tolist()] for column, own in shown.items()
        }
    notes = describe_columns(encoded, policy, form, plan.published, published.tables)
    return texts, json.dumps([note.to_json() for note in notes.notes]), notes


# Exact values have no regions that could be wider than their classes.
CASES = [(form, wide) for form in FORMS for wide in (False, True) if not wide or "recoding" in form]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "wide"),
    CASES,
    ids=lambda given: "-".join(map(str, given.values())) if isinstance(given, dict) else "wide" * given,
)
def test_nothing_tells_what_only_withheld_people_have(form, wide):
    options = dict(form)
    made = registry.create("forms", options.pop("name"), options)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, extra = int(rng.integers(3, 9)), int(rng.integers(1, 4))
        usual = {
            name: [values[i] for i in rng.integers(len(values), size=n)] for name, values in USUAL.items()
        }
        if seed % 3 == 0:
            # The missing value is known when somebody published has it.
            for name in ("letter", "age", "zip"):
                usual[name][0] = None
        odd = {
            name: [values[i] for i in rng.integers(len(values), size=extra)] for name, values in ODD.items()
        }
        people = [f"p{i}" for i in range(n)]
        # One missing cell at least, whatever was drawn: a column without any has no category for it.
        odd = {name: [*values, None] for name, values in odd.items()}
        classes = rng.integers(0, 3, n) if seed % 4 else np.zeros(n, np.int64)
        buckets = rng.integers(0, 2, n)
        with_them = frame_of(
            {name: values + odd[name] for name, values in usual.items()},
            [*people, *(f"q{i}" for i in range(extra + 1))],
        )
        without = frame_of(usual, people)
        nobody = np.full(extra + 1, -1)
        sensitive = SENSITIVE[seed % len(SENSITIVE)]
        one = told(
            with_them, made, sensitive, np.append(classes, nobody), np.append(buckets, nobody), wide=wide
        )
        other = told(without, made, sensitive, classes, buckets, wide=wide)
        assert one[0] == other[0]
        assert one[1] == other[1]


def frame_of(values, people):
    """The table, every column of the type of its usual values."""
    days = {"born", "seen"}
    columns = {
        name: pl.Series(name, own, dtype=pl.String).str.to_date() if name in days
        else pl.Series(name, own, dtype=pl.from_dict({"x": USUAL[name]})["x"].dtype)
        for name, own in values.items()
    }  # fmt: skip
    return pl.DataFrame(columns | {"who": people})


def test_a_value_of_the_withheld_is_neither_told_nor_counted():
    # Whoever is above 100 is alone below max_level and withheld: the only "x", and the only missing town.
    frame = pl.DataFrame(
        {
            "age": [30, 31, 60, 61, 120],
            "sex": ["f", "m", "m", "f", "x"],
            "town": ["A", "B", "A", "B", None],
            "s": ["a", "b", "a", "b", "c"],
        }
    )
    policy = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": {"width": 50}}, "max_level": 1},
            "sex": {"role": "quasi"},
            "town": {"role": "quasi"},
            "s": {"role": "sensitive"},
        },
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "missing": {"policy": "category"},
        "withhold": {"at_most": 0.5},
    }
    for method in ("mondrian", "geneir"):
        release = lk.anonymize(frame, policy | {"method": {"name": method}, "form": {"name": "generalized"}})
        assert release.table["sex"].to_list() == release.table["town"].to_list() == ["*"] * 4
        notes = {note.name: note for note in release.certificate.columns.notes}
        assert notes["sex"].values == ("f", "m")
        assert notes["town"].values == ("A", "B")
        assert not any("x" in "".join(map(str, release.table[name])) for name in ("sex", "s"))
        # Half of the four, not a third: nobody published is "x", and nobody of unknown town.
        assert release.estimate({"sex": {"f"}}) == release.estimate({"town": {"A"}}) == 2
        assert release.posterior({"age": 30, "sex": "f", "town": "A"})
        assert not release.posterior({"age": 30, "sex": "x", "town": "A"})
