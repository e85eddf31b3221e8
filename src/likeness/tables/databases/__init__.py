"""Databases by their URL, through ADBC (``likeness[database]``): tables and queries in, published tables out.

``is_url`` says whether a text names a database, ``read_database`` reads a table or the rows of a query, in a transaction that may
only read; ``check_database`` and ``put`` put tables into one, all of them or none. What a sort of database has of its own stands
in its file (`sqlite`, `postgresql`); no password is in anything that is said.
"""

from __future__ import annotations

from likeness.tables.databases.addresses import is_url, is_url_as_path, shown_url
from likeness.tables.databases.putting import check_database, put
from likeness.tables.databases.selecting import read_database
from likeness.tables.databases.storing import Stored

__all__ = ["Stored", "check_database", "is_url", "is_url_as_path", "put", "read_database", "shown_url"]
