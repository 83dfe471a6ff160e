"""Faces drawn for gangs and members without a picture: of letters, the same everywhere, and easy to
read.
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from gangs.engine.entries import Entry, Renamed
from gangs.ledger import writer
from gangs.pictures import storage as pictures_storage
from gangs.pictures.faces import (
    COLOURS,
    PATTERNS,
    colour_of,
    face_of_gang,
    face_of_member,
    letters,
)
from gangs.templatetags.pictures import badge, portrait
from rules.book.look import contrast
from tests.gangs.pictures.test_pictures import made
from tests.world.campaigns import make_campaign, make_game, make_player
from tests.world.gangs import make_gang

STATIC = Path(__file__).parents[3] / "static"
FACE = re.compile(
    r'<span class="face is-(gang|member) hue-(\d+) grain-(\d+)( is-large)?" aria-hidden="true">'
    r"([^<]+)</span>"
)


def gangs_on(page: str) -> list[str]:
    """Return the letters of the gangs whose faces are on a page."""
    return [face[4] for face in FACE.findall(page) if face[0] == "gang"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("The Harrow Claim", "HC"),
        ("Les Flibustiers de la Marée Rouge", "FM"),
        ("L’Ordre d’Étain", "OÉ"),
        ("Captain Ysolde Marr", "CY"),
        ("Henchman 2", "H2"),
        ("vasseur & daughters", "VD"),
        ("Hangman’s Daughters", "HD"),
        ("Fay's Own", "FO"),
        ("Miners’ Sons", "MS"),
        ("Ada", "A"),
        ("The", "T"),
        ("ßtraße", "S"),
        ("«!?»", "?"),
        ("", "?"),
    ],
)
def test_letters_are_the_initials_of_the_distinctive_words(name: str, shown: str) -> None:
    assert letters(name) == shown


@given(st.text())
def test_every_name_has_one_or_two_letters(name: str) -> None:
    assert 1 <= len(letters(name)) <= 2


@given(st.uuids().map(str), st.text(), st.integers(1, 99))
def test_colour_stays_when_the_gang_is_renamed(key: str, name: str, member: int) -> None:
    found = face_of_gang(key, name)
    assert found.colour == colour_of(key) == face_of_member(key, member, name).colour
    assert found[1:] == face_of_gang(key, "another name")[1:]
    assert found.colour in range(len(COLOURS)) and found.pattern in range(PATTERNS)


def test_every_colour_and_pattern_is_used_and_drawn() -> None:
    found = [face_of_gang(f"gang {number}", "") for number in range(500)]
    assert {face[1:] for face in found} == set(product(range(len(COLOURS)), range(PATTERNS)))
    assert sorted(hues("skirmish.css", "hue")) == sorted(hues("night.css", "hue-line"))
    assert hues("skirmish.css", "hue") == {str(at): hue for at, hue in enumerate(COLOURS)}
    drawn = re.findall(r"^\.grain-(\d) \{", (STATIC / "skirmish.css").read_text("utf-8"), re.M)
    # The first pattern is plain.
    assert list(map(int, drawn)) == list(range(1, PATTERNS))


def hues(file: str, variable: str) -> dict[str, str]:
    """Return the colours that a stylesheet sets, by their numbers."""
    css = (STATIC / file).read_text("utf-8")
    return dict(re.findall(rf"^\.hue-(\d+) \{{ --{variable}: (#[0-9a-f]{{6}}); \}}", css, re.M))


def test_letters_can_be_read_in_both_themes() -> None:
    """White letters on each colour; lines and words of that colour on a card."""
    for colour in hues("skirmish.css", "hue").values():
        assert contrast("#ffffff", colour) >= 4.5 <= contrast(colour, "#fffcf5"), colour
    for colour in hues("night.css", "hue-line").values():
        assert contrast(colour, "#25211c") >= 4.5, colour


def test_picture_replaces_the_face(alice: User) -> None:
    gang = make_gang(alice)
    member = gang.roster.members[0].id
    context = {"gang": gang}
    assert FACE.fullmatch(badge(context, gang))
    assert FACE.fullmatch(portrait(context, member, "Ada Marr"))
    for of in (None, member):
        pictures_storage.keep(gang, of, made())
    assert badge(context, gang).startswith('<img class="portrait"')
    assert portrait(context, member, "Ada Marr").startswith('<img class="portrait"')


def test_deleted_gangs_and_members_have_faces_too() -> None:
    """A deleted gang keeps its name, a deleted member the number."""
    for found in (badge({}, None, "The <Gone>"), badge({}, None, "The <Gone>", "name:The <Gone>")):
        assert FACE.fullmatch(found)
        assert found == badge({}, None, "The <Gone>")
    assert FACE.fullmatch(portrait({}, 3, "Cid <Marr>", "gone"))


def test_member_has_the_colour_that_a_page_gives_its_gang() -> None:
    context = {"colours": {"a-key": 3}, "pictured": {}}
    assert "hue-3" in portrait(context, 1, "Ada", "a-key")
    assert f"hue-{colour_of('another')}" in portrait(context, 1, "Ada", "another")


@pytest.mark.long
def test_faces_are_shown_beside_gangs_everywhere(client: Client, alice: User, bob: User) -> None:
    """In lists, at the head of their own pages, and in a campaign; each face is the same
    everywhere.
    """
    campaign = make_campaign(alice)
    mine, other = make_player(campaign, alice), make_player(campaign, bob)
    named: list[Entry] = [Renamed(name="The Other Ones")]
    writer.append(other, named, expected_version=other.version, actor=bob)
    game = make_game(campaign, alice, mine, other)
    client.force_login(alice)
    both = sorted([letters(mine.name), "OO"])
    for address, shown in (
        (reverse("gangs:list"), [letters(mine.name)]),
        (mine.get_absolute_url(), [letters(mine.name)]),
        (reverse("gangs:sheet", args=[mine.pk]), [letters(mine.name)]),
        (campaign.get_absolute_url(), both + both),
        (reverse("campaigns:chronicle", args=[campaign.pk]), both),
        (reverse("campaigns:people", args=[campaign.pk]), both),
        (game.get_absolute_url(), both),
        (reverse("campaigns:game-report", args=[game.pk]), both + both),
    ):
        page = client.get(address).content.decode()
        assert sorted(gangs_on(page)) == sorted(shown), address
        colours = {face[4]: face[1] for face in FACE.findall(page) if face[0] == "gang"}
        assert colours[letters(mine.name)] == str(colour_of(str(mine.pk))), address


@pytest.mark.parametrize("page", ["", "sheet/"])
def test_every_member_has_a_face(client: Client, alice: User, page: str) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    found = FACE.findall(client.get(f"{gang.get_absolute_url()}{page}").content.decode())
    members = [face for face in found if face[0] == "member"]
    assert [face[2] for face in members] == [
        str(member.id % PATTERNS) for member in gang.roster.members
    ]
    assert {face[1] for face in found} == {str(colour_of(str(gang.pk)))}
