"""Reads and tries out strangers' rulebooks, in a process that can be ended.

As a program it waits for rulebooks and reads each in a child process with limited time and memory,
so that the next rulebook is read whatever happens to the child. It ends by itself when idle. Its
arguments are functions that find further notes for authors, "module:name".

With the arguments "--job", a function, seconds and bytes it does a single job instead: it answers
one question with the function, within these limits, and ends.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import select
import signal
import struct
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, BinaryIO, Literal, TypedDict

from rules.book.model import Book
from rules.bounds.limits import CHECK_MEMORY, CHECK_SECONDS, CHECK_WORK
from rules.bounds.work import Exhausted, limit_work
from rules.engine.compiling import ready
from rules.engine.odds import HOPELESS, odds
from rules.engine.situations import Situation, names_in
from rules.engine.table_odds import find_reach_of_roll, nothing_happens
from rules.loading.check_size import too_large
from rules.loading.examining import Examiner, notes
from rules.loading.reader import BadBook, Mistake, RawBook, open_texts, parse
from rules.loading.sample_odds import Attack, SampleOdds, sample_odds

# Seconds after which the process ends if it gets no question.
IDLE = 600
# The length of each message, sent before it.
LENGTH = struct.Struct(">I")
# The argument for a single job, and the first byte of its messages: a line about its progress, its
# answer, and the end of a job that takes too much memory.
JOB = "--job"
PROGRESS, ANSWER, TOO_MUCH = b".", b"=", b"!"


_examiners: list[Examiner] = []


class Answer(TypedDict, total=False):
    """The result of reading a rulebook: its ``canonical`` text, and ``notes`` for its author and
    the ``odds`` of a roll (``sample_odds``) if they were asked for; or its ``mistakes`` (each
    as ``Mistake.pack`` writes it) and whether they are ``of_form``; or that it is ``too_large``."""

    canonical: str
    notes: list[list[object]]
    odds: SampleOdds | None
    mistakes: list[list[object]]
    of_form: bool
    too_large: Literal[True]


def read_book(
    data: dict[str, object], fallback: str, *, stored: bool = False, tried: bool = False
) -> Book:
    """A stranger's rulebook, checked. ``fallback``: as for ``RawBook``; ``stored``: as for
    ``check``; ``tried``: its odds are worked out too, as its pages will do.

    Raises BadBook, and Exhausted if it takes more work than it may.
    """
    return _read(RawBook(data, fallback), stored=stored, tried=tried)


def read_files(texts: Mapping[str, str]) -> tuple[Book, list[Mistake]]:
    """A stranger's rulebook from the contents of its files, checked and tried; and the notes on it.

    Raises like ``read_book``.
    """
    raw = open_texts(texts)
    book = _read(raw, stored=False, tried=True)
    return book, _notes(raw, book)


def _notes(raw: RawBook, book: Book) -> list[Mistake]:
    """The notes on a rulebook, with those of the examiners, as far as their work is not too much.
    Raises Exhausted."""
    with limit_work(CHECK_WORK, Exhausted):
        found = notes(book)
    for examiner in _examiners:
        with suppress(Exhausted), limit_work(CHECK_WORK, Exhausted):
            found += examiner(book)
    return raw.mistakes(found)


def _read(raw: RawBook, *, stored: bool, tried: bool) -> Book:
    if oversized := raw.mistakes(too_large(raw.data)):
        raise BadBook(oversized)
    with limit_work(CHECK_WORK, Exhausted):
        book = parse(raw, stored=stored)
        if tried:
            _try_out(book)
    return book


def _try_out(book: Book) -> None:
    """Work out the odds that its pages show, to see that they take no more work than they may. A
    roll that cannot be worked out is not a mistake: its page says so."""
    usual = names_in(book.usual, Situation())
    for roll in book.usual.rolls:
        with suppress(*HOPELESS):
            odds(ready(book.usual, roll.key), usual)
    for table in book.tables:
        nothing_happens(book, table)
        find_reach_of_roll(book, table)


def answer(asked: bytes) -> Answer:
    """The answer to a question as JSON: the arguments of ``read_files``; or those of ``read_book``,
    whether notes are asked for, and the attack whose odds are asked for."""
    question = json.loads(asked)
    try:
        if isinstance(question, dict):
            book, doubts = read_files(question)
            return {"canonical": book.canonical(), "notes": [one.pack() for one in doubts]}
        data, fallback, stored, tried, noted, attack = question
        book = read_book(data, fallback, stored=stored, tried=tried)
        found = Answer(canonical=book.canonical())
        if noted:
            found["notes"] = [one.pack() for one in _notes(RawBook(data, fallback), book)]
        sample = Attack(*attack)
        if sample.roll:
            with limit_work(CHECK_WORK, Exhausted):
                found["odds"] = sample_odds(book, sample)
        return found
    except BadBook as bad:
        return {"mistakes": [one.pack() for one in bad.mistakes], "of_form": bad.of_form}
    except (Exhausted, MemoryError, RecursionError):
        return {"too_large": True}


def receive(stream: BinaryIO, most: int | None = None) -> bytes | None:
    """The next message; None at the end of the stream, or if it has more than ``most`` bytes."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    if most is not None and length > most:
        return None
    message = stream.read(length)
    return message if len(message) == length else None


def send(stream: BinaryIO, message: bytes) -> None:
    """Write a message."""
    stream.write(LENGTH.pack(len(message)) + message)
    stream.flush()


def _in_a_child(asked: bytes) -> bytes:
    """The answer to a question, from a child process that is ended if it takes too much."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            _limit(CHECK_SECONDS, CHECK_MEMORY)
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
    return answered if answered and not status else json.dumps(Answer(too_large=True)).encode()


def _limit(seconds: int, memory: int) -> None:
    """Limit this process to seconds of the processor, from now on, and to bytes of additional
    memory."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds += int(used.ru_utime + used.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with suppress(OSError), open("/proc/self/statm") as statm:
        now = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + memory, now + memory))


def _find(name: str) -> Any:
    """Return the function called "module:name"."""
    module, _colon, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


type Work = Callable[[bytes, Callable[[str], None]], bytes]


def _do_job(work: Work, seconds: int, memory: int) -> None:
    asked, answers = receive(sys.stdin.buffer), sys.stdout.buffer
    if asked is None:
        return
    _limit(seconds, memory)
    try:
        answered = work(asked, lambda line: send(answers, PROGRESS + line.encode()))
    except (MemoryError, RecursionError):
        answered = None
    send(answers, TOO_MUCH if answered is None else ANSWER + answered)


def _work() -> None:
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    # The site stops this process by closing its stream, not by a signal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.argv[1:2] == [JOB]:
        function, seconds, memory = sys.argv[2:]
        _do_job(_find(function), int(seconds), int(memory))
        return
    _examiners.extend(map(_find, sys.argv[1:]))
    # Children share the memory that is in use by now.
    gc.freeze()
    while select.select([questions], [], [], IDLE)[0] and (asked := receive(questions)) is not None:
        send(answers, _in_a_child(asked))


if __name__ == "__main__":
    _work()
