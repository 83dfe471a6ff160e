"""Work that takes much memory is done for one at a time, and nobody waits long."""

from __future__ import annotations

import threading

import pytest

from common import turns
from common.turns import Busy, Turns


def test_one_works_another_waits_and_a_third_is_asked_to_come_back() -> None:
    work, at_work, done = Turns(), threading.Event(), threading.Event()
    ends: list[str] = []

    def first() -> None:
        with work.one():
            at_work.set()
            done.wait(120)
            ends.append("first")

    def second() -> None:
        with work.one():
            ends.append("second")

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    threads[0].start()
    assert at_work.wait(120)
    threads[1].start()
    while work._pending._value:
        pass
    with pytest.raises(Busy), work.one():
        pass
    done.set()
    for thread in threads:
        thread.join(120)
    assert ends == ["first", "second"]


def test_nobody_waits_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    work = Turns()
    with work.one(), pytest.raises(Busy), work.one():
        pass
    with work.one():
        pass


def test_a_turn_ends_with_a_mistake() -> None:
    work = Turns()
    for _time in range(turns.MOST_WAITING + 1):
        with pytest.raises(ValueError), work.one():
            raise ValueError
