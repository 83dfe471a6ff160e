"""Non-players in both games: as many as the gangs call for, later arrivals, and what they do."""

from __future__ import annotations

import html
import json
import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.report import Report
from campaigns.games.report_forms import ReportForms
from campaigns.models import Table
from campaigns.table import people, storage
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.roll import keep_dice, play_faces
from campaigns.table.folded import fold_table
from campaigns.table.people import name_nonplayers
from campaigns.table.report import table_account
from campaigns.table.taps import NONPLAYERS, TAPS_LIST, GameEnded, Out, TurnEnded
from gangs.engine import entries as kinds
from rules.book.model import Book
from rules.book.outfits import NonPlayer
from tests.campaigns.table.test_storage import pushed
from tests.games.club import Club, recruit
from tests.games.watchers import club_of_watchers
from tests.rules.small import mistakes, text, told
from tests.world.campaigns import make_game


def opened(club: Club, scenario: str) -> Table:
    """Open the table of a game of two gangs."""
    gangs = [club.gang(name) for name in club.keys]
    assert gangs[0].owner is not None
    game = make_game(club.campaign, gangs[0].owner, *gangs)
    game.scenario = scenario
    game.save()
    return storage.open_for(game, list(game.sides.select_related("gang__owner")))


def ranks(table: Table) -> list[str]:
    return [one.figure.rank for one in people.start_of(table).figures if one.side == NONPLAYERS]


@pytest.fixture
def parlour(players: list[User], circle: Book) -> Table:
    """A table with three dogs, and two more that come in turn 2."""
    club = Club(circle, players[0], players)
    for name in ("The Ninth", "The Tenth"):
        club.found(name, recruit("caller", f"Ann of {name}"))
    return opened(club, "parlour")


@pytest.mark.django_db
def test_dogs_come_by_gangs_and_turn(client: Client, parlour: Table, players: list[User]) -> None:
    assert ranks(parlour) == ["hound"] * 5
    assert fold_table(parlour).now.sides[NONPLAYERS].standing == 3
    client.force_login(players[0])

    def page() -> str:
        return html.unescape(client.get(parlour.get_absolute_url()).content.decode())

    first = page()
    assert "The pack: arrival" not in first and "Not here yet" in first
    storage.push(parlour, players[0], [pushed(TurnEnded(last=True))])
    second = page()
    assert "The pack: arrival" in second and "Bring all in (2)" in second
    taps = json.dumps([{"kind": "back", "figure": f"{NONPLAYERS}.{n}"} for n in (4, 5)])
    url = reverse("campaigns:table-taps", args=[parlour.pk])
    client.post(url, {"taps": taps, "turn": 2, "after": 1, "token": uuid.uuid4()})
    now = fold_table(parlour).now
    assert now.sides[NONPLAYERS].standing == 5
    assert "The pack: arrival" not in page()


@pytest.mark.django_db
def test_dice_page_says_what_a_dog_does(
    client: Client, parlour: Table, players: list[User]
) -> None:
    client.force_login(players[0])
    page = html.unescape(client.get(parlour.get_absolute_url()).content.decode())
    attempt = reverse("campaigns:table-attempt", args=[parlour.pk, "stray"])
    dog = f"{NONPLAYERS}.1"
    assert f"{attempt}?by={dog}" in page
    start, now = people.start_of(parlour), fold_table(parlour).now
    made = Attempt(dog, "stray")
    rolled = keep_dice(
        made, play_faces(made.question(start, now), ((5,),)), thrown=False, is_open=False
    )
    act = uuid.uuid4()
    storage.say(parlour, players[0], uuid.uuid4(), [rolled], act=act, after=0, turn=1)
    dice = client.get(reverse("campaigns:table-dice", args=[parlour.pk, act])).content.decode()
    assert "Runs to the nearest member and bites." in dice


@pytest.mark.django_db
def test_guards_come_by_members_and_heirs_by_worth_after_a_loss(
    client: Client, players: list[User], terraces: Book
) -> None:
    club = Club(terraces, players[0], players)
    club.found("South", recruit("elder", "Elder"), recruit("cousin", "Cousin"))
    club.found("North", recruit("elder", "Elder"), recruit("cousin", "Cousin"))
    gangs = [club.gang(name) for name in club.keys]
    game = make_game(club.campaign, players[0], *gangs)
    game.scenario = "slope"
    # Four members worth 60 grapes: before a table is open, too.
    assert list(name_nonplayers(game).values()) == ["Guard 1", "Guard 2", "Heir"]
    there = opened(club, "slope")
    assert ranks(there) == ["picker", "picker", "cousin"]
    assert fold_table(there).now.sides[NONPLAYERS].standing == 2
    who = people.start_of(there).figures[0].key
    storage.push(there, players[0], [pushed(Out(figure=who))])
    client.force_login(players[0])
    page = html.unescape(client.get(there.get_absolute_url()).content.decode())
    assert "Heir: arrival" in page and "Bring one in" in page and "Bring all in" not in page


def test_checker_names_what_a_number_of_nonplayers_may_read() -> None:
    ghosts = {"key": "ghost", "name": text("Ghost"), "rank": "fighter"}

    def scenario(**more: object) -> dict[str, object]:
        return told("night", victory=text("x"), nonplayers=[{**ghosts, **more}])

    place = "scenarios.0.nonplayers.0"
    found = mistakes(scenarios=[scenario(number="2 * table.gangs")])
    assert "table." in str(found[f"{place}.number"])
    found = mistakes(scenarios=[scenario(number=21)])
    assert found == {f"{place}.number": ["must be a number from 1 to 20"]}
    found = mistakes(scenarios=[scenario(arrives="by.life > 0", behaves="nothing")])
    assert f"{place}.arrives" in found and f"{place}.behaves" in found


@pytest.mark.django_db
def test_table_knows_the_gangs_own_and_fitted_items(players: list[User], circle: Book) -> None:
    club = Club(circle, players[0], players)
    own = kinds.ItemDeclared(name="Lamp", group="things", price=2)
    club.found(
        "The Ninth",
        recruit("caller", "Ann"),
        lambda computed, next_id: [own],
        lambda computed, next_id: [kinds.Bought(item="own-3", member=2)],
    )
    club.found("The Tenth", recruit("caller", "Bea"))
    table = opened(club, "parlour")
    assert ranks(table) == ["hound"] * 5


@pytest.mark.django_db
def test_figure_that_has_not_arrived_is_not_lost(parlour: Table) -> None:
    side = fold_table(parlour).now.sides[NONPLAYERS]
    assert (side.start, side.standing, side.lost) == (5, 3, 0)


@pytest.mark.django_db
def test_report_reads_the_nonplayers_once(
    players: list[User], terraces: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = Club(terraces, players[0], players)
    for name in ("South", "North", "West"):
        club.found(name, recruit("elder", "Elder"))
    gangs = [club.gang(name) for name in club.keys]
    game = make_game(club.campaign, players[0], *gangs)
    game.scenario = "slope"
    game.save()
    calls = []
    found = people.nonplayers_of
    monkeypatch.setattr(people, "nonplayers_of", lambda game: calls.append(1) or found(game))
    forms = ReportForms(game, list(game.sides.select_related("gang__owner")))
    assert [form.nonplayers for form in forms.side_forms] == [name_nonplayers(game)] * 3
    assert len(calls) == 2


@pytest.mark.django_db
def test_report_offers_nobody_who_never_came_to_the_table(
    client: Client, parlour: Table, players: list[User]
) -> None:
    """The last two dogs come in turn 2, and the game is over in turn 1."""
    game = parlour.game
    assert game is not None
    storage.push(parlour, players[0], [pushed(TurnEnded(last=False))])
    client.force_login(players[0])
    url = reverse("campaigns:game-report", args=[game.pk])

    def offered() -> set[int]:
        [form, _other] = client.get(url).context["forms"].side_forms
        return {*form.nonplayers}

    assert offered() == {1, 2, 3, 4, 5}, "the game may go on without taps"
    storage.push(parlour, players[0], [pushed(GameEnded(result="won", winner=1), n=2)])
    assert offered() == {1, 2, 3}
    side, _other = game.sides.order_by("pk")
    bitten = Report(fielded=(1,), marks={1: "out"}, by_nonplayers={1: 4})
    account = Account(
        result="won", played_on=game.played_on, sides={side.pk: SideAccount("winner", bitten)}
    )
    told = table_account(game, list(game.sides.all()))
    forms = ReportForms(game, list(game.sides.select_related("gang__owner")), account, table=told)
    assert {*forms.side_forms[0].nonplayers} == {1, 2, 3, 4}, "a report may know better"


# The houses of the watchers' game: one more shade for each turn, from the second on.
FOG = {
    "key": "fog",
    "name": text("Fog"),
    "rank": "shade",
    "number": "table.sides + 2 * table.turn",
    "arrives": "table.turn >= 2",
}


def with_fog(book: Book) -> Book:
    """Return the watchers' game with shades that come out of the fog in the cellar."""
    return book.changed(
        scenarios=tuple(
            one.model_copy(update={"nonplayers": (*one.nonplayers, NonPlayer.model_validate(FOG))})
            if one.key == "cellar"
            else one
            for one in book.scenarios
        )
    )


@pytest.mark.django_db
def test_number_of_arrivals_grows_with_the_turns(
    client: Client, players: list[User], vigil: Book
) -> None:
    club = club_of_watchers(with_fog(vigil), players[0], players, "Ash", "Birch")
    table = opened(club, "cellar")
    client.force_login(players[0])

    def page() -> str:
        return html.unescape(client.get(table.get_absolute_url()).content.decode())

    def bring(page: str, words: str) -> None:
        taps = re.findall(r'value="(\[[^\]]*\])"[^>]*>\s*' + re.escape(words), page)
        storage.push(table, players[0], [pushed(tap) for tap in TAPS_LIST.validate_json(taps[0])])

    # Three shades from the beginning; nobody counts with what may never come.
    side = fold_table(table).now.sides[NONPLAYERS]
    assert (side.start, side.standing, side.lost) == (3, 3, 0)
    first = page()
    assert "Fog: arrival" not in first
    assert len(re.findall(r'data-figure="[^"]*"\s+data-late="[^"]*" hidden', first)) == 20
    # Nobody who has not come can have taken anybody out.
    away = re.compile(r'\]" data-late="([^"]*)" hidden')
    assert len({*away.findall(first)}) == 20
    storage.push(table, players[0], [pushed(TurnEnded(last=True))])
    # 2 gangs + 2 x 2 turns = 6.
    bring(page(), "Bring all in (6)")
    side = fold_table(table).now.sides[NONPLAYERS]
    assert (side.start, side.standing, side.lost) == (9, 9, 0)
    second = page()
    assert "Fog: arrival" not in second
    assert len(re.findall(r'data-figure="[^"]*"\s+data-late="[^"]*" hidden', second)) == 14
    assert len({*away.findall(second)}) == 14
    storage.push(table, players[0], [pushed(TurnEnded(last=True), turn=2)])
    # 2 + 2 x 3 = 8, of which 6 are here.
    assert "Bring all in (2)" in page()


@pytest.mark.django_db
def test_any_player_acts_for_nonplayers_until_one_runs_them(
    players: list[User], vigil: Book
) -> None:
    club = club_of_watchers(vigil, players[0], players, "Ash", "Birch")
    table = opened(club, "cellar")
    ash, birch = Client(), Client()
    ash.force_login(players[0])
    birch.force_login(players[1])

    def page(client: Client) -> str:
        return html.unescape(client.get(table.get_absolute_url()).content.decode())

    def press(client: Client, words: str) -> None:
        [taps] = re.findall(r'value="(\[[^\]]*\])"[^>]*>' + re.escape(words), page(client))
        url = reverse("campaigns:table-taps", args=[table.pk])
        client.post(url, {"taps": taps, "turn": 1, "after": 0, "token": uuid.uuid4()})

    for client in (ash, birch):
        assert "Any player may act for them." in page(client)
    press(birch, "I run them")
    assert fold_table(Table.objects.get(pk=table.pk)).now.runner == 2
    assert "Run by Birch" in page(ash) and "I run them" in page(ash)
    assert page(birch).count('chip chip-accent">Mine') == 2
    assert page(ash).count('chip chip-accent">Mine') == 1
    press(birch, "I no longer run them")
    assert "Any player may act for them." in page(ash)


@pytest.mark.django_db
def test_player_alone_is_not_asked_who_runs_nonplayers(
    client: Client, players: list[User], vigil: Book
) -> None:
    club = club_of_watchers(vigil, players[0], players, "Ash")
    client.force_login(players[0])
    page = client.get(opened(club, "cellar").get_absolute_url()).content.decode()
    assert "Non-players" in page and "I run them" not in page


def test_checker_lets_only_arrivals_read_the_turn() -> None:
    def scenario(**more: object) -> dict[str, object]:
        row = {"key": "ghost", "name": text("Ghost"), "rank": "fighter", "number": "table.turn"}
        return told("night", victory=text("x"), nonplayers=[{**row, **more}])

    assert "scenarios.0.nonplayers.0.number" in mistakes(scenarios=[scenario()])
    # Only the expression is wrong.
    found = mistakes(scenarios=[scenario(arrives="table.none > 1")])
    assert found.keys() == {"scenarios.0.nonplayers.0.arrives"}


@pytest.mark.django_db
def test_number_that_divides_by_nothing_brings_nobody(players: list[User], vigil: Book) -> None:
    [cellar, *others] = vigil.scenarios
    shades = cellar.nonplayers[0].model_copy(update={"number": "6 // (table.sides - 2)"})
    cellar = cellar.model_copy(update={"nonplayers": (shades,)})
    book = vigil.changed(scenarios=(cellar, *others))
    club = club_of_watchers(book, players[0], players, "Ash", "Birch")
    assert ranks(opened(club, "cellar")) == []
