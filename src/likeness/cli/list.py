"""``likeness list``: what there is."""

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import Format

KIND_SUMMARIES = {
    "methods": "how classes are found",
    "models": "what is guaranteed",
    "forms": "how a release is published",
    "metrics": "what is lost",
    "attacks": "what an adversary tries",
    "datasets": "tables to generate",
    "knowledge": "what an adversary may know beforehand",
    "engines": "where counting runs",
}


def list_(kind: str | None = None, /, *, format: Format = "text") -> None:  # noqa: A002  # the option's name
    """List methods, models, forms, metrics, attacks, datasets, sources of knowledge or engines, one a line.

    Parameters
    ----------
    kind
        methods, models, forms, metrics, attacks, datasets, knowledge or engines; the kinds themselves when left out.

    Examples
    --------
    likeness list models
    likeness list methods --format json
    """
    from likeness import registry

    if kind is None:
        found = {name: f"{text} ({len(registry.names(name))})" for name, text in KIND_SUMMARIES.items()}
    else:
        found = {name: registry.summary(kind, name) for name in registry.names(kind)}
    if format == "json":
        console.json([{"name": name, "summary": summary} for name, summary in found.items()])
        return
    width = max(map(len, found), default=0)
    for name, summary in found.items():
        console.data(f"{name.ljust(width)}  {summary}".rstrip())


command = as_command(list_)
