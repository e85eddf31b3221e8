"""``likeness show``: one part, its parameters, what it promises and where it is from."""

from likeness.cli._command import command as as_command
from likeness.cli._console import console
from likeness.cli._options import Format


def show(name: str, /, *, format: Format = "text") -> None:  # noqa: A002  # the option's name
    """Show a method, model, form, metric, attack or dataset: parameters, defaults, guarantee, source.

    Parameters
    ----------
    name
        As list prints it; kind/name where two kinds have the same, such as models/proximity.

    Examples
    --------
    likeness show burel
    likeness show beta-likeness
    likeness show attacks/linkage --format json
    """
    from likeness.cli._parts import as_text, describe, find

    found = [describe(*place) for place in find(name)]
    if format == "json":
        console.json(found)
        return
    console.lines("\n".join(as_text(part) for part in found).splitlines())


command = as_command(show)
