"""The story tells one act in one line, with one button to undo all of it."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Table, TableEntry
from campaigns.table import people, storage, taps
from campaigns.table.access import TableSeat
from campaigns.table.board import Board
from campaigns.table.fold import Folded, begin
from campaigns.table.pages.story import MOST_OWN, NEWEST, UNFOLDED, ActWords, brief
from campaigns.table.people import Names
from gangs.models import Gang
from tests.campaigns.table.attempts.test_views import duel_address, fields
from tests.campaigns.table.nights import GAME
from tests.campaigns.table.test_storage import opened, pushed
from tests.campaigns.table.test_undoing import answers, press, push
from tests.campaigns.table.test_views import pull_taps
from tests.rules.small import row
from tests.world.tables import Evening, game, start

AsUser = Callable[[User], Client]


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def folded(table: Table) -> Folded:
    return begin(people.start_of(table)).go_on(storage.log_of(table))


def lines(client: Client, table: Table) -> list[Any]:
    """All lines of the story, the newest first."""
    shown = client.get(table.get_absolute_url()).context
    return [*shown["newest"], *shown["earlier"]]


def own(client: Client, table: Table) -> list[str]:
    """The acts that the page's arrow may undo, the last one first."""
    found = GAME.search(client.get(table.get_absolute_url()).content.decode())
    assert found
    acts = [one["act"] for one in json.loads(found[1])["own"]]
    news = pull_taps(client, table, 0)
    assert news.status_code == 204 or [one["act"] for one in news.json()["own"]] == acts
    return acts


def duel(client: Client, table: Table) -> uuid.UUID:
    """Enter the result of a duel, which the server writes with its effects."""
    address = duel_address(table)
    data = fields(client.get(address).content.decode())
    data |= {"how": "say", "outcome": "out", "said": "out"}
    assert client.post(address.partition("?")[0], data).status_code == 302
    [act] = {*TableEntry.objects.values_list("act", flat=True)}
    return act


def test_attempt_is_one_line_that_either_player_undoes_with_one_press(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    before = folded(table).standing
    act = duel(as_user(alice), table)
    written = [one.tap for one in folded(table).acts[act]]
    assert len(written) > 2 and folded(table).standing != before
    for user in (alice, dora):
        client = as_user(user)
        [line] = lines(client, table)
        assert (line.act, line.is_struck, bool(line.results)) == (act, False, True)
        assert press(client, table, json.loads(line.change.taps)) == 302
        assert folded(table).standing == before
        [line] = lines(client, table)
        assert line.is_struck
        # The same line restores all of it.
        assert press(client, table, json.loads(line.change.taps)) == 302
        assert [one.tap for one in folded(table).acts[act]] == written
        assert folded(table).gone.keys().isdisjoint(one.key for one in folded(table).acts[act])


@pytest.mark.long
def test_arrow_knows_the_acts_that_the_server_wrote_for_its_player(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    hers, theirs = as_user(alice), as_user(dora)
    act = duel(hers, table)
    assert (own(hers, table), own(theirs, table)) == ([str(act)], [])
    undone = taps.Undone(act=act)
    assert push(hers, table, undone) == {}
    assert own(hers, table) == []


def test_arrow_knows_a_limited_number_of_acts(as_user: AsUser, table: Table, alice: User) -> None:
    notes = [pushed(taps.Note(text=f"{n}")) for n in range(MOST_OWN + 3)]
    storage.push(table, alice, notes)
    found = {f"{one.act}" for one in notes}
    acts = own(as_user(alice), table)
    assert len(acts) == MOST_OWN and {*acts} <= found


@pytest.mark.long
def test_arrow_leaves_dice_of_the_site_that_somebody_is_asked_about(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    client, address = as_user(alice), duel_address(table)
    data = fields(client.get(address).content.decode()) | {"how": "throw"}
    before = folded(table).standing
    assert client.post(address.partition("?")[0], data).status_code == 302
    [act] = own(client, table)
    assert push(client, table, taps.Undone(act=uuid.UUID(act))) == {}
    assert own(client, table) == []
    assert folded(table).standing != before
    agree, _refuse = answers(as_user(dora), table)
    press(as_user(dora), table, agree)
    assert folded(table).standing == before
    # Undone dice stay in the list of throws, and their page leads back to the table.
    page = client.get(reverse("campaigns:table-dice", args=[table.pk, act]))
    assert page.status_code == 302 and page["Location"] == table.get_absolute_url()


def test_game_page_lists_losses_in_their_order(
    campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    """Not in the order of the figures; a figure that came back left when it left again."""
    table = opened(campaign, alice, hers, theirs)
    first, second, third, *_rest = [one.key for one in people.start_of(table).figures]
    told: list[taps.AnyTap] = [taps.Out(figure=key) for key in (first, third, second)]
    told += [taps.Back(figure=first), taps.Out(figure=first)]
    storage.push(table, alice, [pushed(tap, n=n) for n, tap in enumerate(told, start=1)])
    assert folded(table).fallen == [third, second, first]
    sides = table.sides.select_related("gang__owner")
    names = people.name_everybody(table.book, people.people_of(table), sides).figures
    [(turn, lines)] = brief(Table.objects.get(pk=table.pk))
    assert turn == 1
    assert lines == [f"{names[key]} is out of action" for key in (third, second, first)]


def test_story_shows_three_lines_and_unfolds(as_user: AsUser, table: Table, alice: User) -> None:
    storage.push(table, alice, [pushed(taps.Note(text=f"{n}")) for n in range(NEWEST + 1)])
    html = as_user(alice).get(table.get_absolute_url()).content.decode()
    story = re.search(r'<div id="table-story">(.*?)</div>', html, re.DOTALL)
    assert story
    open_part, _details, folded_part = story[1].partition("<details")
    assert open_part.count("<li id=") == UNFOLDED
    assert folded_part.count("<li id=") == NEWEST - UNFOLDED


@pytest.mark.long
def test_part_of_an_act_that_an_older_page_struck_is_marked(
    as_user: AsUser, table: Table, alice: User
) -> None:
    figure, act = people.start_of(table).figures[0].key, uuid.uuid4()
    rows = [pushed(tap(figure=figure), act=act) for tap in (taps.Acted, taps.Out, taps.Back)]
    storage.push(table, alice, rows)
    client = as_user(alice)
    for place, wanted in ((0, [True, False, False]), (2, [True, False, True])):
        strike = taps.Struck(device=rows[place].device, device_seq=rows[place].n)
        assert push(client, table, strike) == {}
        [line] = lines(client, table)
        assert not line.is_struck
        assert [line.is_text_struck, *(struck for _text, struck in line.results)] == wanted
    # Undoing and restoring the act restores the part, too.
    for struck in (True, False):
        press(client, table, json.loads(line.change.taps))
        [line] = lines(client, table)
        assert line.is_struck == struck
    assert folded(table).gone.keys().isdisjoint(one.key for one in folded(table).acts[act])


def test_question_undoes_all_that_depends_on_an_undone_act_with_one_press(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    figure = people.start_of(table).figures[0].key
    phones = [uuid.uuid4(), uuid.uuid4()]
    before = folded(table).standing
    first = pushed(taps.Out(figure=figure), phones[0])
    storage.push(table, alice, [first])
    for tap in (taps.Back(figure=figure), taps.Out(figure=figure)):
        storage.push(table, dora, [pushed(tap, phones[1], after=1)])
    client = as_user(alice)
    assert push(client, table, taps.Undone(act=first.act)) == {}
    [question] = client.get(table.get_absolute_url()).context["questions"]
    assert "out of action" in unescape(question.text)
    press(client, table, json.loads(question.answers[1].taps))
    assert folded(table).standing == before
    assert client.get(table.get_absolute_url()).context["questions"] == []


def test_story_says_what_a_figure_drops_as_it_goes_out() -> None:
    load = row("load", per="member", start=2, when_out="lost")
    evening = Evening(start(game(tracks=[load])))
    gone = evening.tap("out", figure="1.2", by="2.1", act="blow")
    evening.tap("out", figure="1.3", act="blow")
    figures = {"1.1": "Ann", "1.2": "Bea", "1.3": "Cy", "2.1": "Dan"}
    names = Names(evening.start.book, {}, figures, {1: "A", 2: "B"})
    seat = TableSeat(Table(), taps=False, device=uuid.UUID(int=0), user=None, guest="")
    board = Board(seat, evening.folded, names, frozenset())
    told = ActWords(board).describe(evening.folded.acts[gone.act])
    assert told == [
        ("Dan takes Bea out of action", False),
        ("drops Load: 2", False),
        ("Cy is out of action", False),
        ("drops Load: 2", False),
    ]
