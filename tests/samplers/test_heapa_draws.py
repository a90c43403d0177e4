"""The known weakness of the boundary heaps, in small: `benchmarks/heapa.py` measures it whole."""

from __future__ import annotations

from benchmarks.heapa import drawn


def test_they_reorder_what_a_limited_archive_reallocates() -> None:
    """Five draws per row of a policy that does not learn: nearly all rows have nearly as many,
    unless the archive is recycled before the extremes have had their turn."""
    plain = drawn("heapa", 200, 2)
    limited = drawn("heapa, archive_max a quarter of the rows", 200, 2)
    assert 4.0 < plain["mid"] < 6.5
    assert plain["extreme"] > 3.0
    assert limited["mid"] > 6.5
    assert limited["extreme"] < 2.5
    assert limited["living"] > plain["living"] + 0.05
