"""The commands, and what every one of them understands."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Group, Parameter

from likeness._version import __version__
from likeness.cli._console import console

COMMANDS = (
    "demo",
    "profile",
    "check",
    "anonymize",
    "verify",
    "measure",
    "attack",
    "generate",
    "list",
    "show",
    "schema",
    "warmup",
)
"""In the order of a steward's work; each is the file of its name."""

ANYWHERE = Group("Anywhere", sort_key=99)

app = App(
    name="likeness",
    version=__version__,
    help="Publish tables about people with a proven privacy guarantee at the least loss of information.",
    help_format="plaintext",
    help_epilogue=(
        "Begin with:  likeness demo\n"
        "Your table:  likeness profile patients.csv -o policy.yaml; likeness check patients.csv policy.yaml;\n"
        "             likeness anonymize patients.csv policy.yaml -o out/; likeness verify out/\n"
        "\n"
        "Exit codes: 0 done and verified, 1 a verification or threshold failed, 2 invalid whatever the data,\n"
        "3 this table cannot meet it, 70 a defect of likeness, 130 interrupted.\n"
        "Messages go to stderr, what was asked for to stdout."
    ),
    default_parameter=Parameter(negative=()),
    result_action="return_value",
)
app.meta.default_parameter = Parameter(negative=())
for _place, _name in enumerate(COMMANDS):
    app.command(f"likeness.cli.{_name}:command", name=_name, sort_key=_place)


@app.meta.default
def launch(
    *tokens: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    quiet: Annotated[bool, Parameter(group=ANYWHERE)] = False,
    traceback: Annotated[bool, Parameter(group=ANYWHERE)] = False,
) -> object:
    """Run a command.

    Parameters
    ----------
    quiet
        Say nothing but errors and what was asked for.
    traceback
        Show where an error comes from; also by the environment: LIKENESS_TRACEBACK=1.
    """
    console.quiet = quiet
    console.tracebacks = console.tracebacks or traceback
    return app(tokens, exit_on_error=False, print_error=False)
