"""What holds of every part there is: files, classes, names and documentation agree."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest
from tests.contracts.parts import PART_KINDS, every_part, example

import likeness as lk
from likeness import registry
from likeness.errors import PolicyError

ALL = pytest.mark.parametrize(("kind", "name"), every_part())


def test_every_kind_is_here():
    assert set(PART_KINDS) == set(registry.KINDS)
    assert all(registry.names(kind) for kind in PART_KINDS)


@ALL
def test_file_class_and_name_agree(kind, name):
    part = registry.load(kind, name)
    if kind != "datasets":
        assert part.name == name
    if registry.distribution(kind, name) is None:
        assert part.__module__ == f"likeness.{kind}.{name.replace('-', '_')}"
    assert part.__name__ == registry.class_name(kind, name)
    assert registry.find_public(part.__name__) == (kind, name)
    assert getattr(lk, part.__name__) is part
    assert part.__name__ in dir(lk)


@ALL
def test_parts_are_frozen_values(kind, name):
    part = registry.load(kind, name)
    assert is_dataclass(part)
    made = example(kind, name)
    for field in fields(part):
        with pytest.raises(FrozenInstanceError):
            setattr(made, field.name, None)
    assert made == type(made)(**{field.name: getattr(made, field.name) for field in fields(part)})
    assert hash(made) == hash(example(kind, name))


@ALL
def test_parts_are_documented(kind, name):
    part = registry.load(kind, name)
    first = (part.__doc__ or "").strip().split("\n")[0]
    assert registry.summary(kind, name) == first
    assert first.endswith((".", ")")), first
    assert first[0].isupper()
    parameters = [field.name for field in fields(part) if not field.kw_only]
    assert all(
        f"\n    {parameter}" in part.__doc__ or f", {parameter}" in part.__doc__ for parameter in parameters
    )


@ALL
def test_a_part_is_made_again_from_its_parameters(kind, name):
    made = example(kind, name)
    assert registry.create(kind, name, registry.parameters(made)) == made


@ALL
def test_unknown_parameters_and_names_are_refused_with_a_hint(kind, name):
    with pytest.raises(PolicyError, match=f"^{name}: unknown parameter 'nonsense'"):
        registry.create(kind, name, {"nonsense": 1})
    misspelt = f"{name[:-1]}{'y' if name.endswith('x') else 'x'}"
    with pytest.raises(PolicyError, match=f"there is no {registry.noun(kind)} '{misspelt}'; did you mean "):
        registry.load(kind, misspelt)


def test_listing_and_describing_parts_imports_none():
    code = (
        "import sys\n"
        "from likeness import registry\n"
        "for kind in registry.KINDS:\n"
        "    for name in registry.names(kind):\n"
        "        registry.class_name(kind, name), registry.summary(kind, name)\n"
        "parts = [m for m in sys.modules if m.startswith(tuple(f'likeness.{k}.' for k in registry.KINDS))]\n"
        "heavy = {'numpy', 'numba', 'polars', 'pandas', 'pyarrow', 'pydantic', 'scipy'} & set(sys.modules)\n"
        "print(parts, heavy)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[] set()"
