"""Tools that count records call one person with five visits 5-anonymous; a policy that names the person does not."""

from __future__ import annotations

from collections import defaultdict

import polars as pl
import pytest

import likeness as lk
from likeness.report.people import undeclared_people

COLUMNS = {"who": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}
METHODS = ("mondrian", "local-recoding", "k-member", "mdav", "sbca")


def visits() -> pl.DataFrame:
    """Ann came five times, three others of her age group once, six older people twice."""
    who = ["ann"] * 5 + ["bob", "cat", "dan"] + [f"old {i}" for i in range(6) for _ in range(2)]
    age = [30] * 5 + [40, 41, 42] + [70 + i for i in range(6) for _ in range(2)]
    disease = ["flu", "cold", "gout", "acne", "cough", "flu", "cold", "gout"] + ["flu", "cold"] * 6
    return pl.DataFrame({"who": who, "age": age, "disease": disease})


def people(release: lk.Release) -> list[set[str]]:
    """Who is in each published class."""
    plan, rows = release.private.solution.plan, release.private.encoded.data.rows
    who, found = visits()["who"], defaultdict(set)
    for own, row in zip(plan.classes.tolist(), rows.tolist(), strict=True):
        if own >= 0:
            found[own].add(who[row])
    return list(found.values())


def test_records_alone_make_one_person_a_class():
    policy = lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(3), method={"name": "mondrian"})
    release = lk.anonymize(visits(), policy, seed=1)
    assert {"ann"} in people(release)
    (line,) = undeclared_people(release)
    assert "say individual: who" in str(line)


@pytest.mark.parametrize("form", ["generalized", "identity-reserved"])
@pytest.mark.parametrize("method", METHODS)
def test_named_people_are_counted(method, form):
    policy = lk.Policy(
        columns=COLUMNS,
        individual="who",
        privacy=lk.KAnonymity(3) & lk.DistinctLDiversity(2),
        method={"name": method},
        form={"name": form},
        withhold={"at_most": 0.3},
    )
    release = lk.anonymize(visits(), policy, seed=1)
    assert min(map(len, people(release))) >= 3
    assert release.verify().ok


def test_five_records_of_one_person_are_not_five_anonymous():
    ann = visits().head(5)
    policy = lk.Policy(columns=COLUMNS, individual="who", privacy=lk.KAnonymity(5))
    with pytest.raises(lk.CannotBeMetError, match=r"1 individual,.*strongest it could meet is k = 1"):
        lk.anonymize(ann, policy, seed=1)
    assert lk.anonymize(ann, policy.replace(individual=None), seed=1).certificate.records == 5
