"""Room on Python's stack for a whole test.

CPython keeps the frames of calls in blocks of 16 KB. It returns a block to the system as soon as
the first frame in it ends, so a call that lies just beyond the end of a block gets a block and
returns it each time. pytest calls tests from so deep that this took a fifth of the time of many. A
frame that needs much space gets one large block, in which all deeper calls lie.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# The values that the frame claims to need: more than a quarter of a megabyte, so that it gets a
# block of half a megabyte. The system provides only the part that deeper calls really use.
CLAIMED = 33_000


def with_room[**Given, Answer](function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Return the function, with room for the frames of about a thousand deeper calls."""

    def call(*args: Any, **values: Any) -> Answer:
        return function(*args, **values)

    call.__code__ = call.__code__.replace(co_stacksize=CLAIMED)
    return call
