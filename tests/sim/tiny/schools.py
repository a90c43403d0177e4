"""Quick schoolings: a small policy that learns some sums of one digit in a second."""

from __future__ import annotations

from curriculum_env.sim.tiny.model import Shape
from curriculum_env.sim.tiny.warm import Schooling

SMALL = Shape(width=48, layers=1, heads=4, hidden=128)
BRIEF = Schooling(steps=3, batch=4, shape=SMALL)
QUICK = Schooling(steps=90, batch=32, rate=4e-3, weights=(1.0,), shape=SMALL)
