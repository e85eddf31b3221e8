"""``likeness generate``: a realistic table about invented people, with everything that belongs to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import Overwrite
from likeness.errors import LikenessError, OutputError

if TYPE_CHECKING:
    import polars as pl

FORMATS: dict[str, Literal["csv", "parquet"]] = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}


def check_output(path: Path) -> None:
    """Refuse a file that is neither CSV nor Parquet.

    Raises
    ------
    OutputError
        Saying so.
    """
    if path.suffix.lower() not in FORMATS:
        raise OutputError(f"{path}: unknown extension {path.suffix!r}; known: {', '.join(FORMATS)}")


def belongings(
    dataset: Any, table: Path, rows: int | None = None, seed: int = 0
) -> tuple[dict[Path, str], Path | None]:
    """Say what belongs to a generated table: hierarchies, categories, tables beside it, and the policy that is ready for it.

    A hierarchy whose name is taken by another file, as that of another dataset's policy, gets that of the table before it.

    Parameters
    ----------
    dataset
        What generated it.
    table
        Where it goes; the others go beside it.
    rows, seed
        What it was generated with.

    Returns
    -------
    tuple
        Path to text; and the policy's path, None when this version cannot use that policy.
    """
    from likeness.policy.files import write_yaml

    hierarchies = dataset.hierarchies()
    texts, names = {}, {}
    for name, lines in hierarchies.items():
        text = _arx(lines)
        taken = (table.parent / name).exists() and not _holds(table.parent / name, text)
        names[name] = f"{table.stem}-{name}" if taken else name
        texts[table.parent / names[name]] = text
    for name, lines in dataset.categories().items():
        names[name] = f"{table.stem}-{name}"
        texts[table.parent / names[name]] = _arx(lines)
    for key, frame in dataset.beside(rows, seed).items():
        names[f"{key}.csv"] = f"{table.stem}-{key}.csv"
        texts[table.parent / names[f"{key}.csv"]] = frame.write_csv()
    given = dataset.policy()
    if given is None or not _usable(given):
        return texts, None
    if "knowledge" in given:
        given["knowledge"] = {
            key: names.get(file, file) if isinstance(file, str) else file
            for key, file in given["knowledge"].items()
        }
    if "categories" in given:
        given["categories"] = {column: names.get(file, file) for column, file in given["categories"].items()}
    for column in given["columns"].values():
        if isinstance(column.get("hierarchy"), str):
            column["hierarchy"] = names.get(column["hierarchy"], column["hierarchy"])
    policy = table.with_name(f"{table.stem}-policy.yaml")
    return texts | {policy: write_yaml(given)}, policy


def put(frame: pl.DataFrame, table: Path, texts: dict[Path, str], *, overwrite: bool) -> list[Path]:
    """Write a table and what belongs to it: all of it or, when something must not be replaced, nothing.

    Parameters
    ----------
    frame, table
        The table and its file.
    texts
        Path to text of the other files; one that holds just that already is left as it is.
    overwrite
        Replace what is there.

    Returns
    -------
    list
        The files that were written.

    Raises
    ------
    OutputError
        With one line for every file that cannot be written.
    """
    from likeness.placing import as_text, check_file, write_files
    from likeness.tables import write

    missing = {path: text for path, text in texts.items() if not _holds(path, text)}
    problems: list[str] = []
    for path in (table, *missing):
        try:
            check_file(path, overwrite=overwrite)
        except OutputError as problem:
            problems += problem.problems
    if problems:
        raise OutputError(*problems)
    kind = FORMATS[table.suffix.lower()]
    columns = {name: frame[name] for name in frame.columns}
    writers = {path: as_text(text) for path, text in missing.items()}
    write_files({table: lambda stage: write(columns, stage, kind)} | writers, overwrite=overwrite)
    return [table, *missing]


def _holds(path: Path, text: str) -> bool:
    """Whether a file holds a text already."""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _usable(policy: dict[str, Any]) -> bool:
    """Whether this version can anonymize by a policy."""
    from likeness.policy import Policy

    try:
        Policy.from_mapping(policy)
    except LikenessError:
        return False
    return True


def _arx(rows: list[list[str]]) -> str:
    """Write a hierarchy as ARX does, one line a leaf, or categories, one line each."""
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(rows)
    return text.getvalue()


def generate(
    name: str,
    /,
    *,
    rows: int | None = None,
    seed: int = 0,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    overwrite: Overwrite = False,
) -> None:
    """Generate a table about invented people; the same rows and seed give the same table, on any machine.

    With -o its hierarchies and a policy that is ready for it are written beside it, the policy as FILE-policy.yaml; of a dataset
    that has some, other files too, such as FILE-knowledge.csv and FILE-categories.csv.

    Parameters
    ----------
    name
        A dataset, as list datasets prints it, or NAME:key=value,… with its parameters.
    rows
        How many records; what the dataset says when left out.
    seed
        Which table; at least 0.
    output
        .csv or .parquet; stdout gets CSV when left out.

    Examples
    --------
    likeness generate hospital --rows 100000 -o hospital.csv
    likeness generate census -o census.parquet
    likeness generate hospital --rows 5
    """
    from likeness import registry
    from likeness.cli._options import part, refuse_overwriting_nothing

    refuse_overwriting_nothing(output, overwrite=overwrite)
    dataset = registry.create("datasets", *part(name))
    if output is not None:
        check_output(output)
    frame = dataset.generate(rows, seed)
    if output is None:
        console.data(frame.write_csv())
        return
    texts, policy = belongings(dataset, output, rows, seed)
    written = put(frame, output, texts, overwrite=overwrite)
    console.say(f"wrote {', '.join(map(str, written))}")
    if policy is None:
        console.say("no policy was written: the guarantee that suits this table comes with a later version")
    else:
        console.say(f"next: likeness check {output} {policy}")


command = as_command(generate)
