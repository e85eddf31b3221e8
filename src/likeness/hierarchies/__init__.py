"""Generalization hierarchies: trees over the values of a column.

A hierarchy is declared in a file (``read_hierarchy``: ARX's lines, nested YAML or JSON) or made from
the observed values (``intervals`` of numbers, ``dates``, ``prefixes`` of codes). All are one kind of
object, ``Hierarchy``, whose nodes are intervals of leaf ranks.

=============  ==================================================================
``tree``       ``Hierarchy``: levels, common ancestors, distances
``rows``       ``from_rows``: rows of ARX's format, checked
``read``       ``read_hierarchy``: files
``nested``     ``from_nested``: YAML and JSON text
``observed``   numbers in classes; days in months, quarters, years, decades; masked codes
``categories`` ``Categories``: ordered categories of sensitive values
``problems``   all problems in one error; has every value of a column its leaf?
=============  ==================================================================
"""

from __future__ import annotations

from likeness.hierarchies.categories import (
    Categories,
    categories_from_mapping,
    categories_from_rows,
    read_categories,
)
from likeness.hierarchies.nested import from_nested
from likeness.hierarchies.observed import dates, intervals, prefixes
from likeness.hierarchies.problems import check_covers
from likeness.hierarchies.read import read_hierarchy
from likeness.hierarchies.rows import from_rows
from likeness.hierarchies.tree import Hierarchy

__all__ = [
    "Categories",
    "Hierarchy",
    "categories_from_mapping",
    "categories_from_rows",
    "check_covers",
    "dates",
    "from_nested",
    "from_rows",
    "intervals",
    "prefixes",
    "read_categories",
    "read_hierarchy",
]
