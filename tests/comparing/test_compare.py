"""Comparisons by worker processes."""

from __future__ import annotations

import time

import pytest
from tests.comparing.runs import COLUMNS, POLICY, TABLE

import likeness as lk
from likeness.comparing.pool import WorkerPool, _Worker
from likeness.comparing.run import ComparedRun, RunLimits
from likeness.progress import Progress
from likeness.tables import read

WORDS = {"methods": ["mondrian", lk.Mdav(), "datafly"], "vary": {"k": [4, 8]}, "seed": 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("compared") / "out"


@pytest.fixture(scope="module")
def found(folder):
    return lk.compare(TABLE, POLICY, folder=folder, jobs=2, **WORDS)


@pytest.mark.slow
def test_each_run_is_what_anonymize_makes(found):
    made = [run for run in found.runs if run.made]
    assert [(run.method, run.asked["k-anonymity.k"]) for run in made] == [
        *(("mondrian", 4), ("mdav", 4), ("mondrian", 8), ("mdav", 8))
    ]
    for run in made:
        policy = POLICY.replace(
            privacy=lk.KAnonymity(run.asked["k-anonymity.k"]), method=run.method, form="generalized"
        )
        release = lk.anonymize(TABLE, policy, seed=5)
        assert run.loss == release.loss()
        assert run.attacks["linkage"].success == release.attack("linkage").success
        assert run.strength["k-anonymity.k"] == release.verdict.proofs[0].strength.values["k"]
        assert run.classes == release.certificate.classes
        assert (run.records, run.withheld) == (40, sum(release.counts["withheld"].values()))
        assert run.seconds > 0
        assert 10**7 < run.memory < 10**10


@pytest.mark.slow
def test_what_makes_no_release_is_kept_with_the_reason(found):
    failed = [run for run in found.runs if not run.made]
    assert [(run.method, run.outcome) for run in failed] == [("datafly", "does-not-fit")] * 2
    assert "has no hierarchy" in str(failed[0].why[0])


def test_the_folder_has_the_frame_the_page_and_the_policy(found, folder):
    assert (folder / "private" / "comparison.csv").read_text() == found.frame.write_csv()
    assert (folder / "private" / "comparison.html").read_text() == found.page()
    assert len(list((folder / "private" / "runs").iterdir())) == len(found.runs)
    policy = lk.Policy.load(folder / "policy.yaml")
    assert policy == found.recommend().policy
    assert (
        lk.anonymize(TABLE, policy, seed=5).loss("ncp-total")["ncp-total"]
        == found.recommend().run.loss["ncp-total"]
    )


def test_finished_runs_are_not_repeated(found, folder, monkeypatch):
    monkeypatch.setattr(WorkerPool, "_start", None)  # nothing is started
    again = lk.compare(TABLE, POLICY, folder=folder, **WORDS)
    assert again.runs == found.runs
    fewer = lk.compare(TABLE, POLICY, folder=folder, **WORDS | {"vary": {"k": [8]}})
    assert fewer.runs == found.runs[3:]


def test_a_changed_table_or_policy_is_refused(found, folder):
    assert found.runs
    with pytest.raises(lk.OutputError, match="of another table"):
        lk.compare(TABLE.head(39), POLICY, folder=folder, **WORDS)
    with pytest.raises(lk.OutputError, match="under another policy"):
        lk.compare(TABLE, POLICY.replace(withhold={"at_most": 0.5}), folder=folder, **WORDS)


@pytest.mark.slow
def test_every_run_is_bounded():
    (late,) = lk.compare(TABLE, POLICY, methods=["mondrian"], vary={"k": [5]}, time_limit=1e-6, jobs=1).runs
    assert (late.outcome, late.limits.seconds) == ("out-of-time", 1e-6)
    large, again = lk.compare(
        TABLE, POLICY, methods=["mondrian"], vary={"k": [4, 5]}, memory_limit=10**6, jobs=1
    ).runs
    # Whoever comes after it has a process of its own.
    assert {large.outcome, again.outcome} == {"out-of-memory"}
    assert large.memory > 10**6


@pytest.mark.slow
def test_a_worker_that_is_killed_breaks_off_one_run_only():
    pool = WorkerPool(read(TABLE), 1, RunLimits(600, 10**11))
    asked = [(str(k), ComparedRun("mondrian", {}, {"k-anonymity.k": k}, ""), POLICY) for k in (4, 5)]
    give = pool._start

    def start():
        give()
        (worker,) = pool._workers
        if not found:
            worker.give, given = lambda *run: (given(*run), worker.process.kill()), worker.give

    found: dict[str, ComparedRun] = {}
    pool._start = start
    for key, run in pool.run(asked):
        found |= {key: run}
    assert found["4"].outcome == "broken-off"
    assert found["5"].made
    assert not pool._workers


@pytest.mark.slow
def test_a_run_that_is_done_as_its_worker_is_ended_counts(monkeypatch):
    pool = WorkerPool(read(TABLE), 1, RunLimits(600, 10**11))
    asked = [(str(k), ComparedRun("mondrian", {}, {"k-anonymity.k": k}, ""), POLICY) for k in (4, 5)]
    ended = []

    def watch(worker, limits):
        if worker.run is not None and not ended:
            ended.append(worker)
            while pool._heard.empty():
                time.sleep(0.01)
            worker.ended = "out-of-time", f"it was not done after {limits.seconds} s"
            worker.process.kill()

    monkeypatch.setattr(_Worker, "watch", watch)
    assert {key: run.outcome for key, run in pool.run(asked)} == {"4": "made", "5": "made"}
    assert len(ended) == 1


@pytest.mark.slow
def test_whatever_goes_wrong_no_process_is_left(monkeypatch):
    started, start = [], WorkerPool._start

    def starting(pool):
        start(pool)
        started.extend(pool._workers)

    class Full(Progress):
        """A listener that fails when something is done."""

        def step(self, stage, done, total):
            if done and total:
                raise OSError("no space left")

    monkeypatch.setattr(WorkerPool, "_start", starting)
    with pytest.raises(OSError, match="no space") as remembered:
        lk.compare(TABLE, POLICY, methods=["mondrian"], vary={"k": [5, 6]}, jobs=1, progress=Full())
    assert remembered.traceback
    assert [worker.process.returncode is not None for worker in started] == [True]


def test_what_only_this_process_knows_is_refused():
    bound = lk.Policy(columns=COLUMNS, privacy=lk.BetaLikeness(bound=lambda p: min(1, 2 * p)))
    with pytest.raises(lk.PolicyError, match="function"):
        lk.compare(TABLE, bound)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"jobs": 0}, "jobs must be"),
        ({"time_limit": 0}, "time limit must be"),
        ({"memory_limit": 0}, "memory limit must be"),
        ({"loss": "nccp"}, "did you mean 'ncp"),
        ({"methods": ["mondrain"]}, "did you mean 'mondrian'"),
        ({"vary": {"kk": [5]}}, "no such parameter"),
    ],
)
def test_what_is_invalid(given, complaint):
    with pytest.raises(lk.InvalidError, match=complaint):
        lk.compare(TABLE, POLICY, **given)
