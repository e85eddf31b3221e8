"""The progress line on a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console as Terminal
from rich.progress import Progress as Bar

from likeness.cli._console import COMPILING, Console
from likeness.cli._progress import Compiling, Drawing


def drawing():
    """A drawing that nobody sees."""
    bar = Bar(console=Terminal(file=io.StringIO(), force_terminal=True), auto_refresh=False)
    return Drawing(bar, Console()), bar


def test_one_stage_at_a_time():
    listener, bar = drawing()
    listener.step("encode", 0, 1)
    listener.step("search", 0, 1)
    assert [task.description for task in bar.tasks] == ["searching for the release"]
    assert bar.tasks[0].total is None


def test_known_lengths_move_on():
    listener, bar = drawing()
    listener.step("draw classes", 0, 40)
    listener.step("draw classes", 30, 40)
    (task,) = bar.tasks
    assert (task.description, task.completed, task.total) == ("draw classes", 30, 40)


def test_notes_wait_until_the_work_is_done(capsys):
    listener, _ = drawing()
    with listener.console.gathering():
        listener.note("careful")
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == "note: careful\n"


def test_it_says_why_a_first_run_takes_longer():
    from numba import njit
    from numba.extending import overload

    import likeness.kernels  # noqa: F401  # listens from now on

    _, bar = drawing()
    bar.add_task("search")
    (task,) = bar.tasks

    def one():
        raise NotImplementedError

    seen = set()

    @overload(one)
    def compile_one():
        seen.add(str(Compiling().render(task)))
        return lambda: 1

    @njit
    def run():
        return one() + 1

    assert run() == 2
    assert seen == {"compiling, once on this machine"}
    assert str(Compiling().render(task)) == ""


@pytest.mark.parametrize("quiet", [False, True])
def test_a_first_run_without_a_terminal_does_not_seem_to_hang(capsys, quiet):
    from numba import njit

    import likeness.kernels  # noqa: F401  # listens from now on

    console = Console()
    console.quiet = quiet
    with console.progress():
        assert njit(lambda: 1)() == 1
        assert njit(lambda: 2)() == 2
    assert njit(lambda: 3)() == 3
    assert capsys.readouterr().err == ("" if quiet else f"{COMPILING}\n")
    with console.progress():
        pass
    assert njit(lambda: 4)() == 4
    assert capsys.readouterr().err == ""
