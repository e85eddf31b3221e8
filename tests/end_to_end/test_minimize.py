"""What a policy file says under `minimize`, as the command takes it."""

from __future__ import annotations

import json

import pytest

import likeness as lk

WORKLOAD = "{name: query-error, queries: 300, predicates: 1, selectivity: 0.2}"


def asked(desk, name: str, minimize: str) -> str:
    """Write the policy of the hospital table with something to minimize."""
    policy = (desk / "hospital-policy.yaml").read_text()
    # Of a rule nobody knows what * stands for, and no query could be estimated.
    (desk / f"{name}.yaml").write_text(
        policy.replace("    hierarchy: {prefix: 5}\n", "") + f"minimize: {minimize}\n"
    )
    return f"{name}.yaml"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "minimize"),
    [
        pytest.param("small", "discernibility", id="small"),
        pytest.param("queries", WORKLOAD, id="queries"),
    ],
)
def test_what_is_minimized_is_told_and_least_in_what_is_kept(name, minimize, here, desk):
    made = here("anonymize", "hospital.csv", asked(desk, name, minimize), "-o", name, "--format", "json")
    assert made.returncode == 0, made.stderr
    told = {
        label: one for label, one in json.loads(made.stdout)["candidates"].items() if one["loss"] is not None
    }
    kept = [one["loss"] for one in told.values() if one["outcome"] == "kept"]
    assert kept == [min(one["loss"] for one in told.values())]
    assert here("verify", name, "--original", "hospital.csv").returncode == 0
    opened = lk.open_release(desk / name, desk / "hospital.csv")
    assert opened.private.policy.minimize.measure(opened.evaluation) == kept[0]
    measured = here("measure", name, "--original", "hospital.csv", "--format", "json")
    assert json.loads(measured.stdout)["metrics"]["ncp"]["lower_bound"]["gap"] >= 0


@pytest.mark.slow
def test_what_cannot_be_minimized_is_one_line_with_what_can(run, desk):
    made = run("anonymize", "hospital.csv", asked(desk, "wrong", "discernability"), "-o", "wrong")
    assert made.returncode == 2
    assert (
        "must be one of ail, discernibility, glm, iloss, ncp, query-error; got 'discernability'"
        in made.stderr
    )
    assert "wrong.yaml, line " in made.stderr
    assert len(made.stderr.splitlines()) == 1
    assert not (desk / "wrong").exists()
