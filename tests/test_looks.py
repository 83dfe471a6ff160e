"""The look of pages: a game's own on pages about it, in the light or dark theme as chosen."""

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


def find_looks(client: Client, address: str) -> dict[str, str]:
    """Return the look's stylesheets that a page links, each with its media."""
    found = LOOKS.findall(client.get(address).content.decode())
    assert {drawn for _, drawn, _ in found} <= {STYLE_VERSION}
    return {path: media for path, _, media in found}


def both(digest: str) -> dict[str, str]:
    """Return the links of a page about this rulebook for a reader with the device's theme."""
    return {
        f"/rules/version/{digest}/look-light.css": "",
        f"/rules/version/{digest}/look-dark.css": "screen and (prefers-color-scheme: dark)",
    }


def find_variables(css: str) -> dict[str, str]:
    """Return the variables that a stylesheet sets."""
    return dict(re.findall(r"--([a-z-]+): (.*);", css))


@pytest.mark.long
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
        assert find_looks(client, address) == both(digest), address
    for name in ("campaign", "chronicle", "settings"):
        address = reverse(f"campaigns:{name}", args=[campaign.pk])
        assert find_looks(client, address) == both(campaign.book_version_id), address


@pytest.mark.parametrize("name", ["gangs:list", "campaigns:list", "rules:books", "notices"])
def test_pages_without_a_game_have_the_default_look(client: Client, alice: User, name: str) -> None:
    make_gang(alice)
    client.force_login(alice)
    assert find_looks(client, reverse(name)) == {}


def test_rulebook_without_a_look_has_the_default_look(client: Client, plain: str) -> None:
    answer = client.get(f"/rules/version/{plain}/look-light.css")
    assert find_variables(answer.content.decode())["accent"] == HOUSE_LOOK.accent.light


def test_look_stylesheet_is_cached_for_ever_and_the_same_for_everybody(
    client: Client, alice: User
) -> None:
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


def test_unknown_look_stylesheets_are_not_found(client: Client, alice: User) -> None:
    digest = make_gang(alice).book_version_id
    assert client.get(f"/rules/version/{digest}/look-sepia.css").status_code == 404
    assert client.get(f"/rules/version/{'0' * 64}/look-light.css").status_code == 404


@pytest.mark.parametrize("theme", THEMES)
def test_look_stylesheet_sets_variables_that_pages_use(theme: Theme) -> None:
    house = find_variables((STATIC / "skirmish.css").read_text("utf-8"))
    look = shipped(GOLD).look
    ours = find_variables(stylesheet(look, theme))
    assert set(ours) <= set(house)
    assert ours["accent"] == look.accent.by(theme)
    red, green, blue = (int(part) for part in ours["accent-rgb"].split(", "))
    assert f"#{red:02x}{green:02x}{blue:02x}" == look.accent.by(theme)


def test_look_stylesheet_sets_emblem_ground_and_corners() -> None:
    house = find_variables((STATIC / "skirmish.css").read_text("utf-8"))
    look = shipped(GOLD).look
    ours = find_variables(stylesheet(look, "light"))
    assert f"d='{look.emblem}'" in ours["emblem"]
    assert ours["radius"] == CORNERS[look.corners]
    grounds = type(look).model_json_schema()["properties"]["ground"]["enum"]
    assert {f"ground-{name}" for name in grounds} <= set(house)
    assert ours["ground"] == f"var(--ground-{look.ground})"


@pytest.mark.parametrize(("theme", "name"), [("light", "skirmish.css"), ("dark", "night.css")])
def test_stylesheet_and_contrast_check_use_the_same_colours(theme: Theme, name: str) -> None:
    house = find_variables((STATIC / name).read_text("utf-8"))
    assert house["card"] == CARD[theme]
    assert {house["paper"], house["card"], house["sunk"]} <= set(GROUNDS[theme])
    assert (house["ink"], house["on-accent"]) == (INK[theme], ON_ACCENT[theme])
    assert house["accent"] == HOUSE_LOOK.accent.by(theme)
    assert house["second"] == HOUSE_LOOK.second.by(theme)


def test_sign_is_hidden_from_screen_readers(gold: Book) -> None:
    drawn = sign(gold)
    assert drawn.count(gold.look.emblem) == 2
    assert 'aria-hidden="true"' in drawn
    assert gold.look.accent.light in drawn and gold.look.accent.dark in drawn


# Abbreviations on a phone, which has no pointer to rest on them


def find_meanings(page: str) -> set[str]:
    """Return the meanings of abbreviations that a pointer resting on them shows."""
    return set(re.findall(r'<abbr title="([^"]+)"', page))


def visible_text(page: str) -> str:
    """Return a page's text that is visible without a pointer."""
    return re.sub(r"<[^>]*>", " ", page)


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_page_shows_the_meaning_of_its_abbreviations(
    client: Client, alice: User, slug: str
) -> None:
    client.force_login(alice)
    campaign = make_campaign(alice, slug)
    addresses = [
        make_player(campaign, alice).get_absolute_url(),
        reverse("campaigns:campaign", args=[campaign.pk]),
        *(reverse("rules:chapter", args=[slug, key]) for key in ("items", "characters")),
    ]
    for address in addresses:
        page = client.get(address).content.decode()
        words = find_meanings(page) - {"Place"}
        assert words or address.startswith("/rules/"), address
        assert not [word for word in words if word not in visible_text(page)], address


# Light and dark themes


def find_dark_media(client: Client, address: str = "/") -> str:
    """Return the media for which a page's dark colours apply."""
    page = client.get(address).content.decode()
    found = re.search(r'<link rel="stylesheet" href="[^"]*night[^"]*" media="([^"]*)">', page)
    return found[1] if found else ""


def find_scheme(client: Client) -> str:
    """Return the color scheme that a page announces before any stylesheet loads."""
    page = client.get("/").content.decode()
    return page.split('name="color-scheme" content="')[1].split('"')[0]


@pytest.mark.django_db
def test_theme_follows_the_device_unless_the_reader_chooses(client: Client) -> None:
    assert (find_dark_media(client), find_scheme(client)) == (
        "screen and (prefers-color-scheme: dark)",
        "light dark",
    )
    client.post("/theme/", {"theme": "dark"})
    assert (find_dark_media(client), find_scheme(client)) == ("screen", "dark")
    client.post("/theme/", {"theme": "light"})
    assert (find_dark_media(client), find_scheme(client)) == ("", "light")
    client.post("/theme/", {"theme": "system"})
    assert "prefers-color-scheme" in find_dark_media(client)


def test_look_of_a_game_follows_the_chosen_theme(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    address = gang.get_absolute_url()
    client.post("/theme/", {"theme": "dark"})
    assert list(find_looks(client, address).values()) == ["", "screen"]
    client.post("/theme/", {"theme": "light"})
    assert list(find_looks(client, address).values()) == [""]


@pytest.mark.django_db
def test_chosen_theme_is_marked(client: Client) -> None:
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
def test_choosing_a_theme_returns_to_the_same_page_and_no_other_site(
    client: Client, back: str, goes: str
) -> None:
    answer = client.post("/theme/", {"theme": "dark", "next": back})
    assert (answer.status_code, answer["Location"]) == (302, goes)


@pytest.mark.django_db
def test_invalid_theme_cookie_is_ignored(client: Client) -> None:
    client.cookies["theme"] = '"><script>'
    assert "prefers-color-scheme" in find_dark_media(client)
    assert client.post("/theme/", {"theme": "sepia"}).cookies["theme"].value == ""
    assert client.get("/theme/").status_code == 405


@pytest.fixture
def gold() -> Book:
    """Return a rulebook as it is shipped."""
    return shipped(GOLD)


@pytest.fixture
def plain(db: None) -> str:
    """Return the digest of a stored version without a look."""
    data = json.loads(shipped(GOLD).canonical())
    del data["look"]
    return load(Book.model_validate(data))[0].digest


# Substitute fonts until ours have loaded


def test_no_summary_contains_a_control() -> None:
    """A browser does not unfold for a press on a control, and ``output`` counts as one."""
    control = re.compile(r"<(a|button|input|label|output|select|textarea)\b")
    for template in (STATIC.parent / "templates").rglob("*.html"):
        for summary in re.findall(r"<summary.*?</summary>", template.read_text(), re.DOTALL):
            assert not control.search(summary), template.name


def test_fallback_fonts_are_as_wide_as_ours() -> None:
    """With equal widths no line breaks differently, so a page does not jump under a finger."""
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
        # Our letters' heights are 0.935 and 0.944 of their size.
        assert size * ascent / 10_000 == pytest.approx(0.94, abs=0.006)
