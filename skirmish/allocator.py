"""What the C library keeps of memory that has been freed.

glibc gives each thread a heap of its own, and keeps the more of them the larger what was freed: a
worker that has read some large files holds tens of megabytes that nobody uses. Here few heaps are
made, and large pieces go back to the system when they are freed.
"""

from __future__ import annotations

import ctypes

# From malloc.h: which limit is meant.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
HEAPS = 2
LARGE = 128 << 10


def hold_back() -> bool:
    """Let this process, and those that it forks, keep little; whether the C library can be told.

    Before any thread is made.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        # Another C library, such as musl.
        return False
    limits = ((M_ARENA_MAX, HEAPS), (M_MMAP_THRESHOLD, LARGE), (M_TRIM_THRESHOLD, LARGE))
    told = [bool(mallopt(which, limit)) for which, limit in limits]
    return all(told)
