"""The sheet: on screen, as a PDF, and for a reader who only has the link."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.building import patiently, take_sample
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person

pytestmark = [pytest.mark.browser, pytest.mark.firefox]


def open_sheet(alice: Person) -> None:
    """Open the sheet of a ready-made gang."""
    User.objects.create_user("alice", password=PASSWORD)
    alice.sign_in("alice")
    take_sample(alice, "blackwater-gulch")
    alice.follow("Sheet")
    expect(alice.page.get_by_role("heading", name="Cassius Thorne")).to_be_visible()


def share(alice: Person) -> str:
    """Share the sheet and return its link."""
    button = alice.page.get_by_role("button", name="Share")
    button.or_(alice.page.get_by_role("button", name="link", exact=False)).first.click()
    shared = alice.page.locator("#share-link")
    expect(shared).to_be_visible()
    return shared.inner_text()


def test_sheet_is_printed_and_shared(invite: Invite) -> None:
    alice = invite()
    open_sheet(alice)
    assert print_sheet(alice).startswith(b"%PDF-")
    shared = share(alice)
    alice.look("sheet-shared")

    guest = invite()
    guest.open(shared)
    expect(guest.page.get_by_role("heading", name="Cassius Thorne")).to_be_visible()
    expect(guest.page.get_by_role("link", name="Roster")).to_have_count(0)


@pytest.mark.long
def test_reader_of_a_shared_sheet_prints_it(invite: Invite) -> None:
    alice = invite()
    open_sheet(alice)
    alice.look("sheet")
    guest = invite()
    guest.open(share(alice))
    guest.look("sheet-of-a-friend")
    assert print_sheet(guest).startswith(b"%PDF-")


def print_sheet(person: Person) -> bytes:
    """Return the print that the sheet's button leads to."""
    button = person.page.get_by_role("link", name="Print", exact=True)
    address = str(button.get_attribute("href"))
    return patiently(person, person.context.request.get(address))
