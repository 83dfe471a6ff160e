"""Reads crafted files as a worker of the site does, each in a process forked from a warm one, and
prints ``name: outcome, megabytes, seconds of the processor`` as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable, Iterator

import django

django.setup()

from campaigns.files import reading  # noqa: E402
from common.errors import Refusal  # noqa: E402
from gangs.engine.fold import no_books  # noqa: E402
from gangs.files import format as gang_format  # noqa: E402
from gangs.files.format import BadFile  # noqa: E402
from rules.editor import files as variant_files  # noqa: E402
from rules.library import SHIPPED  # noqa: E402
from rules.loading.reader import read_folder  # noqa: E402
from rules.untrusted import BadVersion, read_version  # noqa: E402
from tests.work import calls  # noqa: E402

BOOK = read_folder(SHIPPED / "blackwater-gulch")


def gang(content: bytes) -> None:
    """Read a gang's file and fold it, as before a row is written."""
    gang_format.roster_of(BOOK, gang_format.read_file(content), no_books)


def campaign(content: bytes) -> None:
    """Read a campaign's file to its end."""
    reading.read_file(content)


def variant(content: bytes) -> None:
    """Read a variant's file."""
    variant_files.read_variant(content)


def rulebook(content: bytes) -> None:
    """Read a rulebook that comes with a campaign."""
    read_version("a" * 64, content.decode("utf-8", "replace"))


def shapes(start: bytes, name: bytes, size: int) -> Iterator[tuple[str, bytes]]:
    """Return files that begin like a file of this kind and are as large as the site accepts.
    ``name``: the list in them that is made long.
    """
    deep = (size - 300) // 2
    yield "empty records", start + b',"%s":[' % name + b"{}," * 250_000 + b"{}]}"
    yield "most records", start + b',"%s":[' % name + b"{}," * (size // 3 - 100) + b"{}]}"
    yield "some records", start + b',"%s":[' % name + b"{}," * 9_000 + b"{}]}"
    yield "nested lists", start + b',"x":' + b"[" * deep + b"]" * deep + b"}"
    yield "nested objects", start + b',"x":' + b'{"a":' * (size // 6 - 100) + b"1" + b"}" * 9 + b"}"
    yield "a giant text", start + b',"name":"' + b"\xf0\x9f\x98\x80" * (size // 4 - 100) + b'"}'
    yield "escapes", start + b',"name":"' + b"\\ud83d\\ude00" * (size // 12 - 30) + b'"}'
    yield "a text without an end", start + b',"name":"' + b'\\"' * (size // 2 - 100)
    yield "quotation marks", start + b',"name":' + b'""' * (size // 2 - 100)
    yield "many texts", start + b',"x":[' + b'"",' * (size // 3 - 100) + b'""]}'
    keys = b"".join(b',"%d":0' % number for number in range(size // 11))
    yield "many keys", start + keys + b"}"
    yield "one key again and again", start + b',"format_version":1' * (size // 20) + b"}"
    yield "a million digits", start + b',"format_version":' + b"9" * 1_000_000 + b"}"
    yield "many numbers", start + b',"x":[' + b"1.5," * (size // 4 - 100) + b"1]}"
    yield "half letters", start + b',"name":"\\ud800","book":"\\udfff"}'
    yield "nothing", start + b',"name":"\\u0000","book":"\x00"}'
    yield "blanks", start + b" " * (size - 100) + b"}"
    yield "too large", b" " * (size + 1)


def files() -> Iterator[tuple[str, Callable[[bytes], None], bytes]]:
    """Return all files by name, each with the function that reads it."""
    for read, name, size in (
        (gang, b"records", gang_format.LIMITS.size),
        (campaign, b"games", reading.LIMITS.size),
        (variant, b"overlay", variant_files.LIMITS.size),
    ):
        start = b'{"format":"skirmish-%s","format_version":1' % read.__name__.encode()
        for shape, content in shapes(start, name, size):
            yield f"{read.__name__}, {shape}", read, content
    yield "gang, as many entries as can be", gang, _largest_gang()
    rows = b'{"items":[' + b"{}," * 39_000 + b"{}]}"
    yield "rulebook, empty rows", rulebook, rows
    yield "rulebook, nested", rulebook, b"[" * 790_000
    yield "rulebook, one text", rulebook, b'{"slug":"' + b"\xf0\x9f\x98\x80" * 199_000 + b'"}'


def _largest_gang() -> bytes:
    at = "2026-01-01T10:00:00Z"
    settings = BOOK.default_settings()
    entries: list[dict[str, object]] = [
        {"kind": "founded", "name": "Most", "settings": settings},
        *({"kind": "noted", "text": "An evening to remember."} for _ in range(9_999)),
    ]
    records = [
        {"seq": seq, "at": at, "batch": seq, "entry": entry} for seq, entry in enumerate(entries, 1)
    ]
    head = {"format": "skirmish-gang", "format_version": 1, "book": BOOK.slug}
    return json.dumps({**head, "digest": BOOK.digest, "records": records}).encode()


def outcome(read: Callable[[bytes], None], content: bytes) -> tuple[str, float, int]:
    """Return the result of reading a file, the growth of its process in MB, and the number of
    calls.
    """
    receiver, sender = os.pipe()
    if not os.fork():
        before = resource.getrusage(resource.RUSAGE_SELF)
        codes: list[str] = []

        def read_it() -> None:
            try:
                read(content)
                codes.append("read")
            except (BadFile, BadVersion, Refusal) as refused:
                codes.append(getattr(refused, "code", "") or "bad_version")

        work = calls(read_it)
        after = resource.getrusage(resource.RUSAGE_SELF)
        grown = (after.ru_maxrss - before.ru_maxrss) / 1024
        os.write(sender, json.dumps([codes[0], grown, work]).encode())
        os._exit(0)
    os.close(sender)
    os.wait()
    code, grown, work = json.loads(os.read(receiver, 10_000) or '["died", 0, 0]')
    os.close(receiver)
    return code, grown, work


if __name__ == "__main__":
    json.dump({name: outcome(read, content) for name, read, content in files()}, sys.stdout)
