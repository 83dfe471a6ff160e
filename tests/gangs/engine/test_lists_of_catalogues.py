"""Lists of invented games become gangs that cost what the comparison of prices says."""

from __future__ import annotations

from decimal import Decimal

import pytest

from common.errors import Refusal
from gangs.engine.from_roster import found_from_roster
from rules.catalogues.entry_map import EntryMap
from rules.catalogues.reading import read_roster
from tests.rules.catalogues.lists.by_hand import Worked, lists
from tests.rules.catalogues.lists.compare import compare
from tests.rules.catalogues.lists.rosters import as_json, as_ros, evaluate
from tests.rules.catalogues.lists.test_prices import import_game

FORMS = {"list.ros": as_ros, "list.json": as_json}
LISTS = [one for one in lists() if not one.breaks]


@pytest.mark.parametrize("file", FORMS)
@pytest.mark.parametrize("worked", LISTS, ids=str)
def test_list_costs_the_same_as_a_gang_in_both_translations(worked: Worked, file: str) -> None:
    game, found = worked.game, evaluate(worked)
    imported, book, answers = import_game(game.key, game.formats[0])
    roles = {key: role for key, role in answers.roles.items() if role not in ("list", "leader")}
    ids = EntryMap(game.key, answers.money, imported.ids, roles, imported.bundled)
    roster = read_roster(file, FORMS[file](found, worked.name))
    translation = found_from_roster(book, ids, roster)
    if any(isinstance(note.why, Refusal) for note in translation.notes) or roles.keys() & {
        part for one in found.all for part in one.option.ids
    }:
        pytest.skip("A purchase is refused, or the list has records of a campaign: notes say so.")
    expected = compare(imported, book, answers, found)
    assert Decimal(str(translation.price)) == expected.price[1]
