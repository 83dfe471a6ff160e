"""Slow senders: a client that sends a byte now and then occupies no thread."""

from __future__ import annotations

import logging
import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version

import pytest
from django.conf import settings
from gunicorn.config import Config
from gunicorn.workers.gthread import TConn

from skirmish import worker
from skirmish.worker import PatientWorker, has_arrived, only_reads
from tests.faults.served import Site

HEAD = b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
# The bytes that each sender sends at first, and then again and again.
SLOW = {
    "nothing": (b"", b""),
    "heads": (HEAD, b"X-More: 1\r\n"),
    "bodies": (HEAD + b"\r\n", b"a"),
    "chunks": (
        HEAD.replace(b"Content-Length: 100000", b"Transfer-Encoding: chunked") + b"\r\n",
        b"1\r\na\r\n",
    ),
}


@contextmanager
def slow_senders(site: Site, number: int, first: bytes, more: bytes) -> Iterator[None]:
    """Open this many connections, each of which sends a little every tenth of a second."""
    stop = threading.Event()
    connections = [socket.create_connection(("127.0.0.1", site.port)) for _ in range(number)]

    def send() -> None:
        while not stop.wait(0.1):
            for connection in connections:
                connection.send(more)

    for connection in connections:
        connection.sendall(first)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        stop.set()
        sender.join()
        for connection in connections:
            connection.close()


def test_gunicorn_is_the_version_that_the_worker_was_written_for() -> None:
    for path in sorted(settings.BASE_DIR.glob("requirements*.txt")):
        for pinned in re.findall(r"^gunicorn==(\S+)", path.read_text("utf-8"), re.M):
            assert pinned == worker.GUNICORN, f"{path.name}: see GUNICORN in skirmish/worker.py"
    assert version("gunicorn") == worker.GUNICORN


@pytest.mark.long
def test_slow_senders_do_not_delay_other_requests(site: Site) -> None:
    """Eight threads, and twenty slow senders of each kind at the same time."""
    for first, more in SLOW.values():
        with slow_senders(site, 20, first, more), ThreadPoolExecutor(4) as readers:
            pages = [readers.submit(site.ask, site.places["gang"]) for _ in range(12)]
            changed = site.rename("The Drowned")
            assert [page.result().status for page in pages] == [200] * 12
            assert changed.status == 302


@pytest.mark.long
def test_form_sent_in_pieces_arrives(site: Site) -> None:
    body = b"theme=dark&csrfmiddlewaretoken=" + b"c" * 32
    head = (
        b"POST /theme/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: csrftoken=" + b"c" * 32 + b"\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n"
    ) % len(body)
    with socket.create_connection(("127.0.0.1", site.port), timeout=120) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Twice on one connection, which is kept open.
        for _ in range(2):
            for start in range(0, len(head + body), 40):
                connection.sendall((head + body)[start : start + 40])
            answer = connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 302") and b"theme=dark" in answer
            assert b"close" not in answer.lower()


class Quiet(logging.Logger):
    """A worker's log, which is discarded."""

    def close_on_exec(self) -> None:
        """Nothing to close."""


@pytest.fixture
def receiving() -> Iterator[tuple[PatientWorker, TConn, socket.socket]]:
    """A worker that reads from the other end of a connection."""
    reading = object.__new__(PatientWorker)
    reading.cfg, reading.log = Config(), Quiet("quiet")
    reading.large = threading.BoundedSemaphore(1)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield reading, TConn(reading.cfg, ours, ("127.0.0.1", 1), ("127.0.0.1", 2)), theirs


Receiving = tuple[PatientWorker, TConn, socket.socket]


def test_worker_gives_up_a_request_that_takes_too_long(
    receiving: Receiving, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, connection, sender = receiving
    monkeypatch.setattr(worker, "LONGEST_MEGABYTE", 0.3)
    sender.sendall(HEAD + b"\r\n")
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.05):
            sender.send(b"a")

    dripping = threading.Thread(target=drip)
    dripping.start()
    assert reading.receive(connection) is False
    stop.set()
    dripping.join()
    assert sender.recv(4096).startswith(b"HTTP/1.1 408")


def test_worker_keeps_a_large_body_in_a_file_and_refuses_a_larger_body(
    receiving: Receiving, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, connection, sender = receiving
    monkeypatch.setattr(worker, "LARGEST_BODY", 3 << 20)

    def send(size: int) -> None:
        head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
        sender.sendall(head % size + b"x" * size)

    with ThreadPoolExecutor(1) as other:
        sent = other.submit(send, 3 << 20)
        assert reading.receive(connection) is True
        sent.result()
        request = next(connection.parser)
        assert request.body._rolled
        assert len(request.body.read()) == 3 << 20
        request.body.close()
        # The request's turn is over: the next large request has one.
        sent = other.submit(send, (3 << 20) + 1)
        request.body = None
        connection.parser.parser.mesg = None
        assert reading.receive(connection) is False
        sent.result()
    assert sender.recv(4096).startswith(b"HTTP/1.1 413")


def test_worker_refuses_half_a_body(receiving: Receiving) -> None:
    reading, connection, sender = receiving
    sender.sendall(HEAD + b"\r\nhalf")
    sender.shutdown(socket.SHUT_WR)
    assert reading.receive(connection) is False


@pytest.mark.parametrize(
    ("sent", "whole"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", True),
        (b"GET / HTTP/1.1\r\nHost: x\r\n", False),
        (b"", False),
        (b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", True),
        (b"POST / HTTP/1.1\r\ncontent-length:2\r\nHost: x\r\n\r\nab", True),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", False),
        (b"POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\nab", False),
        (b"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\nab", False),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", False),
        (b"POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nab", False),
    ],
)
def test_has_arrived_recognises_a_complete_request(sent: bytes, whole: bool) -> None:
    """A thread that must not wait reads the requests that have arrived."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(sent)
        assert has_arrived(ours) is whole
        # The function does not consume the bytes.
        if sent:
            assert ours.recv(4096) == sent
        theirs.close()
        assert has_arrived(ours) is True


@pytest.mark.parametrize(
    ("start", "reads"),
    [
        (b"GET /gangs/ HTTP/1.1\r\n", True),
        (b"HEAD / HTTP/1.1\r\n", True),
        (b"GET /gangs/?to=/sheet.pdf HTTP/1.1\r\n", True),
        (b"GET /gangs/1/sheet.pdf HTTP/1.1\r\n", False),
        (b"GET /gangs/1/sheet.pdf?paper=a4 HTTP/1.1\r\n", False),
        (b"POST /gangs/ HTTP/1.1\r\n", False),
        (b"GETS / HTTP/1.1\r\n", False),
    ],
)
def test_only_reads_is_false_for_changes_and_prints(start: bytes, reads: bool) -> None:
    assert only_reads(start) is reads
