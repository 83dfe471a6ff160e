"""Reach the press: one process for all processes of a machine's site.

The first process of a site, gunicorn's master, makes a pair of sockets that its workers inherit. A
process with a job sends the press a connection of its own through it, so that a press takes one job
after the other, and the next job is still there when a press dies. A press holds a lock as long as
it lives; a process that finds the lock free starts a press.
"""

from __future__ import annotations

import fcntl
import logging
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from printing.press.jobs import NO_PICTURES, Job

logger = logging.getLogger(__name__)

# The folder in which the press is started.
ROOT = Path(__file__).resolve().parents[2]

# Seconds that one print may take. A gang of sixty members takes six on a slow machine.
LONGEST_PRINT = 120
# Seconds between two checks that a press is alive while it prints another process's job; and how
# many presses are started for a job, if they end without having taken it.
LOOK, MOST_STARTS = 1.0, 3


class Failed(Exception):
    """Raised when the press could not print a job."""


class Died(Failed):
    """Raised when presses died while they printed a job. The cause may be the machine instead of
    the job: it is worth another try later.
    """

    WORDS = "every press that took it died"

    def __init__(self) -> None:
        super().__init__(self.WORDS)


@dataclass
class _Way:
    """The sockets and the lock that processes share to reach a press: they send into ``orders``, it
    takes from ``taken``, and each press locks ``lock``.
    """

    orders: socket.socket
    taken: socket.socket
    lock: IO[bytes]

    def close(self) -> None:
        """Close them in this process. A press ends when all processes have done so."""
        for part in (self.orders, self.taken, self.lock):
            part.close()


class Worker:
    """The way to a press, for one thread of each process.

    ``longest``: seconds that a print may take, LONGEST_PRINT unless given. ``idle``: seconds
    without a print after which the press ends, None if it stays.
    """

    def __init__(self, longest: float | None = None, idle: float | None = None) -> None:
        self._longest = longest
        self._idle = idle
        self._way: _Way | None = None
        self._connection: socket.socket | None = None
        # The press, if this process has started it.
        self._process: subprocess.Popen[bytes] | None = None

    def open(self, *, start: bool = False) -> None:
        """Let this process and its later children share a press. ``start``: start the press now, so
        that the first print does not wait for it.
        """
        way = self._open()
        if start:
            self._start_if_none(way)

    def print(
        self,
        job: Job,
        pictures: Mapping[str, bytes] = NO_PICTURES,
        on_pages: Callable[[int], None] = lambda _pages: None,
    ) -> bytes:
        """Return the job as a PDF or picture. If the press dies meanwhile, retry once with another.

        ``pictures``: those that it shows, by their names. ``on_pages``: called with how many pages
        are set. Raises Died if the second press dies, too, and Failed for anything else.
        """
        try:
            answer = self._try(job, pictures, on_pages)
        except Died:
            logger.warning("A press died while it printed: another tries once more")
            on_pages(0)
            answer = self._try(job, pictures, on_pages)
        if isinstance(answer, str):
            raise Failed(answer)
        return answer

    def _try(
        self, job: Job, pictures: Mapping[str, bytes], on_pages: Callable[[int], None]
    ) -> bytes | str:
        """Return the press's answer. Raises Died if it dies by itself, Failed if the print takes
        too long or stop() was called, and OSError if no press can be started.
        """
        self._connection = connection = self._connect()
        longest, began = self._longest or LONGEST_PRINT, time.monotonic()
        try:
            with connection, connection.makefile("rwb") as press:
                # The press reports that it is this job's turn.
                pickle.load(press)  # noqa: S301 - Our own process.
                pickle.dump((job, dict(pictures), longest), press)
                press.flush()
                while True:
                    answer: bytes | str | int = pickle.load(press)  # noqa: S301
                    if not isinstance(answer, int):
                        return answer
                    on_pages(answer)
        except (OSError, EOFError, pickle.UnpicklingError, ValueError) as error:
            if self._connection is None:
                raise Failed("the press was ended") from error
            if time.monotonic() - began >= longest:
                raise Failed("it takes too long") from error
            raise Died from error
        finally:
            self._connection = None

    def _connect(self) -> socket.socket:
        """Return a connection to the press when it is this process's turn. Raises Died if one press
        after the other ends before it sends anything, and OSError.
        """
        way = self._open()
        ours, theirs = socket.socketpair()
        with ExitStack() as unless_reached:
            unless_reached.enter_context(ours)
            with theirs:
                socket.send_fds(way.orders, [b"1"], [theirs.fileno()])
            ours.settimeout(LOOK)
            started = 0
            while True:
                started += self._start_if_none(way)
                with suppress(TimeoutError):
                    # The message is read later; there is none if the press has died.
                    ours.recv(1, socket.MSG_PEEK)
                    break
                if started == MOST_STARTS:
                    raise Died
            ours.settimeout(None)
            unless_reached.pop_all()
        return ours

    def _open(self) -> _Way:
        if self._way is None:
            orders, taken = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            # Closed by stop().
            self._way = _Way(orders, taken, tempfile.TemporaryFile())  # noqa: SIM115
        return self._way

    def _start_if_none(self, way: _Way) -> bool:
        """Start a press unless one is alive; return whether it did."""
        # Opened again, since a lock belongs to what open() returns: the press keeps this one.
        lock = os.open(f"/proc/self/fd/{way.lock.fileno()}", os.O_RDWR)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            if self._process is not None:
                self._process.wait()
            taken = way.taken.fileno()
            command = [sys.executable, "-m", "printing.press.program", str(taken)]
            if self._idle is not None:
                command.append(str(self._idle))
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=(taken, lock), cwd=ROOT
            )
            return True
        finally:
            os.close(lock)

    def stop(self) -> None:
        """Let go of the press, and end it if this process has started it. The next print opens
        another way to one.
        """
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        way, self._way = self._way, None
        if way is not None:
            way.close()
        process, self._process = self._process, None
        if process is not None:
            # This does nothing if another process started the press.
            process.kill()
            process.wait()
