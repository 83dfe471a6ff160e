"""Pages of the game of terraces that show thresholds, rolled advances and prices in experience."""

from __future__ import annotations

import html
import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs.ledger import writer
from gangs.models import Gang
from rules.book.model import Book
from rules.library import load
from tests.games.test_advances import FIRST, STEWARD

pytestmark = pytest.mark.django_db


@pytest.fixture
def gang(terraces: Book, alice: User) -> Gang:
    """Return a household before its first game."""
    version, _is_new = load(terraces)
    return writer.found(version, FIRST, owner=alice)


@pytest.fixture
def browser(alice: User) -> Client:
    browser = Client()
    browser.force_login(alice)
    return browser


def read(browser: Client, name: str, *args: object) -> str:
    """Return a page as words, without tags."""
    said = browser.get(reverse(name, args=args))
    assert said.status_code == 200
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", said.content.decode())))


def take(browser: Client, gang: Gang, trait: str, act: str = "take") -> Gang:
    """Take a trait for the steward on the gang's page, or drop it."""
    sent = {"version": Gang.objects.get(pk=gang.pk).version, "token": uuid.uuid4(), act: trait}
    said = browser.post(reverse("gangs:traits", args=[gang.pk, STEWARD]), sent)
    assert said.status_code in (200, 302, 422)
    return Gang.objects.get(pk=gang.pk)


def test_builder_sells_the_same_rise_for_experience(browser: Client, gang: Gang) -> None:
    address = f"{reverse('gangs:builder', args=[gang.pk])}?open={STEWARD}"
    page = html.unescape(browser.get(address).content.decode())
    assert "Experience 4 (4 to spend)" in page
    assert re.search(r'picker-price">\s*Experience 2', page)
    take(browser, gang, "practice")
    again = take(browser, gang, "practice")
    # The second costs three, and only two are left.
    assert again.roster.member(STEWARD).traits == ("practice",)
    page = html.unescape(browser.get(address).content.decode())
    assert "Experience 4 (2 to spend)" in page
    assert "Experience: 1 short" in page


def test_history_names_the_experience_spent(browser: Client, gang: Gang) -> None:
    take(browser, gang, "practice")
    assert "Ada gained Practice (Experience −2)." in read(browser, "gangs:history", gang.pk)
    browser.cookies["django_language"] = "fr"
    page = read(browser, "gangs:history", gang.pk)
    assert "Ada acquiert : Entraînement (Expérience −2)." in page.replace("\xa0", " ")


def test_rules_list_thresholds_and_prices(browser: Client, gang: Gang) -> None:
    page = read(browser, "rules:version-chapter", gang.book_version_id, "campaign")
    assert "An advance at 2, 4, 6, 8, 11" in page
    assert "Then one for every 4, each time 1 more" in page
    assert "Choose one of:" in read(
        browser, "rules:version-chapter", gang.book_version_id, "tables"
    )
    page = read(browser, "rules:version-chapter", gang.book_version_id, "characters")
    assert "2, then 1 more each time" in page and "3 times at most" in page
    assert "Experience at the start 4" in page
