"""The list of commands and the help of each."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import likeness.cli
from likeness.cli._app import COMMANDS


def test_every_file_is_a_command_and_every_command_a_file():
    files = {path.stem for path in Path(likeness.cli.__file__).parent.glob("*.py")}
    assert {name for name in files if not name.startswith("_")} == set(COMMANDS)


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",), ("--quiet", "--help")])
def test_help_lists_all_commands_with_their_summaries(words, run):
    found = run(*words)
    assert found.code == 0
    assert found.err == ""
    lines = found.out.splitlines()
    for name in COMMANDS:
        summary = import_module(f"likeness.cli.{name}").command.help.split()[0]
        assert any(line.split()[1:3] == [name, summary] for line in lines), name
    for code in (0, 1, 2, 3, 70, 130):
        assert any(line.startswith(f"  {code} ") for line in lines)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_its_docstring_with_examples(name, run):
    found = run(name, "--help")
    assert found.code == 0
    assert found.err == ""
    assert f"Usage: likeness {name}" in found.out
    assert f"  likeness {name}" in found.out.partition("Examples:")[2]
    assert "::" not in found.out
    assert "--quiet" in found.out


TABLE_READERS = ("profile", "check", "anonymize", "verify", "measure", "attack")


@pytest.mark.parametrize("name", TABLE_READERS)
def test_every_command_that_reads_a_table_has_the_options_of_reading(name, run):
    text = run(name, "--help").out
    for option in (
        "--delimiter",
        "--quote",
        "--encoding",
        "--decimal",
        "--no-header",
        "--header",
        "--format",
    ):
        assert option in text


def test_repeated_runs_in_one_process_do_not_disturb_each_other(run):
    assert run("list").out == run("list").out
    assert run("--help").out == run("--help").out
