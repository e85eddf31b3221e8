"""Random tables with random policies: what the properties of releases are tried on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import polars as pl
from hypothesis import strategies as st
from tests.properties.brute_force import Model, Row, distance_of
from tests.properties.plain_regions import NUMBERS, Field

import likeness as lk
from likeness import registry

ODD = ["a", "b", "*", "", "[1, 2]", "{a|b}", "a, b", "\\e", "é", " ", "NA", "-1", "None", "x-y", "]", "\n"]
TREES: list[list[list[str]]] = [
    [["a", "A", "any"], ["b", "A", "any"], ["c", "B", "any"], ["d", "B", "any"], ["e", "B", "any"]],
    [["a", "a", "*"], ["b", "[b, c]", "*"], ["c", "[b, c]", "*"]],
    [
        ["u", "U", "P", "*"],
        ["v", "U", "P", "*"],
        ["w", "W", "P", "*"],
        ["x", "x", "x", "*"],
        ["y", "{y}", "Q", "*"],
    ],
    [["a", "only"], ["*a", "only"]],
]
DAYS = [date(2023, 12, 30) + timedelta(days=17 * i) for i in range(9)]
MARKERS = {"?", ""}


@dataclass
class Case:
    """A table, its policy, and what a plain reader knows of both."""

    frame: pl.DataFrame
    quasi: dict[str, Field]
    sensitive: dict[str, Field]
    models: list[Model]
    method: dict[str, Any]
    recoding: str
    pairs: bool
    at_most: float
    treatment: dict[str, str]

    @property
    def columns(self) -> dict[str, Any]:
        """The policy's columns."""
        roles = {"quasi": self.quasi, "sensitive": self.sensitive}
        return {
            name: {"role": role, **own.column}
            for role, fields in roles.items()
            for name, own in fields.items()
        } | {"row": {"role": "other"}}

    def policy(self, **changes: Any) -> lk.Policy:
        """The policy."""
        made = [
            registry.create("models", m["model"], {k: v for k, v in m.items() if k != "model"})
            for m in self.models
        ]
        given = {
            "columns": self.columns,
            "privacy": made,
            "method": self.method,
            "form": {"name": "generalized", "recoding": self.recoding},
            "missing": {"markers": sorted(MARKERS)},
            "withhold": {"at_most": self.at_most},
            "output": {"numeric_pairs": self.pairs},
        }
        return lk.Policy(**(given | changes))

    @property
    def kept(self) -> list[int]:
        """Rows that no missing value drops."""
        dropping = [own for name, own in self.fields.items() if self.treatment[name] == "drop"]
        return [i for i in range(self.frame.height) if all(own.cells[i] is not None for own in dropping)]

    @property
    def fields(self) -> dict[str, Field]:
        """All columns."""
        return self.quasi | self.sensitive

    def truth(self, row: int) -> Row:
        """Sensitive values of an original row."""
        return {
            name: None if own.cells[row] is None else own.text(own.cells[row])
            for name, own in self.sensitive.items()
        }

    @property
    def refusals(self) -> list[str]:
        """Why the policy is invalid for the table: words that the error must hold."""
        found = []
        for name, own in self.fields.items():
            if self.treatment[name] == "error" and None in own.cells:
                found.append("missing values, the first in")
            elif all(cell is None for cell in own.cells):
                found.append("every value is missing")
        if not found and not self.kept:
            found.append("every record has a missing value")
        if found:
            return found
        for model in self.models:
            for name in [model["sensitive"]] if model.get("sensitive") else self.sensitive:
                own = self.sensitive[name]
                absent = self.treatment[name] == "category" and None in own.cells
                if absent and model["model"] == "t-closeness" and distance_of(model, own) == "ordered":
                    found.append("no place for the missing values")
                if absent and model["model"] == "proximity":
                    found.append("are near nothing")
        return found


def numbers(draw: st.DrawFn, rows: int, role: str) -> Field:
    """Whole or other numbers, or dates; declared ends, bottom and top coding, derived hierarchies."""
    kind = draw(st.sampled_from(NUMBERS))
    pools: dict[str, st.SearchStrategy[Any]] = {
        "integer": st.integers(-3, 12),
        "real": st.sampled_from([-0.5, 0.0, 0.1, 0.30000000000000004, 1.25, 7.0, 1e-7, 123456.5]),
        "date": st.sampled_from(DAYS),
    }
    own = pools[kind]
    column: dict[str, Any] = {"kind": kind}
    cells = draw(st.lists(own, min_size=rows, max_size=rows))
    if role == "quasi" and draw(st.booleans()):
        low, high = sorted([draw(own), draw(own)])
        column |= {"bottom": low, "top": high}
        cells = [min(max(cell, low), high) for cell in cells]
    elif draw(st.integers(0, 2)) == 0:
        wide = {"integer": [-50, 50], "real": [-1, 2e6], "date": [date(2000, 1, 1), date(2030, 1, 1)]}
        column["domain"] = wide[kind]
    if role == "quasi" and draw(st.booleans()):
        column["weight"] = draw(st.sampled_from([0.5, 3]))
    paths = None
    if role == "quasi" and kind != "real" and draw(st.booleans()):
        column["hierarchy"], paths = (
            declared() if kind == "integer" and draw(st.booleans()) else derived(kind, cells)
        )
        # A day as bottom or top says that the kind is date, and then the regions are intervals; texts have neither.
        if draw(st.booleans()) and not (
            "bottom" in column and (kind == "date" or isinstance(column["hierarchy"], list))
        ):
            kind = "hierarchical"
            column = {k: v for k, v in column.items() if k not in {"kind", "domain"}}
    return Field("", kind, cells, column, None, paths)


def declared() -> tuple[list[list[str]], dict[str, list[str]]]:
    """A file that holds more numbers than the table, largest first."""
    rows = [[str(i), f"from {i // 4 * 4}", "low" if i < 4 else "high", "all"] for i in range(19, -9, -1)]
    return rows, {row[0]: row for row in rows}


def derived(kind: str, cells: list[Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Classes of five numbers, or months and years."""
    if kind == "date":
        days = {day.isoformat(): [day.isoformat(), f"{day:%Y-%m}", f"{day:%Y}", "*"] for day in cells}
        return {"dates": ["month", "year"]}, days
    low = {cell: cell // 5 * 5 for cell in cells}
    return {"intervals": {"width": 5}}, {
        str(cell): [str(cell), f"[{begin}, {begin + 4}]", "*"] for cell, begin in low.items()
    }


def ordered(draw: st.DrawFn, rows: int, role: str) -> Field:
    """Texts in a declared order."""
    order = draw(
        st.lists(st.sampled_from([o for o in ODD if o not in MARKERS]), min_size=1, max_size=6, unique=True)
    )
    cells = draw(st.lists(st.sampled_from(order), min_size=rows, max_size=rows))
    column: dict[str, Any] = {"kind": "ordered", "domain": order}
    if draw(st.integers(0, 3)) or not all(value.strip() for value in order):
        return Field("", "ordered", cells, column, order)
    halves = [[value, f"half {2 * i // len(order)}", "both"] for i, value in enumerate(order)]
    column["hierarchy"] = halves if draw(st.booleans()) else halves[::-1]
    if draw(st.booleans()) and column["hierarchy"] == halves:
        del column["domain"]
    return Field("", "ordered", cells, column, order, {row[0]: row for row in halves})


def hierarchical(draw: st.DrawFn, rows: int, role: str) -> Field:
    """Leaves of a declared tree, or codes with prefixes."""
    if draw(st.integers(0, 3)) == 0:
        codes = ["0010", "0011", "0020", "1020", "1021"]
        cells = draw(st.lists(st.sampled_from(codes), min_size=rows, max_size=rows))
        paths = {c: [c, c[:3] + "*", c[:2] + "**", c[:1] + "***", "*"] for c in cells}
        return Field("", "hierarchical", cells, {"hierarchy": {"prefix": 4}}, None, paths)
    tree = draw(st.sampled_from(TREES))
    cells = draw(st.lists(st.sampled_from([row[0] for row in tree]), min_size=rows, max_size=rows))
    return Field("", "hierarchical", cells, {"hierarchy": tree}, None, {row[0]: row for row in tree})


def categorical(draw: st.DrawFn, rows: int, role: str) -> Field:
    """Plain texts; all values declared, or not."""
    pool = draw(st.lists(st.sampled_from(ODD), min_size=1, max_size=7, unique=True))
    cells = draw(st.lists(st.sampled_from(pool), min_size=rows, max_size=rows))
    column: dict[str, Any] = {"kind": "categorical"}
    if draw(st.integers(0, 3)) == 0:
        column["domain"] = ODD
    return Field("", "categorical", [None if cell in MARKERS else cell for cell in cells], column)


@st.composite
def cases(draw: st.DrawFn, most: int = 40) -> Case:
    """A table and a policy."""
    rows = draw(st.integers(1, most))
    kinds = [numbers, ordered, hierarchical, categorical]
    fields: dict[str, dict[str, Field]] = {"quasi": {}, "sensitive": {}}
    treatment: dict[str, str] = {}
    for role, least, highest in (("quasi", 1, 3), ("sensitive", 0, 2)):
        for i in range(draw(st.integers(least, highest))):
            own = draw(st.sampled_from(kinds))(draw, rows, role)
            own.name = f"{role[0]}-{i} {own.kind}"
            if draw(st.booleans()):
                gone = draw(st.lists(st.integers(0, rows - 1), max_size=max(1, rows // 4)))
                own.cells = [None if i in gone else cell for i, cell in enumerate(own.cells)]
            treatment[own.name] = draw(st.sampled_from(["category", "category", "drop", "drop", "error"]))
            if treatment[own.name] != "error" or draw(st.booleans()):
                own.column["missing"] = {"policy": treatment[own.name]}
            if own.paths and None in own.cells and own.column["hierarchy"] in ({"prefix": 4},):
                own.paths = {cell: own.paths[cell] for cell in own.cells if cell is not None}
            fields[role][own.name] = own
    models = draw(st.lists(model(fields["sensitive"]), min_size=1, max_size=3))
    method = draw(methods(models))
    if method["name"] == "mondrian":
        for own in fields["quasi"].values():
            if own.paths and draw(st.integers(0, 3)) == 0:
                own.column["max_level"] = draw(st.integers(0, len(next(iter(own.paths.values()))) - 1))
    frame = pl.DataFrame(
        [series(own) for group in fields.values() for own in group.values()]
        + [pl.Series("row", range(rows), pl.Int64)]
    )
    return Case(
        frame,
        fields["quasi"],
        fields["sensitive"],
        models,
        method,
        draw(st.sampled_from(["tight", "hierarchy", "set"])),
        draw(st.booleans()),
        draw(st.sampled_from([0, 0.1, 1])),
        treatment,
    )


def series(own: Field) -> pl.Series:
    """The column as it stands in the table."""
    cells = [cell for cell in own.cells if cell is not None]
    text = not cells or isinstance(cells[0], str)
    dtype = pl.String if text else {int: pl.Int64, float: pl.Float64, date: pl.Date}[type(cells[0])]
    return pl.Series(own.name, own.cells, dtype)


def fractions(low: str, high: str) -> st.SearchStrategy[str]:
    """Texts of simple fractions: where ties are."""
    return st.fractions(Fraction(low), Fraction(high), max_denominator=6).map(str)


@st.composite
def model(draw: st.DrawFn, sensitive: dict[str, Field]) -> Model:
    """A privacy model that suits the columns."""
    if not sensitive:
        return {"model": "k-anonymity", "k": draw(st.integers(1, 6))}
    name = draw(st.sampled_from(registry.names("models")))
    found: Model = {"model": name} | draw(PARAMETERS[name])
    if name == "k-anonymity":
        return found
    covered = draw(st.sampled_from([None, *sensitive]))
    scaled = [n for n, own in sensitive.items() if own.order or own.kind in NUMBERS]
    if name == "proximity":
        if not scaled:
            return {"model": "k-anonymity", "k": 2}
        covered = draw(st.sampled_from(scaled))
    if covered is not None:
        found["sensitive"] = covered
        tree = sensitive[covered].kind == "hierarchical"
        options = ["equal", *(["ordered"] if covered in scaled else []), *(["hierarchical"] if tree else [])]
        if name == "t-closeness" and draw(st.booleans()):
            found["distance"] = draw(st.sampled_from(options))
        if name.endswith("beta-likeness") and tree:
            height = len(next(iter(sensitive[covered].paths.values()))) - 1
            found["level"] = draw(st.integers(0, height - 1))
    if draw(st.booleans()):
        found["others"] = draw(st.sampled_from(["known", "unknown"]))
    if draw(st.integers(0, 2)) == 0:
        found["reference"] = "original"
    return found


def gains() -> st.SearchStrategy[dict[str, Any]]:
    """Parameters of β-likeness."""
    return st.fixed_dictionaries(
        {"beta": fractions("1/6", "4")}, optional={"negative": fractions("1/2", "1")}
    )


def half_more(p: Fraction) -> Fraction:
    """A bound of one's own."""
    return min(Fraction(1), p * 3 / 2 + Fraction(1, 10))


PARAMETERS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "k-anonymity": st.fixed_dictionaries({"k": st.integers(1, 6)}),
    "distinct-l-diversity": st.fixed_dictionaries({"l": st.integers(1, 3)}),
    "entropy-l-diversity": st.fixed_dictionaries({"l": st.one_of(st.integers(1, 3), fractions("1", "3"))}),
    "recursive-cl-diversity": st.fixed_dictionaries({"c": fractions("1/2", "6"), "l": st.integers(2, 3)}),
    "alpha-k-anonymity": st.fixed_dictionaries({"alpha": fractions("1/3", "1"), "k": st.integers(1, 4)}),
    "t-closeness": st.fixed_dictionaries({"t": fractions("0", "1")}),
    "delta-disclosure": st.fixed_dictionaries({"delta": fractions("1/6", "3")}),
    "basic-beta-likeness": gains(),
    "beta-likeness": st.one_of(gains(), st.just({"bound": half_more})),
    "proximity": st.fixed_dictionaries({"epsilon": fractions("0", "4"), "m": st.integers(1, 3)}),
}


@st.composite
def methods(draw: st.DrawFn, models: list[Model]) -> dict[str, Any]:
    """Mondrian, or BUREL where β-likeness is asked for."""
    if any(m["model"].endswith("beta-likeness") for m in models) and draw(st.booleans()):
        return {
            "name": "burel",
            "retrieve": draw(st.sampled_from(["hilbert", "nearest"])),
            "min_size": draw(st.integers(1, 3)),
            "strict": draw(st.booleans()),
            "refine": draw(st.sampled_from(["none", "hilbert", "mondrian"])),
        }
    cut = draw(st.sampled_from(["least-loss", "all", "widest"]))
    strict = cut == "least-loss" or draw(st.booleans())
    return {
        "name": "mondrian",
        "cut": cut,
        "strict": strict,
        "loss": draw(st.sampled_from(["glm", "ncp", "iloss"])),
    }
