"""Colours of gangs: gangs shown together have different ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangs.pictures.faces import COLOURS, colour_of, colours_among

KEYS = st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=30)


@pytest.mark.long
@given(KEYS)
def test_gangs_share_no_colour_when_there_are_enough(keys: list[str]) -> None:
    found = colours_among(keys)
    assert list(found) == keys
    few = keys[: len(COLOURS)]
    assert len({found[key] for key in few}) == len(few)
    assert set(found.values()) <= set(range(len(COLOURS)))


@given(KEYS, KEYS)
def test_later_gangs_leave_earlier_colours_unchanged(keys: list[str], later: list[str]) -> None:
    together = colours_among([*keys, *later])
    assert {key: together[key] for key in keys} == colours_among(keys)


@given(st.text(min_size=1))
def test_single_gang_has_its_own_colour(key: str) -> None:
    assert colours_among([key]) == {key: colour_of(key)}
