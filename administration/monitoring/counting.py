"""Counting requests in memory shared by all worker processes of a machine.

Workers are forks of one process, whose shared memory has all their counts. So the numbers are right
whichever worker answers, and stay when a worker ends. Each worker has a separate row, so they never
wait for each other.
"""

from __future__ import annotations

import mmap
import os
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator

from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

# The largest number of workers that run at the same time.
MOST_WORKERS = 64
METHODS = ("GET", "HEAD", "POST", "OTHER")
CLASSES = (1, 2, 3, 4, 5)
# Upper bounds of the durations' buckets, in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, float("inf"))
# A row: the process id, a count for each method and class, a count for each bucket, and the total
# of seconds.
_COUNTS = 1
_DURATIONS = _COUNTS + len(METHODS) * len(CLASSES)
_SECONDS = _DURATIONS + len(BUCKETS)
_WIDTH = _SECONDS + 1

_table = memoryview(mmap.mmap(-1, MOST_WORKERS * _WIDTH * 8)).cast("d")
_row = 0
_lock = threading.Lock()


def use_row(row: int) -> None:
    """Count in this row from now on; the server calls this in each new worker."""
    global _row
    _row = row % MOST_WORKERS


def free_row(taken: set[int]) -> int:
    """Return a row that no running worker uses."""
    return next((row for row in range(MOST_WORKERS) if row not in taken), 0)


def count(method: str, status: int, seconds: float) -> None:
    """Count an answer."""
    kind = METHODS.index(method) if method in METHODS else len(METHODS) - 1
    start = _row * _WIDTH
    with _lock:
        _table[start] = os.getpid()
        _table[start + _COUNTS + kind * len(CLASSES) + status // 100 - 1] += 1
        _table[start + _DURATIONS + bisect_left(BUCKETS, seconds)] += 1
        _table[start + _SECONDS] += seconds


def _total(place: int) -> float:
    return sum(_table[row * _WIDTH + place] for row in range(MOST_WORKERS))


def requests() -> Iterator[tuple[str, str, int]]:
    """Yield the number of answers by method and class of status, such as ``2xx``."""
    for kind, method in enumerate(METHODS):
        for place, first in enumerate(CLASSES):
            number = int(_total(_COUNTS + kind * len(CLASSES) + place))
            if number:
                yield method, f"{first}xx", number


def durations() -> tuple[list[int], float]:
    """Return how many answers took at most each of ``BUCKETS``, and their total seconds."""
    numbers, so_far = [], 0
    for place in range(len(BUCKETS)):
        so_far += int(_total(_DURATIONS + place))
        numbers.append(so_far)
    return numbers, _total(_SECONDS)


def processes() -> list[tuple[int, int]]:
    """Return the rows of running processes, with their process ids."""
    rows = ((row, int(_table[row * _WIDTH])) for row in range(MOST_WORKERS))
    return [(row, pid) for row, pid in rows if pid and os.path.exists(f"/proc/{pid}")]


def count_requests(get_response: GetResponse) -> GetResponse:
    """Middleware: count every answer and its duration."""

    def middleware(request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = get_response(request)
        count(request.method or "", response.status_code, time.perf_counter() - started)
        return response

    return middleware
