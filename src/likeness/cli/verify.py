"""``likeness verify``: prove a release again from its files."""

from pathlib import Path

from likeness.cli._command import command as as_command
from likeness.cli._console import console
from likeness.cli._options import AS_FOUND, FolderPath, Format, Reading


def verify(
    folder: FolderPath,
    /,
    *,
    original: Path | None = None,
    policy: Path | None = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
) -> int:
    """Prove the guarantee of a release again, from its files alone; exit code 1 when anything is wrong.

    From public/ alone anyone proves the guarantee and that the certificate claims no more. With private/ beside it, also
    that nothing was changed since; with the original, that every published row is a correct generalization of a record and
    that none was lost or invented. It never says more than it proved.

    Parameters
    ----------
    original
        The table the release was made from; needs private/.
    policy
        What must have been asked for; what the files say when left out.

    Examples
    --------
    likeness verify out/
    likeness verify out/public
    likeness verify out/ --original patients.csv --format json
    """
    from likeness.cli._summary import judged
    from likeness.folder import verify as prove_folder

    verdict = prove_folder(folder, None if original is None else reading.read(original), policy=policy)
    if format == "json":
        console.json({"folder": str(folder), **judged(verdict)})
    else:
        console.lines(repr(verdict).splitlines())
    return 0 if verdict.ok else 1


command = as_command(verify)
