"""Variants of tasks at the policy's frontier: who proposes them, who answers, what is let in.

The way of a variant: `Proposer` (the policy writes it), `Filters`, a `Teacher` (its answer),
`Filters` again, the environment's own row. `Maker` walks it; HeaPA (arXiv:2601.22448) is where it
comes from.
"""

from __future__ import annotations
