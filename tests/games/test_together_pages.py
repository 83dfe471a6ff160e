"""Pages, prints and messages about games of gangs on one side: none of them names an opponent."""

from __future__ import annotations

import re
import uuid

from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.files import exporting, importing, reading
from campaigns.games.report_forms import ReportForms
from campaigns.models import Campaign, Game
from campaigns.table import people, storage, taps
from campaigns.table.attempts.actions import find_targets
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.folded import fold_table
from campaigns.table.report import table_account
from campaigns.table.taps import NONPLAYERS
from printing.season import pack
from printing.season.pack import PackOrder
from printing.season.pack_views import tables_of
from printing.sheets import game_log
from rules.book.model import Book
from rules.reference_pages.words import BookWording
from tests.campaigns.table.test_storage import pushed
from tests.games.club import Club, Told
from tests.games.watchers import OF_OPPONENTS, visible_text
from tests.world.campaigns import make_game, make_night, side_of


def _names_no_opponent(client: Client, *addresses: str) -> None:
    named = []
    for address in addresses:
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        text = visible_text(answer.content.decode())
        named += [
            f"{address}: …{text[max(0, one.start() - 60) : one.end() + 40]}…"
            for one in OF_OPPONENTS.finditer(text)
        ]
    assert not named, "\n".join(named)


def _pages(campaign: Campaign) -> list[str]:
    names = (
        "campaign", "chronicle", "records", "charts", "trophies", "seasons", "standings",
        "standings-text", "standings-pictures", "spreadsheets", "nights", "people", "yearbook",
        "game-new", "settings",
    )  # fmt: skip
    return [reverse(f"campaigns:{name}", args=[campaign.pk]) for name in names]


def test_pages_of_a_player_alone_name_no_opponent(solo: Club, client: Client, alice: User) -> None:
    client.force_login(alice)
    for night, result in enumerate(("laid", "driven", "dawn"), start=1):
        told = Told({"Ash watcher": "fled"}, {"taken_out": {"Ash warden": 1}})
        done = solo.stand_together(night, result, {"Ash": told})
        solo.after(done, "Ash", {"mornings Ash watcher": "6"})
    gang = solo.gang("Ash")
    planned = make_game(solo.campaign, alice, gang)
    page, side = planned.get_absolute_url(), side_of(planned, gang)
    _names_no_opponent(
        client,
        *_pages(solo.campaign),
        page,
        f"{page}report/",
        reverse("campaigns:prepare", args=[planned.pk, side.pk]),
        done.get_absolute_url(),
        f"{done.get_absolute_url()}text/",
        f"{done.get_absolute_url()}report/",
        reverse("campaigns:player", args=[solo.campaign.pk, alice.pk]),
        reverse("campaigns:gang-play", args=[gang.pk]),
        reverse("tonight"),
        gang.get_absolute_url(),
        f"{gang.get_absolute_url()}history/",
        reverse("campaigns:career", args=[solo.campaign.pk, gang.pk, gang.roster.members[0].id]),
    )


def test_pages_of_players_together_name_no_opponent(
    three: Club, client: Client, alice: User, bob: User
) -> None:
    told = {"Ash": Told(), "Birch": Told({"Birch watcher": "fled"}), "Cedar": Told()}
    done = three.stand_together(1, "kept", told)
    game = make_game(three.campaign, alice, three.gang("Ash"), three.gang("Birch"))
    night = make_night(three.campaign)
    for user in (alice, bob):
        client.force_login(user)
        pages = _pages(three.campaign)
        if user == alice:
            pages = [page for page in pages if not page.endswith("settings/")]
        _names_no_opponent(
            client, *pages, done.get_absolute_url(), game.get_absolute_url(),
            f"{game.get_absolute_url()}report/", night.get_absolute_url(), reverse("tonight"),
        )  # fmt: skip


def test_night_proposes_who_plays_together(three: Club, client: Client, bob: User) -> None:
    three.stand_together(1, "laid", {"Ash": Told(), "Birch": Told()})
    night = make_night(three.campaign)
    for name in three.keys:
        gang = three.gang(name)
        assert gang.owner is not None
        schedule.answer(night, gang, "yes", actor=gang.owner)
    client.force_login(bob)
    address = reverse("campaigns:night-pairings", args=[night.pk])
    _names_no_opponent(client, address)
    asked = {"gangs": list(map(str, three.keys.values())), "size": "2"}
    page = client.get(address, asked).content.decode()
    pairs = re.findall(r'name="pair" value="([^"]+)"', page)
    assert sorted(len(pair.split()) for pair in pairs) == [1, 2]
    assert "have never played together" in page
    token = re.search(r'name="token" value="([^"]+)"', page)
    assert token is not None
    client.post(address, {"pair": pairs, "token": token[1]})
    assert night.games.count() == 2


def test_report_of_several_gangs_has_one_result(three: Club, client: Client, alice: User) -> None:
    gangs = [three.gang(name) for name in three.keys]
    game = make_game(three.campaign, alice, *gangs)
    client.force_login(alice)
    address = f"{game.get_absolute_url()}report/"
    page = client.get(address).content.decode()
    assert "How did it end?" in page
    # No side has a place, and nobody of another gang puts a member out.
    assert 'name="place-' not in page
    sides = list(game.sides.select_related("gang"))
    assert not any(form.hands for form in ReportForms(game, sides).side_forms)
    played = {
        f"side{side_of(game, gang).pk}-in-{member.id}": "on"
        for gang in gangs
        for member in gang.roster.members
    }
    client.post(
        address, {"seen": game.version, "winner": "quiet", "played_on": "2026-05-01", **played}
    )
    game.refresh_from_db()
    assert (game.status, game.result) == (Game.Status.REPORTED, "quiet")
    assert {side.side for side in game.sides.all()} == {"winner"}


def test_only_a_void_or_abandoned_game_is_settled_without_a_fight(
    solo: Club, client: Client, alice: User
) -> None:
    client.force_login(alice)
    game = make_game(solo.campaign, alice, solo.gang("Ash"))
    page = client.get(game.get_absolute_url()).content.decode()
    assert re.findall(r'name="settle" value="([^"]+)"', page) == ["void:", "abandoned:"]
    client.post(
        reverse("campaigns:game-settle", args=[game.pk]),
        {"seen": game.version, "settle": "abandoned:"},
    )
    game.refresh_from_db()
    assert game.status == Game.Status.CONFIRMED
    _names_no_opponent(client, *_pages(solo.campaign), game.get_absolute_url())


def test_results_of_a_night_are_entered_in_one_press(
    three: Club, client: Client, alice: User, bob: User
) -> None:
    night = make_night(three.campaign)
    game = make_game(three.campaign, alice, three.gang("Ash"), three.gang("Birch"))
    Game.objects.filter(pk=game.pk).update(night=night)
    client.force_login(bob)
    address = reverse("campaigns:night-entering", args=[night.pk])
    page = client.get(address).content.decode()
    values = re.findall(r'<option value="(level:[^"]+)"', page)
    assert values == [f"level:{row.key}" for row in three.campaign.book.campaign.results]
    assert "played:" not in page and "no-show:" not in page


def test_file_of_a_campaign_comes_back_as_it_was(three: Club, bob: User) -> None:
    told = {"Ash": Told(), "Birch": Told({"Birch watcher": "fled"})}
    game = three.stand_together(1, "driven", told)
    three.after(game, "Ash")
    text = exporting.export_campaign(three.campaign)
    file = reading.read_file(text)
    own = file.names.index("bob")
    again = importing.write_campaign(file, importer=bob, own_place=own, token=uuid.uuid4())
    assert exporting.export_campaign(again) == text
    assert [side.side for side in again.games.get().sides.all()] == ["loser", "loser"]


# The table --------------------------------------------------------------------------------------


def test_table_ends_with_a_degree_and_fills_the_report(
    three: Club, client: Client, alice: User
) -> None:
    gangs = [three.gang("Ash"), three.gang("Birch")]
    game = make_game(three.campaign, alice, *gangs)
    Game.objects.filter(pk=game.pk).update(scenario="cellar")
    game.refresh_from_db()
    table = storage.open_for(game, list(game.sides.select_related("gang__owner")), actor=alice)
    figures = people.start_of(table).figures
    ash, birch, *_rest = (one.key for one in figures if one.leads)
    shades = [one.key for one in figures if one.side == NONPLAYERS]
    client.force_login(alice)
    page = client.get(table.get_absolute_url()).content.decode()
    assert "Laid to rest" in page and "won" not in visible_text(page)
    # The page offers shades as the hands behind a fall, not members of the other gang.
    told = (
        taps.Out(figure=shades[0], by=ash),
        taps.Out(figure=shades[1], by=ash),
        taps.Out(figure=birch, by=shades[2], mark="fled"),
        taps.GameEnded(result="driven"),
    )
    storage.push(table, alice, [pushed(tap, n=number) for number, tap in enumerate(told, start=1)])
    report = client.get(f"{game.get_absolute_url()}report/")
    assert report.context["summary"].outcome == "Driven out"
    ash_lines = dict(report.context["summary"].sides)["Ash"]
    assert ash_lines == [("Banished", "by Ash warden\u00a0× 2")]
    sides = {side.gang: side for side in game.sides.select_related("gang")}
    account = table_account(game, list(sides.values()))
    assert account is not None
    assert {part.side for part in account.sides.values()} == {"loser"}
    first, second = (account.sides[sides[gang].pk].report for gang in gangs)
    warden = gangs[0].roster.members[0].id
    assert first.counts == {"banished": {warden: 2}}
    assert second.by_nonplayers == {gangs[1].roster.members[0].id: 3}


def test_gangs_that_play_together_aim_at_nonplayers(three: Club, alice: User) -> None:
    game = make_game(three.campaign, alice, three.gang("Ash"), three.gang("Birch"))
    Game.objects.filter(pk=game.pk).update(scenario="cellar")
    game.refresh_from_db()
    table = storage.open_for(game, list(game.sides.select_related("gang__owner")), actor=alice)
    found = fold_table(table)
    rolls = three.campaign.book.roll
    ash = next(one.key for one in found.start.figures if one.leads)
    shades = [one.key for one in found.start.figures if one.side == NONPLAYERS]
    assert list(find_targets(found.start, found.now, rolls["banish"], ash)) == shades
    hunted = find_targets(found.start, found.now, rolls["chill"], shades[0])
    assert {key.partition(".")[0] for key in hunted} == {"1", "2"}
    names = Attempt(ash).names(found.start, found.now)
    assert (names["enemy.standing"], names["table.sides"]) == (3, 2)


# Paper ------------------------------------------------------------------------------------------


def test_pack_and_log_name_no_opponent(three: Club, alice: User, vigil: Book) -> None:
    game = make_game(three.campaign, alice, three.gang("Ash"), three.gang("Birch"))
    game = Game.objects.select_related("campaign").get(pk=game.pk)
    order = PackOrder("en", "a4", "ink", site="https://skirmish.example")
    text = visible_text(pack.html(game.campaign, tables_of([game]), order))
    assert "Driven out" in text and "Who won?" not in text
    assert OF_OPPONENTS.search(text) is None
    sides = list(game.sides.select_related("gang"))
    assert ReportForms(game, sides, on_paper=True).result.is_together
    words = BookWording(vigil, "en")
    labels = [label for line in game_log._lines(words, vigil.usual) for label, _share in line]
    assert "Opponent" not in labels
