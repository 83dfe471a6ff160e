"""Shelves as an attacker's server would send them: lists and packages that lie, are no lists, are
small to send and large to read, lead elsewhere, or never end.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from rules.book.model import Book
from rules.packages.archive import pack
from tests.hostile import nasty, packages
from tests.outbound.servers import answer

LIST, PACKAGE = "/games/index.json", "/rules/version/x/rulebook.zip"
# Values in the place of any value of a list.
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1e308,
    10**9,
    10**30,
    "",
    " ",
    "x" * 5000,
    "\u202e",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "//evil.example/",
    "https://127.0.0.1/",
    "/\\evil.example",
    "/%2e%2e/%00",
    "javascript:alert(1)",
    [],
    {},
    [[]],
    {"en": 1},
    {"en": "x", "<b>": "x"},
    ["en"] * 50,
)


@dataclass(frozen=True)
class Hostile:
    """A server. ``replies``: its answers by path, and None for a conversation that drips bytes;
    ``is_sound``: its game may be taken in."""

    replies: dict[str, bytes | None]
    is_sound: bool = False


type Shape = Callable[[Random, Book], Hostile]
SHAPES: dict[str, Shape] = {}


def shape(made: Shape) -> Shape:
    """Register a kind of server under the name of its function."""
    SHAPES[made.__name__] = made
    return made


def list_of(book: Book, **changes: Any) -> dict[str, Any]:
    """Return a sound list with one game, with changes of that game."""
    game = {
        "slug": book.slug,
        "title": {"en": book.name.first},
        "languages": ["en"],
        "licence": "CC0 1.0",
        "edition": "v1",
        "author": "Mallory",
        "digest": book.digest,
        "size": 1000,
        "page": "/rules/version/x/",
        "package": PACKAGE,
        "shared_at": "2026-11-30T12:00:00Z",
    }
    return {
        "format": "skirmish-shelf",
        "format_version": 1,
        "site": "Mallory’s",
        "games": [game | changes],
    }


def _sent(data: object, package: bytes, **more: bool) -> Hostile:
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    return Hostile({LIST: answer(body=content), PACKAGE: answer(body=package)}, **more)


@shape
def as_written(dice: Random, book: Book) -> Hostile:
    """A sound shelf."""
    return _sent(list_of(book), pack(book), is_sound=True)


@shape
def value_changed(dice: Random, book: Book) -> Hostile:
    """A list with something else in the place of a value."""
    data = list_of(book)
    part = dice.choice((data, data["games"][0], data["games"][0]))
    part[dice.choice([*part])] = dice.choice(VALUES)
    return _sent(data, pack(book), is_sound=True)


@shape
def list_spoiled(dice: Random, book: Book) -> Hostile:
    """A list with bytes flipped, cut or doubled."""
    content = nasty.bytes_spoiled(json.dumps(list_of(book)).encode(), dice)[0]
    return _sent(content, pack(book), is_sound=True)


@shape
def odd_letters(dice: Random, book: Book) -> Hostile:
    """Names with letters that turn the line, join, have no width, or are half of one."""
    words = dice.choice((*nasty.TEXTS, "\ud800", "a\u0300" * 90, "\u202e\u2066x", "\u200b" * 9))
    name = dice.choice(("licence", "edition", "author", "title", "site"))
    data = list_of(book) | ({"site": words} if name == "site" else {})
    if name != "site":
        data["games"][0][name] = {"en": words} if name == "title" else words
    return _sent(data, pack(book), is_sound=True)


@shape
def deep_list(dice: Random, book: Book) -> Hostile:
    """Values inside values, in the place of a list or of one of its values."""
    deep = "[" * dice.choice((7, 900, 100_000))
    text = json.dumps(list_of(book, picture="/x")).replace('"/x"', deep)
    return _sent(dice.choice((text, deep, deep + "]" * len(deep))).encode(), pack(book))


@shape
def html_sent(dice: Random, book: Book) -> Hostile:
    """Pages instead of a list and of a package."""
    return _sent(b"<!doctype html><title>Shop</title>" * dice.choice((1, 900)), b"<html>")


@shape
def huge_list(dice: Random, book: Book) -> Hostile:
    """More than may be read, or as many values as fit."""
    many = dice.choice((b"[0," * 160_000, b'{"a":' * 90_000, b"[" * 499_000, b"0" * 3_000_000))
    return _sent(many, pack(book))


@shape
def many_games(dice: Random, book: Book) -> Hostile:
    """More games than a shelf has, or one of them several times."""
    data = list_of(book)
    data["games"] = data["games"] * dice.choice((2, 200, 700))
    return _sent(data, pack(book))


@shape
def redirect_loop(dice: Random, book: Book) -> Hostile:
    """Answers that lead to each other, or into the site's own network."""
    there = dice.choice((LIST, "https://127.0.0.1/", "http://169.254.169.254/latest", "//", "x"))
    reply = answer(dice.choice((301, 302, 303, 307, 308)), Location=there)
    return Hostile({LIST: reply, PACKAGE: reply})


@shape
def package_redirected(dice: Random, book: Book) -> Hostile:
    """A sound list whose package leads elsewhere."""
    reply = answer(302, Location="https://10.0.0.1/rulebook.zip")
    return Hostile({LIST: answer(body=json.dumps(list_of(book)).encode()), PACKAGE: reply})


@shape
def other_digest(dice: Random, book: Book) -> Hostile:
    """A package with another game than the list states."""
    return _sent(list_of(book, digest=f"{dice.getrandbits(256):064x}"), pack(book))


@shape
def other_slug(dice: Random, book: Book) -> Hostile:
    """A package with the game under another slug."""
    return _sent(list_of(book, slug="elsewhere"), pack(book))


@shape
def lying_size(dice: Random, book: Book) -> Hostile:
    """A list that states another size; the game itself is sound."""
    return _sent(list_of(book, size=dice.choice((1, 999_999))), pack(book), is_sound=True)


@shape
def spoiled_package(dice: Random, book: Book) -> Hostile:
    """Bombs, lying directories, paths that lead elsewhere: any package of an attacker."""
    name = dice.choice([*packages.SHAPES])
    return _sent(list_of(book), packages.SHAPES[name](dice))


@shape
def lying_length(dice: Random, book: Book) -> Hostile:
    """Heads that promise more or less than comes."""
    content = json.dumps(list_of(book)).encode()
    length = dice.choice((b"0", b"10", b"999999999999", b"-1", b"x"))
    head = b"HTTP/1.1 200 OK\r\nContent-Length: " + length + b"\r\n\r\n"
    return Hostile({LIST: head + content, PACKAGE: head + pack(book)}, is_sound=True)


@shape
def compressed(dice: Random, book: Book) -> Hostile:
    """Content in an encoding that nobody wanted."""
    kind = dice.choice(("gzip", "br", "deflate", "x"))
    reply = answer(body=b"\x1f\x8b" + dice.randbytes(5000), Content_Encoding=kind)
    return Hostile({LIST: reply, PACKAGE: reply})


@shape
def many_heads(dice: Random, book: Book) -> Hostile:
    """Hundreds of headers, or one that does not end."""
    lines = dice.choice((b"X-A: b\r\n" * 500, b"X-A: " + b"b" * 200_000 + b"\r\n"))
    reply = b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n{}"
    return Hostile({LIST: reply, PACKAGE: reply})


@shape
def dripping(dice: Random, book: Book) -> Hostile:
    """A byte now and then, for ever: the list, or the package."""
    sound = answer(body=json.dumps(list_of(book)).encode())
    return Hostile({LIST: dice.choice((None, sound)), PACKAGE: None})


def drip(connection: socket.socket, is_over: Callable[[], bool]) -> None:
    """Send a byte now and then until the other side leaves. Raises OSError then."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not is_over():
        connection.sendall(b"{")
        time.sleep(0.02)
