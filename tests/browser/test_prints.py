"""The owner prints everything that can be printed of a gang."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from playwright.sync_api import APIResponse, Locator, expect

from accounts.models import User
from gangs import prints
from tests.browser.building import patiently, take_sample
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person

pytestmark = pytest.mark.browser


def filled(form: Locator) -> list[tuple[str, str]]:
    """A form as the browser would send it."""
    fields = []
    for field in form.locator("input, select, textarea").all():
        ticked = field.get_attribute("type") in ("radio", "checkbox")
        if not ticked or field.is_checked():
            name = str(field.get_attribute("name"))
            fields.append(
                (name, str(field.get_attribute("value")) if ticked else field.input_value())
            )
    return fields


def send(person: Person, form: Locator) -> APIResponse:
    """Send a form; leads to the print."""
    return person.context.request.post(
        person.page.url,
        data=urlencode(filled(form)),
        headers={
            "Content-Type": "application/x-www-form-urlencoded",
            "Referer": person.page.url,
        },
    )


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_every_kind_of_print_comes(invite: Invite, scripts: bool) -> None:
    User.objects.create_user("alice", password=PASSWORD)
    alice = invite(scripts=scripts)
    page = alice.page
    alice.sign_in("alice")
    take_sample(alice, "du-sang-sur-la-lame")
    alice.follow("Sheet")
    page.locator("main a[href$='/prints/']").first.click()
    expect(page.locator("h1")).to_have_text("Print")
    alice.look("prints" if scripts else "no-scripts-prints")
    shown = [str(one.get_attribute("id")) for one in page.locator("form[id^=print-]").all()]
    assert shown == [f"print-{kind}" for kind in prints.KINDS]
    for kind in prints.KINDS:
        form = page.locator(f"form#print-{kind}")
        letter = form.locator("input[name=paper][value=letter]")
        if letter.count():
            letter.check()
        came = patiently(alice, send(alice, form))
        assert came.startswith(b"%PDF-"), kind
        assert len(came) > 5_000, f"{kind}: hardly anything on it"
    page.reload()
    for kind in prints.KINDS:
        remembered = page.locator(f"form#print-{kind} input[name=paper][value=letter]")
        if remembered.count():
            assert remembered.is_checked(), f"{kind}: the paper is forgotten"
