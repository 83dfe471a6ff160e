"""A stranger's rulebook, read by a process of its own.

``rules.loading.strangers`` is that process: one for each of the site's, started when it is needed.
What it says is sound is only built here; nothing is checked or worked out twice.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from rules.book.model import Book
from rules.bounds.limits import CHECK_SECONDS
from rules.loading.strangers import Answer, mistakes_of, parse_answer, receive, send

ROOT = Path(__file__).resolve().parents[2]
# Requests that wait for the process, seconds that one waits for its turn, and then for an answer
# at most: where the machine has other work, seconds of the processor take longer.
MOST_WAITING = 3
PATIENCE = 10
LONGEST = 4 * CHECK_SECONDS


class TooLarge(Exception):
    """A rulebook that takes more time, memory or work than a stranger's may."""


class Busy(Exception):
    """Others have theirs read, or the machine is busy, and it would take too long to wait."""


@dataclass
class _Reader:
    """The process, if there is one."""

    process: subprocess.Popen[bytes] | None = None
    turn: threading.Lock = field(default_factory=threading.Lock)
    waiting: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(MOST_WAITING + 1)
    )

    def ask(self, question: bytes) -> Answer:
        """The answer of the process. Raises Busy, also if there is none: a child that takes too
        much is an answer, so that the machine has too much else to do."""
        if not self.waiting.acquire(blocking=False):
            raise Busy
        try:
            if not self.turn.acquire(timeout=PATIENCE):
                raise Busy
            try:
                answered = self._asked(question)
            finally:
                self.turn.release()
        finally:
            self.waiting.release()
        if answered is None:
            raise Busy
        return parse_answer(answered)

    def _asked(self, question: bytes) -> bytes | None:
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        late = threading.Timer(LONGEST, _end, [process])
        late.start()
        answered = None
        with suppress(OSError):
            send(cast(Any, process.stdin), question)
            answered = receive(cast(Any, process.stdout))
        late.cancel()
        if answered is None:
            self.stop()
        return answered

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            self.stop()
            # Neither the site's secrets nor its group are handed on: its children end with it.
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rules.loading.strangers"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=ROOT,
                env={},
                start_new_session=True,
            )
        return self.process

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self.process = self.process, None
        if process is None:
            return
        _end(process)
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        process.wait()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its children."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


_reader = _Reader()


def _forked() -> None:
    # The child asks a process of its own.
    global _reader
    _reader = _Reader()


os.register_at_fork(after_in_child=_forked)


@atexit.register
def close() -> None:
    """End the process."""
    _reader.stop()


def read_apart(
    data: Mapping[str, object], fallback: str, *, stored: bool = False, tried: bool = False
) -> Book:
    """A stranger's rulebook from parsed JSON, as ``rules.loading.strangers.read_book`` reads it.

    Raises BadBook with every mistake; TooLarge, or Busy.
    """
    found = _reader.ask(json.dumps([data, fallback, stored, tried]).encode())
    if "too_large" in found:
        raise TooLarge
    if "mistakes" in found:
        raise mistakes_of(found)
    return Book.model_validate_json(found["canonical"])
