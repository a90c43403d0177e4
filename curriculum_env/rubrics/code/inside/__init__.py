"""The side that runs next to the candidate's code: the standard library alone, shipped into the
runtime as one zip file. Nothing in here knows an expected answer of a program's tests."""

from __future__ import annotations
