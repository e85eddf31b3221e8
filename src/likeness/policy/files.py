"""Policy files: YAML or JSON into plain values, with the line of each; and back.

YAML as policies need it: texts stay texts.

YAML 1.1, which PyYAML reads, takes ``no`` for false, ``012`` for ten and ``12:30`` for 750. In a policy
these are codes of countries, ZIP codes and times. Here only ``true`` and ``false`` are truths, and numbers
are plain decimal ones. Keys, markers of missing values and labels of hierarchies are always the text that
stands there.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import yaml

from likeness.errors import PolicyError, Refusal
from likeness.policy.hierarchy import RULES
from likeness.policy.problems import Entry, Place, refused
from likeness.policy.values import LISTS
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Mode = Literal["plain", "name", "text"]
_MOST_REPEATED = 200_000
"""A file whose aliases and merges (``<<``) write out more nodes than this again is refused rather than written out."""

MOST_NODES = 300_000
"""A file of more keys and values than this is refused: each takes a kilobyte and a tenth of a millisecond."""

_TOO_MUCH = "an alias repeats what it stands in, or far too much"

_TAG = "tag:yaml.org,2002:"
_PATTERNS = {
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": (r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    "float": (
        r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf)|\.nan",
        "-+.0123456789",
    ),
    "timestamp": (r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "0123456789"),
    "null": (r"~|null|Null|NULL|", "~nN\0"),
    "merge": (r"<<", "<"),
}

LARGEST = 1 << 22
"""Bytes of a policy file that are read: room for lists of a hundred thousand values. Reading YAML takes far more time and memory
than its size tells."""


class Loader(yaml.SafeLoader):
    """Composes nodes whose plain scalars are resolved by the patterns above."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  # PyYAML's own way
    _nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose a node, unless there are more than any policy has."""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise yaml.MarkedYAMLError(
                problem=f"more than {MOST_NODES:,} keys and values; put hierarchies into files of their own",
                problem_mark=self.get_mark(),
            )
        return super().compose_node(parent, index)


class Dumper(yaml.SafeDumper):
    """Quotes a text whenever this loader or a plain YAML 1.1 one would take it for something else."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # PyYAML's own way
        first: list(resolvers) for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
    }

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # PyYAML's signature
        """Write equal values out instead of naming them."""
        return True

    def analyze_scalar(self, scalar: str) -> Any:
        """Keep rare line breaks, which only escapes in double quotes keep."""
        analysis = super().analyze_scalar(scalar)
        if any(rare in scalar for rare in "\x85\u2028\u2029"):
            analysis.allow_single_quoted = analysis.allow_block = False
        return analysis


for _name, (_pattern, _first) in _PATTERNS.items():
    for _class in (Loader, Dumper):
        _class.add_implicit_resolver(
            _TAG + _name, re.compile(f"(?:{_pattern})\\Z"), ["" if c == "\0" else c for c in _first]
        )


class Reader:
    """One walk over the nodes of a document.

    ``lines``: line, from 1, of every key and item. ``problems``: keys that are given twice.
    """

    def __init__(self) -> None:
        self.lines: dict[Place, int] = {}
        self.problems: list[Entry] = []
        self._open: set[int] = set()
        self._seen: set[int] = set()
        self._repeated = 0

    def value(self, node: yaml.Node, place: Place, mode: Mode = "plain") -> Any:
        """Make the plain value of a node; ``place`` are the keys and positions that lead to it.

        ``mode``: ``plain``, scalars by their patterns; ``name``, texts, but nulls are null; ``text``, texts.
        Raises `yaml.MarkedYAMLError` for keys that are no scalars, unknown tags, and aliases that contain themselves or repeat
        too much.
        """
        if id(node) in self._open:
            raise _problem(node, _TOO_MUCH)
        if id(node) in self._seen:
            self._repeat(node)
        self._seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            return node.value if mode == "text" or (mode == "name" and not _is_null(node)) else _scalar(node)
        if node.tag not in {f"{_TAG}map", f"{_TAG}seq"}:
            raise _problem(node, f"the tag {node.tag!r} means nothing in a policy")
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.SequenceNode):
                return [self._item(item, (*place, i), mode) for i, item in enumerate(node.value)]
            return self._mapping(node, place, mode)
        finally:
            self._open.discard(id(node))

    def _repeat(self, node: yaml.Node) -> None:
        """Count a node that was met before."""
        self._repeated += 1
        if self._repeated > _MOST_REPEATED:
            raise _problem(node, _TOO_MUCH)

    def _item(self, node: yaml.Node, place: Place, mode: Mode) -> Any:
        """One item of a sequence."""
        self.lines[place] = _line(node)
        return self.value(node, place, mode)

    def _mapping(self, node: yaml.Node, place: Place, mode: Mode) -> dict[str, Any]:
        """Make a mapping with texts as keys."""
        found: dict[str, Any] = {}
        own: dict[str, int] = {}
        pairs = list(self._pairs(node, frozenset(self._open), set()))
        below = {key.value: value for key, value, _ in reversed(pairs)}
        for key, value, is_own in pairs:
            name = key.value
            if name in own:
                if is_own:
                    self.problems.append(_twice((*place, name), own[name], _line(key)))
                continue
            if is_own:
                own[name] = _line(key)
            elif name in found:
                continue
            self.lines[(*place, name)] = _line(key)
            if mode == "text":
                found[name] = None if _is_null(value) else self.value(value, (*place, name), mode)
            else:
                found[name] = self.value(value, (*place, name), _mode((*place, name), below))
        return found

    def _pairs(
        self, node: yaml.Node, above: frozenset[int], merged: set[int]
    ) -> Iterator[tuple[yaml.ScalarNode, yaml.Node, bool]]:
        """Pairs of a mapping, its own first (True), then those it merges (``<<``).

        Each mapping is merged once: again it would bring the same keys, and of equal keys the first counts.
        """
        sources: list[yaml.Node] = []
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _problem(key, "a key must be a text")
            if key.tag == f"{_TAG}merge":
                sources += value.value if isinstance(value, yaml.SequenceNode) else [value]
            else:
                yield key, value, True
        for source in sources:
            if not isinstance(source, yaml.MappingNode) or id(source) in above:
                raise _problem(source, "<< merges mappings")
            self._repeat(source)
            if id(source) in merged:
                continue
            merged.add(id(source))
            for key, value, _ in self._pairs(source, above | {id(source)}, merged):
                self._repeat(key)
                yield key, value, False


def _mode(place: Place, siblings: dict[str, yaml.Node]) -> Mode:
    """How the scalars of a value are read, from where it stands."""
    match place:
        case (
            ("missing", "markers") | ("records", "missing", "markers") | ("columns", _, "missing", "markers")
        ):
            return "text"
        case ("records", "header"):
            return "text" if isinstance(siblings["header"], yaml.SequenceNode) else "plain"
        case ("records", "missing"):
            return "plain"
        case ("columns", _, "hierarchy"):
            node = siblings["hierarchy"]
            if isinstance(node, yaml.MappingNode):
                keys = {key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)}
                return "plain" if keys & RULES.keys() else "text"
            return "text" if isinstance(node, yaml.SequenceNode) else "name"
        case ("columns", _, "domain"):
            kind = siblings.get("kind")
            return "text" if isinstance(kind, yaml.ScalarNode) and kind.value in LISTS else "plain"
        case ("categories", name):
            return "text" if isinstance(siblings[str(name)], yaml.MappingNode) else "name"
        case ("individual" | "weights",) | ("records", _):
            return "name"
        case ("minimize", "of"):
            return "name"
        case ("privacy", "sensitive") | ("privacy", int(), "sensitive"):
            return "name"
        case (
            ("knowledge", _)
            | ("knowledge", int(), _)
            | ("knowledge", *_, "from" | "file" | "folder" | "earlier" | "on")
        ):
            return "name"
    return "plain"


def _scalar(node: yaml.ScalarNode) -> Any:
    """Value of a scalar; a number or date that cannot be stays the text it is, for the policy to refuse."""
    text = str(node.value)
    kind = node.tag.removeprefix(_TAG)
    if kind in {"str", "merge"}:
        return text
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if kind not in {"int", "float", "timestamp"}:
        raise _problem(node, f"the tag {node.tag!r} means nothing in a policy")
    try:
        if kind == "timestamp":
            return date.fromisoformat(text)
        return int(text) if kind == "int" else float(text.replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError:
        return text


def _is_null(node: yaml.Node) -> bool:
    """Whether a node is null, or nothing at all."""
    return isinstance(node, yaml.ScalarNode) and node.tag == f"{_TAG}null"


def _twice(place: Place, first: int, again: int) -> Entry:
    """Say that a key is given twice."""
    what = "a column has one role" if len(place) == 2 and place[0] == "columns" else "keep one of them"
    name = str(place[-1])
    return Entry(place[:-1], f"{name!r} is given twice, in line {first} and in line {again}; {what}", name)


def _line(node: yaml.Node) -> int:
    """Line on which a node begins, from 1."""
    return int(node.start_mark.line) + 1


def _problem(node: yaml.Node, words: str) -> yaml.MarkedYAMLError:
    """Make an error like those of the parser."""
    return yaml.MarkedYAMLError(problem=words, problem_mark=node.start_mark)


@dataclass(frozen=True)
class Document:
    """What a policy file holds.

    ``lines``: line of the file, from 1, of every key and item; empty for JSON. ``problems``: keys given twice.
    """

    name: str
    content: dict[str, Any]
    lines: dict[Place, int] = field(default_factory=dict)
    problems: tuple[Entry, ...] = ()

    def explain(self, entries: Iterable[Entry]) -> tuple[Refusal, ...]:
        """Refuse problems with the file and the line of each, in the order of the file.

        >>> found, = Document("p.yaml", {}, {("seed",): 4}).explain([Entry(("seed",), "must be at least 0; got -1")])
        >>> str(found), found.where
        ('p.yaml, line 4: seed: must be at least 0; got -1', ('p.yaml, line 4', 'seed'))
        """
        placed = sorted(((self._line(entry), entry) for entry in entries), key=lambda pair: pair[0])
        return tuple(
            refused(entry).within(self._title(at)) if self._title(at) else refused(entry)
            for at, entry in placed
        )

    def _title(self, at: int) -> str:
        """Name the file, and the line where it is known."""
        return f"{self.name}, line {at}" if at else self.name

    def _line(self, entry: Entry) -> int:
        """Line of the entry's key or, failing that, of the nearest place around it; 0 when unknown."""
        place = entry.place if entry.key is None else (*entry.place, entry.key)
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 0)


def read_document(path: str | Path) -> Document:
    """Read a policy file: YAML, or JSON when its name ends so; UTF-8.

    Raises `PolicyError`, in one line, when it is missing, too large, empty, not UTF-8, not YAML or JSON, or not a mapping; a
    table in its place is called that.
    """
    if not isinstance(path, str | PathLike):
        raise PolicyError(f"policy: must be the path of a file; got {quoted(path)}")
    path = Path(path)
    try:
        return _read_document(path)
    except PolicyError:
        if not path.is_file() or not _is_named_as_table(path):
            raise
        what = f"is no policy, and named as tables are ({path.suffix})"
        remedy = "the table stands first, and the policy, a YAML or JSON file, behind it"
        raise PolicyError(Refusal(what, (path.name,), remedy=remedy)) from None


def _is_named_as_table(path: Path) -> bool:
    """Whether tables are named so; asked of what is no policy only, for it loads what reads tables."""
    from likeness.tables.reading import kind_of

    return kind_of(path) is not None


def _read_document(path: Path) -> Document:
    """Read a policy file, whatever it is called."""
    content = _decode(path)
    if not content.strip():
        raise PolicyError(f"{path.name}: the file is empty; a policy needs the keys columns and privacy")
    is_json = path.suffix.lower() == ".json"
    return read_json(content, path.name) if is_json else read_yaml(content, path.name)


def read_yaml(text: str, name: str) -> Document:
    """Read YAML text; keys and markers are the texts that stand there, and no text is taken for a truth.

    Raises `PolicyError` when it is not YAML, nested too deeply, or not one mapping.

    >>> read_yaml("columns: {no: {role: quasi}, 2020: {role: other}}", "policy.yaml").content["columns"]
    {'no': {'role': 'quasi'}, '2020': {'role': 'other'}}
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
    """Read JSON text; a key given twice is a problem of the document.

    Raises `PolicyError` when it is not JSON, nested too deeply, not an object, or holds a number of too many digits.
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
        with path.open("rb") as file:
            # Not by its size: a device has none, and no end.
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise PolicyError(f"{path.name}: there is no such policy file ({path})") from None
    except IsADirectoryError:
        raise PolicyError(f"{path.name}: is a folder; give the policy file in it") from None
    except OSError as error:
        raise PolicyError(f"{path.name}: cannot be read ({error.strerror or error}): {path}") from None
    if len(data) > LARGEST:
        raise PolicyError(
            f"{path.name}: is of more than {LARGEST:,} bytes, which no policy is; put hierarchies into files of their own"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = data.count(b"\n", 0, error.start) + 1
        raise PolicyError(
            f"{path.name}, line {at}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None
