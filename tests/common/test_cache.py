"""The cache in a process: values live as long as their state, up to a size."""

from __future__ import annotations

from threading import Event, Thread

from common.cache import Cache


def test_value_is_made_once_for_each_state_from_the_last_one() -> None:
    cache: Cache[str] = Cache(4)
    assert cache.get("a", 1, lambda last: f"{last}, one") == "None, one"
    assert cache.get("a", 1, lambda last: "never") == "None, one"
    assert cache.get("a", 2, lambda last: f"{last}, two") == "None, one, two"
    assert cache.get("b", 2, lambda last: f"{last}") == "None"
    # Only the last state is kept.
    assert cache.get("a", 1, lambda last: "again") == "again"


def test_least_recently_used_value_is_dropped_first() -> None:
    cache: Cache[str] = Cache(2)
    for key in ("a", "b", "a", "c"):
        cache.get(key, None, lambda _last, key=key: key)  # type: ignore[misc]
    assert list(cache.kept) == ["a", "c"]


def test_slow_value_does_not_block_another() -> None:
    cache: Cache[str] = Cache(2)
    begun, done = Event(), Event()

    def slowly(_last: str | None) -> str:
        begun.set()
        assert done.wait(120)
        return "slow"

    thread = Thread(target=cache.get, args=("a", None, slowly))
    thread.start()
    assert begun.wait(120)
    assert cache.get("b", None, lambda _last: "fast") == "fast"
    done.set()
    thread.join()
    assert cache.get("a", None, lambda _last: "never") == "slow"
