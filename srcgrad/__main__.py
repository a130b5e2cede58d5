"""``python -m srcgrad``, and the command ``srcgrad``."""

from __future__ import annotations

import sys

from .cli import main


def run() -> None:
    """Run a command and leave with its status."""
    sys.exit(main())


if __name__ == "__main__":
    run()
