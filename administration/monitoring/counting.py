"""Requests counted, in memory that all worker processes of a machine share.

A server makes its workers as forks of one process, so memory that this one shares with them holds
the numbers of all: they are right whichever worker is asked, and stay when a worker ends. Each
worker counts in a row of its own, so that none waits for another.
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

# Workers of a machine at once.
MOST_WORKERS = 64
METHODS = ("GET", "HEAD", "POST", "OTHER")
CLASSES = (1, 2, 3, 4, 5)
# Upper bounds of the durations that are told apart, in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, float("inf"))
# A row: the process, one number for each method and class, one for each bucket, and all seconds.
_COUNTS = 1
_DURATIONS = _COUNTS + len(METHODS) * len(CLASSES)
_SECONDS = _DURATIONS + len(BUCKETS)
_WIDTH = _SECONDS + 1

_table = memoryview(mmap.mmap(-1, MOST_WORKERS * _WIDTH * 8)).cast("d")
_row = 0
_lock = threading.Lock()


def use_row(row: int) -> None:
    """Count in this row from now on: the server's word to a worker that it has just made."""
    global _row
    _row = row % MOST_WORKERS


def free_row(taken: set[int]) -> int:
    """A row that no living worker counts in."""
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
    """How many answers there were by method and class of status, such as ``2xx``."""
    for kind, method in enumerate(METHODS):
        for place, first in enumerate(CLASSES):
            number = int(_total(_COUNTS + kind * len(CLASSES) + place))
            if number:
                yield method, f"{first}xx", number


def durations() -> tuple[list[int], float]:
    """How many answers took at most each of ``BUCKETS``, and how many seconds all took together."""
    numbers, so_far = [], 0
    for place in range(len(BUCKETS)):
        so_far += int(_total(_DURATIONS + place))
        numbers.append(so_far)
    return numbers, _total(_SECONDS)


def processes() -> list[tuple[int, int]]:
    """Each row in which a living process counts, and the number of that process."""
    rows = ((row, int(_table[row * _WIDTH])) for row in range(MOST_WORKERS))
    return [(row, pid) for row, pid in rows if pid and os.path.exists(f"/proc/{pid}")]


def count_requests(get_response: GetResponse) -> GetResponse:
    """Middleware: every answer is counted, with the time that it took."""

    def middleware(request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = get_response(request)
        count(request.method or "", response.status_code, time.perf_counter() - started)
        return response

    return middleware
