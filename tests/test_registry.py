"""Parts by file name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import likeness as lk
from likeness import registry
from likeness.errors import PolicyError


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("models", "t-closeness", "TCloseness"),
        ("models", "recursive-cl-diversity", "RecursiveClDiversity"),
        ("attacks", "naive-bayes", "NaiveBayesAttack"),
        ("forms", "identity-reserved", "IdentityReservedForm"),
        ("methods", "k-member", "KMember"),
    ],
)
def test_class_names(kind, name, expected):
    assert registry.class_name(kind, name) == expected


def test_names_are_sorted_and_helpers_are_not_parts():
    for kind in registry.KINDS:
        names = registry.names(kind)
        assert list(names) == sorted(names)
        assert not any(name.startswith(("-", "_")) or "_" in name for name in names)
    assert "base" not in registry.names("models")


def test_a_file_is_a_part_only_when_it_holds_its_class(tmp_path, monkeypatch):
    for stem, text in {
        "new_part": "class NewPart:\n    '''What it does.\n\n    More.\n    '''\n",
        "half_written": "class Something:\n    pass\n",
        "_helper": "class Helper:\n    pass\n",
    }.items():
        (tmp_path / f"{stem}.py").write_text(text)
    monkeypatch.setattr(registry, "_folder", lambda kind: tmp_path)
    registry.names.cache_clear()
    try:
        assert registry.names("methods") == ("new-part",)
        assert registry.summary("methods", "new-part") == "What it does."
        assert registry.summary("methods", "half-written") == ""
    finally:
        registry.names.cache_clear()


@pytest.mark.parametrize("function", [registry.names, lambda kind: registry.load(kind, "burel")])
def test_unknown_kinds(function):
    with pytest.raises(PolicyError, match="there is no kind of part 'metods'; did you mean 'methods'"):
        function("metods")


def test_a_summary_is_read_once(monkeypatch):
    first = registry.summary("models", "k-anonymity")
    assert first.endswith(".")
    monkeypatch.setattr(registry, "ast", None)  # no file is parsed again
    assert registry.summary("models", "k-anonymity") == first


def test_unknown_names_of_parts():
    with pytest.raises(PolicyError, match="there is no model 'k-anonimity'; did you mean 'k-anonymity'"):
        registry.load("models", "k-anonimity")
    with pytest.raises(PolicyError, match=r"there is no attack 'zzz'; known: .*linkage"):
        registry.load("attacks", "zzz")


def test_public_names():
    assert registry.find_public("LinkageAttack") == ("attacks", "linkage")
    assert registry.find_public("GeneralizedForm") == ("forms", "generalized")
    assert registry.find_public("Linkage") is None
    assert lk.KAnonymity is registry.load("models", "k-anonymity")
    with pytest.raises(AttributeError, match="module 'likeness' has no attribute 'KAnonimity'"):
        _ = lk.KAnonimity


@pytest.mark.parametrize(
    ("kind", "name", "given", "message"),
    [
        ("models", "k-anonymity", {}, "k-anonymity: the parameter 'k' is missing"),
        ("models", "k-anonymity", {"K": 5}, "k-anonymity: unknown parameter 'K'"),
        ("models", "k-anonymity", {"k": 0}, "k-anonymity: k must be a whole number of at least 1; got 0"),
        ("methods", "mondrian", {"cuts": "all"}, "mondrian: unknown parameter 'cuts'; did you mean 'cut'?"),
    ],
)
def test_parameters_that_are_refused(kind, name, given, message):
    with pytest.raises(PolicyError) as problem:
        registry.create(kind, name, given)
    assert problem.value.problems[0].startswith(message)


def test_all_unknown_parameters_are_named_at_once():
    with pytest.raises(PolicyError) as problem:
        registry.create("methods", "mondrian", {"a": 1, "b": 2})
    assert len(problem.value.problems) == 2


@dataclass(frozen=True)
class Part:
    one: object = 1
    two: object = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(1, 3), "1/3"),
        (Fraction(4, 2), 2),
        (Decimal("0.25"), "1/4"),
        ((Fraction(1, 2), "a"), ["1/2", "a"]),
        ("text", "text"),
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
    ],
)
def test_parameters_as_json_holds_them(value, expected):
    found = registry.parameters(Part(one=value))
    assert json.loads(json.dumps(found)) == {"one": expected}


def test_numpys_whole_numbers_are_whole_numbers():
    assert registry.create("models", "k-anonymity", {"k": np.int64(3)}) == lk.KAnonymity(3)
    with pytest.raises(PolicyError, match=r"must be a whole number of at least 1; got np.int64"):
        registry.create("models", "k-anonymity", {"k": np.int64(0)})


def test_defaults_are_left_out():
    assert registry.parameters(Part()) == {}
    assert registry.parameters(Part(two=0)) == {"two": 0}
