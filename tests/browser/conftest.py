"""A browser for the whole run, a server with every rulebook, and people as tests need them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Playwright, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser.eyes import PHONE, Size
from tests.browser.line import Line
from tests.browser.person import Person
from tests.world.gangs import SLUGS, make_version

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Settings of Firefox that its driver has no option for: no motion; the light theme; a proxy may
# lead to this machine, too; and the way back loads a page again, as in a driven Chromium, since the
# driver waits for that.
WISHES: dict[str, str | float | bool] = {
    "ui.prefersReducedMotion": 1,
    "layout.css.prefers-color-scheme.content-override": 1,
    "network.proxy.allow_hijacking_localhost": True,
    "browser.sessionhistory.max_total_viewers": 0,
}
Invite = Callable[..., Person]


FIREFOX = os.environ.get("FIREFOX")


@pytest.fixture(scope="session")
def driver() -> Iterator[Playwright]:
    """The driver of the browsers."""
    # It keeps an event loop running, which Django would consider a mistake.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    # A busy machine is slow, which is no fault of the code.
    expect.set_options(timeout=120_000)
    with sync_playwright() as playwright:
        yield playwright


def _chromium(driver: Playwright) -> Browser:
    path = os.environ.get("CHROMIUM") or "/usr/bin/chromium"
    return driver.chromium.launch(executable_path=path, args=SWITCHES)


@pytest.fixture(scope="session")
def chromium(driver: Playwright) -> Iterator[Browser]:
    """Return the browser: Chromium, or the Firefox whose path is given (script/test --firefox)."""
    if FIREFOX:
        browser = driver.firefox.launch(
            channel="moz-firefox", executable_path=FIREFOX, firefox_user_prefs=WISHES
        )
    else:
        browser = _chromium(driver)
    yield browser
    browser.close()


@pytest.fixture(scope="session", autouse=True)
def _without_scripts() -> None:
    """Set up, before the site starts, a way to forbid scripts: Firefox's driver cannot turn them
    off, so the site forbids them to browsers that say they have none.
    """
    if FIREFOX:
        settings.MIDDLEWARE = ["tests.browser.scriptless.forbidding", *settings.MIDDLEWARE]


@pytest.fixture(scope="session")
def another(driver: Playwright, chromium: Browser) -> Iterator[Browser]:
    """Return a second browser: with Firefox a Chromium, with Chromium the same browser again."""
    browser = _chromium(driver) if FIREFOX else chromium
    yield browser
    browser.close()


@pytest.fixture
def browsers(chromium: Browser) -> Sequence[Browser]:
    """Return the browsers in which people sit, in the order of their arrival; the last seats
    everybody who is left.
    """
    return [chromium]


@pytest.fixture
def size() -> Size:
    """Return the screen on which people tap and type: a phone, unless a test has another. Looking
    at a page shows it on the other sizes as well.
    """
    return PHONE


@pytest.fixture
def cuttable() -> bool:
    """Whether every person has a separate line to the site, which can be cut."""
    return False


@pytest.fixture
def invite(
    browsers: Sequence[Browser],
    size: Size,
    cuttable: bool,
    transactional_db: None,
    live_server: LiveServer,
) -> Iterator[Invite]:
    """Return a function that seats a person at a screen; at the end everybody leaves without a
    complaint.
    """
    for slug in SLUGS:
        make_version(slug)
    people: list[Person] = []

    def seat(*, scripts: bool = True, locale: str = "en-GB") -> Person:
        line = Line() if cuttable else None
        browser = browsers[min(len(people), len(browsers) - 1)]
        person = Person(browser, live_server.url, size, scripts=scripts, locale=locale, line=line)
        people.append(person)
        return person

    yield seat
    for person in people:
        person.leave()


@pytest.fixture
def visitor(invite: Invite) -> Person:
    """A person who has just found the site."""
    return invite()
