"""Memory-hungry work runs for one account at a time, in a fair order, with short waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from common import turns
from common.turns import MOST_OF_ONE, MOST_PENDING, Busy, Turns


def until(check: Callable[[], bool]) -> None:
    limit = time.monotonic() + 120
    while not check():
        assert time.monotonic() < limit, "the condition was never met"
        time.sleep(0.001)


class People:
    """Accounts that request turns one after the other; ``done``: the accounts served, in order."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.work, self.done = Turns(), list[str]()
        self.pool, self.end = pool, threading.Event()

    def ask(self, who: str) -> Future[None]:
        def turn() -> None:
            with self.work.one(who):
                assert self.end.wait(120)
                self.done.append(who)

        before = list(self.work._pending)
        asked = self.pool.submit(turn)
        until(lambda: asked.done() or self.work._pending != before)
        return asked


@pytest.fixture
def people() -> People:
    return People(ThreadPoolExecutor(8))


def test_one_account_works_while_the_next_waits(people: People) -> None:
    asked = [people.ask(who) for who in ("alice", "bob", "dora")]
    assert people.done == []
    people.end.set()
    for turn in asked:
        turn.result(120)
    assert people.done == ["alice", "bob", "dora"]


def test_requests_of_an_account_are_limited(people: People) -> None:
    asked = [people.ask("alice") for _ in range(MOST_OF_ONE)]
    with pytest.raises(Busy), people.work.one("alice"):
        pass
    asked.append(people.ask("bob"))
    people.end.set()
    for turn in asked:
        turn.result(120)


def test_account_without_a_turn_for_longest_is_next(people: People) -> None:
    asked = [people.ask(who) for who in ("alice", "alice", "bob")]
    people.end.set()
    for turn in asked:
        turn.result(120)
    assert people.done == ["alice", "bob", "alice"]
    # Turns are remembered when nobody waits: dora never had a turn, and alice had the last.
    people.end.clear()
    asked = [people.ask(who) for who in ("alice", "bob", "dora")]
    people.end.set()
    for turn in asked:
        turn.result(120)
    assert people.done[3:] == ["alice", "dora", "bob"]


def test_new_account_replaces_a_second_request_when_the_line_is_full(
    people: People,
) -> None:
    alice, second, bob = (people.ask(who) for who in ("alice", "alice", "bob"))
    assert len(people.work._pending) == MOST_PENDING
    dora = people.ask("dora")
    assert isinstance(second.exception(120), Busy)
    # Each account has one request now, so the next account is refused.
    with pytest.raises(Busy), people.work.one("charlie"):
        pass
    people.end.set()
    for turn in (alice, bob, dora):
        turn.result(120)
    assert people.done == ["alice", "bob", "dora"]


def test_waiting_ends_after_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    work = Turns()
    with work.one("alice"), pytest.raises(Busy), work.one("bob"):
        pass
    with work.one("bob"):
        pass


def test_turn_ends_when_the_work_fails() -> None:
    work = Turns()
    for _time in range(MOST_PENDING + 1):
        with pytest.raises(ValueError), work.one("alice"):
            raise ValueError


def test_number_of_remembered_accounts_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MOST_REMEMBERED", 3)
    work = Turns()
    for number in range(9):
        with work.one(number):
            pass
    assert list(work._served) == [6, 7, 8]
