"""`Release.risk`: every figure, against plain counting on small tables, of every form."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.risk.population import K_MAP
from likeness.risk.reidentification import THRESHOLDS, Spread, threshold_of

PEOPLE = 120


def table(rows=PEOPLE, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, rows)
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], rows),
            "job": rng.choice(["cook", "nurse", "judge", "smith"], rows),
            "disease": np.where(rng.random(rows) < 0.3, "flu", rng.choice(["cold", "hiv", "gout"], rows)),
        }
    )


COLUMNS = {"age": lk.quasi(), "sex": lk.quasi(), "job": lk.quasi(), "disease": lk.sensitive()}
FORMS = {
    "generalized": {"method": "mondrian", "privacy": lk.KAnonymity(4)},
    "anatomized": {"method": {"name": "anatomy", "l": 2}, "privacy": lk.DistinctLDiversity(2)},
    "microaggregated": {"method": "mdav", "privacy": lk.KAnonymity(4), "form": "microaggregated"},
    "perturbed": {"method": "perturbation", "privacy": lk.BetaLikeness(2)},
}


def made(form, rows=None):
    columns = COLUMNS if form != "microaggregated" else COLUMNS | {"age": lk.quasi(kind="integer")}
    return lk.anonymize(
        table() if rows is None else rows,
        lk.Policy(columns=columns, withhold={"at_most": 0.2}, **FORMS[form]),
        seed=1,
    )


def shown_of(release):
    """(rows of the original,) what the release shows of everybody's quasi-identifiers, as texts; None of the withheld."""
    shown: list[tuple[str, ...] | None] = [None] * PEOPLE
    published = release.columns["release"]
    texts = [
        [column.labels[code] for code in column.codes]
        for column in (published[name] for name in ("age", "sex", "job"))
    ]
    for row, cells in zip(release.private.rows["release"].tolist(), zip(*texts, strict=True), strict=True):
        shown[row] = cells
    return shown


def covers(cells, person):
    """Whether a generalized row covers somebody, read as people would."""
    for text, value in zip(cells, person, strict=True):
        if text == "*":
            continue
        if text.startswith("["):
            low, high = text[1:-1].split(", ")
            if not int(low) <= value <= int(high):
                return False
        elif text.startswith("{"):
            if str(value) not in text[1:-1].split("|"):
                return False
        elif text != str(value):
            return False
    return True


def test_prosecutor_and_population_are_what_counting_finds():
    release = made("generalized")
    population = pl.concat([table(), table(600, seed=2)])
    found = release.risk(population=population, attacks=False)
    mine, everybody = table().drop("disease").rows(), population.drop("disease").rows()
    shown = shown_of(release)
    rows = [cells for cells in shown if cells is not None]
    candidates = [
        sum(covers(cells, person) for cells in rows) for person, own in zip(mine, shown, strict=True) if own
    ]
    assert found.prosecutor.mean == pytest.approx(np.mean([1 / own for own in candidates]))
    assert found.prosecutor.maximum == pytest.approx(1 / min(candidates))
    assert found.marketer == pytest.approx(len(set(rows)) / len(rows))
    whole = np.array([sum(covers(cells, person) for person in everybody) for cells in rows])
    seen = np.array([sum(covers(cells, person) for person in mine) for cells in rows])
    told = found.population
    assert told.counted
    assert told.population == 720
    assert told.smallest == whole.min()
    assert told.k_map == {k: pytest.approx((whole < k).mean()) for k in K_MAP}
    assert told.presence == pytest.approx(((seen / whole).min(), (seen / whole).mean(), (seen / whole).max()))
    assert told.journalist.mean == pytest.approx((1 / whole).mean())
    assert told.unique == pytest.approx((whole == 1).mean())
    assert told.uncovered == 0
    # A table of other people is not all of the population.
    assert release.risk(population=table(50, seed=3), attacks=False).population.uncovered > 0.5
    assert [one.chance for one in found.highest[:2]] == [found.prosecutor.maximum] * 2


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_every_part_that_is_defined(form):
    release = made(form)
    found = release.risk(
        population=pl.concat([table(), table(300, seed=2)]), control=table(60, seed=4), targets=50
    )
    assert found.people == release.certificate.records
    assert 0 <= found.prosecutor.minimum <= found.prosecutor.mean <= found.prosecutor.maximum <= 1
    assert sum(share for _, share in found.prosecutor.distribution) == pytest.approx(1)
    assert [one.name for one in found.three] == ["singling-out", "linkability", "inference"]
    for one in found.three:
        assert (one.success.tries, one.control.tries, one.naive.tries) == (50, 50, 50)
        assert one.gain in one.gain_interval
        assert one.success.rate in one.success.interval
    results = release.attack_all()
    assert {one.name for one in found.attacks} == set(results)
    for own in found.attacks:
        tried = results[own.name].details.get("targets") if own.name != "skewness" else None
        assert own.repetitions == tried
        assert own.interval is None or own.success in own.interval
        assert (own.interval is None) == (not tried)
    assert found.population.smallest >= 1
    told = json.loads(json.dumps(found.to_json()))
    assert told["prosecutor"]["mean"] == found.prosecutor.mean
    assert "highest" not in told
    estimated = release.risk(sampling_fraction=0.5, attacks=False)
    if form == "microaggregated":
        assert estimated.population is None
        assert "give a table of it" in estimated.skipped["population"]
    else:
        assert not estimated.population.counted
        assert estimated.population.population == 240


def test_who_is_at_risk_is_in_nothing_that_is_written():
    release = made("generalized")
    found = release.risk(attacks=False)
    assert found.highest
    assert "highest" not in repr(found)
    assert "row" not in json.dumps(found.to_json())
    assert "row of the original" not in str(found)
    assert "row of the original" in "\n".join(found.lines_of_highest())


def test_whole_population_leaves_nothing_to_estimate():
    release = made("generalized")
    counted = release.risk(population=table(), attacks=False).population
    estimated = release.risk(sampling_fraction=1.0, attacks=False).population
    assert estimated.k_map == pytest.approx(counted.k_map)
    assert estimated.presence == pytest.approx(counted.presence)
    assert estimated.journalist.mean == pytest.approx(counted.journalist.mean)


def test_people_with_several_records_are_counted_as_people():
    visits = pl.DataFrame(
        {
            "name": [f"p{i // 2}" for i in range(40)] + ["p0"] * 6,
            "age": [20 + i // 2 for i in range(40)] + [20] * 6,
            "disease": ["flu", "cold"] * 20 + ["hiv", "gout", "flu2", "a", "b", "c"],
        }
    )
    columns = {"name": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(
        columns=columns, privacy=lk.IrKAnonymity(4), individual="name", form="identity-reserved"
    )
    release = lk.anonymize(visits, policy, seed=1)
    registry = pl.DataFrame({"age": [20 + i // 3 for i in range(60)]})
    found = release.risk(population=registry, control=visits.head(10), attacks=False, targets=None)
    assert found.people == 20
    assert found.prosecutor.counted == 20
    assert found.prosecutor_of_records.counted == 46
    assert found.prosecutor.maximum == pytest.approx(0.25)
    assert found.population.population == 60
    assert found.three[0].success.tries == 20
    assert found.three[0].control.tries == 5


def test_thresholds_of_agencies():
    found = Spread.of(np.array([1 / 10, 1 / 11, 1 / 12, 1 / 19, 1 / 20, 1 / 21]), ["0.09", 0.05, "1/19"])
    assert found.above == {
        "0.09": pytest.approx(1 / 6),
        "0.05": pytest.approx(4 / 6),
        "1/19": pytest.approx(3 / 6),
    }
    assert THRESHOLDS == (0.09, 0.05)
    for refused in (0, 2, "x"):
        with pytest.raises(lk.PolicyError, match="threshold must be a number above 0 and at most 1"):
            threshold_of(refused)


def test_refusals_say_what_to_do():
    release = made("generalized")
    with pytest.raises(lk.PolicyError, match="not both"):
        release.risk(population=table(), sampling_fraction=0.5)
    with pytest.raises(lk.PolicyError, match="sampling_fraction must be a number above 0"):
        release.risk(sampling_fraction=2)
    with pytest.raises(lk.InvalidError, match="has no column 'job'"):
        release.risk(population=table().drop("job"))
    with pytest.raises(lk.InvalidError, match="has no column 'disease'"):
        release.risk(control=table().drop("disease"))
    with pytest.raises(lk.PolicyError, match="targets must be a whole number"):
        release.risk(targets=0)


def test_beliefs_are_of_people_where_they_have_several_records():
    """As guarantees are: of records a person with many of them would count often."""
    rng = np.random.default_rng(4)
    of = np.sort(rng.integers(0, 40, 120))
    ages = rng.integers(20, 30, 40)
    frame = pl.DataFrame(
        {"who": of, "age": ages[of], "disease": rng.choice(["flu", "cold", "gout", "HIV"], 120)}
    )
    columns = {"who": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(4), individual="who", method="mondrian")
    release = lk.anonymize(frame, policy, seed=1)
    plan, rows = release.private.solution.plan, release.private.encoded.data.rows
    kept = frame[rows[plan.published].tolist()].with_columns(own=pl.Series(plan.classes[plan.published]))
    found = {one.value: one for one in release.risk(attacks=False).beliefs}
    for value in ("flu", "cold", "gout", "HIV"):
        people = kept.group_by("own").agg(
            pl.col("who").n_unique().alias("all"),
            pl.col("who").filter(pl.col("disease") == value).n_unique().alias("own people"),
        )
        most = max(has / all_ for all_, has in zip(people["all"], people["own people"], strict=True))
        assert found[value].belief == pytest.approx(most)
        prior = kept.filter(pl.col("disease") == value)["who"].n_unique() / kept["who"].n_unique()
        assert found[value].prior == pytest.approx(prior)


def test_beliefs_are_shares_of_classes():
    release = made("generalized")
    shown, values = shown_of(release), table()["disease"].to_list()
    found = {one.value: one for one in release.risk(attacks=False).beliefs}
    classes: dict[tuple[str, ...], list[str]] = {}
    for cells, value in zip(shown, values, strict=True):
        if cells is not None:
            classes.setdefault(cells, []).append(value)
    for value, one in found.items():
        assert one.belief == pytest.approx(max(own.count(value) / len(own) for own in classes.values()))
        assert one.prior == pytest.approx(sum(own.count(value) for own in classes.values()) / PEOPLE)


def test_holding_out_keeps_people_together():
    rows = pl.DataFrame(
        {
            "name": [f"p{i // 3}" for i in range(90)],
            "age": [20 + i // 3 for i in range(90)],
            "disease": ["a", "b", "c"] * 30,
        }
    )
    policy = lk.Policy(
        columns={"name": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()},
        privacy=lk.IrKAnonymity(3),
        individual="name",
    )
    held = lk.hold_out(rows, policy, 0.2)
    assert held.control["name"].n_unique() == 6
    assert held.control.height == 18
    assert held.release.certificate.records == 72
    for refused in (0, 0.01, 0.95, "x"):
        with pytest.raises(lk.PolicyError, match="hold-out"):
            lk.hold_out(rows, policy, refused)
    assert is_dataclass(held.release.risk(attacks=False))
    assert {own.name for own in fields(lk.Risk)} >= {
        "prosecutor",
        "population",
        "three",
        "beliefs",
        "attacks",
        "highest",
    }


def test_people_held_out_have_the_numbers_of_those_who_stay(tmp_path):
    """Marks of thousands and decimals are of the whole table: 1.250 is no less in a part of it."""
    salary = [750 + 25 * (i % 40) for i in range(120)]
    plain = pl.DataFrame(
        {"salary": salary, "rate": [i % 7 + 0.5 for i in range(120)], "disease": ["a", "b", "c"] * 40}
    )
    plain.write_csv(tmp_path / "plain.csv")
    lines = [f"{f'{s:,}'.replace(',', '.')};{str(r).replace('.', ',')};{d}" for s, r, d in plain.rows()]
    (tmp_path / "german.csv").write_text("salary;rate;disease\n" + "\n".join(lines) + "\n", "utf-8")
    policy = lk.Policy(
        columns={"salary": lk.quasi(), "rate": lk.quasi(), "disease": lk.sensitive()},
        privacy=lk.KAnonymity(4),
    )
    german = lk.read(tmp_path / "german.csv", thousands=".")
    held = [lk.hold_out(table, policy, 0.25, seed=2) for table in (tmp_path / "plain.csv", german)]
    assert held[0].release.table.equals(held[1].release.table)
    found = [one.release.risk(control=one.control, attacks=False).three for one in held]
    assert found[0] == found[1]


def test_other_people_are_read_by_the_release_s_own_hierarchies(tmp_path):
    # Prefixes are made from the values that occur: those of the release and of a registry are not the same.
    rows = pl.DataFrame(
        {"zip": ["02101", "02102", "02106", "94001", "94002", "94003"], "disease": ["flu", "cold"] * 3}
    )
    columns = {"zip": lk.quasi(hierarchy={"prefix": 5}), "disease": lk.sensitive()}
    release = lk.anonymize(rows, lk.Policy(columns=columns, privacy=lk.KAnonymity(3)), seed=1)
    assert sorted(set(release.table["zip"])) == ["0210*", "9400*"]
    registry = pl.DataFrame(
        {"zip": ["02101", "02102", "02106", "02109", "94001", "94002", "94003", "94101", None]}
    )
    with pytest.raises(lk.InvalidError, match="column 'zip' has 1 missing value"):
        release.risk(population=registry, attacks=False)
    registry.head(8).write_csv(tmp_path / "registry.csv")
    found = release.risk(population=tmp_path / "registry.csv", attacks=False).population
    assert (found.population, found.smallest) == (8, 3)
    assert found.journalist.mean == pytest.approx((1 / 4 + 1 / 3) / 2)


def test_means_that_are_nearest_to_nobody_find_nobody():
    release = made("microaggregated")
    # All of the registry's people are nearest to few classes: nobody is found by the others.
    registry = pl.DataFrame({"age": [40], "sex": ["f"], "job": ["cook"]})
    found = release.risk(population=registry, attacks=False).population
    assert found.smallest >= 1
    assert found.journalist.maximum <= 1
    nobody = found.presence[0] == 0
    assert nobody == (found.journalist.minimum == 0)


def test_without_quasi_identifiers_a_table_of_others_tells_nothing():
    columns = dict.fromkeys(("age", "sex", "job"), lk.drop()) | {"disease": lk.sensitive()}
    release = lk.anonymize(table(), lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(2)), seed=1)
    with pytest.raises(lk.InvalidError, match="has no quasi-identifiers"):
        release.risk(population=table())
    found = release.risk(sampling_fraction=0.1, attacks=False)
    assert found.population.k_map == dict.fromkeys(K_MAP, pytest.approx(0))
    assert "fewer than two quasi-identifiers" in found.skipped["linkability"]


def test_people_whose_highest_category_is_published_have_no_control():
    visits = pl.DataFrame(
        {
            "name": [f"p{i // 2}" for i in range(80)],
            "age": [20 + i // 4 for i in range(80)],
            "disease": ["flu", "cold", "hiv", "gout"] * 20,
        }
    )
    policy = lk.Policy(
        columns={"name": lk.identifier(), "age": lk.quasi(), "disease": lk.sensitive()},
        privacy=lk.KAnonymity(2),
        individual="name",
        categories={"disease": {"low": ["flu", "cold"], "high": ["hiv", "gout"]}},
        method="pl-angelization",
        withhold={"at_most": 0.9},
    )
    release = lk.anonymize(visits, policy, seed=1)
    assert [one.name for one in release.risk(targets=20).three] == ["singling-out", "inference"]
    with pytest.raises(lk.PolicyError, match="highest category"):
        release.risk(control=visits.head(10))
