"""Reading and trying out the rulebooks of strangers, in a process that can be ended.

As a program it waits for rulebooks, and reads each in a child of its own that may take so much time
and memory and no more: whatever happens to that, the next is read as if nothing had been. It ends
by itself when nobody asks any more.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO, Literal, TypedDict

from rules.book.model import Book
from rules.bounds.limits import CHECK_MEMORY, CHECK_SECONDS, CHECK_WORK
from rules.bounds.work import Exhausted, limit_work
from rules.engine.compiling import ready
from rules.engine.odds import HOPELESS, odds
from rules.engine.situations import Situation, names_in
from rules.engine.table_odds import find_reach_of_roll, nothing_happens
from rules.loading.check_size import too_large
from rules.loading.reader import BadBook, Mistake, Places, parse

# Seconds after which a process that nobody asks ends.
IDLE = 600
# Before each message, how long it is.
LENGTH = struct.Struct(">I")


class Answer(TypedDict, total=False):
    """A rulebook that was read: its ``canonical`` text, or its ``mistakes`` (as ``Mistake`` has
    them) and whether they are ``of_form``; or that it is ``too_large`` to be worked out."""

    canonical: str
    mistakes: list[tuple[str, str, str, str, int | None]]
    of_form: bool
    too_large: Literal[True]


def read_book(
    data: Mapping[str, object], fallback: str, *, stored: bool = False, tried: bool = False
) -> Book:
    """A stranger's rulebook, checked. ``fallback``, ``stored``: as for ``parse``; ``tried``: what
    its pages work out is worked out, too.

    Raises BadBook, and Exhausted for one that takes more work than it may.
    """
    places = Places(data, {}, fallback)
    if oversized := places.mistakes(too_large(data)):
        raise BadBook(oversized)
    with limit_work(CHECK_WORK, Exhausted):
        book = parse(data, {}, fallback=fallback, stored=stored)
        if tried:
            _try_out(book)
    return book


def _try_out(book: Book) -> None:
    """Work out what its pages will: that must not take long. A roll that cannot be worked out is
    no mistake: the page of the roll says so."""
    usual = names_in(book.usual, Situation())
    for roll in book.usual.rolls:
        with suppress(*HOPELESS):
            odds(ready(book.usual, roll.key), usual)
    for table in book.tables:
        nothing_happens(book, table)
        find_reach_of_roll(book, table)


def answer(asked: bytes) -> Answer:
    """The answer to a question, which has the arguments of ``read`` as JSON."""
    data, fallback, stored, tried = json.loads(asked)
    try:
        return {"canonical": read_book(data, fallback, stored=stored, tried=tried).canonical()}
    except BadBook as bad:
        mistakes = [(one.file, one.path, one.message, one.row, one.line) for one in bad.mistakes]
        return {"mistakes": mistakes, "of_form": bad.of_form}
    except (Exhausted, MemoryError, RecursionError):
        return {"too_large": True}


def parse_answer(answered: bytes) -> Answer:
    """An answer as it was written."""
    found: Answer = json.loads(answered)
    return found


def mistakes_of(found: Answer) -> BadBook:
    """The mistakes of an answer that has some."""
    return BadBook([Mistake(*one) for one in found["mistakes"]], of_form=found["of_form"])


def receive(stream: BinaryIO) -> bytes | None:
    """The next message; None if there will be none."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    message = stream.read(length)
    return message if len(message) == length else None


def send(stream: BinaryIO, message: bytes) -> None:
    """Write a message."""
    stream.write(LENGTH.pack(len(message)) + message)
    stream.flush()


def _in_a_child(asked: bytes) -> bytes:
    """The answer to a question, by a child that is ended where it takes too much."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            _limit()
            written = json.dumps(answer(asked)).encode()
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(written)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answered = pipe.read()
    _pid, status = os.waitpid(child, 0)
    too_much: Answer = {"too_large": True}
    return json.dumps(too_much).encode() if status or not answered else answered


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CHECK_SECONDS, CHECK_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with suppress(OSError), open("/proc/self/statm") as statm:
        now = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + CHECK_MEMORY, now + CHECK_MEMORY))


def _work() -> None:
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    # The site stops this process by no longer asking.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A child shares what is there already.
    gc.freeze()
    while select.select([questions], [], [], IDLE)[0]:
        asked = receive(questions)
        if asked is None:
            return
        send(answers, _in_a_child(asked))


if __name__ == "__main__":
    _work()
