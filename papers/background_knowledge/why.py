"""What explains a claim that does not hold."""

from __future__ import annotations

EVERY_TABLE = (
    "tables differ, and the range expected is that of six or seven others. Without J knowledge adds more where it guesses more "
    "by itself (panel `bkseq-0.9-tables`), under J it does not"
)
