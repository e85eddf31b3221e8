"""Databases by their URL, through ADBC (``likeness[database]``): tables and queries in, published tables out.

``is_url`` says whether a text names a database, ``read_database`` reads a table or the rows of a query, in a transaction that may
only read. What a kind of database has of its own stands in its file (`sqlite`, `postgresql`); no password is in anything that
is said.
"""

from __future__ import annotations

from likeness.tables.databases.addresses import is_url, is_url_as_path, shown_url
from likeness.tables.databases.selecting import read_database

__all__ = ["is_url", "is_url_as_path", "read_database", "shown_url"]
