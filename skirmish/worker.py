"""Gunicorn's threaded worker, but nobody holds its threads by being slow or by waiting.

Gunicorn gives a connection a thread for as long as its request takes to arrive; a handful of
senders that let a byte drip now and then stop a whole site. Here a request has one only when it has
arrived: most come in one piece, and the others are read beside, into memory or a file, within a
time.

A change waits for the database's lock, for seconds if others hold it, and a print for the press.
One thread more is there than those may have, so that a page which only reads never waits behind
them.
"""

from __future__ import annotations

import errno
import io
import re
import selectors
import socket
import tempfile
import threading
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

from gunicorn import util
from gunicorn.http.errors import NoMoreData
from gunicorn.workers.gthread import TConn, ThreadWorker

# This worker overrides methods and uses attributes that gunicorn does not promise. Before you raise
# the version, read what changed in ``gunicorn/workers/gthread.py``; run tests/faults/test_slow.py.
GUNICORN = "27.0.1"
# Requests of a worker that are read beside at once; they are threads that wait. Further ones stand
# in line.
MOST_RECEIVERS = 100
# Seconds that a request may take to arrive: its head, and its whole body for each megabyte begun.
LONGEST_HEAD = 10
LONGEST_MEGABYTE = 20
# What settings.BIGGEST_BODY admits, and the form around it; above IN_MEMORY it waits in a file.
LARGEST_BODY = 18 << 20
IN_MEMORY = 256 << 10
MEGABYTE = 1 << 20
# Bodies of more than a megabyte that are read at once; others wait their turn, and fill no disk.
MOST_LARGE = 8
CHUNK = 64 << 10
# What the system keeps for a reader who is slow: most pages and prints whole.
SEND_BUFFER = 512 << 10
# Seconds that a reader may take for what does not fit into it.
LONGEST_ANSWER = 60
# How much of what has arrived is looked at to tell whether that is the whole request.
LOOKED_AT = 16 << 10

# Requests that only read begin with one of these, and do not ask for a print.
_READING = re.compile(rb"(?:GET|HEAD|OPTIONS) (?![^ ?]*\.pdf[ ?])")
_LENGTH = re.compile(rb"\r\ncontent-length: ?(\d{1,8})\r\n")
# With these there is more to read than the head and so many bytes.
_OTHERWISE = re.compile(rb"\r\n(?:transfer-encoding|expect|upgrade)[ \t]*:")


def has_arrived(sock: socket.socket) -> bool:
    """Whether a whole request waits in a connection. In doubt it does not: who reads it beside
    finds out."""
    seen = _peek(sock)
    if seen is None:
        return False
    if not seen:
        # It is closed: nothing is to be waited for.
        return True
    head, end, body = seen.partition(b"\r\n\r\n")
    head = head.lower() + b"\r\n"
    if not end or _OTHERWISE.search(head):
        return False
    named = head.count(b"content-length")
    length = _LENGTH.search(head)
    return named == 0 or (named == 1 and length is not None and int(length[1]) <= len(body))


def only_reads(start: bytes) -> bool:
    """Whether a request that starts like this waits neither for the database's lock nor for a
    print."""
    return _READING.match(start) is not None


def _peek(sock: socket.socket) -> bytes | None:
    """Return what waits in a connection without taking it, b"" at its end, None if nothing does."""
    try:
        return sock.recv(LOOKED_AT, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except OSError:
        return None


class _TimedSocket:
    """A connection from which is read until a time, and no longer, however often a byte comes."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.until = 0.0

    def recv(self, size: int) -> bytes:
        """What has come. Raises TimeoutError when the time is over."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(left)
        return self.sock.recv(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sock, name)


class _Received:
    """A connection's parser, whose next request has been read already."""

    def __init__(self, parser: Any, request: Any) -> None:
        self.parser = parser
        self.request = request

    def __next__(self) -> Any:
        request, self.request = self.request, None
        return next(self.parser) if request is None else request

    def __getattr__(self, name: str) -> Any:
        return getattr(self.parser, name)


class _Connection(TConn):  # type: ignore[misc]
    """A connection that is closed by those who have the time: one waits for the other side.

    ``only_reads``: whether the request that has a thread, or waits for one, does.
    """

    def __init__(self, closers: ThreadPoolExecutor, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.closers = closers
        self.only_reads = True

    def close(self, graceful: bool = False) -> None:
        """Close it, beside if the last bytes may still be on their way."""
        close = super().close
        if graceful:
            self.closers.submit(close, graceful=True)
        else:
            close()


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """Reads slow requests beside, and answers 408 to what takes too long and 413 to what is too
    large. Behind TLS of its own it is gunicorn's worker: a web server in front has that, and reads
    requests itself."""

    def init_process(self) -> None:
        """Make the threads, in the process that they serve."""
        self.receivers = ThreadPoolExecutor(MOST_RECEIVERS, "receiver")
        self.closers = ThreadPoolExecutor(MOST_RECEIVERS, "closer")
        self.large = threading.BoundedSemaphore(MOST_LARGE)
        # Requests that change something, or print: those in line, and how many have a thread. Only
        # the main thread looks at both.
        self.changes: deque[_Connection] = deque()
        self.changing = 0
        super().init_process()

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Return the threads that answer: those of the settings, and one for reading."""
        return ThreadPoolExecutor(self.cfg.threads + 1, "answering")

    def accept(self, listener: socket.socket) -> None:
        """Take a new connection, which costs no thread until it says something."""
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        conn = _Connection(self.closers, self.cfg, client, address, listener.getsockname())
        self.nr_conns += 1
        conn.timeout = time.monotonic() + LONGEST_HEAD
        self.pending_conns.append(conn)
        self.poller.register(
            client, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn)
        )

    def enqueue_req(self, conn: _Connection) -> None:
        """Give a connection that has something to say a thread, now or when all of it is said."""
        ahead = conn.initialized and conn.parser.unreader.buf.getvalue()
        if self.cfg.is_ssl:
            super().enqueue_req(conn)
        elif not ahead and has_arrived(conn.sock):
            self.start(conn, _peek(conn.sock) or b"")
        else:
            reading = self.receivers.submit(self.receive, conn)
            reading.add_done_callback(
                lambda done: self.method_queue.defer(self.received, conn, done)
            )

    def start(self, conn: _Connection, first: bytes) -> None:
        """Give a request that has arrived a thread; if it does not only read, let it wait while
        as many of those have one as may. ``first``: how it starts."""
        # A closed connection has nothing to wait for.
        conn.only_reads = not first or only_reads(first)
        if conn.only_reads:
            super().enqueue_req(conn)
        else:
            self.changes.append(conn)
            self._start_changes()

    def _start_changes(self) -> None:
        while self.changes and self.changing < self.cfg.threads:
            self.changing += 1
            super().enqueue_req(self.changes.popleft())

    def finish_request(self, conn: _Connection, future: Future[Any]) -> None:
        """Let the next change have the thread of one that is answered."""
        if not conn.only_reads:
            conn.only_reads = True
            self.changing -= 1
            self._start_changes()
        super().finish_request(conn, future)

    def receive(self, conn: _Connection) -> bool:
        """Read a whole request; whether there is one to answer. Runs in a thread of its own."""
        request = None
        try:
            conn.init()
            if isinstance(conn.parser, _Received):
                conn.parser = conn.parser.parser
            conn.parser.unreader.sock = timed = _TimedSocket(conn.sock)
            timed.until = time.monotonic() + LONGEST_HEAD
            request = next(conn.parser)
            if request._expected_100_continue:
                conn.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                request._expected_100_continue = False
            if not self._read_body(request, timed):
                util.write_error(conn.sock, 413, "Content Too Large", "")
                return False
        except TimeoutError:
            util.write_error(conn.sock, 408, "Request Timeout", "")
            return False
        except (NoMoreData, StopIteration, ConnectionError):
            # It was closed, as every connection is in the end.
            return False
        except OSError:
            self.log.exception("A request could not be kept until it had arrived")
            util.write_error(conn.sock, 503, "Service Unavailable", "")
            return False
        except Exception as error:
            self.handle_error(request, conn.sock, conn.client, error)
            return False
        conn.parser.unreader.sock = conn.sock
        conn.parser = _Received(conn.parser, request)
        return True

    def _read_body(self, request: Any, timed: _TimedSocket) -> bool:
        """Read a request's body to its end; whether it is small enough."""
        body = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - handle_request closes it.
        timed.until = time.monotonic() + LONGEST_MEGABYTE
        size, large = 0, False
        with ExitStack() as turn, ExitStack() as unless_whole:
            unless_whole.callback(body.close)
            while chunk := request.body.read(CHUNK):
                if (size + len(chunk)) // MEGABYTE > size // MEGABYTE:
                    if not large:
                        if not self.large.acquire(timeout=LONGEST_MEGABYTE):
                            raise TimeoutError
                        turn.callback(self.large.release)
                        large = True
                    timed.until = time.monotonic() + LONGEST_MEGABYTE
                size += len(chunk)
                if size > LARGEST_BODY:
                    return False
                body.write(chunk)
            if size < next((int(v) for name, v in request.headers if name == "CONTENT-LENGTH"), 0):
                raise NoMoreData
            unless_whole.pop_all()
        body.seek(0)
        request.body = body
        return True

    def received(self, conn: _Connection, reading: Future[bool]) -> None:
        """Give a request that has arrived a thread. Runs in the main thread, as all but reading."""
        if not reading.cancelled() and reading.exception() is None and reading.result():
            request = conn.parser.request
            self.start(conn, f"{request.method} {request.uri} ".encode())
        else:
            self.nr_conns -= 1
            conn.close(graceful=True)

    def handle_request(self, request: Any, conn: _Connection) -> Any:
        """Answer a request; its reader, too, has only so much time."""
        body = request.body
        conn.sock.settimeout(LONGEST_ANSWER)
        try:
            return super().handle_request(request, conn)
        except TimeoutError as error:
            raise ConnectionResetError(errno.ECONNRESET, "The reader was too slow") from error
        finally:
            if isinstance(body, tempfile.SpooledTemporaryFile):
                body.close()
                request.body = io.BytesIO()
