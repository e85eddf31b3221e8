"""What `strongest` and `weakest` share: goals, the search, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness.checks import number
from likeness.cli._console import console
from likeness.cli._console import number as six_digits
from likeness.cli._making import headed_lines
from likeness.cli._options import pair, refuse_overwriting_nothing
from likeness.errors import InvalidError
from likeness.wording import columns, count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from likeness.searching import Searched


def goals(given: Iterable[str], option: str) -> dict[Any, str]:
    """Read goals, ``NAME=VALUE``.

    Raises
    ------
    InvalidError
        When one is not of that shape, or two are about the same.

    Examples
    --------
    >>> goals(["ail=0.2"], "--loss")
    {'ail': '0.2'}
    """
    found: dict[Any, str] = {}
    for one in given:
        name, value = pair(one, option)
        if name in found:
            raise InvalidError(f"{option}: {name!r} is given twice")
        found[name] = value
    return found


def ends(given: str | None) -> tuple[str, str] | None:
    """Read a range, ``LOW..HIGH``.

    Raises
    ------
    InvalidError
        When it is not of that shape, or reversed.

    Examples
    --------
    >>> ends("0.5..8")
    ('0.5', '8')
    """
    if given is None:
        return None
    low, dots, high = given.partition("..")
    if not dots or not low or not high:
        raise InvalidError(f"--between: give LOW..HIGH; got {given!r}")
    if number("--between", "LOW", low) > number("--between", "HIGH", high):
        raise InvalidError(f"--between: give LOW..HIGH, the lower end first; got {given!r}")
    return low, high


def search(
    run: Callable[..., Searched], table: str, output: Path | None, *, overwrite: bool
) -> dict[str, Any]:
    """Run a search, and write the release it finds where that is asked for.

    Parameters
    ----------
    run
        The search; takes ``progress``.
    table
        Where the table is.
    output
        The release folder; None to write nothing.
    overwrite
        Replace a release that lies there.

    Returns
    -------
    dict
        What was found, as JSON can hold it.
    """
    from likeness.folder.layout import check_target

    refuse_overwriting_nothing(output, overwrite=overwrite)
    if output is not None:
        check_target(output, overwrite=overwrite, source=table)
    with console.progress() as progress:
        found = run(progress=progress)
        if output is not None:
            progress.step("write", 0, 1)
            found.release.write(output, overwrite=overwrite)
    for line in found.release.warnings:
        console.note(f"warning: {line}")
    return {
        "parameter": found.parameter,
        "value": found.value,
        "next_tried": None if found.next_tried is None else found.next_tried.value,
        "reached": next(one.reached for one in found.tried if one.value == found.value),
        "tried": [
            {"value": one.value, "met": one.met, "reached": one.reached, "problem": one.problem}
            for one in found.tried
        ],
        "classes": found.release.certificate.classes,
        "lines": found.release.verdict.lines(),
        "folder": None if output is None else str(output),
    }


def tell(found: dict[str, Any], word: str) -> list[str]:
    """Write what was found for people.

    Parameters
    ----------
    found
        From `search`.
    word
        ``strongest`` or ``weakest``.
    """
    names = list(found["reached"])
    rows = [[found["parameter"].rpartition(".")[2], *names, ""]]
    for one in sorted(found["tried"], key=lambda one: float(one["value"])):
        cells = [six_digits(one["reached"][name]) if name in one["reached"] else "–" for name in names]
        rows.append([f"{one['value']:g}", *cells, "met" if one["met"] else one["problem"] or "not met"])
    beyond = found["next_tried"]
    limit = "the end of the range that was searched" if beyond is None else f"{beyond:g} was tried and fails"
    classes = count(found["classes"], "equivalence class", "equivalence classes")
    return headed_lines(
        {
            "tried": columns(rows, ""),
            f"{word} found: {found['parameter']} = {found['value']:g} ({limit})": [*found["lines"], classes],
        }
    )


def say(found: dict[str, Any], word: str, *, as_json: bool) -> None:
    """Print what was found.

    Parameters
    ----------
    found
        From `search`.
    word
        ``strongest`` or ``weakest``.
    as_json
        For programs.
    """
    if as_json:
        console.json({name: value for name, value in found.items() if name != "lines"})
    else:
        console.lines(tell(found, word))
    if found["folder"] is None:
        console.say("nothing was written; -o writes the release that was found")
    else:
        console.say(f"next: likeness verify {found['folder']}")
