"""``likeness verify``: prove a release again from its files."""

from pathlib import Path

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import AS_FOUND, EngineName, FolderPath, Format, Reading

EXIT_CODES = {"proven": 0, "proven in part": 0, "failed": 1, "nothing checkable": 4}


def verify(
    folder: FolderPath,
    /,
    *,
    original: str | None = None,
    policy: Path | None = None,
    engine: EngineName = None,
    ledger: Path | None = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
) -> int:
    """Prove the guarantee of a release again, from its files alone.

    Exit code 0: proven, at least in part; 1: something is wrong, or another version of likeness wrote it in a format that
    only that one reads (it says which); 4: nothing was found wrong, but from these files nothing could be checked, as only
    the steward can check any of it.

    From public/ alone anyone proves the guarantee and that the certificate claims no more. With private/ beside it, also
    that nothing was changed since; with the original, that every published row is a correct generalization of a record and
    that none was lost or invented. It never says more than it proved.

    Parameters
    ----------
    original
        The table the release was made from; needs private/, which knows how it was read then: so it is read, unless an option
        says how.
    policy
        What must have been asked for; what the files say when left out.
    ledger
        The ledger that the release was entered into: whether everybody's possible values are those of all its releases; needs
        the original.

    Examples
    --------
    likeness verify out/
    likeness verify out/public
    likeness verify out/ --original patients.csv --format json
    likeness verify out/ --original 'visits/*.parquet' --engine streaming
    likeness verify 2025/ --original 2025.csv --ledger ledger.json
    """
    from likeness.cli._making import judged
    from likeness.engines.base import engine_for
    from likeness.folder import verify as prove_folder

    with console.progress() as progress:
        whole = original is None or engine_for(original, engine).whole
        table = None if original is None else reading.again(original) if whole else original
        verdict = prove_folder(folder, table, policy=policy, ledger=ledger, engine=engine, progress=progress)
    if format == "json":
        console.json({"folder": str(folder), **judged(verdict)})
    else:
        console.lines(repr(verdict).splitlines())
    return EXIT_CODES[verdict.status]


command = as_command(verify)
