"""Original counts from published ones: the closed form, the biased variants, and how biased they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.oracles import perturbation as plain

from likeness.datasets.census import salary_counts
from likeness.errors import LikenessError
from likeness.microdata.mechanism import SCALE, Mechanism
from likeness.microdata.retention import retain

VARIANTS = ("plain", "clipped", "simplex", "bayes")
BIASED = VARIANTS[1:]
COUNTS = np.array([1, 2, 3, 4])
WORKED = retain(COUNTS, [plain.beta_limits(COUNTS, 2)], "paper")
ANY = Mechanism(np.array([3, 1, 2]), np.array([[6, 1, 2], [3, 8, 0], [1, 1, 8]]), 10)


def test_the_worked_example():
    """Worked out by hand: p = (.1, .2, .3, .4), β = 2."""
    found = WORKED.reconstruct(np.array([30, 25, 25, 20]))
    assert found.round(4).tolist() == [45.7321, 23.5117, 21.7997, 8.9565]


@settings(deadline=None, max_examples=60)
@given(
    counts=st.lists(st.integers(1, 60), min_size=2, max_size=12),
    beta=st.sampled_from(["1/2", "1", "2", "4"]),
    seed=st.integers(0, 99),
)
def test_the_closed_form_is_a_linear_solve(counts, beta, seed):
    mechanism = retain(np.array(counts), [plain.beta_limits(counts, beta)])
    observed = np.random.default_rng(seed).integers(0, 1000, len(counts))
    solved = np.linalg.solve(mechanism.matrix, observed)
    found = mechanism.reconstruct(observed)
    assert np.abs(found - solved).max() <= 1e-9 * np.abs(solved).max()
    assert found.sum() == pytest.approx(observed.sum())


def test_any_matrix_is_solved():
    observed = np.array([50.0, 30.0, 20.0])
    assert ANY.retention is None
    assert np.allclose(ANY.reconstruct(observed), np.linalg.solve(ANY.matrix, observed))
    two = ANY.reconstruct(np.array([observed, 2 * observed]))
    assert np.allclose(two, [ANY.reconstruct(observed), 2 * ANY.reconstruct(observed)])


def test_one_value_of_which_nothing_is_kept_can_still_be_told():
    """α = (1/2, 1/2, 0): the inverse exists, though a formula that divides by α fails."""
    mechanism = Mechanism(np.array([3, 3, 2]), np.array([[4, 1, 2], [1, 4, 2], [1, 1, 2]]), 6)
    assert mechanism.retention.tolist() == [0.5, 0.5, 0]
    assert np.allclose(mechanism.reconstruct(mechanism.matrix @ [9.0, 5.0, 3.0]), [9, 5, 3])


def test_two_values_of_which_nothing_is_kept_cannot():
    third = SCALE // 4
    even = np.full((4, 4), third, np.int64)
    mechanism = Mechanism(COUNTS, even)
    assert mechanism.retention.tolist() == [0, 0, 0, 0]
    for variant in ("plain", "clipped", "simplex"):
        with pytest.raises(LikenessError, match="no inverse, because too little"):
            mechanism.reconstruct(np.array([5, 5, 5, 5]), variant)
    assert np.allclose(mechanism.reconstruct(np.array([5, 5, 5, 5]), "bayes"), [2, 4, 6, 8])


def test_any_other_matrix_without_an_inverse():
    columns = np.array([[5, 5, 1], [3, 3, 1], [2, 2, 8]])
    mechanism = Mechanism(np.array([3, 1, 2]), columns, 10)
    with pytest.raises(LikenessError, match="variant 'bayes'"):
        mechanism.reconstruct(np.array([5, 5, 5]))
    found = mechanism.reconstruct(mechanism.matrix @ [3.0, 1.0, 2.0], "bayes")
    assert np.allclose(found, [3, 1, 2])


@settings(deadline=None, max_examples=60)
@given(
    observed=st.lists(st.lists(st.integers(0, 200), min_size=4, max_size=4), min_size=1, max_size=4),
    variant=st.sampled_from(BIASED),
)
def test_biased_variants_are_counts_of_as_many_records(observed, variant):
    counts = np.array(observed)
    found = WORKED.reconstruct(counts, variant)
    assert (found >= 0).all()
    assert np.allclose(found.sum(axis=-1), counts.sum(axis=-1))
    raw = WORKED.reconstruct(counts)
    for own, exact, total in zip(found, raw, counts.sum(axis=-1), strict=True):
        if variant == "clipped":
            cut = np.maximum(exact, 0)
            assert np.allclose(own, cut * (total / cut.sum() if total else 0))
        elif variant == "simplex":
            assert np.allclose(own, plain.nearest_on_simplex(exact.tolist(), float(total)), atol=1e-6)


@pytest.mark.parametrize("original", [[46, 24, 22, 9], [500, 1, 1, 1], [1, 900, 30, 2]])
def test_all_variants_agree_where_no_estimate_is_negative(original):
    observed = WORKED.matrix @ np.array(original, float)
    for variant in ("plain", "clipped", "simplex"):
        assert np.allclose(WORKED.reconstruct(observed, variant), original)
    bayes = WORKED.reconstruct(observed, "bayes", rounds=20_000)
    assert np.allclose(bayes, original, rtol=1e-3, atol=1e-3 * sum(original))


@pytest.mark.parametrize("mechanism", [WORKED, ANY])
def test_bayes_is_the_plain_iteration(mechanism):
    observed = np.array([30.0, 25.0, 25.0, 20.0][: mechanism.values])
    start = mechanism.counts * observed.sum() / mechanism.counts.sum()
    for rounds in (1, 2, 10):
        expected = plain.bayes(mechanism.matrix.tolist(), observed.tolist(), start.tolist(), rounds)
        found = mechanism.reconstruct(observed, "bayes", rounds=rounds, tolerance=0)
        assert np.allclose(found, expected)


def test_bayes_never_falls_in_likelihood_and_stops():
    observed = np.array([90.0, 5.0, 3.0, 2.0])
    likelihood = [
        float(observed @ np.log(WORKED.matrix @ WORKED.reconstruct(observed, "bayes", rounds=r, tolerance=0)))
        for r in (1, 3, 10, 100, 1000)
    ]
    assert likelihood == sorted(likelihood)
    early = WORKED.reconstruct(observed, "bayes", tolerance=0.5)
    assert np.allclose(early, WORKED.reconstruct(observed, "bayes", rounds=1, tolerance=0))


def test_shapes_and_values_that_do_not_occur():
    counts = np.array([0, 1, 2, 0, 3, 4])
    mechanism = retain(counts, [plain.beta_limits(counts, 2)], "paper")
    observed = np.array([[[0, 30, 25, 0, 25, 20]], [[0, 0, 0, 0, 0, 0]]])
    for variant in VARIANTS:
        found = mechanism.reconstruct(observed, variant)
        assert found.shape == observed.shape
        assert not found[..., [0, 3]].any()
        assert np.allclose(found[0, 0, [1, 2, 4, 5]], WORKED.reconstruct(np.array([30, 25, 25, 20]), variant))
        assert not found[1].any()
    only = Mechanism(np.array([0, 5]), np.array([[0, 0], [0, 100]]), 100)
    assert [only.reconstruct(np.array([0, 7]), variant).tolist() for variant in VARIANTS] == [[0, 7]] * 4


def test_mistakes():
    with pytest.raises(LikenessError, match="no reconstruction 'plane'; did you mean 'plain'"):
        WORKED.reconstruct(COUNTS, "plane")
    with pytest.raises(LikenessError, match=r"counts must be of 4 values; got shape \(3,\)"):
        WORKED.reconstruct(COUNTS[:3])
    only = Mechanism(np.array([0, 5]), np.array([[0, 0], [0, 100]]), 100)
    with pytest.raises(LikenessError, match="a value that the mechanism never publishes"):
        only.reconstruct(np.array([1, 7]))


def test_the_same_answer_alone_and_among_many():
    rng = np.random.default_rng(0)
    observed = rng.integers(0, 50, (30, 4))
    for variant in VARIANTS:
        together = WORKED.reconstruct(observed, variant)
        alone = [WORKED.reconstruct(one, variant) for one in observed]
        assert np.allclose(together, alone, rtol=1e-12)


REPETITIONS = 200
LEVEL = 1e-4
RAREST = 49


@pytest.fixture(scope="module")
def repeated():
    """The 30,000 salaries of a census, perturbed 200 times (β = 4): errors over all, and over 2,000 of them."""
    counts = salary_counts(30_000)
    mechanism = retain(counts, [plain.beta_limits(counts, 4)])
    rng = np.random.default_rng(7)
    codes = rng.permutation(np.repeat(np.arange(50), counts))
    true = np.array([counts, np.bincount(codes[:2000], minlength=50)])
    seen = np.empty((REPETITIONS, 2, 50))
    for repetition in seen:
        published = mechanism.perturb(codes, rng)
        repetition[:] = np.bincount(published, minlength=50), np.bincount(published[:2000], minlength=50)
    return {variant: mechanism.reconstruct(seen, variant) - true for variant in VARIANTS}


def joint_test(errors):
    """Hotelling's test that the mean of every error is 0: its p-value (one count follows from the others)."""
    own = errors[:, :-1]
    n, d = own.shape
    mean = own.mean(axis=0)
    statistic = n * mean @ np.linalg.solve(np.cov(own.T), mean)
    return stats.f.sf((n - d) / (d * (n - 1)) * statistic, d, n - d)


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, 1])
def test_the_plain_inverse_is_unbiased(repeated, part):
    assert joint_test(repeated["plain"][:, part]) > LEVEL


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("variant", BIASED)
def test_the_others_are_biased_and_nearer(repeated, variant, part):
    """The rarest value is overestimated: by 4.4 to 9.8 standard errors of 200 repetitions when measured."""
    errors = repeated[variant][:, part]
    assert joint_test(errors) < LEVEL
    rare = errors[:, RAREST]
    assert rare.mean() > 4 * rare.std(ddof=1) / REPETITIONS**0.5
    assert (errors**2).mean() < 0.9 * (repeated["plain"][:, part] ** 2).mean()
