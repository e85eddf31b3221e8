"""What a release costs beside finding it: the command, and writing, in CPU time and memory of processes of their own."""

from __future__ import annotations

import pytest

from benchmarks import whole


@pytest.mark.slow
def test_the_command_costs_little_more_than_the_library():
    found, _ = whole.costs(*whole.with_texts(20_000, 2_000), "method: mondrian\n")
    # All load the same kernels; a third of a second here or there is none of what is compared.
    assert found.command.seconds < 1.5 * found.write.seconds + 1
    assert found.command.megabytes < 1.5 * found.write.megabytes
    # Measuring laid out every text in every region: eight times the time, five times the memory.
    assert found.write.seconds < 4 * found.anonymize.seconds
    assert found.write.megabytes < 2 * found.anonymize.megabytes
