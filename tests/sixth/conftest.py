"""The sixth rulebook, and a browser that presses the buttons of pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.models import User
from rules.book.model import Book
from rules.library import load
from rules.loading.reader import read_folder

FOLDER = Path(__file__).parent / "moor-ghosts"


class Browser:
    """A user at a page: opens it, and sends its forms with their hidden fields."""

    def __init__(self, user: User, language: str = "en") -> None:
        self.client = Client()
        self.client.force_login(user)
        self.client.cookies["django_language"] = language
        # Rows hide the cards, so that the panel of findings lists all of them.
        self.client.cookies["roster"] = "rows"

    def open(self, url: str) -> str:
        """Return the text of the page."""
        answer = self.client.get(url, follow=True)
        assert answer.status_code == 200, url
        return answer.content.decode()

    def send(self, url: str, drawn: str = "", **data: Any) -> HttpResponse:
        """Send a form of the page ``drawn`` (by default the page it is sent to)."""
        page = self.open(drawn or url)
        hidden = dict(re.findall(r'type="hidden" name="([\w-]+)" value="([^"]*)"', page))
        wanted = ("version", "token", "seen", "seen_gang")
        kept = {key: value for key, value in hidden.items() if key.startswith(wanted)}
        answer = self.client.post(url, {**kept, **data})
        assert answer.status_code == 302, (url, data, answer.content.decode()[:2000])
        return answer


@pytest.fixture(scope="session")
def moor() -> Book:
    """Return the sixth rulebook."""
    return read_folder(FOLDER)


@pytest.fixture
def loaded(moor: Book, db: None) -> Book:
    """Load the sixth rulebook into the site's library."""
    load(moor)
    return moor


@pytest.fixture
def builder(alice: User, loaded: Book) -> Browser:
    """Return the browser of Alice, who builds the fen folk by hand."""
    return Browser(alice)


@pytest.fixture
def organiser(bob: User, loaded: Book) -> Browser:
    """Return the French browser of Bob, who runs the campaign and takes the sample tor folk."""
    return Browser(bob, "fr")
