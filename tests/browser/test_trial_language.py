"""Every page in a made-up language with accented letters and longer words, on a phone: no page is
wider than the screen, and no text runs out of its place. With PROOFS set, in every language.
"""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page

from common.wording.catalogues import TRIAL
from tests.browser.conftest import Invite
from tests.browser.eyes import OPEN, faults_of, picture
from tests.browser.test_every_page import PEOPLE, addresses
from tests.random_cases import MANY
from tests.world.addresses import make_world

pytestmark = [pytest.mark.browser, pytest.mark.long]

LANGUAGES = [TRIAL, *(code for code, _name in settings.LANGUAGES)] if MANY else [TRIAL]
# The page without a network is kept on the device, so it has all languages.
IN_EVERY_LANGUAGE = "/offline/"
# The texts that are beyond the edge of the screen, or of the button, tab or cell that they are in,
# unless the place scrolls or ends the text with dots.
ESCAPED = """() => {
    const places = "button, .btn, .chip, .badge, th, td, dt, dd, label, summary, li, legend, a";
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const parent = node.parentElement;
        if (!node.data.trim() || !parent.checkVisibility()) continue;
        if (parent.closest("script, style, template, option, svg, .face")) continue;
        if (parent.closest(".visually-hidden, .skip-link")) continue;
        const text = document.createRange();
        text.selectNodeContents(node);
        const boxes = [...text.getClientRects()].filter(({ width }) => width > 1);
        if (!boxes.length) continue;
        const left = Math.min(...boxes.map((box) => box.left));
        const right = Math.max(...boxes.map((box) => box.right));
        let free = false, place = null;
        for (let e = parent; e && e !== document.body && !free; e = e.parentElement) {
            const style = getComputedStyle(e);
            const hidden = style.clipPath !== "none" && style.position === "absolute";
            const dots = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
            free = hidden || dots || /auto|scroll/.test(style.overflowX);
            if (!place && e.matches(places) && style.display !== "inline") place = e;
        }
        const edges = (place ?? document.documentElement).getBoundingClientRect();
        const out = right > innerWidth + 1 || left < -1;
        if (!free && (out || right > edges.right + 1 || left < edges.left - 1))
            found.push(node.data.trim());
    }
    return found;
}"""


def escaped_on(page: Page) -> list[str]:
    """Return the faults of a page as it is, and with everything opened."""
    found = [*faults_of(page), *page.evaluate(ESCAPED)]
    if page.evaluate(OPEN):
        found += [f"opened: {fault}" for fault in [*faults_of(page), *page.evaluate(ESCAPED)]]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("person", PEOPLE)
def test_every_page_fits_a_phone(trial: str, invite: Invite, person: str, language: str) -> None:
    world = make_world()
    runs_it = world.users["organiser"]
    assert runs_it is not None
    runs_it.is_staff = runs_it.is_superuser = True
    runs_it.save()
    seat = invite()
    user = world.users[person]
    kept = {settings.LANGUAGE_COOKIE_NAME: language}
    if user is not None:
        user.language = language
        user.save()
        client = Client()
        client.force_login(user)
        kept[settings.SESSION_COOKIE_NAME] = client.cookies[settings.SESSION_COOKIE_NAME].value
    seat.open("/health/")
    base = seat.page.url.removesuffix("health/")
    seat.context.add_cookies(
        [{"name": name, "value": value, "url": base} for name, value in kept.items()]
    )
    faults: dict[str, list[str]] = {}
    seen = 0
    with seat.expecting_trouble():
        for address in addresses(world):
            shown = seat.page.request.get(address)
            kind = shown.headers.get("content-type", "")
            # Parts of pages are answers to scripts.
            if not kind.startswith("text/html") or "<html" not in shown.text():
                continue
            seat.open(address)
            if address != IN_EVERY_LANGUAGE:
                assert seat.page.locator("html").get_attribute("lang") == language, address
            seen += 1
            picture(seat.page, f"{language}-{person}-{re.sub(r'[^a-z]+', '-', address)[:60]}{seen}")
            if found := escaped_on(seat.page):
                faults[address] = found
    assert seen > 50
    assert faults == {}
