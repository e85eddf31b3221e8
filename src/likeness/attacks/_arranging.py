"""Arrangements of a class's values: what they say about its members, and chains that walk over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.attacks._rerun import Rerun

CHAINS = 4
_ALLOWED = 0.3
"""Share of the steps of a chain that should be allowed."""
_MOVES = 5
"""How often every member must have got another value in each half of a chain, on average."""


class Beliefs(NamedTuple):
    """What is believed of the members of one class.

    Parameters
    ----------
    members : (n,) int64
        The records.
    first, second : (n, m) float64
        Probability of every value, each from half of what was tried; the same where everything was.
    errors : (n, m) float64
        Standard errors of their means.
    truth : (2,) float64
        Sum of the probabilities of the true values, and its standard error.
    """

    members: NDArray[np.int64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    errors: NDArray[np.float64]
    truth: tuple[float, float]


class ClassTable:
    """The published records: classes, and values of the column the adversary is after."""

    def __init__(self, rerun: Rerun, labels: NDArray[np.int64], column: int) -> None:
        self.rerun = rerun
        self.labels = labels.astype(np.int64)
        self.values = rerun.data.sensitive_codes[column].astype(np.int64)
        self.width = rerun.data.sensitive[column].codes
        self.count = int(labels.max(initial=-1)) + 1
        self._order = np.argsort(labels, kind="stable")
        self._starts = np.searchsorted(labels[self._order], np.arange(self.count + 1))

    def members(self, number: int) -> NDArray[np.int64]:
        """Records of a class."""
        return self._order[self._starts[number] : self._starts[number + 1]]

    def beliefs(self, members: NDArray[np.int64], kept: NDArray[np.int64], *, complete: bool) -> Beliefs:
        """Count how often each member has each value among arrangements.

        Parameters
        ----------
        members : (n,) int64
            The records.
        kept : (r, n) int64
            Whose value everybody has, by position among the members.
        complete
            Whether these are all arrangements there are, not a random few.
        """
        held = self.values[members[kept]]
        right = (held == self.values[members]).sum(axis=1)
        if complete:
            shares = self._shares(held)
            return Beliefs(members, shares, shares, np.zeros_like(shares), (float(right.mean()), 0.0))
        first, second = self._shares(held[0::2]), self._shares(held[1::2])
        errors = _careful((first + second) / 2, held.shape[0])
        spread = float(right.std(ddof=1)) / held.shape[0] ** 0.5
        return Beliefs(members, first, second, errors, (float(right.mean()), spread))

    def _shares(self, held: NDArray[np.int64]) -> NDArray[np.float64]:
        """(n, m) Share of each value in every column."""
        keys = np.arange(held.shape[1]) * self.width + held
        counts = np.bincount(keys.ravel(), minlength=held.shape[1] * self.width)
        return np.asarray(counts.reshape(held.shape[1], self.width) / max(1, held.shape[0]))


class Walk:
    """Chains over the arrangements of one class."""

    def __init__(self, table: ClassTable, members: NDArray[np.int64]) -> None:
        self.members, self.table = members, table
        self.state = np.tile(np.arange(members.size), (CHAINS, 1))
        self.counts = np.zeros((CHAINS, members.size, table.width))
        self.block = float(members.size)
        self.moved = np.zeros(2)

    def propose(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """(chains, members) Deal the values of a block of members anew, in every chain."""
        size, proposal = self.members.size, self.state.copy()
        block = max(2, min(size, round(self.block)))
        for chain in proposal:
            which = rng.choice(size, block, replace=False)
            chain[which] = chain[rng.permutation(which)]
        return proposal

    def move(self, proposal: NDArray[np.int64], allowed: NDArray[np.bool_], *, adapt: bool) -> None:
        """Go where one may; count what everybody then has, once blocks are no longer adapted."""
        values = self.table.values[self.members]
        changed = (values[proposal] != values[self.state])[allowed].sum()
        self.moved[0 if adapt else 1] += float(changed)
        self.state[allowed] = proposal[allowed]
        if adapt:
            factor = 1.25 if allowed.mean() >= _ALLOWED else 0.8
            self.block = min(max(2.0, self.block * factor), float(self.members.size))
            return
        chains = np.arange(CHAINS)[:, None]
        self.counts[chains, np.arange(self.members.size)[None, :], values[self.state]] += 1

    def beliefs(self, steps: int) -> Beliefs | None:
        """Frequencies; None when members were moved too seldom to have forgotten the truth."""
        if self.moved.min() < _MOVES * CHAINS * self.members.size:
            return None
        shares = self.counts / steps
        mean = shares.mean(axis=0)
        # As many independent arrangements as would differ as much as the chains do.
        spread = shares.var(axis=0, ddof=1).sum() / CHAINS
        worth = max(1.0, float((mean * (1 - mean)).sum() / spread)) if spread > 0 else 1.0
        own = shares[:, np.arange(self.members.size), self.table.values[self.members]].sum(axis=1)
        truth = float(own.mean()), float(own.std(ddof=1)) / CHAINS**0.5
        halves = shares[0::2].mean(axis=0), shares[1::2].mean(axis=0)
        return Beliefs(self.members, *halves, _careful(mean, worth), truth)


def _careful(shares: NDArray[np.float64], worth: float) -> NDArray[np.float64]:
    """Standard errors of probabilities estimated from so many arrangements; never 0."""
    careful = (shares * worth + 1) / (worth + 2)
    return np.asarray(np.sqrt(careful * (1 - careful) / worth))
