"""`curriculum-env plot`: what became of the variants of a run, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curriculum_env.errors import ConfigError, StoreError

SUFFIXES = (".png", ".svg", ".pdf")


def plot(
    store: Annotated[str, typer.Argument(help="URL of a store, its file, or a run's folder.")],
    out: Annotated[
        Path, typer.Argument(help="Picture to write: a name that ends in .png, .svg or .pdf.")
    ],
) -> None:
    """Draw what became of a run's variants: success, fate, generations, and where the draws lie.

    Works from the store alone, also while a run goes on; a run without variants has the same
    picture with fewer lines. Needs the extra plots.
    """
    if out.suffix not in SUFFIXES:
        raise ConfigError(
            f"{out} ends in none of {', '.join(SUFFIXES)}, which are what can be drawn: name it "
            f"{out.with_suffix('.png')}."
        )
    from curriculum_env.cli.stored import read_store, reading
    from curriculum_env.plots import draw_variants, variants_of

    stored = read_store(store)
    draws = [*stored.earlier, *stored.draws]
    if not draws:
        raise StoreError(f"{stored.url} holds no draw yet: nothing has been drawn from it.")
    with reading(store) as opened:
        items = list(opened.queue.items())
    found = variants_of(stored.config, draws, stored.outcomes, stored.events, items)
    out = out.expanduser()
    try:
        draw_variants(found, out)
    except OSError as error:
        raise ConfigError(
            f"the picture cannot be written to {out} ({error.strerror or error}): name a file in a "
            "folder that can be written."
        ) from error
    typer.echo(f"Drew {len(draws)} draws to {out}.")
