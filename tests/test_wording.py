"""One of something is not several: every number in a message goes with its noun."""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest
from tests.sources import FILES, SOURCE, walked

from likeness.wording import count, digits, figure, nouns

COUNTED = (
    "attributes|buckets|cells|characters|classes|columns|files|groups|individuals|leaves|levels|lines|names|numbers|nodes|people|"
    "persons|places|predicates|queries|records|rows|sets|tables|targets|times|values"
)
FIXED = {
    # Constants above 1, numbers that are above 1 where they are told, and texts that are no numbers.
    ("attacks/_individuals.py", "values"),
    ("attacks/definetti.py", "records"),
    ("attacks/definetti.py", "values"),
    ("attacks/similarity.py", "levels"),
    ("proving/certificate.py", "values"),
    ("published/columns.py", "numbers"),
    ("tables/compression.py", "files"),
    ("tables/databases/sqlite.py", "numbers"),
    ("tables/sheet_cells.py", "characters"),
    ("tables/sheet_cells.py", "columns"),
    ("tables/statistics_files.py", "characters"),
    ("forms/identity_reserved.py", "numbers"),
    ("hierarchies/observed.py", "values"),
    ("knowledge/base.py", "values"),
    ("knowledge/kernel.py", "values"),
    ("metrics/marginals.py", "values"),
    ("metrics/correlation_loss.py", "values"),
    ("models/balanced_p_plus_sensitivity.py", "records"),
    ("models/beta_bounds.py", "times"),
    ("models/bt_privacy.py", "values"),
    ("models/delta_disclosure.py", "times"),
    ("models/js_background.py", "times"),
    ("models/recursive_cl_diversity.py", "times"),
    ("policy/sections.py", "characters"),
    ("hierarchies/nested.py", "levels"),
    ("queries/drawing.py", "queries"),
    ("metrics/query_error.py", "queries"),
    ("models/rho_privacy.py", "names"),
    ("policy/column.py", "numbers"),
    ("tables/published.py", "cells"),
    ("tables/published.py", "columns"),
    ("profiling/meaning.py", "characters"),
    ("profiling/reach.py", "people"),
    ("profiling/reach.py", "times"),
    ("profiling/result.py", "columns"),
    ("profiling/result.py", "groups"),
    ("profiling/result.py", "records"),
    ("report/certificate_page.py", "values"),
    ("report/finding.py", "people"),
    ("report/finding.py", "values"),
    ("report/known.py", "people"),
    ("report/people.py", "columns"),
    ("report/people.py", "people"),
    ("report/people.py", "values"),
    ("report/report_page.py", "values"),
    ("tables/compression.py", "times"),
    ("tables/joining.py", "values"),
}


@pytest.mark.parametrize(
    ("number", "noun", "plural", "written"),
    [
        (1, "record", None, "1 record"),
        (0, "record", None, "0 records"),
        (1234567, "class", None, "1,234,567 classes"),
        (2, "equivalence class", None, "2 equivalence classes"),
        (2, "person", None, "2 people"),
        (2, "leaf", None, "2 leaves"),
        (3, "query", None, "3 queries"),
        (3, "index", "indices", "3 indices"),
        (1, "index", "indices", "1 index"),
    ],
)
def test_count(number, noun, plural, written):
    assert count(number, noun, plural) == written
    assert nouns(number, noun, plural) == written.split(" ", 1)[1]


def bare_counts() -> set[tuple[str, str]]:
    """Nouns in the plural right behind a number in some f-string, where the number may be 1."""
    found = set()
    behind = re.compile(rf" (?:[a-z-]+ )?({COUNTED})\b")
    for path in FILES:
        for node in walked(path):
            if not isinstance(node, ast.JoinedStr):
                continue
            for value, after in zip(node.values, node.values[1:], strict=False):
                text = after.value if isinstance(after, ast.Constant) else ""
                asked = behind.match(text) if isinstance(value, ast.FormattedValue) else None
                if asked is not None and value.conversion == -1:
                    found.add((str(path.relative_to(SOURCE)), asked[1]))
    return found


def test_every_number_is_counted_by_the_one_helper():
    assert bare_counts() - FIXED == set()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1000.04, "1,000"),
        (999.96, "1,000"),
        (99999.99999, "100,000"),
        (1e300, "1e+300"),
        (-1234.5, "-1,234.5"),
        (0.0, "0"),
    ],
)
def test_figures(value, written):
    assert figure(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (np.float64(0.19999999999999998), "0.19999…"), (-2.5, "-2.5"), (5e-324, "5e-324"), (1.5e300, "1.5e+300"), (7, "7"),
        (-12345.678901, "-12,345.6…"), (0.00012345678, "0.00012345…"),
    ],
)  # fmt: skip
def test_digits_are_cut(value, written):
    assert digits(value) == written
