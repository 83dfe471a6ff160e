"""Photos of games: uploaded by players and organisers, shown with the game, deleted with it."""

from __future__ import annotations

import io
import uuid
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from accounts import data_export, deletion
from accounts.models import User
from administration.acts.kinds import Acts
from administration.acts.writing_acts import GAME_ACTS
from campaigns.games import photos
from campaigns.models import Campaign, Game, Photo
from common.storages import store
from gangs.models import Gang
from gangs.pictures import decoder, storage
from gangs.pictures.storage import Decoded
from printing.paper.orders import Order
from printing.pictures import games as game_picture
from printing.season import yearbook
from printing.season.material import material
from tests.world.campaigns import confirmed, make_game, reported

AsUser = Callable[[User], Client]


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Any) -> None:
    """Start every test without pictures."""
    settings.DATA_DIR = tmp_path


def photograph(colour: str = "teal", size: tuple[int, int] = (300, 200)) -> bytes:
    """Return a photo as a file."""
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "JPEG")
    return out.getvalue()


def decoded(colour: str = "teal") -> Decoded:
    """Return a photo that is ready to be stored."""
    return Decoded(decoder.decode_picture(photograph(colour), is_photo=True))


def files() -> set[str]:
    """Return the names of all stored pictures."""
    return {name for name, _at in store("pictures").written()}


@pytest.fixture
def game(campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang) -> Game:
    """Return a confirmed game of alice and dora."""
    return confirmed(reported(make_game(campaign, alice, hers, theirs), alice), dora)


def address(game: Game) -> str:
    """Return the address of the form that adds a photo."""
    return reverse("campaigns:game-photo-add", args=[game.pk])


def file_address(photo: Photo, size: int = photos.SMALL) -> str:
    """Return the address of a photo's file."""
    return reverse("campaigns:game-photo", args=[photo.game_id, size, photo.name])


def test_decoder_keeps_the_shape_of_a_photo() -> None:
    for size, expected in (
        ((3200, 1600), [(640, 320), (1600, 800)]),
        ((300, 200), [(300, 200), (300, 200)]),
        ((900, 100), [(300, 100), (300, 100)]),
        ((1, 4000), [(1, 3), (1, 3)]),
    ):
        made = decoder.decode_picture(photograph(size=size), is_photo=True)
        assert [Image.open(io.BytesIO(one)).size for one in made] == expected


def test_uploaded_photo_is_on_the_game_and_in_the_chronicle(
    as_user: AsUser, game: Game, alice: User, dora: User
) -> None:
    client = as_user(alice)
    picture = SimpleUploadedFile("IMG_1.jpg", photograph(), content_type="image/jpeg")
    answer = client.post(address(game), {"picture": picture, "caption": "The <bridge> falls"})
    assert answer["Location"] == f"{game.get_absolute_url()}#photos"
    [photo] = game.photos.all()
    assert (photo.by, photo.caption) == (alice, "The <bridge> falls")
    chronicle = reverse("campaigns:chronicle", args=[game.campaign_id])
    for page in (game.get_absolute_url(), chronicle):
        shown = as_user(dora).get(page).content.decode()
        assert f'src="{file_address(photo)}" alt="The &lt;bridge&gt; falls"' in shown
    for size in (photos.SMALL, photos.LARGE):
        assert as_user(dora).get(file_address(photo, size))["Content-Type"] == "image/jpeg"
    assert client.get(file_address(photo, 96)).status_code == 404


def test_form_keeps_the_caption_when_the_file_is_no_picture(
    as_user: AsUser, game: Game, alice: User
) -> None:
    picture = SimpleUploadedFile("a.jpg", b"no picture", content_type="image/jpeg")
    answer = as_user(alice).post(address(game), {"picture": picture, "caption": "The bridge"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert 'value="The bridge"' in page and "not a JPEG" in page
    assert not game.photos.exists() and files() == set()


def test_several_photos_arrive_together(as_user: AsUser, game: Game, alice: User) -> None:
    """The second is no picture: the others are stored, and the form names it."""
    chosen = [
        ("a.jpg", photograph("teal")),
        ("b.heic", b"\0\0\0\x18ftypheic"),
        ("c.jpg", photograph("red")),
    ]
    files = [SimpleUploadedFile(name, content) for name, content in chosen]
    answer = as_user(alice).post(address(game), {"picture": files, "caption": "The <bridge>"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "b.heic: This is an HEIC photo" in page and "2 photos uploaded." in page
    assert "The &lt;bridge&gt;" in page
    assert [photo.caption for photo in game.photos.all()] == ["The <bridge>"] * 2
    good = [
        SimpleUploadedFile(name, photograph(colour))
        for name, colour in (("a", "blue"), ("b", "lime"))
    ]
    answer = as_user(alice).post(address(game), {"picture": good, "caption": ""})
    assert answer.status_code == 302 and game.photos.count() == 4


def test_more_photos_than_there_is_room_for(as_user: AsUser, game: Game, alice: User) -> None:
    colours = ("teal", "red", "blue", "green", "black", "white", "orange")

    def send(*chosen: str) -> str:
        files = [SimpleUploadedFile(f"{colour}.jpg", photograph(colour)) for colour in chosen]
        answer = as_user(alice).post(address(game), {"picture": files})
        assert answer.status_code == 422
        return answer.content.decode()

    assert "A game has room for 6 photos." in send(*colours)
    assert not game.photos.exists()
    photos.keep(game, alice, decoded("teal"), "")
    photos.keep(game, alice, decoded("red"), "")
    assert "This game has no room for more photos." in send(*colours[2:])
    assert game.photos.count() == photos.MOST


def test_photo_without_a_caption_has_default_words(
    as_user: AsUser, game: Game, alice: User
) -> None:
    photo = photos.keep(game, alice, decoded(), "The bridge")
    photos.keep(game, alice, decoded(), "")
    assert game.photos.get().caption == "The bridge"
    Photo.objects.filter(pk=photo.pk).update(caption="")
    for language, words in (("en", "Photo of the game"), ("fr", "Photo de la partie")):
        page = as_user(alice).get(game.get_absolute_url(), headers={"Accept-Language": language})
        assert f'alt="{words}"' in page.content.decode()


def test_game_takes_six_photos(game: Game, alice: User, dora: User) -> None:
    colours = ("teal", "red", "blue", "green", "black", "white")
    kept = [photos.keep(game, alice, decoded(colour), colour) for colour in colours]
    with pytest.raises(photos.Full):
        photos.keep(game, dora, decoded("orange"), "One too many")
    # Sending the same form twice adds nothing, and only its uploader changes a caption.
    assert photos.keep(game, alice, decoded("teal"), "Sea") == kept[0]
    photos.keep(game, dora, decoded("teal"), "Mine")
    assert [photo.caption for photo in game.photos.all()] == ["Sea", *colours[1:]]


def test_full_game_and_quota_are_said_beside_the_file(
    as_user: AsUser, game: Game, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "decode", lambda *_args, **_options: decoded("red"))
    photos.keep(game, alice, decoded("teal"), "Sea")

    def send() -> str:
        picture = SimpleUploadedFile("a.jpg", b"any", content_type="image/jpeg")
        answer = as_user(alice).post(address(game), {"picture": picture, "caption": "Red"})
        assert answer.status_code == 422
        return answer.content.decode()

    settings.QUOTAS = {**settings.QUOTAS, "photos": 1}
    assert "You have uploaded 1 photos, which is the limit." in send()
    monkeypatch.setattr(photos, "MOST", 1)
    assert "This game has no room for more photos." in send()


def test_uploader_and_organisers_remove_a_photo_and_others_do_not(
    as_user: AsUser, game: Game, alice: User, dora: User, bob: User
) -> None:
    for person, status in ((dora, 404), (bob, 302), (alice, 302)):
        photo = photos.keep(game, alice, decoded(), "The bridge")
        remove = reverse("campaigns:game-photo-remove", args=[game.pk, photo.pk])
        assert (remove in as_user(person).get(game.get_absolute_url()).content.decode()) == (
            status == 302
        )
        assert as_user(person).post(remove).status_code == status
        assert game.photos.exists() == (status == 404)


def test_nobody_adds_photos_to_an_undone_game(as_user: AsUser, game: Game, alice: User) -> None:
    Game.objects.filter(pk=game.pk).update(status=Game.Status.STRUCK)
    assert as_user(alice).get(address(game)).status_code == 404


def test_files_are_deleted_with_photo_and_game(
    game: Game, alice: User, django_capture_on_commit_callbacks: Any
) -> None:
    def delete_photo() -> None:
        game.photos.get().delete()

    def delete_game() -> None:
        Game.objects.get(pk=game.pk).delete()

    for delete in (delete_photo, delete_game):
        photos.keep(game, alice, decoded(), "The bridge")
        assert len(files()) == 2
        with django_capture_on_commit_callbacks(execute=True):
            delete()
        assert files() == set()


@pytest.mark.parametrize("what", ["account", "campaign"])
def test_files_are_deleted_with_campaign_and_account(
    game: Game, alice: User, what: str, django_capture_on_commit_callbacks: Any
) -> None:
    photos.keep(game, alice, decoded(), "The bridge")
    assert "Your photos of games are deleted." in list(deletion.consequences(alice))
    with django_capture_on_commit_callbacks(execute=True):
        if what == "account":
            deletion.delete(alice)
        else:
            game.campaign.delete()
    assert files() == set() and not Photo.objects.exists()


def test_tidying_keeps_photos_and_backups_contain_them(
    game: Game, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    photo = photos.keep(game, alice, decoded(), "The bridge")
    monkeypatch.setattr(storage, "ABANDONED", -1)
    assert storage.clear_forgotten() == 0
    assert files() == set(storage.file_names())
    Photo.objects.filter(pk=photo.pk)._raw_delete("default")
    assert storage.clear_forgotten() == 2 and files() == set()


def test_hidden_photo_is_on_no_page_until_it_is_shown_again(
    as_user: AsUser, game: Game, alice: User
) -> None:
    root = User.objects.create_superuser("root", "root@example.org")
    photo = photos.keep(game, alice, decoded(), "The bridge")
    perform(GAME_ACTS, "hide-photos", game, root, photos=[str(photo.pk)])
    client = as_user(alice)
    assert client.get(file_address(photo)).status_code == 404
    assert "The bridge" not in client.get(game.get_absolute_url()).content.decode()
    assert game_picture.photo_of(game) is None and not material(game.campaign).photos
    # Uploading it again does not show it.
    photos.keep(game, alice, decoded(), "The bridge")
    assert client.get(file_address(photo)).status_code == 404
    judged = reverse("administration:photo", args=[game.pk, photo.pk])
    assert as_user(root).get(judged)["Content-Type"] == "image/jpeg"
    assert client.get(judged).status_code == 404
    perform(GAME_ACTS, "show-photos", game, root)
    assert client.get(file_address(photo)).status_code == 200
    assert {notice.kind for notice in alice.notices.all()} >= {"pictures_hidden", "pictures_shown"}
    perform(GAME_ACTS, "remove-photos", game, root, photos=[str(photo.pk)])
    assert not game.photos.exists()


def perform(acts: Acts[Game], key: str, game: Game, by: User, **data: Any) -> None:
    """Carry out an act of an administrator."""
    kind = next(kind for kind in acts.kinds if kind.key == key)
    acts.perform(kind, game, by, reason="It insults somebody", token=uuid.uuid4(), data=data)


def test_own_data_contain_photos_and_captions(game: Game, alice: User, dora: User) -> None:
    photo = photos.keep(game, alice, decoded(), "The bridge")
    with data_export.archive(alice) as written, zipfile.ZipFile(written) as zipped:
        assert f"photos/{photo.name}.jpg" in zipped.namelist()
        assert "The bridge" in zipped.read("campaigns/of-others.json").decode()
    with data_export.archive(dora) as written, zipfile.ZipFile(written) as zipped:
        assert f"photos/{photo.name}.jpg" not in zipped.namelist()


def test_illustrated_yearbook_and_game_picture_show_photos(game: Game, alice: User) -> None:
    before = yearbook.key(game.campaign, Order("en", style="illustrated"))
    photo = photos.keep(game, alice, decoded(), "The bridge")
    assert yearbook.key(game.campaign, Order("en", style="illustrated")) != before
    job = yearbook.job(game.campaign, Order("en", style="illustrated"))
    file = storage.file_name(photo.name, photos.SMALL)
    assert file in job.pictures and 'alt="The bridge"' in job.html
    assert file not in yearbook.job(game.campaign, Order("en")).pictures
    sides = list(game.sides.with_standing().select_related("gang__owner"))
    for side in sides:
        side.game = game
    assert game_picture.picture_of(game, sides, "tall").photo == storage.file_name(
        photo.name, photos.LARGE
    )
    # A photo whose file is missing is left out.
    storage.delete_files(photo.name, [photos.LARGE])
    assert game_picture.picture_of(game, sides, "tall").photo == ""


def test_book_takes_photos_of_each_game_in_turn(
    campaign: Campaign, game: Game, alice: User, hers: Gang, theirs: Gang, dora: User
) -> None:
    other = make_game(campaign, alice, hers, theirs)
    Game.objects.filter(pk=other.pk).update(status=Game.Status.CONFIRMED, result="crushing")
    for colour in ("teal", "red", "blue"):
        photos.keep(game, alice, decoded(colour), colour)
    photos.keep(other, alice, decoded("green"), "green")
    shown = material(campaign).photos_of(2)
    assert {key: [caption for _file, caption in some] for key, some in shown.items()} == {
        str(game.pk): ["teal"],
        str(other.pk): ["green"],
    }


def test_damaged_photo_is_not_found(as_user: AsUser, game: Game, alice: User) -> None:
    photo = photos.keep(game, alice, decoded(), "The bridge")
    store("pictures").write(storage.file_name(photo.name, photos.SMALL), b"spoiled")
    assert as_user(alice).get(file_address(photo)).status_code == 404
    assert photos.content_of(photo, photos.LARGE) is not None
