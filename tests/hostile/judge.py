"""What must not happen, whatever is asked: every answer is judged, every failure kept.

In a run by hand an answer is slow that took more than two seconds of processor time of the worker's
thread; or, by the clock, each of three times longer than a machine that others keep busy may take
for that. Anywhere else no machine is too slow: an answer fails only when its processor time shows
that the work has no end in sight. Prints have their own patience.
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
# More than a request is worth on any machine: the most work for one takes 0.9 s here.
ENDLESS = 20.0
# Of what fails alike so many requests are kept.
KEPT_ALIKE = 3
# What a form of one's own answers once it was looked at: done, shown anew, refused.
LOOKED_AT = {200, 201, 204, 302, 303, 422, 500}
# Nobody else may see these.
STRANGERS = ("stranger", "visitor")
# The line that ends a traceback.
RAISED = re.compile(r"^(?:\w+\.)*[A-Z]\w*(?:: .*)?$", re.M)
# What differs between failures that are the same.
PARTICULAR = re.compile(r"""0x[0-9a-f]+|[0-9a-f-]{36}|\d+|'[^']*'|"[^"]*\"""")
FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\w+)')


@dataclass
class Failure:
    """Requests that failed alike."""

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
    """Judges answers, of several clients at once, and counts them."""

    def __init__(self, folder: Path, clients: int = 1, by_clock: bool = False) -> None:
        self.folder, self.clients, self.by_clock = folder, clients, by_clock
        self.lock = threading.Lock()
        self.failures: dict[tuple[str, str, str], Failure] = {}
        self.statuses: Counter[int] = Counter()
        self.seconds: list[float] = []
        self.computed: list[float] = []
        self.own = self.looked_at = self.later = self.cut = 0
        # Requests of the attack, and those that forms examined; later requests look at the rest.
        self.attacked = self.reached = 0
        # Answers that were slow once, and not when they were asked for again.
        self.waited: list[str] = []
        self.addresses: Counter[str] = Counter()
        self.forms: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
        self.shown: set[str] = set()
        # What was just sent, and what is not yet answered.
        self.flying: dict[int, tuple[Request, dict[str, str]]] = {}
        self.recent: deque[tuple[Request, dict[str, str]]] = deque(maxlen=40)

    def patience(self) -> float:
        """Seconds by the clock that an answer may take, when others than the attackers and the
        server want the machine, too."""
        others = max(0.0, os.getloadavg()[0] - self.clients - 1)
        return SLOWEST * (1 + others / (os.cpu_count() or 1))

    def is_slow(self, answer: Answer) -> bool:
        """Whether it took too long by the clock, where that is judged."""
        return self.by_clock and answer.seconds - answer.delayed > self.patience()

    @property
    def requests(self) -> int:
        """How many were sent."""
        return sum(self.statuses.values()) + self.cut

    def end_attack(self) -> None:
        """Remember how much of the requests so far forms examined."""
        self.attacked, self.reached = self.requests, self.looked_at

    def count(self, request: Request, answer: Answer) -> bool:
        """Take an answer into the figures. Whether a form of one's own looked at the request."""
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
        """What is wrong with an answer, in a word and in detail; None if nothing is. ``mark``
        stands in everything that strangers must not see."""
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
        """Whether it says: come again."""
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
        """Keep what failed."""
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
    """A traceback in a line: what was raised, and the last lines of ours that led there."""
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
    """Whether it is one of those that are printed."""
    return path.partition("?")[0].endswith(addresses.PRINTED)


def _says(request: Request, mark: str) -> bool:
    """Whether whoever asked said it themselves."""
    path, headers, body = request.encoded()
    return mark in path or mark.encode() in body or any(mark in value for _name, value in headers)


def _around(text: str, found: str) -> str:
    place = text.find(found)
    return ascii(text[max(0, place - 80) : place + 80])
