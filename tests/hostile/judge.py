"""Judges every answer and keeps every failure: things that no request may cause.

In a run by hand an answer is slow if the worker's thread used more than two seconds of processor
time; or if, by the clock, each of three attempts took longer than a busy machine may take for that.
Otherwise no machine is too slow: an answer fails only when its processor time shows that the work
has no end in sight. Prints have their own limit.
"""

from __future__ import annotations

import os
import re
import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from tests.hostile import addresses, nasty
from tests.hostile import requests as requests_module
from tests.hostile.requests import Answer, Request

SLOWEST = 2.0
# More than a request is worth on any machine: the costliest request takes 0.9 s here.
ENDLESS = 20.0
# The most requests kept of failures that are alike.
KEPT_ALIKE = 3
# Statuses with which a form of the sender's own answers after its checks: done, shown again,
# refused.
LOOKED_AT = {200, 201, 204, 302, 303, 422, 500}
# Pages that nobody else may see.
STRANGERS = ("stranger", "visitor", "nobody", "inventor")
# The line that ends a traceback.
RAISED = re.compile(r"^(?:\w+\.)*[A-Z]\w*(?:: .*)?$", re.M)
# Parts that differ between failures that are alike.
PARTICULAR = re.compile(r"""0x[0-9a-f]+|[0-9a-f-]{36}|\d+|'[^']*'|"[^"]*\"""")
FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\w+)')


@dataclass
class Failure:
    """Requests that failed in the same way."""

    kind: str
    address: str
    detail: str
    count: int = 0
    files: list[Path] = field(default_factory=list)
    words: str = ""

    def __str__(self) -> str:
        where = ", ".join(str(path) for path in self.files)
        head = f"{self.kind} at {self.address}, {self.count} times: {self.detail}"
        return f"{head}\n{self.words}\n  kept: {where}"


class Judge:
    """Judges the answers of several clients at the same time, and counts them."""

    def __init__(self, folder: Path, clients: int = 1, by_clock: bool = False) -> None:
        self.folder, self.clients, self.by_clock = folder, clients, by_clock
        self.lock = threading.Lock()
        self.failures: dict[tuple[str, str, str], Failure] = {}
        self.statuses: Counter[int] = Counter()
        self.seconds: list[float] = []
        self.computed: list[float] = []
        self.own = self.looked_at = self.later = self.cut = 0
        # Requests of the attack, and those that forms examined; later requests look at the results.
        self.attacked = self.reached = 0
        # Answers that were slow once, and fast when they were requested again.
        self.waited: list[str] = []
        self.addresses: Counter[str] = Counter()
        self.forms: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
        self.shown: set[str] = set()
        # Shelves of hostile sites that were looked at, their games that came, and those taken.
        self.shelves: Counter[str] = Counter()
        # The latest requests, and those that are not answered yet.
        self.flying: dict[int, tuple[Request, dict[str, str]]] = {}
        self.recent: deque[tuple[Request, dict[str, str]]] = deque(maxlen=40)

    def patience(self) -> float:
        """Return the seconds by the clock that an answer may take on a machine that others use
        too.
        """
        others = max(0.0, os.getloadavg()[0] - self.clients - 1)
        return SLOWEST * (1 + others / (os.cpu_count() or 1))

    def is_slow(self, answer: Answer) -> bool:
        """Whether an answer took too long by the clock, if that is judged."""
        return self.by_clock and answer.seconds - answer.delayed > self.patience()

    @property
    def requests(self) -> int:
        """Return the number of requests sent."""
        return sum(self.statuses.values()) + self.cut

    def end_attack(self) -> None:
        """Remember the share of the requests so far that forms examined."""
        self.attacked, self.reached = self.requests, self.looked_at

    def count(self, request: Request, answer: Answer) -> bool:
        """Add an answer to the figures; return whether a form of the sender's own examined the
        request.
        """
        name = addresses.name_of(request.path)
        with self.lock:
            self.statuses[answer.status] += 1
            self.addresses[name] += 1
            if not is_print(request.path):
                self.seconds.append(answer.seconds)
                self.computed.append(answer.computed)
            is_own = request.own and (request.method == "POST" or bool(request.fields))
            looked_at = is_own and answer.status in LOOKED_AT
            self.own += is_own
            self.looked_at += looked_at
        return looked_at

    def wrong(self, request: Request, answer: Answer, mark: str) -> tuple[str, str] | None:
        """Return the fault of an answer, in a word and in detail; None if there is none. ``mark``
        is in every text that strangers must not see.
        """
        if answer.status >= 500 and not self._may_be_later(request, answer):
            return f"{answer.status}", summary(answer.failure) or answer.text[:200]
        if answer.status < 500 and answer.failure:
            return "a hidden failure", summary(answer.failure)
        if answer.computed > (SLOWEST if self.by_clock else ENDLESS) and not is_print(request.path):
            return "slow", f"{answer.computed:.1f} s of the worker's own time"
        if nasty.HEADER.lower() in answer.headers:
            return "a header let in", answer.headers[nasty.HEADER.lower()]
        if answer.is_page:
            if nasty.MARKUP in answer.text:
                return "markup let through", _around(answer.text, nasty.MARKUP)
            if nasty.TEMPLATE_DONE in answer.text:
                return "a template carried out", _around(answer.text, nasty.TEMPLATE_DONE)
        if mark in answer.text:
            if request.person not in STRANGERS:
                self.shown.add(mark)
            elif not _says(request, mark):
                return "seen by a stranger", _around(answer.text, mark)
        return None

    def _may_be_later(self, request: Request, answer: Answer) -> bool:
        """Whether the answer asks the client to come again."""
        later = answer.status == HTTPStatus.SERVICE_UNAVAILABLE and (
            "retry-after" in answer.headers or is_print(request.path)
        )
        with self.lock:
            self.later += later
        return later

    def wait(self, request: Request, answer: Answer) -> None:
        """Count an answer that was slow once."""
        self.waited.append(
            f"{answer.seconds:.1f} s, of which {answer.computed:.1f} s of work and"
            f" {answer.delayed:.1f} s for want of a processor: {request.method}"
            f" {addresses.name_of(request.path)}, {len(request.encoded()[2])} bytes,"
            f" {answer.status}"
        )

    def fail(self, kind: str, detail: str, requests: list[Request], names: dict[str, str]) -> None:
        """Keep a failure."""
        address = addresses.name_of(requests[-1].path) if requests else ""
        key = (kind, address, PARTICULAR.sub("#", detail)[:160])
        with self.lock:
            failure = self.failures.setdefault(key, Failure(kind, address, detail))
            failure.count += 1
            if len(failure.files) < KEPT_ALIKE and requests:
                failure.words = failure.words or str(requests[-1])
                self.folder.mkdir(parents=True, exist_ok=True)
                path = self.folder / f"{len(self.failures):03}-{len(failure.files) + 1}.json"
                path.write_text(requests_module.written(requests, names))
                failure.files.append(path)


def summary(failure: str) -> str:
    """Return a traceback in a line: the exception, and the last lines of our code that led
    there.
    """
    raised = RAISED.findall(failure)
    frames = [
        f"{path.partition('/site-packages/')[2] or _ours(path)}:{line} {name}"
        for path, line, name in FRAME.findall(failure)
    ]
    ours = [frame for frame in frames if not frame.startswith(("django/", "gunicorn/"))]
    last = " < ".join(reversed((ours or frames)[-4:]))
    return f"{raised[-1][:200] if raised else ''} [{last}]" if failure else ""


def _ours(path: str) -> str:
    here = str(Path(__file__).parent.parent.parent)
    return path.removeprefix(here).lstrip("/")


def is_print(path: str) -> bool:
    """Whether an address is a print."""
    return path.partition("?")[0].endswith(addresses.PRINTED)


def _says(request: Request, mark: str) -> bool:
    """Whether the request itself contained the text."""
    path, headers, body = request.encoded()
    return mark in path or mark.encode() in body or any(mark in value for _name, value in headers)


def _around(text: str, found: str) -> str:
    place = text.find(found)
    return ascii(text[max(0, place - 80) : place + 80])
