"""Counting work: spending, limits inside limits, and which of them is reported."""

from __future__ import annotations

import threading

import pytest

from rules.bounds.work import Exhausted, TooMuch, ignore_work, limit_work, spend


def test_nothing_is_counted_without_a_limit() -> None:
    spend(10**12)


def test_a_limit_lets_so_much_be_done_and_no_more() -> None:
    with limit_work(10):
        spend(10)
        with pytest.raises(TooMuch):
            spend(1)


def test_a_limit_inside_is_told_by_its_own_error_and_counts_outside_too() -> None:
    with limit_work(10, Exhausted):
        with pytest.raises(TooMuch), limit_work(5):
            spend(6)
        spend(4)
        with pytest.raises(Exhausted):
            spend(1)


def test_a_limit_inside_leaves_no_more_than_there_is() -> None:
    with limit_work(10, Exhausted), limit_work(100), pytest.raises(Exhausted):
        spend(11)


def test_a_limit_ends_with_its_block() -> None:
    with limit_work(1):
        pass
    spend(10**12)


def test_a_limit_holds_in_its_own_thread_only() -> None:
    done = []
    with limit_work(1):
        thread = threading.Thread(target=lambda: done.append(spend(100)))
        thread.start()
        thread.join()
    assert done == [None]


def test_what_has_a_clock_of_its_own_is_not_counted() -> None:
    with limit_work(10, Exhausted):
        with ignore_work():
            spend(1000)
            with pytest.raises(TooMuch), limit_work(5):
                spend(6)
        spend(10)
