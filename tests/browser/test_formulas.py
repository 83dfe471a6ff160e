"""Names for formulas: written at a press, and a list to copy without scripts."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from rules.editor import store
from rules.editor.data import start_from
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD
from tests.world.gangs import POINTS, shipped

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_name_is_written_into_the_formula_that_was_used_last(invite: Invite, scripts: bool) -> None:
    bob = User.objects.create_user("bob", password=PASSWORD)
    data = {**start_from(shipped(POINTS)), "slug": "ours"}
    game = store.start_game(bob, data, token=uuid.uuid4())
    author = invite(scripts=scripts)
    author.sign_in("bob")
    roll = shipped(POINTS).rolls[0].key
    author.open(reverse("editor:row", args=[game.pk, "rolls", roll]))
    page = author.page
    field = page.locator("[name=usable]")
    field.fill("1 + ")
    page.get_by_text("Names for formulas", exact=True).click()
    name = f"by.{shipped(POINTS).characteristics[0].key}".replace("-", "_")
    if scripts:
        page.get_by_role("button", name=name, exact=True).click()
        expect(field).to_have_value(f"1 + {name}")
        expect(field).to_be_focused()
    else:
        expect(page.get_by_text(name, exact=True)).to_be_visible()
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
