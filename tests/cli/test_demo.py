"""`likeness demo`."""

from __future__ import annotations

import pytest

HEADINGS = (
    "what was asked",
    "what anybody can prove",
    "what the steward can prove besides",
    "what was lost",
    "what an adversary could do",
    "a few records, before and after",
    "where it lies",
)


ROWS = ("--rows", "300")


@pytest.fixture
def shown(run):
    """The demonstration, on a small table."""
    return run("demo", *ROWS)


def test_it_says_everything_in_order(shown, run, desk):
    assert shown.code == 0
    assert shown.err == ""
    places = [shown.out.index(heading) for heading in HEADINGS]
    assert places == sorted(places)
    for words in (
        "about 300 invented patients",
        "k-anonymity (k = 5)",
        "holds: beta-likeness (beta = 4) on 'diagnosis', scope public",
        "300 records = ",
        "people who are unique",
        f"{desk}/demo-release/public",
        "anybody can check it: likeness verify demo-release",
    ):
        assert words in shown.out
    assert run("verify", "demo-release").code == 0


def test_the_adversary_gets_at_most_what_k_allows(shown):
    worst = next(line for line in shown.out.splitlines() if "at worst" in line).split()
    before, after = float(worst[-4]), float(worst[-2])
    assert before == 100
    assert 0 < after <= 20  # k = 5


def test_the_table_can_be_made_again_and_is_the_one_released(shown, run):
    command = next(line for line in shown.out.splitlines() if "made anew by" in line).partition("likeness ")[
        2
    ]
    assert run(*command.split()).code == 0
    found = run("verify", "demo-release", "--original", "hospital.csv")
    assert found.code == 0
    assert "the original is the table the release was made from" in found.out


@pytest.mark.slow
def test_a_release_is_replaced_only_when_asked(shown, run):
    assert "already exists" in run("demo", *ROWS).errors[0]
    assert run("demo", *ROWS, "--overwrite").code == 0


@pytest.mark.slow
def test_without_a_seed_no_two_are_the_same(shown, run, desk):
    path = desk / "demo-release" / "public" / "release.csv"
    first = path.read_bytes()
    run("demo", *ROWS, "--overwrite")
    assert path.read_bytes() != first
    seeded = []
    for _ in range(2):
        run("demo", *ROWS, "--overwrite", "--seed", "3")
        seeded.append(path.read_bytes())
    assert seeded[0] == seeded[1]
