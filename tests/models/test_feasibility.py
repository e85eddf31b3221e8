"""Without withholding, people can be put into classes that hold exactly when all of them as one class hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tests.models.families import holds, people

from likeness.models.eir_alpha_beta_anonymity import EirAlphaBetaAnonymity
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.ir_alpha_beta_anonymity import IrAlphaBetaAnonymity
from likeness.models.ir_k_anonymity import IrKAnonymity
from likeness.models.ir_kl_anonymity import IrKlAnonymity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.models.families import Class

SHARES = st.sampled_from(["1/3", "2/5", "1/2", "3/5", "1"])
MODELS = {
    "ir-k": st.builds(IrKAnonymity, st.integers(1, 4)),
    "ir-kl": st.builds(IrKlAnonymity, st.integers(1, 3), st.integers(1, 4)),
    "ir-alpha-beta": st.builds(IrAlphaBetaAnonymity, SHARES, SHARES),
    "eir-l": st.builds(EirLDiversity, st.integers(1, 4)),
    "eir-alpha-beta": st.builds(EirAlphaBetaAnonymity, SHARES, SHARES),
}


def partitions(everybody: Class) -> Iterator[list[list[list[int]]]]:
    """All ways to put people into classes."""
    if not everybody:
        yield []
        return
    first, *others = everybody
    for classes in partitions(others):
        yield [[first], *classes]
        for i, one in enumerate(classes):
            yield [*classes[:i], [first, *one], *classes[i + 1 :]]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@given(data=st.data())
@settings(deadline=None, max_examples=25)
def test_classes_that_hold_exist_exactly_when_all_together_hold(model, data):
    made, everybody = data.draw(model), data.draw(people(5))
    (together,) = holds(made, everybody)
    event("feasible" if together else "infeasible")
    assert any(all(holds(made, *classes)) for classes in partitions(everybody)) == together


def test_partitions_are_all_and_differ():
    """Bell numbers: 1, 2, 5, 15, 52."""
    for n, bell in enumerate((1, 2, 5, 15, 52), 1):
        found = {
            frozenset(frozenset(person[0] for person in one) for one in classes)
            for classes in partitions([[i] for i in range(n)])
        }
        assert len(found) == bell
