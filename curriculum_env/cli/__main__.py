"""`python -m curriculum_env.cli`."""

from __future__ import annotations

from curriculum_env.cli import main

if __name__ == "__main__":
    main()
