"""Kernels compile silently, wherever they may or may not be kept."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from numba.core.errors import NumbaExperimentalFeatureWarning

from likeness.kernels.class_tests import TESTS, distinct_at_least, lay_out

NO_PLACE = """
import numba.core.caching as caching

def refuse(*_):
    raise OSError("read-only")

for name, locator in vars(caching).items():
    if name.endswith(("InTreeCacheLocator", "UserWideCacheLocator")):
        locator.ensure_cache_path = refuse
import os, likeness.kernels
from likeness.kernels.grouping import first_appearance
print(os.path.basename(likeness.kernels._cache.name), len(os.listdir(likeness.kernels._cache.name)) > 0)
print(likeness.kernels._cache.name)
"""


@pytest.mark.slow
def test_a_read_only_installation_without_a_home_works():
    done = subprocess.run([sys.executable, "-c", NO_PLACE], capture_output=True, text=True, check=True)
    first, folder = done.stdout.splitlines()
    assert first.startswith("likeness-kernels-")
    assert first.endswith("True")
    assert done.stderr == ""
    # It is gone with the process.
    assert not Path(folder).exists()


def test_a_composition_tells_its_type_without_a_warning():
    from numba import typeof

    from likeness.kernels.class_tests import ClassTest

    laid = lay_out([ClassTest(distinct_at_least, [2], values=3)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert typeof(laid.functions) == TESTS


def test_numba_still_calls_the_feature_experimental():
    """When this fails, the filter in `likeness.kernels` can go."""
    from numba.core import types
    from numba.core.utils import unified_function_type

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        unified_function_type([types.FunctionType(types.int64(types.int64))] * 2)
    assert [warning.category for warning in caught] == [NumbaExperimentalFeatureWarning]
