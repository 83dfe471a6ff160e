"""Pictures of gangs and members to save."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from accounts.models import User
from gangs.cards.cache import page_of
from gangs.engine.entries import Renamed
from gangs.ledger import writer
from gangs.models import Gang
from printing.pictures import answers
from printing.pictures.drawing import job
from printing.pictures.gangs import picture_of, picture_of_member
from printing.pictures.values import (
    SIZES,
    Face,
    Named,
    Notes,
    People,
    Placed,
    Preview,
    Ranking,
    Shape,
    Spotlight,
    Values,
    Versus,
)
from printing.press import layout, pixels
from printing.press.jobs import Job
from tests.printing.pictures.drawn import png
from tests.printing.reading import boxes_of
from tests.world.gangs import GOLD, make_gang, shipped

SHAPES: tuple[Shape, ...] = ("wide", "tall")
FACE = Face("AB", "#0d6565")
NAMES = ("", "Łódź-Жизнь 🤠 山田 עברית", "W" * 80, "Some words and " * 40)


def size_of(content: bytes) -> tuple[int, int]:
    """Return the size of a PNG."""
    with Image.open(BytesIO(content)) as opened:
        assert opened.format == "PNG"
        return opened.size


def test_gang_and_member_are_pictures_of_both_sizes(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    member = gang.roster.members[0].id
    for shape in SHAPES:
        address = reverse("gangs:saved-picture", args=[gang.pk, shape])
        found = [client.get(address).content, client.get(f"{address}?member={member}").content]
        assert [size_of(one) for one in found] == [SIZES[shape]] * 2
        assert found[0] != found[1]


def test_page_offers_both_shapes_to_save(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    member = gang.roster.members[0].id
    page = client.get(f"{reverse('gangs:saved-pictures', args=[gang.pk])}?member={member}")
    for shape in SHAPES:
        address = reverse("gangs:saved-picture", args=[gang.pk, shape])
        assert f'href="{address}?member={member}" download=' in page.content.decode()


@pytest.mark.parametrize("query", ["?member=999", "?member=x", "?member="])
def test_member_who_does_not_exist_has_no_picture(client: Client, alice: User, query: str) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    page = reverse("gangs:saved-pictures", args=[gang.pk])
    assert client.get(f"{page}{query}").status_code == 404
    picture = reverse("gangs:saved-picture", args=[gang.pk, "tall"])
    assert client.get(f"{picture}{query}").status_code == 404
    other = reverse("gangs:saved-picture", args=[gang.pk, "round"])
    assert client.get(other).status_code == 404


def test_picture_of_a_shared_gang_disappears_with_its_link(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    addresses = [
        reverse("gangs:shared-saved-pictures", args=[gang.share_key]),
        reverse("gangs:shared-saved-picture", args=[gang.share_key, "tall"]),
    ]
    for address in addresses:
        answer = client.get(address)
        assert (answer.status_code, answer["X-Robots-Tag"]) == (200, "noindex")
    Gang.objects.filter(pk=gang.pk).update(share_key=None)
    assert {client.get(address).status_code for address in addresses} == {404}


def test_picture_is_drawn_once_for_each_state_and_language(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    gang, drawn = make_gang(alice), list[str]()

    def draw(preview: Preview) -> Job:
        drawn.append(preview.facts)
        return job(preview)

    monkeypatch.setattr(answers, "job", draw)
    client.force_login(alice)
    address = reverse("gangs:saved-picture", args=[gang.pk, "wide"])
    client.get(address)
    client.get(address)
    assert len(drawn) == 1
    client.get(address, headers={"Accept-Language": "fr"})
    assert "figurine" in drawn[1]
    writer.append(gang, [Renamed(name="Others")], expected_version=gang.version, actor=alice)
    client.get(address)
    assert len(drawn) == 3


def test_contents_name_members_and_their_items(alice: User) -> None:
    gang = make_gang(alice)
    [people] = picture_of(gang, "tall").blocks
    assert isinstance(people, People)
    cards = page_of(gang).cards
    assert [row.name for row in people.rows] == [card.shown_name for card in cards]
    values, notes = picture_of_member(gang, cards[0], "tall").blocks
    assert isinstance(values, Values) and isinstance(notes, Notes)
    assert values.cells == [(stat.short, stat.value) for stat in cards[0].stats]
    assert ", ".join(item.name for item in cards[0].kit) in dict(notes.lines).values()


@pytest.mark.parametrize("shape", ["wide", pytest.param("tall", marks=pytest.mark.long)])
@pytest.mark.parametrize("name", NAMES)
def test_picture_is_drawn_with_any_name(name: str, shape: Shape) -> None:
    named = Named(FACE, name, name, name)
    plain = Preview(name, name, name, name, shipped(GOLD).look.emblem, "#f0c040", shape=shape)
    plain = replace(plain, badge=FACE)
    table = Ranking([name] * 9, [Placed("1", FACE, name, [name] * 9)] * 40)
    member = [Values([(name, name)] * 14), Notes([(name, name)] * 9)]
    shown = [
        replace(plain, blocks=member, is_portrait=True),
        replace(plain, blocks=[People([named] * 40)]),
        replace(plain, blocks=[Versus([named] * 2, [named]), Spotlight(name, named, (name, name))]),
        replace(plain, blocks=[Versus([named] * 6), Notes([(name, name)])]),
        replace(plain, blocks=[table], badge=None),
    ]
    assert [size_of(png(one)) for one in shown] == [SIZES[shape]] * len(shown)


@pytest.mark.parametrize("shape", SHAPES)
def test_picture_without_anybody_is_drawn(shape: Shape) -> None:
    plain = Preview("Title", "", "", "", shipped(GOLD).look.emblem, "#f0c040", shape=shape)
    for block in (People([]), Ranking([], []), Versus([]), Values([]), Notes([])):
        assert size_of(png(replace(plain, blocks=[block]))) == SIZES[shape]


@pytest.mark.parametrize("shape", SHAPES)
def test_photo_is_part_of_the_picture(shape: Shape) -> None:
    named = Named(FACE, "Name")
    plain = Preview("Title", "", "", "", shipped(GOLD).look.emblem, "#f0c040", shape=shape)
    made = job(replace(plain, blocks=[Versus([named, named])], photo="a.jpg"))
    assert made.pictures == ("a.jpg",)
    photo = BytesIO()
    Image.new("RGB", (300, 200), "#ff0000").save(photo, "JPEG")
    shown = pixels.png(made, {"a.jpg": photo.getvalue()})
    assert size_of(shown) == SIZES[shape]
    with Image.open(BytesIO(shown)) as drawn:
        wide, high = drawn.size
        # It fills its part, and nothing beside it.
        inside, beside = ((wide - 9, 9), (9, high // 2)) if shape == "wide" else ((9, 9), (9, 500))
        ground = drawn.getpixel((9, high - 30))
        assert drawn.getpixel(inside)[0] > 200 and drawn.getpixel(beside) == ground  # type: ignore[index]
    # The press draws a picture without a photo that is damaged.
    assert shown != pixels.png(made, {"a.jpg": b"no picture"}) == pixels.png(made)


def test_name_ends_before_its_value() -> None:
    named = Named(FACE, "A long name " * 9, "text", "121 XP")
    plain = Preview("Title", "", "", "", shipped(GOLD).look.emblem, "#f0c040", shape="tall")
    made = job(replace(plain, blocks=[People([named])]))
    found = [
        box
        for box in boxes_of(layout.lay_out(made).pages[0]._page_box)
        if box.element is not None and box.element.get("class") in ("name", "value")
    ]
    # The first boxes of their paragraphs; the name's text, inside, is cut off.
    value = next(box for box in found if box.element.get("class") == "value")
    name = next(box for box in found if box.element.get("class") == "name")
    assert name.position_x + name.width <= value.position_x


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_picture_to_save_fills_its_height(shape: Shape, count: int) -> None:
    """The last row of a list ends close to the foot."""
    named = Named(FACE, "Name", "text", "5")
    plain = Preview("Title", "", "", "", shipped(GOLD).look.emblem, "#f0c040", shape=shape)
    rows = [Placed(str(place), FACE, "Name", ["1"]) for place in range(count)]
    for block in (People([named] * count), Ranking(["Points"], rows)):
        made = job(replace(plain, blocks=[block]))
        boxes = [
            box.position_y + box.margin_height()
            for box in boxes_of(layout.lay_out(made).pages[0]._page_box)
            if box.element is not None and box.element.get("class") == "row"
        ]
        assert 0.8 * SIZES[shape][1] < max(boxes) < SIZES[shape][1] - 50
