"""The number of pages, changes and prints that sites answer, and their times."""

from __future__ import annotations

import itertools
import random
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import quantiles
from time import monotonic, perf_counter
from typing import Any
from urllib.parse import urlencode

import psycopg

from tests.two_sites.browser import Answer, Browser

SECRET = "csrfsecretcsrfsecretcsrfsecretcs"
CLIENTS = 8
# A table with this many rows is to be searched by an index.
LARGE = 1_000
# How often each page is requested in sequence when its time is measured.
EACH = 60
PAGES = {
    "Tonight": "/tonight/",
    "a gang": "{gang}",
    "its sheet to read": "{gang}sheet/",
    "its history": "{gang}history/",
    "my gangs": "/gangs/",
    "a campaign": "{campaign}",
    "its people": "{campaign}people/",
    "its chronicle": "{campaign}chronicle/",
    "my campaigns": "/campaigns/",
}


class Reader:
    """A person who is signed in."""

    def __init__(self, about: dict[str, Any], ports: Sequence[int], seed: int) -> None:
        self.about = about
        self.browser = Browser(ports, random.Random(seed))
        self.browser.cookies = {"sessionid": about["session"], "csrftoken": SECRET}

    def page(self) -> Answer:
        """Request the page of their gang."""
        return self.browser.ask(self.about["gang"])

    def change(self) -> Answer:
        """Rename their gang."""
        name, version = uuid.uuid4().hex, self.about["version"]
        fields = {"csrfmiddlewaretoken": SECRET, "version": str(version), "name": name}
        answer = self.browser.ask(f"{self.about['gang']}about/", urlencode(fields).encode())
        self.about["version"] += answer.status == 302
        return answer

    def printed(self, path: str) -> Answer:
        """Request a shared sheet that nobody has printed yet."""
        while True:
            answer = self.browser.ask(path, accept="application/pdf")
            if answer.status != 503:
                return answer
            threading.Event().wait(0.1)


def p(times: list[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile, in milliseconds."""
    cuts = quantiles(times, n=20)
    return cuts[9] * 1000, cuts[18] * 1000


def measured(readers: list[Reader], ask: Callable[[Reader], Answer], seconds: float) -> list[float]:
    """Return the times of all answers that came within this many seconds."""
    times: list[float] = []
    wrong: list[int] = []
    until = monotonic() + seconds

    def asking(reader: Reader) -> None:
        while monotonic() < until:
            start = perf_counter()
            answer = ask(reader)
            times.append(perf_counter() - start)
            if answer.status not in (200, 302):
                wrong.append(answer.status)

    threads = [threading.Thread(target=asking, args=(reader,)) for reader in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise AssertionError(f"{len(wrong)} of {len(times)} answers were {set(wrong)}")
    return times


def load(about: dict[str, Any], ports: Sequence[int], seconds: float) -> list[str]:
    """Return rows of a table: kind, answers a second, p50, p95."""
    readers = [Reader(each, ports, seed) for seed, each in enumerate(about["readers"])][:CLIENTS]
    # Each is another print; there are enough for a minute of a fast machine.
    sheets = about["sheets"]
    works: dict[str, Callable[[Reader], Answer]] = {
        "pages": Reader.page,
        "changes": Reader.change,
        "first prints": lambda reader: reader.printed(sheets.pop()),
    }
    rows = []
    for what, ask in works.items():
        measured(readers, ask, 2)
        times = measured(readers, ask, seconds)
        middle, late = p(times)
        rows.append(f"{what} | {len(times) / seconds:.1f} | {middle:.0f} | {late:.0f}")
    return rows


def read_in_sequence(address: str) -> Counter[str]:
    """Return how many rows of each large table the database has read in sequence so far: a page
    that causes sequential reads becomes slower as the site grows, on any machine.
    """
    with psycopg.connect(address, autocommit=True) as connection:
        # Another session's statistics arrive once it has been idle for a moment.
        connection.execute("SELECT pg_sleep(2)")
        rows = connection.execute(
            "SELECT relname, seq_tup_read FROM pg_stat_user_tables WHERE n_live_tup > %s", [LARGE]
        ).fetchall()
    return Counter({str(table): int(read) for table, read in rows})


def page_times(about: dict[str, Any], ports: Sequence[int]) -> dict[str, tuple[float, float]]:
    """Return p50 and p95 of each page, requested by one reader after the other, and of a change."""
    readers = [Reader(each, ports, seed) for seed, each in enumerate(about["readers"])]
    found = {}
    for what, address in (*PAGES.items(), ("a change", "")):
        times = []
        for reader in itertools.islice(itertools.cycle(readers), EACH):
            start = perf_counter()
            answer = (
                reader.browser.ask(address.format(**reader.about)) if address else reader.change()
            )
            times.append(perf_counter() - start)
            assert answer.status in (200, 302), f"{answer.status} for {what}"
        # The first request of each kind loads data that a process keeps.
        found[what] = p(times[len(readers) // 2 :])
    return found
