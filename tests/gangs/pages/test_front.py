"""The front page: what a visitor is shown, and where it leads."""

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
    """What a visitor reads."""
    return client.get("/").content.decode()


def test_each_game_has_one_button_and_its_ready_made_gangs_beside_it(client: Client) -> None:
    page = front(client)
    games = re.findall(r'<li class="tile game game-([\w-]+)">(.*?)</li>', page, re.DOTALL)
    assert [slug for slug, _tile in games] == list(TWO)
    for slug, tile in games:
        way = reverse("gangs:new", args=[slug])
        assert re.findall(r'<a class="btn btn-(\w+)[^"]*" href="([^"]+)"', tile) == [
            ("primary", way),
            ("link", f"{way}#ready-made"),
        ]
        # Which game a link is about is said to those who hear the links alone.
        title = shipped(slug).title.translated("en")
        assert tile.count(f'<span class="visually-hidden"> · {title}</span>') == 2


def test_sources_and_editions_belong_to_the_rules(client: Client) -> None:
    book = shipped(TWO[0])
    assert f"{book.edition} · {book.author}" not in front(client)
    assert f"{book.edition} · {book.author}" in client.get(reverse("rules:books")).content.decode()


def test_a_demo_campaign_is_shown_where_the_site_names_one(client: Client, settings: Any) -> None:
    assert "See a campaign" not in front(client)
    settings.DEMO_CAMPAIGN = "/campaigns/watch/some-key/"
    assert 'href="/campaigns/watch/some-key/"' in front(client)


def test_the_picture_is_of_the_reader_s_theme_and_language(client: Client) -> None:
    page = front(client)
    assert 'media="screen and (prefers-color-scheme: dark)" srcset="/static/front/dark-en' in page
    assert '<img src="/static/front/light-en' in page
    client.post("/theme/", {"theme": "light"})
    assert "front/dark" not in front(client)
    french = client.get("/", headers={"Accept-Language": "fr"}).content.decode()
    assert '<img src="/static/front/light-fr' in french


def test_the_pictures_are_as_large_as_the_page_says(client: Client) -> None:
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
        # It is most of what the page weighs.
        assert (FRONT / name).stat().st_size < 100_000


def test_all_games_have_their_colours_side_by_side(client: Client) -> None:
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
