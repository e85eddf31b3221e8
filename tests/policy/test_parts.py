from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from tests.policy.parts import Alone, Both, Covering, GeneralizedForm, Shuffle

from likeness.errors import PolicyError
from likeness.policy.parts import find_models, plain_part, plain_parts, read_models, read_part


def problem(call, *arguments):
    with pytest.raises(PolicyError) as refused:
        call(*arguments)
    (line,) = refused.value.problems
    return line


def test_a_part_is_given_as_itself_by_name_or_by_name_and_parameters():
    assert read_part("methods", Shuffle(3)) == Shuffle(3)
    assert read_part("methods", "shuffle") == Shuffle()
    assert read_part("methods", {"name": "shuffle", "rounds": 3}) == Shuffle(3)
    assert read_part("forms", {"name": "generalized", "recoding": "set"}) == GeneralizedForm("set")
    assert read_part("models", {"model": "alone", "k": 5}) == Alone(5)


@pytest.mark.parametrize(
    ("kind", "given", "line"),
    [
        ("methods", "shufle", "there is no method 'shufle'; did you mean 'shuffle'?"),
        ("methods", {"nam": "shuffle"}, "the key 'name' is missing (not 'nam'); write {name: mondrian}"),
        ("models", {"k": 5}, "the key 'model' is missing; write {model: k-anonymity, k: 5}"),
        ("models", {"model": 5}, "model: must be the name of a model; got 5"),
        ("models", {"model": "alone"}, "alone: the parameter 'k' is missing"),
        ("models", {"model": "alone", "k": 5, "l": 2}, "alone: unknown parameter 'l'; known: k"),
        ("models", {"model": "alone", 5: 5}, "the key 5 is not text; put it in quotes"),
        ("models", 5, "must be a model such as {model: k-anonymity, k: 5}; got 5"),
        ("models", None, "must be a model such as {model: k-anonymity, k: 5}; got None"),
        ("models", Alone, "Alone is a class; give one with its parameters, Alone(…)"),
        ("methods", {"name": "shuffle", "rounds": 0}, "shuffle: rounds must be at least 1; got 0"),
        ("methods", {"name": "shuffle", "strict": "no"}, "shuffle: strict must be true or false; got 'no'"),
    ],
)
def test_what_is_no_part_is_one_line(kind, given, line):
    assert problem(read_part, kind, given) == line


def test_a_part_that_trips_over_a_value_refuses_it():
    assert problem(read_part, "methods", {"name": "shuffle", "rounds": "x"}).startswith(
        "shuffle: a parameter is not understood: "
    )


@pytest.mark.usefixtures("real_parts")
def test_a_part_of_another_kind_is_refused():
    from likeness.models.k_anonymity import KAnonymity

    assert (
        problem(read_part, "methods", KAnonymity(5)) == "must be a method; k-anonymity is one of the models"
    )
    assert read_part("models", KAnonymity(5)) == KAnonymity(5)


def test_models_come_alone_composed_or_in_a_list_of_all_these():
    both = Both((Alone(2), Covering(1)))
    assert read_models(Alone(5)) == (Alone(5),)
    assert read_models(both) == (Alone(2), Covering(1))
    assert read_models([both, {"model": "alone", "k": 3}, Alone(4)]) == (
        Alone(2),
        Covering(1),
        Alone(3),
        Alone(4),
    )
    assert read_models({"model": "alone", "k": 3}) == (Alone(3),)


def test_bad_models_do_not_hide_good_ones_and_keep_their_places():
    found, problems = find_models([{"model": "alone"}, Alone(2), "covering", 5])
    assert found == [((1,), Alone(2))]
    assert [entry.place for entry in problems] == [(0,), (2,), (3,)]


def test_no_models_are_a_problem():
    assert problem(read_models, []) == "give at least one model, such as {model: k-anonymity, k: 5}"


def test_parameters_are_written_as_json_holds_them():
    level = {
        "a": (Fraction(1, 3), Decimal("0.5"), Fraction(4)),
        "b": [np.int64(2), np.float64(0.5), True, None],
    }
    assert plain_part("models", Covering(level), ())["level"] == {
        "a": ["1/3", "1/2", 4],
        "b": [2, 0.5, True, None],
    }
    assert plain_part("methods", Shuffle(), ()) == {"name": "shuffle"}


def test_what_lives_in_python_only_is_refused_and_all_of_it_at_once():
    with pytest.raises(PolicyError) as refused:
        plain_parts({"privacy": [Alone(2), Covering(max), Covering(object())], "method": Shuffle(ratio=len)})
    assert refused.value.problems == (
        "privacy[1]: covering: level is a function, which no policy file can hold",
        "privacy[2]: covering: level is a object, which no policy file can hold",
        "method: shuffle: ratio is a function, which no policy file can hold",
    )


def test_a_part_of_ones_own_needs_no_registration():
    @dataclass(frozen=True)
    class Mine:
        name: ClassVar[str] = "mine"

    assert read_part("methods", Mine()) == Mine()
