"""Another site with a shelf, as a server behind the guarded client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from rules.book.model import Book
from rules.packages.archive import pack
from tests.outbound.servers import Internet, Request, Server, answer, serving
from tests.rules.small import small

HOST = "club.example"
SHELF = f"https://{HOST}/games/index.json"


@dataclass
class OtherSite:
    """A site with games on its shelf. ``games``: books by slug; ``stated``: values of the list that
    differ from the truth; ``answers``: whole answers by path, in place of the right ones."""

    server: Server
    games: dict[str, Book] = field(default_factory=dict)
    stated: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, bytes] = field(default_factory=dict)

    @property
    def asked(self) -> list[str]:
        """Return the paths of all requests."""
        return [request.path for request in self.server.requests]

    def share(self, book: Book) -> Book:
        """Put a book on the shelf."""
        self.games[book.slug] = book
        return book

    def describe(self, book: Book) -> dict[str, Any]:
        """Return a game in the list."""
        return {
            "slug": book.slug,
            "title": book.name.model_dump(),
            "languages": list(book.languages),
            "licence": "CC BY 4.0",
            "edition": book.edition,
            "author": book.author,
            "digest": book.digest,
            "size": len(pack(book)),
            "page": f"/rules/version/{book.digest}/",
            "package": f"/rules/version/{book.digest}/rulebook.zip",
            "shared_at": "2026-11-30T12:00:00Z",
            **self.stated,
        }

    def respond(self, request: Request) -> bytes:
        """Answer with the list or a package."""
        if request.path in self.answers:
            return self.answers[request.path]
        if request.path == "/games/index.json":
            games = [self.describe(book) for book in self.games.values()]
            head = {"format": "skirmish-shelf", "format_version": 1, "site": "The other club"}
            return answer(body=json.dumps(head | {"games": games}).encode())
        for book in self.games.values():
            if request.path == f"/rules/version/{book.digest}/rulebook.zip":
                return answer(body=pack(book))
        return answer(404)


@pytest.fixture
def other(internet: Internet, tmp_path: Path) -> Iterator[OtherSite]:
    """Run the other site, with one game."""
    with serving(internet, tmp_path, HOST) as server:
        site = OtherSite(server)
        site.share(small())
        server.respond = site.respond
        yield site


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client
