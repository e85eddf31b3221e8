"""The script that draws the pictures of a page: Vega-Lite (BSD-3-Clause), bundled once, with its licences beside it.

It is built by ``tools/pictures`` and evaluates nothing: expressions are interpreted, so that pages may forbid all but this text.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path


@cache
def drawing_script() -> str:
    """The text of the script."""
    return Path(__file__).with_name("pictures.min.js").read_text(encoding="utf-8")


@cache
def script_hash() -> str:
    """What a Content-Security-Policy allows it by."""
    return f"sha256-{b64encode(sha256(drawing_script().encode()).digest()).decode()}"
