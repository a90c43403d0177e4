"""Rubrics: what an answer is worth. One room each, imported where it is used."""

from __future__ import annotations
