"""Exit codes, and one line per problem whatever happens."""

from __future__ import annotations

import signal
import sys
import warnings

import pytest

from likeness import errors
from likeness.cli import main
from likeness.policy import Policy


def raising(monkeypatch, problem):
    """Let `schema`, the shortest command, fail."""

    def fail():
        raise problem

    monkeypatch.setattr(Policy, "json_schema", staticmethod(fail))


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (errors.VerificationError("no"), 1),
        (errors.PolicyError("no"), 2),
        (errors.CannotBeMetError("no"), 3),
        (errors.LikenessError("no"), 2),
        (KeyboardInterrupt(), 130),
        (PermissionError(13, "Permission denied", "secret.csv"), 2),
        (ZeroDivisionError("no"), 70),
        (MemoryError(), 2),
        (RecursionError(), 70),
    ],
)
def test_exit_codes(problem, code, run, monkeypatch):
    raising(monkeypatch, problem)
    found = run("schema")
    assert found.code == code
    assert found.out == ""
    assert len(found.errors) == len(found.err.splitlines()) == 1


def test_one_line_per_problem(run, monkeypatch):
    raising(monkeypatch, errors.PolicyError("first", "second\nand more"))
    found = run("schema")
    assert found.errors == ["first", "second"]
    # What stands below a problem is to be pasted.
    assert found.err.endswith("error: second\nand more\n")


def test_a_defect_is_one_line_and_says_what_to_do(run, monkeypatch):
    raising(monkeypatch, ZeroDivisionError("by\nzero"))
    (line,) = run("schema").errors
    assert line.startswith("a defect of likeness: ZeroDivisionError: by zero (--traceback")


@pytest.mark.parametrize("way", ["option", "option before", "environment"])
def test_tracebacks_for_those_who_ask(way, run, monkeypatch):
    raising(monkeypatch, ZeroDivisionError("no"))
    if way == "environment":
        monkeypatch.setenv("LIKENESS_TRACEBACK", "1")
        found = run("schema")
    else:
        found = run(*(("schema", "--traceback") if way == "option" else ("--traceback", "schema")))
    assert found.code == 70
    assert "Traceback" in found.err
    assert "json_schema" in found.err


def test_what_moves_the_cursor_is_shown_as_an_escape(run, monkeypatch):
    raising(monkeypatch, errors.TableError("column '\x1b[2Jgone'"))
    assert run("schema").errors == ["column '\\x1b[2Jgone'"]


def test_warnings_are_gathered_and_printed_once_at_the_end(run, monkeypatch):
    def warn():
        for _ in range(3):
            warnings.warn("the sky\nfalls", UserWarning, stacklevel=1)
        return {"said": "first"}

    monkeypatch.setattr(Policy, "json_schema", staticmethod(warn))
    warnings.simplefilter("always")
    found = run("schema")
    assert found.json == {"said": "first"}
    assert found.err.splitlines() == ["warning: the sky falls"]
    assert run("schema", "--quiet").err == ""


@pytest.fixture
def handlers():
    """Give the signals back what listened to them."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield before
    for number, handler in before.items():
        signal.signal(number, handler)


def test_within_a_process_of_others_their_handlers_stay(run, handlers):
    assert run("--version").code == 0
    assert {number: signal.getsignal(number) for number in handlers} == handlers


def test_what_a_process_ignores_stays_ignored(handlers, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["likeness", "--version"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert main() == 0
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGTERM) not in {signal.SIG_DFL, handlers[signal.SIGINT]}


@pytest.mark.usefixtures("handlers")
def test_the_words_of_the_process_are_the_default(desk, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["likeness", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.strip().count(".") == 2
