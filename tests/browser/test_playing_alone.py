"""A player alone, against the book: from the gang's page to the end of the first post-game."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from accounts.models import User
from campaigns.models import Campaign, Game
from gangs.engine import actions
from gangs.engine.computed import ComputedGang
from gangs.ledger import writer
from gangs.models import Gang
from rules.library import load
from rules.loading.reader import read_folder
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD
from tests.browser.test_club_night import commit
from tests.browser.test_deep_postgame import hurry
from tests.games.club import buy, recruit
from tests.games.conftest import FOLDER

pytestmark = [pytest.mark.browser, pytest.mark.long]


def _found(owner: User) -> Gang:
    """Return a gang of the watchers' game: a warden and a watcher with a lantern."""
    book = read_folder(FOLDER / "vigil")
    version, _created = load(book)
    gang = writer.found(version, actions.found(book, "Night Watch", {}), owner=owner)
    for decide in (recruit("warden", "Ada"), recruit("watcher", "Ben"), buy("Ben", "lantern")):
        gang = Gang.objects.get(pk=gang.pk)
        entries = decide(ComputedGang.of(gang.book, gang.roster), gang.last_seq + 1)
        writer.append(gang, entries, expected_version=gang.version, actor=owner)
    return Gang.objects.get(pk=gang.pk)


def test_player_founds_a_campaign_alone_and_plays_its_first_game(invite: Invite) -> None:
    alice = User.objects.create_user("alice", password=PASSWORD)
    gang, person = _found(alice), invite()
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
