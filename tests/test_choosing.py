"""The best known method: which are tried where a policy names none, what is kept, and what is told."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness import choosing, registry, solve
from likeness.choosing import (
    CANNOT,
    KEPT,
    LOSES_MORE,
    LOSS,
    NOT_NEEDED,
    TOO_MUCH,
    UNFIT,
    choose_form,
    methods_to_try,
)
from likeness.encode import encode
from likeness.errors import CannotBeMetError
from likeness.methods import base, exchange_cuts, local_search
from likeness.policy.sections import EFFORTS
from likeness.progress import Progress

pytestmark = pytest.mark.whole_search


@pytest.fixture(autouse=True)
def few_steps_a_cell(monkeypatch):
    """How far searches go is not what is asked here."""
    monkeypatch.setattr(local_search, "_STEPS_A_CELL", 5_000)


def patients(rows: int = 120, seed: int = 0) -> pl.DataFrame:
    """Records with two quasi-identifiers and an uneven sensitive value."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "who": rng.integers(0, rows // 2, rows),
            "age": rng.integers(20, 60, rows),
            "zip": rng.choice(["10", "11", "20", "21"], rows),
            "s": rng.choice(["flu", "cold", "gout", "ulcer"], rows, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


COLUMNS = {"who": lk.drop(), "age": lk.quasi(), "zip": lk.quasi(hierarchy={"prefix": 2}), "s": lk.sensitive()}


def policy(privacy: Any, **given: Any) -> lk.Policy:
    """A policy for `patients`; what is tried is not improved, unless that is asked for."""
    if "method" not in given:
        given.setdefault("effort", "quick")
    return lk.Policy(columns=COLUMNS | given.pop("columns", {}), privacy=privacy, **given)


GUARANTEES = [
    pytest.param(lk.KAnonymity(4), id="k"),
    pytest.param(lk.DistinctLDiversity(3), id="l"),
    pytest.param(lk.BetaLikeness(2), id="beta"),
    pytest.param(lk.TCloseness("0.2") & lk.KAnonymity(2), id="t-k"),
    pytest.param(lk.BetaLikeness(4) & lk.TCloseness("0.3"), id="beta-t"),
]


@pytest.mark.parametrize("effort", ["quick", "normal", pytest.param("thorough", marks=pytest.mark.slow)])
@pytest.mark.parametrize("privacy", GUARANTEES)
def test_nothing_tried_loses_less_than_what_is_kept(privacy, effort):
    table = patients()
    release = lk.anonymize(table, policy(privacy, effort=effort), seed=3)
    told = {one.method.label: one for one in release.private.candidates}
    kept = [one for one in told.values() if one.outcome == KEPT]
    assert len(kept) == 1
    assert kept[0].method == release.private.method
    assert kept[0].loss == LOSS.measure(release.evaluation)
    for name, one in told.items():
        if one.outcome == UNFIT:
            continue
        if one.outcome == NOT_NEEDED:
            starts = {
                own.method for own in told.values() if own.method.suffices(tuple(policy(privacy).privacy))
            }
            assert effort != "quick", name
            assert one.method.outdone_by_moves or (effort == "normal" and one.method not in starts), name
            continue
        if one.outcome == TOO_MUCH:
            assert effort == "quick", name
            assert one.method.patient, name
            continue
        assert one.loss is not None, name
        assert one.loss >= kept[0].loss
        # Named, with the same seed, each makes what it made unasked.
        named = lk.anonymize(table, policy(privacy, method=one.method), seed=3)
        assert LOSS.measure(named.evaluation) == one.loss, name
        assert named.private.candidates == ()
        if one.outcome == KEPT:
            assert named.table.equals(release.table)
    improved = [one for one in told.values() if isinstance(one.method, lk.LocalSearch)]
    assert len(improved) == {"quick": 0, "normal": 1, "thorough": 1}[effort]
    assert not improved or kept[0] in improved


@pytest.mark.slow
@pytest.mark.parametrize("privacy", GUARANTEES)
def test_nothing_is_searched_twice(privacy, monkeypatch):
    runs = []
    run = base.run_in_parts
    for module in (base, solve):
        monkeypatch.setattr(
            module, "run_in_parts", lambda method, problem: (runs.append(method), run(method, problem))[1]
        )
    lk.anonymize(patients(), policy(privacy, effort="quick"), seed=3)
    quick = runs.copy()
    runs.clear()
    release = lk.anonymize(patients(), policy(privacy, effort="normal"), seed=3)
    improved = [one for one in release.private.candidates if isinstance(one.method, lk.LocalSearch)]
    models = tuple(policy(privacy).privacy)
    tried = [method for method in quick if method.suffices(models)]
    assert len(tried) == 1
    patient = [
        one.method for one in release.private.candidates if one.method.patient and one.loss is not None
    ]
    assert len(patient) == (privacy in (lk.KAnonymity(4), lk.DistinctLDiversity(3)))
    assert runs == [*tried, *patient, *(one.method for one in improved)]
    assert len(improved) == 1


@pytest.mark.parametrize(("minimize", "lowered"), [(None, "ncp"), (lk.Glm(), "glm")], ids=["default", "glm"])
def test_what_is_tried_lowers_what_decides(minimize, lowered):
    tried = methods_to_try(policy(lk.KAnonymity(2), minimize=minimize))
    assert {one.loss for one in tried if one.name in {"mondrian", "k-member", "local-recoding"}} == {lowered}


def test_what_no_cell_loses_is_left_to_what_methods_lower_by_default():
    tried = methods_to_try(policy(lk.KAnonymity(2), minimize=lk.Discernibility()))
    assert all(registry.parameters(one) == {} for one in tried)


def test_every_method_that_says_so_is_a_candidate_and_says_what_it_costs():
    asked = policy(lk.KAnonymity(2))
    names = {method.name for method in methods_to_try(asked)}
    declared = {name for name in registry.names("methods") if registry.load("methods", name).candidate}
    assert names == declared
    assert {"mondrian", "burel", "sabre", "local-recoding", "danonyir"} <= names
    assert methods_to_try(policy(lk.KAnonymity(2), method=lk.Mdav())) == (lk.Mdav(),)


def test_people_with_several_records_have_the_methods_and_the_form_for_them():
    individual = {"columns": {"who": lk.identifier()}, "individual": "who"}
    linked = policy(lk.IrKAnonymity(2), **individual)
    assert choose_form(linked) == lk.IdentityReservedForm()
    assert choose_form(policy(lk.KAnonymity(2), **individual)) == lk.GeneralizedForm()
    assert not {"burel", "sabre"} & {method.name for method in methods_to_try(linked)}
    release = lk.anonymize(patients(), linked.replace(hygiene={"inconsistent_quasi": "first"}), seed=1)
    assert release.certificate.form["name"] == "identity-reserved"
    assert {one.outcome for one in release.private.candidates if one.method.name != "exchange-cuts"} == {
        KEPT,
        LOSES_MORE,
    }


def test_what_is_too_much_work_is_not_tried_and_said(monkeypatch):
    monkeypatch.setattr(choosing, "MOST_WORK", 1)
    release = lk.anonymize(patients(), policy(lk.BetaLikeness(2)), seed=1)
    found = {one.method.name: one.outcome for one in release.private.candidates}
    # The cheapest is tried on any table, and so are the method made for the guarantee and those always tried.
    cheapest = min(
        (one for one in release.private.candidates if one.outcome != UNFIT), key=lambda one: one.work
    )
    assert found["burel"] == KEPT
    assert {name for name, outcome in found.items() if outcome == LOSES_MORE} == {
        cheapest.method.name,
        "exchange-cuts",
    }
    assert found["k-member"] == found["danonyir"] == TOO_MUCH


def test_beside_one_that_loses_nothing_none_is_tried():
    table = pl.DataFrame({"age": [30, 30, 60, 60] * 6, "s": ["a", "b"] * 12})
    columns = {"age": lk.quasi(), "s": lk.sensitive()}
    release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(4)), seed=1)
    kept, *others = [one for one in release.private.candidates if one.outcome != UNFIT]
    assert (kept.outcome, kept.loss) == (KEPT, 0)
    assert {one.outcome for one in others} == {NOT_NEEDED}


def test_what_moves_outdo_is_tried_where_none_follow(monkeypatch):
    found = {}
    for effort in ("quick", "normal"):
        release = lk.anonymize(patients(), policy(lk.KAnonymity(3), effort=effort), seed=1)
        found[effort] = {one.method.name: one.outcome for one in release.private.candidates}
    outdone = {method.name for method in methods_to_try(policy(lk.KAnonymity(3))) if method.outdone_by_moves}
    assert outdone == {"danonyir", "sbca"}
    assert NOT_NEEDED not in found["quick"].values()
    normal = policy(lk.KAnonymity(3), effort="normal")
    with monkeypatch.context() as here:
        here.setattr(choosing, "VERY_FEW", 100)
        release = lk.anonymize(patients(), normal, seed=1)
        assert {one.method.name for one in release.private.candidates if one.outcome == NOT_NEEDED} == outdone
        # In larger tables they are tried, and where there is no other release.
        here.setattr(choosing, "FEW", 100)
        release = lk.anonymize(patients(), normal, seed=1)
        assert NOT_NEEDED not in {one.outcome for one in release.private.candidates}
    monkeypatch.setattr(choosing, "methods_to_try", lambda _: (lk.Danonyir(),))
    release = lk.anonymize(patients(), policy(lk.KAnonymity(3), effort="normal"), seed=1)
    assert {one.method.name for one in release.private.candidates if one.loss is not None} >= {"danonyir"}


@pytest.mark.parametrize(
    ("privacy", "start"),
    [
        (lk.KAnonymity(3), "local-recoding"),
        (lk.BetaLikeness(2), "exchange-cuts"),
        (lk.TCloseness("0.3") & lk.KAnonymity(2), "exchange-cuts"),
    ],
    ids=["k", "beta", "t-k"],
)
def test_of_very_few_records_one_start_is_improved(privacy, start):
    def tried(**given):
        release = lk.anonymize(patients(), policy(privacy, **given), seed=1)
        told = release.private.candidates
        # Of all that could be started from; where hierarchies are shown, prices are one, too.
        usual = [one for one in told if not one.method.patient and not isinstance(one.method, lk.LocalSearch)]
        return {one.method.name for one in usual if one.loss is not None}

    assert tried(effort="normal") == {start}
    # Where it is asked how many share a class, or for longer, starts matter.
    assert len(tried(effort="normal", minimize="discernibility")) > 2
    assert len(tried(effort="thorough")) > 2


def test_where_the_one_start_finds_nothing_others_are_tried(monkeypatch):
    def nothing(*_):
        raise CannotBeMetError("nothing")

    monkeypatch.setattr(lk.ExchangeCuts, "run", nothing)
    release = lk.anonymize(patients(), policy(lk.BetaLikeness(2), effort="normal"), seed=1)
    outcomes = {one.method.name: one.outcome for one in release.private.candidates}
    assert outcomes["exchange-cuts"] == CANNOT
    assert outcomes["burel"] == outcomes["mondrian"] == LOSES_MORE


def test_of_equal_losses_the_cheapest_is_kept():
    # One class of everybody is the only release there is.
    table = pl.DataFrame({"age": [30, 40, 50, 60], "s": ["a", "b", "a", "b"]})
    columns = {"age": lk.quasi(), "s": lk.sensitive()}
    asked = lk.Policy(columns=columns, privacy=lk.KAnonymity(4), effort="quick")
    release = lk.anonymize(table, asked, seed=1)
    tried = [one for one in release.private.candidates if one.loss is not None]
    assert {one.loss for one in tried} == {1.0}
    assert tried[0].outcome == KEPT
    assert [one.work for one in tried] == sorted(one.work for one in tried)


def test_level_limits_leave_those_that_keep_to_them():
    asked = policy(lk.KAnonymity(2), columns={"zip": lk.quasi(hierarchy={"prefix": 2}, max_level=1)})
    release = lk.anonymize(patients(), asked, seed=1)
    fit = {one.method.name for one in release.private.candidates if one.outcome != UNFIT}
    assert fit == {"mondrian", "local-recoding", "lagrangian-recoding"}


def test_a_table_that_cannot_is_refused_with_what_was_tried():
    with pytest.raises(lk.CannotBeMetError) as caught:
        lk.anonymize(patients(), policy(lk.KAnonymity(121)), seed=1)
    first = caught.value.problems[0]
    assert first.startswith("cannot be met: k-anonymity: the table of 120 records, taken as one class")
    assert "(methods tried: mondrian, " in first
    assert caught.value.tried[0] == "mondrian"
    assert caught.value.reasons[0].startswith("k-anonymity: the table of 120 records, taken as one class")
    assert not isinstance(caught.value, lk.MethodFailedError)


def test_the_steward_is_told_and_nobody_else(tmp_path):
    release = lk.anonymize(patients(), policy(lk.BetaLikeness(2), effort="normal"), seed=1)
    folder = release.write(tmp_path / "out")
    audit = json.loads((folder / "private" / "audit.json").read_text())
    assert audit["method"]["name"] == release.private.method.name
    assert audit["candidates"] == {one.method.label: one.to_json() for one in release.private.candidates}
    report = (folder / "private" / "report.html").read_text()
    assert "Methods that could have made it" in report
    searched = next(one.search for one in release.private.candidates if one.search is not None)
    assert audit["candidates"][release.private.method.label]["search"]["ended"] == searched.ended
    assert str(searched) in report
    assert "<code>effort: normal</code>" in report
    for path in (folder / "public").iterdir():
        text = path.read_text()
        assert not [one.method.name for one in release.private.candidates if one.method.name in text]
    assert lk.verify(folder).ok
    opened = lk.open_release(folder, patients())
    assert opened.private.candidates == release.private.candidates
    assert opened.private.method == release.private.method


def test_efforts_are_those_of_the_policy():
    assert tuple(choosing.EFFORTS) == EFFORTS


def test_what_is_minimized_decides():
    table = patients(200)
    found = {
        loss: lk.anonymize(table, policy(lk.KAnonymity(4), effort="normal", minimize=loss), seed=1)
        for loss in ("ncp", "glm")
    }
    for loss, release in found.items():
        assert release.private.method.loss == loss
        kept = next(one for one in release.private.candidates if one.outcome == KEPT)
        assert kept.loss == release.loss(loss)[loss]


AIMS: dict[str, Any] = {
    "ncp": "ncp",
    "glm": "glm",
    "ail": "ail",
    "discernibility": "discernibility",
    "query-error": {"name": "query-error", "queries": 200, "predicates": 1, "selectivity": 0.3, "seed": 5},
}


def made_for_each_aim(records: int) -> dict[str, lk.Release]:
    """A release of the same table for every metric that is minimized."""
    # Of a rule such as a prefix nobody knows what * stands for, and nothing could be estimated.
    asked = policy(lk.KAnonymity(4), effort="thorough", withhold={"at_most": 0}, columns={"zip": lk.quasi()})
    return {
        name: lk.anonymize(patients(records), asked.replace(minimize=aim), seed=1)
        for name, aim in AIMS.items()
    }


def measured_by_its_aim(aimed: dict[str, lk.Release], aim: str) -> dict[str, float]:
    """What a metric says of the releases made for it and for others."""
    metric = aimed[aim].private.policy.minimize
    # Of query errors solutions are compared, and moves lower NCP: what lowers another loss may happen to have less of them.
    return {
        name: metric.measure(release.evaluation)
        for name, release in aimed.items()
        if not metric.of_publication or release.private.policy.minimize.searched == metric.searched
    }


@pytest.fixture(scope="module")
def aimed() -> dict[str, lk.Release]:
    return made_for_each_aim(200)


@pytest.mark.slow
@pytest.mark.parametrize("aim", AIMS)
def test_of_every_metric_the_release_has_least_that_is_made_for_it(aimed, aim):
    values = measured_by_its_aim(aimed, aim)
    assert len(values) > 1
    # Who looks for another loss may come across less by chance, but not by much.
    assert values[aim] <= 1.01 * min(values.values())
    told = [one for one in aimed[aim].private.candidates if one.loss is not None]
    assert {one.loss for one in told if one.outcome == KEPT} == {values[aim]}
    assert min(one.loss for one in told) == values[aim]
    improved = [one for one in told if isinstance(one.method, lk.LocalSearch)]
    assert [one.method.loss for one in improved] == [aimed[aim].private.policy.minimize.searched]
    assert aimed[aim].verify().ok


@pytest.mark.slow
def test_of_a_dozen_records_it_has_the_least_there_is():
    """Every partition is looked at, so chance has no say."""
    aimed = made_for_each_aim(12)
    for aim in AIMS:
        values = measured_by_its_aim(aimed, aim)
        assert values[aim] == min(values.values())


def test_the_aims_are_not_one(aimed):
    assert aimed["ail"].table.equals(aimed["ncp"].table)
    assert aimed["discernibility"].loss("ncp")["ncp"] > 1.2 * aimed["ncp"].loss("ncp")["ncp"]
    sizes = {name: aimed[name].loss("discernibility")["discernibility"] for name in ("ncp", "discernibility")}
    # Fifty classes of four have 800.
    assert 800 <= sizes["discernibility"] < sizes["ncp"]


@pytest.mark.parametrize("aim", ["discernibility", "query-error"])
def test_what_was_minimized_is_kept_with_the_release(aimed, aim, tmp_path):
    release = aimed[aim]
    folder = release.write(tmp_path / "out")
    assert lk.verify(folder, original=patients(200)).ok
    opened = lk.open_release(folder, patients(200))
    assert opened.private.policy.minimize == release.private.policy.minimize
    assert opened.private.method == release.private.method
    assert opened.private.candidates == release.private.candidates
    metric = release.private.policy.minimize
    assert metric.measure(opened.evaluation) == metric.measure(release.evaluation)
    assert opened.lower_bound("ncp") == release.lower_bound("ncp")


@pytest.mark.parametrize(
    ("aim", "loss"), [("ncp", 0.1), ("glm", 0.1), ("ail", 0.1), ("iloss", 0.09), ("discernibility", 8)]
)
@pytest.mark.parametrize("heavy", ["x", "y"])
def test_the_heavier_column_is_kept(aim, loss, heavy):
    """Four corners, two by two: the column of nine tenths of the weight stays exact; who shares a class has no weight."""
    table = pl.DataFrame({"x": [0, 0, 9, 9], "y": [0, 9, 0, 9], "s": list("abab")})
    columns = {name: lk.quasi(weight=9 if name == heavy else 1, domain=[0, 9]) for name in ("x", "y")}
    asked = lk.Policy(
        columns=columns | {"s": lk.sensitive()},
        privacy=lk.KAnonymity(2),
        minimize=aim,
        withhold={"at_most": 0},
    )
    release = lk.anonymize(table, asked, seed=1)
    assert set(release.table[heavy]) == {"0", "9"}
    assert release.loss(aim)[aim] == pytest.approx(loss)


def test_a_workload_that_cannot_be_asked_is_refused_in_one_line():
    asked = policy(lk.KAnonymity(4), minimize={"name": "query-error", "aggregate": "sum", "of": "disease"})
    with pytest.raises(lk.PolicyError) as caught:
        lk.anonymize(patients(), asked, seed=1)
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].startswith("query-error: ")


@pytest.mark.parametrize("effort", [{"seconds": 0.01}, {"seconds": 2}])
def test_seconds_are_given_to_the_best(effort):
    release = lk.anonymize(patients(), policy(lk.KAnonymity(4), effort=effort), seed=1)
    improved = [one.method for one in release.private.candidates if isinstance(one.method, lk.LocalSearch)]
    assert sum(one.seconds for one in improved) == pytest.approx(effort["seconds"])


def test_time_ends_a_search_of_seconds_before_steps_could():
    """A second is more steps than a processor takes in it; of a table this small every move is found long before."""
    release = lk.anonymize(patients(), policy(lk.KAnonymity(4), effort={"seconds": 3_000}), seed=1)
    (told,) = [one.search for one in release.private.candidates if one.search is not None]
    assert told.most >= 3_000 * 50_000_000
    assert told.ended in {"no move was worth it any more", "every partition had been looked at"}


def test_an_audit_without_candidates_is_read_as_ever(tmp_path):
    from likeness.folder.audit import Audit

    release = lk.anonymize(patients(), policy(lk.KAnonymity(3), method=lk.Mondrian(cut="all")), seed=1)
    folder = release.write(tmp_path / "out")
    content = json.loads((folder / "private" / "audit.json").read_text())
    content.pop("digest")
    assert content.pop("candidates") == {}
    before = Audit.from_json(Audit(content).to_json(), "audit.json")
    assert before.method == lk.Mondrian(cut="all")


def test_notes_are_those_of_the_method_that_is_kept():
    class Heard(Progress):
        def __init__(self) -> None:
            self.notes: list[str] = []
            self.stages: set[str] = set()

        def step(self, stage: str, done: int, total: int) -> None:
            self.stages.add(stage)

        def note(self, message: str) -> None:
            self.notes.append(message)

    heard = Heard()
    release = lk.anonymize(patients(), policy(lk.KAnonymity(3)), seed=1, progress=heard)
    assert "try methods" in heard.stages
    assert release.private.method.name != "local-recoding" or heard.notes == []
    assert all(note.startswith(release.private.method.name) for note in heard.notes)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_named_methods_find_a_release_where_mondrian_does(seed):
    """Leftovers that no class takes are joined with the nearest classes, until these hold."""
    rng = np.random.default_rng(seed)
    table = patients(int(rng.integers(20, 60)), seed)
    guarantees = (
        lk.BetaLikeness(1),
        lk.TCloseness("0.05") & lk.KAnonymity(3),
        lk.AlphaKAnonymity(Fraction(3, 5), 3) & lk.DeltaDisclosure(1),
        lk.RecursiveClDiversity(3, 2) & lk.TCloseness("0.05"),
    )
    tree = {"age": lk.quasi(hierarchy={"intervals": [20, 30, 40, 50, 60]})}
    for privacy in guarantees:
        for name in ("mondrian", "k-member", "sbca", "danonyir", "geneir", "mdav", "local-recoding"):
            columns = tree if name == "geneir" else {}
            asked = policy(privacy, columns=columns, method={"name": name}, withhold={"at_most": 0})
            if name in {"danonyir", "geneir"}:
                asked = asked.replace(form={"name": "generalized"})
            found = lk.anonymize(table, asked, seed=1)
            assert found.certificate.records == table.height
            assert found.verify().ok


@pytest.mark.parametrize(
    ("method", "form"), [({"name": "anatomy", "l": 2}, "anatomized"), ({"name": "baseline"}, "baseline")]
)
def test_a_method_that_cannot_says_that_another_can(method, form):
    with pytest.raises(lk.MethodFailedError) as caught:
        lk.anonymize(patients(), policy(lk.KAnonymity(30), method=method), seed=1)
    assert caught.value.exit_code == 3
    assert caught.value.problems[0].startswith(
        f"cannot be met: {method['name']} finds no release, while there is one"
    )
    assert "leave method (and form) out" in caught.value.problems[0]
    assert lk.anonymize(patients(), policy(lk.KAnonymity(30)), seed=1).verify().ok
    # What nothing can meet is no method's fault.
    with pytest.raises(lk.CannotBeMetError) as nobody:
        lk.anonymize(patients(), policy(lk.KAnonymity(121), method=method), seed=1)
    assert not isinstance(nobody.value, lk.MethodFailedError)
    assert form == choose_form(policy(lk.KAnonymity(2), method=method)).name


def wide(records: int, columns: int) -> Any:
    """Microdata of many quasi-identifiers with two values each."""
    drawn = np.random.default_rng(0).integers(0, 2, (columns, records))
    table = pl.DataFrame({f"q{i}": own for i, own in enumerate(drawn)})
    asked = lk.Policy(columns=dict.fromkeys(table.columns, lk.quasi()), privacy=lk.KAnonymity(3))
    return asked, encode(lk.read(table), asked).data


@pytest.mark.parametrize(
    ("name", "growth"), [("mondrian", 15), ("burel", 15), ("danonyir", 3.5), ("sbca", 3.5)]
)
def test_work_grows_as_the_method_does_with_its_quasi_identifiers(name, growth):
    method = registry.create("methods", name, {})
    few, many = (method.work(wide(1500, columns)[1], ()) for columns in (20, 80))
    assert growth * few <= many <= 17 * few


def test_what_is_tried_of_a_wide_table_is_bounded(monkeypatch):
    """Weighing every attribute's cuts by the hulls of all is the square of the attributes."""
    asked, data = wide(40, 200)
    asked = asked.replace(effort="quick")
    monkeypatch.setattr(choosing, "MOST_WORK", 40 * 200 * 8 * 200 * 5)
    choice = choosing.choose(
        asked,
        data,
        asked.privacy,
        lambda _: np.random.default_rng(0),
        lambda *_: pytest.fail("the loss is of regions"),
        Fraction(0),
        Progress(),
    )
    tried = [one for one in choice.candidates if one.loss is not None]
    assert sum(one.work for one in tried) <= choosing.MOST_WORK
    assert {one.method.name for one in tried} >= {"sbca", "k-member"}
    assert {one.method.name: one.outcome for one in choice.candidates}["mondrian"] == TOO_MUCH


def test_what_only_one_method_holds_is_made_by_it():
    frame = pl.DataFrame({"age": [30, 34, 41, 45, 60, 66], "disease": list("abcabc")})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy={"model": "m-invariance", "m": 3})
    release = lk.anonymize(frame, policy, seed=1)
    assert release.verify().ok
    assert release.private.method.name == "m-invariant"
    assert lk.check(frame, policy).release is not None
    with pytest.raises(lk.PolicyError, match=r"'generalized' is none .* leave it out: it is 'angelized'"):
        lk.anonymize(frame, policy.replace(form="generalized"))


def few_with_a_value(records: int, often: int) -> pl.DataFrame:
    """A table in which ``often`` of so many records have the value ``rare``."""
    rng = np.random.default_rng(records)
    values = pl.Series("sick", rng.choice(list("abcd"), records)).scatter(range(often), "rare")
    return pl.DataFrame({name: rng.integers(0, 30, records) for name in ("age", "zip")}).with_columns(values)


@pytest.mark.parametrize(
    "privacy",
    [
        lk.BetaLikeness(1),
        lk.BasicBetaLikeness(1),
        lk.DeltaDisclosure(1),
        [lk.KAnonymity(3), lk.BetaLikeness(1)],
    ],
)
def test_whoever_has_a_value_of_few_is_withheld_where_all_others_lose_less(privacy, tmp_path):
    frame = few_with_a_value(600, 3)
    columns = {"age": lk.quasi(), "zip": lk.quasi(), "sick": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=privacy)
    release = lk.anonymize(frame, policy, seed=1)
    assert release.verify().ok
    assert "rare" not in release.table["sick"].to_list()
    assert release.counts["published"] == 597
    (reason,) = release.counts["withheld"]
    assert reason.startswith("so few have 'rare' that ")
    kept = lk.anonymize(frame, policy.replace(withhold={"at_most": 0.01, "rare_values": False}), seed=1)
    assert kept.counts["published"] > 597
    assert release.loss("ncp")["ncp"] < 0.8 * kept.loss("ncp")["ncp"]
    (said,) = [one for one in release.findings if one.code == "rare-values-withheld"]
    assert str(said).startswith("nobody with 'rare' is published: with 3 records so rare, ")
    assert lk.verify(release.write(tmp_path / "out"), original=frame).ok
    assert lk.open_release(tmp_path / "out", original=frame).findings == release.findings


def test_where_the_first_method_loses_much_less_without_some_nothing_is_tried_with_all(monkeypatch):
    tried = []
    look = choosing._Trials.look_at_all
    monkeypatch.setattr(
        choosing._Trials,
        "look_at_all",
        lambda own, *some, **given: (tried.append(own), look(own, *some, **given))[1],
    )
    frame = few_with_a_value(600, 3)
    columns = {"age": lk.quasi(), "zip": lk.quasi(), "sick": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.BetaLikeness(1), effort="normal")
    found = {}
    for much in (choosing._FAR_LOWER, 0.0):
        monkeypatch.setattr(choosing, "_FAR_LOWER", much)
        tried.clear()
        found[much] = lk.anonymize(frame, policy, seed=1), len(tried)
    (once, one), (twice, two) = found.values()
    assert (one, two) == (1, 2)
    assert once.counts["withheld"] == twice.counts["withheld"] != {}


def test_what_the_method_made_for_the_guarantee_makes_needless_waits_for_it(monkeypatch):
    """However cheap it is: of a million records exchange cuts were tried because they were to take less than BUREL."""
    monkeypatch.setattr(lk.ExchangeCuts, "work", lambda *_: 1)
    monkeypatch.setattr(choosing, "MOST_WORK", 1)

    def tried(privacy):
        release = lk.anonymize(patients(), policy(privacy), seed=1)
        return {one.method.name for one in release.private.candidates if one.loss is not None}

    assert "exchange-cuts" in tried(lk.BetaLikeness(2))
    monkeypatch.setattr(exchange_cuts, "_MANY", 100)
    assert tried(lk.BetaLikeness(2)) == {"burel", "mondrian"}
    # No other is made for these.
    assert "exchange-cuts" in tried(lk.DeltaDisclosure(2))


@pytest.mark.parametrize("seed", [11, 15, 17, 37, 57])
@pytest.mark.whole_search
def test_nobody_is_withheld_for_a_rare_value_where_the_best_method_loses_more_so(seed):
    """The cheapest method lost less without them; all others lost up to 1.8 times as much so, and nobody looked."""
    draw = random.Random(seed)
    frame = pl.DataFrame(
        {
            "age": [draw.randint(0, 60) for _ in range(60)],
            "sex": [draw.choice("fm") for _ in range(60)],
            "sick": draw.choices("abcdef", [1 / i**1.5 for i in range(1, 7)], k=60),
        }
    )
    policy = lk.Policy(
        columns={"age": lk.quasi(), "sex": lk.quasi(), "sick": lk.sensitive()},
        privacy=lk.KAnonymity(3) & lk.TCloseness("0.2"),
        withhold={"at_most": 0.2},
    )
    release = lk.anonymize(frame, policy, seed=1)
    assert release.counts["withheld"] == {}
    quick = lk.anonymize(frame, policy.replace(effort="quick"), seed=1)
    assert release.loss("ncp-total")["ncp-total"] < quick.loss("ncp-total")["ncp-total"]


@pytest.mark.parametrize("seed", [12, 35])
@pytest.mark.whole_search
def test_where_regions_grow_moves_outdo_no_method(seed):
    """They lower what regions would be, not what they grow to: `normal` left out what was best, and lost more than `quick`."""
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame({"age": draw.integers(0, 40, 30), "town": draw.choice(list("abcdef"), 30)})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "town": lk.quasi()},
        privacy=lk.KAnonymity(3),
        form={"name": "generalized", "attained": 3},
    )
    quick, normal = (
        lk.anonymize(frame, policy.replace(effort=effort), seed=1) for effort in ("quick", "normal")
    )
    assert normal.loss("ncp-total")["ncp-total"] <= quick.loss("ncp-total")["ncp-total"]


@pytest.mark.parametrize(
    "privacy", [lk.TCloseness("1/10", distance="equal"), lk.BasicBetaLikeness("1/2"), lk.BetaLikeness("1/4")]
)
def test_a_part_that_level_limits_keep_apart_is_published_alone_where_both_do_not_hold(privacy, tmp_path):
    """Both parts fail beside each other, as models compare with all that is published; that was a refusal of the whole table."""
    frame = pl.DataFrame(
        {
            "region": ["a"] * 40 + ["c"] * 30,
            "age": [*range(40), *range(30)],
            "sick": ["p", "q"] * 20 + ["r", "t"] * 15,
        }
    )
    tree = [["a", "left", "all"], ["c", "middle", "all"]]
    policy = lk.Policy(
        columns={"region": lk.quasi(hierarchy=tree, max_level=0), "age": lk.quasi(), "sick": lk.sensitive()},
        privacy=lk.KAnonymity(2) & privacy,
        withhold={"at_most": 0.5},
    )
    release = lk.anonymize(frame, policy, seed=1)
    assert release.counts["published"] == 40
    assert list(release.counts["withheld"].values()) == [30]
    assert {*release.table["region"]} == {"a"}
    assert lk.verify(release.write(tmp_path / "out"), original=frame).ok
    with pytest.raises(lk.CannotBeMetError):
        lk.anonymize(frame, policy.replace(withhold={"at_most": 0.4}), seed=1)


def test_so_it_is_of_people_with_several_values(tmp_path):
    """Whoever has one of the rarest leaves with all of their records."""
    frame = few_with_a_value(900, 3).with_columns(who=pl.Series(range(900)) % 600)
    by_person = frame.group_by("who").agg(pl.col("age", "zip").first())
    frame = frame.select("who", "sick").join(by_person, on="who")
    columns = {"who": lk.identifier(), "age": lk.quasi(), "zip": lk.quasi(), "sick": lk.sensitive()}
    policy = lk.Policy(columns=columns, individual="who", privacy=lk.KAnonymity(3) & lk.BetaLikeness(1))
    release = lk.anonymize(frame, policy, seed=1)
    assert "rare" not in release.table["sick"].to_list()
    assert release.individual_counts == {"input": 600, "published": 597, "withheld": 3, "dropped": 0}
    (said,) = [one for one in release.findings if one.code == "rare-values-withheld"]
    assert str(said).startswith("nobody with 'rare' is published: with 3 individuals so rare, ")
    kept = lk.anonymize(frame, policy.replace(withhold={"at_most": 0.01, "rare_values": False}), seed=1)
    assert release.loss("ncp")["ncp"] < 0.8 * kept.loss("ncp")["ncp"]
    assert lk.verify(release.write(tmp_path / "out"), original=frame).ok
    assert lk.open_release(tmp_path / "out", original=frame).findings == release.findings


@pytest.mark.parametrize(
    ("model", "more"),
    [
        # What it asks does not change with what is published.
        (lk.KAnonymity(5), {}),
        (lk.EntropyLDiversity(2), {}),
        # Too few may go, none is as rare, or an effort that only finds.
        (lk.BetaLikeness(1), {"withhold": {"at_most": 0.004}}),
        (lk.BetaLikeness(1), {"effort": "quick"}),
        (lk.BetaLikeness(1), {"method": "mondrian"}),
    ],
)
def test_who_has_a_value_of_few_stays_otherwise(model, more):
    columns = {"age": lk.quasi(), "zip": lk.quasi(), "sick": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=[model], **more)
    release = lk.anonymize(few_with_a_value(600, 3), policy, seed=1)
    assert release.table["sick"].to_list().count("rare") == 3


@pytest.mark.parametrize(
    ("sick", "model"),
    [
        (lk.sensitive(values=["rare"]), lk.BetaLikeness(1)),
        (lk.sensitive(), lk.BetaLikeness(1) & lk.AlphaKAnonymity(Fraction(1, 2), 1, values=["rare"])),
    ],
)
def test_nobody_is_left_out_of_whom_the_release_would_tell_anyway(sick, model):
    """Values that need protection, and those that a model names."""
    columns = {"age": lk.quasi(), "zip": lk.quasi(), "sick": sick}
    policy = lk.Policy(columns=columns, privacy=[model])
    release = lk.anonymize(few_with_a_value(600, 3), policy, seed=1)
    assert "rare" in release.table["sick"].to_list()


def test_a_method_that_withholds_all_with_a_named_value_is_left_out():
    frame = pl.DataFrame({"q": ["yes", "no", "no", "yes"], "s": ["b", "a", "HIV", "a"]})
    policy = lk.Policy(
        columns={"q": lk.quasi(), "s": lk.sensitive()},
        privacy=lk.AlphaKAnonymity(Fraction(1, 3), 1, values=["HIV"]),
        withhold={"at_most": 0.29},
    )
    assert lk.anonymize(frame, policy, seed=1).counts["published"] == 4
    with pytest.raises(
        lk.CannotBeMetError, match="everybody with 'HIV', whom alpha-k-anonymity is about, would have"
    ):
        lk.anonymize(frame, policy.replace(method="optimal"), seed=1)


def test_who_publishes_what_cannot_be_measured_is_left_out():
    drawn = np.random.default_rng(1)
    table = pl.DataFrame(
        {
            "age": drawn.integers(20, 60, 300),
            "zip": pl.Series(["10115", "20095"]).gather((drawn.random(300) < 0.1).astype(int)),
            "disease": pl.Series(["flu", "cold", "hiv"]).gather(drawn.integers(0, 3, 300)),
        }
    )
    asked = lk.Policy(
        columns={"age": lk.quasi(), "zip": lk.quasi(hierarchy={"prefix": 5}), "disease": lk.sensitive()},
        privacy=lk.KAnonymity(20),
        minimize="query-error",
    )
    release = lk.anonymize(table, asked, seed=1)
    told = {one.method.name: one for one in release.private.candidates}
    assert told["local-recoding"].outcome == "loss cannot be measured"
    assert "what '*' stands for was not published" in str(told["local-recoding"].why)
    kept = next(one for one in told.values() if one.outcome == "kept")
    assert kept.loss == min(one.loss for one in told.values() if one.loss is not None)
    assert release.loss("query-error")["query-error"] == kept.loss
    # Where no one tells enough, that is said, and what would help.
    with pytest.raises(
        lk.PolicyError,
        match=r"^query-error: column 'zip': what '\*' .*; give its hierarchy as a file",
    ):
        lk.anonymize(table, asked.replace(privacy=lk.KAnonymity(40)), seed=1)
