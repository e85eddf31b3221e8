"""What likeness makes of a hundred policies, as digests: the means to move code about and show that nothing changed.

``python -m benchmarks.digests`` compares what the code makes now with ``digests.json``; ``--write`` replaces that file, which a
change that is meant to change releases does in its own commit, and says so.

Every method is tried on every guarantee, every model and every form at least once, on generated tables with fixed seeds. Of a
release the bytes of the published tables are digested, the steward's class map, the proofs, and the losses; of a refusal its
kind alone, because words may be improved.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
from tests.contracts.parts import example

import likeness as lk
from likeness import registry
from likeness.metrics.measuring import measure_all

KEPT = Path(__file__).with_name("digests.json")
SEED = 20
Case = dict[str, Any]

GUARANTEES: dict[str, list[dict[str, Any]]] = {
    "k": [{"model": "k-anonymity", "k": 5}],
    "k, distinct l": [{"model": "k-anonymity", "k": 4}, {"model": "distinct-l-diversity", "l": 3}],
    "entropy l": [{"model": "entropy-l-diversity", "l": "2.5"}],
    "recursive, alpha": [
        {"model": "recursive-cl-diversity", "c": 3, "l": 2},
        {"model": "alpha-k-anonymity", "alpha": "0.6", "k": 3},
    ],
    "t": [{"model": "t-closeness", "t": "0.3"}, {"model": "k-anonymity", "k": 3}],
    "beta": [{"model": "beta-likeness", "beta": 3}],
    "basic beta, k": [{"model": "basic-beta-likeness", "beta": 3}, {"model": "k-anonymity", "k": 4}],
    "delta": [{"model": "delta-disclosure", "delta": 3}],
    "rho": [{"model": "rho-privacy", "rho1": "0.2", "rho2": "0.7"}],
}
OF_PEOPLE: dict[str, list[dict[str, Any]]] = {
    "k": [{"model": "k-anonymity", "k": 4}],
    "ir k": [{"model": "ir-k-anonymity", "k": 4}],
    "ir kl": [{"model": "ir-kl-anonymity", "k": 4, "l": 3}],
    "ir alpha beta": [{"model": "ir-alpha-beta-anonymity", "alpha": "0.4", "beta": "0.6"}],
    "eir l": [{"model": "eir-l-diversity", "l": 3}],
    "eir alpha beta": [{"model": "eir-alpha-beta-anonymity", "alpha": "0.4", "beta": "0.7"}],
}
HOSPITAL: dict[str, Any] = {
    "name": {"role": "identifier"},
    "patient_id": {"role": "drop"},
    "zip": {"role": "quasi", "hierarchy": {"prefix": 5}},
    "age": {"role": "quasi", "bottom": 5, "top": 90},
    "sex": {"role": "quasi"},
    "insurance": {"role": "quasi", "weight": 2},
    "admitted": {"role": "quasi", "hierarchy": {"dates": ["month", "year"]}},
    "length_of_stay": {"role": "other"},
    "diagnosis": {"role": "sensitive"},
}
VISITS: dict[str, Any] = {
    "patient_id": {"role": "identifier"},
    "name": {"role": "drop"},
    "zip": {"role": "quasi", "hierarchy": {"prefix": 5}},
    "birth_date": {"role": "quasi", "hierarchy": {"dates": ["year"]}},
    "sex": {"role": "quasi"},
    "visit_date": {"role": "drop"},
    "diagnosis": {"role": "sensitive"},
    "cost": {"role": "drop"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="keep what the code makes now")
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    wanted = {name: case for name, case in cases() if chosen.only in name}
    with ProcessPoolExecutor(chosen.jobs) as pool:
        found = dict(zip(wanted, pool.map(digest_of, wanted.values()), strict=True))
    released = sum("refused" not in own for own in found.values())
    print(f"{len(found)} policies: {released} releases, {len(found) - released} refusals")
    if chosen.write:
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return
    kept = {
        name: own for name, own in json.loads(KEPT.read_text(encoding="utf-8")).items() if chosen.only in name
    }
    differing = [name for name in kept | found if kept.get(name) != found.get(name)]
    for name in differing:
        print(f"{name}: {', '.join(differences(kept.get(name, {}), found.get(name, {})))}")
    print(f"{len(differing)} differ")
    sys.exit(bool(differing))


def differences(kept: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What of a case differs."""
    return [
        f"{key} {kept.get(key)} is {found.get(key)}"
        for key in kept | found
        if kept.get(key) != found.get(key)
    ]


def cases() -> Iterator[tuple[str, Case]]:
    """Every case and its name."""
    for method in registry.names("methods"):
        for name, privacy in GUARANTEES.items():
            yield f"records, {method}, {name}", case("hospital", HOSPITAL, privacy, method={"name": method})
        for name, privacy in OF_PEOPLE.items():
            yield f"people, {method}, {name}", people(privacy, method={"name": method})
    for model in registry.names("models"):
        privacy = [{"model": model, **registry.parameters(example("models", model))}]
        yield f"records, {model} of the docstring", case("hospital", HOSPITAL, privacy)
        yield f"people, {model} of the docstring", people(privacy)
    for form in registry.names("forms"):
        for method in registry.names("methods"):
            part = registry.load("methods", method)
            if form in (part.form, *part.forms):
                options = {"method": {"name": method}, "form": {"name": form}}
                yield f"records, {method}, {form}", case("hospital", HOSPITAL, GUARANTEES["beta"], **options)
                yield f"people, {method}, {form}", people(OF_PEOPLE["ir kl"], **options)
    yield from details()


def details() -> Iterator[tuple[str, Case]]:
    """What policies can say beside method and guarantee."""
    k, beta = GUARANTEES["k"], GUARANTEES["beta"]
    for recoding in ("tight", "hierarchy", "set"):
        yield (
            f"recoding {recoding}",
            case("hospital", HOSPITAL, k, form={"name": "generalized", "recoding": recoding}),
        )
    yield "numeric pairs", case("hospital", HOSPITAL, k, output={"numeric_pairs": True})
    yield "parquet", case("hospital", HOSPITAL, k, output={"format": "parquet"})
    yield "nobody withheld", case("hospital", HOSPITAL, k, withhold={"at_most": 0})
    yield (
        "many withheld",
        case("hospital", HOSPITAL, beta, method={"name": "incognito"}, withhold={"at_most": 0.2}),
    )
    yield "level limits", case("hospital", changed(zip={"max_level": 3}), k, withhold={"at_most": 0.3})
    yield "pseudonyms", case("hospital", changed(name={"action": "pseudonym"}), k)
    yield (
        "two sensitive",
        case("hospital", changed(length_of_stay={"role": "sensitive"}), GUARANTEES["k, distinct l"]),
    )
    for others in ("known", "unknown"):
        privacy = [{"model": "distinct-l-diversity", "l": 2, "sensitive": "diagnosis", "others": others}]
        yield f"others {others}", case("hospital", changed(length_of_stay={"role": "sensitive"}), privacy)
    privacy = [{**beta[0], "reference": "original"}]
    yield "reference original", case("hospital", HOSPITAL, privacy)
    for cut in ("widest", "least-loss"):
        yield f"mondrian {cut}", case("hospital", HOSPITAL, k, method={"name": "mondrian", "cut": cut})
    yield "weights", case("hospital", changed(length_of_stay={"role": "drop"}), k, weights="length_of_stay")
    yield "people, inconsistent", people(OF_PEOPLE["eir l"], hygiene={"inconsistent_quasi": "hull"})


def changed(**columns: dict[str, Any]) -> dict[str, Any]:
    """The hospital's columns, some of them otherwise."""
    return HOSPITAL | {name: HOSPITAL[name] | own for name, own in columns.items()}


def case(dataset: str, columns: dict[str, Any], privacy: list[dict[str, Any]], **options: Any) -> Case:
    """One case."""
    policy = {"columns": columns, "privacy": privacy, "withhold": {"at_most": 0.05}, "seed": SEED, **options}
    return {"dataset": dataset, "policy": policy}


def people(privacy: list[dict[str, Any]], **options: Any) -> Case:
    """One case of people with several records."""
    return case("hospital-visits", VISITS, privacy, individual="patient_id", **options)


@cache
def table(dataset: str) -> pl.DataFrame:
    """The generated table."""
    made: pl.DataFrame = registry.create("datasets", dataset, {}).generate(600, 1)
    return made


def digest_of(given: Case) -> dict[str, Any]:
    """What likeness makes of a case."""
    try:
        release = lk.anonymize(table(given["dataset"]), lk.Policy.from_mapping(given["policy"]))
    except lk.LikenessError as problem:
        return {"refused": type(problem).__name__}
    with tempfile.TemporaryDirectory() as place:
        folder = release.write(Path(place) / "out")
        tables = [
            path for path in sorted((folder / "public").iterdir()) if path.suffix in {".csv", ".parquet"}
        ]
        public = {path.name: short(path.read_bytes()) for path in tables}
        classes = short(pl.read_parquet(folder / "private" / "classes.parquet").write_csv().encode())
    proofs = [proof.to_json() for proof in release.verdict.proofs]
    return {
        "public": public,
        "classes": classes,
        "proofs": short(json.dumps(proofs, sort_keys=True).encode()),
        "losses": {name: repr(value) for name, value in measure_all(release.evaluation).items()},
    }


def short(data: bytes) -> str:
    """A digest that is short enough to read."""
    return sha256(data).hexdigest()[:16]


if __name__ == "__main__":
    main()
