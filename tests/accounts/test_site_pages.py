"""Privacy and imprint: their statements are true, and the host writes the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import translation

from accounts.models import SitePage, User
from campaigns.models import Table
from common import cookies
from tests.world.addresses import World, make_world, patterns
from tests.world.gangs import POINTS, make_version

ROOT = Path(__file__).parents[2]
PAGES = ("privacy", "imprint")
# Every address except those of prints, which are slow and not pages.
NAMES = [name for name, _ in patterns(get_resolver()) if not name.endswith("pdf")]


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def staff(alice: User) -> Client:
    alice.is_staff = True
    alice.save()
    client = Client()
    client.force_login(alice)
    return client


def page_of(client: Client, key: str, language: str = "en") -> str:
    response = client.get(reverse(key), headers={"accept-language": language})
    assert response.status_code == 200
    return unescape(response.content.decode())


def texts(english: str = "", french: str = "", version: int = 0) -> dict[str, str | int]:
    return {"en": english, "fr": french, "version": version}


# Writing and reading


@pytest.mark.django_db
@pytest.mark.parametrize("key", PAGES)
def test_site_page_is_written_by_staff_and_read_by_everybody(
    key: str, client: Client, staff: Client
) -> None:
    assert "Nothing has been written here yet" in page_of(client, key)
    assert "Write this page" not in page_of(client, key)
    assert "Write this page" in page_of(staff, key)
    address = reverse("edit-site-page", args=[key])
    english = "We are a club.\n\nWrite to https://club.example.org <script>alert(1)</script>"
    answer = staff.post(address, texts(english, "Nous sommes un club."))
    assert answer.status_code == 302 and answer["Location"] == reverse(key)
    there = client.get(reverse(key)).content.decode()
    assert "<p>We are a club.</p>" in there and "&lt;script&gt;" in there
    assert '<a href="https://club.example.org"' in there and "<script>alert" not in there
    assert "Nous sommes un club." in page_of(client, key, "fr")
    assert "We are a club." in staff.get(address).content.decode()


@pytest.mark.django_db
def test_text_in_one_language_is_shown_in_all(client: Client, staff: Client) -> None:
    staff.post(reverse("edit-site-page", args=["imprint"]), texts(french="Nous sommes un club."))
    page = page_of(client, "imprint", "en")
    assert '<div class="panel prose" lang="fr"><p>Nous sommes un club.</p>' in page


@pytest.mark.django_db
def test_edit_from_a_stale_page_is_refused(client: Client, staff: Client) -> None:
    address = reverse("edit-site-page", args=["privacy"])
    staff.post(address, texts("First"))
    answer = staff.post(address, texts("Second, from another window"))
    text = answer.content.decode()
    assert answer.status_code == 409 and "Second, from another window" in text
    assert 'name="version" value="1"' in text and SitePage.objects.get().texts["en"] == "First"
    assert staff.post(address, texts("Second", version=1)).status_code == 302
    long = staff.post(address, texts("x" * 20_001, version=2))
    assert long.status_code == 422 and "x" * 20_001 in long.content.decode()


@pytest.mark.django_db
def test_only_staff_edit_and_only_known_pages_exist(staff: Client, bob: User) -> None:
    other = Client()
    other.force_login(bob)
    for key in PAGES:
        address = reverse("edit-site-page", args=[key])
        assert other.get(address).status_code == other.post(address, texts("Mine")).status_code
        assert other.get(address).status_code == 404
    assert staff.get(reverse("edit-site-page", args=["other"])).status_code == 404
    assert not SitePage.objects.exists()


@pytest.mark.long
def test_every_page_links_to_the_site_pages(world: World) -> None:
    """The links are in the footer of every full page."""
    client, drawn = Client(), 0
    client.force_login(world.gang.owner)
    for name in NAMES:
        response = client.get(world.address_of(name))
        if response.streaming or b"<!doctype html>" not in response.content:
            continue
        if name == "no-connection":  # It is shown without a network, where no link leads anywhere.
            continue
        drawn += 1
        for key in PAGES:
            assert f'href="{reverse(key)}"' in response.content.decode(), name
    assert drawn > 60


# True statements


def cookies_set(world: World) -> Iterator[str]:
    """Return the cookies that any answer of this site sets, to visitors and to users."""
    visitor, user = Client(), Client()
    user.force_login(world.gang.owner)
    yield from user.get(world.gang.get_absolute_url(), {"roster": "rows"}).cookies
    for name in NAMES:
        for client in (visitor, user):
            for send in (client.get, client.post):
                response = send(world.address_of(name))
                yield from response.cookies
                if response.streaming:
                    b"".join(response)
    make_version()
    phrase = "a long enough phrase"
    person = {"username": "newcomer", "password1": phrase, "password2": phrase}
    for address, form in (
        (f"/gangs/new/{POINTS}/", {"name": "Theirs", "token": "t"}),
        ("/theme/", {"theme": "dark"}),
        ("/language/", {"language": "fr"}),
        ("/abbreviations/", {"abbreviations": "own"}),
        ("/accounts/signup/", person),
        ("/accounts/logout/", {}),
        ("/accounts/login/", {"login": "newcomer", "password": phrase}),
    ):
        yield from visitor.post(address, form).cookies
    table = Table.objects.create(book_version_id=world.gang.book_version_id)
    yield from visitor.get(reverse("campaigns:table-join", args=[table.key])).cookies
    calls = reverse("campaigns:table-calls", args=[table.pk])
    yield from visitor.post(calls, {"calls": "sound"}).cookies


@pytest.mark.long
def test_privacy_page_names_every_cookie(world: World) -> None:
    there = set(cookies_set(world))
    assert {"sessionid", "guest", "watched", "invitation", "theme", "django_language"} <= there
    for language in ("en", "fr"):
        page = page_of(Client(), "privacy", language)
        named = re.findall(r"<code>(\w+)</code></th>\s*<td>([^<]+)</td>", page)
        # The named cookies are exactly the cookies that are set.
        assert {name for name, _purpose in named} == there
        purposes = {purpose for _name, purpose in named}
        assert len(purposes) == len(named)
        if language == "fr":
            with translation.override("en"):
                assert not purposes & {str(cookie.purpose) for cookie in cookies.declared_cookies()}


def test_every_cookie_set_in_the_code_is_declared() -> None:
    """Scans this site's code for places that set a cookie."""
    setting = re.compile(r"response\.set_(?:signed_)?cookie\(")
    for app in ("accounts", "administration", "campaigns", "common", "gangs", "rules", "skirmish"):
        for file in (ROOT / app).rglob("*.py"):
            text = file.read_text("utf-8")
            assert not setting.search(text) or "declare(" in text, file


@pytest.mark.django_db
def test_privacy_page_shows_the_sites_periods(client: Client, settings: Any) -> None:
    assert settings.GUEST_DAYS == 7
    settings.GUEST_DAYS = 9
    assert "it is deleted 9 days after your last change" in page_of(client, "privacy")


# Nothing is loaded from other sites

ELSEWHERE = r"(?:https?:)?//"
LOADING_TAG = re.compile(
    rf"""<(?!a\b|/)[\w-]+\b[^>]*?\b(?:src|srcset|href|data|poster|action|content)=["']{ELSEWHERE}""",
    re.IGNORECASE,
)
LOADING_STYLE = re.compile(rf"""(?:url\(\s*["']?|@import\s+["']?){ELSEWHERE}""", re.IGNORECASE)
LOADING_SCRIPT = re.compile(
    rf"""(?:fetch|import|importScripts|Worker|open)\(\s*["'`]{ELSEWHERE}|\bfrom\s+["']{ELSEWHERE}"""
)


def files(folder: str, *endings: str) -> list[Path]:
    return [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in endings]


def test_pages_styles_and_scripts_load_nothing_from_other_sites() -> None:
    pages = [*files("templates", ".html"), *files("static", ".html", ".svg")]
    styles = [*files("static", ".css"), *files("templates", ".css"), *files("campaigns", ".css")]
    scripts = files("static", ".js")
    assert len(pages) > 100 and len(styles) > 5 and len(scripts) > 2
    for pattern, sources in (
        (LOADING_TAG, pages),
        (LOADING_STYLE, [*pages, *styles]),
        (LOADING_SCRIPT, scripts),
    ):
        found = {str(path): pattern.findall(path.read_text("utf-8")) for path in sources}
        assert {path: bad for path, bad in found.items() if bad} == {}


@pytest.mark.parametrize(
    "pattern, text",
    [
        (LOADING_TAG, '<script src="https://cdn.example.org/x.js"></script>'),
        (LOADING_TAG, '<img alt="" src="//example.org/x.png">'),
        (LOADING_TAG, "<link rel='preconnect' href='https://fonts.example.org'>"),
        (LOADING_STYLE, 'src: url("https://fonts.example.org/x.woff2")'),
        (LOADING_STYLE, "@import '//example.org/x.css'"),
        (LOADING_SCRIPT, 'fetch("https://example.org/count")'),
    ],
)
def test_loading_check_finds_foreign_addresses(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)


def test_loading_check_ignores_links() -> None:
    assert not LOADING_TAG.search('<a href="https://example.org/">elsewhere</a>')


def test_content_policy_forbids_other_sites() -> None:
    """The browser then loads nothing even if a page refers to it."""
    for allowed in settings.SECURE_CSP.values():
        assert set(map(str, allowed)) <= {"'self'", "'none'", "data:"}
