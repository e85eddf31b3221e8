"""Whatever key or value of a certificate is changed, added, left out or doubled, `verify` refuses it, or it stands here why."""

from __future__ import annotations

import atexit
import json
import re
import shutil
import tempfile
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.folder.samples import Folder, written

import likeness as lk
from likeness.errors import VerificationError
from likeness.proving.certificate import Certificate

if TYPE_CHECKING:
    from collections.abc import Iterator

Path_ = tuple[str | int, ...]
"""Keys and positions that lead to a value."""


def table() -> pl.DataFrame:
    """One of everything: people with one or two records each, and columns of all kinds and roles."""
    rows = range(32)
    return pl.DataFrame(
        {
            "who": [f"p{i // 2 if i < 8 else i}" for i in rows],
            "card": [f"c{i}" for i in rows],
            "age": [20 + (i // 2 if i < 8 else i) % 12 for i in rows],
            "grade": [["low", "mid", "high"][(i // 2 if i < 8 else i) % 3] for i in rows],
            "zip": [["02139", "02141", "10001"][(i // 2 if i < 8 else i) % 3] for i in rows],
            "sex": [["f", "m"][(i // 2 if i < 8 else i) % 2] for i in rows],
            "disease": [["flu", "cold", "gout", "mumps"][i % 4] for i in rows],
            "visit": [f"2024-0{1 + i % 9}-01" for i in rows],
            "weight": [1.0 + i % 3 for i in rows],
        }
    )


ZIP = [["02139", "Boston", "*"], ["02141", "Boston", "*"], ["10001", "New York", "*"]]
COLUMNS = {
    "who": lk.identifier(),
    "card": lk.identifier(action="pseudonym"),
    "age": lk.quasi(kind="integer", domain=[0, 110], bottom=21, top=30),
    "grade": lk.quasi(kind="ordered", domain=["none", "low", "mid", "high"]),
    "zip": lk.quasi(hierarchy=ZIP),
    "sex": lk.quasi(),
    "disease": lk.sensitive(),
    "visit": lk.other(),
    "weight": lk.other(),
}
POLICIES: dict[str, dict[str, Any]] = {
    "generalized": {
        "privacy": lk.KAnonymity(4) & lk.BetaLikeness(3),
        "output": {"numeric_pairs": True},
        "about": {"title": "Visits 2024", "publisher": "City", "contact": "me@city", "date": "2026-11-25"},
    },
    "named": {
        "privacy": lk.RhoPrivacy({"flu": "3/4", "gout": 0.8}) & lk.AlphaKAnonymity("3/4", 2, values=["cold"]),
        "form": {"name": "generalized", "recoding": "set"},
    },
    "bounded": {"privacy": lk.BetaLikeness(bound=lambda p: min(3 * p, 1)), "seed": 3},
    "some": {"columns": {"disease": lk.sensitive(values=["flu", "gout"])}, "privacy": lk.BetaLikeness(3)},
    "original": {"privacy": lk.KAnonymity(2) & lk.TCloseness("1/2", reference="original")},
    "known": {
        "privacy": lk.KAnonymity(2) & lk.JsBackground("0.8"),
        "knowledge": [
            {"kernel": {"bandwidth": {"age": 0.3, "sex": 2}, "leave_one_out": True}, "name": "friends"}
        ],
    },
    "unlinked": {"privacy": lk.KAnonymity(2), "individual": "who"},
    "linked": {"privacy": lk.IrKAnonymity(2), "individual": "who"},
    "anatomized": {"privacy": lk.DistinctLDiversity(2), "method": {"name": "anatomy", "l": 2}},
    "perturbed": {"privacy": lk.BetaLikeness(4), "method": "perturbation"},
    "baseline": {"privacy": lk.BetaLikeness(4), "method": "baseline"},
}
ONLY = {
    "named": ("zip", "disease"),
    "some": ("disease",),
    "original": ("disease",),
    "linked": ("person", "class"),
    "anatomized": ("age", "bucket", "count", "disease"),
    "perturbed": ("disease",),
    "baseline": ("card",),
}
"""Columns of the other forms that `generalized` does not show in this way."""
QUICK = {"generalized", "linked"}
"""One with something of everything, and one of people whose records are linked."""
WORDS = (
    ("quasi", "sensitive", "other", "pseudonym", "added"),
    ("integer", "real", "date", "ordered", "hierarchical", "categorical"),
    ("interval", "tree", "set"),
    ("equal", "ordered", "hierarchical"),
    ("public", "mechanism", "steward"),
    ("plain", "clipped", "simplex", "bayes"),
    ("0.3.0", "0.2.0", "0.4.1", "0.3.0.dev1", "0.3", "v0.3.0", "0.3.0 (safe)"),
)
"""Words that stand for each other."""
STEWARDS_WORD = {
    r"likeness": "any version may have written it",
    r"reproducible": "whether there was a seed only the steward knows",
    r"counts\.individuals": "where whose records are whose is not published: any number from k for each class to that of records",
    r"guarantee": "fewer models, in any order: each is proven by itself, and whoever knows the policy misses the rest",
    r"guarantee\.\d+\.parameters(\..*)?": "weaker or stronger ones that hold, or the same ones written otherwise, are proven",
    r"form(\.recoding)?": "how regions were chosen; every region says itself what it covers",
    r"columns\.\d+": "without coded ends, a declared hierarchy, what * stands for or weights: each contradicts nothing published",
    r"columns\.\d+\.(low|high|bottom|top)": "a declared domain and coded ends: wider ones, or none, contradict nothing published",
    r"columns\.\d+\.order(\.\d+)?": "a declared order: of values that are nowhere an end of an interval, or in no interval",
    r"columns\.\d+\.hierarchy(\.\d+)*": "a declared hierarchy: of nodes that are nowhere published",
    r"columns\.\d+\.values(\.\d+)?": "what * stands for is not seen",
    r"columns\.\d+\.sensitive_values": "fewer values are protected: less is promised, and it holds as strongly",
    r"columns\.\d+\.kind": "of values published as sets, whether they once had a hierarchy",
    r"columns\.\d+\.role": "numbers from 1 on may be what an original held, published as it is",
    r"knowledge(\..*)?": "what adversaries are taken to know: any other source of that kind contradicts nothing published",
    r"about(\.(title|publisher|contact|date))?": "what the publisher says of the release: one line each, and a day",
    r"form\.reconstruction": "how frequencies are to be estimated, of four ways",
}
"""Places (as in `dotted`) where some other value contradicts nothing that is published, and why: whoever has private/ sees it."""


@cache
def made(name: str) -> Path:
    """A written release, not to be changed."""
    given = dict(POLICIES[name])
    columns = COLUMNS | given.pop("columns", {})
    if "individual" in given:
        columns["card"] = lk.identifier()
    weights = {} if "individual" in given else {"weights": "weight"}
    place = Path(tempfile.mkdtemp(prefix="likeness-claims-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return lk.anonymize(table(), lk.Policy(columns=columns, **weights, **given)).write(place / "out")


def dotted(path: Path_) -> str:
    """A path as one text."""
    return ".".join(map(str, path))


def paths(value: Any, at: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Every place in a JSON value, with what stands there."""
    yield at, value
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield from paths(one, (*at, key))


def others(value: Any) -> list[Any]:
    """What somebody might write in place of a value."""
    wrong = [None, True, "1.\xa0This\xa0release\xa0is\xa0safe", "\ud800", -1, 10**30, [], {"x": value}]
    if isinstance(value, bool):
        return [not value, int(value), str(value).lower(), *wrong]
    if isinstance(value, int | float):
        same = float(value) if isinstance(value, int) else int(value) if value.is_integer() else value / 2
        return [value + 1, value - 1, same, str(value), float("nan"), float("inf"), *wrong]
    if isinstance(value, str):
        same_kind = [word for words in WORDS if value in words for word in words if word != value]
        return [*same_kind, value + " ", value + "\xa0", "", value + "\n", *wrong]
    if isinstance(value, list):
        doubled = [[*value, value[-1]]] if value else []
        added = ["x", None, 1, {}]
        fewer = [value[:i] + value[i + 1 :] for i in range(min(len(value), 3))]
        return [*doubled, *fewer, value[::-1], *([*value, one] for one in added), *wrong]
    if isinstance(value, dict):
        fewer = [{k: v for k, v in value.items() if k != key} for key in value]
        more = [{**value, "note": one} for one in ("all is well", 1, None, {})]
        return [*fewer, *more, {**value, "": ""}, dict(reversed(value.items())), *wrong]
    return [0, "", *wrong]


def put(content: Any, path: Path_, value: Any) -> Any:
    """The content with another value at a place."""
    if not path:
        return value
    found = deepcopy(content)
    at = found
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return found


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values are written alike, save for the order of keys, which the bytes decide."""
    return json.dumps(a) == json.dumps(b)


def read(content: Any) -> bool:
    """Whether JSON is a certificate: what is none, `verify` refuses before it looks at any other file."""
    try:
        Certificate.from_json(written(content).decode(), "certificate.json")
    except VerificationError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in POLICIES]
)
def test_every_key_and_value(name: str, tmp_path: Path) -> None:
    folder = Folder(Path(shutil.copytree(made(name), tmp_path / "out")))
    names = [note["name"] for note in folder.read("public/certificate.json")["columns"]]
    tried_in = range(len(names)) if name == "generalized" else map(names.index, ONLY.get(name, ()))
    kept = set(tried_in)
    public = folder.root / "public"
    assert not lk.verify(public).failed
    content = folder.read("public/certificate.json")
    accepted: dict[str, list[Any]] = {}
    tried = 0
    for path, value in paths(content):
        # What is the same in all forms is tried in one.
        if path[:1] == ("columns",) and len(path) > 1 and path[1] not in kept:
            continue
        # Of long lists of texts the first two.
        if any(isinstance(step, int) and step > 1 for step in path[2:]):
            continue
        for other in others(value):
            changed = put(content, path, other)
            if same(changed, content):
                continue
            if not path and same(other, {key: one for key, one in content.items() if key != "about"}):
                # Nothing published says that a publisher has to name the release.
                continue
            tried += 1
            if not read(changed):
                continue
            # The page is made to agree, as whoever wants to hide the change would.
            folder.forge(changed)
            if not lk.verify(public).failed:
                accepted.setdefault(dotted(path), []).append(other)
    assert tried > 300
    strange = {
        place: given
        for place, given in accepted.items()
        if not any(re.fullmatch(pattern, place) for pattern in STEWARDS_WORD)
    }
    assert strange == {}
    # Of free text nothing passes anywhere but where a column's declared values are listed, and in what the publisher says.
    listed = r"columns\.\d+\.(order|values|hierarchy)(\.\d+)*|about\.(title|publisher|contact)"
    for place, given in accepted.items():
        texts = [one for one in given if "safe" in str(one)]
        assert not texts or re.fullmatch(listed, place), (place, texts)
