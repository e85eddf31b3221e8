"""What an earlier release lets everybody believe: its posterior, for everybody at once, whatever its form."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.knowledge.tables import COLUMNS, beliefs, learnt, policy_of, random_people, shares_of

import likeness as lk
from likeness.errors import LikenessError, PolicyError

NAMES = ("age", "zip", "sex", "disease")
ANY = {"withhold": {"at_most": 1}}
K = [{"model": "k-anonymity", "k": 3}]
FORMS = {
    "generalized": {"privacy": K},
    "sets": {"privacy": K, "form": {"name": "generalized", "recoding": "set"}},
    "hierarchy": {"privacy": K, "form": {"name": "generalized", "recoding": "hierarchy"}},
    "overlapping": {"privacy": K, "method": "mdav"},
    "parquet": {"privacy": K, "output": {"format": "parquet"}},
    "anatomized": {
        "privacy": [{"model": "distinct-l-diversity", "l": 2}],
        "method": {"name": "anatomy", "l": 2},
    },
    "angelized": {"privacy": [*K, {"model": "distinct-l-diversity", "l": 2}], "method": "angel"},
    "perturbed": {"privacy": [{"model": "beta-likeness", "beta": 3}], "method": "perturbation"},
    "baseline": {"privacy": [{"model": "k-anonymity", "k": 1}], "method": "baseline"},
    "microaggregated": {"privacy": K, "form": "microaggregated"},
    "mixed": {"privacy": K, "form": {"name": "mixed", "recoding": "set"}},
    "identity-reserved": {
        "privacy": [{"model": "ir-k-anonymity", "k": 3}],
        "individual": "who",
        "form": "identity-reserved",
    },
}


def columns_of(*, hierarchy=False):
    columns = {name: dict(COLUMNS[name]) for name in NAMES}
    if hierarchy:
        columns["age"] |= {"hierarchy": {"intervals": {"width": 10}}}
        del columns["age"]["domain"]
        columns["sex"] |= {"hierarchy": [["f", "*"], ["m", "*"]]}
    return columns


def published(folder, frame, columns, **policy):
    """A release in a folder."""
    made = lk.Policy(columns=columns, **({**ANY, **policy}))
    return lk.anonymize(frame, made, seed=3).write(folder)


def targets(publication, subject):
    """Quasi-identifiers of everybody, those that were published."""
    data, shown = subject.data, {cells.note.name for cells in publication.cells}
    for i in range(data.size):
        yield {
            quasi.name: None if quasi.missing_code == code else quasi.labels[code]
            for quasi, code in zip(data.quasi, data.codes[:, i].tolist(), strict=True)
            if quasi.name in shown
        }


def plain(publication, subject):
    """(n, m) The posterior of everybody, one record at a time; what everybody has there where nobody matches."""
    data, domain = subject.data, subject.domain
    found = np.zeros((data.size, domain.codes))
    labels = domain.labels_with("")
    for i, target in enumerate(targets(publication, subject)):
        for asked in (target, {}):
            told = publication.posterior(asked).get(domain.name, {})
            for label, share in told.items():
                if label in labels:
                    found[i, labels.index(label)] += share
            if found[i].any():
                break
    return found / found.sum(axis=1, keepdims=True)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_it_is_the_posterior_of_everybody(tmp_path, form):
    rng = np.random.default_rng(4)
    earlier = random_people(rng, 150, missing=form != "anatomized").select(NAMES)
    columns = columns_of(hierarchy=form == "hierarchy")
    policy = FORMS[form]
    if "individual" in policy:
        earlier = earlier.with_columns(who=pl.Series(rng.integers(0, 90, 150)))
        columns = {"who": {"role": "identifier"}} | columns
        policy = policy | {"hygiene": {"no_sensitive": "value"}}
    folder = published(tmp_path / "earlier", earlier, columns, **policy)
    now = random_people(np.random.default_rng(5), 80, missing=True).select(NAMES)
    publication = lk.open_release(folder).publication
    for place in ("earlier", "earlier/public"):
        found, subject = shares_of(now, lk.ReleaseKnowledge(place), columns_of(), tmp_path)
        wanted = plain(publication, subject)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    unlike = sum(not publication.posterior(target) for target in targets(publication, subject))
    assert subject.counted["unlike"] == unlike


def test_people_whom_nobody_there_could_be_are_counted(tmp_path):
    earlier = pl.DataFrame({"age": [20, 21, 50, 51], "disease": ["flu", "hiv", "hiv", "hiv"]})
    columns = {"age": {"role": "quasi"}, "disease": {"role": "sensitive"}}
    published(tmp_path / "out", earlier, columns, privacy=[{"model": "k-anonymity", "k": 2}])
    now = pl.DataFrame({"age": [20, 35, 50, 90], "disease": ["flu", "hiv", "hiv", "flu"]})
    found, subject = shares_of(now, lk.ReleaseKnowledge("out"), columns, tmp_path)
    assert found.tolist() == [[0.5, 0.5], [0.25, 0.75], [0, 1], [0.25, 0.75]]
    assert subject.counted == {"unlike": 2}

    class Heard(lk.progress.Progress):
        def __init__(self):
            self.notes = []

        def note(self, message):
            self.notes.append(message)

    from likeness.encode import encode
    from likeness.knowledge.base import learn

    heard, policy = Heard(), policy_of(columns, {"release": "out"}, tmp_path)
    learn(encode(lk.read(now), policy), policy, heard)
    assert heard.notes == [
        "knowledge: release: 2 records of the table could be nobody there; they are believed to have what everybody has there"
    ]


def test_values_that_nobody_has_any_more_are_not_believed_of_anybody(tmp_path):
    earlier = pl.DataFrame({"age": [20, 21, 50, 51], "disease": ["flu", "pest", "pest", "pest"]})
    columns = {"age": {"role": "quasi"}, "disease": {"role": "sensitive"}}
    published(tmp_path / "out", earlier, columns, privacy=[{"model": "k-anonymity", "k": 2}])
    now = pl.DataFrame({"age": [20, 50], "disease": ["flu", "hiv"]})
    # Of the second what remains there says nothing.
    found, subject = shares_of(now, lk.ReleaseKnowledge("out"), columns, tmp_path)
    assert found.tolist() == [[1, 0], [1, 0]]
    assert subject.counted == {"unlike": 1}


def test_a_release_against_itself_adds_exactly_nothing(tmp_path):
    frame = random_people(np.random.default_rng(9), 200).select(NAMES)
    release = lk.anonymize(
        frame, lk.Policy(columns=columns_of(), privacy=K, method="mondrian", **ANY), seed=1
    )
    release.write(tmp_path / "out")
    known, encoded = learnt(frame, policy_of(columns_of(), {"release": "out"}, tmp_path))
    classes = release.private.solution.plan.classes
    regions = release.table.select(NAMES[:3]).unique().height
    assert encoded.data.size == classes.size
    assert regions == np.unique(classes).size
    for number in np.unique(classes):
        # All of a class are believed alike, and what is believed is what the class has.
        inside = np.flatnonzero(classes == number)
        assert np.unique(known.of[inside]).size == 1
        shares = np.bincount(encoded.data.sensitive_codes[0][inside], minlength=4) / inside.size
        np.testing.assert_allclose(known.distributions.shares[known.of[inside[0]]], shares, atol=2**-39)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            "nothing",
            "knowledge: release: nowhere: is no release; it holds neither public/certificate.json nor",
        ),
        ("text", "certificate.json: is not a certificate of likeness"),
        ("changed", "release.csv: is not what certificate.json says; it was changed"),
        ("missing", "release.csv: is missing"),
        ("sensitive", "'illness' is no sensitive column there"),
        ("quasi", "its quasi-identifiers are age, zip, sex; the table has none of them"),
        ("values", "no value that 'disease' has there is one of the table"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path, damage, words):
    frame = random_people(np.random.default_rng(9), 60).select(NAMES)
    columns = columns_of()
    out = published(tmp_path / "out", frame, columns, privacy=K) / "public"
    folder = "nowhere" if damage == "nothing" else "out"
    if damage == "text":
        (out / "certificate.json").write_text("[]")
    if damage == "changed":
        (out / "release.csv").write_text((out / "release.csv").read_text().replace("flu", "hiv"))
    if damage == "missing":
        (out / "release.csv").unlink()
    if damage == "sensitive":
        frame = frame.rename({"disease": "illness"})
        columns["illness"] = columns.pop("disease")
    if damage == "quasi":
        frame = frame.rename({name: f"{name}2" for name in NAMES[:3]})
        columns = {f"{name}2": columns[name] for name in NAMES[:3]} | {"disease": columns["disease"]}
    if damage == "values":
        frame = frame.with_columns(disease=pl.col("disease") + "2")
    with pytest.raises(LikenessError) as refused:
        learnt(frame, policy_of(columns, {"release": folder}, tmp_path))
    assert len(refused.value.problems) == 1
    assert words in refused.value.problems[0]


@pytest.mark.slow
def test_last_years_release_of_the_same_people(tmp_path):
    frame = random_people(np.random.default_rng(11), 300).select(NAMES)
    published(tmp_path / "2024", frame, columns_of(), privacy=[{"model": "k-anonymity", "k": 20}])
    policy = lk.Policy.from_mapping(
        {
            "columns": columns_of(),
            "knowledge": {"release": "2024"},
            "privacy": [{"model": "js-background", "j": 0.05}, *K],
            **ANY,
        },
        folder=tmp_path,
    )
    release = lk.anonymize(frame, policy, seed=1)
    out = release.write(tmp_path / "2025")
    assert release.verify().ok
    assert lk.verify(out, frame, policy=policy).status == "proven"
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert certificate["knowledge"] == [{"source": "release", "sensitive": "disease", "parameters": {}}]
    assert "2024" not in (out / "public" / "certificate.html").read_text()
    # Without the earlier one nothing is lost: what was believed is kept with the release.
    (tmp_path / "2024" / "public" / "certificate.json").unlink()
    assert lk.verify(out, frame, policy=policy).status == "proven"
    assert beliefs(frame, policy_of(columns_of(), {"release": "2025"}, tmp_path)).shape == (300, 4)


def test_python_and_policies_say_the_same():
    source = lk.ReleaseKnowledge("../2024/out")
    policy = policy_of(columns_of(), source)
    assert policy.to_mapping()["knowledge"] == {"release": {"folder": "../2024/out"}}
    assert policy == policy_of(columns_of(), {"release": "../2024/out"})
    assert source.facts == source.check_facts({}) == {}
    with pytest.raises(PolicyError, match="release: folder must be the path of a file; got ''"):
        lk.ReleaseKnowledge("")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{release: 2024}", lk.ReleaseKnowledge("2024")),
        ("[{table: 1, name: 2, sensitive: 3}]", lk.TableKnowledge("1", called="2", sensitive="3")),
        ("{table: {file: 2023}}", lk.TableKnowledge("2023")),
        ("{kernel: {bandwidth: 1, from: 2023}}", lk.KernelKnowledge(1, from_="2023")),
    ],
)
def test_names_in_policy_files_are_the_texts_that_stand_there(tmp_path, text, wanted):
    (tmp_path / "policy.yaml").write_text(
        "columns: {age: {role: quasi}, '3': {role: sensitive}}\n"
        f"privacy: [{{model: js-background, j: 1}}]\nknowledge: {text}\n"
    )
    assert lk.Policy.load(tmp_path / "policy.yaml").knowledge == (wanted,)
