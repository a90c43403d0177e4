"""The buckets in which similar prompts meet: MinHash signatures cut into bands (LSH).

Three views of a prompt (Broder 1997 for MinHash, Indyk and Motwani 1998 for the bands; signatures
by datasketch): its word 5-grams, which meet from a Jaccard similarity of about .7 on; its content
words *together with its numbers*, which meet from about .3 on, so that a paraphrase meets its
original, but never the same template with other numbers; and its content words alone, from
about .6 on, for prompts without numbers and for templates.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from curriculum_env.errors import ConfigError
from curriculum_env.pool.profile import Profile, information

if TYPE_CHECKING:
    from numpy.typing import NDArray

Bands = "NDArray[np.uint64]"


@dataclass(frozen=True, slots=True)
class View:
    """How a view is cut: `bands` bands of `rows` MinHash values each."""

    name: str
    bands: int
    rows: int


GRAMS = View("grams", 16, 4)
KEYED = View("keyed", 24, 2)
CONTENT = View("content", 16, 4)


def bands_of(profile: Profile) -> NDArray[np.uint64]:
    """The buckets of a prompt for near duplicates, shape (`WIDTH`,): those of its 5-grams, those
    of its content words with its numbers or, where it has none, of its content words alone, and
    one for its numbers, where they say enough."""
    bands = np.zeros(WIDTH, np.uint64)
    bands[: GRAMS.bands] = band_hashes(profile.grams(), GRAMS)
    if not profile.key:
        bands[GRAMS.bands : GRAMS.bands + CONTENT.bands] = content_bands(profile)
        return bands
    keyed = [f"{profile.key}|{word}" for word in profile.content or ("",)]
    bands[GRAMS.bands : -1] = band_hashes(keyed, KEYED)
    if sum(map(information, profile.key.split())) >= TELLING:
        bands[-1] = zlib.crc32(profile.key.encode()) | 1 << 40
    return bands


def content_bands(profile: Profile) -> NDArray[np.uint64]:
    """The buckets of the content words alone, shape (16,); 0 where there are none."""
    return band_hashes(profile.content, CONTENT)


WIDTH = GRAMS.bands + KEYED.bands + 1
"""Buckets of a prompt; bucket 0 is none."""
TELLING = 10.0
"""Bits from which the numbers of a prompt are a bucket of their own."""

_templates: dict[int, Any] = {}


def band_hashes(elements: Iterable[str], view: View) -> NDArray[np.uint64]:
    """The bucket of each band of the MinHash of `elements`; zeros where there are no elements.

    Raises:
        ConfigError: datasketch is not installed.
    """
    encoded = [element.encode("utf-8", "replace") for element in elements]
    if not encoded:
        return np.zeros(view.bands, np.uint64)
    signature = _template(view.bands * view.rows).copy()
    signature.update_batch(encoded)
    values = signature.hashvalues.astype(np.uint64).reshape(view.bands, view.rows)
    return _mixed(values, view)


def _mixed(values_BR: NDArray[np.uint64], view: View) -> NDArray[np.uint64]:
    """One number per band, different for each band of each view (FNV-1a over 64 bits)."""
    salt = np.uint64(zlib.crc32(view.name.encode()))
    hashes = (np.arange(view.bands, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    hashes = hashes ^ salt
    for column in values_BR.T:
        hashes = (hashes ^ column) * np.uint64(0x100000001B3)
        hashes = hashes ^ (hashes >> np.uint64(29))
    return hashes | np.uint64(1)


def _template(permutations: int) -> Any:
    """An empty MinHash whose permutations are shared by all copies."""
    if permutations not in _templates:
        try:
            from datasketch import MinHash
        except ImportError as error:
            raise ConfigError(
                "near duplicates are found with datasketch, which is missing: "
                "pip install datasketch"
            ) from error
        _templates[permutations] = MinHash(permutations, seed=1, hashfunc=zlib.crc32)
    return _templates[permutations]
