"""``python -m likeness`` is the command ``likeness``."""

from __future__ import annotations

import sys

from likeness.cli import main

if __name__ == "__main__":
    sys.exit(main())
