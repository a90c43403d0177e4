"""How fast, how well and in how much memory a pool is built.

Word problems are generated from templates, so that it is known which are the same: a task is the
same as another if template and numbers are, whatever names, things, order of sentences, LaTeX or
language of numbers it has. A share of them is planted again in such a variant; the template with
other numbers is a different task. All go through `build_pool`, in processes of their own. Then as
many rows are loaded memory-mapped into a `Curriculum`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

NAMES = "Ada Ben Chloe Dmitri Elif Farid Greta Hana Igor Jun Kemal Lucia Mina Noor Olga Pia"
THINGS = (
    "apples pencils stickers books marbles bottles candles cards coins cups erasers flowers "
    "folders hats keys lamps magnets mugs nails needles notebooks onions pears plates ribbons "
    "ropes shells spoons stamps tiles tokens towels toys vases wheels"
)


class Template(NamedTuple):
    """Sentences with a question last, and the answer of the numbers a, b and c."""

    text: str
    answer: Callable[[int, int, int], int]


TEMPLATES = [
    Template(
        "{n} has {a} boxes with {b} {t} in each. {n} gives away {c} of the {t}. "
        "How many {t} are left?",
        lambda a, b, c: a * b - c,
    ),
    Template(
        "A shop sold {a} {t} on Monday and {b} more than that on Tuesday. On Wednesday it sold "
        "{c} {t}. How many {t} did it sell in the three days?",
        lambda a, b, c: 2 * a + b + c,
    ),
    Template(
        "{n} walks {a} km every weekday and {b} km on each day of the weekend. After {c} weeks, "
        "how many km has {n} walked?",
        lambda a, b, c: (5 * a + 2 * b) * c,
    ),
    Template(
        "The sides of a rectangle are {a} cm and {b} cm. A square of side {c} cm is glued onto "
        "it. What is the area of both shapes in square cm?",
        lambda a, b, c: a * b + c * c,
    ),
    Template(
        "A tank holds {a} litres and is filled at {b} litres per minute. The tap was opened {c} "
        "minutes late. How many litres were in the tank an hour after the planned time, had it "
        "no limit?",
        lambda a, b, c: b * (60 - c),
    ),
    Template(
        "{n} saves {a} dollars a month and earns {b} dollars of interest a year. A present costs "
        "{c} dollars. How much does {n} have at the end of the year after buying it?",
        lambda a, b, c: 12 * a + b - c,
    ),
    Template(
        "What is the remainder when {a} to the power {b} is divided by {c}?",
        lambda a, b, c: pow(a, b, c),
    ),
    Template("Compute {a} * {b} + {c}.", lambda a, b, c: a * b + c),
    Template("Evaluate {a}^2 - {b} * {c}.", lambda a, b, c: a * a - b * c),
    Template(
        "In a class of {a} pupils each pupil owns {b} {t}. The teacher brings {c} {t} more. What "
        "is the number of {t} in the classroom?",
        lambda a, b, c: a * b + c,
    ),
    Template(
        "A train has {a} wagons with {b} seats each. At the first station {c} passengers get in "
        "and find seats. How many seats are still free?",
        lambda a, b, c: a * b - c,
    ),
    Template(
        "A sequence begins with {a}. Each later term is {b} larger than the one before it. What "
        "is term number {c} of the sequence?",
        lambda a, b, c: a + b * (c - 1),
    ),
    Template(
        "{n} buys {a} {t} at {b} cents each and pays with a note. The change is {c} cents. How "
        "many cents was the note worth?",
        lambda a, b, c: a * b + c,
    ),
    Template(
        "How many integers from {a} to {a} + {b} * {c} leave no remainder on division by {c}, if "
        "{a} itself is a multiple of {c}?",
        lambda a, b, c: b + 1,
    ),
    Template(
        "An orchard has {a} rows of {b} trees. In a storm {c} trees fall. Each tree that stands "
        "gives 10 kg of fruit. How many kg of fruit are harvested?",
        lambda a, b, c: 10 * (a * b - c),
    ),
    Template(
        "A book has {a} chapters of {b} pages and an index of {c} pages. {n} reads it twice. How "
        "many pages does {n} read?",
        lambda a, b, c: 2 * (a * b + c),
    ),
]
KINDS = ("copied", "renamed", "reordered", "spelt")


class Task(NamedTuple):
    """A generated prompt; `key` is equal for prompts that are the same task."""

    prompt: str
    answer: int
    key: tuple[int, int, int, int]
    kind: str


def tasks(count: int, planted: float, seed: int) -> Iterator[Task]:
    """`count` tasks, a share `planted` of them earlier ones again."""
    rng = random.Random(seed)
    earlier: list[Task] = []
    while len(earlier) < count:
        if earlier and rng.random() < planted:
            task = variant(rng.choice(earlier), rng.choice(KINDS), rng)
        else:
            a, b, c = (rng.randrange(13, 400) for _ in range(3))
            task = written((rng.randrange(len(TEMPLATES)), a, b, c), "new", rng)
        earlier.append(task)
        yield task


def written(key: tuple[int, int, int, int], kind: str, rng: random.Random) -> Task:
    template, (a, b, c) = TEMPLATES[key[0]], key[1:]
    name, thing = rng.choice(NAMES.split()), rng.choice(THINGS.split())
    text = template.text.format(n=name, t=thing, a=a, b=b, c=c)
    return Task(text, template.answer(a, b, c), key, kind)


def variant(task: Task, kind: str, rng: random.Random) -> Task:
    if kind == "copied":
        return task._replace(prompt=f"  {task.prompt.lower()} ", kind=kind)
    if kind == "renamed":
        return written(task.key, kind, rng)
    if kind == "reordered":
        sentences = task.prompt.split(". ")
        return task._replace(prompt=". ".join([*sentences[1:], sentences[0]]), kind=kind)
    words = (f"${word}$" if word.isdecimal() else word for word in task.prompt.split(" "))
    spelt = " ".join(words).replace(" * ", r" $\cdot$ ").replace("^2", "²")
    return task._replace(prompt=spelt, kind=kind)


def write(path: Path, count: int, planted: float) -> list[Task]:
    made = list(tasks(count, planted, seed=0))
    with path.open("w", encoding="utf-8") as file:
        for task in made:
            file.write(json.dumps({"prompt": task.prompt, "answer": task.answer}) + "\n")
    return made


class Cost(NamedTuple):
    """Seconds that a command took, those of processors that it used, and the most MiB that all
    its processes had together."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


def build(path: Path, output: Path, processes: int) -> Cost:
    command = [sys.executable, "-m", "curriculum_env.cli", "pool", "build", str(path)]
    command += ["--output", str(output), "--processes", str(processes), "--json"]
    return measured(command)


def measured(command: list[str]) -> Cost:
    began, used = time.monotonic(), cpu_seconds()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = [0.0]
    watcher = threading.Thread(target=watch, args=(process, peak))
    watcher.start()
    code = process.wait()
    watcher.join()
    if code:
        sys.exit(f"{' '.join(command)} failed with code {code}.")
    return Cost(time.monotonic() - began, cpu_seconds() - used, peak[0])


def cpu_seconds() -> float:
    """Of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def watch(process: subprocess.Popen[bytes], peak: list[float]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(map(resident, family(process.pid))))
        time.sleep(0.1)


def family(pid: int) -> list[int]:
    """A process and those it started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(inner for child in children for inner in family(int(child)))]


def resident(pid: int) -> float:
    """MiB of memory of its own that a process has; pages of mapped files do not count."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    own = (line.split() for line in lines if line.startswith(("RssAnon:", "RssShmem:")))
    return sum(int(words[1]) for words in own) / 1024


def quality(made: list[Task], output: Path) -> dict[str, object]:
    """Recall of what was planted, by kind, and precision of what was taken out as a duplicate."""
    import pyarrow.parquet as pq

    table = pq.read_table(output / "quarantine.parquet", columns=["reason", "where"])
    reasons, wheres = table.column("reason").to_pylist(), table.column("where").to_pylist()
    taken = {int(where.rpartition(":")[2]) for where in wheres}
    first: dict[tuple[int, int, int, int], int] = {}
    again = {i for i, task in enumerate(made) if first.setdefault(task.key, i) != i}
    planted, found = (
        Counter(made[i].kind for i in again),
        Counter(made[i].kind for i in again & taken),
    )
    return {
        "recall": len(again & taken) / len(again),
        "precision": len(again & taken) / len(taken),
        "recall_by_kind": {kind: found[kind] / planted[kind] for kind in KINDS},
        "wrongly_taken": len(taken - again),
        "missed": len(again - taken),
        "reasons": dict(Counter(reasons)),
    }


LOAD = """
import sys
from curriculum_env import Curriculum, CurriculumConfig
from curriculum_env.pool import load_rows
rows = load_rows(sys.argv[1])
with Curriculum(rows, CurriculumConfig(group_size=8)) as curriculum:
    for _ in range(1000):
        curriculum.row(curriculum.ask().uid).data["prompt"]
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prompts", type=int, default=200_000)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows to load at once")
    parser.add_argument("--planted", type=float, default=0.1, help="share planted again")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="8,000 prompts, 20,000 rows")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.prompts, arguments.rows = 8_000, 20_000
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(Path(folder), arguments)))


def measure(folder: Path, arguments: argparse.Namespace) -> dict[str, object]:
    count, processes = arguments.prompts, arguments.processes
    path, output = folder / "tasks.jsonl", folder / "pool"
    write(path, count // 4, arguments.planted)
    quarter = build(path, output, processes)
    made = write(path, count, arguments.planted)
    whole = build(path, output, processes)
    found = quality(made, output)
    write(path, arguments.rows, 0.0)
    loaded = measured([sys.executable, "-c", LOAD, str(path)])
    return {
        "prompts": count,
        "processes": processes,
        "seconds": round(whole.seconds, 1),
        "cpu_seconds": round(whole.cpu_seconds, 1),
        "peak_mib": round(whole.peak_mib),
        "mib_per_100k_prompts": round(
            (whole.peak_mib - quarter.peak_mib) / (0.75 * count) * 100_000, 1
        ),
        **found,
        "loaded_rows": arguments.rows,
        "load_seconds": round(loaded.seconds, 1),
        "load_cpu_seconds": round(loaded.cpu_seconds, 1),
        "load_peak_mib": round(loaded.peak_mib),
    }


if __name__ == "__main__":
    main()
