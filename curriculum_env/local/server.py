"""The child process that holds the model: `python -m curriculum_env.local.server`.

It prints its address as one line of JSON, then serves until its standard input closes, which
happens when its parent ends, however that ends.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any


def parameters(options: argparse.Namespace) -> Any:
    """llama-server's parameters: loopback, a free port, `slots` contexts of `context` tokens."""
    from xllamacpp import CommonParams

    params = CommonParams()
    params.model.path = options.model
    params.model_alias = {options.alias}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = options.slots
    params.n_ctx = options.slots * options.context
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.threads
    params.n_gpu_layers = 0
    params.ui = False
    params.verbosity = -1
    return params


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The options, all of them set by the parent process."""
    parser = argparse.ArgumentParser(prog="python -m curriculum_env.local.server")
    parser.add_argument("--model", required=True)
    parser.add_argument("--alias", required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    return parser.parse_args(argv)


def main() -> None:
    """Serve until standard input closes."""
    from xllamacpp import Server

    server = Server(parameters(parse()))
    sys.stdout.write(json.dumps({"address": server.listening_address}) + "\n")
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nobody reads the pipe from here on
    sys.stdin.buffer.read()
    sys.exit(0)


if __name__ == "__main__":
    main()
