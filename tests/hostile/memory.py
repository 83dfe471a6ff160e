"""The growth of the server's workers, and the requests that caused it."""

from __future__ import annotations

import contextlib
import http.client
import re
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from tests.hostile.requests import Request, send

# The most MB by which a worker may be larger than after everything had been looked at once.
MOST = 64
PAUSE = 0.2
JUMP = 16
FIELD = re.compile(r"^(VmHWM|VmRSS):\s+(\d+) kB", re.M)

Sent = tuple[Request, dict[str, str]]


def memory_of(pid: int) -> tuple[float, float]:
    """Return a process's memory now and at its peak, in MB. Raises OSError if it has ended."""
    found = dict(FIELD.findall(Path(f"/proc/{pid}/status").read_text()))
    return int(found["VmRSS"]) / 1024, int(found["VmHWM"]) / 1024


def forget_peak(pid: int) -> None:
    """Reset a process's peak to its present memory."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text("5")


class Watch:
    """Watches workers grow from their present size, after ``begun`` requests; a worker that
    replaces another is compared with the size of that one. ``recent`` and ``flying``: the latest
    requests, and those that are not answered yet.
    """

    def __init__(
        self,
        workers: Callable[[], list[int]],
        begun: int,
        recent: deque[Sent],
        flying: dict[int, Sent],
    ) -> None:
        self.workers, self.begun = workers, begun
        self.recent, self.flying, self.suspects = recent, flying, list[Sent]()
        self.before: dict[int, float] = {}
        self.most = 0.0
        self.look()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self) -> None:
        while not self.done.wait(PAUSE):
            self.look()

    def look(self) -> None:
        """Measure the workers; the requests at the moment of a jump are suspected."""
        stood = max(self.before.values(), default=0.0)
        for pid in self.workers():
            try:
                if pid not in self.before:
                    forget_peak(pid)
                    self.before[pid] = max(stood, memory_of(pid)[0])
                grown = memory_of(pid)[1] - self.before[pid]
            except (OSError, KeyError):
                # The worker has just ended.
                continue
            if grown > self.most + JUMP:
                last = [*self.recent, *list(self.flying.values())]
                self.suspects = [*self.suspects[-400:], *last]
            self.most = max(self.most, grown)

    def stop(self) -> None:
        """Stop watching."""
        self.look()
        self.done.set()
        self.thread.join()

    def culprits(self, port: int, most_asked: int = 30) -> list[tuple[float, Request]]:
        """Return the suspected requests by which a worker grows too large when they are sent again
        separately; the worst first.
        """
        by_words = {str(request): (request, cookies) for request, cookies in self.suspects}
        largest = sorted(by_words.values(), key=lambda each: -_weight(each[0]))[:most_asked]
        found = []
        for request, cookies in largest:
            pids = self.workers()
            for pid in pids:
                forget_peak(pid)
            before = {pid: memory_of(pid)[0] for pid in pids}
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                send(port, request, cookies)
            grown = 0.0
            for pid, start in before.items():
                with contextlib.suppress(OSError, KeyError):
                    grown = max(grown, memory_of(pid)[1] - start)
            if grown > MOST / 2:
                found.append((grown, request))
        return sorted(found, key=lambda each: -each[0])


def _weight(request: Request) -> int:
    return len(request.encoded()[2])
