from __future__ import annotations

import json as json_format

import pytest
import yaml
from hypothesis import given, settings
from tests.hierarchies.trees import Plain, assert_is, assert_same, make, plain_trees

from likeness.errors import HierarchyError
from likeness.hierarchies import from_nested


def problems(text: str, *, json: bool = False) -> tuple[str, ...]:
    with pytest.raises(HierarchyError) as caught:
        from_nested(text, "w", json=json)
    return caught.value.problems


@given(plain_trees())
@settings(deadline=None, max_examples=60)
def test_json_gives_the_tree(plain: Plain):
    text = json_format.dumps({plain.label: plain.nested()}, indent="\t")
    assert_is(from_nested(text, "w", json=True), plain)


@given(plain_trees())
@settings(deadline=None, max_examples=60)
def test_yaml_gives_the_tree(plain: Plain):
    text = yaml.safe_dump({plain.label: plain.nested()}, sort_keys=False, allow_unicode=True)
    # safe_dump writes the null below a leaf as the word, which as plain text is a leaf of that name.
    assert_is(from_nested(text.replace(": null\n", ":\n"), "w"), plain)


def test_yaml_and_json_and_rows_agree():
    text = '{"*": {"Europe": ["Germany", "France"], "Asia": {"East": ["Japan"], "South": "India"}}}'
    tree = from_nested(text, "w")
    assert_same(tree, from_nested(text, "w", json=True))
    assert_same(tree, make(tree.to_rows()))


def test_a_label_repeated_below_itself_is_one_node():
    assert_same(from_nested("'*': {US: [US], EU: [a, b]}", "w"), from_nested("'*': {US: , EU: [a, b]}", "w"))
    assert from_nested("'*': {'*': [a, b]}", "w").labels == ("*", "a", "b")


def test_mappings_inside_lists():
    assert from_nested("'*': [US, {EU: [a, b]}]", "w").labels == ("*", "US", "EU", "a", "b")


@pytest.mark.parametrize("json", [False, True])
def test_every_repeated_label_is_named_with_both_lines(json):
    text = '{"*":\n {"A": ["x", "y"],\n  "B": ["x"],\n  "A": ["z"]}}'
    assert problems(text, json=json) == (
        "w, line 3: 'x' is given twice, first on line 2; a label means one node: rename or remove one",
        "w, line 4: 'A' is given twice, first on line 2; a label means one node: rename or remove one",
    )


@pytest.mark.parametrize("json", [False, True])
def test_a_node_that_is_also_a_leaf(json):
    text = '{"*": {"A": ["B"],\n "B": ["c", "d"]}}'
    assert problems(text, json=json)[0].startswith("w, line 2: 'B' is given twice, first on line 1;")


@pytest.mark.parametrize("json", [False, True])
def test_two_roots(json):
    text = '{"*": ["a"],\n"+": ["b"],\n"-": ["c"]}'
    assert problems(text, json=json) == (
        "w, line 2: two roots: '+' beside '*' (line 1); put both below one label such as '*'",
        "w, line 3: two roots: '-' beside '*' (line 1); put both below one label such as '*'",
    )


@pytest.mark.parametrize("json", [False, True])
@pytest.mark.parametrize("text", ["[1]", '"a"', "{}", '{"*": ' + ("null}" if False else "null }")])
def test_what_is_not_a_tree(text, json):
    if json is False and "null" in text:
        text = "'*':"
    assert problems(text, json=json)[0].startswith("w: is not a tree; write one root label")


@pytest.mark.parametrize("json", [False, True])
def test_empty_parts_and_lists_without_a_label(json):
    text = '{"*": {"A": [],\n"B": {},\n"C": ["", ["x"]],\n"": ["y"]}}'
    assert problems(text, json=json) == (
        "w, line 1: 'A' has an empty list below it; list its leaves or remove it",
        "w, line 2: 'B' has an empty list below it; list its leaves or remove it",
        "w, line 3: an empty label below 'C'; write a text",
        "w, line 3: a list inside the list of 'C' has no label; write a label before it",
        "w, line 4: an empty label below '*'; write a text",
    )


@pytest.mark.parametrize("json", [False, True])
def test_endless_nesting_is_refused(json):
    assert "nested" in problems('{"a":' * 50_000, json=json)[0]
    assert "nested" in problems("[" * 50_000, json=json)[0]
