"""Methods compared over a range of guarantees: runs in worker processes, kept as they finish, and what follows from them."""

from likeness.comparing.comparison import Comparison
from likeness.comparing.run import ComparedRun
from likeness.comparing.running import compare

__all__ = ["ComparedRun", "Comparison", "compare"]
