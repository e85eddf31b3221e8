"""What is valid, but this table cannot meet, ends with exit code 3 and what would make it possible."""

from __future__ import annotations

import pytest

K = "{model: k-anonymity, k: 5}"
NO_LEVEL = ("{prefix: 5}}", "{prefix: 5}, max_level: 0}")
RARE = "30,02101,ebola\n"

CASES = {
    "k above the number of records": (
        [("k: 5", "k: 500")],
        "",
        ["k-anonymity", "60 records", "k = 60"],
    ),
    "more different values than there are": (
        [(K, "{model: distinct-l-diversity, l: 7}")],
        RARE,
        ["distinct-l-diversity", "'disease'", "l = 4", "Smallest class"],
    ),
    "β with a value too rare for the level limits": (
        [(K, "{model: beta-likeness, beta: 1}"), NO_LEVEL],
        RARE,
        ["withheld", "the policy allows 1.00%", "Smallest class", "'ebola' 31"],
    ),
    "level limits": (
        [("k: 5", "k: 10"), NO_LEVEL],
        "",
        ["would have to be withheld", "lift level limits"],
    ),
    "withholding above the limit": (
        [("privacy:", "withhold: {at_most: 0}\nprivacy:"), NO_LEVEL],
        "30,99999,flu\n",
        ["1 of 61 records would have to be withheld", "at_most"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_impossible(case, run, desk):
    changes, rows, words = CASES[case]
    policy = (desk / "policy.yaml").read_text()
    for old, new in changes:
        assert old in policy
        policy = policy.replace(old, new)
    (desk / "policy.yaml").write_text(policy)
    with (desk / "patients.csv").open("a") as table:
        table.write(rows)
    before = sorted(desk.iterdir())
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert found.code == 3
    assert found.out == ""
    assert len(found.errors) == len(found.err.splitlines()) >= 1
    assert all(word in found.err for word in words), found.err
    assert sorted(desk.iterdir()) == before


def test_what_would_make_it_possible_does(run, desk):
    policy = (desk / "policy.yaml").read_text()
    (desk / "policy.yaml").write_text(policy.replace("k: 5", "k: 500"))
    assert run("check", "patients.csv", "policy.yaml").code == 3
    (desk / "policy.yaml").write_text(policy.replace("k: 5", "k: 60"))
    assert run("check", "patients.csv", "policy.yaml").code == 0
