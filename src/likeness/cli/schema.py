"""``likeness schema``: what a policy file may hold."""

from likeness.cli._app import command as as_command
from likeness.cli._console import console


def schema() -> None:
    """Print the JSON Schema of policy files, with every part there is.

    Editors that know it complete and check policy files.

    Examples
    --------
    likeness schema > policy.schema.json
    """
    from likeness.policy import Policy

    console.json(Policy.json_schema())


command = as_command(schema)
