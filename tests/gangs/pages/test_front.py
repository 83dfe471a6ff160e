"""The front page: its contents for a visitor, and its links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client
from django.urls import reverse
from PIL import Image

from rules.stylesheet import several
from tests.world.gangs import make_version, shipped

pytestmark = pytest.mark.django_db

FRONT = Path(__file__).parents[3] / "static" / "front"
TWO = ("blackwater-gulch", "cran")


@pytest.fixture(autouse=True)
def two_games(db: None) -> None:
    """A site with two games."""
    for slug in TWO:
        make_version(slug)


def front(client: Client) -> str:
    """Return the page that a visitor reads."""
    return client.get("/").content.decode()


def test_each_game_has_one_button_and_its_introduction_and_ready_made_gangs_beside_it(
    client: Client,
) -> None:
    page = front(client)
    games = re.findall(r'<li class="tile game game-([\w-]+)">(.*?)</li>', page, re.DOTALL)
    assert [slug for slug, _tile in games] == list(TWO)
    for slug, tile in games:
        way = reverse("gangs:new", args=[slug])
        assert re.findall(r'<a class="btn btn-(\w+)[^"]*" href="([^"]+)"', tile) == [
            ("primary", way),
            ("link", reverse("rules:introduction", args=[slug])),
            ("link", f"{way}#ready-made"),
        ]
        # Screen readers that list only the links hear which game each is about.
        title = shipped(slug).title.translated("en")
        assert tile.count(f'<span class="visually-hidden"> · {title}</span>') == 3


def test_sources_and_editions_are_shown_with_the_rules_only(client: Client) -> None:
    book = shipped(TWO[0])
    assert f"{book.edition} · {book.author}" not in front(client)
    assert f"{book.edition} · {book.author}" in client.get(reverse("rules:books")).content.decode()


def test_demo_campaign_is_shown_when_the_site_names_one(client: Client, settings: Any) -> None:
    assert "See a campaign" not in front(client)
    settings.DEMO_CAMPAIGN = "/campaigns/watch/some-key/"
    assert 'href="/campaigns/watch/some-key/"' in front(client)


def test_picture_matches_the_reader_s_theme_and_language(client: Client) -> None:
    page = front(client)
    assert 'media="screen and (prefers-color-scheme: dark)" srcset="/static/front/dark-en' in page
    assert '<img src="/static/front/light-en' in page
    client.post("/theme/", {"theme": "light"})
    assert "front/dark" not in front(client)
    french = client.get("/", headers={"Accept-Language": "fr"}).content.decode()
    assert '<img src="/static/front/light-fr' in french


def test_pictures_have_the_size_given_on_the_page(client: Client) -> None:
    picture = r'<img src="/static/front/[^"]+" srcset="[^"]+"\s+sizes="[^"]+"'
    found = re.search(picture + r' width="(\d+)" height="(\d+)"', front(client))
    assert found is not None
    wide, high = int(found[1]), int(found[2])
    widths = {
        f"{theme}-{code}{ending}.avif": width
        for theme in ("light", "dark")
        for code, _ in site.LANGUAGES
        for ending, width in (("", 1000), ("-small", 720))
    }
    assert {file.name for file in FRONT.glob("*.avif")} == {*widths}
    for name, width in widths.items():
        with Image.open(FRONT / name) as picture:
            assert picture.width == width
            assert picture.width * high == picture.height * wide
        # The picture is most of the page's weight.
        assert (FRONT / name).stat().st_size < 100_000


def test_one_style_sheet_has_the_colours_of_all_games(client: Client) -> None:
    (sheet,) = re.findall(r'href="(/rules/looks-light\.css\?\w+)"', front(client))
    answer = client.get(sheet)
    looks = {slug: shipped(slug).look for slug in TWO}
    assert answer.content.decode() == several(looks, "light")
    assert re.findall(r"^(\S+) \{", answer.content.decode(), re.MULTILINE) == [
        f".game-{slug}" for slug in TWO
    ]
    assert "immutable" in answer["Cache-Control"]
    make_version("zombstone")
    assert sheet not in front(client)
    assert client.get("/rules/looks-sepia.css").status_code == 404
