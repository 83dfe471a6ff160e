"""Tables of a campaign for spreadsheets."""

from __future__ import annotations

import csv
import io
from datetime import date

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Attendance, Campaign
from campaigns.season.spreadsheets import BYTE_ORDER_MARK, TABLES, write_csv
from gangs.models import Gang
from tests.random_cases import one_soon
from tests.world.campaigns import confirmed, make_game, make_night, reported


def read(client: Client, campaign: Campaign, name: str, language: str = "en") -> list[list[str]]:
    """The rows of a table at the key of the feed, with its heading."""
    address = reverse("campaigns:csv", args=[campaign.watch_key, name])
    answer = client.get(address, {"lang": language})
    assert answer.status_code == 200 and answer["Content-Type"] == "text/csv; charset=utf-8"
    text = answer.content.decode()
    assert text.startswith(BYTE_ORDER_MARK)
    return [*csv.reader(io.StringIO(text.removeprefix(BYTE_ORDER_MARK)))]


@pytest.fixture
def played(campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang) -> Campaign:
    """A campaign with a confirmed game, and a night with an answer."""
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    night = make_night(campaign, place="=cmd|' /C calc'!A0")
    Attendance.objects.create(night=night, gang=hers, answer="yes")
    return campaign


def test_tables_have_the_campaign_s_numbers(played: Campaign) -> None:
    client = Client()
    heading, first, second = read(client, played, "standings")
    assert heading[:6] == ["Place", "Gang", "Player", "Won", "Drawn", "Lost"]
    assert [first[0], *first[2:6]] == ["1", "alice", "1", "0", "0"]
    assert [second[0], *second[2:6]] == ["2", "dora", "0", "0", "1"]
    games = read(client, played, "games")[1:]
    assert [(row[5], row[6]) for row in games] == [("alice", "won"), ("dora", "lost")]
    assert len({row[0] for row in games}) == 1 and date.fromisoformat(games[0][1])
    nights = read(client, played, "nights", "fr")
    assert nights[0][-1] == "Réponse"
    assert {(row[6], bool(row[7])) for row in nights[1:]} == {("alice", True), ("dora", False)}


@pytest.mark.parametrize("name", one_soon(TABLES))
def test_unchanged_table_is_not_sent_again(played: Campaign, name: str) -> None:
    address = reverse("campaigns:csv", args=[played.watch_key, name])
    known = Client().get(address)["ETag"]
    assert Client().get(address, headers={"if-none-match": known}).status_code == 304


def test_unknown_key_or_table_is_not_found(played: Campaign) -> None:
    for key, name in (("wrong", "games"), (played.watch_key, "secrets")):
        assert Client().get(reverse("campaigns:csv", args=[key, name])).status_code == 404


def test_text_never_begins_a_formula_and_numbers_stay_numbers(played: Campaign) -> None:
    rows = read(Client(), played, "nights")[1:]
    assert {row[3] for row in rows} == {"'=cmd|' /C calc'!A0"}
    texts = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "\n+1"]
    written = write_csv(["=h"], [[text] for text in texts])
    parsed = [*csv.reader(io.StringIO(written.removeprefix(BYTE_ORDER_MARK), newline=""))]
    assert [row[0] for row in parsed] == [f"'{text}" for text in ("=h", *texts)]
    assert write_csv(["n"], [[-1], [2.5], [None]]) == f'{BYTE_ORDER_MARK}n\r\n-1\r\n2.5\r\n""\r\n'


def test_page_lists_every_table(client: Client, played: Campaign, alice: User) -> None:
    client.force_login(alice)
    page = client.get(reverse("campaigns:spreadsheets", args=[played.pk])).content.decode()
    for name in TABLES:
        assert page.count(reverse("campaigns:csv", args=[played.watch_key, name])) == 2
