"""How a model is asked for a variant: in few words, so that a small one can follow."""

from __future__ import annotations

CHANGES = {
    "numbers": "with other numbers",
    "harder": "with larger numbers",
    "easier": "with smaller numbers",
}
EXAMPLES = {
    "addition": ("14 + 9", "27 + 16"),
    "subtraction": ("31 - 8", "45 - 17"),
    "multiplication": ("6 * 14", "8 * 23"),
    "division": ("24 / 3", "45 / 5"),
    "mixed": ("2 + 3 * 4", "5 + 2 * 7"),
    "nested": ("(2 + 3) * 4", "(6 + 1) * 5"),
}


def variant_prompt(question: str, operation: str, kind: str) -> list[dict[str, str]]:
    """Asks for a problem like `question`, after the same was asked of an example and answered."""
    given, written = EXAMPLES[operation]
    if kind == "easier":
        given, written = written, given
    return [
        _turn(f"What is {given}?", kind),
        {"role": "assistant", "content": f"<problem>What is {written}?</problem>"},
        _turn(question, kind),
    ]


def _turn(question: str, kind: str) -> dict[str, str]:
    return {
        "role": "user",
        "content": f"Write one problem like this one, {CHANGES[kind]}, between <problem> and "
        f"</problem>: {question}",
    }
