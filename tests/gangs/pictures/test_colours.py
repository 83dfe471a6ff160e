"""Gangs that are seen together have colours of their own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gangs.pictures.faces import COLOURS, colour_of, colours_among

KEYS = st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=30)


@given(KEYS)
def test_no_two_of_as_many_as_there_are_colours_share_one(keys: list[str]) -> None:
    found = colours_among(keys)
    assert list(found) == keys
    few = keys[: len(COLOURS)]
    assert len({found[key] for key in few}) == len(few)
    assert set(found.values()) <= set(range(len(COLOURS)))


@given(KEYS, KEYS)
def test_who_joins_later_changes_nobody_s(keys: list[str], later: list[str]) -> None:
    together = colours_among([*keys, *later])
    assert {key: together[key] for key in keys} == colours_among(keys)


@given(st.text(min_size=1))
def test_one_alone_has_its_own(key: str) -> None:
    assert colours_among([key]) == {key: colour_of(key)}
