"""Files at well-known addresses, which programs look for on every site."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse

from guide.chapters import guide
from tests.world.gangs import make_version

pytestmark = pytest.mark.django_db


def lines(client: Client, path: str) -> list[str]:
    """Return the lines of a plain text."""
    answer = client.get(path)
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    return answer.content.decode().splitlines()


def test_robots_file_excludes_private_addresses(client: Client, settings: Any) -> None:
    settings.SITE_URL = "https://gangs.example.org"
    assert lines(client, "/robots.txt") == [
        "User-agent: *",
        "Disallow: /accounts/",
        "Disallow: /administration/",
        "Disallow: /report/",
        "Disallow: /*.pdf",
        "Disallow: /*.zip",
        "",
        "Sitemap: https://gangs.example.org/sitemap.xml",
    ]


@pytest.mark.long
def test_sitemap_lists_public_pages(client: Client) -> None:
    make_version("cran")
    root = ElementTree.fromstring(client.get("/sitemap.xml").content)  # noqa: S314 - Our own.
    paths = ["/", "/rules/", "/rules/cran/", "/gangs/new/cran/", "/help/"]
    # In either language: a chapter has one address.
    paths += [f"/help/{chapter.slug}/" for chapter in guide("fr").chapters]
    assert len(paths) > 9
    assert [loc.text for loc in root.iter() if loc.text] == [
        f"http://testserver{path}" for path in paths
    ]
    for loc in root.iter():
        if loc.text:
            assert client.get(loc.text.removeprefix("http://testserver")).status_code == 200


def test_password_managers_find_the_page_for_a_new_password(client: Client) -> None:
    answer = client.get("/.well-known/change-password")
    assert (answer.status_code, answer["Location"]) == (302, reverse("account_change_password"))


def test_security_file_names_the_contact(client: Client, settings: Any) -> None:
    path = "/.well-known/security.txt"
    assert client.get(path).status_code == 404
    settings.SECURITY_CONTACT = "safety@example.org"
    said = dict(line.split(": ", 1) for line in lines(client, path))
    expires = datetime.fromisoformat(said.pop("Expires"))
    assert timedelta(days=100) < expires - datetime.now(UTC) < timedelta(days=365)
    assert said == {
        "Contact": "mailto:safety@example.org",
        "Preferred-Languages": "en, de, fr",
        "Canonical": f"http://testserver{path}",
    }
    settings.SECURITY_CONTACT = "https://example.org/security"
    assert lines(client, path)[0] == "Contact: https://example.org/security"


def test_phones_find_an_icon(client: Client) -> None:
    page = client.get("/").content.decode()
    assert 'rel="apple-touch-icon" href="/static/apple-touch-icon.png"' in page
    assert client.get("/apple-touch-icon.png")["Location"] == "/static/apple-touch-icon.png"
