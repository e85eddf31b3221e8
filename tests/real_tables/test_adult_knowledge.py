"""Adult under what people alike have: which parts there are, what they cost, and what is lost."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.adult import THREE, complete

import likeness as lk
from likeness.apart import least_withheld, parts_of
from likeness.encode import encode
from likeness.errors import CannotBeMetError
from likeness.knowledge.base import learn
from likeness.methods.base import holding_classes
from likeness.microdata.divergence import jensen_shannon
from likeness.models.requirements import require_of
from likeness.tables import read

pytestmark = pytest.mark.slow
FORM = {"name": "generalized", "recoding": "set"}


def asked(j, reference="published", **given):
    privacy = [lk.KAnonymity(5), lk.BetaLikeness(3, reference=reference), lk.JsBackground(j)]
    columns = {name: lk.quasi() for name in THREE} | {"occupation": lk.sensitive()}
    knowledge = {"kernel": {"bandwidth": 0.3}}
    return lk.Policy(columns=columns, privacy=privacy, knowledge=knowledge, form=FORM, **given)


@pytest.fixture(scope="module")
def people(data_folder):
    """All complete records."""
    return complete(data_folder, 45_222).select(*THREE, "occupation")


@pytest.mark.parametrize(
    ("j", "clusters", "not_whole", "withheld"),
    [("0.1", 48, 4562, 1636), ("0.2", 20, 4072, 1513), ("0.3", 13, 4066, 1499), ("0.4", 10, 3862, 1476),
     ("0.5", 6, 1695, 177), ("0.8", 3, 0, 0), ("0.4842", 7, 1695, 252)],
)  # fmt: skip
def test_what_cannot_be_published_whole_and_at_all(people, j, clusters, not_whole, withheld):
    policy = asked(j, "original")
    encoded = learn(encode(read(people), policy), policy)
    requirements = require_of(encoded.name_models(policy.privacy), encoded.data, encoded.data)
    parts = parts_of(encoded.data, requirements)
    searched = tuple(one for one in requirements if not one.bound.parts_suffice)
    whole = holding_classes(searched, encoded.data, parts, int(parts.max()) + 1)
    assert int(parts.max()) + 1 == clusters
    assert int(np.bincount(parts)[~whole].sum()) == not_whole
    assert least_withheld(encoded.data, searched, parts) == withheld


@pytest.mark.parametrize(("at_most", "named", "then"), [(0.01, "0.4842", 252), (0, "0.77574", 0)])
def test_a_refusal_names_the_smallest_j(people, at_most, named, then):
    with pytest.raises(CannotBeMetError) as refused:
        lk.anonymize(people, asked("0.3", method="mondrian", withhold={"at_most": at_most}), seed=1)
    (line,) = [line for line in refused.value.problems if "the smallest j" in line]
    assert f"withheld is {named}: {then} records then" in line


@pytest.mark.parametrize(("j", "withheld"), [("0.4", 109), ("0.5", 2)])
def test_who_can_move_is_not_withheld(people, j, withheld):
    policy = asked(j, "original", method="burel", withhold={"at_most": 0.01 if j == "0.4" else 0.001})
    release = lk.anonymize(people, policy, seed=1)
    assert sum(release.counts["withheld"].values()) == withheld


@pytest.mark.parametrize(
    ("j", "method", "withheld", "most"),
    [("0.8", "burel", 0, 0.080), ("0.8", "mondrian", 0, 0.24), ("0.3", "burel", 1499, 0.036)],
)
def test_loss(people, j, method, withheld, most):
    reference = "original" if withheld else "published"
    policy = asked(j, reference, method=method, withhold={"at_most": 0.04})
    release = lk.anonymize(people, policy, seed=1)
    assert sum(release.counts["withheld"].values()) == withheld
    assert 0 < release.loss("ncp")["ncp"] <= most
    classes = release.private.solution.plan.classes
    known = release.private.encoded.data.knowledge[0]
    for number in np.unique(classes[classes >= 0])[:20]:
        rows = known.distributions.rows[np.unique(known.of[classes == number])].tolist()
        assert all(jensen_shannon(rows[0], other).at_most(Fraction(j)) for other in rows)
