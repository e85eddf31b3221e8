"""Tables of counts that are searched block by block: what the blocks are, and that nothing that is promised is lost by them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.tables import policy_of, published, random_table, written

import likeness as lk
from likeness import blocks, registry
from likeness.blocks import BlockSearch, cut
from likeness.counting import encode_counted
from likeness.engines.memory import MemoryEngine
from likeness.methods.base import Method, Problem, holding_classes
from likeness.microdata.plan import Plan
from likeness.microdata.regions import LOWERED
from likeness.models.requirements import require_of
from likeness.policy import as_policy
from likeness.progress import Progress
from likeness.publishing import PartedRelease

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.encode import Encoded

K = [{"model": "k-anonymity", "k": 3}]
BETA = [{"model": "k-anonymity", "k": 2}, {"model": "beta-likeness", "beta": 2, "others": "unknown"}]
CLOSE = [{"model": "t-closeness", "t": "1/4", "others": "unknown"}]
KEEPING = ["mondrian", "local-recoding"]


def counted(frame: pl.DataFrame, policy: dict[str, Any]) -> Encoded:
    """Count a table, and encode the counts."""
    engine = MemoryEngine()
    return encode_counted(engine, engine.find(frame), as_policy(policy), Progress())


def people(rng: np.random.Generator, size: int) -> pl.DataFrame:
    """A random table of which many records say the same, with what is not looked at left out."""
    return random_table(rng, size).select("age", "letter", "day", "disease")


def asked(privacy: Any, method: Any, **more: Any) -> dict[str, Any]:
    """What its columns mean."""
    policy = policy_of(privacy, method, **more)
    kept = ("age", "letter", "day", "disease")
    return policy | {"columns": {name: policy["columns"][name] for name in kept}}


@given(st.integers(0, 2**32), st.integers(20, 200), st.integers(5, 60), st.sampled_from([K, BETA, CLOSE]))
def test_blocks_hold_and_are_small(seed: int, size: int, rows: int, privacy: Any) -> None:
    """Every row is in one block; each holds the guarantee of the whole table, and is small, or no cut of it is found."""
    rng = np.random.default_rng(seed)
    policy = as_policy(asked(privacy, "mondrian"))
    data = counted(people(rng, size), policy.to_mapping()).data
    requirements = require_of(policy.privacy, data, data)
    whole = holding_classes(requirements, data, np.zeros(data.size, np.int64), 1)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "ROWS", rows)
        for name in ("mondrian", "k-member"):
            method = registry.create("methods", name, {})
            found = cut(method, Problem(data, requirements, LOWERED["glm"], rng))
            assert sorted(np.concatenate(found).tolist()) == list(range(data.size))
            of = np.empty(data.size, np.int64)
            for number, own in enumerate(found):
                of[own] = number
            holds = holding_classes(requirements, data, of, len(found))
            assert holds.all() == whole
            heights = [own.size if method.keeps_copies else data.count_records(own) for own in found]
            for own, height in zip(found, heights, strict=True):
                if height > rows and whole:
                    assert len(blocks._parted(Problem(data, requirements, LOWERED["glm"], rng), own, 1)) == 1


def holds(frame: pl.DataFrame, names: list[str], privacy: Any, original: pl.DataFrame) -> bool:
    """Decide the guarantee from the published rows alone, by counting with fractions."""
    whole = frame["disease"].value_counts()
    shares = dict(zip(whole["disease"], (Fraction(n, frame.height) for n in whole["count"]), strict=True))
    assert set(shares) <= set(original["disease"])
    for _, own in frame.group_by(names):
        counts = own["disease"].value_counts()
        mine = dict(zip(counts["disease"], (Fraction(n, own.height) for n in counts["count"]), strict=True))
        for model in privacy:
            if model["model"] == "k-anonymity" and own.height < model["k"]:
                return False
            if model["model"] == "beta-likeness" and any(
                # Enhanced: no more than β, nor than -ln of the share.
                float(mine[value] / shares[value] - 1)
                > min(model["beta"], -np.log(float(shares[value]))) + 1e-12
                for value in mine
            ):
                return False
            if model["model"] == "t-closeness":
                apart = sum(abs(mine.get(value, Fraction(0)) - share) for value, share in shares.items()) / 2
                if apart > Fraction(model["t"]):
                    return False
    return True


def release_of(out: Path) -> pl.DataFrame:
    """Read what was published."""
    return pl.DataFrame(
        list(published(out).elements()), schema=["age", "letter", "day", "disease"], orient="row"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("privacy", "method"),
    [*((K, name) for name in (*KEEPING, "k-member")), *((BETA, name) for name in (*KEEPING, "burel", "k-member")),
     *((CLOSE, name) for name in (*KEEPING, "sabre"))],
)  # fmt: skip
def test_releases_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, privacy: Any, method: str
) -> None:
    """What is published holds, counted anew; nobody is lost; engines and files change nothing."""
    monkeypatch.setattr(blocks, "ROWS", 60)
    rng = np.random.default_rng(sum(map(ord, f"{privacy}{method}")))
    several = 0
    for number in range(4):
        frame = people(rng, int(rng.integers(200, 500)))
        policy = asked(privacy, method)
        found: list[PartedRelease] = []
        for engine, parts in (("memory", 1), ("streaming", 3)):
            mixed = frame.sample(fraction=1, shuffle=True, seed=parts)
            source = written(mixed, tmp_path / f"in-{number}-{parts}", parts)
            out = tmp_path / f"out-{number}-{parts}"
            found.append(lk.publish(source, policy, out, engine=engine))
            assert lk.verify(out, original=source, engine=engine).ok
        assert found[0].certificate.files == found[1].certificate.files
        made = found[0]
        rows = release_of(made.folder)
        assert holds(rows, ["age", "letter", "day"], privacy, frame)
        assert rows.height == made.counts["published"]
        assert rows.height + sum(made.counts["withheld"].values()) == frame.height
        several += made.blocks > 1
    assert several


@pytest.mark.slow
def test_withheld_in_one_block_is_settled_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one block withholds changes the distribution that all others are compared with: that of what is published."""
    monkeypatch.setattr(blocks, "ROWS", 60)
    withheld = 0
    for seed in range(4):
        frame = people(np.random.default_rng(seed), 300)
        made = lk.publish(frame, asked(CLOSE, "k-member"), tmp_path / f"out-{seed}", engine="memory")
        rows = release_of(made.folder)
        assert made.blocks > 1
        assert holds(rows, ["age", "letter", "day"], CLOSE, frame)
        assert lk.verify(made.folder, original=frame, engine="memory").ok
        withheld += frame.height - rows.height
    assert withheld > 0


def test_which_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables are searched as a whole, so is what decides one thing for all records."""
    data = counted(people(np.random.default_rng(1), 80), asked(K, "mondrian")).data
    everywhere = BlockSearch(MemoryEngine().each, writes_out=True)
    mondrian, member, incognito = (
        registry.create("methods", name, {}) for name in ("mondrian", "k-member", "incognito")
    )
    assert not everywhere.suit(mondrian, data)
    monkeypatch.setattr(blocks, "ROWS", 20)
    assert everywhere.suit(mondrian, data)
    assert everywhere.suit(member, data)
    assert not BlockSearch(MemoryEngine().each).suit(member, data)
    assert not everywhere.suit(incognito, data)


@pytest.mark.slow
def test_blocks_beside_the_whole_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where first cuts are made costs little."""
    frame = people(np.random.default_rng(5), 800)
    at_once = lk.publish(frame, asked(K, "mondrian"), tmp_path / "once", engine="memory")
    monkeypatch.setattr(blocks, "ROWS", 200)
    in_blocks = lk.publish(frame, asked(K, "mondrian"), tmp_path / "blocks", engine="memory")
    assert (at_once.blocks, in_blocks.blocks > 1) == (1, True)
    assert in_blocks.loss["ncp"] <= 1.1 * at_once.loss["ncp"]
    told = f"searched in {in_blocks.blocks} blocks"
    assert told in (in_blocks.folder / "private" / "report.html").read_text()
    assert "searched in" not in (at_once.folder / "private" / "report.html").read_text()


@given(st.integers(0, 2**32), st.integers(2, 80), st.integers(2, 100))
def test_ranges(seed: int, values: int, number: int) -> None:
    """Every value that somebody has is in one range, each begins with its first value; ranges of several values are small."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 20, values)
    counts[rng.integers(0, values)] += 1
    first = blocks._ranges(counts, number)
    had = np.flatnonzero(counts)
    assert (np.diff(first[had]) >= 0).all()
    assert set(first[had].tolist()) <= set(had.tolist())
    for one in set(first[had].tolist()):
        own = had[first[had] == one]
        assert own[0] == one
        if own.size > 1:
            # Of these all but the last end within one share of the records.
            assert counts[own[:-1]].sum() * number <= counts.sum()


class GivesUp(Method):
    """A method that finds classes of odd numbers of records only."""

    name: ClassVar[str] = "gives-up"

    def run(self, problem: Problem) -> Plan:
        """Give up, or put all in one class."""
        if problem.data.size % 2:
            return Plan(np.zeros(problem.data.size, np.int64))
        raise lk.CannotBeMetError("there is no odd class")


def test_a_method_that_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one of several blocks: they are joined where too many would be withheld; of a whole table it is said as it was."""
    policy = as_policy(asked(K, "mondrian"))
    data = counted(people(np.random.default_rng(4), 200), policy.to_mapping()).data
    requirements = require_of(policy.privacy, data, data)
    problem = Problem(data, requirements, LOWERED["glm"], np.random.default_rng(1))
    searching = BlockSearch(MemoryEngine().each, writes_out=True)
    with pytest.raises(lk.CannotBeMetError, match="no odd class"):
        searching.search(GivesUp(), problem)
    monkeypatch.setattr(blocks, "ROWS", 60)
    for allowance, joined in ((0, True), (200, False)):
        found, several = searching.search(GivesUp(), replace(problem, allowance=allowance))
        assert several > 1
        assert found.copies is not None
        given_up = found.copies[~found.plan.published].sum()
        assert (given_up == 0) == joined
        assert given_up == sum(found.plan.because.values())
        assert {reason.name for reason in found.plan.because} == (set() if joined else {"block-fails"})
