"""A threaded gunicorn worker that slow clients and waiting changes cannot block.

Gunicorn gives a connection a thread while its request arrives, so a handful of clients that send a
byte now and then can stop a whole site. This worker gives a request a thread once it has arrived:
most arrive in one piece; others are read by separate threads, into memory or a file, within a time
limit.

A change may wait seconds for the database's lock, and a print for the press. Those requests can use
all threads but one, so that pages which only read never wait behind them.
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

# This worker overrides methods and uses attributes that gunicorn does not guarantee. Before you
# raise the version, read what changed in ``gunicorn/workers/gthread.py``; run
# tests/faults/test_slow.py.
GUNICORN = "27.0.1"
# Incomplete requests that one worker reads at the same time, each in a waiting thread. Further ones
# queue.
MOST_RECEIVERS = 100
# Seconds for a request's head to arrive, and for each started megabyte of its body.
LONGEST_HEAD = 10
LONGEST_MEGABYTE = 20
# settings.BIGGEST_BODY plus the form around it. A body above IN_MEMORY goes to a file.
LARGEST_BODY = 18 << 20
IN_MEMORY = 256 << 10
MEGABYTE = 1 << 20
# Bodies above a megabyte that are read at the same time; others wait, so they cannot fill the disk.
MOST_LARGE = 8
CHUNK = 64 << 10
# The system's send buffer for slow readers: it holds most pages and prints whole.
SEND_BUFFER = 512 << 10
# Seconds a reader may take for the part that does not fit into the buffer.
LONGEST_ANSWER = 60
# Bytes that are inspected to find out whether the whole request has arrived.
LOOKED_AT = 16 << 10

# The start of a request that only reads and does not ask for a print.
_READING = re.compile(rb"(?:GET|HEAD|OPTIONS) (?![^ ?]*\.pdf[ ?])")
_LENGTH = re.compile(rb"\r\ncontent-length: ?(\d{1,8})\r\n")
# Headers with which the length of the request is not simply head plus body.
_OTHERWISE = re.compile(rb"\r\n(?:transfer-encoding|expect|upgrade)[ \t]*:")


def has_arrived(sock: socket.socket) -> bool:
    """Whether a whole request has arrived on a connection.

    Returns False in doubt: the receiving thread then finds out.
    """
    seen = _peek(sock)
    if seen is None:
        return False
    if not seen:
        # A closed connection needs no waiting.
        return True
    head, end, body = seen.partition(b"\r\n\r\n")
    head = head.lower() + b"\r\n"
    if not end or _OTHERWISE.search(head):
        return False
    named = head.count(b"content-length")
    length = _LENGTH.search(head)
    return named == 0 or (named == 1 and length is not None and int(length[1]) <= len(body))


def only_reads(start: bytes) -> bool:
    """Whether a request with this start waits neither for the database's lock nor for a print."""
    return _READING.match(start) is not None


def _peek(sock: socket.socket) -> bytes | None:
    """Return the bytes waiting in a connection without taking them; b"" at its end, None if there
    are none.
    """
    try:
        return sock.recv(LOOKED_AT, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except OSError:
        return None


class _TimedSocket:
    """A socket that can be read until a deadline, however often a byte arrives."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.until = 0.0

    def recv(self, size: int) -> bytes:
        """Receive bytes. Raises TimeoutError after the deadline."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(left)
        return self.sock.recv(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sock, name)


class _Received:
    """A connection's parser after it has read the next request."""

    def __init__(self, parser: Any, request: Any) -> None:
        self.parser = parser
        self.request = request

    def __next__(self) -> Any:
        request, self.request = self.request, None
        return next(self.parser) if request is None else request

    def __getattr__(self, name: str) -> Any:
        return getattr(self.parser, name)


class _Connection(TConn):  # type: ignore[misc]
    """A connection that a separate thread closes if that means waiting for the other side.

    ``only_reads``: whether its current request only reads.
    """

    def __init__(self, closers: ThreadPoolExecutor, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.closers = closers
        self.only_reads = True

    def close(self, graceful: bool = False) -> None:
        """Close the connection, in another thread if its last bytes may still be on their way."""
        close = super().close
        if graceful:
            self.closers.submit(close, graceful=True)
        else:
            close()


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """Read slow requests in separate threads; answer 408 if too slow and 413 if too large.

    With TLS it behaves as gunicorn's worker: sites with TLS have a web server in front, which reads
    whole requests itself.
    """

    def init_process(self) -> None:
        """Create the threads, in the process that uses them."""
        self.receivers = ThreadPoolExecutor(MOST_RECEIVERS, "receiver")
        self.closers = ThreadPoolExecutor(MOST_RECEIVERS, "closer")
        self.large = threading.BoundedSemaphore(MOST_LARGE)
        # Requests that change something or print: those in line, and the number that have a thread.
        # Only the main thread uses both.
        self.changes: deque[_Connection] = deque()
        self.changing = 0
        super().init_process()

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Return the threads that answer: the configured number and one for reading."""
        return ThreadPoolExecutor(self.cfg.threads + 1, "answering")

    def accept(self, listener: socket.socket) -> None:
        """Accept a connection; it takes no thread until data arrives."""
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
        """Give a connection with data a thread, now or once its request is complete."""
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
        """Give a complete request a thread; a change waits while changes have all threads but one.

        ``first`` is the start of the request.
        """
        # An empty start means a closed connection, which has nothing to wait for.
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
        """Let the next change start when a change is finished."""
        if not conn.only_reads:
            conn.only_reads = True
            self.changing -= 1
            self._start_changes()
        super().finish_request(conn, future)

    def receive(self, conn: _Connection) -> bool:
        """Read a whole request; return whether there is one. Runs in a receiver thread."""
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
            # The client closed the connection, as every client does in the end.
            return False
        except OSError:
            self.log.exception("Could not keep a request until all of it had arrived")
            util.write_error(conn.sock, 503, "Service Unavailable", "")
            return False
        except Exception as error:
            self.handle_error(request, conn.sock, conn.client, error)
            return False
        conn.parser.unreader.sock = conn.sock
        conn.parser = _Received(conn.parser, request)
        return True

    def _read_body(self, request: Any, timed: _TimedSocket) -> bool:
        """Read a request's body to its end; return False if it is too large."""
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
        """Start a received request. Runs in the main thread."""
        if not reading.cancelled() and reading.exception() is None and reading.result():
            request = conn.parser.request
            self.start(conn, f"{request.method} {request.uri} ".encode())
        else:
            self.nr_conns -= 1
            conn.close(graceful=True)

    def handle_request(self, request: Any, conn: _Connection) -> Any:
        """Answer a request; a reader that is too slow loses the connection."""
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
