"""What commands and pages say of tables in which there is one of everything."""

from __future__ import annotations

import html
import re

import pytest

ADJECTIVES = "equivalence|sensitive|published|missing|distinct|different|known|more|other|free|random|unique"
SEVERAL = re.compile(rf"(?<![\d.,^])1 (?:(?:{ADJECTIVES}) )?([a-z-]+s)\b")
FINE = {"is", "has", "was", "does", "class", "means", "this", "tells", "keeps"}

COLUMNS = "columns: {who: {role: %s}, age: {role: quasi}, disease: {role: sensitive}}\n"
POLICIES = {
    "records": COLUMNS % "drop" + "privacy: [{model: k-anonymity, k: 1}, {model: beta-likeness, beta: 9}]\n",
    "people": COLUMNS % "identifier" + "individual: who\nprivacy: [{model: k-anonymity, k: 1}]\n",
    "linked": COLUMNS % "identifier" + "individual: who\nprivacy: [{model: eir-l-diversity, l: 1}]\n",
    "buckets": COLUMNS % "drop" + "method: anatomy\nprivacy: [{model: distinct-l-diversity, l: 2}]\n",
    "baseline": COLUMNS % "drop" + "method: baseline\nprivacy: [{model: t-closeness, t: 1}]\n",
    "refused": COLUMNS % "drop"
    + "privacy: [{model: k-anonymity, k: 9}, {model: distinct-l-diversity, l: 9}]\n",
    "twice": COLUMNS % "identifier"
    + "individual: who\nhygiene: {duplicates: keep}\nprivacy: [{model: k-anonymity, k: 1}]\n",
    "marked": COLUMNS % "drop" + "missing: {policy: error}\nprivacy: [{model: k-anonymity, k: 1}]\n",
}
TABLES = {
    "one": "who,age,disease\na,30,flu\n",
    "two": "who,age,disease\na,30,flu\na,30,cold\n",
    "again": "who,age,disease\na,30,flu\na,30,flu\n",
    "gap": "who,age,disease\na,30,flu\nb,30,\nc,31,flu\n",
}


def wrong(text: str) -> list[str]:
    """Places where one of something is said to be several."""
    return [found[0] for found in SEVERAL.finditer(text) if found[1] not in FINE]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1 records in 1 class", ["1 records"]),
        (
            "1 record in 1 equivalence classes, 1 sensitive values",
            ["1 equivalence classes", "1 sensitive values"],
        ),
        ("21 records, 0.1 times, 1 class is 1 record; at 1 is", []),
    ],
)
def test_what_counts_as_wrong(text, found):
    assert wrong(text) == found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "table"),
    [
        ("records", "one"),
        ("people", "two"),
        ("people", "gap"),
        ("linked", "two"),
        ("buckets", "two"),
        ("baseline", "one"),
        ("refused", "one"),
        ("twice", "again"),
        ("marked", "gap"),
    ],
)
def test_one_of_everything(run, desk, policy, table):
    (desk / "t.csv").write_text(TABLES[table])
    (desk / "p.yaml").write_text(POLICIES[policy])
    said = {}
    for words in (
        ("check", "t.csv", "p.yaml"),
        ("anonymize", "t.csv", "p.yaml", "-o", "out"),
        ("verify", "out"),
        ("verify", "out/public"),
        ("verify", "out", "--original", "t.csv"),
        ("measure", "out", "--original", "t.csv"),
        ("attack", "out", "--original", "t.csv"),
    ):
        found = run(*words)
        said[" ".join(words)] = found.out + found.err
        if found.code and words[0] == "anonymize":
            break
    for page in (desk / "out").rglob("*.html"):
        said[page.name] = html.unescape(re.sub(r"<[^>]*>", " ", page.read_text()))
    assert {where: wrong(text) for where, text in said.items() if wrong(text)} == {}


@pytest.mark.parametrize("table", ["one", "again"])
def test_profiles_and_searches(run, desk, table):
    (desk / "t.csv").write_text(TABLES[table])
    (desk / "p.yaml").write_text(POLICIES["people"])
    said = [run("profile", "t.csv"), run("profile", "t.csv", "-o", "-")]
    said.append(
        run("strongest", "t.csv", "p.yaml", "--parameter", "k", "--between", "1..2", "--loss", "ncp=1")
    )
    assert [wrong(found.out + found.err) for found in said] == [[]] * 3
