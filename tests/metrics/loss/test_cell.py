from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.metrics.tables import evaluations
from tests.oracles.metrics import Plain, cell_loss

from likeness.kernels.hulls import SET, hull_loss
from likeness.microdata.regions import LOSSES, attribute_weights, geometry, region_losses


@pytest.mark.parametrize("name", sorted(LOSSES))
@settings(deadline=None, max_examples=100)
@given(evaluation=evaluations())
def test_of_regions_is_the_plain_definition(name, evaluation):
    plain = Plain(evaluation)
    for j, regions in enumerate(evaluation.recoding.attributes):
        losses = region_losses(regions, LOSSES[name])
        for i in plain.published:
            found = losses[regions.of[evaluation.plan.classes[i]]]
            assert found == pytest.approx(cell_loss(regions.domain, plain.region[i][j], name), abs=1e-12)


@pytest.mark.parametrize("name", sorted(LOSSES))
@settings(deadline=None, max_examples=100)
@given(evaluation=evaluations())
def test_searches_minimise_what_is_measured(name, evaluation):
    data, classes = evaluation.data, evaluation.plan.classes
    layout = geometry(data.quasi, LOSSES[name])
    weights = attribute_weights(data.quasi)
    for group in range(evaluation.recoding.classes):
        codes = data.codes[:, classes == group]
        bits = np.zeros(int(layout.word[-1]), np.uint64)
        for j in np.flatnonzero(layout.kind == SET):
            for code in codes[j].tolist():
                bits[layout.word[j] + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)
        searched = hull_loss(layout, codes.min(axis=1), codes.max(axis=1), bits)
        measured = sum(
            weight * region_losses(regions, LOSSES[name])[regions.of[group]]
            for weight, regions in zip(weights, evaluation.recoding.attributes, strict=True)
        )
        assert searched == pytest.approx(measured, abs=1e-12)
