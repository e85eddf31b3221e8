"""Releases under what adversaries know: searched, proven, kept, verified and opened again."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.folder.samples import Folder

import likeness as lk
from likeness import registry
from likeness.apart import least_withheld, move_surplus, parts_of, withhold_surplus
from likeness.encode import encode
from likeness.errors import CannotBeMetError, LikenessError, PolicyError
from likeness.folder.known import read_known
from likeness.kernels.beliefs import entropies, widest
from likeness.knowledge.base import learn
from likeness.methods.base import holding_classes
from likeness.metrics.base import Evaluation
from likeness.metrics.ncp import Ncp
from likeness.microdata.divergence import jensen_shannon
from likeness.microdata.knowledge import Knowledge
from likeness.models.requirements import require_of
from likeness.progress import Progress
from likeness.report.known import with_and_without
from likeness.solve import solve
from likeness.tables import read

NCP = Ncp(charge_withheld=True)
QUASI = {"age": lk.quasi(), "sex": lk.quasi(), "zip": lk.quasi()}
COLUMNS = QUASI | {"disease": lk.sensitive()}


def people(rows: int, seed: int = 0, ages: int = 30) -> pl.DataFrame:
    """A table in which what somebody has depends on age and sex."""
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(20, 20 + ages, rows), rng.choice(["f", "m"], rows)
    lean = (age - 20) / ages + (sex == "m") * 0.5
    disease = np.array(["cold", "flu", "gout", "mumps"])[
        np.minimum(3, (lean * 2 + rng.exponential(0.6, rows)).astype(int))
    ]
    return pl.DataFrame(
        {"age": age, "sex": sex, "zip": rng.choice(["1", "2", "3"], rows), "disease": disease}
    )


def asked(**given: Any) -> lk.Policy:
    """A policy for `people`."""
    plain = {
        "columns": COLUMNS,
        "privacy": [lk.KAnonymity(3), lk.BetaLikeness(4), lk.JsBackground("0.3")],
        "knowledge": {"kernel": {"bandwidth": 0.3}},
        "withhold": {"at_most": 1},
    }
    return lk.Policy(**(plain | given))


def known_of(release: lk.Release) -> tuple[Knowledge, np.ndarray]:
    """What is known of the records of a release, and their classes."""
    return release.private.encoded.data.knowledge[0], release.private.solution.plan.classes


def farthest_exactly(known: Knowledge, classes: np.ndarray, j: Fraction) -> bool:
    """Whether no two people of a class are further apart than j, pair by pair."""
    for number in range(int(classes.max(initial=-1)) + 1):
        rows = known.distributions.rows[np.unique(known.of[classes == number])].tolist()
        if not all(jensen_shannon(a, b).at_most(j) for a, b in combinations(rows, 2)):
            return False
    return True


@pytest.mark.slow
@given(
    rows=st.integers(12, 60),
    seed=st.integers(0, 10_000),
    ages=st.integers(1, 12),
    j=st.sampled_from(["0", "0.01", "0.1", "0.3", "0.8", "1"]),
    bandwidth=st.sampled_from([0.1, 0.3, 1.2, {"age": 0.4}]),
    method=st.sampled_from(
        ["mondrian", "burel", "k-member", "local-recoding", "mdav", "sbca", "anatomy", None]
    ),
)
@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
def test_no_two_of_a_class_are_believed_far_apart(rows, seed, ages, j, bandwidth, method):
    privacy = [lk.KAnonymity(2), lk.BetaLikeness(4), lk.JsBackground(j)]
    given: dict[str, Any] = {"privacy": privacy, "method": method}
    if method == "anatomy":
        given = {
            "privacy": [lk.DistinctLDiversity(2), lk.JsBackground(j)],
            "method": {"name": "anatomy", "l": 2},
        }
    if method == "sbca":
        given["method"] = {"name": "sbca", "k": 2}
    policy = asked(knowledge={"kernel": {"bandwidth": bandwidth}}, **given)
    table = people(rows, seed, ages)
    try:
        release = lk.anonymize(table, policy, seed=1)
    except CannotBeMetError:
        return
    known, classes = known_of(release)
    plan = release.private.solution.plan
    assert farthest_exactly(known, classes if plan.buckets is None else plan.buckets, Fraction(j))
    counts = release.counts
    assert counts["input"] == counts["published"] + sum(counts["withheld"].values()) == rows
    assert [proof.holds for proof in release.verify().proofs] == [True] * len(release.verify().proofs)


@pytest.mark.slow
@pytest.mark.parametrize(("j", "holds"), [("0.3112781244591328", False), ("0.3112781244591329", True)])
def test_the_last_digit_of_j_decides_in_search_proof_and_verify(j, holds, tmp_path):
    table = pl.DataFrame({"age": [1, 1, 2, 2], "disease": ["a", "a", "a", "b"]})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(
        columns=columns,
        privacy=[lk.KAnonymity(4), lk.JsBackground(j)],
        knowledge={"kernel": {"bandwidth": {"age": 0.1}}},
        withhold={"at_most": 0},
    )
    assert float(jensen_shannon([2, 0], [1, 1])) == pytest.approx(0.31127812445913286, abs=1e-16)
    if not holds:
        with pytest.raises(CannotBeMetError, match="js-background"):
            lk.anonymize(table, policy, seed=1)
        return
    release = lk.anonymize(table, policy, seed=1)
    folder = release.write(tmp_path / "out")
    assert lk.verify(folder, table).status == "proven"
    # The same release never held a limit that is smaller by the last digit.
    tighter = policy.replace(privacy=[lk.KAnonymity(4), lk.JsBackground("0.3112781244591328")])
    assert not lk.verify(folder, table, policy=tighter).ok


def test_people_of_one_tuple_with_different_pasts_are_kept_apart():
    """Their regions would be equal, so the smaller group is withheld."""
    table = pl.DataFrame({"age": [30] * 10, "disease": ["flu", "cold"] * 5})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "disease": lk.sensitive()},
        privacy=[lk.KAnonymity(2), lk.JsBackground("0.2")],
        knowledge={"kernel": {"bandwidth": 0.3}},
    )
    encoded = encode(read(table), policy)
    shares = np.array([[0.9, 0.1], [0.1, 0.9]])
    of = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    known = Knowledge.from_shares(encoded.data.sensitive[0], shares, of)
    data = replace(encoded.data, knowledge=(known,))
    models = encoded.name_models(policy.privacy)
    for name in ("mondrian", "k-member", "local-recoding"):
        method = registry.create("methods", name, {})
        solution = solve(method, data, models, np.random.default_rng(0), Fraction(1), Progress())
        published = solution.plan.published
        assert published.tolist() == [False] * 4 + [True] * 6
        assert {reason.name for reason in solution.plan.because} == {"merged-classes-fail"}


def test_knowledge_is_cut_with_the_table_and_not_made_anew():
    encoded = learn(encode(read(people(40)), asked()), asked())
    kept = np.array([3, 5, 8])
    known, cut = encoded.data.knowledge[0], encoded.data.take(kept).knowledge[0]
    assert cut.distributions is known.distributions
    assert cut.of.tolist() == known.of[kept].tolist()


@given(seed=st.integers(0, 10_000), rows=st.integers(4, 9), beta=st.sampled_from(["1/2", "1", "3"]))
@settings(deadline=None, max_examples=60)
def test_the_surplus_is_the_least_by_brute_force(seed, rows, beta):
    """Of every part as many are published as any subset that holds as one class has."""
    table = people(4 * rows, seed, ages=3)
    policy = asked(
        privacy=[lk.BetaLikeness(beta, reference="original"), lk.JsBackground("0.05")],
        knowledge={"kernel": {"bandwidth": 0.6}},
    )
    encoded = learn(encode(read(table), policy), policy)
    requirements = require_of(encoded.name_models(policy.privacy), encoded.data, encoded.data)
    parts = parts_of(encoded.data, requirements)
    searched = tuple(one for one in requirements if not one.bound.parts_suffice)
    most = 0
    for part in range(int(parts.max()) + 1):
        records = np.flatnonzero(parts == part)
        codes = encoded.data.sensitive_codes[0][records]
        best = 0
        # Who it is of a value does not matter, so numbers of each value are tried.
        for kept in np.ndindex(*(np.bincount(codes, minlength=4) + 1)):
            chosen = np.concatenate([np.flatnonzero(codes == s)[:n] for s, n in enumerate(kept)])
            if chosen.size > best:
                classes = np.full(encoded.data.size, -1, np.int64)
                classes[records[chosen]] = 0
                if holding_classes(searched, encoded.data, classes, 1)[0]:
                    best = chosen.size
        most += records.size - best
    assert least_withheld(encoded.data, searched, parts) == most
    withheld = withhold_surplus(encoded.data, searched, parts, {})
    gone = np.zeros(encoded.data.size, np.bool_) if withheld is None else ~withheld.plan.published
    left = holding_classes(searched, encoded.data, np.where(gone, -1, parts), int(parts.max()) + 1)
    lost = sum(int((parts == part).sum()) for part in np.flatnonzero(~left))
    assert int(gone.sum()) + lost - int(gone[~left[parts]].sum() if lost else 0) == most


@given(
    seed=st.integers(0, 10_000), rows=st.integers(20, 80), j=st.sampled_from(["0.01", "0.05", "0.1", "0.2"])
)
@settings(deadline=None, max_examples=60)
def test_who_moves_stands_with_people_within_j_and_nobody_else_loses_by_it(seed, rows, j):
    policy = asked(
        privacy=[lk.KAnonymity(2), lk.BetaLikeness(1, reference="original"), lk.JsBackground(j)],
        knowledge={"kernel": {"bandwidth": 0.6}},
    )
    encoded = learn(encode(read(people(rows, seed, ages=8)), policy), policy)
    data = encoded.data
    requirements = require_of(encoded.name_models(policy.privacy), data, data)
    searched = tuple(one for one in requirements if not one.bound.parts_suffice)
    before = parts_of(data, requirements)
    count = int(before.max()) + 1
    after = move_surplus(data, requirements, before)
    assert farthest_exactly(data.knowledge[0], after, Fraction(j))
    held = holding_classes(searched, data, before, count)
    assert holding_classes(searched, data, after, count)[held].all()
    assert held[before[after == before]].sum() == held[before].sum()  # none leaves a part that holds
    assert least_withheld(data, searched, after) <= least_withheld(data, searched, before)


@pytest.mark.slow
def test_somebody_moves_rather_than_be_withheld_where_that_loses_less():
    moved = 0
    for seed in range(30):
        table = people(150, seed, ages=12)
        policy = asked(
            privacy=[lk.BetaLikeness(1, reference="original"), lk.JsBackground("0.1")],
            knowledge={"kernel": {"bandwidth": 0.6}},
            method="mondrian",
        )
        solution = lk.anonymize(table, policy, seed=1).private.solution
        encoded = learn(encode(read(table), policy), policy)
        models = encoded.name_models(policy.privacy)
        moving = solve(lk.Mondrian(), encoded.data, models, np.random.default_rng(0), Fraction(1), Progress())
        loss = {True: 0.0, False: 0.0}
        loss[False] = NCP.measure(Evaluation(encoded.data, solution.plan, solution.recoding))
        loss[True] = NCP.measure(Evaluation(encoded.data, moving.plan, moving.recoding))
        assert loss[False] <= loss[True]
        moved += solution.moved
    assert moved > 0


@pytest.fixture
def written(tmp_path) -> tuple[Folder, pl.DataFrame]:
    """A release in which somebody of another class has the same value, and is believed far from some here."""
    table = people(200, 3)
    policy = asked(method="mondrian", privacy=[lk.KAnonymity(3), lk.BetaLikeness(4), lk.JsBackground("0.15")])
    return Folder(lk.anonymize(table, policy, seed=1).write(tmp_path / "out")), table


def test_everybody_can_check_the_rest_and_the_steward_all(written):
    folder, table = written
    public = lk.verify(folder.root / "public")
    assert [(proof.model, proof.holds) for proof in public.proofs] == [
        ("k-anonymity", True),
        ("beta-likeness", True),
        ("js-background", None),
    ]
    assert public.status == "proven in part"
    assert lk.verify(folder.root).status == lk.verify(folder.root, table).status == "proven"
    (known,) = folder.read("public/certificate.json")["knowledge"]
    assert known == {"source": "kernel", "sensitive": "disease", "parameters": {"bandwidth": "0.3"}}


def test_one_row_moved_to_another_class_is_found_though_nothing_public_changes(written):
    folder, _ = written
    classes = folder.classes()
    known = read_known(
        folder.root / "private/knowledge.parquet",
        "knowledge.parquet",
        folder.read("public/certificate.json")["knowledge"],
        classes.height,
    )[0]
    shares, of = known.distributions.shares, known.of
    table = folder.frame()
    disease = table["disease"].to_numpy()
    number, row = classes["class"].to_numpy().copy(), classes["published_row"].to_numpy().copy()
    negative = entropies(shares)

    def apart(members: np.ndarray) -> float:
        distinct = np.unique(of[members]).astype(np.int64)
        return float(widest(np.array([0, distinct.size]), distinct, shares, negative)[0])

    for one, other in combinations(np.flatnonzero(number >= 0).tolist(), 2):
        if number[one] == number[other] or disease[row[one]] != disease[row[other]]:
            continue
        members = np.flatnonzero(number == number[other])
        if apart(np.append(members[members != other], one)) > 0.2:
            break
    else:
        raise AssertionError("there is nobody to move")
    for column in (number, row):
        column[[one, other]] = column[[other, one]]
    folder.put_classes(classes.with_columns(pl.Series("class", number), pl.Series("published_row", row)))
    folder.audit()
    found = lk.verify(folder.root)
    assert [(proof.model, proof.holds) for proof in found.proofs][2] == ("js-background", False)
    assert not found.ok
    assert lk.verify(folder.root / "public").status == "proven in part"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["record", "value"])
@pytest.mark.parametrize("change", ["dropped", "doubled", "share", "distribution", "row", "source", "kind"])
def test_kept_knowledge_that_was_changed_is_refused(kind, change, written):
    folder, table = written
    path = folder.root / "private/knowledge.parquet"
    frame = pl.read_parquet(path)
    at = int((frame["kind"] == kind).arg_max()) + 1
    if change == "dropped":
        frame = pl.concat([frame.head(at), frame.tail(-at - 1)])
    elif change == "doubled":
        frame = pl.concat([frame.head(at + 1), frame.tail(-at)])
    elif change == "kind":
        frame = frame.with_columns(pl.Series("kind", ["other", *frame["kind"].to_list()[1:]]))
    else:
        values = frame[change].to_list()
        values[at] += 1
        frame = frame.with_columns(pl.Series(change, values, frame[change].dtype))
    frame.write_parquet(path)
    assert lk.verify(folder.root).failed  # its SHA-256 is another
    folder.audit()
    found = lk.verify(folder.root, table)
    assert found.failed
    assert any("knowledge.parquet" in problem for problem in found.problems)


def test_without_the_file_nothing_is_proven_of_what_is_known(written):
    folder, _ = written
    (folder.root / "private/knowledge.parquet").unlink()
    folder.audit()
    found = lk.verify(folder.root)
    assert found.problems == ("private/knowledge.parquet is missing",)
    assert found.proofs[2].holds is None


def test_opened_beside_its_original_it_is_the_release_that_was_written(written, tmp_path):
    folder, table = written
    again = lk.open_release(folder.root, original=table)
    other = again.write(tmp_path / "again")
    for path in sorted(folder.root.glob("*/*")):
        assert (other / path.relative_to(folder.root)).read_bytes() == path.read_bytes(), path.name


def test_the_report_says_what_is_known_and_what_came_of_it(written):
    folder, table = written
    page = (folder.root / "private/report.html").read_text()
    assert "What an adversary is taken to know" in page
    assert "known exactly: only people of the same value count" in page
    assert "Parts whose people may share classes" in page
    assert "What it costs to keep them apart, and what it buys" in page
    opened = lk.open_release(folder.root, original=table)
    compared = with_and_without(opened)
    rows = {name: rest for name, *rest in compared.rows}
    plain = asked(method="mondrian", privacy=[lk.KAnonymity(3), lk.BetaLikeness(4)], knowledge=None)
    free = lk.anonymize(table, plain, seed=1)
    cost = rows["normalized certainty penalty, 1 for each withheld"]
    assert float(cost[1]) == pytest.approx(NCP.measure(free.evaluation), rel=1e-3)
    assert float(cost[0]) > float(cost[1])
    attacked = free.attack("background-knowledge", {"kernel": {"bandwidth": 0.3}})
    assert rows["guessed right by both ('disease')"][1] == f"{attacked.success:.4g}"
    assert rows["largest belief in one value ('disease')"][1] == f"{attacked.details['largest_belief']:.4g}"
    more = [attacked.success - attacked.details["by_class"]]
    assert rows["more than by the class ('disease')"][1] == f"{more[0]:.4g}"
    assert more[0] > 0.02
    assert compared.notes == []
    public = "".join(path.read_text() for path in (folder.root / "public").iterdir())
    assert "Parts" not in public


def test_where_neighbours_are_believed_alike_the_report_says_that_no_j_is_needed(tmp_path):
    path = tmp_path / "shares.csv"
    path.write_text("value,share\ncold,0.4\nflu,0.3\ngout,0.2\nmumps,0.1\n")
    policy = asked(knowledge={"table": str(path)}, method="mondrian")
    release = lk.anonymize(people(300, 5), policy, seed=1)
    compared = with_and_without(release)
    (more,) = (rest[1] for name, *rest in compared.rows if name.startswith("more than by the class"))
    assert float(more) == 0
    (note,) = compared.notes
    assert "guesses +0.0% of people right beyond the class alone" in note
    assert "no bound on divergence is needed" in note


def test_a_refusal_names_the_smallest_j_that_would_do():
    table = people(300, 5)
    policy = asked(privacy=[lk.KAnonymity(3), lk.BetaLikeness(1), lk.JsBackground("0.02")], method="mondrian")
    with pytest.raises(CannotBeMetError) as refused:
        lk.anonymize(table, policy.replace(withhold={"at_most": 0}), seed=1)
    (line,) = [line for line in refused.value.problems if "the smallest j" in line]
    named = line.split(" is ")[1].split(":")[0]
    enough = policy.replace(
        privacy=[lk.KAnonymity(3), lk.BetaLikeness(1), lk.JsBackground(named)], withhold={"at_most": 0}
    )
    assert lk.anonymize(table, enough, seed=1).counts["withheld"] == {}
    encoded = learn(encode(read(table), enough), enough)
    below = str(Fraction(named) - Fraction(2, 10**5))
    models = encoded.name_models([lk.KAnonymity(3), lk.BetaLikeness(1), lk.JsBackground(below)])
    requirements = require_of(models, encoded.data, encoded.data)
    searched = tuple(one for one in requirements if not one.bound.parts_suffice)
    assert least_withheld(encoded.data, searched, parts_of(encoded.data, requirements)) > 0


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"knowledge": None}, "js-background: needs what an adversary may know beforehand"),
        ({"privacy": lk.KAnonymity(2)}, "knowledge: no model in privacy uses it"),
        (
            {"columns": COLUMNS | {"who": lk.identifier()}, "individual": "who"},
            "knowledge: is about tables with one record a person",
        ),
        (
            {"columns": COLUMNS | {"zip": lk.sensitive()}},
            "knowledge: kernel: say which sensitive column it is about",
        ),
        (
            {"knowledge": {"kernel": {"bandwidth": {"agee": 0.3}}}},
            "knowledge: kernel: 'agee' is not a quasi-identifier; did you mean 'age'?",
        ),
    ],
)
def test_what_does_not_go_together_is_one_line(given, line):
    table = people(30).with_columns(who=pl.int_range(pl.len()) // 2)
    columns = given.get("columns", COLUMNS)
    with pytest.raises(PolicyError) as refused:
        lk.anonymize(table.select(*columns), asked(**given), seed=1)
    (found,) = refused.value.problems
    assert line in found


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("j", -0.1, "js-background: j must be a number of at least 0"),
        ("j", "x", "js-background: j must be a number"),
        ("odds", 0.5, "js-background: odds must be a number of at least 1"),
        ("base", 10, "js-background: base must be one of 2, e"),
        ("knowledge", 3, "js-background: knowledge must be the name of one"),
    ],
)
def test_parameters_that_cannot_be_are_one_line(name, value, line):
    with pytest.raises(LikenessError, match=line):
        lk.JsBackground(**({"j": 0.3} | {name: value}))


def test_one_tuple_and_one_value_work():
    one = pl.DataFrame({"age": [30] * 6, "disease": ["flu", "cold"] * 3})
    same = pl.DataFrame({"age": [30, 31, 32, 33], "disease": ["flu"] * 4})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "disease": lk.sensitive()},
        privacy=[lk.KAnonymity(2), lk.JsBackground(0)],
        knowledge={"kernel": {"bandwidth": 0.3}},
    )
    for table in (one, same):
        release = lk.anonymize(table, policy, seed=1)
        assert release.certificate.records == table.height
        assert release.verify().ok


def test_several_sources_each_hold_by_themselves():
    policy = asked(
        knowledge=[
            {"kernel": {"bandwidth": {"age": 0.3}}, "name": "by-age"},
            {"kernel": {"bandwidth": {"sex": 0.3}}, "name": "by-sex"},
        ]
    )
    release = lk.anonymize(people(120), policy, seed=1)
    proofs = [proof for proof in release.verify().proofs if proof.model == "js-background"]
    assert [proof.parameters["knowledge"] for proof in proofs] == ["by-age", "by-sex"]
    assert all(proof.holds for proof in proofs)
    classes = release.private.solution.plan.classes
    for known in release.private.encoded.data.knowledge:
        assert farthest_exactly(known, classes, Fraction("0.3"))
    told = json.loads(release.certificate.to_json())["knowledge"]
    assert [own["name"] for own in told] == ["by-age", "by-sex"]


def test_odds_bound_what_classes_tell():
    policy = asked(privacy=[lk.KAnonymity(3), lk.JsBackground("0.3", odds=3)], method="mondrian")
    release = lk.anonymize(people(200), policy, seed=1)
    known, classes = known_of(release)
    codes = release.private.encoded.data.sensitive_codes[0]
    for number in range(int(classes.max()) + 1):
        members = np.flatnonzero(classes == number)
        rows = known.distributions.rows[np.unique(known.of[members])].tolist()
        for a, b in combinations(rows, 2):
            ratios = [Fraction(a[s], b[s]) for s in np.unique(codes[members]).tolist() if a[s] or b[s]]
            assert max(ratios) <= 3 * min(ratios)
