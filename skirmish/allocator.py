"""Limits on memory that the C library keeps after it has been freed.

glibc gives each thread its own heap and keeps freed memory, more after large blocks: a worker that
has read a few large files holds tens of unused megabytes. These limits allow few heaps and return
large blocks to the system when they are freed.
"""

from __future__ import annotations

import ctypes

# The limits' numbers in malloc.h.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
HEAPS = 2
LARGE = 128 << 10


def hold_back() -> bool:
    """Apply the limits to this process and its forks; return whether the C library accepts them.

    Call it before any thread is started.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        # Another C library, such as musl, has no ``mallopt``.
        return False
    limits = ((M_ARENA_MAX, HEAPS), (M_MMAP_THRESHOLD, LARGE), (M_TRIM_THRESHOLD, LARGE))
    accepted = [bool(mallopt(which, limit)) for which, limit in limits]
    return all(accepted)
