"""The look of the pages: a game's own where the page is about one, by day or by night as chosen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from rules.book.look import CARD, GROUNDS, HOUSE_LOOK, INK, ON_ACCENT, Theme
from rules.book.model import Book
from rules.library import load
from rules.stylesheet import CORNERS, STYLE_VERSION, stylesheet
from rules.templatetags.looks import sign
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import GOLD, SLUGS, make_gang, shipped

STATIC = Path(__file__).parents[1] / "static"
THEMES: tuple[Theme, ...] = ("light", "dark")
LOOKS = re.compile(
    r'<link rel="stylesheet" href="([^"]*/look-\w+\.css)\?(\w+)"(?: media="([^"]*)")?>'
)


def linked(client: Client, address: str) -> dict[str, str]:
    """The look's stylesheets that a page links, each with its media."""
    found = LOOKS.findall(client.get(address).content.decode())
    assert {drawn for _, drawn, _ in found} <= {STYLE_VERSION}
    return {path: media for path, _, media in found}


def both(digest: str) -> dict[str, str]:
    """What a page about this rulebook links for a reader who follows their device."""
    return {
        f"/rules/version/{digest}/look-light.css": "",
        f"/rules/version/{digest}/look-dark.css": "screen and (prefers-color-scheme: dark)",
    }


def said(css: str) -> dict[str, str]:
    """The variables that a stylesheet sets."""
    return dict(re.findall(r"--([a-z-]+): (.*);", css))


def test_pages_of_a_gang_a_campaign_and_the_rules_have_the_game_s_look(
    client: Client, alice: User
) -> None:
    gang = make_gang(alice)
    campaign = make_campaign(alice)
    client.force_login(alice)
    digest = gang.book_version_id
    addresses = [
        gang.get_absolute_url(),
        f"{gang.get_absolute_url()}history/",
        reverse("gangs:new", args=[gang.book.slug]),
        reverse("rules:book", args=[gang.book.slug]),
        reverse("rules:version-chapter", args=[digest, "play"]),
    ]
    for address in addresses:
        assert linked(client, address) == both(digest), address
    for name in ("campaign", "chronicle", "settings"):
        address = reverse(f"campaigns:{name}", args=[campaign.pk])
        assert linked(client, address) == both(campaign.book_version_id), address


@pytest.mark.parametrize("name", ["gangs:list", "campaigns:list", "rules:books", "notices"])
def test_pages_of_no_game_have_the_house_s(client: Client, alice: User, name: str) -> None:
    make_gang(alice)
    client.force_login(alice)
    assert linked(client, reverse(name)) == {}


def test_a_rulebook_without_a_look_has_the_house_s(client: Client, plain: str) -> None:
    answer = client.get(f"/rules/version/{plain}/look-light.css")
    assert said(answer.content.decode())["accent"] == HOUSE_LOOK.accent.light


def test_the_stylesheet_is_the_same_for_everybody_for_ever(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    address = reverse("rules:look", args=[gang.book_version_id, "light"])
    visitor = client.get(address)
    client.force_login(alice)
    player = client.get(address, headers={"Accept-Language": "fr"})
    for answer in (visitor, player):
        assert answer.status_code == 200
        assert answer["Content-Type"] == "text/css"
        assert "immutable" in answer["Cache-Control"] and "public" in answer["Cache-Control"]
        assert not answer.has_header("Vary")
        assert not answer.cookies
    assert visitor.content == player.content == stylesheet(gang.book.look, "light").encode()


def test_there_are_no_others(client: Client, alice: User) -> None:
    digest = make_gang(alice).book_version_id
    assert client.get(f"/rules/version/{digest}/look-sepia.css").status_code == 404
    assert client.get(f"/rules/version/{'0' * 64}/look-light.css").status_code == 404


@pytest.mark.parametrize("theme", THEMES)
def test_it_sets_what_the_pages_know(theme: Theme) -> None:
    house = said((STATIC / "skirmish.css").read_text("utf-8"))
    look = shipped(GOLD).look
    ours = said(stylesheet(look, theme))
    assert set(ours) <= set(house)
    assert ours["accent"] == look.accent.by(theme)
    red, green, blue = (int(part) for part in ours["accent-rgb"].split(", "))
    assert f"#{red:02x}{green:02x}{blue:02x}" == look.accent.by(theme)


def test_its_drawing_ground_and_corners() -> None:
    house = said((STATIC / "skirmish.css").read_text("utf-8"))
    look = shipped(GOLD).look
    ours = said(stylesheet(look, "light"))
    assert f"d='{look.emblem}'" in ours["emblem"]
    assert ours["radius"] == CORNERS[look.corners]
    grounds = type(look).model_json_schema()["properties"]["ground"]["enum"]
    assert {f"ground-{name}" for name in grounds} <= set(house)
    assert ours["ground"] == f"var(--ground-{look.ground})"


@pytest.mark.parametrize(("theme", "name"), [("light", "skirmish.css"), ("dark", "night.css")])
def test_the_page_and_the_check_speak_of_the_same_colours(theme: Theme, name: str) -> None:
    house = said((STATIC / name).read_text("utf-8"))
    assert house["card"] == CARD[theme]
    assert {house["paper"], house["card"], house["sunk"]} <= set(GROUNDS[theme])
    assert (house["ink"], house["on-accent"]) == (INK[theme], ON_ACCENT[theme])
    assert house["accent"] == HOUSE_LOOK.accent.by(theme)
    assert house["second"] == HOUSE_LOOK.second.by(theme)


def test_a_sign_says_nothing_to_those_who_do_not_see_it(gold: Book) -> None:
    drawn = sign(gold)
    assert drawn.count(gold.look.emblem) == 2
    assert 'aria-hidden="true"' in drawn
    assert gold.look.accent.light in drawn and gold.look.accent.dark in drawn


# What a phone shows: it has no pointer to rest on something


def titles(page: str) -> set[str]:
    """What abbreviations mean, told to whoever points at them."""
    return set(re.findall(r'<abbr title="([^"]+)"', page))


def posted_version(page: str) -> str:
    """What a page says without anybody pointing at anything."""
    return re.sub(r"<[^>]*>", " ", page)


@pytest.mark.parametrize("slug", SLUGS)
def test_what_letters_mean_can_be_read(client: Client, alice: User, slug: str) -> None:
    client.force_login(alice)
    campaign = make_campaign(alice, slug)
    addresses = [
        make_player(campaign, alice).get_absolute_url(),
        reverse("campaigns:campaign", args=[campaign.pk]),
        *(reverse("rules:chapter", args=[slug, key]) for key in ("items", "characters")),
    ]
    for address in addresses:
        page = client.get(address).content.decode()
        words = titles(page) - {"Place"}
        assert words or address.startswith("/rules/"), address
        assert not [word for word in words if word not in posted_version(page)], address


# Day and night


def night(client: Client, address: str = "/") -> str:
    """When a page's colours are those of the night."""
    page = client.get(address).content.decode()
    found = re.search(r'<link rel="stylesheet" href="[^"]*night[^"]*" media="([^"]*)">', page)
    return found[1] if found else ""


def scheme(client: Client) -> str:
    """What the page tells the browser before any stylesheet is there."""
    page = client.get("/").content.decode()
    return page.split('name="color-scheme" content="')[1].split('"')[0]


@pytest.mark.django_db
def test_the_device_decides_unless_the_reader_does(client: Client) -> None:
    assert (night(client), scheme(client)) == (
        "screen and (prefers-color-scheme: dark)",
        "light dark",
    )
    client.post("/theme/", {"theme": "dark"})
    assert (night(client), scheme(client)) == ("screen", "dark")
    client.post("/theme/", {"theme": "light"})
    assert (night(client), scheme(client)) == ("", "light")
    client.post("/theme/", {"theme": "system"})
    assert "prefers-color-scheme" in night(client)


def test_a_game_s_look_follows(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    address = gang.get_absolute_url()
    client.post("/theme/", {"theme": "dark"})
    assert list(linked(client, address).values()) == ["", "screen"]
    client.post("/theme/", {"theme": "light"})
    assert list(linked(client, address).values()) == [""]


@pytest.mark.django_db
def test_the_choice_is_marked(client: Client) -> None:
    client.post("/theme/", {"theme": "dark"})
    page = client.get("/").content.decode()
    assert re.findall(r'value="(\w+)" aria-pressed="true"', page) == ["dark"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("back", "goes"),
    [
        ("/rules/?q=1", "/rules/?q=1"),
        ("", "/"),
        ("https://elsewhere.example/", "/"),
        ("//elsewhere.example/", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_one_comes_back_to_the_same_page_and_to_no_other_site(
    client: Client, back: str, goes: str
) -> None:
    answer = client.post("/theme/", {"theme": "dark", "next": back})
    assert (answer.status_code, answer["Location"]) == (302, goes)


@pytest.mark.django_db
def test_a_cookie_of_nonsense_is_no_choice(client: Client) -> None:
    client.cookies["theme"] = '"><script>'
    assert "prefers-color-scheme" in night(client)
    assert client.post("/theme/", {"theme": "sepia"}).cookies["theme"].value == ""
    assert client.get("/theme/").status_code == 405


@pytest.fixture
def gold() -> Book:
    """A rulebook as it is shipped."""
    return shipped(GOLD)


@pytest.fixture
def plain(db: None) -> str:
    """The digest of a stored version that says nothing about its look."""
    data = json.loads(shipped(GOLD).canonical())
    del data["look"]
    return load(Book.model_validate(data))[0].digest


# Letters that stand there until ours have come


def test_whatever_is_set_in_our_fonts_has_letters_as_wide_until_they_come() -> None:
    """So that no line breaks anew: a page must not jump under a finger."""
    near = {'"Fira Sans"': '"Near Sans"', '"Zilla Slab"': '"Near Slab"'}
    for name in ("skirmish.css", "front.css", "table.css", "attempts.css"):
        css = re.sub(r"@font-face \{.*?\}", "", (STATIC / name).read_text("utf-8"))
        for ours, other in near.items():
            stacks = re.findall(rf"{ours}[^;]*;", css)
            assert all(stack.startswith(f"{ours}, {other}, ") for stack in stacks), name
    faces = re.findall(r"@font-face \{ (.*?) \}", (STATIC / "skirmish.css").read_text("utf-8"))
    for face in faces:
        if '"Near ' not in face:
            continue
        assert "local(" in face and "url(" not in face
        size, ascent = (
            float(re.search(rf"{what}: ([\d.]+)%", face)[1])  # type: ignore[index]
            for what in ("size-adjust", "ascent-override")
        )
        # As high as ours: 0.935 and 0.944 of the size of the letters.
        assert size * ascent / 10_000 == pytest.approx(0.94, abs=0.006)
