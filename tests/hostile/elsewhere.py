"""Hostile sites for the site under attack: each host below ``DOMAIN`` has a shelf of one shape.

A host's name says its shape and its dice, so nobody has to remember what it sends. The server is on
this machine; the workers under attack are led to it (``divert``), and to nowhere else.
"""

from __future__ import annotations

import os
import socket
import ssl
from functools import lru_cache
from pathlib import Path
from random import Random

from outbound import client
from rules.book.model import Book
from tests.hostile.shelves import SHAPES, Hostile, drip
from tests.outbound.servers import PUBLIC, Request, Server, authority
from tests.rules.small import small

DOMAIN = "shelf.example"
# The variables that tell a worker where the server is, and whom it trusts.
PORT, TRUSTED = "HOSTILE_PORT", "HOSTILE_TRUSTED"
# Seconds that a worker waits for an answer: some never end.
DEADLINE = 1.0
# The share of hosts with a sound shelf, so that there is something to take.
SOUND = 0.25


class Elsewhere:
    """The server of all hostile hosts. Workers started after it is made are led to it."""

    def __init__(self, folder: Path) -> None:
        trusted = folder / "authority.pem"
        trusted.write_text(authority().pem)
        self.server = Server(authority().serving(folder, f"*.{DOMAIN}"))
        self.server.talk = self._talk
        os.environ |= {PORT: str(self.server.port), TRUSTED: str(trusted)}

    def stop(self) -> None:
        """End all conversations."""
        self.server.close()

    def _talk(self, connection: socket.socket) -> None:
        request: Request = self.server.read(connection)
        self.server.requests.clear()
        hostile = hostile_at(request.headers.get("host", ""))
        reply = hostile.replies.get(request.path, b"HTTP/1.1 404 None\r\n\r\n")
        if reply is None:
            drip(connection, self.server.closing.is_set)
        else:
            connection.sendall(reply)


def choose_host(dice: Random, *, is_sound: bool = False) -> str:
    """Return the name of a host with a shelf of any shape, or with a sound one."""
    shape = "as_written" if is_sound or dice.random() < SOUND else dice.choice([*SHAPES])
    return f"{shape.replace('_', '-')}-{dice.randrange(10**6)}.{DOMAIN}"


@lru_cache(maxsize=16)
def hostile_at(host: str) -> Hostile:
    """Return what a host sends; nothing if its name is not one of ``choose_host``."""
    shape = host.partition(".")[0].rpartition("-")[0].replace("-", "_")
    return SHAPES[shape](Random(host), book_at(host)) if shape in SHAPES else Hostile({})


@lru_cache(maxsize=16)
def book_at(host: str) -> Book:
    """Return the game that a host's shelf has or pretends to have, which no other has."""
    return small(edition=host)


def divert() -> None:
    """Lead all requests of this process for hosts below ``DOMAIN`` to the server; no other host has
    an address."""
    port, trusting = int(os.environ[PORT]), ssl.create_default_context(cafile=os.environ[TRUSTED])

    def resolve(host: str) -> list[str]:
        if not host.endswith(f".{DOMAIN}"):
            raise socket.gaierror("unknown")
        return [PUBLIC]

    def dial(_address: str, timeout: float) -> socket.socket:
        return socket.create_connection(("127.0.0.1", port), timeout)

    replaced = {"_resolve": resolve, "_dial": dial, "_tls": lambda: trusting}
    for name, value in {**replaced, "DEADLINE": DEADLINE}.items():
        setattr(client, name, value)
