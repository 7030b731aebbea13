"""`python -m sgmem`."""

from __future__ import annotations

import sys

from sgmem.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
