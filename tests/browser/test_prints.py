"""Prints: the owner prints everything that can be printed of a gang."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import APIResponse, Error, Locator, Page, expect

from accounts.models import User
from printing.sheets import kinds
from tests.browser.building import patiently, take_sample
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person
from tests.printing.test_queue import Press, slow_press, until

__all__ = ["slow_press"]

pytestmark = [pytest.mark.browser, pytest.mark.long]
HEADING = "document.querySelector('h1')?.textContent"
REPORT_PAINT = """new PerformanceObserver(() => console.log("painted"))
    .observe({ type: "paint", buffered: true });"""
STATUS = "document.querySelector('[role=status]')?.textContent"


def fill_form(form: Locator) -> list[tuple[str, str]]:
    """Return a form's fields as the browser would send them."""
    fields = []
    for field in form.locator("input, select, textarea").all():
        ticked = field.get_attribute("type") in ("radio", "checkbox")
        if not ticked or field.is_checked():
            name = str(field.get_attribute("name"))
            fields.append(
                (name, str(field.get_attribute("value")) if ticked else field.input_value())
            )
    return fields


def send(person: Person, form: Locator, kind: str) -> APIResponse:
    """Send a form by the button of this kind; it leads to the print."""
    return person.context.request.post(
        person.page.url,
        data=urlencode([*fill_form(form), ("kind", kind)]),
        headers={
            "Content-Type": "application/x-www-form-urlencoded",
            "Referer": person.page.url,
        },
    )


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_every_kind_of_print_is_made(invite: Invite, scripts: bool) -> None:
    User.objects.create_user("alice", password=PASSWORD)
    alice = invite(scripts=scripts)
    page = alice.page
    alice.sign_in("alice")
    take_sample(alice, "du-sang-sur-la-lame")
    alice.follow("Sheet")
    page.locator("main a[href$='/prints/']").first.click()
    expect(page.locator("h1")).to_have_text("Print")
    alice.look("prints" if scripts else "no-scripts-prints")
    shown = [str(one.get_attribute("value")) for one in page.locator("button[name=kind]").all()]
    assert shown == list(kinds.KINDS)
    form = page.locator("form#prints")
    form.locator("input[name=paper][value=letter]").check()
    for kind in kinds.KINDS:
        came = patiently(alice, send(alice, form, kind))
        assert came.startswith(b"%PDF-"), kind
        assert len(came) > 5_000, f"{kind}: hardly anything on it"
    page.reload()
    assert form.locator("input[name=paper][value=letter]").is_checked(), "the paper is forgotten"


def read(page: Page, expression: str) -> Any:
    """Evaluate on a page that is about to be replaced; None if that has happened just now. Locators
    would wait for the next page, again and again."""
    try:
        return page.evaluate(expression)
    except Error:
        return None


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_print_in_the_making_is_shown_until_it_is_there(
    invite: Invite, scripts: bool, slow_press: Press, settings: Any
) -> None:
    """The page asks for the print again and again, and is seen all the while."""
    settings.PRINT_PATIENCE = 0.5
    alice = invite(scripts=scripts)
    take_sample(alice, "du-sang-sur-la-lame")
    alice.follow("Sheet")
    alice.page.locator("main a[href$='sheet.pdf']").first.click()
    for _time in range(2):
        with alice.page.expect_response(lambda answer: answer.url.endswith("sheet.pdf")):
            until(lambda: read(alice.page, HEADING) == "Printing")
            until(lambda: "being made right now" in (read(alice.page, STATUS) or ""))
    if scripts:
        # The next page reports when it is painted: questions come too late for such a page.
        with alice.page.expect_console_message(lambda message: message.text == "painted"):
            alice.page.add_init_script(REPORT_PAINT)
    # Some browsers show it, and some save it, so its content is asked for once more.
    with alice.page.expect_response(
        lambda answer: answer.url.endswith("sheet.pdf") and answer.status == 200
    ) as answer:
        slow_press.free.set()
    assert answer.value.headers["content-type"] == "application/pdf"
    assert alice.page.request.get(answer.value.url).body().startswith(b"%PDF-")
