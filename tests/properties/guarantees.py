"""Random privacy models and methods that suit the columns of a table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from tests.properties.brute_force import Model, distance_of, needs_categories
from tests.properties.plain_regions import NUMBERS, Field, severity

from likeness import registry
from likeness.models.base import DistributionModel, PrivacyModel


def fractions(low: str, high: str) -> st.SearchStrategy[str]:
    """Texts of simple fractions: where ties are."""
    return st.fractions(Fraction(low), Fraction(high), max_denominator=6).map(str)


@st.composite
def model(draw: st.DrawFn, sensitive: dict[str, Field]) -> Model:
    """A privacy model that suits the columns."""
    if not sensitive:
        return {"model": "k-anonymity", "k": draw(st.integers(1, 6))}
    models = {n: registry.load("models", n) for n in registry.names("models")}
    # What is known has properties of its own: tests/knowledge.
    names = [n for n, model in models.items() if not (model.about_individuals or model.needs_knowledge)]
    # What holds over releases, too: tests/folder/test_ledger.py, tests/methods/test_m_invariant.py.
    names = [n for n in names if models[n].signature_size is PrivacyModel.signature_size]
    name = draw(st.sampled_from(names))
    found: Model = {"model": name} | draw(PARAMETERS[name])
    if name == "k-anonymity":
        return found
    covered = draw(st.sampled_from([None, *sensitive]))
    scaled = [n for n, own in sensitive.items() if own.order or own.kind in NUMBERS]
    if name == "proximity":
        if not scaled:
            return {"model": "k-anonymity", "k": 2}
        covered = draw(st.sampled_from(scaled))
    # A blank text is no value that a file of categories could name.
    sorted_ = [
        n
        for n, own in sensitive.items()
        if len({*own.cells} - {None}) > 1
        and all(t.strip() for texts in severity(own).values() for t in texts)
    ]
    if sorted_ and name in MAY_BE_BY_CATEGORY and draw(st.integers(0, 2)) == 0:
        found["by"] = "categories"
    if needs_categories(found):
        if not sorted_:
            return {"model": "k-anonymity", "k": 2}
        covered = draw(st.sampled_from(sorted_))
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
    # The caps of a bound of one's own would tell the original's distribution.
    if (
        "bound" not in found
        and issubclass(registry.load("models", name), DistributionModel)
        and draw(st.integers(0, 2)) == 0
    ):
        found["reference"] = "original"
    return found


OF_SOME = {
    "k-anonymity", "distinct-l-diversity", "p-sensitivity", "recursive-cl-diversity", "alpha-k-anonymity", "t-closeness",
    "delta-disclosure", "basic-beta-likeness", "beta-likeness",
}  # fmt: skip
"""Models that may hold for some values of a column alone."""


def protect_some(draw: st.DrawFn, column: Field, models: list[Model]) -> None:
    """Now and then, let only some values of a column need protection, if its models may hold for some alone."""
    own = [m for m in models if m.get("sensitive") in {None, column.name}]
    for one in own:
        distances = one["model"] == "t-closeness" and distance_of(one, column) != "equal"
        if one["model"] not in OF_SOME or one.get("by") or one.get("level") or distances:
            return
    shown = sorted({column.text(cell) for cell in column.cells if cell is not None})
    nodes = sorted({node for path in (column.paths or {}).values() for node in path[1:-1]})
    if shown and draw(st.integers(0, 2)) == 0:
        column.column["values"] = draw(
            st.lists(st.sampled_from([*shown, *nodes]), min_size=1, max_size=3, unique=True)
        )


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
    "delta-disclosure": st.one_of(
        st.fixed_dictionaries({"delta": fractions("1/6", "3")}),
        st.fixed_dictionaries({"beta": fractions("1/6", "3")}),
    ),
    "basic-beta-likeness": gains(),
    "beta-likeness": st.one_of(gains(), st.just({"bound": half_more})),
    "rho-privacy": st.fixed_dictionaries(
        {"rho2": fractions("2/3", "5/6")}, optional={"rho1": fractions("1/6", "1/2")}
    ),
    "proximity": st.fixed_dictionaries({"epsilon": fractions("0", "4"), "m": st.integers(1, 3)}),
    "p-sensitivity": st.fixed_dictionaries({"p": st.integers(1, 3)}),
    "p-plus-sensitivity": st.fixed_dictionaries({"p": st.integers(1, 2)}),
    "balanced-p-plus-sensitivity": st.fixed_dictionaries({"p": st.integers(1, 2)}),
    "p-alpha-sensitivity": st.fixed_dictionaries({"p": st.integers(1, 2), "alpha": fractions("1/6", "1")}),
    "kl-diversity": st.fixed_dictionaries({"k": st.integers(1, 4), "l": st.integers(1, 2)}),
    "membership-safety": st.fixed_dictionaries({"delta": fractions("1/2", "1")}),
    "theta-sensitivity": st.fixed_dictionaries(
        {"k": st.integers(2, 3), "mu": fractions("1/6", "2/3")},
        optional={"order": st.sampled_from(["severity", "frequency"])},
    ),
}
MAY_BE_BY_CATEGORY = {
    "distinct-l-diversity", "entropy-l-diversity", "recursive-cl-diversity", "alpha-k-anonymity", "delta-disclosure",
    "p-sensitivity", "p-alpha-sensitivity",
}  # fmt: skip


@st.composite
def methods(draw: st.DrawFn, models: list[Model]) -> dict[str, Any]:
    """Any that publishes generalized tables; BUREL where β-likeness is asked for."""
    if any(m["model"].endswith("beta-likeness") for m in models) and draw(st.booleans()):
        return {
            "name": "burel",
            "retrieve": draw(st.sampled_from(["hilbert", "nearest"])),
            "min_size": draw(st.integers(1, 3)),
            "strict": draw(st.booleans()),
            "refine": draw(st.sampled_from(["none", "hilbert", "mondrian"])),
        }
    if any(m["model"] == "t-closeness" for m in models) and draw(st.booleans()):
        return {
            "name": "sabre",
            "retrieve": draw(st.sampled_from(["hilbert", "nearest"])),
            "bound": draw(st.sampled_from(["exact", "tight", "plain"])),
            "buckets": draw(st.sampled_from(["slack", "fewest"])),
        }
    loss = draw(st.sampled_from(["glm", "ncp", "iloss"]))
    if draw(st.integers(0, 3)) == 0:
        return {"name": "local-recoding", "loss": loss, "most_vectors": draw(st.sampled_from([1, 4, 20_000]))}
    cut = draw(st.sampled_from(["least-loss", "all", "widest"]))
    strict = cut == "least-loss" or draw(st.booleans())
    return {"name": "mondrian", "cut": cut, "strict": strict, "loss": loss}
