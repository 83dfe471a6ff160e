"""The amount of work in Python function calls.

Seconds depend on the machine and on its load; calls do not, so a limit on them fails only when
there is more to do.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

NAME = "tests.work"
# The ids that Python reserves for debuggers, coverage and profilers are left alone.
TOOL = 4


def calls(work: Callable[[], object]) -> int:
    """Return how many Python functions ``work`` calls in this thread."""
    count, here = 0, threading.get_ident()

    def called(_code: object, _offset: int) -> None:
        nonlocal count
        count += threading.get_ident() == here

    sys.monitoring.use_tool_id(TOOL, NAME)
    try:
        sys.monitoring.register_callback(TOOL, sys.monitoring.events.PY_START, called)
        sys.monitoring.set_events(TOOL, sys.monitoring.events.PY_START)
        work()
    finally:
        sys.monitoring.free_tool_id(TOOL)
    return count
