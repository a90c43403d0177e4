"""The families of reasoning-gym: which are used, at which settings of their knobs, and why not.

A family's knobs have steps, from easy to hard. Level 1 sets each knob to its first step and level
5 to its last usable one; a family with fewer steps has fewer levels. A family without knobs has
level 1 alone, with the family's own defaults.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

LEVELS = (1, 2, 3, 4, 5)

REFUSED = {
    "composite": "a mixture of the other families, which the curriculum mixes by itself",
    "game_of_life_halting": "its scorer takes any text for 'True', right or wrong",
}
"""Families that are not used, and why."""

WITHOUT_ANSWER = {
    "boxnet": "a plan for several robots, of which it gives none; its scorer plays a plan",
    "rubiks_cube": "any moves that solve the cube; its scorer plays them and it gives none",
    "rush_hour": "any moves that free the car; its scorer plays them and it gives none",
}
"""Families that give no right answer, so that none can be checked; they are used all the same."""

STEPS = {
    "bf": range(2),
    "caesar_cipher": range(2),
    "countdown": range(1),
    "futoshiki": range(3),
    "game_of_life": range(3),
    "jugs": range(2),
    "kakurasu": range(3),
    "knight_swap": range(0),
    "letter_jumble": range(2),
    "modulo_grid": range(1),
    "n_queens": range(4),
    "number_sequence": range(1),
    "puzzle24": range(2),
    "rubiks_cube": range(3),
    "sokoban": range(2, 7),
    "spell_backward": range(4),
    "zebra_puzzles": range(3),
}
"""The usable steps of a family's knobs, counted from 0, where they are not all: at the others
reasoning-gym refuses its own settings, finds no task, or searches for seconds or for ever. Where
none is usable the family's defaults stand in."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One level of a family: the arguments of its configuration, but for seed and size, and the
    value of each knob."""

    arguments: dict[str, Any]
    knobs: dict[str, float] = field(default_factory=dict)


def families() -> list[str]:
    """The names of all families in use, in order."""
    import reasoning_gym  # noqa: F401  (registers them)
    from reasoning_gym.factory import DATASETS

    return sorted(DATASETS.keys() - REFUSED.keys())


@cache
def levels(family: str) -> dict[int, Setting]:
    """The levels of a family, from 1 (easy)."""
    settings = _settings(family) or [Setting({})]
    count = min(len(settings), len(LEVELS))
    places = [round((len(settings) - 1) * number / max(count - 1, 1)) for number in range(count)]
    return {level: settings[place] for level, place in zip(LEVELS, places, strict=False)}


def _settings(family: str) -> list[Setting]:
    """The usable steps of its knobs, without those that change nothing."""
    from reasoning_gym.factory import CURRICULA

    if family not in CURRICULA:
        return []
    knobs = CURRICULA[family]().attributes.values()
    every = STEPS.get(family, range(max(len(knob.levels) for knob in knobs)))
    settings = [_setting(family, step) for step in every]
    arguments = [setting.arguments for setting in settings]
    return [s for place, s in enumerate(settings) if s.arguments not in arguments[:place]]


def _setting(family: str, step: int) -> Setting:
    from reasoning_gym.coaching.base_curriculum import (
        DefaultCurriculumContext,
        RangeAttributeMode,
    )
    from reasoning_gym.factory import CURRICULA

    curriculum = CURRICULA[family]()
    for name, knob in curriculum.attributes.items():
        curriculum.set_attr_level(name, min(step, len(knob.levels) - 1))
    context = DefaultCurriculumContext(mode=RangeAttributeMode.UPPER_BOUND)
    config = vars(curriculum.generate_configuration({}, context))
    arguments = {name: value for name, value in config.items() if name not in ("seed", "size")}
    values = {name: curriculum.get_attr_value(name) for name in curriculum.attributes}
    return Setting(arguments, {name: v for name, v in values.items() if _is_number(v)})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
