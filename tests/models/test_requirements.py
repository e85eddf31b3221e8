from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.models.tables import DISEASE_COUNTS, categorical, diseases

from likeness.errors import PolicyError
from likeness.microdata.domain import Domain
from likeness.models._requirements import require
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.models.basic_beta_likeness import BasicBetaLikeness
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.k_anonymity import KAnonymity

TWO = (categorical(3), replace(categorical(2), name="other"))
CODES = np.array([[0, 1, 0, 1, 2, 2], [0, 0, 1, 1, 1, 0]], np.int32)
CLASSES = np.array([0, 0, 0, 0, 1, 1])


def judge(model, sensitive=TWO, codes=CODES, classes=CLASSES, original=None) -> list[list[bool]]:
    """Per requirement, whether each class, or part of it, holds."""
    count = int(classes.max()) + 1
    return [
        requirement.bound.holds(requirement.statistics(classes, count, sensitive, codes)).tolist()
        for requirement in require([model], sensitive, codes, original)
    ]


def test_a_model_covers_every_sensitive_column_each_by_itself():
    found = require([KAnonymity(2), DistinctLDiversity(2)], TWO, CODES)
    assert [requirement.subject for requirement in found] == [
        "k-anonymity",
        "distinct-l-diversity on 'sensitive'",
        "distinct-l-diversity on 'other'",
    ]
    alone = judge(DistinctLDiversity(2, others="unknown"))
    assert alone == [[True, False], [True, True]]
    each = [DistinctLDiversity(2, sensitive=name) for name in ("sensitive", "other")]
    assert judge(DistinctLDiversity(2)) == [judge(one)[0] for one in each] != alone
    assert judge(KAnonymity(3)) == [[True, False]]


def test_columns_that_a_model_does_not_cover_are_known():
    # Class 0: who has 0 in the other column has 0 or 1, who has 1 too. Class 1: each is alone.
    assert judge(DistinctLDiversity(2, sensitive="sensitive")) == [[True, True, False, False]]
    assert judge(DistinctLDiversity(2, sensitive="sensitive", others="unknown")) == [[True, False]]
    (requirement,) = require([DistinctLDiversity(2, sensitive="sensitive")], TWO, CODES)
    stats = requirement.statistics(CLASSES, 2, TWO, CODES)
    assert stats.parent.tolist() == [0, 0, 1, 1]


def test_known_columns_make_parts_that_a_record_may_found():
    def closed(model):
        return [requirement.closed_under_adding for requirement in require([model], TWO, CODES)]

    assert closed(KAnonymity(2)) == [True]
    assert closed(DistinctLDiversity(2, others="unknown")) == [True, True]
    assert closed(DistinctLDiversity(2)) == [False, False]
    assert closed(DistinctLDiversity(2, sensitive="other")) == [False]
    assert closed(DistinctLDiversity(2, sensitive="other", others="unknown")) == [True]
    assert closed(BetaLikeness(2)) == [False, False]


def test_the_published_or_the_original_distribution():
    domain = (categorical(2),)
    original = np.array([[0] * 9 + [1]], np.int32)
    published, classes = original[:, 5:], np.array([0, 0, 0, 0, 0])
    # 1/5 of 1/5, or of 1/10.
    assert judge(BasicBetaLikeness("1/2"), domain, published, classes, original) == [[True]]
    as_papers = BasicBetaLikeness("1/2", reference="original")
    assert judge(as_papers, domain, published, classes, original) == [[False]]
    with pytest.raises(
        PolicyError, match=r"^basic-beta-likeness: reference 'original' needs the original table$"
    ):
        judge(as_papers, domain, published, classes)


DISEASE_CODES = np.repeat(np.arange(6), DISEASE_COUNTS)[None].astype(np.int32)
NERVOUS = np.where(DISEASE_CODES[0] < 3, 0, -1)


def test_values_under_a_node_count_as_one():
    # One nervous disease each: no single one is too likely, nervous diseases are certain.
    assert judge(BasicBetaLikeness(2), (diseases(),), DISEASE_CODES, NERVOUS) == [[True]]
    assert judge(BasicBetaLikeness(2, level=1), (diseases(),), DISEASE_CODES, NERVOUS) == [[True]]
    assert judge(BasicBetaLikeness(1, level=1), (diseases(),), DISEASE_CODES, NERVOUS) == [[False]]
    assert judge(BetaLikeness(9, level=1), (diseases(),), DISEASE_CODES, NERVOUS) == [[False]]
    (requirement,) = require([BetaLikeness(2, level=1)], (diseases(),), DISEASE_CODES)
    assert requirement.view.domain.labels == ["nervous", "circulatory"]
    assert requirement.bound.attribute.counts.tolist() == [8, 11]


@pytest.mark.parametrize(
    ("reference", "expected"), [("published", [False, True]), ("original", [False, False])]
)
def test_groups_are_compared_with_either_distribution(reference, expected):
    # Nervous: 4 of 15 published, 8 of 19 originally; 1 of 3 in class 0, 3 of 12 in class 1.
    published, classes = DISEASE_CODES[:, 4:], np.where(np.arange(15) % 5 == 0, 0, 1)
    assert [(published[0, classes == i] < 3).sum() for i in (0, 1)] == [1, 3]
    model = BasicBetaLikeness("1/20", level=1, reference=reference)
    assert judge(model, (diseases(),), published, classes, DISEASE_CODES) == [expected]


def test_a_missing_value_is_a_group_of_its_own():
    domain = replace(diseases(), missing=True)
    codes = np.append(DISEASE_CODES, [[6, 6]], axis=1).astype(np.int32)
    (requirement,) = require([BetaLikeness(2, level=1)], (domain,), codes)
    assert requirement.bound.attribute.counts.tolist() == [8, 11, 2]
    assert requirement.bound.attribute.label(2) == "missing"


def test_a_level_at_which_all_values_are_one_is_refused():
    with pytest.raises(
        PolicyError,
        match=r"^beta-likeness: level 2 of the hierarchy on 'sensitive' is its root, .* at most 1$",
    ):
        require([BetaLikeness(2, level=2)], (diseases(),), DISEASE_CODES)


def test_levels_need_a_hierarchy():
    with pytest.raises(
        PolicyError, match=r"^beta-likeness: level 1 needs a hierarchy on the sensitive column 'sensitive'$"
    ):
        require([BetaLikeness(2, level=1)], TWO, CODES)


def test_columns_that_are_not_there():
    with pytest.raises(
        PolicyError, match=r"^distinct-l-diversity: 'othr' is not a sensitive column; did you mean 'other'"
    ):
        require([DistinctLDiversity(2, sensitive="othr")], TWO, CODES)
    with pytest.raises(
        PolicyError, match=r"^distinct-l-diversity: needs a sensitive column, and none is declared$"
    ):
        require([DistinctLDiversity(2)], (), np.zeros((0, 6), np.int32))


def test_domains_of_a_release_may_lack_withheld_values():
    model = AlphaKAnonymity(0.5, 1, values=["gone"], sensitive="sensitive")
    with pytest.raises(PolicyError, match="has no value 'gone'"):
        require([model], TWO, CODES)
    assert len(require([model], TWO, CODES, complete=False)) == 1


def test_numbers_have_no_levels():
    income = Domain("income", "integer", np.array([1, 2]), "interval")
    with pytest.raises(PolicyError, match="needs a hierarchy"):
        require([BetaLikeness(2, level=1)], (income,), np.array([[0, 1]], np.int32))
