"""A person who sends requests, and remembers the pages they were shown with their contents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from urllib.parse import parse_qsl, urljoin, urlsplit

from tests.hostile import addresses
from tests.hostile.forms import Form, forms_of, links_of
from tests.hostile.requests import Answer, Request

# The most pages remembered of one address, chosen at random.
MOST_OF_ONE = 24

Send = Callable[[Request, dict[str, str]], Answer | None]


class Browser:
    """One person's browser. ``send`` sends a request and judges its answer; it returns None if no
    answer came. ``sign_in`` makes the key of a session for a person with an account.
    """

    def __init__(
        self, person: str, send: Send, dice: Random, sign_in: Callable[[], str] | None
    ) -> None:
        self.person, self.dice = person, dice
        self._send, self._sign_in = send, sign_in
        self.cookies: dict[str, str] = {}
        self.pages: dict[str, list[str]] = {}
        self.forms: dict[str, list[Form]] = {}
        self.visits: dict[str, int] = {}
        self.parameters: set[str] = set()
        self.sign_in()

    def sign_in(self) -> None:
        """Sign in without using the page for it."""
        if self._sign_in is not None:
            self.cookies["sessionid"] = self._sign_in()

    def send(self, request: Request) -> Answer | None:
        """Send a request as this person."""
        answer = self._send(replace(request, person=self.person), self.cookies)
        if answer is None:
            return None
        for name, value in answer.cookies.items():
            if value:
                self.cookies[name] = value
            else:
                self.cookies.pop(name, None)
        if "sessionid" not in self.cookies:
            # The person has signed out.
            self.sign_in()
        if self._sign_in and "/accounts/login/" in answer.headers.get("location", ""):
            self.sign_in()
        return answer

    def get(self, path: str) -> Answer | None:
        """Open a page, and remember its forms and links."""
        self.visited(path)
        answer = self.send(Request("GET", path, what="a page", own=True))
        if answer is None or answer.status != 200 or not answer.is_page:
            self.forms.pop(path, None)
            if answer is not None and "location" in answer.headers:
                self.remember(urljoin(path, answer.headers["location"]))
            if answer is not None and answer.status == 404:
                self.forget(path)
            return answer
        self.look_at(path, answer)
        return answer

    def visited(self, path: str) -> None:
        """Count a visit, so that other pages have their turn."""
        name = addresses.name_of(path)
        self.visits[name] = self.visits.get(name, 0) + 1

    def look_at(self, path: str, answer: Answer) -> None:
        """Remember the contents of a page."""
        self.forms[path] = forms_of(path, answer.body)
        for link in links_of(answer.body):
            self.remember(link)

    def remember(self, link: str) -> None:
        """Remember a page that may be opened."""
        parts = urlsplit(link)
        if parts.netloc or parts.path.startswith("/static/"):
            return
        self.parameters.update(name for name, _value in parse_qsl(parts.query))
        path = parts._replace(fragment="").geturl()
        name = addresses.name_of(path)
        known = self.pages.setdefault(name, [])
        if name and path not in known:
            if len(known) >= MOST_OF_ONE:
                gone = known.pop(self.dice.randrange(len(known)))
                self.forms.pop(gone, None)
            known.append(path)

    def forget(self, path: str) -> None:
        """Forget a page that no longer exists."""
        known = self.pages.get(addresses.name_of(path), [])
        if path in known:
            known.remove(path)
        self.forms.pop(path, None)

    def choose(self) -> str:
        """Choose a page to open, from an address that was opened seldom."""
        names = [name for name, known in self.pages.items() if known]
        if not names:
            return "/"
        some = self.dice.sample(names, min(6, len(names)))
        name = min(some, key=lambda each: self.visits.get(each, 0))
        return self.dice.choice(self.pages[name])

    def choose_any(self) -> str:
        """Choose any page that the person knows."""
        return self.dice.choice([path for known in self.pages.values() for path in known] or ["/"])
