"""A person in front of a screen: a browser context with one page, and the complaints that appear in
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, Response, expect

from tests.browser.eyes import SIZES, Size, barriers_of, faults_of, picture
from tests.browser.line import Line
from tests.browser.scriptless import HEADER

PASSWORD = "correct horse battery"
# Refusals and old pages answer 4xx on purpose; a browser writes each on its console.
ANSWERS = re.compile(r"status of (409|422) ")
# Firefox says so of each file that is still on its way when its page is left. Chromium, in which
# the same pages are opened, complains about those that never arrive.
# On a slow machine, htmx says of a request that is still on its way that it was given up, and that
# it is over; of one that fails it says more.
LEFT_BEHIND = re.compile(
    r"Failed to load ‘.*ServiceWorker intercepted the request|^htmx:(sendAbort|afterRequest), "
)
# Firefox's driver adds "body {}" to a page before it takes a screenshot: the site's policy rightly
# forbids that.
DRIVER = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA="
# A sign-in leads home, or back to the gang that was being built.
HOME = r"/(tonight|gangs/[0-9a-f-]{36})/$"
FOCUS = """() => {
    const at = document.activeElement, style = getComputedStyle(at);
    return [at.tagName, style.outlineStyle, parseFloat(style.outlineWidth)];
}"""


class Person:
    """A visitor or a user. Every complaint of their browser is a failure."""

    def __init__(
        self,
        browser: Browser,
        base: str,
        size: Size,
        *,
        scripts: bool = True,
        locale: str = "en-GB",
        line: Line | None = None,
    ) -> None:
        self.line = line
        self.complaints: list[str] = []
        self.deaf = False
        self.context = browser.new_context(
            base_url=base,
            viewport={"width": size[0], "height": size[1]},
            java_script_enabled=scripts,
            extra_http_headers=None if scripts else {HEADER: "1"},
            locale=locale,
            color_scheme="light",
            # Colours in the middle of a transition would be measured halfway.
            reduced_motion="reduce",
            proxy={"server": line.address} if line else None,
        )
        self.context.set_default_timeout(120_000)
        self.context.on("console", self._heard)
        self.context.on("weberror", lambda error: self._complained(str(error.error)))
        self.context.on("response", self._answered)
        self.scripts = scripts
        self.page: Page = self.context.new_page()

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning") or self.deaf:
            return
        if ANSWERS.search(message.text) or LEFT_BEHIND.search(message.text):
            return
        self.complaints.append(f"{message.page and message.page.url}: {message.text}")

    def _complained(self, text: str) -> None:
        lost = self.deaf and text.startswith("download failed")
        if DRIVER not in text and not lost and not LEFT_BEHIND.search(text):
            self.complaints.append(text)

    def _answered(self, response: Response) -> None:
        if response.status >= 500 and not self.deaf:
            self.complaints.append(f"{response.status} from {response.url}")

    @contextmanager
    def expecting_trouble(self) -> Iterator[None]:
        """Allow the console's complaints while the connection is cut or the site broken."""
        self.deaf = True
        yield
        self.page.wait_for_timeout(50)
        self.deaf = False

    def cut(self, off: bool = True) -> None:
        """Cut the network, or restore it."""
        self.context.set_offline(off)
        if self.line:
            self.line.cut = off

    def leave(self) -> None:
        """Close the browser and report its complaints."""
        self.context.close()
        if self.line:
            self.line.close()
        assert not self.complaints, "\n".join(self.complaints)

    # Going to pages and acting on them

    def open(self, path: str) -> None:
        """Go to an address."""
        self.page.goto(path)

    def press(self, name: str, within: Locator | None = None, exact: bool = True) -> None:
        """Press the button of this name."""
        (within or self.page).get_by_role("button", name=name, exact=exact).first.click()

    def follow(self, name: str, within: Locator | None = None, exact: bool = True) -> None:
        """Follow the link of this name."""
        (within or self.page).get_by_role("link", name=name, exact=exact).first.click()

    def fill(self, label: str, text: str, within: Locator | None = None) -> None:
        """Type into the field of this label."""
        (within or self.page).get_by_label(label).first.fill(text)

    def sign_up(self, name: str, then: str = HOME) -> None:
        """Make an account on the page that asks for it; the page leads to ``then``."""
        self.fill("User name", name)
        self.page.locator("[name=password1]").fill(PASSWORD)
        self.page.locator("[name=password2]").fill(PASSWORD)
        self.page.locator("main").get_by_role("button", name="Sign up").click()
        expect(self.page).to_have_url(re.compile(then))

    def sign_in(self, name: str) -> None:
        """Sign in to an existing account."""
        self.open("/accounts/login/")
        self.page.locator("[name=login]").fill(name)
        self.page.locator("[name=password]").fill(PASSWORD)
        self.page.locator("main").get_by_role("button", name="Sign in").click()
        expect(self.page).to_have_url(re.compile(HOME))
        # Before its scripts are there, a button of the page sends its form the plain way.
        self.page.wait_for_load_state()

    # Looking at pages

    def look(self, name: str) -> None:
        """Look at the page as it is, on every size of screen and in both themes: does it fit, has
        every field a name, can fingers hit every button, does axe find nothing? A picture of
        each is kept.
        """
        own = self.page.viewport_size
        for width, height in SIZES:
            self.page.set_viewport_size({"width": width, "height": height})
            if self.scripts:
                found = faults_of(self.page)
                assert not found, f"{name}, {width} px wide: {found}"
            picture(self.page, name)
        if own:
            self.page.set_viewport_size(own)
        if self.scripts:
            barriers = barriers_of(self.page)
            assert not barriers, f"{name}: " + "\n".join(barriers)

    def focus_is_seen(self) -> bool:
        """Whether an element has the focus, and shows it."""
        tag, style, width = self.page.evaluate(FOCUS)
        return tag != "BODY" and style not in ("none", "") and width >= 2

    def focus_settles_in(self, selector: str) -> bool:
        """Whether the focus is visible on an element inside the part, once a swap has settled."""
        question = f"document.activeElement.closest({selector!r}) !== null"
        for _ in range(2400):
            if self.page.evaluate(question) and self.focus_is_seen():
                return True
            self.page.wait_for_timeout(50)
        return False

    def mark_page(self) -> None:
        """Mark this page, to notice later whether it was loaded again."""
        self.page.evaluate("window.stillTheSame = true")

    def is_same_page(self) -> bool:
        """Whether the marked page is still there."""
        try:
            return bool(self.page.evaluate("window.stillTheSame === true"))
        except Error:
            return False
