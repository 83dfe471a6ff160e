"""Tables of a campaign for spreadsheets."""

from __future__ import annotations

import csv
import html
import io
import re
from datetime import date

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.engine.report import Report
from campaigns.models import Attendance, Campaign
from campaigns.postgames import drafts
from campaigns.season.spreadsheets import TABLES
from common.spreadsheets import BYTE_ORDER_MARK, STYLES, read_cell, write_csv
from gangs.models import Gang
from tests.random_cases import one_soon
from tests.world.campaigns import (
    answered,
    confirmed,
    make_game,
    make_night,
    make_player,
    make_stage,
    reported,
    side_of,
)


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


def test_nights_take_as_many_queries_for_many(played: Campaign) -> None:
    counts = []
    read(Client(), played, "nights")
    for more in (1, 4):
        for _night in range(more):
            make_night(played)
        with CaptureQueriesContext(connection) as seen:
            rows = read(Client(), played, "nights")[1:]
        counts.append(len(seen))
    assert counts[0] == counts[1]
    assert [bool(row[7]) for row in rows].count(True) == 1 and len(rows) == 12


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


def test_semicolons_separate_columns_where_numbers_have_a_comma() -> None:
    written = write_csv(["n", "text"], [[2.5, "1.5"], [-1, "a;b"]], STYLES["semicolon"])
    assert written == f'{BYTE_ORDER_MARK}n;text\r\n2,5;1.5\r\n-1;"a;b"\r\n'


@pytest.mark.parametrize("text", ["=1+1", " -1", "'=1", "Crows", "'til dawn", ""])
def test_cell_is_read_as_it_was_before_it_was_written(text: str) -> None:
    written = write_csv([text], []).removeprefix(BYTE_ORDER_MARK)
    ((cell,),) = csv.reader(io.StringIO(written))
    assert read_cell(cell) == text


@pytest.mark.parametrize(("language", "separator"), [("fr", ";"), ("en", ",")])
def test_page_offers_the_signs_of_the_language_and_the_others(
    client: Client, played: Campaign, alice: User, language: str, separator: str
) -> None:
    client.force_login(alice)
    address = reverse("campaigns:spreadsheets", args=[played.pk])
    heading = {}
    for query in ("", "?separator=comma", "?separator=semicolon", "?separator=x"):
        page = client.get(f"{address}{query}", headers={"accept-language": language})
        found = re.search(r'href="([^"]*/games\.csv[^"]*)" download', page.content.decode())
        assert found is not None
        heading[query] = client.get(html.unescape(found[1])).content.decode().splitlines()[0]
    assert heading[""] == heading["?separator=x"] and heading[""].count(separator) == 12
    assert heading["?separator=comma"].count(",") == 12
    assert heading["?separator=semicolon"].count(";") == 12


def test_addresses_of_earlier_versions_keep_their_signs(played: Campaign) -> None:
    address = reverse("campaigns:csv", args=[played.watch_key, "games"])
    for query in ("", "?lang=fr", "?lang=fr&separator=x"):
        content = Client().get(f"{address}{query}").content.decode()
        assert content.splitlines()[0].count(",") == 12


def test_games_name_their_stage_and_round(
    campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    make_stage(campaign, hers, theirs)
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)
    heading, *games = read(Client(), campaign, "games")
    assert heading[-2:] == ["Stage", "Round of the stage"]
    assert sorted(row[-2:] for row in games) == [["", ""]] * 2 + [["Autumn", "1"]] * 2


def test_members_are_complete_before_the_first_game(
    campaign: Campaign, hers: Gang, theirs: Gang
) -> None:
    rows = read(Client(), campaign, "members")[1:]
    wanted = [
        (user, member.name)
        for gang, user in ((hers, "alice"), (theirs, "dora"))
        for member in gang.roster.members
    ]
    assert sorted((row[1], row[2]) for row in rows) == sorted(wanted)
    assert {row[5] for row in rows} == {"0"} and {row[4] for row in rows} == {""}
    # The later recruits of a gang that has left are no part of this campaign.
    campaign.memberships.filter(gang=hers).update(left_at=timezone.now())
    assert {row[1] for row in read(Client(), campaign, "members")[1:]} == {"dora"}


def test_members_are_listed_once_after_a_game(campaign: Campaign, alice: User, dora: User) -> None:
    gangs = [make_player(campaign, user) for user in (alice, dora)]
    first = gangs[0].roster.members[0]
    reports = {str(gangs[0].pk): Report(fielded=(first.id,))}
    game = confirmed(reported(make_game(campaign, alice, *gangs), alice, reports=reports), dora)
    side = answered(side_of(game, gangs[0]))
    assert side.gang is not None
    seen = side.draft_version, side.gang.version
    drafts.commit(side, seen_draft=seen[0], seen_gang=seen[1], actor=alice)
    rows = [row for row in read(Client(), campaign, "members")[1:] if row[1] == "alice"]
    members = Gang.objects.get(pk=gangs[0].pk).roster.members
    assert sorted(row[2] for row in rows) == sorted(member.name for member in members)
    assert [row[2] for row in rows if row[5] == "1"] == [first.name]


def test_page_lists_every_table(client: Client, played: Campaign, alice: User) -> None:
    client.force_login(alice)
    page = client.get(reverse("campaigns:spreadsheets", args=[played.pk])).content.decode()
    for name in TABLES:
        assert page.count(reverse("campaigns:csv", args=[played.watch_key, name])) == 2
