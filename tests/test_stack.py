"""A function with room on Python's stack runs in a block of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stack import with_room


def test_function_with_room_answers_as_before() -> None:
    assert with_room(divmod)(17, 5) == (3, 2)
    assert with_room(sorted)([1, 2], reverse=True) == [2, 1]
    with pytest.raises(ZeroDivisionError):
        with_room(divmod)(17, 0)


def _size() -> int:
    """Return the size of this process in KiB, without looking at which of it is used."""
    text = Path("/proc/self/status").read_text("ascii")
    return int(text.partition("VmSize:")[2].split()[0])


def test_deeper_calls_find_a_large_block() -> None:
    _size()
    before = _size()
    assert with_room(_size)() - before >= 256
    assert _size() - before < 256
