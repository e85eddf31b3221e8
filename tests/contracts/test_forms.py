"""What holds of every form there is: a new file in `likeness/forms` is tested here at once."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import labelled, notes_on, plan_for, publish
from tests.metrics.tables import evaluations

from likeness import registry
from likeness.errors import TableError
from likeness.forms.base import Publication
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan
from likeness.published.columns import ColumnNote, PublishedColumns
from likeness.published.text import write_label, write_value
from likeness.queries.overlap import Overlap
from likeness.queries.query import Query

NAMES = registry.names("forms")
EASY = settings(deadline=None, max_examples=60)


@st.composite
def releases(draw: st.DrawFn, name: str):
    """A form, a table, and what was published of it."""
    evaluation = draw(evaluations())
    data = evaluation.data
    missing = draw(st.booleans())
    disease = replace(data.sensitive[0], missing=missing)
    codes = [draw(st.integers(0, disease.codes - 1)) for _ in range(data.size)]
    data = replace(data, sensitive=(disease,), sensitive_codes=np.array([codes], np.int32))
    seed = draw(st.integers(0, 99))
    form = example("forms", name)
    return data, *publish(form, data, plan_for(form, data, evaluation.plan, seed), seed)


def pairs(left: np.ndarray, right: np.ndarray) -> int:
    return len(set(zip(left.tolist(), right.tolist(), strict=True)))


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_what_is_read_back_is_what_was_decided(name, draw):
    _, publication, published, plan = draw.draw(releases(name))
    form = example("forms", name)
    rows = published.rows[form.tables[0]]
    assert tuple(published.tables) == form.tables
    assert sorted(rows.tolist()) == np.flatnonzero(plan.published).tolist()
    assert publication.size == rows.size
    own = plan.classes if plan.buckets is None else plan.buckets
    for decided, read in ((own, publication.classes), (plan.classes, publication.identities)):
        count = len(set(decided[rows].tolist()))
        assert pairs(decided[rows], read) == len(set(read.tolist())) == count
        assert sorted(set(read.tolist())) == list(range(count))


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_every_record_lies_in_the_regions_it_shows(name, draw):
    data, publication, published, _ = draw.draw(releases(name))
    form = example("forms", name)
    rows = published.rows[form.tables[0]]
    assert [cells.note.name for cells in publication.cells] == [domain.name for domain in data.quasi]
    for cells, domain, codes in zip(publication.cells, data.quasi, data.codes, strict=True):
        values = [*domain.labels, *([None] if domain.missing else [])]
        shown = form.shows(domain.kind, domain.shape)
        if shown != "region":
            for number in set(publication.identities.tolist()):
                own = codes[rows[publication.identities == number]].tolist()
                assert cells.regions[int(cells.of[number])].text == aggregate(shown, domain, own)
            continue
        overlap = Overlap(cells.note, cells.regions)
        for row, code in enumerate(codes[rows].tolist()):
            region = int(cells.of[publication.identities[row]])
            assert overlap.contains(values[code])[region]
            if form.publishes_exactly:
                assert sum(overlap.contains(value)[region] for value in values) == 1


def aggregate(shown: str, domain: Domain, codes: list[int]) -> str:
    """The text of the mean or mode of some values, by fractions and by counting."""
    missing = [code == domain.missing_code for code in codes]
    if shown == "mode":
        often = Counter(codes)
        code = min(often, key=lambda own: (-often[own], own))
        write = write_label if domain.shape == "tree" else write_value
        return "" if code == domain.missing_code else write(domain.labels[code])
    if any(missing):
        return "" if all(missing) else "*"
    if domain.kind == "date":
        days = [int(domain.numbers[code]) for code in codes]
        return str(np.datetime64("1970-01-01") + round(Fraction(sum(days), len(days))))
    return str(float(sum(Fraction(domain.labels[code]) for code in codes) / len(codes)))


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_every_class_holds_its_sensitive_values(name, draw):
    data, publication, published, plan = draw.draw(releases(name))
    rows = published.rows[example("forms", name).tables[0]]
    own = plan.classes if plan.buckets is None else plan.buckets
    (domain,) = publication.sensitive
    for number in set(publication.classes.tolist()):
        here = publication.classes == number
        shown = [[*domain.labels, None][code] for code in publication.sensitive_codes[0][here]]
        decided = set(own[rows[here]].tolist())
        assert len(decided) == 1
        values = data.sensitive_codes if plan.sensitive is None else plan.sensitive
        codes = values[0][own == decided.pop()]
        assert sorted(map(str, shown)) == sorted(
            str([*data.sensitive[0].labels, None][code]) for code in codes
        )
        assert publication.describe_class(number)


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_estimates(name, draw):
    data, publication, _, _ = draw.draw(releases(name))
    assert publication.estimate(Query({})) == pytest.approx(publication.size)
    (domain,) = data.sensitive
    sick = [*domain.labels, None]
    by_value = [ask(publication, {"disease": [value]}) for value in sick]
    assert sum(by_value) == pytest.approx(publication.size)
    counts = np.bincount(publication.sensitive_codes[0], minlength=publication.sensitive[0].codes)
    # Estimates are made of perturbed values: the counts of those are not the answer, and it may be negative.
    exact = publication.mechanism is None
    if exact:
        assert sorted(x for x in by_value if x) == pytest.approx(sorted(counts[counts > 0].tolist()))
    for own in data.quasi:
        for where in ({}, {"disease": sick[:1]}):
            whole = ask(publication, where)
            try:
                parts = [ask(publication, {own.name: part} | where) for part in split(own)]
            except TableError as unknown:
                assert "what '*' stands for was not published" in str(unknown)
                continue
            assert sum(parts) == pytest.approx(whole, abs=1e-9)
            assert not exact or all(0 <= part <= whole + 1e-9 for part in parts)


def ask(publication: Publication, where: dict[str, list[object]]) -> float:
    """The estimate; 0 where a category is asked for that was not published, which is refused."""
    try:
        return publication.estimate(Query(where))
    except TableError as refused:
        if "is not one of its values" not in str(refused):
            raise
        return 0.0


def split(domain: Domain) -> list[object]:
    """Conditions that together every value meets, each value one of them."""
    if domain.shape != "interval":
        return [[value] for value in [*domain.labels, None]]
    if domain.kind == "ordered":
        return [[label] for label in domain.labels] + [[None]]
    low, high = float(domain.numbers[0]), float(domain.numbers[-1])
    if domain.kind == "real":
        # Between the values, so that no end is shared.
        middle = (low + high) / 2 + 1 / 64
        return [(low - 1, middle), (middle, high + 1), [None]]
    step = (low + high) // 2
    if domain.kind == "integer":
        return [(int(low) - 9, int(step)), (int(step) + 1, int(high) + 9), [None]]
    day = np.datetime64("1970-01-01")
    days = [str(day + int(x)) for x in (low - 9, step, step + 1, high + 9)]
    return [tuple(days[:2]), tuple(days[2:]), [None]]


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_beliefs_are_those_of_the_candidates(name, draw):
    data, publication, published, _ = draw.draw(releases(name))
    rows = published.rows[example("forms", name).tables[0]]
    record = draw.draw(st.integers(0, data.size - 1))
    known = draw.draw(st.sets(st.sampled_from([domain.name for domain in data.quasi])))
    values = {
        domain.name: None if codes[record] == domain.missing_code else domain.labels[codes[record]]
        for domain, codes in zip(data.quasi, data.codes, strict=True)
    }
    target = {key: value for key, value in values.items() if key in known}
    beliefs = publication.posterior(target)
    candidates = publication.candidates(target)
    if record in rows and publication.covers:
        assert publication.classes[rows.tolist().index(record)] in candidates
    if not candidates.size:
        assert beliefs == {}
        return
    assert set(beliefs) == {"disease"}
    assert all(0 < belief <= 1 + 1e-12 for belief in beliefs["disease"].values())
    inside = np.isin(publication.classes, candidates)
    if publication.persons is not None:
        having = {
            (person, code)
            for person, code in zip(
                publication.persons[inside], publication.sensitive_codes[0][inside], strict=True
            )
        }
        counts = np.bincount([code for _, code in having]) / len({person for person, _ in having})
        assert sorted(beliefs["disease"].values()) == pytest.approx(sorted(counts[counts > 0].tolist()))
        return
    assert sum(beliefs["disease"].values()) == pytest.approx(1)
    if len(candidates) == 1 and publication.mechanism is None:
        shares = np.bincount(publication.sensitive_codes[0][inside]) / inside.sum()
        assert sorted(beliefs["disease"].values()) == pytest.approx(sorted(shares[shares > 0].tolist()))


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_the_seed_decides_the_order(name, draw):
    evaluation = draw.draw(evaluations())
    form = example("forms", name)
    plan = plan_for(form, evaluation.data, evaluation.plan)
    tables = [publish(form, evaluation.data, plan, seed)[1] for seed in (3, 3)]
    for key in form.tables:
        assert tables[0].rows[key].tolist() == tables[1].rows[key].tolist()
    assert texts(tables[0]) == texts(tables[1])


def texts(published):
    return [
        [own.labels[code] for code in own.codes]
        for columns in labelled(published.tables).values()
        for own in columns.values()
    ]


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_in_an_order_of_their_own(name):
    own = Domain("age", "integer", np.arange(40), "interval", low=0, high=39)
    disease = Domain("disease", "categorical", np.array(["a", "b"], object), "set")
    codes = np.arange(40, dtype=np.int32)
    data = Microdata((own,), codes[None], (disease,), (codes % 2)[None], np.arange(40))
    plan = plan_for(example("forms", name), data, Plan(np.arange(40) // 4))
    orders = [publish(example("forms", name), data, plan, seed)[1].rows for seed in range(3)]
    main = example("forms", name).tables[0]
    assert orders[0][main].tolist() != orders[1][main].tolist() != orders[2][main].tolist()
    # No record stands near its place in the original, nor beside the others of its class, but by chance.
    for order in orders:
        assert abs(np.corrcoef(order[main], np.arange(40))[0, 1]) < 0.6
        classes = plan.classes[order[main]]
        assert np.count_nonzero(classes[1:] == classes[:-1]) < 20


@pytest.mark.parametrize("name", NAMES)
@given(draw=st.data())
@EASY
def test_what_is_read_depends_on_texts_and_notes_alone(name, draw):
    """The order of labels, and labels that nobody has, mean nothing; notes survive the certificate."""
    data, publication, published, plan = draw.draw(releases(name))
    form = example("forms", name)
    notes = notes_on(form, data, plan, published)
    written = [ColumnNote.from_json(json.loads(json.dumps(note.to_json()))) for note in notes.notes]
    tables = {
        key: {column: replace(own, codes=order[own.codes], labels=[own.labels[i] for i in np.argsort(order)])
              for column, own in columns.items()
              for order in [np.random.default_rng(1).permutation(len(own.labels)).astype(np.int32)]}
        for key, columns in labelled(published.tables).items()
    }  # fmt: skip
    again = form.read(tables, PublishedColumns(tuple(written)))
    assert pairs(publication.classes, again.classes) == len(set(again.classes.tolist()))
    assert pairs(publication.identities, again.identities) == len(set(again.identities.tolist()))
    assert ask(again, {"disease": ["flu"]}) == ask(publication, {"disease": ["flu"]})
