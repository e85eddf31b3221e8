"""``likeness dossier``: the document that an agency asks for, filled in as far as it is known."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import AS_FOUND, FolderPath, Original, Overwrite, Reading
from likeness.errors import OutputError

if TYPE_CHECKING:
    from likeness.dossier.base import Dossier

PAGES = (".html", ".docx")


def dossier(
    folder: FolderPath,
    /,
    *,
    kind: Annotated[str, Parameter(name="--for")],
    original: Original,
    output: Annotated[Path, Parameter(name=["--output", "-o"], allow_leading_hyphen=True)],
    population: str | None = None,
    sampling_fraction: float | None = None,
    control: str | None = None,
    hold_out: float | None = None,
    targets: int = 2_000,
    seed: int = 0,
    overwrite: Overwrite = False,
    reading: Reading = AS_FOUND,
) -> None:
    """Write the document that an agency asks for: every figure with the place it stands in, every open question left open.

    It is private. What likeness cannot know is left as a field to fill in, never answered. Beside it, ``risk.json`` has the
    figures of risk that it refers to; dossiers in one folder share it, where these are the same.

    Parameters
    ----------
    kind
        For whom: ema (Policy 0070), hipaa (Expert Determination), 27559 (ISO/IEC), 800-188 (NIST) or wp216.
    output
        A file, .html or .docx (Word, pip install likeness[word]); not in public/.
    population
        A table of the population that the people are from, as for likeness risk.
    sampling_fraction
        Instead of it, how large a share of the population the original is.
    control
        A table of people who are not in the release.
    hold_out
        Instead of it, hold out this share of the people, as likeness risk does.
    targets
        How many people singling out, linkability and inference are tried on.
    seed
        Which ones, and who is held out.

    Examples
    --------
    likeness dossier out/ --for ema --original patients.csv --sampling-fraction 0.1 -o ema.html
    likeness dossier out/ --for hipaa --original patients.csv -o hipaa.docx
    """
    from likeness.cli.risk import RiskOptions
    from likeness.dossier.base import refuse_unknown
    from likeness.folder.layout import refuse_in_release
    from likeness.opening import open_release
    from likeness.placing import as_text, check_file, write_files

    refuse_unknown(kind)
    if output.suffix not in PAGES:
        raise OutputError(
            f"{output}: a dossier is a page or a Word document; name a file that ends in .html or .docx"
        )
    refuse_in_release(output, "a dossier is private")
    beside = output.with_name("risk.json")
    check_file(output, overwrite=overwrite)
    # That of another dossier of the release may say the same.
    check_file(beside, overwrite=True)
    release = open_release(folder, reading.again(original))
    found = RiskOptions(population, sampling_fraction, control, hold_out, (), targets, seed).of(release)
    made = release.dossier(kind, found)
    told = f"{json.dumps(found.to_json(), indent=2, ensure_ascii=False, allow_nan=False)}\n"
    kept = beside.exists() and not overwrite
    if kept and beside.read_bytes() != told.encode():
        raise OutputError(
            f"{beside}: already exists, with other figures; say --overwrite to replace it, or write to another folder"
        )
    page: Any = as_text(made.to_html()) if output.suffix == ".html" else partial(_docx, made)
    write_files({output: page} | ({} if kept else {beside: as_text(told)}), overwrite=overwrite)
    console.say(
        f"wrote {output} and {beside}, private both; {len(made.open_questions)} questions in it are for you to answer"
    )


def _docx(made: Dossier, path: Path) -> None:
    """Write a Word document where it is staged."""
    made.write_docx(path)


command = as_command(dossier)
