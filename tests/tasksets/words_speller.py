"""A tool server; verifiers starts it with `python -m`."""

from __future__ import annotations

import verifiers.v1 as vf


class Speller(vf.Toolset[vf.ToolsetConfig, vf.State]):
    @vf.tool
    def spell(self, word: str) -> str:
        """Spell a word."""
        return " ".join(word)


if __name__ == "__main__":
    Speller.run()
