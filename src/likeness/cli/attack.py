"""``likeness attack``: what an adversary gets out of a release."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console, number
from likeness.cli._options import AS_FOUND, FolderPath, Format, Original, Reading, pair, part
from likeness.errors import InvalidError, Refusal, suggestion
from likeness.wording import columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from fractions import Fraction

    from likeness.attacks.base import Attack, AttackResult, AttackResults
    from likeness.release import Release

BEFORE = "_before"
"""How the details of an attack name what the original allows."""
EXPLAINED = {"gain": "success less baseline", "targets": "records or people attacked"}
"""What is the same for all attacks."""
NO_GAIN = "success is not above the baseline: the release gives this adversary nothing"


def make(given: Iterable[str]) -> list[Attack]:
    """Make attacks of ``NAME`` or ``NAME:key=value,…``; all there are when none is given.

    Raises
    ------
    PolicyError
        When there is no such attack or parameter.
    """
    from likeness import registry

    asked = [part(one) for one in given] or [(name, {}) for name in registry.names("attacks")]
    return [registry.create("attacks", name, parameters) for name, parameters in asked]


def limits(given: Iterable[str], attacks: Iterable[Attack]) -> dict[str, Fraction]:
    """Read thresholds, ``VALUE`` for all attacks or ``NAME=VALUE`` for one; of an attack's the lowest holds.

    Raises
    ------
    InvalidError
        When one is no number from 0 to 1, or names an attack that is not run.

    Examples
    --------
    >>> limits(["0.5", "linkage=0.2"], make(["linkage", "skewness"]))
    {'linkage': Fraction(1, 5), 'skewness': Fraction(1, 2)}
    """
    from likeness.cli.measure import threshold

    names = [attack.name for attack in attacks]
    found: dict[str, Fraction] = {}
    for one in given:
        name, value = pair(one, "--at-most") if "=" in one else (None, one)
        if name is not None and name not in names:
            raise InvalidError(f"--at-most: {one!r}: no such attack is run{suggestion(name, names)}")
        limit = threshold(value, one)
        if not 0 <= limit <= 1:
            raise InvalidError(f"--at-most: {one!r}: a success is a number from 0 to 1")
        for own in names if name is None else [name]:
            found[own] = min(limit, found.get(own, limit))
    return found


def left_out(refusals: Mapping[str, Iterable[Refusal]]) -> list[str]:
    """Say which attacks were not run, each reason once.

    >>> left_out({"a": [Refusal("needs people", ("a",))], "b": [Refusal("needs people", ("b",))]})
    ['a, b (needs people)']
    """
    names: dict[str, list[str]] = {}
    for name, those in refusals.items():
        names.setdefault(" ".join(refusal.sentence for refusal in those), []).append(name)
    return [f"{', '.join(those)} ({why})" for why, those in names.items()]


def as_json(result: AttackResult) -> dict[str, Any]:
    """Write a result as JSON can hold it."""
    return {
        "attack": result.attack,
        "success": result.success,
        "baseline": result.baseline,
        "gain": result.gain,
        "meaning": result.meaning,
        "details": result.details,
        **({"claim": result.claim} if result.claim else {}),
    }


def as_text(results: Iterable[AttackResult]) -> list[str]:
    """Write results for people: every figure, what the original allows where that is known, and what it means."""
    from likeness import registry

    lines: list[str] = []
    for result in results:
        explained = EXPLAINED | dict(registry.load("attacks", result.attack).explained)
        if result.gain <= 0:
            explained["gain"] = NO_GAIN
        figures = {"success": result.success, "baseline": result.baseline, "gain": result.gain}
        known = {name: value for name, value in result.details.items() if name.endswith(BEFORE)}
        figures |= {name: value for name, value in result.details.items() if name not in known}
        lines += ["", f"{result.attack}: {result.meaning}", *_table(figures, known, explained)]
        if result.claim:
            lines.append(result.claim)
    return lines[1:]


def _table(
    figures: Mapping[str, float], known: Mapping[str, float], explained: Mapping[str, str]
) -> list[str]:
    """One line per figure; the original's beside it where there are any."""
    rows = [["", "release", "original", ""]] if known else []
    for name, value in figures.items():
        before = known.get(f"{name}{BEFORE}")
        original = [] if not known else ["" if before is None else number(before)]
        shown = "none" if name == "gain" and value <= 0 else number(value)
        rows.append([name.replace("_", " "), shown, *original, explained.get(name, "")])
    return columns(rows)


def _earlier(
    folders: list[Path], originals: list[str], on: str | None, reading: Reading
) -> list[Path] | list[Release]:
    """Take earlier releases: their folders, or, where people are known by a column, opened beside their originals."""
    from likeness.opening import open_release

    if on is not None and len(originals) != len(folders):
        raise InvalidError(
            f"--on: needs the original of every earlier release; {len(folders)} --earlier and {len(originals)} "
            "--earlier-original are given"
        )
    if on is None:
        if originals:
            raise InvalidError("--earlier-original: is read only with --on, the column that names people")
        return folders
    return [open_release(folder, reading.again(own)) for folder, own in zip(folders, originals, strict=True)]


def _takers(attacks: Iterable[Attack], given: Mapping[str, Callable[[Attack], bool]]) -> dict[str, list[str]]:
    """Which of the attacks take what each option gives; refuses one that is for none of them."""
    found = {}
    for option, takes in given.items():
        found[option] = [one.name for one in attacks if takes(one)]
        if not found[option]:
            able = [one.name for one in make([]) if takes(one)]
            raise InvalidError(f"{option}: none of these attacks takes it; those that do: {', '.join(able)}")
    return found


def _unjudged(found: AttackResults, at_most: Iterable[str], takers: Mapping[str, Iterable[str]]) -> list[str]:
    """Say what was asked for of attacks that were left out: a threshold of one, or an option that is for these alone."""
    why = {name: " ".join(one.sentence for one in those) for name, those in found.refusals.items()}
    named = dict.fromkeys(pair(one, "--at-most")[0] for one in at_most if "=" in one)
    lines = [
        f"--at-most: {name} was left out ({why[name]}), so its threshold says nothing"
        for name in named
        if name in why
    ]
    for option, names in takers.items():
        if all(name in why for name in names):
            lines += [f"{option}: {name} was left out ({why[name]})" for name in names if name not in named]
    return lines


def _with_earlier(attack: Attack, earlier: list[Path] | list[Release], on: str | None) -> Attack:
    """Give an attack the earlier releases, where it puts releases together and names none itself."""
    from likeness import registry

    if not attack.takes_earlier or not earlier:
        return attack
    given = {**registry.parameters(attack), "earlier": earlier, "on": on}
    made: Attack = registry.create("attacks", attack.name, given)
    return made


def attack(
    folder: FolderPath,
    /,
    *,
    original: Original,
    policy: Path | None = None,
    attack: Annotated[list[str] | None, Parameter(name="--attack")] = None,
    at_most: Annotated[list[str] | None, Parameter(name="--at-most")] = None,
    knowledge: Path | None = None,
    earlier: Annotated[list[Path] | None, Parameter(name="--earlier")] = None,
    earlier_original: Annotated[list[str] | None, Parameter(name="--earlier-original")] = None,
    on: str | None = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
) -> int:
    """Attack a release with every attack that is defined for it: what it gives an adversary, beside doing without it.

    The release is verified first. The original says what the people look like whom the adversary knows, and whether a guess
    was right. An adversary who knows how the release was made needs its private/.

    Parameters
    ----------
    policy
        What the columns are, where private/ is not there to say it.
    attack
        Only this attack, as NAME or NAME:key=value,…; may be given several times. Without it, attacks that are not
        defined for the release are left out, and said to be.
    at_most
        A threshold for the success, from 0 to 1, of all attacks, or NAME=VALUE of one; may be given several times. Exit
        code 1 when one is exceeded.
    knowledge
        A file whose key knowledge says, as in a policy, what an adversary knows beforehand instead of what the policy of the
        release says; for attacks of such adversaries.
    earlier
        An earlier release of the same people, a folder or its public/ alone: what all releases tell together (the attack
        composition); may be given several times.
    earlier_original
        The table that an earlier release was made from, one for each --earlier in their order; read as the original is. Only
        with --on.
    on
        The column that tells whose a record is in all originals: the adversary knows who was in which table.

    Examples
    --------
    likeness attack out/ --original patients.csv
    likeness attack out/ --original patients.csv --attack linkage:targets=1000,seed=3 --attack skewness
    likeness attack out/public --original patients.csv --policy policy.yaml --at-most linkage=0.2
    likeness attack out/ --original patients.csv --attack background-knowledge --knowledge insurer.yaml
    likeness attack out/ --original patients.csv --earlier ../2024/out --earlier ../2023/out
    """
    from likeness.attacks.base import AttackResults
    from likeness.cli._console import beyond
    from likeness.exact import rational
    from likeness.opening import open_release

    attacks = make(attack or [])
    allowed = limits(at_most or [], attacks)
    knowing, joining = attrgetter("takes_knowledge"), attrgetter("takes_earlier")
    options = (("--knowledge", knowledge, knowing), ("--earlier", earlier, joining), ("--on", on, joining))
    takers = _takers(attacks, {option: takes for option, value, takes in options if value is not None})
    before = _earlier(earlier or [], earlier_original or [], on, reading)
    attacks = [_with_earlier(one, before, on) for one in attacks]
    release = open_release(folder, reading.again(original), policy=policy)
    found = AttackResults()
    if not attack:
        found = release.attack_all(knowledge, before, on)
    results = [release.attack(one, knowledge) for one in attacks] if attack else [*found.values()]
    exceeded = [
        one for one in results if one.attack in allowed and rational(one.success) > allowed[one.attack]
    ]
    if format == "json":
        console.json([as_json(one) for one in results])
    else:
        console.lines(as_text(results))
    if found.refusals:
        console.say(f"note: left out: {', '.join(left_out(found.refusals))}")
    for one in exceeded:
        success, limit = beyond(one.success, float(allowed[one.attack]))
        console.error(f"{one.attack} succeeds at {success}, above the threshold {limit}")
    unjudged = _unjudged(found, at_most or [], takers)
    for line in unjudged:
        console.error(line)
    return 2 if unjudged else 1 if exceeded else 0


command = as_command(attack)
