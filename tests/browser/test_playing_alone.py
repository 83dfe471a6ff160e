"""A player alone, against the book: from the gang's page to the end of the first post-game."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from accounts.models import User
from campaigns.engine.report import TAKEN_OUT
from campaigns.models import Campaign, Game
from campaigns.table.taps import NONPLAYERS
from gangs.engine import actions
from gangs.engine.computed import ComputedGang
from gangs.ledger import writer
from gangs.models import Gang
from rules.library import load
from rules.loading.reader import read_folder
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD
from tests.browser.test_club_night import commit, standing
from tests.browser.test_deep_postgame import hurry
from tests.games.club import Decision, buy, recruit
from tests.games.conftest import FOLDER

pytestmark = [pytest.mark.browser, pytest.mark.long]


def _found(owner: User, game: str, name: str, *decisions: Decision) -> Gang:
    """Return a gang of one of the tests' games."""
    book = read_folder(FOLDER / game)
    version, _created = load(book)
    gang = writer.found(version, actions.found(book, name, {}), owner=owner)
    for decide in decisions:
        gang = Gang.objects.get(pk=gang.pk)
        entries = decide(ComputedGang.of(gang.book, gang.roster), gang.last_seq + 1)
        writer.append(gang, entries, expected_version=gang.version, actor=owner)
    return Gang.objects.get(pk=gang.pk)


def test_player_founds_a_campaign_alone_and_plays_its_first_game(invite: Invite) -> None:
    alice = User.objects.create_user("alice", password=PASSWORD)
    decisions = (recruit("warden", "Ada"), recruit("watcher", "Ben"), buy("Ben", "lantern"))
    gang, person = _found(alice, "vigil", "Night Watch", *decisions), invite()
    page = person.page
    person.sign_in("alice")
    person.open(gang.get_absolute_url())
    person.look("alone-gang")
    person.press("Play alone")
    expect(page.get_by_role("heading", name="Night Watch", level=1)).to_be_visible()
    person.look("alone-campaign")
    campaign = Campaign.objects.get()
    assert [row.gang for row in campaign.memberships.all()] == [gang]
    person.follow("New game")
    person.press("Set the game up")
    game = Game.objects.get()
    person.look("alone-game")
    person.follow("Report the result")
    expect(page.locator(".report-winner legend")).to_have_text("How did it end?")
    page.locator(".ending").filter(has_text="Laid to rest").click()
    person.look("alone-report")
    page.locator(".act-bar").get_by_role("button", name="Send the report").click()
    # Nobody else has to confirm it.
    expect(page.locator(".page-head")).to_contain_text("Confirmed")
    game.refresh_from_db()
    assert (game.status, game.result) == (Game.Status.CONFIRMED, "laid")
    person.follow("Night Watch: play your post-game", exact=False)
    hurry(person)
    commit(person, "alone-preview")
    person.follow("View gang")
    # 40 - 12 - 8 - 4 = 16, then 12 for the house and 1 for lodgings.
    expect(page.locator("#summary")).to_contain_text("27")
    person.open(f"{campaign.get_absolute_url()}chronicle/")
    expect(page.locator("main")).to_contain_text("Night Watch won: Laid to rest.")
    person.look("alone-chronicle")


def test_diver_plays_a_game_at_the_table(invite: Invite) -> None:
    """Eels come with the turns, the table fills in the report, and the story goes on."""
    alice = User.objects.create_user("alice", password=PASSWORD)
    decisions = (recruit("foreman", "Ada"), recruit("diver", "Ben"), recruit("diver", "Cy"))
    gang, person = _found(alice, "drowned", "Tin Helmets", *decisions), invite()
    page = person.page
    person.sign_in("alice")
    person.open(gang.get_absolute_url())
    person.press("Play alone")
    expect(page.get_by_role("heading", name="Story")).to_be_visible()
    person.look("diver-campaign")
    person.follow("New game")
    page.locator("[name=scenario]").select_option("gallery")
    person.press("Set the game up")
    person.press("Play")
    expect(page.locator("#table.is-live")).to_be_visible()
    side = page.locator(f"#side-{NONPLAYERS}")
    person.look("diver-table")
    for turn in (2, 3):
        page.locator("[popovertarget=table-more]").click()
        page.locator("#table-more").get_by_role("button", name="End turn").click()
        expect(page.locator("[data-turn]").first).to_have_text(str(turn))
    expect(page.locator("#table-due")).to_contain_text("Eel of the shoal: arrival")
    person.press("Bring all in (6)")
    page.locator(f"[data-tab='{NONPLAYERS}']").click()
    # Two eels from the beginning, and two for each turn.
    expect(side.locator(".table-standing")).to_have_text("8 of 8 in play")
    expect(side.locator(".table-figure:visible")).to_have_count(8)
    # The other 14 may never come, so nobody can be taken out by them.
    shoal = re.compile("^Eel of the shoal")
    opponents = page.locator("button[data-late]", has_text=shoal)
    hidden = page.locator("button[data-late][hidden]", has_text=shoal)
    expect(opponents).to_have_count(3 * 20)
    expect(hidden).to_have_count(3 * 14)
    person.look("diver-table-eels")
    side.locator(".table-figure:visible").first.locator("summary").first.click()
    side.get_by_role("button", name="Ada").first.click()
    expect(side.locator("[data-standing]")).to_have_text("7")
    page.get_by_role("button", name="End the game").click()
    page.locator("#table-endings").get_by_role("button", name="Raised").click()
    expect(page.locator("h1")).to_have_text("Report the result")
    expect(page.locator("main")).to_contain_text("Filled in from the table")
    person.look("diver-filled")
    page.locator(".report-change > summary").click()
    page.locator(".report-gang input[name$=tally-crates]").fill("1")
    person.look("diver-report")
    page.locator(".act-bar").get_by_role("button", name="Send the report").click()
    expect(page.locator(".page-head")).to_contain_text("Confirmed")
    game = Game.objects.get()
    assert game.result == "raised"
    assert game.sides.get().parsed_report.counts[TAKEN_OUT]
    person.follow("Tin Helmets: play your post-game", exact=False)
    person.look("diver-postgame")
    hurry(person)
    commit(person, "diver-preview")
    person.open(Campaign.objects.get().get_absolute_url())
    # 3 points for the victory, and one for the crate.
    assert standing(person, "Tin Helmets")[0] == "4"
    expect(page.locator("main")).to_contain_text("The shaft")
    person.look("diver-campaign-later")
    for part in ("text", "standings", "chronicle", "records"):
        person.open(f"{Campaign.objects.get().get_absolute_url()}{part}/")
        person.look(f"diver-{part}")
