"""Addresses to share: copied at a press and, without scripts, selected at a press."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD
from tests.world.campaigns import make_campaign

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_invitation_can_be_copied(invite: Invite, scripts: bool) -> None:
    bob = User.objects.create_user("bob", password=PASSWORD)
    campaign = make_campaign(bob)
    organiser = invite(scripts=scripts)
    organiser.sign_in("bob")
    page = organiser.page
    organiser.open(campaign.get_absolute_url())
    address = page.locator("#invitation")
    copy = page.locator('[data-copy="invitation"]')
    if scripts:
        page.context.grant_permissions(["clipboard-write"])
        copy.click()
        expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
        # Pages may not read the clipboard: the address is pasted, as a person would.
        page.evaluate("document.body.append(document.createElement('textarea'))")
        page.locator("body > textarea").press("Control+V")
        taken = page.locator("body > textarea").input_value()
    else:
        expect(copy).to_be_hidden()
        address.click()
        taken = page.evaluate("getSelection().toString()")
    assert taken == address.inner_text()
    assert taken.endswith(f"/campaigns/join/{campaign.invite_key}/")
