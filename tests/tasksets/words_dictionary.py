"""A tool server; verifiers starts it with `python -m`."""

from __future__ import annotations

import verifiers.v1 as vf


class Dictionary(vf.Toolset[vf.SharedToolsetConfig, vf.State]):
    @vf.tool
    def define(self, word: str) -> str:
        """Define a word."""
        return f"{word}: a word"


if __name__ == "__main__":
    Dictionary.run()
