"""Photos as phones make them: the browser makes them small, and the site shows them upright."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Request, expect

from accounts.models import User
from campaigns.models import Game
from gangs.pictures.storage import read_file
from tests.browser.conftest import Invite
from tests.browser.person import PASSWORD, Person
from tests.world.campaigns import confirmed, make_campaign, make_game, make_player, reported

pytestmark = [pytest.mark.browser]
RED, BLUE = (200, 30, 30), (30, 30, 200)


@pytest.fixture
def game(transactional_db: None, settings, tmp_path: Path) -> Game:
    """Return a confirmed game of alice."""
    settings.DATA_DIR = tmp_path
    alice, bob = (User.objects.create_user(name, password=PASSWORD) for name in ("alice", "bob"))
    campaign = make_campaign(bob)
    gangs = [make_player(campaign, user) for user in (alice, bob)]
    return confirmed(reported(make_game(campaign, bob, *gangs), alice), bob)


def photograph(name: str, size: tuple[int, int], kind: str = "JPEG", turn: int = 1) -> FilePayload:
    """Return a photo that is red at its start and blue at its end, with a turn in its metadata."""
    image = Image.new("RGB", size, RED)
    image.paste(BLUE, (size[0] // 2, 0, *size))
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = turn, "SECRET"
    second = {"save_all": True, "append_images": [image.resize((80, 80))]} if kind == "MPO" else {}
    out = io.BytesIO()
    image.save(out, kind, exif=exif.tobytes(), **second)
    return {"name": name, "mimeType": "image/jpeg", "buffer": out.getvalue()}


def test_photos_of_phones_are_made_small_and_stored_upright(invite: Invite, game: Game) -> None:
    alice: Person = invite()
    alice.sign_in("alice")
    alice.open(game.get_absolute_url())
    alice.follow("Add photos", exact=False)
    sent: list[Request] = []
    alice.page.on(
        "request", lambda request: sent.append(request) if request.method == "POST" else None
    )
    turned = photograph("IMG_1.jpg", (8064, 6048), turn=6)
    phone = photograph("IMG_2.jpg", (3000, 2000), "MPO", turn=3)
    alice.page.get_by_label("Photos").set_input_files([turned, phone])
    # Pressed before both are small.
    alice.press("Upload", exact=False)
    expect(alice.page.locator("#photos img")).to_have_count(2)
    alice.look("photos")
    body = sent[-1].post_data_buffer or b""
    assert len(body) < 400_000 and b"SECRET" not in body and b"MPF\0" not in body
    first, second = [
        Image.open(io.BytesIO(read_file(photo.name, 640) or b"")) for photo in game.photos.all()
    ]
    assert first.size == (480, 640) and second.size == (640, 427)
    for image, start, end in ((first, (240, 20), (240, 620)), (second, (620, 200), (20, 200))):
        assert image.getpixel(start)[0] > 150 and image.getpixel(end)[2] > 150


def test_photo_that_the_browser_cannot_draw_is_refused_in_words(invite: Invite, game: Game) -> None:
    alice: Person = invite()
    alice.sign_in("alice")
    alice.open(f"{game.get_absolute_url()}photos/")
    heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(2000)
    chosen: FilePayload = {"name": "IMG_3.HEIC", "mimeType": "image/heic", "buffer": heic}
    alice.page.get_by_label("Photos").set_input_files([chosen])
    alice.fill("What do they show?", "The bridge")
    alice.press("Upload", exact=False)
    expect(alice.page.get_by_text("This is an HEIC photo")).to_be_visible()
    expect(alice.page.get_by_label("What do they show?")).to_have_value("The bridge")
    alice.look("photo-refused")
