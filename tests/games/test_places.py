"""Holdings in a campaign: one holder at a time, captures, corrections, pages."""

from __future__ import annotations

import json
import uuid
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns import holders
from campaigns.club.people import joining
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.report import Capture, Report
from campaigns.games import results
from campaigns.models import Campaign, Game
from campaigns.postgames import correction, drafts
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine import holdings
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.files.exporting import export_gang
from gangs.files.format import read_file
from gangs.files.importing import write_gang
from gangs.ledger import writer
from gangs.models import Gang
from printing.sheets import roster as sheet
from rules.book.model import Book
from rules.library import load
from tests.random_cases import one_soon
from tests.world.campaigns import answered, confirmed, make_game, side_of

FIRST = "won"


@pytest.fixture
def dora(db: None) -> User:
    """Return the player of the second household."""
    return User.objects.create_user("dora", "dora@example.org", "correct horse battery")


@pytest.fixture
def campaign(terraces: Book, bob: User) -> Campaign:
    """Return a campaign of households, run by bob."""
    version = load(terraces)[0]
    return joining.start(
        name="The slope", version=version, settings={}, notes="", organiser=bob, token=uuid.uuid4()
    )


def _household(campaign: Campaign, user: User, name: str, *more: Entry) -> Gang:
    people = [kinds.Recruited(rank="elder"), kinds.Recruited(rank="picker", name="Luc")]
    entries = [kinds.Founded(name=name, settings={}), *people, *more]
    gang = writer.found(campaign.book_version, entries, owner=user)
    joining.join(campaign, gang, actor=user, expected_version=gang.version)
    return Gang.objects.get(pk=gang.pk)


@pytest.fixture
def hers(campaign: Campaign, alice: User) -> Gang:
    """Return alice's household, which holds the south terrace."""
    return _household(campaign, alice, "Aubert", kinds.HoldingGained(holding="south", paid=8))


@pytest.fixture
def theirs(campaign: Campaign, dora: User) -> Gang:
    """Return dora's household."""
    return _household(campaign, dora, "Bertin")


def _take(gang: Gang, key: str, name: str = "") -> None:
    computed = ComputedGang.of(gang.book, gang.roster)
    entries = holdings.take(computed, key, name)
    writer.append(gang, entries, expected_version=gang.version, actor=gang.owner)


def _report(game: Game, winner: Gang, *captures: Capture) -> Account:
    sides = {}
    for side in game.sides.select_related("gang"):
        assert side.gang is not None
        wins = side.gang == winner
        fielded = tuple(member.id for member in side.gang.roster.members)
        report = Report(fielded=fielded, captures=captures if wins else ())
        sides[side.pk] = SideAccount("winner" if wins else "loser", report)
    return Account(result="won", played_on=game.played_on, sides=sides)


def _south(gang: Gang) -> Capture:
    place = next(held.id for held in gang.roster.holdings if held.key == "south")
    return Capture(gang=str(gang.pk), place=place, holding="south")


def _captured(campaign: Campaign, hers: Gang, theirs: Gang) -> Game:
    """Return a game in which the second household took the south terrace; both have agreed."""
    assert theirs.owner is not None and hers.owner is not None
    game = make_game(campaign, theirs.owner, theirs, hers)
    account = _report(game, theirs, _south(hers))
    results.report(game, account, actor=theirs.owner, expected_version=game.version)
    return confirmed(Game.objects.get(pk=game.pk), hers.owner)


def _play(game: Game, gang: Gang) -> Gang:
    side = answered(side_of(game, gang))
    side = side_of(game, gang)
    gang = Gang.objects.get(pk=gang.pk)
    assert gang.owner is not None
    drafts.commit(
        side,
        seen_draft=side.draft_version,
        seen_gang=gang.version,
        actor=gang.owner,
        reason="again",
    )
    return Gang.objects.get(pk=gang.pk)


def _held(gang: Gang) -> list[str]:
    return [held.key for held in Gang.objects.get(pk=gang.pk).roster.holdings]


def _holders(campaign: Campaign) -> dict[str, list[str]]:
    return {
        line.row.key: [gang.name for gang, _name in line.holders]
        for line in holders.list_places(campaign)
    }


def test_taking_is_refused_while_another_gang_of_the_campaign_has_the_place(
    hers: Gang, theirs: Gang
) -> None:
    with pytest.raises(Refusal) as refused:
        _take(theirs, "south")
    assert (refused.value.code, refused.value.values["gang"]) == ("holding_held", "Aubert")
    assert _held(theirs) == []
    _take(theirs, "steep")
    assert _held(theirs) == ["steep"]


def test_shared_holdings_are_held_by_several_gangs(hers: Gang, theirs: Gang) -> None:
    _take(hers, "press", "Old Screw")
    _take(theirs, "press")
    assert _held(hers) == ["south", "press"] and _held(theirs) == ["press"]


def test_join_is_refused_with_a_place_that_another_gang_has(
    campaign: Campaign, hers: Gang, dora: User
) -> None:
    with pytest.raises(Refusal, match="holding_held"):
        _household(campaign, dora, "Bertin", kinds.HoldingGained(holding="south", paid=8))


@pytest.mark.parametrize("winner_first", one_soon([True, False]))
def test_capture_passes_the_place_on_whoever_plays_first(
    campaign: Campaign, hers: Gang, theirs: Gang, winner_first: bool
) -> None:
    game = _captured(campaign, hers, theirs)
    assert _holders(campaign)["south"] == ["Bertin"]
    for gang in (theirs, hers) if winner_first else (hers, theirs):
        _play(game, gang)
    assert _held(hers) == [] and _held(theirs) == ["south"]
    assert _holders(campaign) == {"south": ["Bertin"], "steep": [], "spring": []}
    # 100 to found, 25 for people and 8 for the terrace; then the result, income, and wages.
    money = {gang.name: gang.roster.treasury for gang in Gang.objects.all()}
    assert money == {"Aubert": 67 + 4 - 2, "Bertin": 75 + 10 + 3 - 2}


def test_place_that_a_winner_is_to_get_cannot_be_taken_meanwhile(
    campaign: Campaign, hers: Gang, theirs: Gang, charlie: User
) -> None:
    third = _household(campaign, charlie, "Colin")
    _captured(campaign, hers, theirs)
    with pytest.raises(Refusal) as refused:
        _take(third, "south")
    assert refused.value.values["gang"] == "Bertin"


def test_place_is_captured_once(campaign: Campaign, hers: Gang, theirs: Gang, dora: User) -> None:
    _captured(campaign, hers, theirs)
    second = make_game(campaign, dora, theirs, hers)
    account = _report(second, theirs, _south(hers))
    with pytest.raises(Refusal, match="holding_captured"):
        results.report(second, account, actor=dora, expected_version=second.version)


@pytest.mark.long
def test_correction_of_a_capture_opens_both_post_games(
    campaign: Campaign, hers: Gang, theirs: Gang, bob: User
) -> None:
    game = _captured(campaign, hers, theirs)
    for gang in (theirs, hers):
        _play(game, gang)
    game = Game.objects.get(pk=game.pk)
    account = _report(game, theirs)
    results.decide(
        game, actor=bob, expected_version=game.version, account=account, why="It was dark"
    )
    assert side_of(game, hers).correcting and side_of(game, theirs).correcting
    for gang in (hers, theirs):
        _play(game, gang)
    assert _held(hers) == ["south"] and _held(theirs) == []
    assert _holders(campaign)["south"] == ["Aubert"]


@pytest.mark.long
def test_captured_place_keeps_its_number_when_the_post_game_is_played_again(
    campaign: Campaign, hers: Gang, theirs: Gang, dora: User
) -> None:
    game = _captured(campaign, hers, theirs)
    (held,) = _play(game, theirs).roster.holdings
    writer.append(
        Gang.objects.get(pk=theirs.pk),
        [kinds.HoldingLost(place=held.id)],
        expected_version=Gang.objects.get(pk=theirs.pk).version,
        actor=dora,
    )
    side = side_of(game, theirs)
    correction.begin_correction(side, expected_version=side.draft_version)
    # The later entry names the place by its number, and still fits.
    assert _play(game, theirs).roster.holdings == ()
    gained = theirs.entries.live().get(kind="holding_gained")
    assert gained.number == held.id and gained.seq != held.id


def test_file_of_a_gang_with_holdings_names_format_2_and_comes_back(
    hers: Gang, theirs: Gang, alice: User
) -> None:
    text = export_gang(hers)
    assert json.loads(text)["format_version"] == 2
    found = write_gang(hers.book_version, read_file(text.encode()), owner=alice)
    assert [held.key for held in found.roster.holdings] == ["south"]


@pytest.mark.long
def test_reported_capture_is_shown_and_agreed_in_the_browser(
    campaign: Campaign, hers: Gang, theirs: Gang, alice: User, dora: User
) -> None:
    game = make_game(campaign, dora, theirs, hers)
    browser = Client()
    browser.force_login(dora)
    url = reverse("campaigns:game-report", args=[game.pk])
    assert "South terrace, from Aubert" in browser.get(url).content.decode()
    south = _south(hers)
    winner, loser = side_of(game, theirs), side_of(game, hers)
    data: dict[str, Any] = {
        "seen": game.version,
        "winner": str(loser.pk),
        "played_on": "2026-05-01",
        "captures": f"{south.gang}:{south.place}",
    }
    for side in (winner, loser):
        assert side.gang is not None
        data |= {f"side{side.pk}-in-{one.id}": "on" for one in side.gang.roster.members}
    refused = browser.post(url, data)
    assert refused.status_code == 422
    assert "The winner already holds this." in refused.content.decode()
    answer = browser.post(url, data | {"winner": str(winner.pk)}, follow=True)
    assert "South terrace" in answer.content.decode()
    assert side_of(game, theirs).parsed_report.captures == (south,)
    # The form shows it again, and its other half waits for the other player.
    confirmed(Game.objects.get(pk=game.pk), alice)
    assert _holders(campaign)["south"] == ["Bertin"]


def test_pages_show_holdings(
    campaign: Campaign, hers: Gang, theirs: Gang, alice: User, dora: User
) -> None:
    browser = Client()
    browser.force_login(dora)
    page = browser.get(theirs.get_absolute_url()).content.decode()
    assert "The gang holds nothing yet." in page and "Steep terrace" in page
    url = reverse("gangs:holdings", args=[theirs.pk])
    named = {"version": theirs.version, "token": "a", "claim": "press", "name": "Old Screw"}
    assert "Old Screw" in browser.post(url, named, follow=True).content.decode()
    theirs.refresh_from_db()
    taken = browser.post(url, {"version": theirs.version, "token": "b", "claim": "south"})
    assert taken.status_code == 422
    assert "Aubert already has South terrace." in taken.content.decode()
    for name in ("sheet", "history", "prints"):
        assert browser.get(reverse(f"gangs:{name}", args=[theirs.pk])).status_code == 200
    assert "Old Screw" in browser.get(reverse("gangs:sheet", args=[theirs.pk])).content.decode()
    assert (
        "Old Screw (Press)"
        in browser.get(reverse("gangs:history", args=[theirs.pk])).content.decode()
    )
    shown = browser.get(campaign.get_absolute_url()).content.decode()
    assert "South terrace" in shown and "Bertin (Old Screw)" in shown
    (held,) = Gang.objects.get(pk=theirs.pk).roster.holdings
    theirs.refresh_from_db()
    gone = {"version": theirs.version, "token": "c", "give_up": held.id}
    browser.post(url, gone, follow=True)
    assert _held(theirs) == []


def test_printed_sheet_lists_holdings(hers: Gang) -> None:
    html = sheet.job(hers, sheet.SheetOrder("en")).html
    assert "South terrace</b>" in html and "Sun until the evening." in html


def test_post_game_asks_for_upkeep_and_shows_the_capture(
    campaign: Campaign, hers: Gang, theirs: Gang, dora: User
) -> None:
    game = _captured(campaign, hers, theirs)
    side = side_of(game, theirs)
    browser = Client()
    browser.force_login(dora)
    url = reverse("campaigns:postgame", args=[game.pk, side.pk])
    post = reverse("campaigns:postgame-answer", args=[game.pk, side.pk])
    looks = {"seen": side.draft_version, "act": "choose", "key": "cellars:2", "option": "nothing"}
    browser.post(post, looks)
    side.refresh_from_db()
    page = browser.get(url).content.decode()
    assert "The gang captured South terrace from Aubert." in page
    assert "Wages" in page and "Do not pay" in page
    data = {"seen": side.draft_version, "act": "choose", "option": "unpaid"}
    browser.post(post, data | {"key": "wages:wages:3"})
    assert "Luc left the gang: Emigrated." in browser.get(url).content.decode()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_history_offers_holdings_to_corrections(
    campaign: Campaign, hers: Gang, alice: User, language: str
) -> None:
    browser = Client(headers={"accept-language": language})
    browser.force_login(alice)
    url = reverse("gangs:add-entry", args=[hers.pk])
    for kind in ("holding_gained", "holding_lost"):
        page = browser.get(url, {"kind": kind})
        assert page.status_code == 200
        assert ("South terrace" if language == "en" else "Terrasse du sud") in page.content.decode()


def test_gangs_without_holdings_lock_no_campaign(
    hers: Gang, theirs: Gang, django_assert_num_queries: Any
) -> None:
    roster = theirs.roster
    with django_assert_num_queries(0):
        holders.check(theirs, roster, roster)
        partial(holders.check, theirs)(roster, roster.changed(notes="x"))
