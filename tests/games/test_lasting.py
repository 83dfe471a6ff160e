"""Trackers that last after a game, in both games: dread and weariness."""

from __future__ import annotations

import html
import json
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.engine.report import Answers, GameReport, Report
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from campaigns.files import importing, reading
from campaigns.files.exporting import export_campaign
from campaigns.games import results
from campaigns.models import Game
from campaigns.table.report import report_sides
from campaigns.table.state import TableFighter, begin
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from gangs.engine.version_change import carry_over
from gangs.files.exporting import export_gang
from gangs.ledger import writer
from gangs.models import Gang
from rules.book.model import Book
from rules.engine.dice import DiceRoll
from tests.api.test_api import reader
from tests.api.test_writing import send, simple_report
from tests.games.club import Club, Told, recruit
from tests.rules.small import mistakes, row, told
from tests.world.campaigns import make_game, side_of
from tests.world.tables import Evening

ANN, BEN = 2, 3
FOUNDERS: dict[str, list[Entry]] = {
    "circle": [
        kinds.Founded(name="The Ninth", settings={}),
        kinds.Recruited(rank="caller", name="Ann"),
        kinds.Recruited(rank="sitter", name="Ben"),
    ],
    "terraces": [
        kinds.Founded(name="The South Wall", settings={}),
        kinds.Recruited(rank="elder", name="Ann"),
        kinds.Recruited(rank="cousin", name="Ben"),
    ],
}


def gang_after(book: Book, *more: Entry) -> Roster:
    return fold(book, enumerate([*FOUNDERS[book.slug], *more], start=1))


def settle(
    book: Book,
    roster: Roster,
    tracks: Mapping[str, Mapping[int, int]],
    rolls: Mapping[str, DiceRoll] | None = None,
    fielded: tuple[int, ...] = (ANN, BEN),
) -> Playthrough:
    """Play the post-game of a game that the gang lost."""
    report = Report(fielded=fielded, tracks={key: dict(one) for key, one in tracks.items()})
    game = GameReport(
        game="g1", title="A", result="won", side="loser", report=report, rating=0, opponents=()
    )
    return play(book, roster, 20, game, Answers(rolls=dict(rolls or {})))


def test_numbers_at_the_end_of_a_game_stay_and_sink(circle: Book) -> None:
    before = gang_after(circle, kinds.Tracked(member=BEN, track="dread", to=1))
    through = settle(circle, before, {"dread": {ANN: 3, BEN: 0}})
    found = [one for one in through.entries if isinstance(one, kinds.Tracked)]
    assert [(one.member, one.to) for one in found] == [(ANN, 3), (BEN, 0), (ANN, 2)]
    assert [member.tracks for member in through.roster.members] == [{"dread": 2}, {"dread": 0}]


def test_number_as_at_the_beginning_is_no_entry(circle: Book) -> None:
    through = settle(circle, gang_after(circle), {"dread": {ANN: 0, BEN: 0}})
    assert not [one for one in through.entries if isinstance(one, kinds.Tracked)]


def test_only_those_who_rested_roll_for_their_weariness(terraces: Book) -> None:
    weary = [kinds.Tracked(member=who, track="weariness", to=4) for who in (ANN, BEN)]
    before = gang_after(terraces, *weary)
    waiting = settle(terraces, before, {"weariness": {ANN: 5}}, fielded=(ANN,))
    state = waiting.step("rest")
    assert [(one.member and one.member.name, one.dice) for one in state.waiting] == [("Ben", "1d3")]
    roll = DiceRoll(dice="1d3", faces=(3,), thrown_by="table")
    key = state.waiting[0].key
    through = settle(terraces, before, {"weariness": {ANN: 5}}, {key: roll}, fielded=(ANN,))
    numbers = [member.tracks["weariness"] for member in through.roster.members]
    assert numbers == [5, 1]


def test_a_second_step_for_a_tracker_leaves_what_the_first_did(circle: Book) -> None:
    before = gang_after(circle, kinds.Tracked(member=BEN, track="dread", to=1))
    steps = circle.campaign.steps
    place = next(number for number, one in enumerate(steps) if one.kind == "tracks")
    again = steps[place].model_copy(update={"key": "again"})
    campaign = circle.campaign.model_copy(
        update={"steps": (*steps[: place + 1], again, *steps[place + 1 :])}
    )
    through = settle(circle.changed(campaign=campaign), before, {"dread": {ANN: 3, BEN: 0}})
    assert [member.tracks for member in through.roster.members] == [{"dread": 1}, {"dread": 0}]


def test_a_table_begins_and_ends_with_the_numbers_that_last(circle: Book) -> None:
    roster = gang_after(circle, kinds.Tracked(member=ANN, track="dread", to=4))
    fighters = [
        TableFighter(circle, 1, str(who.id), "g", who.id, roster.figure(circle, who))
        for who in roster.members
    ]
    start = begin(circle.under({}), [1], fighters)
    assert [one.tracks["dread"] for one in start.figures] == [4, 0]
    evening = Evening(start)
    evening.tap("counted", figure=f"1.{BEN}", track="dread", by=2)
    evening.tap("counted", figure=f"1.{ANN}", track="dread", by=5)
    report = report_sides(start, evening.now, {1: "g"})[1]
    assert report.tracks == {"dread": {ANN: 6, BEN: 2}}


def test_a_version_without_the_tracker_drops_its_numbers(circle: Book) -> None:
    roster = gang_after(circle, kinds.Tracked(member=ANN, track="dread", to=4))
    older = circle.changed(tracks=(), edition="older")
    carried, losses = carry_over(circle, older, roster)
    assert carried.members[0].tracks == {}
    assert [(loss.kind, loss.member) for loss in losses] == [("track", ANN)]


def test_checker_wants_a_step_and_members_for_a_tracker_that_lasts() -> None:
    found = mistakes(tracks=[row("stress", lasts=True), row("fear", lasts=True, per="member")])
    assert found == {
        "tracks.0.lasts": ["is only used when counted per member"],
        "tracks.1.lasts": ["needs a step “tracks” after a game, with track = “fear”"],
    }
    steps = [told("rest", kind="tracks", track="fear")]
    found = mistakes(tracks=[row("fear", per="member")], campaign__steps=steps)
    assert "“fear” ends with the game: set “lasts” of this tracker" in str(found)


@pytest.mark.django_db
def test_pages_show_report_and_keep_dread(
    client: Client, players: list[User], circle: Book
) -> None:
    club = Club(circle, players[0], players)
    for name in ("The Ninth", "The Tenth"):
        club.found(name, recruit("caller", f"Ann of {name}"))
    won = Told(tracks={"dread": {"Ann of The Ninth": 3}})
    game = club.meet(1, "The Ninth", "The Tenth", won, Told())
    club.after(game, "The Ninth")
    gang = club.gang("The Ninth")
    assert [member.tracks for member in gang.roster.members] == [{"dread": 2}]
    client.force_login(players[0])

    def page(address: str) -> str:
        return html.unescape(client.get(address).content.decode())

    base = f"/gangs/{gang.pk}/"
    assert "Dread 2" in page(f"{base}sheet/")
    assert "Ann of The Ninth: Dread is now 3." in page(f"{base}history/")
    assert "Ann of The Ninth\u00a03" in page(game.get_absolute_url())
    again = page(reverse("campaigns:game-report", args=[game.pk]))
    assert "Dread at the end" in again


@pytest.fixture
def ninth(players: list[User], circle: Book) -> tuple[Club, Game]:
    """Return a campaign whose first gang has two games and post-games behind it, and the first.

    Ann leaves the first game with 3 and Ben with 2; in the second nobody says anything of Ann, and
    Ben ends with 4. After each game a point goes.
    """
    club = Club(circle, players[0], players)
    for name in ("The Ninth", "The Tenth"):
        club.found(name, recruit("caller", f"Ann of {name}"), recruit("sitter", f"Ben of {name}"))
    dread = {"Ann of The Ninth": 3, "Ben of The Ninth": 2}
    first = club.meet(1, "The Ninth", "The Tenth", Told(tracks={"dread": dread}), Told())
    club.after(first, "The Ninth")
    second = club.meet(
        2, "The Ninth", "The Tenth", Told(tracks={"dread": {"Ben of The Ninth": 4}}), Told()
    )
    lessons = {"insights Ben of The Ninth": "2"}
    club.after(second, "The Ninth", lessons, {"insights Ann of The Ninth": "mist"})
    return club, Game.objects.get(pk=first.pk)


def dread_of(club: Club) -> list[int]:
    return [member.tracks["dread"] for member in club.gang("The Ninth").roster.members]


@pytest.mark.django_db
def test_corrected_number_of_a_first_game_changes_the_later_ones(
    ninth: tuple[Club, Game], players: list[User]
) -> None:
    club, first = ninth
    assert dread_of(club) == [1, 3]
    sides = list(first.sides.all())
    account = results.account_of(first, sides)
    own = side_of(first, club.gang("The Ninth"))
    told = own.parsed_report.model_copy(update={"tracks": {"dread": {ANN: 6, BEN: 0}}})
    corrected = account.sides | {own.pk: replace(account.sides[own.pk], report=told)}
    results.decide(
        first,
        account=account.model_copy(update={"sides": corrected}),
        actor=players[0],
        expected_version=first.version,
        why="Ann saw more of it.",
        replays=True,
    )
    # Ann had 6, so 5 and then 4; Ben's second game says for itself what he had.
    assert dread_of(club) == [4, 3]
    gang = club.gang("The Ninth")
    assert writer.replay_roster(gang) == gang.roster


@pytest.mark.django_db
def test_numbers_that_last_come_back_from_files(
    ninth: tuple[Club, Game], players: list[User], circle: Book
) -> None:
    club, _first = ninth
    text = export_campaign(club.campaign)
    file = reading.read_file(text)
    again = importing.write_campaign(
        file,
        importer=players[0],
        own_place=file.names.index(players[0].username),
        token=uuid.uuid4(),
    )
    assert export_campaign(again) == text
    copy = Gang.objects.get(memberships__campaign=again, name="The Ninth")
    assert [member.tracks for member in copy.roster.members] == [{"dread": 1}, {"dread": 3}]
    # A gang's own file, too, which says that only a newer site knows it.
    alone = export_gang(club.gang("The Ninth"))
    assert json.loads(alone)["format_version"] == 3
    assert '"tracked"' in alone


@pytest.mark.django_db
def test_program_reports_numbers_that_last(players: list[User], circle: Book) -> None:
    club = Club(circle, players[0], players)
    for name in ("The Ninth", "The Tenth"):
        club.found(name, recruit("caller", f"Ann of {name}"))
    game = make_game(club.campaign, players[0], *map(club.gang, club.keys))
    program, path = reader(players[0], writes=True), f"/games/{game.pk}/report"
    body = simple_report(game, club.gang("The Ninth"), result="won")

    def sent(tracks: dict[str, dict[str, int]], status: int) -> dict[str, Any]:
        body["sides"][0]["tracks"] = tracks
        return send(program, path, body, status, If_Match="0")

    for tracks, place in (({"calm": {"2": 1}}, "calm.2"), ({"dread": {"2": 7}}, "dread.2")):
        wrong = sent(tracks, 422)["errors"]
        assert [row["place"] for row in wrong] == [f"sides.0.tracks.{place}"]
    told = sent({"dread": {"2": 3}}, 200)
    assert told["sides"][0]["tracks"] == {"dread": {"2": 3}}
    assert told["sides"][1]["tracks"] == {}
