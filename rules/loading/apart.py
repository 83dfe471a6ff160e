"""Lets a separate process read strangers' rulebooks.

Each process of the site starts one such process (``rules.loading.strangers``) when it needs it. The
rulebooks that it returns are sound, and are not checked again. Long work has a process of its own
for each job (``run_apart``), so that nobody waits for it.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from rules.book.model import Book
from rules.bounds.limits import CHECK_SECONDS
from rules.loading.reader import BadBook, Mistake
from rules.loading.sample_odds import NO_ATTACK, Attack, SampleOdds
from rules.loading.strangers import ANSWER, JOB, PROGRESS, Answer, receive, send

ROOT = Path(__file__).resolve().parents[2]
# Requests that may wait for the process; seconds that one waits for its turn, and then for an
# answer (on a busy machine, a second of the processor takes longer than a second).
MOST_WAITING = 3
PATIENCE = 10
LONGEST = 4 * CHECK_SECONDS
# Jobs that each process of the site does at the same time, and how many times longer than their
# seconds of the processor they may take.
MOST_JOBS = 2
PATIENCE_OF_JOBS = 4.0
# Bytes of a job's answer, which the site's own process parses.
BIGGEST_ANSWER = 12 << 20


# The examiners whose notes the process adds for authors: each a module and a function.
_examiners: list[str] = []


def install_examiner(module: str, name: str) -> None:
    """Let the process add the notes of this function. It must not need Django's settings. Call this
    before the process starts."""
    if (found := f"{module}:{name}") not in _examiners:
        _examiners.append(found)


class TooLarge(Exception):
    """Raised for a rulebook that takes more time, memory or work than a stranger's may."""


class Busy(Exception):
    """Raised if a request would have to wait too long: others wait, or the machine is busy."""


class _Reader:
    """The process, if there is one."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.turn = threading.Lock()
        self.waiting = threading.BoundedSemaphore(MOST_WAITING + 1)

    def ask(self, question: bytes) -> Answer:
        """The answer of the process. Raises Busy, even if no answer comes in time: the process
        answers if a rulebook takes too much, so silence means that the machine is busy."""
        if not self.waiting.acquire(blocking=False):
            raise Busy
        try:
            if not self.turn.acquire(timeout=PATIENCE):
                raise Busy
            try:
                answered = self._exchange(question)
            finally:
                self.turn.release()
        finally:
            self.waiting.release()
        if answered is None:
            raise Busy
        found: Answer = json.loads(answered)
        return found

    def _exchange(self, question: bytes) -> bytes | None:
        process = self._started()
        late = threading.Timer(LONGEST, _end, [process])
        late.start()
        answered = None
        with suppress(OSError):
            send(cast(BinaryIO, process.stdin), question)
            answered = receive(cast(BinaryIO, process.stdout))
        late.cancel()
        if answered is None:
            self.stop()
        return answered

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            self.stop()
            self.process = _start(*_examiners)
        return self.process

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self.process = self.process, None
        if process is not None:
            # Leaving the block closes its pipes and waits for its end.
            with suppress(OSError), process:
                _end(process)


def _start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start a process that gets none of the site's secrets, and a process group of its own, so that
    its children end with it."""
    return subprocess.Popen(
        [sys.executable, "-m", "rules.loading.strangers", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={},
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its children."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


_reader = _Reader()


def _forked() -> None:
    # The child starts another process when it needs one.
    global _reader
    _reader = _Reader()


os.register_at_fork(after_in_child=_forked)


@atexit.register
def close() -> None:
    """End the process."""
    _reader.stop()


_jobs = threading.BoundedSemaphore(MOST_JOBS)


def run_apart(
    function: str,
    question: bytes,
    *,
    seconds: int,
    memory: int,
    progress: Callable[[str], None] = lambda line: None,
) -> bytes:
    """The answer of a function ("module:name") to a question, in a process of its own.

    The function gets the question and a function for lines about its progress, which ``progress``
    receives. ``seconds`` of the processor, ``memory`` in bytes: its limits. Raises TooLarge if it
    needs more or answers more than ``BIGGEST_ANSWER``, and Busy if other jobs are being done or the
    machine is busy.
    """
    if not _jobs.acquire(blocking=False):
        raise Busy
    try:
        process = _start(JOB, function, str(seconds), str(memory))
        is_late = threading.Event()

        def end_late() -> None:
            is_late.set()
            _end(process)

        late = threading.Timer(PATIENCE_OF_JOBS * seconds, end_late)
        late.start()
        try:
            answered = _converse(process, question, progress)
        finally:
            late.cancel()
            with suppress(OSError), process:
                _end(process)
    finally:
        _jobs.release()
    if answered is not None:
        return answered
    raise Busy if is_late.is_set() else TooLarge


def _converse(
    process: subprocess.Popen[bytes], question: bytes, progress: Callable[[str], None]
) -> bytes | None:
    """The answer of a process that does a job; None if it ends without one."""
    with suppress(OSError):
        send(cast(BinaryIO, process.stdin), question)
        while message := receive(cast(BinaryIO, process.stdout), BIGGEST_ANSWER):
            kind, rest = message[:1], message[1:]
            if kind == PROGRESS:
                progress(rest.decode())
            else:
                return rest if kind == ANSWER else None
    return None


def read_apart(
    data: dict[str, object], fallback: str, *, stored: bool = False, tried: bool = False
) -> Book:
    """A stranger's rulebook from parsed JSON, read by ``rules.loading.strangers.read_book``.

    Raises BadBook with every mistake, TooLarge or Busy.
    """
    return parse_examined(_canonical_in(_ask(data, fallback, stored=stored, tried=tried)))


def examine_apart(
    data: dict[str, object], fallback: str, *, attack: Attack = NO_ATTACK
) -> tuple[str, tuple[Mistake, ...], SampleOdds | None]:
    """As ``read_apart``, but the canonical text of the rulebook, which ``parse_examined`` reads;
    with the checker's notes for the author, and the odds of a sample ``attack``, if there are
    any."""
    found = _ask(data, fallback, noted=True, attack=attack)
    notes = tuple(map(Mistake.unpack, found.get("notes", ())))
    odds = found.get("odds")
    if odds is None:
        return _canonical_in(found), notes, None
    # JSON has no tuples with names.
    asked, by, item, at, lines = odds
    return _canonical_in(found), notes, SampleOdds(Attack(*asked), by, item, at, lines)


def read_files_apart(texts: Mapping[str, str]) -> tuple[Book, list[Mistake]]:
    """A stranger's rulebook from the contents of its files, read by
    ``rules.loading.strangers.read_files``; and the notes on it.

    Raises BadBook with every mistake, TooLarge or Busy.
    """
    found = _reader.ask(json.dumps(dict(texts)).encode())
    return parse_examined(_canonical_in(found)), [*map(Mistake.unpack, found["notes"])]


def _ask(
    data: dict[str, object],
    fallback: str,
    *,
    stored: bool = False,
    tried: bool = False,
    noted: bool = False,
    attack: Attack = NO_ATTACK,
) -> Answer:
    return _reader.ask(json.dumps([data, fallback, stored, tried, noted, attack]).encode())


def parse_examined(canonical: str) -> Book:
    """The rulebook with this canonical text, which an answer of the process contained."""
    return Book.model_validate_json(canonical)


def _canonical_in(answer: Answer) -> str:
    """The canonical text of the rulebook in an answer. Raises BadBook or TooLarge."""
    if "too_large" in answer:
        raise TooLarge
    if "mistakes" in answer:
        raise BadBook([*map(Mistake.unpack, answer["mistakes"])], of_form=answer["of_form"])
    return answer["canonical"]
