"""SBCA, MDAV and k-member work in steps: a bar can be drawn, the work interrupted, and the result is the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.methods.problems import problem, table

import likeness as lk
from likeness.methods import k_member, mdav, sbca
from likeness.progress import Progress

if TYPE_CHECKING:
    from types import ModuleType

METHODS = {
    "sbca": (sbca, "_DISTANCES_A_STEP", lk.Sbca()),
    "mdav": (mdav, "_DISTANCES_A_STEP", lk.Mdav()),
    "k-member": (k_member, "_LOOKS_A_STEP", lk.KMember()),
}


class Heard(Progress):
    """Remembers the steps; interrupts at one."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.done: list[int] = []
        self.stop_at = stop_at

    def step(self, stage: str, done: int, total: int) -> None:
        if stage != "cluster":
            return
        assert total == 203
        self.done.append(done)
        if len(self.done) == self.stop_at:
            raise KeyboardInterrupt


@pytest.mark.parametrize("name", METHODS)
def test_any_number_of_steps_gives_the_same_classes(name, monkeypatch):
    module, limit, method = METHODS[name]
    asked = problem(table([101, 102], missing=True), lk.KAnonymity(4), lk.DistinctLDiversity(2))
    whole = method.run(asked)
    heard = Heard()
    monkeypatch.setattr(module, limit, 1)
    again = method.run(replace(asked, rng=np.random.default_rng(0), progress=heard))
    assert again.classes.tolist() == whole.classes.tolist()
    assert len(heard.done) > 10
    assert heard.done == sorted(heard.done)


@pytest.mark.parametrize("name", METHODS)
def test_it_can_be_interrupted_between_steps(name, monkeypatch):
    module, limit, method = METHODS[name]
    monkeypatch.setattr(module, limit, 1)
    heard = Heard(stop_at=3)
    asked = replace(problem(table([101, 102]), lk.KAnonymity(4)), progress=heard)
    with pytest.raises(KeyboardInterrupt):
        method.run(asked)
    assert len(heard.done) == 3


@pytest.mark.parametrize("name", METHODS)
def test_all_records_are_accounted_for_at_the_end(name):
    module: ModuleType = METHODS[name][0]
    heard = Heard()
    asked = replace(problem(table([101, 102]), lk.KAnonymity(4)), progress=heard)
    METHODS[name][2].run(asked)
    assert heard.done[-1] > 203 - 4, module.__name__
