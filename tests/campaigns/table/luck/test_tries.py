"""Luck: hoped and feared outcomes of dice at the table and after a game, stored and shown."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.engine.report import About
from campaigns.models import Campaign, Game, Table, Throw
from campaigns.statistics.luck import GameLuck, Tries
from campaigns.statistics.records import luckiest
from campaigns.table import people, storage, taps
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.fold import fold
from campaigns.table.luck import tries
from campaigns.table.luck.tries import find_fates, luck_of, read_luck, tries_at, work_out
from common import background
from common.models import Job
from gangs.models import Gang
from rules.engine.dice import DiceRoll
from tests.campaigns.table.attempts.test_views import figures
from tests.campaigns.table.test_storage import opened, pushed
from tests.world.campaigns import confirmed, make_campaign, make_game, make_player, reported
from tests.world.gangs import POINTS, SLUGS, shipped
from tests.world.pasts import a_game, a_past, a_side

AsUser = Callable[[User], Client]
# Only snake eyes kill.
DEADLY, HARMLESS, CHANCE = (1, 1), (3, 4), 1 / 36


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def jump(table: Table, side: int, outcome: str, **more: Any) -> taps.Rolled:
    """A tap of a jump with visible dice."""
    by = figures(table, side)[0]
    return taps.Rolled(roll="jump", by=by, faces=((3, 4),), outcome=outcome, **more)


def chance_of(table: Table, side: int) -> float:
    """The probability that a jump succeeds."""
    start = people.start_of(table)
    now = fold(start, [])
    asked = Attempt(figures(table, side)[0], "jump").question(start, now)
    return float(asked.odds.outcomes["passed"])


def tell(table: Table, alice: User, *told: taps.AnyTap) -> None:
    for tap in told:
        row = pushed(tap).model_copy(update={"act": uuid.uuid4(), "device": uuid.uuid4()})
        storage.push(Table.objects.get(pk=table.pk), alice, [row])


def test_luck_compares_hoped_outcomes_with_their_chances(table: Table, alice: User) -> None:
    mine, theirs = chance_of(table, 1), chance_of(table, 2)
    assert 0 < mine < 1
    tell(
        table,
        alice,
        jump(table, 1, "passed", thrown=True),
        jump(table, 1, "failed"),
        jump(table, 2, "failed", by_phone=True),
        # Reported without dice, or changed by spending: the first dice are unknown.
        taps.Rolled(roll="jump", by=figures(table, 1)[0], outcome="passed"),
        jump(table, 1, "passed", spent=("luck",)),
        # Not a roll of this rulebook.
        taps.Rolled(roll="dance", by=figures(table, 1)[0], faces=((6,),), outcome="passed"),
    )
    found = tries_at(Table.objects.get(pk=table.pk))
    assert found == (
        (1, "app", mine, True),
        (1, "table", mine, False),
        (2, "phone", theirs, False),
    )


def test_luck_counts_undone_dice_only_of_the_site(table: Table, alice: User) -> None:
    """Also in logs older than agreed undos: their strikes count."""
    rolls = [{"thrown": True}, {}, {"by_phone": True}]
    tell(table, alice, *(jump(table, 1, "failed", **more) for more in rolls))
    for told in storage.log_of(table):
        tell(table, alice, taps.Struck(device=told.device, device_seq=told.device_seq))
    assert tries_at(Table.objects.get(pk=table.pk)) == ((1, "app", chance_of(table, 1), False),)


def test_luck_counts_the_first_dice_of_an_act(table: Table, alice: User) -> None:
    """Spending changes the outcome, but not the luck."""
    act = uuid.uuid4()
    for number, tap in enumerate(
        [jump(table, 1, "failed", open=True), jump(table, 1, "passed", spent=("luck",))]
    ):
        row = pushed(tap).model_copy(update={"act": act, "n": number + 1})
        storage.push(Table.objects.get(pk=table.pk), alice, [row])
    [found] = tries_at(Table.objects.get(pk=table.pk))
    assert found == (1, "table", chance_of(table, 1), False)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_game_marks_hoped_outcomes(slug: str) -> None:
    """Some rolls have hoped outcomes, and no roll has only hoped outcomes."""
    for row in shipped(slug).roll.values():
        hoped = {outcome.key for outcome in row.outcomes if outcome.hoped}
        assert len(hoped) < max(1, len(row.outcomes)), row.key
    assert sum(any(one.hoped for one in row.outcomes) for row in shipped(slug).roll.values()) >= 5


def test_luck_counts_deadly_injury_rolls(alice: User, bob: User, dora: User) -> None:
    """Of the injury table's 36 throws a single throw kills; results that lead to another table are
    counted there."""
    campaign = make_campaign(bob, POINTS)
    game = make_game(campaign, alice, make_player(campaign, alice), make_player(campaign, dora))
    side = game.sides.order_by("pk")[1]

    def thrown(faces: tuple[int, int], **more: Any) -> Throw:
        injury = shipped(POINTS).table["injury"]
        roll = DiceRoll(dice=injury.dice, faces=faces, thrown_by=more.pop("by", "app"))
        about = About(table=injury.key).model_dump(mode="json")
        return Throw(side=side, about=about, roll=roll.model_dump(mode="json"), **more)

    throws = [
        thrown(DEADLY),
        thrown(HARMLESS, by="table"),
        # A wrongly typed roll.
        thrown(DEADLY, by="table", taken_back_at=timezone.now()),
        Throw(side=side, about={}, roll=thrown(DEADLY).roll),
        thrown(DEADLY, taken_back_at=timezone.now()),
    ]
    assert [*find_fates(campaign.book, throws)] == [
        (side.pk, "app", CHANCE, True),
        (side.pk, "table", CHANCE, False),
        (side.pk, "app", CHANCE, True),
    ]


def test_luck_is_computed_once_and_again_after_a_change(
    table: Table, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    mine = chance_of(table, 1)
    tell(table, alice, jump(table, 1, "passed", thrown=True), jump(table, 2, "failed"))
    game = Game.objects.get(table=table)
    assert work_out() == 0  # nobody has agreed on it yet
    game = confirmed(reported(game, alice), dora)
    assert work_out() == 1 and work_out() == 0
    game = Game.objects.get(pk=game.pk)
    assert read_luck(game) == luck_of(game)
    assert read_luck(game).tries[0] == Tries(
        side=0, what="attempt", source="app", chances=(round(mine, 5),), came=1
    )
    Game.objects.update(luck_at=None)
    assert work_out() == 1


def test_an_unreadable_game_holds_up_no_other(
    alice: User, bob: User, dora: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make_campaign(bob, POINTS)
    players = make_player(campaign, alice), make_player(campaign, dora)
    older, newer = (make_game(campaign, alice, *players) for _number in range(2))
    Game.objects.update(status=Game.Status.CONFIRMED, result="crushing")

    def read(game: Game) -> GameLuck:
        if game == older:
            raise LookupError("no such roll")
        return GameLuck()

    monkeypatch.setattr(tries, "luck_of", read)
    with pytest.raises(ExceptionGroup) as raised:
        work_out()
    [error] = raised.value.exceptions
    assert isinstance(error, LookupError) and str(older.pk) in error.__notes__[0]
    assert [*Game.objects.filter(luck_at=None)] == [older]
    assert Game.objects.get(pk=newer.pk).luck_at is not None


def test_unreadable_games_hold_up_no_later_run(
    alice: User, bob: User, dora: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that an import made in the same moment."""
    campaign = make_campaign(bob, POINTS)
    players = make_player(campaign, alice), make_player(campaign, dora)
    for _number in range(5):
        make_game(campaign, alice, *players)
    Game.objects.update(status=Game.Status.CONFIRMED, result="crushing", created_at=timezone.now())
    unreadable = list(Game.objects.order_by("pk")[:4])

    def read(game: Game) -> GameLuck:
        if game in unreadable:
            raise LookupError("no such roll")
        return GameLuck()

    monkeypatch.setattr(tries, "luck_of", read)
    monkeypatch.setattr(tries, "AT_ONCE", 2)
    monkeypatch.setattr(background, "_works", {})
    lane = background.Lane("luck")
    background.every(30, "luck", lane)(work_out)

    def run() -> Job:
        Job.objects.update(next_at=timezone.now())
        background.carry_out(lane)
        return Job.objects.get()

    assert [background.backlog_of(run()) for _run in range(3)] == [5, 5, 4]
    assert set(Game.objects.filter(luck_at=None)) == set(unreadable)
    # They are tried again, in turn.
    unreadable.clear()
    assert [background.backlog_of(run()) for _run in range(3)] == [2, 0, 0]


@pytest.mark.long
def test_chronicle_and_records_show_luck(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    tell(table, alice, jump(table, 1, "passed", thrown=True), jump(table, 2, "failed"))
    game = confirmed(reported(Game.objects.get(table=table), alice), dora)
    client, campaign = as_user(alice), game.campaign
    pages = [reverse(f"campaigns:{name}", args=[campaign.pk]) for name in ("chronicle", "records")]
    for page in pages:
        assert "Luck with the dice" not in client.get(page).content.decode()
    assert work_out() == 1
    chronicle, records = (client.get(page).content.decode() for page in pages)
    assert (
        "as hoped 1 out of 1, expected" in chronicle
        and "as hoped 0 out of 1, expected" in chronicle
    )
    assert "rolled here" in records and "rolled at the table" in records


def test_spoiled_luck_breaks_no_page(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    game = confirmed(reported(Game.objects.get(table=table), alice), dora)
    assert work_out() == 1
    for spoiled in ([], {"tries": [{"side": -1}]}, "luck", {"tries": 7}):
        Game.objects.filter(pk=game.pk).update(luck=spoiled)
        assert read_luck(Game.objects.get(pk=game.pk)).tries == ()
    address = reverse("campaigns:game-throws", args=[game.pk])
    assert as_user(alice).get(address).status_code == 200


def test_records_list_the_luckiest_of_a_season() -> None:
    def tried(side: int, came: int, **more: Any) -> Tries:
        return Tries(side=side, what="attempt", source="app", chances=(0.5,) * 4, came=came)

    season = a_past(
        shipped(SLUGS[0]),
        a_game(1, a_side("reds"), a_side("blues", "loser")),
        a_game(2, a_side("blues"), a_side("reds", "loser")),
    )
    games = [
        type(game)(**{**vars(game), "luck": GameLuck(tries=(tried(0, first), tried(1, second)))})
        for game, (first, second) in zip(season.games, ((4, 1), (2, 3)), strict=True)
    ]
    season = type(season)(rules=season.rules, games=tuple(games))
    found = [(row.name, row.luck.tries, row.luck.came) for row in luckiest(season)]
    assert found == [("Reds", 8, 7), ("Blues", 8, 3)]
