"""Where the random choices of a release come from: the operating system, or a seed with the table and the policy."""

from __future__ import annotations

import json
from fractions import Fraction
from hashlib import sha256
from secrets import randbits
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.models.requirements import one_a_column
from likeness.policy.hierarchy import rule_of

if TYPE_CHECKING:
    from likeness.encode import Encoded
    from likeness.models.base import PrivacyModel
    from likeness.policy import Policy


def entropy_of(encoded: Encoded, policy: Policy) -> int:
    """Choose what all random numbers of a release are made from: 128 bits of the system's, or 256 that a seed gives.

    A seed is taken together with a digest of the original table (`Table.digest`: every column, those that are dropped as
    well, and the order of the rows) and one of the policy, hierarchies by what they say and its format left out: the same
    three give the same bytes again, and two releases under one seed have nothing in common.
    A seed is no key. Who has the original can try seeds until the release comes out. So can who knows all of it but little:
    a value that is unknown is tried together with the seed, and confirmed when the release comes out. Nobody who lacks more
    of the original than can be tried learns anything from a seed, guessed or told.
    """
    if policy.seed is None:
        return randbits(128)
    told = json.dumps([policy.seed, encoded.table.digest, _content(encoded, policy)], sort_keys=True)
    return int.from_bytes(sha256(told.encode("utf-8", "surrogatepass")).digest(), "little")


def stream(entropy: int, purpose: str) -> np.random.Generator:
    """Make the random numbers of one purpose, from the entropy of `entropy_of`.

    The generator is not a cryptographic one: whoever sees enough of its numbers, as in the order of published rows, could
    find its state. The seed of each purpose is therefore a digest, which leads back neither to the entropy nor to others.
    """
    digest = sha256(f"likeness {purpose} {entropy}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


def _content(encoded: Encoded, policy: Policy) -> dict[str, Any]:
    """Write what decides about a release as JSON can hold it: of files, objects and functions what they say, models by column."""
    models = one_a_column(policy.privacy, encoded.with_role("sensitive"))
    found = policy.replace(seed=None, privacy=tuple(_plain(model, encoded) for model in models)).to_mapping()
    # Whatever counted the records, they are the same.
    found.pop("engine", None)
    found["output"] = {"numeric_pairs": policy.output.numeric_pairs}
    # The second table is part of the first by now, and may lie elsewhere.
    found["records"] = {key: value for key, value in found.get("records", {}).items() if key != "table"}
    for domain in encoded.data.sensitive:
        if domain.categories is not None:
            found["categories"][encoded.original_name(domain.name)] = domain.categories.to_rows()
    trees = {domain.name: domain.hierarchy for domain in (*encoded.data.quasi, *encoded.data.sensitive)}
    for name, column in found["columns"].items():
        tree = trees.get(encoded.published_name(name))
        if tree is not None and rule_of(policy.columns[name].hierarchy) is None:
            column["hierarchy"] = [tree.labels, tree.parent.tolist(), tree.level.tolist()]
    return found


def _plain(model: PrivacyModel, encoded: Encoded) -> PrivacyModel:
    """Take a bound that is a Python function as the caps it gives the shares of the table."""
    if not model.has_function:
        return model
    size, copies = encoded.data.count_records(), encoded.data.copies
    counts = {int(n) for codes in encoded.data.sensitive_codes for n in np.bincount(codes, copies)} - {0}
    return model.with_caps(model.caps_of(Fraction(count, size) for count in sorted(counts)))
