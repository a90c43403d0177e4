"""What a simulated training run is like: the pool, the policy, the checker."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Setting:
    """One lab setting.

    Difficulties and abilities are logits, gains are logits per group of full signal, rates are per
    policy update. `Policy` and `World` say what the numbers do.
    """

    name: str
    summary: str
    tasks: int = 4000
    """Tasks in the pool."""
    heldout: int = 1500
    """Tasks the policy is judged on."""
    speeds: tuple[float, ...] = (1.0, 1.0, 1.0)
    """How fast each domain learns; there are so many domains."""
    mix: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0, 1.0)
    """How common each skill is in the pool, from easy to hard; a domain has so many skills."""
    single: float = 0.5
    """Share of tasks that need one skill; the others need two, drawn alike."""
    lean: float = 0.5
    """Weight of the easier of two skills in how hard a task is and in who learns from it; the
    harder one has the rest."""
    easiest: float = 4.3
    """Logit of a task of the easiest skill before training."""
    step: float = 1.95
    """Logits by which each skill is harder than the one before."""
    spread: float = 0.7
    """Standard deviation of the tasks' own difficulty."""
    guess: float = 0.0
    """Pass rate of a policy that knows nothing."""
    dead: float = 0.2
    """Share of the pool that nobody solves."""
    solved: float = 0.2
    """Share of the other tasks that was solved before training."""
    known: bool = True
    """Whether domain, level and length of a task are shown."""
    pairs: bool = False
    """Whether a level names both skills, `1+3` or `3+1`, instead of the harder one alone."""
    gain: float = 0.014
    """Logits that a group of full signal adds to the skills it needs."""
    adaptive: float = 0.35
    """Power of the batches' mean signal by which gains are divided: 0 for plain gradient steps,
    1/2 for an optimizer that rescales noisy gradients, as Adam does."""
    transfer: float = 0.3
    """Share of a gain that reaches the neighbouring skill, its square the next, and so on."""
    across: float = 0.05
    """Share of a gain that reaches the same skill of another domain."""
    fresh: float = 0.85
    """Share of a gain that still generalises, for each group that its task was given before."""
    interference: float = 2.0
    """What training some skills of a domain takes from its others: of each logit by which a batch
    adds less to a skill than to the one of its domain it adds most to, the skill loses this share /
    the number of skills. Of D domains a batch has a D-th each: there the mean of the latest counts,
    in which a batch weighs 2 / (D + 1), so that it is no more a matter of chance."""
    forget: float = 2e-4
    """Share of what was learned that each policy update forgets."""
    drift: float = 0.0
    """Standard deviation of each skill's own random walk."""
    false_accept: float = 0.0
    """Share of wrong answers that the checker takes for right."""
    kin: float = 0.0
    """Share of a visit to a relative (a variant, what it was made of, another variant of that)
    that takes as much novelty as a visit to the task itself."""
    near: float = 0.5
    """Logits between a variant's difficulty and its parent's: their standard deviation."""
    refused: float = 0.1
    """Share of the variants proposed that the teacher finds unsolvable."""
    broken: float = 0.05
    """Share of the variants in the pool whose answer is wrong: the policy never finds it."""
    parts: tuple[int, ...] = (1,)
    """A task is graded in so many parts (drawn alike); its reward is the share solved."""
    group_size: int = 8
    batch: int = 16
    """Groups in one policy update."""
    staleness: int = 32
    """Draws in flight: so many are made between a draw and the arrival of its rewards."""
    budget: int = 48_000
    """Rollouts of one run."""

    @property
    def domains(self) -> int:
        return len(self.speeds)

    @property
    def weights(self) -> tuple[float, float]:
        """Those of the easier and the harder skill."""
        return self.lean, 1.0 - self.lean

    @property
    def skills(self) -> int:
        """The number of skills in each domain."""
        return len(self.mix)


FEATURES = Setting("features", "three domains, five levels; domain, level and length are shown")


def _but(name: str, summary: str, setting: Setting = FEATURES, **changes: object) -> Setting:
    return replace(setting, name=name, summary=summary, **changes)  # type: ignore[arg-type]


SETTINGS: dict[str, Setting] = {
    setting.name: setting
    for setting in (
        FEATURES,
        _but("no-features", "nothing is shown but the task itself", known=False),
        _but("dead-pool", "60% of the pool is beyond solving", dead=0.6),
        _but(
            "drifting",
            "learns twice as fast, forgets 20 times as fast, and skills wander",
            gain=2 * FEATURES.gain,
            forget=20 * FEATURES.forget,
            drift=0.03,
        ),
        _but("noisy-checker", "1 wrong answer in 20 is accepted", false_accept=0.05),
        _but("graded", "the reward is the share solved of 1, 2, 4 or 8 parts", parts=(1, 2, 4, 8)),
        _but("unequal", "the domains learn at speeds 2, 1 and 1/3", speeds=(2.0, 1.0, 1 / 3)),
    )
}
"""The settings of the lab, each one change away from the first."""

_LADDER = _but(
    "ladder-even",
    "one domain; a task needs the skills of both its operands' lengths",
    speeds=(1.0,),
    gain=0.009,
    single=0.0,
    pairs=True,
    lean=0.85,
    easiest=3.4,
    step=1.95,
    spread=1.4,
    dead=0.0,
    solved=0.0,
    staleness=16,
    budget=51_200,
)
LADDERS: dict[str, Setting] = {
    setting.name: setting
    for setting in (
        _LADDER,
        replace(_LADDER, name="ladder-easy", mix=(6.0, 3.0, 1.0, 0.5, 0.3)),
        replace(_LADDER, name="ladder-hard", mix=(0.15, 0.3, 1.0, 2.0, 3.0), easiest=3.8, step=4.5),
    )
}
"""Three pools of sums on which real training was measured; the world is calibrated on them."""

_SMALL = _but("small", "300 tasks; variants can be made of them", tasks=300)
SMALL_POOLS: dict[str, Setting] = {
    setting.name: setting
    for setting in (
        _SMALL,
        replace(_SMALL, name="small-kin", summary="relatives wear each other out", kin=0.1),
        replace(_SMALL, name="small-bare", summary="nothing is shown of a task", known=False),
    )
}
"""Pools that run out, to judge augmentation on."""
