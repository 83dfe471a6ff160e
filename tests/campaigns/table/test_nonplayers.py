"""Non-players of a scenario at the table: a side without a gang, and nobody's enemy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Game, Table
from campaigns.table import people, storage, taps
from campaigns.table.access import TableSeat
from campaigns.table.attempts.actions import targets
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.board import load
from campaigns.table.folded import fold_table
from campaigns.table.pages import table_page
from campaigns.table.report import report_sides, table_account
from campaigns.table.taps import NONPLAYERS, AnyTap
from gangs.models import Gang
from tests.campaigns.table.test_storage import pushed
from tests.world.campaigns import make_game
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db
AsUser = Callable[[User], Client]
BOOK = "du-sang-sur-la-lame"
GUARDS = [f"{NONPLAYERS}.{number}" for number in (1, 2, 3)]


@pytest.fixture
def table(alice: User) -> Table:
    """A table with three guards whom nobody plays."""
    gangs = [make_gang(alice, BOOK), make_gang(alice, BOOK, name="The Watch")]
    return storage.open_alone(gangs, owner=alice, guest=None, token="t", scenario="convoy")


def tap(table: Table, user: User, *told: AnyTap) -> None:
    number = len(storage.log_of(table)) + 1
    storage.push(table, user, [pushed(one, n=n) for n, one in enumerate(told, start=number)])


def test_scenario_brings_its_figures(table: Table) -> None:
    start = people.start_of(table)
    guards = [one for one in start.figures if one.side == NONPLAYERS]
    assert [one.key for one in guards] == GUARDS
    assert {one.figure.rank for one in guards} == {"nonplayer"}
    assert [dict(one.tracks) for one in guards] == [{"wounds": 2}] * 3
    assert start.sides[NONPLAYERS] == {}


def test_dead_belong_to_nobody(alice: User) -> None:
    gangs = [make_gang(alice, "zombstone")]
    table = storage.open_alone(
        gangs, owner=alice, guest=None, token="dead", scenario="the_dead_walk"
    )
    start = people.start_of(table)
    ranks = [one.figure.rank for one in start.figures if one.side == NONPLAYERS]
    assert ranks == ["zombie"] * 6
    assert people.run_nonplayers(table, {}) == frozenset()


def test_other_scenarios_have_nobody(alice: User) -> None:
    gangs = [make_gang(alice, BOOK)]
    for token, scenario in (("a", "clash"), ("b", "")):
        table = storage.open_alone(gangs, owner=alice, guest=None, token=token, scenario=scenario)
        assert NONPLAYERS not in people.start_of(table).sides


def test_nonplayers_are_no_enemies(table: Table, alice: User) -> None:
    """They count for no alarm and for no number of enemies, and nothing is due for them."""
    start = people.start_of(table)
    tap(table, alice, *(taps.Out(figure=key, by="1.1") for key in GUARDS))
    found = fold_table(Table.objects.get(pk=table.pk))
    first = next(one.key for one in start.figures if one.side == 1)
    names = Attempt(first).names(found.start, found.now)
    assert names["enemy.start"] == names["enemy.standing"] == found.now.sides[2].start
    assert names["enemy.lost"] == 0 and names["table.sides"] == 2
    assert found.now.sides[NONPLAYERS].standing == 0
    assert not [due for due in found.now.due if str(due.who).split(".")[0] == str(NONPLAYERS)]


def test_felled_nonplayer_earns_no_credit(table: Table, alice: User) -> None:
    keys = [one.key for one in people.start_of(table).figures]
    tap(table, alice, taps.Out(figure=GUARDS[0], by=keys[0], mark="dead"))
    tap(table, alice, taps.Out(figure=keys[0], by=GUARDS[1], mark="dead"))
    found = fold_table(Table.objects.get(pk=table.pk))
    gangs = {one.side: one.gang for one in found.start.figures if one.side != NONPLAYERS}
    reports = report_sides(found.start, found.now, gangs)
    assert all(report.fielded for report in reports.values())
    assert not any(report.credits or report.counts for report in reports.values())
    fallen = next(one.member for one in found.start.figures if one.key == keys[0])
    assert [reports[number].by_nonplayers for number in (1, 2)] == [{fallen: 2}, {}]


def test_report_names_the_nonplayer_who_put_a_member_out(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    """From the table to the form, the sent report and the game's page."""
    game = make_game(campaign, alice, hers, theirs)
    Game.objects.filter(pk=game.pk).update(scenario="convoy")
    game = Game.objects.get(pk=game.pk)
    table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
    number = table.sides.get(gang=hers).number
    fallen = next(one for one in people.start_of(table).figures if one.side == number)
    out = taps.Out(figure=fallen.key, by=GUARDS[1], mark="dead")
    storage.push(
        table,
        alice,
        [pushed(out), pushed(taps.GameEnded(result="crushing", winner=3 - number), n=2)],
    )
    client = as_user(alice)
    address = reverse("campaigns:game-report", args=[game.pk])
    page = client.get(address).content.decode()
    assert "(by Guard of the convoy 2, turn 1)" in page
    forms = client.get(address).context["forms"]
    side = next(form for form in forms.side_forms if form.gang_key == str(hers.pk))
    assert side[f"credit-{fallen.member}"].initial == "nonplayer-2"


def test_nonplayers_are_targets_after_enemies(table: Table) -> None:
    found = fold_table(table)
    by, *own = [one.key for one in found.start.figures if one.side == 1]
    enemies = [one.key for one in found.start.figures if one.side == 2]
    assert targets(found.start, found.now, by) == (*enemies, *GUARDS, *own)


def test_pages_show_them_with_the_side_that_runs_them(
    as_user: AsUser, table: Table, alice: User
) -> None:
    client = as_user(alice)
    page = client.get(table.get_absolute_url()).content.decode()
    assert "Guard of the convoy 1" in page and "Run by " in page
    figure = client.get(reverse("campaigns:table-figure", args=[table.pk, GUARDS[0]]))
    assert figure.status_code == 200
    address = reverse("campaigns:table-attempt", args=[table.pk, "duel"])
    member = people.start_of(table).figures[0].key
    for by, at in ((GUARDS[0], member), (member, GUARDS[0])):
        assert client.get(f"{address}?by={by}&at={at}").status_code == 200
    assert client.get(reverse("campaigns:table-throws", args=[table.pk])).status_code == 200
    assert client.get(reverse("campaigns:table-story", args=[table.pk])).status_code == 200
    seat = TableSeat(
        table, taps=True, device=pushed(taps.Note(text="a")).device, user=alice.pk, guest=""
    )
    board = load(seat)
    assert board.runners == {2} and NONPLAYERS in board.mine
    assert board.gangs == [1, 2]
    assert "Non-players" not in table_page.title(board)
    winners = [button.words for button in table_page.endings(board)]
    assert not any("Non-players" in words for words in winners)


def test_nonplayers_win_no_game(table: Table, alice: User) -> None:
    tap(table, alice, taps.GameEnded(result="victory", winner=NONPLAYERS))
    found = fold_table(Table.objects.get(pk=table.pk))
    assert found.now.winner is None and found.now.unknown


def test_player_with_the_role_runs_them(
    campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    game = make_game(campaign, alice, hers, theirs)
    Game.objects.filter(pk=game.pk).update(scenario="convoy")
    game.sides.filter(gang=hers).update(role="militia")
    game.sides.filter(gang=theirs).update(role="renegades")
    game = Game.objects.get(pk=game.pk)
    table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
    militia = table.sides.get(gang=hers).number
    phone = pushed(taps.Note(text="a")).device
    for user, runs in ((alice, True), (dora, False)):
        board = load(TableSeat(table, taps=True, device=phone, user=user.pk, guest=""))
        assert board.runners == {militia}
        assert (NONPLAYERS in board.mine) == runs
    # The report knows both gangs and nobody else.
    storage.push(table, alice, [pushed(taps.Out(figure=GUARDS[0]))])
    account = table_account(game, list(game.sides.all()))
    assert account is not None and len(account.sides) == 2
