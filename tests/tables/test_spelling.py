"""One text of every value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.tables import misspelled, plain_value, read_texts, texts
from likeness.wording import quoted

REALS = st.floats(allow_nan=False, allow_infinity=False)
WHOLES = st.integers(-(2**63), 2**63 - 1)
DAYS = st.dates().map(np.datetime64)
UGLY = [1e-07, 0.1 + 0.2, 1e22, 2.0**60, 5e-324, 1.7976931348623157e308, 123456789012345680.0, 1e16, 0.0001]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([1, -2]), ["1", "-2"]),
        (np.array([0.1, 1e300, 2.0]), ["0.1", "1e+300", "2.0"]),
        (np.array([-0.0, 1e-7, 0.1 + 0.2]), ["0.0", "1e-07", "0.30000000000000004"]),
        (np.array(["2024-02-29"], "datetime64[D]"), ["2024-02-29"]),
        (np.array(["2024-02-29T10:00"], "datetime64[m]"), ["2024-02-29"]),
        (np.array(["a", ""], object), ["a", ""]),
        ([True, False], ["true", "false"]),
    ],
)
def test_texts(values, expected):
    assert texts(values) == expected


@settings(deadline=None)
@given(
    st.lists(REALS | st.sampled_from(UGLY), max_size=5),
    st.lists(WHOLES, max_size=5),
    st.lists(DAYS, max_size=5),
)
def test_what_is_written_is_read(reals, wholes, days):
    for kind, values in (
        ("real", np.array(reals, np.float64)),
        ("integer", np.array(wholes, np.int64)),
        ("date", np.array(days, "datetime64[D]")),
    ):
        written = texts(values)
        assert np.array_equal(read_texts(kind, written), values)
        assert [misspelled(kind, text) for text in written] == [None] * len(written)


OTHERWISE = [
    lambda text: f"+{text}",
    lambda text: f" {text}",
    lambda text: f"{text} ",
    lambda text: f"{text}\n",
    lambda text: f"\u00a0{text}",
    lambda text: f"0{text}" if text[0] != "-" else f"-0{text[1:]}",
    lambda text: text.replace("e", "E") if "e" in text else f"{text}e0",
    lambda text: f"{text}.0",
    lambda text: f"{text}0" if "." in text and "e" not in text else f"0{text}",
    lambda text: f"\\{text}",
    lambda text: "".join(chr(0x0660 + int(c)) if c.isdigit() else c for c in text),
    lambda text: f"{text[0]}_{text[1:]}",
    lambda text: f"-{text}" if float(text) == 0 else f"--{text}",
]


@settings(deadline=None, max_examples=200)
@given(REALS | st.sampled_from(UGLY), WHOLES, st.sampled_from(OTHERWISE))
def test_nothing_else_is_read(real, whole, otherwise):
    for kind, value in (("real", np.array([real])), ("integer", np.array([whole]))):
        (written,) = texts(value)
        other = otherwise(written)
        assert misspelled(kind, other) is not None
        with pytest.raises(ValueError, match=r"must read|is not of the kind"):
            read_texts(kind, [written, other])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(("real", text) for text in ("nan", "NaN", "inf", "-Infinity", "1e400", "1e60000000", "1/3", "2_0.0", "0x10", "", "٣")),
        *(("integer", text) for text in ("9223372036854775808", "9" * 4000, "9" * 5000, "1.0", "2_0", "", "٣", "²", "1e3")),
        *(("date", text) for text in ("today", "now", "NaT", "2024", "2024-02", "2024-02-30", "20240201", "", "2024-01-01T00")),
    ],
)  # fmt: skip
def test_what_is_no_value(kind, text):
    assert misspelled(kind, text) == f"{quoted(text)} is not of the kind {kind}"
    assert plain_value(kind, text) is None
    with pytest.raises(ValueError, match=f"is not of the kind {kind}"):
        read_texts(kind, [text])


def test_long_texts_are_not_shown_whole():
    assert len(misspelled("integer", "9" * 100_000)) < 120
