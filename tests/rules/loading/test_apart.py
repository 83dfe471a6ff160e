"""A separate process reads strangers' rulebooks and is killed when they take too much."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import pytest

from rules.bounds.limits import CHECK_MEMORY
from rules.loading import apart, strangers
from rules.loading.apart import Busy, TooLarge
from rules.loading.reader import BadBook
from tests.rules.loading.test_size import NUMBERS, chain, rolled
from tests.rules.small import SMALL, changed, row, small


@pytest.fixture(autouse=True)
def stopped() -> Any:
    """Use a separate process for each test."""
    yield
    apart.close()


@pytest.mark.long
def test_read_apart_returns_a_sound_rulebook_unchanged() -> None:
    assert apart.read_apart(SMALL, "small") == small()
    assert apart.read_apart(SMALL, "small", tried=True).digest == small().digest


@pytest.mark.long
def test_read_apart_returns_mistakes_with_their_places() -> None:
    data = changed(**rolled(chain(25, 6)))
    with pytest.raises(BadBook) as caught:
        apart.read_apart(data, "strange")
    assert not caught.value.of_form
    assert str(caught.value.mistakes[0]) == (
        "procedures.20.steps (p20), strange: must have at most 2000 steps, "
        "with the shared steps that it uses"
    )


@pytest.mark.long
def test_read_apart_refuses_rolls_that_take_too_much_work() -> None:
    """Many rolls are too much together, though each one is small enough."""
    end = {"let": "n", "be": "m.max + m.min + m.ones + m"}
    rolls = [
        row(
            f"r{dice}-{target}",
            steps=[{"count": "m", "dice": dice, "sides": 20, "target": target}, end],
            numbers=NUMBERS,
        )
        for dice in range(16, 20)
        for target in range(2, 21)
    ]
    assert strangers.read_book(changed(rolls=rolls[:1]), "small", tried=True)
    with pytest.raises(TooLarge):
        apart.read_apart(changed(rolls=rolls), "small", tried=True)
    # Without trying its rolls, the rulebook is sound.
    assert apart.read_apart(changed(rolls=rolls), "small")


@pytest.mark.long
def test_only_the_child_process_ends_when_it_takes_too_much_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def eats(asked: bytes) -> Any:
        return {"canonical": "x" * (2 * CHECK_MEMORY)}

    monkeypatch.setattr(strangers, "answer", eats)
    assert json.loads(strangers._in_a_child(b"")) == {"too_large": True}


@pytest.mark.long
def test_a_child_process_that_never_ends_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    def spins(asked: bytes) -> Any:
        while True:
            pass

    monkeypatch.setattr(strangers, "answer", spins)
    monkeypatch.setattr(strangers, "CHECK_SECONDS", 1)
    assert json.loads(strangers._in_a_child(b"")) == {"too_large": True}


@pytest.mark.long
def test_a_killed_reader_process_is_replaced() -> None:
    apart.read_apart(SMALL, "small")
    process = apart._reader.process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert apart.read_apart(SMALL, "small") == small()
    assert apart._reader.process is not process


def test_a_reader_process_is_killed_when_it_gives_no_answer_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(apart, "LONGEST", 0.2)
    reader = apart._Reader()
    process = reader._started()
    os.killpg(process.pid, signal.SIGSTOP)
    with pytest.raises(Busy):
        reader.ask(json.dumps([SMALL, "small", False, False]).encode())
    assert process.poll() is not None


def test_the_reader_is_busy_when_too_many_threads_wait() -> None:
    reader = apart._Reader()
    for _number in range(apart.MOST_WAITING + 1):
        reader.waiting.acquire()
    with pytest.raises(Busy):
        reader.ask(b"")


def test_the_reader_is_busy_when_a_turn_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "PATIENCE", 0.1)
    reader = apart._Reader()
    with reader.turn, pytest.raises(Busy):
        reader.ask(b"")


@pytest.mark.long
def test_the_reader_process_has_none_of_the_sites_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "never handed on")
    reader = apart._Reader()
    process = reader._started()
    reader.ask(json.dumps([SMALL, "small", False, False]).encode())
    with open(f"/proc/{process.pid}/environ", "rb") as environ:
        assert b"SECRET_KEY" not in environ.read()
    reader.stop()
