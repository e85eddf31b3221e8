from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import HierarchyError
from likeness.hierarchies import prefixes


def test_one_character_per_level():
    tree = prefixes(["02141", "02139", "10001"], 5, name="zip")
    assert tree.to_rows() == [
        ["02139", "0213*", "021**", "02***", "0****", "*"],
        ["02141", "0214*", "021**", "02***", "0****", "*"],
        ["10001", "1000*", "100**", "10***", "1****", "*"],
    ]
    assert tree.data_derived
    assert tree.name == "zip"


def test_chosen_levels():
    assert prefixes(["02141", "02139"], 5, kept=[3]).to_rows() == [
        ["02139", "021**", "*"],
        ["02141", "021**", "*"],
    ]
    assert prefixes(["a", "b"], 1).to_rows() == [["a", "*"], ["b", "*"]]


@pytest.mark.parametrize(
    ("values", "digits", "kept", "message"),
    [
        (
            ["02139", "2139"],
            5,
            None,
            r"^zip: code '2139' has 4 characters where 5 are declared; write codes with",
        ),
        (
            ["02139"],
            4,
            None,
            r"^zip: code '02139' has 5 characters where 4 are declared; declare that many, or use a",
        ),
        (
            [*map(str, range(1000, 2000)), "123456", *("1234567"[i] + "*" * 4 for i in range(7))],
            5,
            None,
            r"^zip: code '1000' .* \(and 999 more codes\); .*\nzip: code '123456' has 6 .* declared; .*\n.* \(and 6 more codes\)",
        ),
        (["", "02139"], 5, None, r"^zip: code '' has 0 characters"),
        (
            ["0213*", "02139"],
            5,
            None,
            r"^zip: code '0213\*' holds the mask '\*'; declare such codes as missing$",
        ),
        ([], 5, None, r"^zip: there are no codes"),
        (["a"], 0, None, r"^zip: a prefix hierarchy needs codes of at least 1 character; got 0$"),
        (["02139"], 5, [5], r"^zip: the characters kept must descend between 4 and 1; got \[5\]$"),
        (["02139"], 5, [2, 3], r"^zip: the characters kept must descend"),
        (["02139"], 5, [3, 0], r"^zip: the characters kept must descend"),
    ],
)
def test_what_makes_no_prefixes(values, digits, kept, message):
    with pytest.raises(HierarchyError, match=message):
        prefixes(values, digits, kept=kept, name="zip")


@given(st.lists(st.text("0123A", min_size=4, max_size=4), min_size=1, max_size=20))
@settings(deadline=None, max_examples=60)
def test_a_node_holds_the_codes_with_its_prefix(codes):
    tree = prefixes(codes, 4)
    assert tree.leaves == tuple(sorted(set(codes)))
    for node, label in enumerate(tree.labels):
        prefix = label.rstrip("*")
        below = tree.leaves[tree.left[node] : tree.right[node] + 1]
        assert below == tuple(code for code in tree.leaves if code.startswith(prefix))
