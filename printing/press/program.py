"""Run a press: the program that prints jobs, one after the other, for all processes of a site.

    python -m printing.press.program SOCKET [IDLE]

``SOCKET``: the number of the socket from which the press takes connections, each for one job
(``printing.press.worker`` sends them). ``IDLE``: seconds without a job after which the press ends;
without it, the press stays. It also ends after MOST_PRINTS PDFs, so that it never grows for long,
and with the last process that could send it one.
"""

from __future__ import annotations

import logging
import os
import pickle
import resource
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import BinaryIO

from printing.press import layout, pixels
from printing.press.jobs import Job

# Bytes that a print may take before it is given up: a yearbook takes a tenth of them.
MOST_MEMORY = 2 << 30
MOST_PRINTS = 300
# Seconds that the press may take to start, or to read a job. Each job states how long it may take.
LONGEST_START = 60
# A press reports its progress after this many more pages.
PROGRESS_STEP = 5
# The first print unpacks fonts, which takes longer than a sheet: no reader should wait for it.
FIRST = Job("<html><head><title>A</title></head><body><p>A <b>B</b></p></body></html>", ("fonts",))


class _Counter(logging.Handler):
    """Report the number of pages laid out, from the library's log; nothing for short prints."""

    def __init__(self, answers: BinaryIO) -> None:
        super().__init__()
        self.answers = answers
        self.most = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count one more page, or one that had to be set again."""
        page = record.args[0] if isinstance(record.args, tuple) and record.args else 0
        if isinstance(page, int) and page >= self.most + PROGRESS_STEP:
            self.most = page
            _say(self.answers, page)


def serve(connections: socket.socket, idle: float | None) -> None:
    """Print the job of each connection, as the module's docstring describes."""
    _end_in(LONGEST_START)
    layout.pdf(FIRST)
    _end_in(0)
    steps = logging.getLogger("weasyprint.progress")
    steps.setLevel(logging.INFO)
    steps.propagate = False
    connections.settimeout(idle)
    prints = 0
    while prints < MOST_PRINTS:
        try:
            said, sockets, _flags, _address = socket.recv_fds(connections, 1, 1)
        except TimeoutError:
            return
        if not said:
            return
        with socket.socket(fileno=sockets[0]) as client:
            _end_in(LONGEST_START)
            try:
                prints += not _answer(client, steps).width
            except (OSError, EOFError):
                # The process that asked has ended.
                continue
            finally:
                _end_in(0)


def _end_in(seconds: float) -> None:
    """Have the system end this process after this many seconds, whatever it is doing; 0: never."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _answer(client: socket.socket, steps: logging.Logger) -> Job:
    """Report that the press has begun, read a job, print it and send the file, or the error's text.
    Return the job.
    """
    with client.makefile("rb") as jobs, client.makefile("wb") as answers:
        _say(answers, 0)
        job: Job
        pictures: dict[str, bytes]
        longest: float
        # Only processes of the site have the other end.
        job, pictures, longest = pickle.load(jobs)  # noqa: S301
        _end_in(longest)
        counter = _Counter(answers)
        steps.addHandler(counter)
        printed = threading.Event()
        threading.Thread(target=_watch, args=(client, printed), daemon=True).start()
        answer: bytes | str
        try:
            answer = pixels.png(job, pictures) if job.width else layout.pdf(job, pictures)
        except Exception as error:  # noqa: BLE001 - Whatever it was, the next job is printed.
            answer = f"{type(error).__name__}: {error}"
        finally:
            steps.removeHandler(counter)
        printed.set()
        _say(answers, answer)
        return job


def _watch(client: socket.socket, printed: threading.Event) -> None:
    """End the press when the process that asked ends before it has its print."""
    with suppress(OSError):
        client.recv(1)
    if not printed.is_set():
        os._exit(1)


def _say(answers: BinaryIO, answer: bytes | str | int) -> None:
    pickle.dump(answer, answers)
    answers.flush()


if __name__ == "__main__":
    # Ctrl-C reaches every process of a terminal. A press ends when the site has ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    serve(socket.socket(fileno=int(sys.argv[1])), float(sys.argv[2]) if sys.argv[2:] else None)
