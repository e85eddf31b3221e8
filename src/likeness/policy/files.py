"""Policy files: YAML or JSON into plain values, with the line of each; and back."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from likeness.errors import PolicyError
from likeness.policy.problems import Entry, Place, line
from likeness.policy.yaml_nodes import Dumper, Loader, Reader

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Document:
    """What a policy file holds.

    Parameters
    ----------
    name
        The file's name, for messages.
    content
        Its keys and values.
    lines
        Line of the file, counted from 1, of every key and item; empty for JSON.
    problems
        Keys given twice.
    """

    name: str
    content: dict[str, Any]
    lines: dict[Place, int] = field(default_factory=dict)
    problems: tuple[Entry, ...] = ()

    def explain(self, entries: Iterable[Entry]) -> tuple[str, ...]:
        """Write problems with the file and the line of each, in the order of the file.

        Examples
        --------
        >>> Document("p.yaml", {}, {("seed",): 4}).explain([Entry(("seed",), "must be at least 0; got -1")])
        ('p.yaml, line 4: seed: must be at least 0; got -1',)
        """
        placed = sorted(((self._line(entry), entry) for entry in entries), key=lambda pair: pair[0])
        return tuple(f"{self._title(at)}{line(entry)}" for at, entry in placed)

    def _title(self, at: int) -> str:
        """Begin a message."""
        return f"{self.name}, line {at}: " if at else f"{self.name}: " if self.name else ""

    def _line(self, entry: Entry) -> int:
        """Line of the entry's key or, failing that, of the nearest place around it; 0 when unknown."""
        place = entry.place if entry.key is None else (*entry.place, entry.key)
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 0)


def read_document(path: str | Path) -> Document:
    """Read a policy file.

    Parameters
    ----------
    path
        YAML, or JSON when its name ends so; UTF-8.

    Raises
    ------
    PolicyError
        In one line: when the file is missing, empty, not UTF-8, not YAML or JSON, or not a mapping.

    Examples
    --------
    >>> read_document("nowhere.yaml")
    Traceback (most recent call last):
    likeness.errors.PolicyError: nowhere.yaml: there is no such policy file (nowhere.yaml)
    """
    path = Path(path)
    content = _decode(path)
    if not content.strip():
        raise PolicyError(f"{path.name}: the file is empty; a policy needs the keys columns and privacy")
    is_json = path.suffix.lower() == ".json"
    return read_json(content, path.name) if is_json else read_yaml(content, path.name)


def read_yaml(text: str, name: str) -> Document:
    """Read YAML text; keys and markers are the texts that stand there, and no text is taken for a truth.

    Raises
    ------
    PolicyError
        When it is not YAML, or not one mapping.

    Examples
    --------
    >>> read_yaml("columns: {no: {role: quasi}, 2020: {role: other}}", "policy.yaml").content["columns"]
    {'no': {'role': 'quasi'}, '2020': {'role': 'other'}}
    >>> read_yaml("columns: [", "policy.yaml")
    Traceback (most recent call last):
    likeness.errors.PolicyError: policy.yaml, line 1, column 11: is not YAML: expected the node content...
    """
    try:
        node = yaml.compose(text, Loader=Loader)
        reader = Reader()
        content = None if node is None else reader.value(node, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        words = " ".join(str(error.problem or error.context).split())
        raise PolicyError(f"{name}{place}: is not YAML: {words}") from None
    except yaml.reader.ReaderError as error:
        at = text.count("\n", 0, error.position) + 1
        raise PolicyError(
            f"{name}, line {at}: is not YAML: {error.reason} (U+{ord(text[error.position]):04X})"
        ) from None
    except RecursionError:
        raise PolicyError(f"{name}: is nested too deeply to be a policy") from None
    if content is None:
        raise PolicyError(f"{name}: holds nothing; a policy needs the keys columns and privacy")
    return Document(name, _mapping(content, name), reader.lines, tuple(reader.problems))


def read_json(text: str, name: str) -> Document:
    """Read JSON text.

    Raises
    ------
    PolicyError
        When it is not JSON, or not an object.

    Examples
    --------
    >>> read_json('{"seed": 7}', "policy.json").content
    {'seed': 7}
    """
    twice: list[Entry] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            times = Counter(key for key, _ in pairs)
            twice.extend(Entry((), f"the key {key!r} is given twice") for key in found if times[key] > 1)
        return found

    try:
        content = json.loads(text, object_pairs_hook=collect)
    except json.JSONDecodeError as error:
        raise PolicyError(
            f"{name}, line {error.lineno}, column {error.colno}: is not JSON: {error.msg}"
        ) from None
    except (RecursionError, ValueError) as error:
        words = (
            "it is nested too deeply" if isinstance(error, RecursionError) else "a number has too many digits"
        )
        raise PolicyError(f"{name}: is no policy: {words}") from None
    return Document(name, _mapping(content, name), problems=tuple(twice))


def write_yaml(content: dict[str, Any]) -> str:
    """Write the content of a policy as YAML that reads back the same.

    Examples
    --------
    >>> print(write_yaml({"columns": {"no": {"role": "quasi"}}, "seed": 7}), end="")
    columns:
      'no': {role: quasi}
    seed: 7
    """
    text: str = yaml.dump(
        content, Dumper=Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110
    )
    return text


def _mapping(content: Any, name: str) -> dict[str, Any]:
    """Refuse what is no mapping."""
    if isinstance(content, dict):
        return content
    what = "a list" if isinstance(content, list) else "a single value"
    raise PolicyError(f"{name}: holds {what}; a policy is a mapping with the keys columns and privacy")


def _decode(path: Path) -> str:
    """Text of a file, or why there is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise PolicyError(f"{path.name}: there is no such policy file ({path})") from None
    except IsADirectoryError:
        raise PolicyError(f"{path.name}: is a folder; give the policy file in it") from None
    except OSError as error:
        raise PolicyError(f"{path.name}: cannot be read ({error.strerror or error}): {path}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = data.count(b"\n", 0, error.start) + 1
        raise PolicyError(
            f"{path.name}, line {at}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None
