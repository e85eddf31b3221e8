"""Tables in which people have several records: every release holds for its people, and keeps their records together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from tests.properties.cases import Case, cases
from tests.properties.guarantees import fractions
from tests.properties.people import says_nothing, violations_of_people
from tests.properties.test_guarantees_hold import check_pairs, check_places

import likeness as lk
from likeness import registry
from likeness.encode import encode
from likeness.folder.class_map import class_map_of

MANY = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
SHARES = st.fixed_dictionaries({"alpha": fractions("1/6", "1"), "beta": fractions("1/3", "1")})
ABOUT_INDIVIDUALS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "ir-k-anonymity": st.fixed_dictionaries({"k": st.integers(1, 5)}),
    "ir-kl-anonymity": st.fixed_dictionaries({"k": st.integers(1, 4), "l": st.integers(1, 4)}),
    "ir-alpha-beta-anonymity": SHARES,
    "eir-l-diversity": st.fixed_dictionaries({"l": st.integers(1, 4)}),
    "eir-alpha-beta-anonymity": SHARES,
}
METHODS = (
    {"name": "mondrian", "cut": "utd"},
    {"name": "k-member"},
    {"name": "mdav"},
    {"name": "sbca"},
    {"name": "incognito"},
    {"name": "datafly"},
    {"name": "local-search", "start": "k-member", "steps": 1_000_000},
    {"name": "exchange-cuts"},
)
REFUSED = (
    "has no hierarchy; give it one",
    "cannot keep to max_level",
    "max_level: there are people whose records differ",
    "exchanges records for the sake of their sensitive values, and the guarantee looks at none",
)


@dataclass
class Linked:
    """A case whose rows are of people."""

    case: Case
    people: list[int]
    form: str
    hygiene: dict[str, str]

    @property
    def frame(self) -> pl.DataFrame:
        """The table."""
        return self.case.frame.with_columns(pl.Series("who", self.people, pl.Int64))

    def policy(self, **changes: Any) -> lk.Policy:
        """The policy."""
        given_ = {
            "columns": self.case.columns | {"who": {"role": "identifier"}},
            "individual": "who",
            "hygiene": self.hygiene,
            "form": {"name": self.form, "recoding": self.case.recoding},
        }
        return self.case.policy(**(given_ | changes))

    def records(self, rows: list[int]) -> list[tuple[int, dict[str, Any]]]:
        """Whose rows are, and their sensitive values."""
        return [(self.people[row], self.case.truth(row)) for row in rows]

    def everybody(self) -> list[tuple[int, dict[str, Any]]]:
        """The records that hygiene keeps."""
        return self.records(encode(lk.read(self.frame), self.policy()).data.rows.tolist())


@st.composite
def linked(draw: st.DrawFn) -> Linked:
    """A table of people with several records, and a policy."""
    case = draw(cases())
    rows = case.frame.height
    several = draw(st.sampled_from([1, 2, 4]))
    people = draw(st.lists(st.integers(0, max(0, rows // several - 1)), min_size=rows, max_size=rows))
    if draw(st.integers(0, 2)):
        # Most people's records agree.
        first = [people.index(person) for person in people]
        for own in case.quasi.values():
            own.cells = [own.cells[i] for i in first]
        names = list(case.quasi)
        case.frame = case.frame.with_columns(case.frame[name].gather(first) for name in names)
    if draw(st.booleans()) and case.sensitive:
        name = draw(st.sampled_from(sorted(ABOUT_INDIVIDUALS)))
        case.models.append({"model": name} | draw(ABOUT_INDIVIDUALS[name]))
    if case.method["name"] in {"burel", "sabre"} or draw(st.booleans()):
        case.method = dict(draw(st.sampled_from(METHODS)))
    for name, own in case.fields.items():
        # Where nothing is said, what is missing in sensitive columns is a matter of hygiene.
        own.column.setdefault("missing", {"policy": case.treatment[name]})
    about = any(model["model"] in ABOUT_INDIVIDUALS for model in case.models)
    hygiene = {
        # Models about individuals take everybody's values as sets.
        "duplicates": "drop" if about else draw(st.sampled_from(["drop", "keep"])),
        "inconsistent_quasi": draw(st.sampled_from(["hull", "hull", "first", "mode"])),
    }
    return Linked(case, people, draw(st.sampled_from(["generalized", "identity-reserved"])), hygiene)


def whole_table_holds(linked_: Linked) -> bool:
    """Whether everybody, as one class, would do."""
    records = linked_.everybody()
    case = linked_.case
    return not violations_of_people(case.models, case.sensitive, records, [0] * len(records), records)


@given(one=linked())
@MANY
def test_every_release_holds_for_its_people_and_keeps_them_together(one):
    case = one.case
    try:
        release = lk.anonymize(one.frame, one.policy(), seed=3)
    except lk.InvalidError as error:
        event("refused")
        assert any(words in str(error) for words in (*case.refusals, *REFUSED)), error
        return
    except lk.CannotBeMetError as error:
        event("cannot be met")
        if "says nothing about these records" in str(error):
            assert says_nothing(case.models, case.sensitive, one.everybody())
            return
        if "the release would tell that there was somebody" in str(error):
            assert case.categorized
            return
        assert error.problems[0].startswith("cannot be met: ")
        limited = any("max_level" in own.column for own in case.quasi.values())
        leftovers = case.method["name"] in {"k-member", "sbca"}
        assert limited or leftovers or not whole_table_holds(one), error
        return
    event(f"released by {case.method['name']}")
    published = release.table.rows(named=True)
    rows = [row["row"] for row in published]
    records = one.records(rows)
    if one.hygiene["inconsistent_quasi"] == "hull":
        classes = check_places(case, published)
    else:
        # The first or most frequent values of a person need not be those of the record.
        classes = [tuple(row[name] for name in case.quasi) for row in published]
    original = one.records(release.private.encoded.data.rows.tolist())
    assert violations_of_people(case.models, case.sensitive, records, classes, original) == []
    assert release.certificate.classes == len(set(classes))
    assert release.certificate.individuals == len({person for person, _ in records})
    assert release.verify().ok
    check_pairs(case, published)
    check_people(one, release, published, classes)


def check_people(
    one: Linked, release: lk.Release, published: list[dict[str, Any]], classes: list[Any]
) -> None:
    """All records of a person are in one class, or none is published; numbers say who is who, and nothing else."""
    rows = [row["row"] for row in published]
    of_person: dict[int, set[Any]] = {}
    for row, own in zip(rows, classes, strict=True):
        of_person.setdefault(one.people[row], set()).add(own)
    assert all(len(own) == 1 for own in of_person.values())
    found = class_map_of(release)
    counts = found.counts()
    assert counts["input"] == one.frame.height
    assert counts["input"] == counts["published"] + sum(
        sum(counts[status].values()) for status in ("withheld", "dropped")
    )
    withheld = {
        person for person, status in zip(one.people, found.status.tolist(), strict=True) if status == 1
    }
    assert not withheld & of_person.keys()
    everybody = len(withheld) + len(of_person)
    assert len(withheld) <= Fraction(str(one.case.at_most)) * everybody
    if one.form == "generalized":
        assert "person" not in release.table.columns
        return
    numbers = {(one.people[row["row"]], row["person"]) for row in published}
    assert len(numbers) == len(of_person) == len({number for _, number in numbers})
    shown = {(own, row["class"]) for row, own in zip(published, classes, strict=True)}
    assert len(shown) == len(set(classes)) == len({number for _, number in shown})


@given(one=linked())
@settings(MANY, max_examples=25)
def test_what_is_written_is_what_was_proven(one, tmp_path_factory):
    try:
        release = lk.anonymize(one.frame, one.policy(), seed=3)
    except lk.LikenessError:
        return
    folder = tmp_path_factory.mktemp("release") / "out"
    release.write(folder)
    verdict = lk.verify(folder)
    assert verdict.ok, verdict.problems
    public = lk.verify(folder / "public")
    assert not public.problems
    # Whoever has the table alone counts its people, and is told no more than can be said from it.
    assert all(proof.holds for proof in public.proofs if proof.scope == "public")


def test_every_model_about_individuals_is_tried():
    names = {name for name in registry.names("models") if registry.load("models", name).about_individuals}
    assert names == set(ABOUT_INDIVIDUALS)


def test_every_method_for_individuals_is_tried():
    taking = {name for name in registry.names("methods") if registry.load("methods", name).takes_individuals}
    # For their models only: tests/methods; in two tables: tests/folder.
    own = {"danonyir", "geneir", "angel"}
    assert taking - own == {one["name"] for one in METHODS} | {"mondrian", "local-recoding"}
