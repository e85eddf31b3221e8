"""Proofs from published texts: what holds, what does not and where, what could not be checked."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import likeness as lk
from likeness.encode import encode
from likeness.errors import Refusal, Statement, TableError, VerificationError
from likeness.forms.base import as_labelled
from likeness.forms.generalized import GeneralizedPublication
from likeness.models.beta_likeness import BetaLikeness
from likeness.proving.proof import Proof, Verdict, prove
from likeness.published.columns import ColumnNote, PublishedColumns
from likeness.tables import Labelled, read

NOTES = PublishedColumns(
    (
        ColumnNote("age", "quasi", "integer", "interval"),
        ColumnNote("town", "quasi"),
        ColumnNote("s", "sensitive"),
    )
)


def published(*rows: tuple[str, str, str]) -> GeneralizedPublication:
    """A published table of ages, towns and a sensitive column."""
    frame = read(pl.DataFrame(rows, schema=["age", "town", "s"], orient="row"))
    table = {}
    for name in frame.names:
        column = frame.encode(name, kind="text", missing=())
        table[name] = Labelled(column.codes, column.values.tolist())
    return GeneralizedPublication(table, NOTES)


TWO = published(
    ("[1, 4]", "{a|b}", "flu"),
    ("[1, 4]", "{a|b}", "cold"),
    ("[1, 4]", "{a|b}", "flu"),
    ("5", "*", "flu"),
    ("5", "*", "gout"),
)


@pytest.mark.parametrize(("one", "other"), [("5", "[5, 5]"), ("[1, 4]", "[01, 4]")])
def test_texts_of_one_meaning_would_tell_people_of_one_class_apart(one, other):
    with pytest.raises(TableError, match="one value is written in one way"):
        published((one, "a", "flu"), (other, "a", "gout"))
    with pytest.raises(TableError, match="one value is written in one way"):
        published(("5", "{a|b}", "flu"), ("5", "{b|a}", "gout"))


def test_classes_are_equal_regions():
    verdict = prove(TWO, [lk.KAnonymity(2)])
    assert verdict.ok
    assert (verdict.records, verdict.classes) == (5, 2)
    assert verdict.proofs[0].strength.values == {"k": 2}
    assert verdict.lines() == ["holds: k-anonymity (k = 2), scope public; strongest: k = 2"]
    verdict.raise_if_failed()


def test_violations_say_where():
    verdict = prove(TWO, [lk.KAnonymity(3), lk.DistinctLDiversity(3)])
    assert not verdict.ok
    with pytest.raises(VerificationError) as caught:
        verdict.raise_if_failed()
    assert caught.value.exit_code == 1
    assert caught.value.problems == (
        "VIOLATED: k-anonymity (k = 3), scope public; strongest: k = 2",
        "  violated in the class age = 5, town = *",
        "VIOLATED: distinct-l-diversity (l = 3) on 's', scope public; strongest: l = 2",
        "  violated in the class age = [1, 4], town = {a|b}",
        "  violated in the class age = 5, town = *",
    )


def test_three_classes_are_shown_and_the_others_counted():
    rows = [(str(i), "a", "flu") for i in range(9)]
    lines = prove(published(*rows), [lk.KAnonymity(2)]).lines()
    assert len(lines) == 5
    assert lines[-1] == "  … and 6 more classes"


def test_every_sensitive_column_has_a_proof_of_its_own():
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "s": list("abab"), "t": list("cdcd")})
    columns = {"age": lk.quasi(), "s": lk.sensitive(), "t": lk.sensitive()}
    model = lk.DistinctLDiversity(2, others="unknown")
    verdict = lk.anonymize(frame, lk.Policy(columns=columns, privacy=model), seed=1).verdict
    assert [proof.column for proof in verdict.proofs] == ["s", "t"]


@pytest.mark.parametrize(("others", "holds"), [("known", False), ("unknown", True)])
def test_an_adversary_who_knows_the_other_values_sees_smaller_groups(others, holds):
    # Who knows t, knows s: within the class of four they go together.
    frame = pl.DataFrame({"age": [1, 1, 1, 1], "s": list("aabb"), "t": list("ccdd")})
    columns = {"age": lk.quasi(), "s": lk.sensitive(), "t": lk.sensitive()}
    model = lk.DistinctLDiversity(2, sensitive="s", others=others)
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2))
    publication = lk.anonymize(frame, policy, seed=1).publication
    assert prove(publication, [model]).ok is holds


def test_what_needs_the_original_is_not_claimed_without_it():
    model = lk.BasicBetaLikeness(1, reference="original")
    verdict = prove(TWO, [model])
    assert (verdict.ok, verdict.failed, verdict.status) == (False, False, "nothing checkable")
    verdict.raise_if_failed()
    assert verdict.proofs[0].holds is None
    assert verdict.lines() == [
        "not checkable from these files: basic-beta-likeness (reference = original, beta = 1) on 's', scope steward"
    ]


def original(values: str) -> Any:
    """An original table with the sensitive values of a text."""
    frame = pl.DataFrame(
        {"age": [1] * len(values), "s": [dict(f="flu", c="cold", g="gout", m="mumps")[v] for v in values]}
    )
    columns = {"age": lk.quasi(), "s": lk.sensitive()}
    return encode(read(frame), lk.Policy(columns=columns, privacy=lk.KAnonymity(1))).data


@pytest.mark.parametrize(
    ("values", "beta", "holds"), [("ffffcg", "3/2", False), ("ffcgcgcg", "3/5", False), ("fcgfcgfg", 1, True)]
)
def test_the_original_distribution_decides_where_it_is_asked_for(values, beta, holds):
    verdict = prove(TWO, [lk.BasicBetaLikeness(beta, reference="original")], original(values))
    share = {name: Fraction(values.count(name[0]), len(values)) for name in ("flu", "cold", "gout")}
    largest = (
        max(
            Fraction(2, 3) / share["flu"],
            Fraction(1, 3) / share["cold"],
            Fraction(1, 2) / share["flu"],
            Fraction(1, 2) / share["gout"],
        )
        - 1
    )
    assert (largest <= Fraction(beta)) is holds
    assert verdict.proofs[0].holds is holds
    assert verdict.proofs[0].scope == "steward"
    assert verdict.proofs[0].strength.values["beta"] == pytest.approx(float(largest))


def test_a_value_that_the_original_lacks_was_made_up():
    with pytest.raises(VerificationError, match="column 's' holds 'gout', which the original does not"):
        prove(TWO, [lk.BasicBetaLikeness(1, reference="original")], original("ffc"))


def test_a_bound_of_ones_own_is_kept_as_its_caps():
    model = BetaLikeness(bound=lambda p: min(Fraction(1), 2 * p))
    (proof,) = prove(TWO, [model]).proofs
    assert proof.holds is False
    assert proof.parameters == {
        "sensitive": "s",
        "caps": {"cold": "2/5", "flu": "1", "gout": "2/5"},
    }
    assert proof.subject == "beta-likeness on 's'"
    again = BetaLikeness(**proof.parameters)
    (kept,) = prove(TWO, [again]).proofs
    assert (kept.holds, kept.parameters) == (False, proof.parameters)


def test_proofs_are_written_as_json_can_hold_them():
    (proof,) = prove(TWO, [lk.DeltaDisclosure("1/3")]).proofs
    plain = json.loads(json.dumps(proof.to_json()))
    assert plain == {
        "model": "delta-disclosure", "parameters": {"sensitive": "s", "delta": "1/3"}, "scope": "public",
        "measured": {"delta": "inf"}, "sensitive": "s",
    }  # fmt: skip
    assert "sensitive" not in prove(TWO, [lk.KAnonymity(1)]).proofs[0].to_json()


def test_a_verdict_tells_everything_that_is_wrong():
    good = Proof("k-anonymity", {"k": 2}, None, "public", True, None)
    verdict = Verdict(
        (good,),
        5,
        2,
        refusals=(Refusal("was changed", about="release.csv"),),
        statements=(Statement("all hashes"),),
    )
    assert not verdict.ok
    assert repr(verdict) == (
        "Verdict: FAILED (5 records in 2 classes)\nholds: k-anonymity (k = 2), scope public\nok: all hashes\n"
        "WRONG: release.csv was changed"
    )
    with pytest.raises(VerificationError, match=r"^WRONG: release\.csv was changed$"):
        verdict.raise_if_failed()


def test_a_table_without_rows_proves_nothing_wrong():
    empty = GeneralizedPublication(
        {name: as_labelled(Labelled(TWO.sensitive_codes[0][:0], [])) for name in ("age", "town", "s")}, NOTES
    )
    assert prove(empty, [lk.KAnonymity(2), lk.DistinctLDiversity(2)]).classes == 0
