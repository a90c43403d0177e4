"""Who answers a variant: a model behind an endpoint, the policy's own majority, or the
environment."""

from __future__ import annotations

from curriculum_env.augment.teacher.base import Teacher
from curriculum_env.augment.teacher.model import ModelTeacher
from curriculum_env.augment.teacher.own import OwnTeacher
from curriculum_env.augment.teacher.symbolic import SymbolicTeacher

__all__ = ["ModelTeacher", "OwnTeacher", "SymbolicTeacher", "Teacher"]
