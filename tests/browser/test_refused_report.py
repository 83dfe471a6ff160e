"""A report with a mistake, with scripts and without: the message is beside the mistake."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD
from tests.browser.test_club_night import row_of
from tests.world.campaigns import make_campaign, make_game, make_player

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_report_is_refused_beside_a_number_that_is_too_small(invite: Invite, scripts: bool) -> None:
    users = [User.objects.create_user(name, password=PASSWORD) for name in ("alice", "bob")]
    campaign = make_campaign(users[0], "blackwater-gulch")
    gangs = [make_player(campaign, user) for user in users]
    game = make_game(campaign, users[0], *gangs)
    mine, theirs = game.sides.all()
    killer, victim = (gang.roster.members[0] for gang in gangs)

    alice = invite(scripts=scripts)
    page = alice.page
    alice.sign_in("alice")
    alice.open(f"{game.get_absolute_url()}report/")
    page.locator(".ending").first.click()
    fallen = page.locator(f"#side{theirs.pk}-fallen-{victim.id}")
    expect(fallen.locator(".fallen-more")).to_be_hidden()
    fallen.locator(".fallen-name").click()
    fallen.locator(".choice").filter(has_text=killer.name).click()
    row = row_of(alice, killer.name, page.locator(f"#side-{mine.pk}"))
    row.get_by_role("spinbutton").fill("0")
    alice.press("Send the report", page.locator(".form-actions"))

    refused = page.get_by_role("alert").filter(has_text="was not sent")
    expect(refused).to_be_in_viewport()
    expect(refused).to_be_focused()
    said = row.get_by_text("they took out 1")
    expect(said).to_be_visible()
    alice.follow(f"{gangs[0].name} (alice): {killer.name}", refused)
    expect(said).to_be_in_viewport()
    alice.look(f"report-refused-{'scripts' if scripts else 'bare'}")
    # An empty field is filled in.
    row.get_by_role("spinbutton").fill("")
    alice.press("Send the report", page.locator(".form-actions"))
    expect(page.locator(".page-head")).to_contain_text("Waiting for confirmation")
