from __future__ import annotations

import pytest
import yaml

from likeness.errors import HierarchyError
from likeness.hierarchies.nested import Report, yaml_roots

SCALARS = ["no", "Yes", "null", "~", "007", "1_000", "0x1F", "1.50", "2024-01-01", "12:30:00", ".inf", "<<"]


def roots(text: str) -> list[str]:
    report = Report("w.yaml")
    yaml_roots(text, report)
    return report.problems


@pytest.mark.parametrize("pure", [False, True])
def test_scalars_are_the_texts_that_stand_there(monkeypatch, pure):
    if pure:
        monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
    text = "root:\n" + "".join(f"- {scalar}\n" for scalar in SCALARS)
    found = yaml_roots(text, Report("w.yaml"))[0].below
    assert [entry.label for entry in found] == SCALARS
    assert [entry.line for entry in found] == list(range(2, 2 + len(SCALARS)))


def test_keys_are_texts_too():
    found = yaml_roots("root: {no: , 1: , 1.0: , '': a}", Report("w.yaml"))[0].below
    assert [entry.label for entry in found] == ["no", "1", "1.0"]


def test_aliases_are_refused_so_that_nothing_grows_without_end():
    bomb = "'*':\n  a: &a [x, x]\n  b: &b [*a, *a]\n  c: [*b, *b]\n"
    assert len(roots(bomb)) == 4
    assert roots(bomb)[0] == "w.yaml, line 3: an alias below 'b' repeats another part; write it out"
    assert roots("'*': &a [*a]") == ["w.yaml, line 1: an alias below '*' repeats another part; write it out"]


def test_labels_that_are_not_texts():
    assert roots("'*':\n  ? [a, b]\n  : [c]\n  d: [e]\n") == [
        "w.yaml, line 2: a label below '*' is not a text; write a plain one"
    ]


def test_a_second_document():
    assert roots("'*': [a]\n---\n'*': [b]\n") == [
        "w.yaml, line 2: a second document begins; put everything below one root"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'*':\n  a: [b\n", r"^w.yaml, line 3: is not YAML: "),
        ("'*':\n  a: b: c\n", r"^w.yaml, line 2: is not YAML: mapping values are not allowed"),
        ("*: [a]", r"^w.yaml, line 1: is not YAML: .*; put a label such as '\*' in quotes$"),
        ("'*': [\x01]", r"^w.yaml: is not YAML: .* characters are not allowed"),
        ("# nothing\n", r"^w.yaml: is not a tree"),
    ],
)
@pytest.mark.parametrize("pure", [False, True])
def test_what_is_not_yaml(monkeypatch, text, message, pure):
    if pure:
        monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
    with pytest.raises(HierarchyError, match=message) as caught:
        roots(text)
    assert "\n" not in str(caught.value)
