"""Tables, policies and what is learnt of them, for tests of sources of knowledge."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import likeness as lk
from likeness.encode import encode
from likeness.knowledge.base import Subject, learn
from likeness.policy import Policy

JS = {"model": "js-background", "j": 1}


def policy_of(columns, knowledge, folder=None, **more):
    """A policy that asks for nothing but that knowledge is learnt."""
    given = {"columns": columns, "knowledge": knowledge, "privacy": [JS], **more}
    return Policy.from_mapping(given, folder=folder)


def learnt(frame, policy):
    """What is known of every record of a frame, as a policy says, and the encoded table."""
    encoded = learn(encode(lk.read(frame), policy), policy)
    return encoded.data.knowledge[0], encoded


def beliefs(frame, policy):
    """(n, m) Shares of every record."""
    known, _ = learnt(frame, policy)
    return known.distributions.shares[known.of]


def subject_of(frame, policy, column=0):
    """Whom and what a source is asked about."""
    return Subject(encode(lk.read(frame), policy), policy, column)


def shares_of(frame, source, columns, folder=None, **more):
    """(n, m) Shares before they are rounded, each row summing to 1, the subject."""
    subject = subject_of(frame, policy_of(columns, source, folder, **more))
    shares, of = source.shares(subject)
    return (shares / shares.sum(axis=1, keepdims=True))[of], subject


def saved(folder: Path, name: str, frame: pl.DataFrame) -> str:
    """Write a table beside the policy; its name."""
    frame.write_csv(folder / name)
    return name


def random_people(rng, n, *, missing=False):
    """A table of every kind of quasi-identifier."""
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "height": np.round(rng.uniform(1.5, 2, n), 2),
            "born": np.array("1970-01-01", "M8[D]") + rng.integers(0, 900, n),
            "rank": rng.choice(["low", "mid", "top"], n),
            "zip": rng.choice(["021", "022", "102", "119"], n),
            "sex": rng.choice(["f", "m"], n),
            "disease": rng.choice(["flu", "hiv", "cold", "gout"], n),
        }
    )
    if missing:
        frame = frame.with_columns(
            pl.when(pl.Series(rng.random(n) < 0.2)).then(None).otherwise(pl.col(name)).alias(name)
            for name in ("age", "zip", "sex", "disease")
        )
    return frame


COLUMNS = {
    "age": {"role": "quasi", "kind": "integer", "domain": [0, 110], "missing": {"policy": "category"}},
    "height": {"role": "quasi", "kind": "real"},
    "born": {"role": "quasi", "kind": "date"},
    "rank": {"role": "quasi", "kind": "ordered", "domain": ["low", "mid", "top"]},
    "zip": {"role": "quasi", "hierarchy": {"prefix": 3}, "missing": {"policy": "category"}},
    "sex": {"role": "quasi", "missing": {"policy": "category"}},
    "disease": {"role": "sensitive", "missing": {"policy": "category"}},
}
