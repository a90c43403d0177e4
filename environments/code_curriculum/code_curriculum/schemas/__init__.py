"""How the records of well-known datasets become problems. None of their content is shipped."""

from __future__ import annotations

from code_curriculum.schemas.base import Schema
from code_curriculum.schemas.deepcoder import DEEPCODER
from code_curriculum.schemas.humaneval import HUMANEVAL
from code_curriculum.schemas.livecodebench import LIVECODEBENCH
from code_curriculum.schemas.mbpp import MBPP

SCHEMAS = {schema.name: schema for schema in (MBPP, HUMANEVAL, DEEPCODER, LIVECODEBENCH)}

__all__ = ["SCHEMAS", "Schema"]
