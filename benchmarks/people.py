"""A table of people with several records, the whole way: every stage but the search timed by itself."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import likeness as lk
from benchmarks.clock import best_of, unit
from likeness import registry
from likeness.encode import describe_columns, encode
from likeness.forms.base import as_labelled
from likeness.microdata.plan import Plan, spread
from likeness.microdata.regions import recode
from likeness.queries.drawing import draw_workload, relative_errors
from likeness.tables import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.encode import Encoded
    from likeness.forms.base import Publication

ATTACKS = ("linkage", "homogeneity", "fingerprint", "membership")
QUERIES = 1_000
CROWD = 50
"""People of a class, where classes are drawn at random: the regions of nearly all of them hold nearly everybody."""


def stages(rows: int, repeat: int) -> None:
    """Time reading, profiling, publishing, proving, measuring, attacking and asking, on generated patients."""
    clock = _Clock(rows, repeat)
    told = _policy()
    with TemporaryDirectory() as place:
        source, folder = Path(place) / "patients.csv", Path(place) / "out"
        lk.Informs().generate(rows, seed=1).write_csv(source)
        clock.time("read, from CSV", lambda: read(source))
        table = read(source)
        clock.time("profile", lambda: lk.profile(table))
        encoded = encode(table, told)
        clock.people = encoded.data.people.size
        clock.time("encode", lambda: encode(table, told).data.people)
        clock.time("anonymize, Mondrian IR (6, 6)", lambda: lk.anonymize(table, told, seed=1))
        release = lk.anonymize(table, told, seed=1)
        clock.time("write, with the report", lambda: release.write(folder, overwrite=True))
        clock.time("verify, from public/", lambda: lk.verify(folder / "public"))
        clock.time("verify, with the original", lambda: lk.verify(folder, table))
        clock.time("measure, every metric", release.loss)
        _attack(clock, encoded, release.publication, "")
        _ask(clock, encoded, release.publication)
        _attack(clock, encoded, _at_random(encoded, told), ", random classes")


class _Clock:
    """Times stages and prints a line for each, in units of one argsort of as many numbers as records."""

    def __init__(self, rows: int, repeat: int) -> None:
        self.rows, self.repeat, self.people = rows, repeat, 0
        self.unit = unit(rows)

    def time(self, what: str, work: Callable[[], object]) -> None:
        """Time one stage, warm."""
        work()
        seconds = best_of(self.repeat, work)
        people = f"{self.people:,} individuals" if self.people else ""
        print(
            f"{what:52}{self.rows:>10,}{seconds:>10.3f}{seconds / self.unit:>8.1f}{'':>18}  {people}",
            flush=True,
        )


def _policy() -> lk.Policy:
    """Six quasi-identifiers; records of one person stay linked."""
    told: dict[str, Any] = lk.Informs().policy(6)
    told["columns"]["diagnosis"] = {"role": "sensitive"}
    told["privacy"] = [{"model": "ir-kl-anonymity", "k": 6, "l": 6}]
    return lk.Policy(**told, method={"name": "mondrian"}, form={"name": "identity-reserved"})


def _attack(clock: _Clock, encoded: Encoded, publication: Publication, where: str) -> None:
    """Time the attacks on people, of everybody."""
    for name in ATTACKS:
        attack = registry.create("attacks", name, {})
        clock.time(f"attack {name}{where}", lambda attack=attack: attack.run(publication, encoded.data, None))


def _ask(clock: _Clock, encoded: Encoded, publication: Publication) -> None:
    """Time queries that count people, as Wang et al. 2019 draws them."""
    asked: dict[str, Any] = {"queries": QUERIES, "predicates": 6, "selectivity": 0.05, "conditions": "values"}

    def draw() -> Any:
        return draw_workload(encoded.data, aggregate="individuals", **asked)

    clock.time(f"{QUERIES:,} queries about people, with exact answers", draw)
    workload = draw()
    clock.time(f"{QUERIES:,} queries about people, estimated", lambda: relative_errors(publication, workload))


def _at_random(encoded: Encoded, policy: lk.Policy) -> Publication:
    """Publish classes of anybody."""
    data = encoded.data
    people = data.people
    order = np.random.default_rng(0).permutation(people.size)
    plan = Plan(np.minimum(order // CROWD, max(1, people.size // CROWD) - 1))
    assert people.members is not None  # noqa: S101  # a table of people has members
    plan, recoding = recode(data, spread(plan, people.members.of))
    form = lk.IdentityReservedForm()
    published = form.publish(data, plan, recoding, np.random.default_rng(0))
    columns = describe_columns(encoded, policy, form, plan.published, published.tables)
    labelled = {
        name: {key: as_labelled(own) for key, own in table.items()}
        for name, table in published.tables.items()
    }
    publication: Publication = form.read(labelled, columns)
    return publication
