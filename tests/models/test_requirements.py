from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.models.tables import DISEASE_COUNTS, categorical, diseases

from likeness.errors import CannotBeMetError, PolicyError
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.models.alpha_k_anonymity import AlphaKAnonymity
from likeness.models.basic_beta_likeness import BasicBetaLikeness
from likeness.models.beta_likeness import BetaLikeness
from likeness.models.distinct_l_diversity import DistinctLDiversity
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.k_anonymity import KAnonymity
from likeness.models.requirements import published_values, refuse_nothing, require, require_of
from likeness.models.rho_privacy import RhoPrivacy


def shown(model):
    """Name a case, alike in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(model))


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


def test_values_that_nobody_has_are_no_guarantee():
    model = AlphaKAnonymity(0.5, 1, values=["gone"], sensitive="sensitive")
    with pytest.raises(PolicyError, match="has no value 'gone'"):
        require([model], TWO, CODES)
    with pytest.raises(PolicyError, match="names 'gone', which nobody has"):
        require([model], TWO, CODES, complete=False)
    assert published_values(model, TWO) == {*TWO[0].labels}
    assert model.naming_only({"0"}) == model
    both = AlphaKAnonymity(0.5, 1, values=["gone", "0"])
    assert both.naming_only({"0"}) == AlphaKAnonymity(0.5, 1, values=["0"])


ONE = (categorical(3),)


@pytest.mark.parametrize(
    "model",
    [
        AlphaKAnonymity(0.5, 2, values=["2"]),
        RhoPrivacy({"2": "1/3"}),
        RhoPrivacy({"0": "1/3", "2": "1/3"}, rho1={"0": "1/100", "2": "1/100"}),
        RhoPrivacy("1/2", rho1="1/100"),
        BetaLikeness(caps={"0": 1, "1": "1", "2": 0}),
        BetaLikeness(caps={"0": 1, "1": "1"}, negative=1),
        BetaLikeness(bound=lambda _: 1),
    ],
    ids=shown,
)
def test_guarantees_about_nothing_are_refused(model):
    """Half of the records have the value 0, half 1; nobody has 2, though the column could."""
    requirements = require([model], ONE, CODES[:1] % 2, complete=False)
    with pytest.raises(
        CannotBeMetError, match=f"{model.name} on 'sensitive': says nothing about these records: "
    ):
        refuse_nothing(requirements)


@pytest.mark.parametrize(
    "model",
    [
        AlphaKAnonymity(0.5, 2, values=["2", "0"]),
        RhoPrivacy({"2": "1/3", "1": "9/10"}),
        RhoPrivacy("3/4", rho1="1/2"),
        BetaLikeness(caps={"0": 1, "1": "99/100"}),
        BetaLikeness(caps={"0": 1, "1": "1"}, negative="1/2"),
        KAnonymity(1),
    ],
    ids=shown,
)
def test_weak_guarantees_are_guarantees(model):
    refuse_nothing(require([model], ONE, CODES[:1] % 2, complete=False))


def test_a_column_of_one_value_is_no_fault_of_a_bound():
    refuse_nothing(require([BetaLikeness(bound=lambda _: 1)], ONE, CODES[:1] * 0, complete=False))


@pytest.mark.parametrize(
    "model",
    [BetaLikeness(caps={"0": 1, "nobody": 1}), RhoPrivacy({"0": "1/2", "nobody": "1/2"}), AlphaKAnonymity(1, 2, ["nobody"])],
    ids=shown,
)  # fmt: skip
@pytest.mark.parametrize("complete", [True, False])
def test_names_are_those_of_values(model, complete):
    with pytest.raises(PolicyError, match="'nobody'"):
        require([model], ONE, CODES[:1], complete=complete)


def test_a_bound_of_the_originals_distribution_would_tell_it():
    for given in ({"bound": lambda p: 2 * p}, {"caps": {"0": 1}}):
        with pytest.raises(PolicyError, match="needs reference: published"):
            BetaLikeness(reference="original", **given)


def test_numbers_have_no_levels():
    income = Domain("income", "integer", np.array([1, 2]), "interval")
    with pytest.raises(PolicyError, match="needs a hierarchy"):
        require([BetaLikeness(2, level=1)], (income,), np.array([[0, 1]], np.int32))


def column(codes, individuals=None) -> Microdata:
    """Records of one sensitive column, and whose they are."""
    codes = np.asarray(codes, np.int32)[None]
    domain = categorical(int(codes.max()) + 1)
    rows = np.arange(codes.size)
    return Microdata((), np.zeros((0, codes.size), np.int32), (domain,), codes, rows, individuals)


def partitions(items):
    """All ways to divide a list into classes."""
    if not items:
        yield []
        return
    for found in partitions(items[1:]):
        yield [[items[0]], *found]
        for i, own in enumerate(found):
            yield [*found[:i], [items[0], *own], *found[i + 1 :]]


def test_frequent_values_bound_the_mean_size_of_classes():
    rng = np.random.default_rng(3)
    tried = 0
    for _ in range(25):
        codes = rng.choice(4, size=int(rng.integers(3, 8)), p=[0.6, 0.2, 0.1, 0.1]).tolist()
        data = column([*codes, 3])
        codes.append(3)
        for least in (2, 3):
            (requirement,) = require_of([DistinctLDiversity(least)], data)
            most = max(
                (len(own) for own in partitions(codes) if all(len({*part}) >= least for part in own)),
                default=0,
            )
            assert requirement.smallest_mean(data)[0] == (-(-len(codes) // most) if most else 1)
            tried += most > 1
    assert tried > 10


def test_a_mean_class_is_larger_than_l_where_nearly_all_have_few_values():
    codes = np.repeat([0, 1, 2, 3, 4], [400, 330, 250, 10, 10])
    data = column(codes)
    (requirement,) = require_of([DistinctLDiversity(4)], data)
    assert set(requirement.bound.smallest_classes().tolist()) == {4}
    assert requirement.smallest_mean(data) == (
        50,
        "98.0% of the records have one of the 3 most frequent values, and every class needs another",
    )
    (k,) = require_of([KAnonymity(4)], data)
    assert k.smallest_mean(data) == (1, "")


def test_people_whose_values_are_among_few_bound_the_mean_class_of_eir():
    # Everybody of the first 49 has two of the three frequent values; every fiftieth has another.
    rows = [(p, v) for p in range(100) for v in ((p % 3, (p + 1) % 3) if p % 50 else (3 + p // 50,))]
    people, codes = (np.array(own) for own in zip(*rows, strict=True))
    data = column(codes, people)
    (requirement,) = require_of([EirLDiversity(4)], data)
    assert requirement.smallest_mean(data) == (
        50,
        "98.0% of the people have one of the 3 most frequent values, and every class needs another",
    )
