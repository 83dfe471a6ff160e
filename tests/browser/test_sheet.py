"""The sheet: on screen, as a PDF, and for a reader who only has the link."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.building import patiently, take_sample
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person

pytestmark = [pytest.mark.browser, pytest.mark.firefox]


def test_sheet_is_printed_and_shared(invite: Invite) -> None:
    User.objects.create_user("alice", password=PASSWORD)
    alice = invite()
    page = alice.page
    alice.sign_in("alice")
    take_sample(alice, "blackwater-gulch")
    alice.follow("Sheet")
    expect(page.get_by_role("heading", name="Cassius Thorne")).to_be_visible()
    alice.look("sheet")

    assert print_sheet(alice).startswith(b"%PDF-")
    page.get_by_role("button", name="Share").or_(
        page.get_by_role("button", name="link", exact=False)
    ).first.click()
    shared = page.locator("#share-link")
    expect(shared).to_be_visible()
    alice.look("sheet-shared")

    guest = invite()
    guest.open(shared.inner_text())
    expect(guest.page.get_by_role("heading", name="Cassius Thorne")).to_be_visible()
    expect(guest.page.get_by_role("link", name="Roster")).to_have_count(0)
    guest.look("sheet-of-a-friend")
    assert print_sheet(guest).startswith(b"%PDF-")


def print_sheet(person: Person) -> bytes:
    """Return the print that the sheet's button leads to."""
    button = person.page.get_by_role("link", name="Print", exact=True)
    address = str(button.get_attribute("href"))
    return patiently(person, person.context.request.get(address))
