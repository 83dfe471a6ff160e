"""A person in front of a phone with Safari's engine: WebKitGTK's browser, driven by WebDriver."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.browser.eyes import FAULTS, PHONE
from tests.browser.person import HOME, PASSWORD

DRIVER = "/usr/bin/WebKitWebDriver"
# A window with toolbars cannot be as narrow as a phone; a window that a page opens has none.
WINDOW = "open('about:blank', 'phone', 'width=400,height=700,toolbar=no,menubar=no,location=no')"
# The visible element with this text: exactly, or else at its beginning, or else anywhere.
FIND = """
const [selector, text, field] = arguments;
const plain = (said) => (said ?? "").replace(/\\s+/g, " ").trim();
const said = (e) => field
    ? plain([...(e.labels ?? [])].map((label) => label.textContent).join(" ") || e.ariaLabel)
    : plain(e.ariaLabel || e.innerText);
const all = [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
return all.find((e) => said(e) === text) ?? all.find((e) => said(e).startsWith(text))
    ?? all.find((e) => said(e).includes(text));
"""
CENTRE = "arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })"
PASSING = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)


class Reader:
    """A visitor or a user. Every complaint of their browser is a failure."""

    def __init__(self, base: str, display: str) -> None:
        self.base = base
        options = Options()
        options.binary_location = os.environ["WEBKIT"]
        options.add_argument("--automation")
        options.add_argument("--javascript-can-open-windows-automatically=true")
        service = Service(DRIVER, env=os.environ | {"DISPLAY": display})
        self.driver = webdriver.WebKitGTK(options=options, service=service)
        self.driver.get("about:blank")
        first = self.driver.current_window_handle
        self.ask(WINDOW)
        self.driver.switch_to.window(
            next(window for window in self.driver.window_handles if window != first)
        )
        self.driver.set_window_size(*PHONE)

    def leave(self) -> None:
        """Close the browser and report its complaints."""
        heard = self.ask("return sessionStorage.getItem('heard')")
        self.driver.quit()
        assert not heard, heard

    def ask(self, script: str, *about: object) -> object:
        """Return a script's result."""
        return self.driver.execute_script(script, *about)

    def wait[A](self, question: Callable[[], A], complaint: str) -> A:
        """Wait until a condition is true."""
        waiting = WebDriverWait(self.driver, 20, 0.05, PASSING)
        return waiting.until(lambda _driver: question(), complaint)

    def open(self, path: str) -> None:
        """Go to an address."""
        self.driver.get(self.base + path if path.startswith("/") else path)

    def find(self, selector: str, text: str = "", *, field: bool = False) -> WebElement:
        """Return a visible element with this text, or the field with this label."""
        return self.wait(
            lambda: self.ask(FIND, selector, text, field),
            f"no {selector} says “{text}” on {self.driver.current_url}",
        )

    def tap(self, selector: str, text: str = "", *, field: bool = False) -> None:
        """Tap the element with this text."""

        def tapped() -> bool:
            found = self.find(selector, text, field=field)
            self.ask(CENTRE, found)
            found.click()
            return True

        self.wait(tapped, f"{selector} “{text}” cannot be tapped")

    def press(self, name: str, within: str = "body") -> None:
        """Press the button, or follow the link, of this name."""
        self.tap(f"{within} :is(a, button, summary)", name)

    def fill(self, label: str, text: str, within: str = "main") -> None:
        """Type into the field of this label."""
        field = self.find(f"{within} :is(input, textarea)", label, field=True)
        field.clear()
        field.send_keys(text)

    def arrives(self, address: str) -> None:
        """Wait until the page's address ends like this."""
        self.wait(lambda: re.search(address, self.driver.current_url), f"not at {address}")

    def sign_in(self, name: str) -> None:
        """Sign in to an existing account."""
        self.open("/accounts/login/")
        self.find("main [name=login]").send_keys(name)
        self.find("main [name=password]").send_keys(PASSWORD)
        self.press("Sign in", "main form")
        self.arrives(HOME)

    def looks(self) -> None:
        """Check that the page fits the phone, every field has a name, and fingers can hit the
        buttons.
        """
        faults = f"return ({FAULTS})()"
        self.wait(lambda: not self.ask(faults), "the page does not fit")
