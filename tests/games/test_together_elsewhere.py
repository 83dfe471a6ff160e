"""Games against the book in everything that leaves the campaign's pages: paper, pictures, channels,
the API, and what happens when a result is corrected or undone."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Notice, User
from accounts.notices import describe
from campaigns.club.nights import schedule
from campaigns.club.planning import plans
from campaigns.engine.league.options import StageOptions
from campaigns.games import results
from campaigns.games.corrections import strikes
from campaigns.league import stages
from campaigns.models import Campaign, Game, Side, Stage
from campaigns.season import chronicle_text
from campaigns.season.loading import load_season
from campaigns.season.sending import game_text
from common.errors import Refusal
from gangs.text.passages import as_plain
from outbound.models import Hook
from printing.paper.orders import Order
from printing.pictures import games as game_picture
from printing.pictures import standings as standings_picture
from printing.pictures.values import Ranking, Spotlight, Versus
from printing.season import standings_sheet, yearbook
from printing.season.material import material
from rules.book.model import Book
from rules.book.season import Play, Sides
from tests.api.test_api import reader
from tests.api.test_writing import send
from tests.games.club import FIRST_NIGHT, Club, Told, describe_roster, recruit
from tests.games.watchers import OF_OPPONENTS, visible_text
from tests.outbound.conftest import internet
from tests.outbound.fake_discord import FakeDiscord
from tests.outbound.hooks.conftest import add_hook, discord, hook, look
from tests.outbound.hooks.test_watching import only, texts
from tests.world.campaigns import make_game, make_night

__all__ = ["add_hook", "discord", "hook", "internet"]


@pytest.fixture
def campaign(three: Club) -> Campaign:
    """Return the campaign that the channel tells about."""
    return three.campaign


def _season(club: Club) -> list[Game]:
    """Play three games, the first with all three gangs, who have played its post-game."""
    shades = {"banished": {"Ash warden": 2}, "taken_out": {"Ash warden": 2}}
    told = {"Ash": Told({"Ash watcher": "fled"}, shades), "Birch": Told(), "Cedar": Told()}
    first = club.stand_together(1, "laid", told)
    club.after(first, "Ash", {"mornings Ash watcher": "1"})
    club.after(first, "Birch")
    club.after(first, "Cedar")
    second = club.stand_together(
        2, "kept", {"Ash": Told(), "Birch": Told({"Birch warden": "fled"})}
    )
    return [first, second, club.stand_together(3, "dawn", {"Cedar": Told()})]


def _sides(game: Game) -> list[Side]:
    sides = list(game.sides.with_standing().select_related("gang__owner"))
    for side in sides:
        side.game = game
    return sides


def _undo(game: Game, actor: User) -> None:
    """Take a whole game back, in all its gangs."""
    strokes = strikes.weigh_game(game)
    strikes.strike_game(
        game,
        actor=actor,
        reason="It was not played.",
        expected_version=game.version,
        versions={stroke.gang.pk: stroke.gang.version for stroke in strokes},
        also={},
    )


# Titles -----------------------------------------------------------------------------------------


def test_title_of_a_game_lists_gangs_that_play_together(
    three: Club, client: Client, bob: User
) -> None:
    games = _season(three)
    client.force_login(bob)
    page = client.get(games[0].get_absolute_url()).content.decode()
    assert "<h1>Ash, Birch and Cedar</h1>" in page
    _undo(games[1], bob)
    lines = chronicle_text.chronicle_lines(load_season(three.campaign.pk).season)
    told = [chronicle_text.plain(three.campaign.book, line) for line in lines]
    assert any("Ash, Birch" in one for one in told)
    assert not any("Ash – Birch" in one for one in told)
    alice = three.gang("Ash").owner
    assert alice is not None
    notices = [describe(one) for one in Notice.objects.filter(user=alice)]
    assert any("Ash, Birch" in one for one in notices) and "Ash – Birch" not in str(notices)


# Paper and pictures -----------------------------------------------------------------------------


def test_yearbook_and_standings_on_paper_name_no_opponent(three: Club) -> None:
    _season(three)
    order = Order("en", "a4", "ink")
    book = visible_text(yearbook.html(material(three.campaign), order))
    assert OF_OPPONENTS.search(book) is None
    assert "Ash and Birch lost: The house keeps them." in book
    assert "1 May 26 · with Birch and Cedar · Laid to rest" in book
    sheet = visible_text(standings_sheet.job(three.campaign, order).html)
    assert OF_OPPONENTS.search(sheet) is None and "Ash alice 1–0–1 12 2" in sheet


def test_pictures_show_the_degree_and_all_gangs(three: Club) -> None:
    first, second, third = _season(three)
    picture = game_picture.picture_of(first, _sides(first), "tall")
    versus, spotlight = picture.blocks
    assert picture.title == "Laid to rest"
    assert isinstance(versus, Versus) and isinstance(spotlight, Spotlight)
    assert [one.name for one in versus.best] == ["Ash", "Birch", "Cedar"]
    assert spotlight.named.name == "Ash warden"
    [versus] = game_picture.picture_of(second, _sides(second), "wide").blocks
    assert isinstance(versus, Versus) and not versus.best
    [versus] = game_picture.picture_of(third, _sides(third), "wide").blocks
    assert isinstance(versus, Versus) and [one.name for one in versus.sides] == ["Cedar"]
    planned = make_game(three.campaign, three.campaign.organisers[0], three.gang("Ash"))
    assert game_picture.picture_of(planned, _sides(planned), "tall").title == "Ash"
    [ranking] = standings_picture.picture_of(load_season(three.campaign.pk), "tall").blocks
    assert isinstance(ranking, Ranking) and {row.place for row in ranking.rows} == {""}


def test_text_of_a_game_and_feed_name_no_opponent(three: Club, alice: User) -> None:
    first, _second, third = _season(three)
    for game in (first, third):
        text = as_plain(game_text(game, _sides(game), alice))
        assert OF_OPPONENTS.search(text) is None
    feed = chronicle_text.atom(three.campaign, load_season(three.campaign.pk).season, "https://x")
    assert OF_OPPONENTS.search(feed) is None
    assert "Cedar played: Dawn came first." in feed


# Channels ---------------------------------------------------------------------------------------


def test_channel_tells_of_planned_games_and_results_without_an_opponent(
    hook: Hook, discord: FakeDiscord, three: Club, bob: User
) -> None:
    night = make_night(three.campaign, starts_at=timezone.now() + timedelta(minutes=5))
    gangs = [three.gang(name) for name in three.keys]
    plans.plan_pairs(night, [gangs[:2], gangs[2:]], actor=bob, token=uuid.uuid4())
    only(hook, "pairings")
    look()
    [text] = texts(discord)
    assert "Games of " in text and "**Ash and Birch**" in text and "**Cedar**" in text
    assert "have never played together" in text and OF_OPPONENTS.search(text) is None
    only(hook, "results", "deaths", "advances")
    discord.messages.clear()
    today = (timezone.localdate() - FIRST_NIGHT).days // 7 + 1
    game = three.stand_together(
        today, "laid", {"Ash": Told({"Ash watcher": "fled"}), "Cedar": Told()}
    )
    three.after(game, "Ash", {"mornings Ash watcher": "1"})
    look()
    told = "\n".join(texts(discord))
    assert "Ash and Cedar" in told and "Laid to rest" in told and "Ash watcher (Ash) died." in told
    assert OF_OPPONENTS.search(told) is None


# The API ----------------------------------------------------------------------------------------


def _body(game: Game, **more: Any) -> dict[str, Any]:
    sides = [
        {"gang": str(side.gang_id), "fielded": [one.id for one in side.gang.roster.members]}
        for side in game.sides.select_related("gang")
        if side.gang is not None
    ]
    return {"sides": sides, **more}


def test_api_reports_a_result_of_gangs_together(three: Club, alice: User) -> None:
    game = make_game(three.campaign, alice, three.gang("Ash"), three.gang("Birch"))
    program, path = reader(alice, writes=True), f"/games/{game.pk}/report"

    def refused(**more: Any) -> list[str]:
        answer = send(program, path, _body(game, **more), 422, If_Match="0")
        return [row["place"] for row in answer["errors"]]

    assert refused() == ["result"]
    assert refused(result="nothing") == ["result"]
    assert refused(result="laid", draw=True) == ["draw"]
    assert refused(result="laid", winner=str(three.keys["Ash"])) == ["winner"]
    with_place = _body(game, result="laid")
    with_place["sides"][0]["place"] = 1
    answer = send(program, path, with_place, 422, If_Match="0")
    assert [row["place"] for row in answer["errors"]] == ["sides.0.place"]
    told = send(program, path, _body(game, result="laid"), If_Match="0")
    assert (told["status"], told["result"]) == ("reported", "laid")
    assert {side["kind"] for side in told["sides"]} == {"winner"}
    birch = three.gang("Birch").owner
    assert birch is not None
    confirmed = send(reader(birch, writes=True), f"/games/{game.pk}/confirm", {}, If_Match="1")
    assert confirmed["status"] == "confirmed"
    standings = program.ask(f"/campaigns/{three.campaign.pk}/standings")
    assert [(row["place"], row["name"], row["won"]) for row in standings] == [
        (0, "Ash", 1),
        (0, "Birch", 1),
        (0, "Cedar", 0),
    ]
    [line] = program.ask(f"/campaigns/{three.campaign.pk}/chronicle")["results"][-1:]
    assert line["text"] == "Ash and Birch won: Laid to rest."


# Corrections ------------------------------------------------------------------------------------


def test_victory_that_becomes_a_defeat_replays_what_followed(three: Club, bob: User) -> None:
    first, _second, _third = _season(three)
    # 16 + 12 for the result + 0 for Ash, whose watcher was never found, and - 1 for the others.
    assert [int(three.gang(name).roster.treasury) for name in three.keys] == [28, 27, 27]
    first = Game.objects.get(pk=first.pk)
    account = results.account_of(first, list(first.sides.all()))
    lost = {pk: results.SideAccount("loser", side.report) for pk, side in account.sides.items()}
    results.decide(
        first,
        account=account.model_copy(update={"result": "driven", "sides": lost}),
        actor=bob,
        expected_version=first.version,
        why="They ran.",
        replays=True,
    )
    # 10 pennies less, and nobody has seen the morning: one lesson for the night, two for shades.
    assert [int(three.gang(name).roster.treasury) for name in three.keys] == [18, 17, 17]
    assert describe_roster(three.gang("Ash").roster) == ["Ash warden warden 3"]
    assert [row[2:] for row in three.standings()] == [(0, 2), (0, 2), (0, 6)]
    lines = chronicle_text.chronicle_lines(load_season(three.campaign.pk).season)
    told = [chronicle_text.plain(three.campaign.book, line) for line in lines]
    assert "Ash, Birch and Cedar lost: Driven out." in told


def test_undone_game_counts_for_none_of_its_gangs_until_it_is_restored(
    three: Club, bob: User
) -> None:
    first = _season(three)[0]
    before = three.standings()
    first = Game.objects.get(pk=first.pk)
    _undo(first, bob)
    # The budget's rest comes in with the first post-game.
    assert [int(three.gang(name).roster.treasury) for name in three.keys] == [0, 0, 0]
    assert [row[2] for row in three.standings()] == [0, 0, 0]
    first.refresh_from_db()
    strikes.restore_game(first, actor=bob, reason="", expected_version=first.version)
    assert three.standings() == before
    assert [int(three.gang(name).roster.treasury) for name in three.keys] == [28, 27, 27]


# Groups of gangs against each other -------------------------------------------------------------


def test_games_of_three_against_each_other_are_made_by_groups(
    circle: Book, client: Client, bob: User, players: list[User]
) -> None:
    club = Club(circle.changed(play=Play(sides=Sides(minimum=3, maximum=4))), bob, players)
    for name in ("Ash", "Birch", "Cedar"):
        club.found(name, recruit("caller", f"{name} caller"))
    night = make_night(club.campaign)
    gangs = [club.gang(name) for name in club.keys]
    for gang in gangs:
        assert gang.owner is not None
        schedule.answer(night, gang, "yes", actor=gang.owner)
    client.force_login(bob)
    address = reverse("campaigns:night-pairings", args=[night.pk])
    page = client.get(address).content.decode()
    pairs = re.findall(r'name="pair" value="([^"]+)"', page)
    assert [len(pair.split()) for pair in pairs] == [3]
    assert re.search(r"<strong>(Ash|Birch|Cedar) – \w+ – \w+</strong>", page)
    assert client.get(reverse("campaigns:league", args=[club.campaign.pk])).status_code == 404
    with pytest.raises(Refusal) as refused:
        stages.start(
            club.campaign,
            Stage.Format.ROUND_ROBIN,
            gangs,
            {"name": "Autumn", "options": StageOptions()},
            token=uuid.uuid4(),
        )
    assert refused.value.code == "plays_in_groups"
