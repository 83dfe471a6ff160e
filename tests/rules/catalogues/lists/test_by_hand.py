"""The evaluator agrees with lists that were worked out by hand, in every format."""

from __future__ import annotations

import pytest

from tests.rules.catalogues.lists.by_hand import Worked, lists, work_out
from tests.rules.catalogues.lists.evaluator import Data, Evaluated
from tests.rules.catalogues.lists.games import GAMES, every_form, files_of
from tests.rules.catalogues.lists.older import renew

LISTS = lists()
DATA = {(key, form): Data.read(files_of(GAMES[key], form), renew) for key, form in every_form()}


def test_at_least_thirty_lists_are_worked_out_by_hand() -> None:
    assert len(LISTS) >= 30
    assert {one.of for one in LISTS} == {key for data in DATA.values() for key in data.playable}
    assert sum(not one.breaks for one in LISTS) >= 20


@pytest.mark.parametrize("worked", LISTS, ids=lambda one: one.name)
def test_working_adds_up(worked: Worked) -> None:
    for working, total in worked.costs.values():
        assert work_out(working) == total


@pytest.mark.parametrize(
    ("worked", "form"),
    [(one, form) for one in LISTS for form in one.game.formats],
    ids=str,
)
def test_evaluator_agrees_with_the_hand(worked: Worked, form: str) -> None:
    data = DATA[worked.game.key, form]
    found = Evaluated(data, worked.of, worked.picks)
    assert worked.costs.keys() == data.cost_types.keys()
    assert {key: found.total(key) for key in worked.costs} == {
        key: total for key, (_working, total) in worked.costs.items()
    }
    broken = {f"{one.id} {one.element.rpartition('::')[2]}" for one in found.violations()}
    if form == "1.15":
        # Limits had no ids of their own.
        assert sorted(map(_element, broken)) == sorted(map(_element, worked.breaks))
    else:
        assert broken == worked.breaks


def _element(words: str) -> str:
    return words.partition(" ")[2]
