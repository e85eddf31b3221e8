"""Complete linkage on what is known: against scipy, against clustering the records, exact cuts, and Adult."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from tests.adult import THREE, complete
from tests.models.tables import categorical

import likeness as lk
from likeness.encode import encode
from likeness.kernels.beliefs import divergence, divergences, entropies
from likeness.knowledge.base import learn
from likeness.microdata import clustering
from likeness.microdata.clustering import Dendrogram, clusters_of, dendrogram_of
from likeness.microdata.divergence import ERROR, jensen_shannon
from likeness.microdata.knowledge import Distributions, Knowledge, rounded

EASY = settings(deadline=None, max_examples=60)


def distinct(shares):
    return np.unique(rounded(np.array(shares, np.float64)), axis=0)


def random_rows(rng, count, values, *, ties):
    """Distinct distributions; with ties many pairs are equally far apart."""
    shares = rng.integers(0, 3, (count, values)) + 1e-9 if ties else rng.dirichlet(np.ones(values), count)
    return distinct(shares)


def apart(rows):
    """(c, c) Divergences."""
    shares = rows / rows[0].sum()
    found = np.zeros((len(rows), len(rows)))
    found[np.triu_indices(len(rows), 1)] = divergences(shares, entropies(shares))
    return found + found.T


def merges(dendrogram):
    """Members of every cluster that joining makes, with its height."""
    members = {i: frozenset([i]) for i in range(len(dendrogram.rows))}
    for one, other, height in zip(dendrogram.one, dendrogram.other, dendrogram.height, strict=True):
        members[int(one)] |= members.pop(int(other))
        yield members[int(one)], float(height)


def scipy_merges(rows):
    found = linkage(apart(rows)[np.triu_indices(len(rows), 1)], "complete")
    members = {i: frozenset([i]) for i in range(len(rows))}
    for step, (one, other, height, _) in enumerate(found):
        members[len(rows) + step] = members.pop(int(one)) | members.pop(int(other))
        yield members[len(rows) + step], height


def plain_clusters(codes, far, j):
    """Clusters of records by definition: join the nearest, of equally near ones the lowest, until j is passed."""
    clusters = [frozenset(np.flatnonzero(codes == code).tolist()) for code in np.unique(codes)]
    where = {record: int(code) for record, code in enumerate(codes)}
    while len(clusters) > 1:
        height, one, other = min(
            (max(far[where[x], where[y]] for x in a for y in b), i, k)
            for (i, a), (k, b) in combinations(enumerate(clusters), 2)
        )
        if height > j:
            break
        clusters[one] |= clusters.pop(other)
    return set(clusters)


def partition(labels):
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


class TestDendrogram:
    @EASY
    @given(seed=st.integers(0, 10**6))
    def test_without_ties_it_is_that_of_scipy(self, seed):
        rng = np.random.default_rng(seed)
        rows = random_rows(rng, int(rng.integers(2, 40)), int(rng.integers(2, 6)), ties=False)
        found, expected = dict(merges(Dendrogram.of(rows))), dict(scipy_merges(rows))
        assert found.keys() == expected.keys()
        assert all(found[key] == pytest.approx(height, abs=1e-14) for key, height in expected.items())

    @EASY
    @given(seed=st.integers(0, 10**6))
    def test_heights_are_the_widest_divergences_and_ascend(self, seed):
        rng = np.random.default_rng(seed)
        rows = random_rows(rng, int(rng.integers(2, 30)), 3, ties=True)
        far, dendrogram = apart(rows), Dendrogram.of(rows)
        for members, height in merges(dendrogram):
            assert height == max(far[x, y] for x, y in combinations(sorted(members), 2))
        assert (np.diff(dendrogram.height) >= 0).all()
        assert (dendrogram.one < dendrogram.other).all()

    def test_one_distribution_is_one_cluster(self):
        alone = Dendrogram.of(distinct([[1, 1]]))
        assert alone.height.size == 0
        assert alone.cut(Fraction(0)).tolist() == [0]

    def test_it_is_made_once(self):
        known = Knowledge.from_shares(categorical(2), np.eye(2), np.array([0, 1]))
        assert dendrogram_of(known.distributions) is dendrogram_of(known.take(np.array([1])).distributions)


class TestCuts:
    @EASY
    @given(seed=st.integers(0, 10**6), j=st.sampled_from(["0", "0.05", "0.1", "0.3", "0.6", "1"]))
    def test_no_two_of_a_cluster_are_further_apart(self, seed, j):
        rng = np.random.default_rng(seed)
        rows = random_rows(rng, int(rng.integers(2, 25)), int(rng.integers(2, 5)), ties=bool(rng.integers(2)))
        base = None if rng.integers(2) else Fraction(2)
        cluster = Dendrogram.of(rows).cut(Fraction(j), base)
        for members in partition(cluster):
            for x, y in combinations(members, 2):
                assert jensen_shannon(rows[x].tolist(), rows[y].tolist(), base).at_most(Fraction(j))
        assert cluster.tolist() == np.unique(cluster, return_inverse=True)[1].tolist()
        first = [np.flatnonzero(cluster == one)[0] for one in range(int(cluster.max()) + 1)]
        assert first == sorted(first)

    @EASY
    @given(seed=st.integers(0, 10**6))
    def test_they_are_the_clusters_of_the_records_whatever_the_row_order(self, seed):
        """Of tables in which most records have somebody believed exactly alike, and many are equally far apart.

        Of different pairs that are equally near, definitions may join either first: plain greedy joins and chains of neighbours
        then differ now and then, in 5 of 15,000 cuts. Without such pairs they never do.
        """
        rng = np.random.default_rng(seed)
        shares = rng.integers(0, 3, (int(rng.integers(2, 8)), 3)) + 1e-9
        of = rng.integers(0, len(shares), 30)
        known = Knowledge.from_shares(categorical(3), shares, of)
        far = apart(known.distributions.rows)
        codes = known.of.astype(np.int64)
        by_belief = np.argsort(codes, kind="stable")
        records = Dendrogram.of(known.distributions.rows[codes[by_belief]])
        pairs = far[np.triu_indices(len(far), 1)].round(12)
        order = rng.permutation(30)
        again = Knowledge.from_shares(categorical(3), shares[::-1], (len(shares) - 1 - of)[order])
        for j in (0.0, 0.1, 0.2, 0.4, 0.7, 1.0):
            found = dendrogram_of(known.distributions).cut(Fraction(str(j)))[codes]
            moved = np.empty(30, np.int64)
            moved[order] = dendrogram_of(again.distributions).cut(Fraction(str(j)))[again.of]
            assert np.array_equal(found, moved)
            assert partition(found[by_belief]) == partition(records.cut(Fraction(str(j))))
            if np.unique(pairs).size == pairs.size:
                assert partition(found) == plain_clusters(codes, far, j + ERROR)

    def test_it_is_exact_where_floats_cannot_tell(self):
        rows = distinct([[1, 0], [1, 1]])
        dendrogram = Dendrogram.of(rows)
        assert dendrogram.cut(Fraction("0.3112781244591328")).tolist() == [0, 1]
        assert dendrogram.cut(Fraction("0.3112781244591329")).tolist() == [0, 0]
        thirds = Dendrogram.of(distinct([[1, 1, 0], [1, 0, 1], [0, 1, 1]]))
        assert thirds.cut(Fraction(1, 2)).tolist() == [0, 0, 0]
        assert thirds.cut(Fraction(1, 2) - Fraction(1, 10**30)).tolist() == [0, 1, 2]

    def test_what_is_above_a_join_that_fails_fails_too(self):
        rng = np.random.default_rng(3)
        dendrogram = Dendrogram.of(random_rows(rng, 40, 4, ties=False))
        sizes = [
            int(dendrogram.cut(Fraction(j).limit_denominator(1000)).max()) + 1
            for j in np.linspace(0, 1, 21).tolist()
        ]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] == 40
        assert sizes[-1] == 1


def test_float_divergences_stand_for_pairs():
    rows = distinct([[1, 0, 0], [0, 1, 0], [1, 1, 2]])
    shares = rows / rows[0].sum()
    assert divergence(shares, entropies(shares), 0, 1) == apart(rows)[0, 1]


def test_clusters_of_adult(data_folder):
    frame = complete(data_folder, 48_842).select([*THREE, "occupation"])
    assert frame.height == 45_222
    policy = lk.Policy(
        columns={name: lk.quasi() for name in THREE} | {"occupation": lk.sensitive()},
        knowledge={"kernel": {"bandwidth": 0.3}},
        privacy=lk.JsBackground("0.3"),
    )
    known = learn(encode(lk.read(frame), policy), policy).data.knowledge[0]
    dendrogram = dendrogram_of(known.distributions)
    cuts = [int(dendrogram.cut(Fraction(j)).max()) + 1 for j in ("0.1", "0.2", "0.3", "0.4", "0.5", "0.8")]
    assert cuts == [48, 20, 13, 10, 6, 3]


@given(
    seed=st.integers(0, 10_000),
    j=st.sampled_from(["0.02", "0.1", "0.3", "0.8"]),
    most=st.sampled_from([1, 4, 12]),
)
@settings(deadline=None, max_examples=60)
def test_of_many_distributions_leaders_are_joined_and_every_pair_is_within_j(seed, j, most):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(3, 0.6), 40)
    known = Distributions(distinct(shares))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clustering, "MOST_JOINED", most)
        found = clusters_of(known, Fraction(j))
    assert found.min() == 0
    for cluster in range(int(found.max()) + 1):
        rows = known.rows[found == cluster].tolist()
        assert all(jensen_shannon(a, b).at_most(Fraction(j)) for a, b in combinations(rows, 2))
