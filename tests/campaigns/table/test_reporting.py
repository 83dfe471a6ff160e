"""The report of a game is filled in from its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.engine.report import Credit
from campaigns.models import Campaign, Game, Side, Table
from campaigns.table import storage, taps
from gangs.models import Gang
from tests.campaigns.games.test_results import report_data
from tests.campaigns.table.test_storage import opened, pushed
from tests.world.campaigns import confirmed

AsUser = Callable[[User], Client]


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def tell(table: Table, actor: User, *told: taps.AnyTap, **more: Any) -> None:
    storage.push(table, actor, [pushed(tap, **more) for tap in told])


def game_of(table: Table) -> Game:
    assert table.game_id is not None
    return Game.objects.select_related("campaign").get(pk=table.game_id)


def test_report_begins_with_the_facts_of_the_table(
    as_user: AsUser, table: Table, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    game = game_of(table)
    book = game.campaign.book
    mark, tally = book.campaign.marks[0].key, next(
        (row.key for row in book.campaign.tallies if row.per == "gang" and not row.marks), None
    )  # fmt: skip
    mine, other = (gang.roster.members[1].id for gang in (hers, theirs))
    tell(table, dora, taps.Out(figure=f"2.{other}", by=f"1.{mine}", mark=mark), turn=3)
    if tally:
        tell(table, dora, taps.Tallied(side=1, tally=tally, by=2))
    tell(table, alice, taps.GameEnded(result="crushing", winner=1))
    client = as_user(alice)
    page = client.get(reverse("campaigns:game-report", args=[game.pk]))
    assert "Filled in from the table" in page.content.decode()
    summary = page.context["summary"]
    assert summary.outcome == f"Crushing victory · {hers.name} (alice) won"
    [(winner, _own), (loser, fallen)] = summary.sides
    assert (winner, loser) == (f"{hers.name} (alice)", f"{theirs.name} (dora)")
    assert len(fallen) == 1 and "turn 3" in fallen[0][1]
    client.post(page.request["PATH_INFO"], report_data(client, game))
    game.refresh_from_db()
    assert (game.status, game.result) == ("reported", "crushing")
    won, lost = Side.objects.filter(game=game).order_by("pk")
    assert (won.side, lost.side) == ("winner", "loser")
    assert lost.parsed_report.marks == {other: mark}
    assert lost.parsed_report.credits == {other: Credit(gang=str(hers.pk), member=mine)}
    assert lost.parsed_report.turns == {other: 3}
    assert won.parsed_report.taken_out() == 1
    assert won.parsed_report.fielded == tuple(member.id for member in hers.roster.members)
    if tally:
        assert won.parsed_report.tallies[tally] == 2
    assert confirmed(game, dora).status == "confirmed"


def test_report_without_a_winner_at_the_table_has_no_summary(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    """The player still has to say who won, so the form is not folded."""
    tell(table, dora, taps.GameEnded())
    page = as_user(alice).get(reverse("campaigns:game-report", args=[table.game_id]))
    assert page.context["by_table"] and page.context["summary"] is None
    assert "report-change" not in page.content.decode()


@pytest.mark.long
def test_correction_of_the_log_changes_the_filled_in_report(
    as_user: AsUser, table: Table, alice: User, theirs: Gang
) -> None:
    other = theirs.roster.members[1].id
    wrong = pushed(taps.Out(figure=f"2.{other}"))
    storage.push(table, alice, [wrong])
    address = reverse("campaigns:game-report", args=[table.game_id])

    def marked() -> set[str]:
        forms = as_user(alice).get(address).context["forms"]
        side = forms.side_forms[1]
        return {name for name in side.fields if name.startswith("mark-") and side[name].value()}

    assert marked() == {f"mark-{other}"}
    tell(table, alice, taps.Struck(device=wrong.device, device_seq=wrong.n))
    assert marked() == set()


@pytest.mark.long
def test_sent_report_is_overwritten_only_on_request(
    as_user: AsUser, table: Table, alice: User, theirs: Gang
) -> None:
    game, client = game_of(table), as_user(alice)
    address = reverse("campaigns:game-report", args=[game.pk])
    client.post(address, report_data(client, game))
    other = theirs.roster.members[1].id
    tell(table, alice, taps.Out(figure=f"2.{other}"))
    for query, filled in (("", False), ("?table", True)):
        page = client.get(address + query)
        assert page.context["by_table"] is filled
        marked = page.context["forms"].side_forms[1][f"mark-{other}"].value()
        assert bool(marked) is filled
    assert "?table" in client.get(address).content.decode()


@pytest.mark.long
def test_corrected_report_keeps_the_turns_of_the_table(
    as_user: AsUser, table: Table, alice: User, theirs: Gang
) -> None:
    """Attackers may be changed; a figure that never went out at the table has no turn."""
    game, client = game_of(table), as_user(alice)
    second, third, fourth = (member.id for member in theirs.roster.members[1:4])
    tell(table, alice, taps.Out(figure=f"2.{second}"), taps.Out(figure=f"2.{third}"), turn=2)
    data = report_data(client, game)
    side = Side.objects.filter(game=game).order_by("pk")[1]
    mark = game.campaign.book.campaign.marks[0].key
    data |= {f"side{side.pk}-mark-{third}": "", f"side{side.pk}-mark-{fourth}": mark}
    client.post(reverse("campaigns:game-report", args=[game.pk]), data)
    report = Side.objects.get(pk=side.pk).parsed_report
    assert (set(report.marks), report.turns) == ({second, fourth}, {second: 2})


def test_end_of_play_leads_to_the_report(as_user: AsUser, table: Table, alice: User) -> None:
    address = reverse("campaigns:table-taps", args=[table.pk])
    data = {"token": "t", "after": 0, "turn": 1, "taps": '[{"kind": "over"}]'}
    report = reverse("campaigns:game-report", args=[table.game_id])
    assert as_user(alice).post(address, data)["Location"] == report
