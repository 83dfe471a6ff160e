"""Counting work: spending, limits inside limits, and which of them is reported."""

from __future__ import annotations

import threading

import pytest

from rules.bounds.work import Exhausted, TooMuch, ignore_work, limit_work, spend


def test_spend_counts_nothing_when_no_limit_is_set() -> None:
    spend(10**12)


def test_spend_raises_too_much_beyond_the_limit() -> None:
    with limit_work(10):
        spend(10)
        with pytest.raises(TooMuch):
            spend(1)


def test_an_inner_limit_raises_its_own_error_and_counts_for_the_outer() -> None:
    with limit_work(10, Exhausted):
        with pytest.raises(TooMuch), limit_work(5):
            spend(6)
        spend(4)
        with pytest.raises(Exhausted):
            spend(1)


def test_an_inner_limit_cannot_exceed_the_outer() -> None:
    with limit_work(10, Exhausted), limit_work(100), pytest.raises(Exhausted):
        spend(11)


def test_a_limit_ends_with_its_block() -> None:
    with limit_work(1):
        pass
    spend(10**12)


def test_a_limit_applies_to_its_own_thread_only() -> None:
    done = []
    with limit_work(1):
        thread = threading.Thread(target=lambda: done.append(spend(100)))
        thread.start()
        thread.join()
    assert done == [None]


def test_ignore_work_counts_nothing() -> None:
    with limit_work(10, Exhausted):
        with ignore_work():
            spend(1000)
            with pytest.raises(TooMuch), limit_work(5):
                spend(6)
        spend(10)
