"""A phone at a table over real HTTP, which does the same as ``static/table/sync.js``.

A tap goes into an outbox and is sent immediately, a hundred at a time; then the phone fetches the
news. It asks again two seconds after an answer, and later if none came. Only taps that the server
has acknowledged leave the outbox.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID

from tests.campaigns.table.nights import GAME, Row, Taps, buttons
from tests.forty_tables.connection import Connection, Unanswered

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
# The same values as in sync.js.
MOST_AT_ONCE = 100
PATIENCE, LONGEST_PATIENCE = 2.0, 16.0
# Statuses with which the site asks clients to try again.
LATER = {429, 503}
LAST_TURN = 99


@dataclass(frozen=True)
class Habits:
    """The way people use a phone. ``pause``: average seconds between acts; ``most``: taps of an
    act; ``hurry``: the factor by which the phone is faster than sync.js, for proofs that need
    many requests in a short time.
    """

    pause: float
    most: int = 1
    hurry: float = 1.0


class Phone:
    """A phone. ``made``: all taps made on it, by number; ``times``: the seconds of each answer by
    kind.
    """

    def __init__(
        self, address: str, connection: Connection, chance: Random, habits: Habits, plays: bool
    ) -> None:
        self.address = address
        self.connection = connection
        self.chance = chance
        self.habits = habits
        self.plays = plays
        self.device = str(UUID(int=chance.getrandbits(128), version=4))
        self.state: Row = {}
        self.choice: list[Taps] = []
        self.token = ""
        self.made: dict[int, Row] = {}
        self.outbox: list[Row] = []
        self.refused: dict[str, str] = {}
        self.times: dict[str, list[float]] = {}
        self.handed: list[Row] = []
        self.lock = threading.Lock()

    # The page

    def sit_down(self) -> None:
        """Open the table's page."""
        status, content = self.connection.ask(self.address)
        assert status == 200, f"{status} from {self.address}"
        page = content.decode()
        found, token = GAME.search(page), TOKEN.search(page)
        assert found, self.address
        self.token = token[1] if token else ""
        self.state = json.loads(found[1])["state"]
        left_out = ("struck", "undone", "over")
        said = [taps for taps in buttons(page) if taps[0]["kind"] not in left_out]
        self.choice = said

    # People

    def tap(self) -> None:
        """Make one act of some taps: of the page's buttons, a note with a unique text, or an undone
        act.
        """
        act = str(UUID(int=self.chance.getrandbits(128), version=4))
        for _tap in range(self.chance.randint(1, self.habits.most)):
            draw = self.chance.random()
            if draw < 0.1:
                note = f"{self.chance.getrandbits(64):x} of {self.device}"
                self.tell(act, {"kind": "said", "text": note})
            elif draw < 0.15 and self.made:
                undone = self.chance.choice(list(self.made.values()))["act"]
                self.tell(act, {"kind": "undone", "act": undone})
            elif draw < 0.2 and self.made:
                # A page of an older version does so.
                struck = self.chance.choice(list(self.made))
                self.tell(act, {"kind": "struck", "device": self.device, "device_seq": struck})
            else:
                for tap in self.chance.choice(self.choice):
                    self.tell(act, tap)

    def tell(self, act: str, tap: Row) -> None:
        """Make one tap, which waits until the server has acknowledged it."""
        n = len(self.made) + 1
        now = int(time.time() * 1000)
        row = {"device": self.device, "n": n, "after": self.state["seq"], "at": now}
        row |= {"turn": self.state["turn"], "act": act, "tap": tap}
        self.made[n] = row
        self.outbox.append(row)

    def hand_to(self, other: Phone) -> None:
        """Give another phone the waiting taps, so that it sends them, too."""
        with other.lock:
            other.handed += self.outbox

    def _take_over(self) -> None:
        with self.lock:
            handed, self.handed = self.handed, []
        there = {(row["device"], row["n"]) for row in self.outbox}
        self.outbox += [row for row in handed if (row["device"], row["n"]) not in there]

    # The network

    def send(self) -> None:
        """Send all waiting taps. Raises Unanswered."""
        while self.outbox:
            rows = self.outbox[:MOST_AT_ONCE]
            status, content = self._timed("tap", f"{self.address}taps/", json.dumps(rows))
            self._check(status, 200, content)
            for place, why in json.loads(content)["refused"].items():
                row = rows[int(place)]
                self.refused[f"{row['device']} {row['n']}"] = why
            self._forget(rows)

    def pull(self) -> None:
        """Fetch the news. Raises Unanswered."""
        seen = self.state["seq"]
        status, content = self._timed("poll", f"{self.address}since/{seen}/")
        self._check(status, 204 if status == 204 else 200, content)
        if status == 204:
            return
        news = json.loads(content)
        numbers = [row["seq"] for row in news["taps"]]
        if numbers != [*range(seen + 1, news["state"]["seq"] + 1)]:
            self.connection.counts.fault(f"{self.address} told {numbers} after {seen}")
        self.state = news["state"]
        self._forget(news["taps"])

    def _forget(self, rows: Iterable[Row]) -> None:
        there = {(row.get("device"), row.get("n")) for row in rows}
        self.outbox = [row for row in self.outbox if (row["device"], row["n"]) not in there]

    def _timed(self, kind: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        since = time.perf_counter()
        answer = self.connection.ask(path, body, self.token)
        self.times.setdefault(kind, []).append(time.perf_counter() - since)
        return answer

    def _check(self, status: int, expected: int, content: bytes) -> None:
        if status == expected:
            return
        counts = self.connection.counts
        if status in LATER:
            counts.add("to be asked again")
        else:
            words = content.decode(errors="replace")
            counts.fault(f"{status} from {self.address}: {words[:300]}")
        raise Unanswered(self.address)

    # Both together

    def live(self, is_over: Callable[[], bool], neighbours: Iterable[Phone] = ()) -> None:
        """Tap and ask until the time is over, beginning at any moment."""
        habits, others = self.habits, [other for other in neighbours if other is not self]
        patience = first = PATIENCE / habits.hurry
        now = time.monotonic()
        asks, taps = now + self.chance.uniform(0, first), now + self._pause()
        while not is_over():
            time.sleep(max(0.0, min(asks, taps, now + 0.5) - time.monotonic()))
            now = time.monotonic()
            if now >= taps:
                taps = now + self._pause()
                if self.plays:
                    self.tap()
                    asks = now
                    if others and self.chance.random() < 0.05:
                        self.hand_to(self.chance.choice(others))
                        self.connection.counts.add("outboxes handed to the other phone")
            if now < asks:
                continue
            try:
                self.sync()
                patience = first
            except Unanswered:
                patience = min(2 * patience, LONGEST_PATIENCE / habits.hurry)
            asks = time.monotonic() + patience

    def sync(self) -> None:
        """Send the waiting taps, then fetch the news. Raises Unanswered."""
        self._take_over()
        self.send()
        self.pull()

    def settle(self, until: float) -> bool:
        """Ask until everything is sent and there is no news; return whether that happened in
        time.
        """
        while time.monotonic() < until:
            try:
                before = None
                while before != self.state["seq"]:
                    before = self.state["seq"]
                    self.sync()
                return True
            except Unanswered:
                time.sleep(0.2)
        return False

    def _pause(self) -> float:
        return self.chance.uniform(0, 2 * self.habits.pause)


def percentiles(times: list[float], *shares: float) -> list[float]:
    """Return the milliseconds within which these shares of the answers came."""
    ordered = sorted(times)
    last = len(ordered) - 1
    return [1000 * ordered[min(last, round(share * last))] for share in shares]


def sit_down(phones: Iterable[Phone]) -> None:
    """Open every phone's page."""
    for phone in phones:
        phone.sit_down()


def all_at_once(tasks: Iterable[Callable[[], Any]]) -> None:
    """Run each function in a thread until all have ended. Raises the exception of one of them."""
    errors: list[BaseException] = []

    def run(task: Callable[[], Any]) -> None:
        try:
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
