"""The check of HTML finds what it is there to find."""

from __future__ import annotations

import pytest
from tests.report.html_check import check_html

GOOD = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"></head><body><main><p>x</p></main></body></html>'


def test_good() -> None:
    check_html(GOOD)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<p>x</p>", "<p>x"),
        ("<p>x</p>", "<script>x</script>"),
        ("<p>x</p>", '<p onclick="x">x</p>'),
        ("<p>x</p>", "<table></table>"),
        ("<p>x</p>", "<div><table><tbody><tr><td>x</td></tr><tr></tr></tbody></table></div>"),
        ("<!DOCTYPE html>", ""),
        ("</head>", "<style>@import 'x'</style></head>"),
    ],
)
def test_bad(old: str, new: str) -> None:
    with pytest.raises((AssertionError, IndexError)):
        check_html(GOOD.replace(old, new))
