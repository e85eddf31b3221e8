"""`optimal` against all partitions of tiny tables, its proofs, its bounds where it stops, and what it refuses."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.adult import THREE, complete
from tests.methods.problems import number, plain_set, problem, table, tree
from tests.oracles import models as oracles
from tests.oracles import partitions

import likeness as lk
from likeness import registry
from likeness.errors import PolicyError
from likeness.methods import handful
from likeness.methods.base import Problem
from likeness.methods.optimal import Optimal
from likeness.methods.optimal.solver import to_stderr
from likeness.microdata.data import Microdata
from likeness.microdata.plan import Plan
from likeness.microdata.regions import LOSSES, attribute_weights, merge_equal, recode, region_losses
from likeness.models.requirements import require_of
from likeness.progress import Progress

MODELS: tuple[tuple[tuple[str, dict[str, Any]], ...], ...] = (
    (("k-anonymity", {"k": 2}),),
    (("k-anonymity", {"k": 3}),),
    (("distinct-l-diversity", {"l": 2}),),
    (("entropy-l-diversity", {"l": "1.8"}),),
    (("recursive-cl-diversity", {"c": 2, "l": 2}),),
    (("alpha-k-anonymity", {"alpha": "0.6", "k": 2}),),
    (("t-closeness", {"t": "0.35"}),),
    (("delta-disclosure", {"delta": 2}),),
    (("basic-beta-likeness", {"beta": 1}),),
    (("beta-likeness", {"beta": "0.7"}), ("k-anonymity", {"k": 2})),
    (("distinct-l-diversity", {"l": 2}), ("k-anonymity", {"k": 3})),
    (("proximity", {"epsilon": 1, "m": 2}),),
    (("rho-privacy", {"rho2": "0.6"}),),
    (("rho-privacy", {"rho2": "0.5", "rho1": "0.4"}),),
    (("kl-diversity", {"k": 2, "l": 2}),),
)
ALL = [pytest.param(i, id="+".join(name for name, _ in MODELS[i])) for i in range(len(MODELS))]


@pytest.fixture(autouse=True)
def programmes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve programmes for the tiniest tables, too, whose partitions are else looked at one by one."""
    monkeypatch.setattr(handful, "_MOST_RECORDS", 0)


def made(i: int) -> tuple[Any, ...]:
    return tuple(registry.create("models", name, given) for name, given in MODELS[i])


def tiny(seed: int, most: int = 8, least: int = 6) -> Microdata:
    """A few records, some alike, of a number, a set and a tree; the sensitive values are numbers."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(least, most + 1))
    quasi = (number("age", 6), plain_set("job", 3), tree("work"))
    values = number("pay", 3)
    codes = np.array([rng.integers(0, domain.codes, n) for domain in quasi], np.int32)
    if rng.random() < 0.5:
        codes = codes[:, rng.integers(0, n, n)]
    return Microdata(quasi, codes, (values,), rng.integers(0, 3, (1, n)).astype(np.int32), np.arange(n))


def asked(
    data: Microdata, i: int, loss: str, allowance: int = 0, progress: Progress | None = None
) -> Problem:
    requirements = require_of(made(i), data)
    rng = np.random.default_rng(0)
    return Problem(data, requirements, LOSSES[loss], rng, None, allowance, progress or Progress())


def holds(data: Microdata, i: int) -> partitions.Holds:
    def decide(counts: list[int], whole: list[int]) -> bool:
        plain = [(getattr(oracles, name.replace("-", "_")), given) for name, given in MODELS[i]]
        return all(model(counts, whole, data.sensitive[0], **given) for model, given in plain)

    return decide


def charged(data: Microdata, plan: Plan, loss: str) -> float:
    _, recoding = recode(data, plan)
    sizes = np.bincount(plan.classes[plan.published], minlength=recoding.classes)
    weights = attribute_weights(data.quasi)
    lost = [
        weight * (sizes * region_losses(regions, LOSSES[loss])[regions.of]).sum()
        for regions, weight in zip(recoding.attributes, weights, strict=True)
    ]
    return float(sum(lost)) + plan.withheld


def equal_to_all_partitions(data: Microdata, i: int, loss: str, allowance: int = 0) -> None:
    best = partitions.least(data, holds(data, i), loss, allowance)
    plan = Optimal(loss=loss).run(asked(data, i, loss, allowance))
    if best is None:
        assert not plan.published.any()
        return
    assert plan.history["proven"]
    assert plan.withheld <= allowance
    assert merge_equal(data, plan).count == plan.count
    assert charged(data, plan, loss) == pytest.approx(best, abs=1e-6)
    assert plan.history["lower_bound"] * data.size == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("i", ALL)
@pytest.mark.parametrize("seed", range(5))
def test_none_of_all_partitions_loses_less(i, seed):
    equal_to_all_partitions(tiny(seed, most=7), i, "ncp" if seed % 2 else "glm")


@pytest.mark.slow
@pytest.mark.parametrize("i", ALL)
def test_none_of_all_partitions_of_500_tables_loses_less(i):
    for seed in range(34):  # of 15 compositions, 510 tables
        data, loss = tiny(1_000 * i + seed, most=10), "ncp" if seed % 2 else "glm"
        if data.size <= 7:
            equal_to_all_partitions(data, i, loss)
            continue
        if not all(model.closed_under_union for model in made(i)):
            continue
        best = partitions.least_closed(data, holds(data, i), loss)
        plan = Optimal(loss=loss).run(asked(data, i, loss))
        if best is None:
            assert not plan.published.any()
        else:
            assert plan.history["proven"]
            assert charged(data, plan, loss) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("i", ALL)
@pytest.mark.parametrize("seed", range(2))
def test_withholding_is_charged_and_counts_where_distributions_change(i, seed):
    equal_to_all_partitions(tiny(50 + seed, most=6, least=5), i, "glm", allowance=1 + seed)


@pytest.mark.parametrize("i", ALL)
@pytest.mark.parametrize("seed", range(6))
def test_withholding_is_bounded_where_classes_are_not_listed(i, seed):
    bounded_where_classes_are_not_listed(i, seed)


@pytest.mark.slow
@pytest.mark.parametrize("i", ALL)
def test_withholding_is_bounded_where_classes_of_many_tables_are_not_listed(i):
    for seed in range(100, 140):
        bounded_where_classes_are_not_listed(i, seed)


def bounded_where_classes_are_not_listed(i: int, seed: int) -> None:
    data, loss, allowance = tiny(seed, most=6, least=4), "ncp" if seed % 2 else "glm", 1 + seed % 3
    best = partitions.least(data, holds(data, i), loss, allowance)
    plan = Optimal(loss=loss, most_classes=1).run(asked(data, i, loss, allowance))
    if best is None:
        assert not plan.published.any()
        return
    if not plan.published.any():  # another method found none: nothing is said of the optimum
        assert not plan.history
        return
    assert plan.withheld <= allowance
    assert plan.history["lower_bound"] * data.size <= best + 1e-6
    assert best - 1e-6 <= charged(data, plan, loss)
    if plan.history["proven"]:
        assert charged(data, plan, loss) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("i", ALL)
@pytest.mark.parametrize("seed", range(6))
def test_of_a_handful_every_partition_is_looked_at(monkeypatch, i, seed):
    monkeypatch.setattr(handful, "_MOST_RECORDS", 12)
    data = tiny(200 + seed, most=6, least=4)
    equal_to_all_partitions(data, i, "ncp" if seed % 2 else "glm", allowance=seed % 3)
    if all(model.closed_under_union for model in made(i)):
        plan = Optimal().run(asked(data, i, "glm"))
        assert not plan.published.any() or plan.history["partitions"] == "all"


def test_where_it_finds_nothing_those_who_are_too_many_are_withheld_before():
    """40 and 11 of two values: classes cannot be listed, and the programme of what is linear has others than hold."""
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"age": rng.integers(0, 9, 51), "s": ["a"] * 40 + ["b"] * 11})
    columns = {"age": lk.quasi(), "s": lk.sensitive()}
    policy = lk.Policy(
        columns=columns, privacy=lk.EntropyLDiversity(2), method="optimal", withhold={"at_most": 0.6}
    )
    release = lk.anonymize(frame, policy, seed=1)
    assert release.counts["published"] == 22
    assert release.private.solution.plan.history["records"] == 22
    assert release.verify().ok


def test_the_two_oracles_agree():
    for seed in range(6):
        data = tiny(seed, most=7)
        assert partitions.least(data, holds(data, 1)) == pytest.approx(
            partitions.least_closed(data, holds(data, 1))
        )


@pytest.mark.parametrize("i", [0, 2, 5, 8])
def test_what_is_linear_is_found_without_listing_classes(i):
    data = table((9, 7, 5), seed=i, numbers=5)
    small, large = Optimal(most_classes=1), Optimal(most_classes=1, most_nodes=100_000)
    plan = large.run(asked(data, i, "glm"))
    assert plan.history["proven"]
    assert small.run(asked(data, i, "glm")).history["loss"] == pytest.approx(plan.history["loss"])
    other = lk.Mondrian().run(asked(data, i, "glm"))
    assert charged(data, plan, "glm") <= charged(data, other, "glm") + 1e-9


class Heard(Progress):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, message: str) -> None:
        self.notes.append(message)


def test_where_it_is_not_proven_it_says_how_far_the_bound_is():
    heard = Heard()
    data = table((9, 8, 7), seed=3, numbers=6)
    plan = Optimal(most_classes=1).run(asked(data, 3, "glm", progress=heard))
    assert not plan.history["proven"]
    assert 0 < plan.history["lower_bound"] < plan.history["loss"]
    assert charged(data, plan, "glm") == pytest.approx(plan.history["loss"] * data.size)
    assert heard.notes[0].startswith("optimal is not proven: the release loses ")
    # The bound of the sizes alone is below the optimum of the whole guarantee.
    exact = Optimal(most_classes=1).run(problem(data, lk.KAnonymity(1)))
    assert exact.history["lower_bound"] <= plan.history["lower_bound"] + 1e-9


def test_it_ends_when_its_time_is_up():
    """What it then gives holds, and is said to be no proven optimum; a time that suffices changes nothing."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({name: rng.integers(0, 6, 30) for name in "abcd"})
    policy = lk.Policy(columns=dict.fromkeys("abcd", lk.quasi()), privacy=lk.KAnonymity(8))
    release = lk.anonymize(frame, policy.replace(method=Optimal(seconds=0.2)), seed=1)
    history = release.private.solution.plan.history
    assert release.verify().ok
    assert not history["proven"]
    assert history["lower_bound"] < history["loss"]
    data = table((9, 7, 5), seed=2, numbers=5)
    plans = [Optimal(seconds=seconds).run(asked(data, 2, "glm")) for seconds in (None, 1_000)]
    assert plans[0].history == plans[1].history


def test_too_large_a_table_is_refused_in_one_line():
    data = table((40, 40), seed=1)
    with pytest.raises(PolicyError) as refused:
        Optimal(most_assignments=50).run(problem(data, lk.KAnonymity(2)))
    (line,) = refused.value.problems
    assert line.startswith("optimal: is for small tables: the ")
    assert "more than 50 pairs of a cell and a region that covers it (most_assignments); give columns" in line


def test_without_scipy_it_names_the_extra(monkeypatch):
    monkeypatch.setattr("likeness.methods.optimal.find_spec", lambda _: None)
    with pytest.raises(
        PolicyError, match=r"optimal: needs SciPy, which is not installed; install likeness\[optimal\]"
    ):
        Optimal().check(())


def test_people_with_several_records_are_refused():
    frame = pl.DataFrame({"who": [1, 1, 2], "age": [30, 31, 32], "sick": ["a", "b", "a"]})
    columns = {"who": lk.identifier(), "age": lk.quasi(), "sick": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(2), individual="who", method="optimal")
    with pytest.raises(
        PolicyError, match="optimal: does not take tables in which people have several records"
    ):
        lk.anonymize(frame, policy)


def test_parameters_are_checked():
    for name in ("most_nodes", "most_assignments", "most_classes"):
        with pytest.raises(PolicyError, match=f"optimal: {name} must be a whole number of at least 1; got 0"):
            Optimal(**{name: 0})
    with pytest.raises(PolicyError, match="optimal: seconds must be a number above 0; got 0"):
        Optimal(seconds=0)
    with pytest.raises(PolicyError, match="optimal: loss must be one of"):
        Optimal(loss="gcp")


def _adult(data_folder, rows: int) -> tuple[pl.DataFrame, lk.Policy]:
    """The first complete records of Adult and what is asked of them: k = 5, with the hierarchies."""
    columns: dict[str, Any] = {
        name: lk.quasi(hierarchy=str(data_folder / "adult" / f"adult_hierarchy_{name}.csv")) for name in THREE
    }
    columns |= {"occupation": lk.sensitive(), "*": lk.drop()}
    form = {"name": "generalized", "recoding": "hierarchy"}
    return complete(data_folder, rows), lk.Policy(columns=columns, privacy=lk.KAnonymity(5), form=form)


@pytest.mark.slow
def test_the_release_is_proven_and_remembers_the_bound(data_folder):
    frame, policy = _adult(data_folder, 300)
    release = lk.anonymize(frame, policy.replace(method=Optimal("ncp")), seed=1)
    history = release.private.solution.plan.history
    assert history["proven"]
    assert release.loss("ncp")["ncp"] == pytest.approx(0.0870972222)
    assert history["lower_bound"] == pytest.approx(release.loss("ncp")["ncp"])
    other = lk.anonymize(frame, policy.replace(method=lk.LocalRecoding()), seed=1)
    assert other.loss("ncp")["ncp"] > release.loss("ncp")["ncp"]


@pytest.mark.slow
@pytest.mark.whole_search
@pytest.mark.parametrize(("rows", "least"), [(300, 0.0870972222), (1_000, 0.0373), (5_000, 0.0097)])
def test_what_is_made_without_a_method_is_within_8_percent_of_what_is_proven_to_be_the_least(
    data_folder, rows, least
):
    """The optima were proven by `python -m benchmarks.optimum`, in up to 40 seconds each."""
    frame, policy = _adult(data_folder, rows)
    assert lk.anonymize(frame, policy, seed=1).loss("ncp-total")["ncp-total"] <= 1.08 * least


def test_what_the_solver_says_of_itself_is_not_among_what_the_command_prints(capfd):
    with to_stderr():
        os.write(1, b"a remark\n")
    os.write(1, b"ours\n")
    out, err = capfd.readouterr()
    assert (out, err) == ("ours\n", "a remark\n")
