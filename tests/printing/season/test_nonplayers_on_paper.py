"""Figures that belong to no gang, on the page of a game's scenario."""

from __future__ import annotations

import re

import pytest

from accounts.models import User
from campaigns.models import Campaign, Game
from printing.season import pack
from printing.season.pack import PackOrder
from printing.season.pack_views import tables_of
from tests.world.campaigns import make_campaign, make_game, make_player
from tests.world.gangs import GOLD

pytestmark = pytest.mark.django_db


def html(campaign: Campaign, scenario: str, *players: User, language: str = "en") -> str:
    """Return the pack of a game with this scenario."""
    gangs = [make_player(campaign, player) for player in players]
    game = make_game(campaign, players[0], *gangs)
    Game.objects.filter(pk=game.pk).update(scenario=scenario)
    game = Game.objects.select_related("campaign").get(pk=game.pk)
    order = PackOrder(language, "a4", "ink", site="https://skirmish.example")
    return re.sub(r"\s+", " ", pack.html(campaign, tables_of([game]), order))


def test_pack_prints_non_players_with_profile_gear_and_boxes(alice: User, bob: User) -> None:
    campaign = make_campaign(bob, GOLD)
    (row,) = [one for one in campaign.book.scenarios if any(n.number == 3 for n in one.nonplayers)]
    page = html(campaign, row.key, alice, bob)
    (line,) = re.findall(r"<tr> <th scope=\"row\"> Guard of the convoy.*?</tr>", page)
    assert "Guard of the convoy × 3" in line and "played by: " in line
    rank = campaign.book.rank[row.nonplayers[0].rank]
    for key, value in rank.values.items():
        # Its boxes show the number of wounds.
        is_life = key == campaign.book.life
        assert is_life or f"{campaign.book.characteristic[key].short['en']} {value}" in line
    assert campaign.book.item["sword"].name["en"] in line
    cell = line[line.index('class="drawn"') :]
    assert len(re.findall(r'<svg|class="box"', cell)) == 3


def test_pack_of_a_scenario_without_non_players_has_no_such_table(alice: User, bob: User) -> None:
    campaign = make_campaign(bob, GOLD)
    row = next(one for one in campaign.book.scenarios if not one.nonplayers)
    assert "Non-players" not in html(campaign, row.key, alice, bob)
