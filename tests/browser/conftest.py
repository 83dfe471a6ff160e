"""A browser for the whole run, a server with every rulebook, people as they are needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser.eyes import PHONE, Size
from tests.browser.person import Person
from tests.make import SLUGS, make_version

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# What a Firefox is not told otherwise: nothing moves, and the light theme.
WISHES = {"ui.prefersReducedMotion": 1, "layout.css.prefers-color-scheme.content-override": 1}
Invite = Callable[..., Person]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser: Chromium, or the Firefox that somebody names (script/test --firefox)."""
    # Its library keeps an event loop running, which Django would take for a mistake.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    # A busy machine is slow, which is no mistake.
    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        firefox = os.environ.get("FIREFOX")
        if firefox:
            browser = playwright.firefox.launch(
                channel="moz-firefox", executable_path=firefox, firefox_user_prefs=WISHES
            )
        else:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM") or "/usr/bin/chromium", args=SWITCHES
            )
        yield browser
        browser.close()


@pytest.fixture
def size() -> Size:
    """The screen on which people tap and type: a phone, unless a test has another. Whoever looks
    at a page sees it on all the others as well."""
    return PHONE


@pytest.fixture
def invite(
    chromium: Browser, size: Size, transactional_db: None, live_server: LiveServer
) -> Iterator[Invite]:
    """Seats somebody at a screen; at the end everybody leaves without a complaint."""
    for slug in SLUGS:
        make_version(slug)
    people: list[Person] = []

    def seat(*, scripts: bool = True, locale: str = "en-GB") -> Person:
        person = Person(chromium, live_server.url, size, scripts=scripts, locale=locale)
        people.append(person)
        return person

    yield seat
    for person in people:
        person.leave()


@pytest.fixture
def visitor(invite: Invite) -> Person:
    """Somebody who has just found the site."""
    return invite()
