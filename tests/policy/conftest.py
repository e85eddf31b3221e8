"""These tests depend on none of the real parts, except where they say ``real_parts``."""

from __future__ import annotations

import pytest
from tests.policy.parts import PARTS

from likeness import registry
from likeness.errors import PolicyError, suggestion


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Only the small parts exist, except for tests that ask for ``real_parts``."""
    if "real_parts" in request.fixturenames:
        return

    def load(kind: str, name: str) -> type:
        if name not in PARTS[kind]:
            raise PolicyError(f"there is no {kind[:-1]} {name!r}{suggestion(name, PARTS[kind])}")
        return PARTS[kind][name]

    monkeypatch.setattr(registry, "load", load)


@pytest.fixture
def real_parts() -> None:
    """Use the real models, methods and forms."""
