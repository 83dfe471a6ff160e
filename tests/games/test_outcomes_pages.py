"""Post-game pages of the game of terraces: rolls of the household, matching dice, gifts."""

from __future__ import annotations

import html
import json
import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from campaigns.engine.report import Report
from campaigns.models import Side
from campaigns.season.loading import load_season
from gangs.engine import entries as kinds
from gangs.engine.fold import no_books
from gangs.files.exporting import export_gang
from gangs.files.format import read_file, roster_of
from gangs.ledger import writer
from gangs.ledger.writer import replay_roster
from gangs.models import Gang
from printing.season.lives import life
from rules.book.model import Book
from rules.library import load
from tests.games.test_outcomes import COUSIN, ELDER, FIRST
from tests.world.campaigns import confirmed, make_game, reported, side_of

pytestmark = pytest.mark.django_db


class Household:
    """A household after a lost game with two baskets, and the browser of its player."""

    def __init__(self, book: Book, player: User, other: User) -> None:
        version, _is_new = load(book)
        campaign = joining.start(
            name="The wet year",
            version=version,
            settings={},
            notes="",
            organiser=player,
            token=uuid.uuid4(),
        )
        gangs = []
        for user in (player, other):
            gang = writer.found(version, FIRST, owner=user)
            joining.join(campaign, gang, actor=user, expected_version=gang.version)
            gangs.append(Gang.objects.get(pk=gang.pk))
        self.gang = gangs[0]
        everyone = tuple(one.id for one in self.gang.roster.members)
        # The first side wins.
        game = make_game(campaign, player, *reversed(gangs))
        report = Report(fielded=everyone, tallies={"baskets": 2})
        reports = {str(gangs[0].pk): report, str(gangs[1].pk): Report(fielded=everyone)}
        game = reported(game, player, result="won", reports=reports)
        self.side = side_of(confirmed(game, other), self.gang)
        self.browser = Client()
        self.browser.force_login(player)

    def url(self, name: str) -> str:
        return reverse(f"campaigns:{name}", args=[self.side.game_id, self.side.pk])

    def page(self, name: str = "postgame") -> str:
        said = self.browser.get(self.url(name))
        assert said.status_code == 200
        return re.sub(r"\s+", " ", html.unescape(said.content.decode()))

    def answer(self, act: str, **data: object) -> str:
        seen = Side.objects.get(pk=self.side.pk).draft_version
        sent = {"act": act, "seen": seen, **data}
        assert self.browser.post(self.url("postgame-answer"), sent).status_code == 302
        return self.page()

    def commit(self) -> Gang:
        side = Side.objects.get(pk=self.side.pk)
        sent = {"seen": side.draft_version, "seen_gang": self.gang.version}
        assert self.browser.post(self.url("postgame-commit"), sent).status_code == 302
        gang = Gang.objects.get(pk=self.gang.pk)
        assert replay_roster(gang) == gang.roster
        return gang


@pytest.fixture
def home(terraces: Book, alice: User, bob: User) -> Household:
    household = Household(terraces, alice, bob)
    for member in (ELDER, COUSIN):
        household.answer("choose", key=f"cellars:{member}", option="nothing")
    return household


@pytest.mark.long
def test_post_game_rolls_for_the_household_and_writes_its_gifts(home: Household) -> None:
    page = home.page()
    assert "<strong>The Upper Steps</strong> · <a" in page and "(4D6)" in page
    page = home.answer("typed", key="gleaning:gleanings:4d6", faces="2 5 2 5")
    assert "Forgotten rows, Steep steps" in page
    assert "<strong>The Upper Steps</strong> · Steep steps · Who gets it?" in page
    key = "gleaning:gleanings:4d6:1:0"
    page = home.answer("choose", key=key, option=COUSIN)
    assert "How much comes in?" in page and "(2D6 × 2 + 1)" in page
    page = home.answer("typed", key="gleaning:gleanings:4d6:0:0:2d6", faces="3 4")
    assert "= 15" in page
    assert "Bo: Arm +1 for good." in page
    page = home.answer("typed", key="weather:0:weather", faces="1")
    assert "<strong>The Upper Steps</strong> · Hail · What do you choose?" in page
    home.answer("choose", key="weather:0:weather:0", option="0")
    home.answer("typed", key="weather:1:weather", faces="6")
    home.answer("typed", key="weather:1:weather:0:1d6", faces="4")
    home.answer("finish", step="hiring")
    preview = home.page("postgame-preview")
    assert "Bo · Arm" in preview
    gang = home.commit()
    assert gang.roster.treasury == 55 + 4 + 5 - 6 + 15 - 2 + 4
    assert gang.roster.member(COUSIN).raised == {"arm": 1}
    history = html.unescape(
        home.browser.get(reverse("gangs:history", args=[gang.pk])).content.decode()
    )
    assert "The gang earned 15 grapes: Gleanings." in history
    assert "The gang paid 2 grapes." in history
    season = load_season(home.side.game.campaign_id).season
    assert "Improved in play: Arm." in life(season, str(gang.pk), COUSIN)


def test_post_game_says_when_no_dice_match_in_french(home: Household) -> None:
    home.browser.cookies["django_language"] = "fr"
    page = home.answer("typed", key="gleaning:gleanings:4d6", faces="1 2 3 4")
    assert "Aucun dé identique" in page and "Temps" in page


def test_history_form_adds_a_rise(terraces: Book, home: Household) -> None:
    gang = home.gang
    writer.append(
        gang,
        [kinds.Rose(member=COUSIN, characteristic="arm", amount=2)],
        expected_version=gang.version,
        actor=None,
    )
    gang = Gang.objects.get(pk=gang.pk)
    row = gang.entries.get(kind="rose")
    said = home.browser.get(reverse("gangs:edit-entry", args=[gang.pk, row.seq]))
    assert said.status_code == 200
    assert "Characteristic" in said.content.decode()


def test_rules_show_the_chances_of_matching_dice(terraces: Book, client: Client) -> None:
    load(terraces)
    page = html.unescape(client.get("/rules/terraces/tables/").content.decode())
    assert "2 dice or more with the same face" in page
    assert "6 dice" in page
    page = html.unescape(client.get("/rules/terraces/campaign/").content.decode())
    assert "1 for each: not Elder, those who took part" in page


def test_files_with_new_entries_name_a_newer_format_and_come_back(home: Household) -> None:
    old = export_gang(home.gang)
    assert json.loads(old)["format_version"] == 1
    home.answer("typed", key="gleaning:gleanings:4d6", faces="3 4 3 4")
    home.answer("typed", key="gleaning:gleanings:4d6:0:0:times:1d3", faces="2")
    for number in range(2):
        home.answer("typed", key=f"weather:{number}:weather", faces="6")
        home.answer("typed", key=f"weather:{number}:weather:0:1d6", faces="4")
    home.answer("finish", step="hiring")
    gang = home.commit()
    content = export_gang(gang).encode()
    assert json.loads(content)["format_version"] > 1
    roster = roster_of(gang.book, read_file(content), no_books)
    assert roster.members == gang.roster.members
    assert [owned.key for owned in roster.stash] == ["billhook", "billhook"]


@pytest.mark.long
def test_found_item_stays_with_its_bearer_when_the_post_game_is_corrected(home: Household) -> None:
    home.answer("typed", key="gleaning:gleanings:4d6", faces="3 4 3 4")
    home.answer("typed", key="gleaning:gleanings:4d6:0:0:times:1d3", faces="1")
    for number in range(2):
        home.answer("typed", key=f"weather:{number}:weather", faces="6")
        home.answer("typed", key=f"weather:{number}:weather:0:1d6", faces="4")
    home.answer("finish", step="hiring")
    gang = home.commit()
    (found,) = gang.roster.stash
    handed = kinds.Moved(item=found.id, member=COUSIN)
    writer.append(gang, [handed], expected_version=gang.version, actor=None)
    seen = Side.objects.get(pk=home.side.pk).draft_version
    assert home.browser.post(home.url("postgame-correct"), {"seen": seen}).status_code == 302
    # The sun brings more; the gleaning stays as it was.
    home.answer("correct", key="weather:0:weather:0:1d6")
    home.answer("typed", key="weather:0:weather:0:1d6", faces="6")
    home.gang = Gang.objects.get(pk=gang.pk)
    corrected = home.commit()
    assert corrected.roster.treasury == gang.roster.treasury + 2
    assert corrected.roster.member(COUSIN).items == (found,)
