"""Error pages: in the site's own voice, and complete without the parts that may be broken."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.template.loader import get_template, render_to_string
from django.test import Client, RequestFactory, override_settings
from django.urls import path
from django.views import defaults

from accounts.models import User
from skirmish.urls import urlpatterns as real
from tests.world.gangs import become_guest

ROOT = Path(__file__).parents[1]
# Pages that must work when nothing else does.
BARE = ("400.html", "413.html", "500.html", "offline.html")


def read_bare(name: str) -> str:
    """Return the page as Django's own handlers render it: without a request and a context."""
    return get_template(name).render()


class Page(HTMLParser):
    """Collects the addresses that a page fetches, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.inline = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note every address that the browser fetches by itself."""
        given = dict(attrs)
        if tag in ("link", "script", "img"):
            self.fetched.append(given.get("href") or given.get("src") or "")
        self.inline = self.inline or tag == "style" or "style" in given


@pytest.mark.parametrize("name", BARE)
def test_pages_of_last_resort_need_no_database_and_no_manifest(name: str) -> None:
    text = read_bare(name)
    assert "{%" not in text and "{{" not in text
    page = Page(text)
    assert page.fetched and not page.inline
    for address in page.fetched:
        assert (ROOT / address.removeprefix("/")).is_file(), address


@pytest.mark.parametrize("name", BARE)
def test_pages_of_last_resort_are_in_every_language(name: str) -> None:
    text = read_bare(name)
    (first, _name), *others = settings.LANGUAGES
    assert others and f'<html lang="{first}">' in text
    assert re.findall(r'<section lang="([^"]+)">', text) == [code for code, _name in others]
    assert re.search(r"<h1>[^<]+</h1>", text) and re.search(r"<h2>[^<]+</h2>", text)


def test_stylesheet_of_last_resort_needs_no_other_file() -> None:
    css = (ROOT / "static" / "bare.css").read_text("utf-8")
    assert "url(" not in css and "@import" not in css
    assert "prefers-color-scheme: dark" in css


# Templates that a phone may keep for use without a network, each for the reader it was made for.
KEPT = {
    "campaigns/club/home/tonight.html",
    "campaigns/table/attempts/figure.html",
    "campaigns/games/game.html",
    "campaigns/table/board.html",
    "campaigns/table/story.html",
    "gangs/builder/page.html",
    "gangs/pages/list.html",
    "gangs/pages/sheet.html",
    # Readers need help most when there is no network.
    "guide/chapter.html",
    "guide/contents.html",
    "rules/book.html",
    "rules/chapter.html",
}


def test_only_listed_pages_may_be_kept_by_phones() -> None:
    templates = ROOT / "templates"
    marked = {
        str(path.relative_to(templates))
        for path in templates.rglob("*.html")
        if "data-keep" in path.read_text("utf-8")
    }
    assert marked == KEPT


@pytest.mark.django_db
def test_page_identifies_its_reader(client: Client, alice: User, bob: User) -> None:
    def whose() -> str:
        page = client.get("/rules/").content.decode()
        [who] = re.findall(r'<body data-who="([0-9a-f]{16})"', page)
        return who

    nobody = whose()
    client.force_login(alice)
    hers = whose()
    client.force_login(bob)
    assert len({nobody, hers, whose()}) == 3
    client.force_login(alice)
    assert whose() == hers
    answer = client.post("/accounts/logout/")
    assert answer["Clear-Site-Data"] == '"storage"'
    assert whose() == nobody


@pytest.mark.django_db
def test_page_identifies_the_visitor_that_its_reader_was(client: Client, alice: User) -> None:
    """So the taps that wait on their phone come along, and nobody else's."""

    def told(name: str) -> list[str]:
        return re.findall(rf'<body[^>]* data-{name}="([0-9a-f]{{16}})"', page())

    def page() -> str:
        return client.get("/rules/").content.decode()

    become_guest(client)
    visitor = told("who")
    assert told("was") == []
    client.force_login(alice)
    assert told("was") == visitor != told("who")
    other = Client()
    other.force_login(alice)
    assert "data-was" not in other.get("/rules/").content.decode()


def test_service_worker_keeps_only_public_files_for_everybody(client: Client) -> None:
    answer = client.get("/offline.js")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/javascript"
    script = answer.content.decode()
    kept = re.findall(r'"(/static/[^"]+)"', script)
    files = ["/static/bare.css", "/static/favicon.svg"]
    # Notices show the site's icon.
    assert kept == [*files, "/static/icon-192.png"]
    assert all((ROOT / address.removeprefix("/")).is_file() for address in kept)
    # Under the same cache name an old page would stay for ever.
    page = read_bare("offline.html")
    assert set(Page(page).fetched) <= set(kept)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("403.html", "You cannot do this"),
        ("403_csrf.html", "This form has expired"),
        ("404.html", "Page not found"),
        ("429.html", "One moment, please"),
    ],
)
def test_other_error_pages_are_pages_of_the_site(rf: RequestFactory, name: str, words: str) -> None:
    page = render_to_string(name, request=rf.get("/nowhere/"))
    assert f"<h1>{words}</h1>" in page
    assert f"<title>{words} · Skirmish</title>" in page
    assert 'href="/"' in page


def test_page_not_found_links_to_the_reader_s_gangs_and_campaigns(
    client: Client, alice: User
) -> None:
    visitor = client.get("/nowhere/?secret=1")
    assert visitor.status_code == 404
    assert "/accounts/login/?next=/nowhere/" in visitor.content.decode()
    client.force_login(alice)
    player = client.get("/nowhere/").content.decode()
    assert 'href="/gangs/"' in player and 'href="/campaigns/"' in player
    assert "/accounts/login/" not in player


@pytest.mark.django_db
def test_form_without_its_token_is_explained(rf: RequestFactory) -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post("/accounts/login/", {"login": "alice", "password": "x"})
    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()


def broken(request: HttpRequest, kind: str) -> HttpResponse:
    """A page that fails."""
    raise {
        "bug": ZeroDivisionError,
        "odd": SuspiciousOperation,
        "denied": PermissionDenied,
    }[kind]


broken.login_required = False  # type: ignore[attr-defined]
urlpatterns = [path("broken/<slug:kind>/", broken), *real]


@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [
        ("bug", 500, "We dropped the dice"),
        ("odd", 400, "We could not read that"),
    ],
)
@override_settings(ROOT_URLCONF=__name__)
def test_error_page_needs_no_query(client: Client, kind: str, status: int, words: str) -> None:
    # No database here: a query fails the test.
    client.raise_request_exception = False
    answer = client.get(f"/broken/{kind}/")
    assert answer.status_code == status
    assert words in answer.content.decode()
    assert "script-src" in answer["Content-Security-Policy"]


@pytest.mark.django_db
@override_settings(ROOT_URLCONF=__name__)
def test_denied_request_is_explained(client: Client) -> None:
    answer = client.get("/broken/denied/")
    assert answer.status_code == 403
    assert "You cannot do this" in answer.content.decode()


def test_error_page_needs_no_manifest(rf: RequestFactory, settings: Any) -> None:
    storage = "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": storage}}
    answer = defaults.server_error(rf.get("/"))
    assert answer.status_code == 500
    assert "We dropped the dice" in answer.content.decode()
