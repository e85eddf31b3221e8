import subprocess
import sys

import pytest

from likeness.tables.frames import library, library_of


def test_frames_are_known_by_their_library(make):
    frame = make({"a": [1]})
    name = library_of(frame)
    assert name is not None
    assert library(name).names(frame) == ["a"]


@pytest.mark.parametrize("thing", [None, [1], "a.csv", object()])
def test_other_things_are_not(thing):
    assert library_of(thing) is None


def test_every_library_offers_the_same_functions():
    def public(module):
        own = {
            name
            for name, thing in vars(module).items()
            if getattr(thing, "__module__", "") == module.__name__
        }
        return {name for name in own if not name.startswith("_")}

    offered = [public(library(name)) for name in ("polars", "pandas", "pyarrow")]
    assert offered[0] == offered[1] == offered[2]
    assert {
        "names",
        "height",
        "unusable",
        "distinct",
        "take",
        "preview",
        "texts",
        "array",
        "assemble",
    } <= offered[0]


def test_pandas_and_pyarrow_are_not_imported_for_polars():
    program = (
        "import sys, polars as pl; from likeness.tables import build, read; "
        "t = read(pl.DataFrame({'a': ['x']})); build(t, {'a': t.encode('a')}); t._repr_html_(); "
        "sys.exit(bool({'pandas', 'pyarrow', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
