"""Random tables with random policies: what the properties of releases are tried on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl
from hypothesis import strategies as st
from tests.properties import guarantees
from tests.properties.brute_force import Model, Row, distance_of, needs_categories
from tests.properties.columns import MARKERS, categorical, hierarchical, numbers, ordered, series
from tests.properties.plain_regions import Field, severity

import likeness as lk
from likeness import registry


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
            "categories": {name: severity(self.sensitive[name]) for name in self.categorized},
        }
        return lk.Policy(**(given | changes))

    @property
    def categorized(self) -> list[str]:
        """Sensitive columns whose values have categories."""
        return sorted({model["sensitive"] for model in self.models if needs_categories(model)})

    @property
    def of_some(self) -> bool:
        """Whether only some values of a sensitive column need protection."""
        return any("values" in own.column for own in self.sensitive.values())

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
                found.append(", the first in")
            elif all(cell is None for cell in own.cells):
                found.append("every value is missing")
        if not found and not self.kept:
            found.append("every record has a missing value")
        if found:
            return found
        for name in self.categorized:
            own = self.sensitive[name]
            if self.treatment[name] == "category" and None in own.cells:
                found.append("missing values have no category")
            shown = {own.text(own.cells[i]) for i in self.kept if own.cells[i] is not None}
            if not all(shown & {*texts} for texts in severity(own).values()):
                found.append("nobody has the category")
        for own in self.sensitive.values():
            shown = [None if own.cells[i] is None else own.text(own.cells[i]) for i in self.kept]
            if not any(map(own.protected, shown)):
                found.append("nobody has any of the values that are sensitive")
        for model in self.models:
            for name in [model["sensitive"]] if model.get("sensitive") else self.sensitive:
                own = self.sensitive[name]
                absent = self.treatment[name] == "category" and None in own.cells
                if absent and model["model"] == "t-closeness" and distance_of(model, own) == "ordered":
                    found.append("no place for the missing values")
                if absent and model["model"] == "proximity":
                    found.append("are near nothing")
        return found


@st.composite
def cases(draw: st.DrawFn, most: int = 40, *, of_some: bool = False) -> Case:
    """A table and a policy; with ``of_some`` only some values of sensitive columns may need protection."""
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
    models = draw(st.lists(guarantees.model(fields["sensitive"]), min_size=1, max_size=3))
    for own in fields["sensitive"].values() if of_some else ():
        guarantees.protect_some(draw, own, models)
    method = draw(guarantees.methods(models))
    if method["name"] not in {"burel", "sabre"}:
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
