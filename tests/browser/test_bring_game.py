"""A club brings its catalogues: from files to a game, a gang and its print."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from accounts.models import User
from gangs.models import Gang
from rules.models import BookDraft
from tests.browser.building import recruit
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD
from tests.rules.catalogues.lists.games import GAMES, files_of

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_catalogues_become_a_game_with_a_gang(invite: Invite) -> None:
    User.objects.create_user("iris", password=PASSWORD)
    person = invite()
    page = person.page
    person.sign_in("iris")
    person.open("/editor/new/")
    person.follow("Make it from catalogues of BattleScribe or New Recruit")
    person.look("bring-files")
    files = files_of(GAMES["smugglers"])
    page.get_by_label("Files of the catalogues").set_input_files(
        [{"name": name, "mimeType": "text/xml", "buffer": content} for name, content in files]
    )
    person.press("Read the files")
    expect(page.locator("#make")).to_be_visible()
    # The narrow page that waited has become a wide one with another title.
    expect(page).to_have_title(re.compile("Saltmarsh Runners"))
    expect(page.locator("main")).not_to_have_class(re.compile("narrow"))
    expect(page.locator("article").first).to_be_visible()
    person.look("bring-preview")
    page.get_by_label("Names, numbers and pages only").check()
    person.press("Read again with these answers")
    expect(page.get_by_label("Names, numbers and pages only")).to_be_checked()
    person.press("Make this game", page.locator("#make"))
    expect(page.locator("#checks")).to_contain_text("No mistakes")
    person.look("bring-game")
    person.follow("of the import to look at", exact=False)
    page.locator("main summary").first.click()
    page.locator("[name=done]").first.check()
    person.press("Save")
    person.look("bring-notes")
    game = BookDraft.objects.get()
    assert game.imports.get().notes_left == game.imports.get().note_count - 1
    person.open(game.get_absolute_url())
    person.follow("Publish…")
    page.get_by_label("I may share the texts and numbers in it").check()
    person.press("Publish")
    person.follow("create a gang with it")
    person.fill("Name of the gang", "The Low Tide")
    person.press("Create gang")
    recruit(person, "Captain", "Ness")
    expect(page.locator("article.card-member")).to_have_count(1)
    assert Gang.objects.get().book_version.draft == game
    person.leave()
