"""The site's shelf: its page and list, the author's form, the packages, and the list's form."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts import data_export, notices
from accounts.models import Notice, User
from rules.editor import store
from rules.library import load
from rules.models import BookDraft, BookVersion, SharedGame
from rules.packages.archive import LABEL
from rules.shelf.index import BadIndex, read_index
from tests.meanwhile import just_before
from tests.rules.editor.test_games import start
from tests.rules.small import small

pytestmark = pytest.mark.django_db
INDEX = "/games/index.json"
LICENSED = {"licence": "CC BY-SA 4.0", "may_share": "on"}


@pytest.fixture
def harbour(alice: User) -> BookDraft:
    """Return Alice's game with one published version."""
    draft = start(alice, name={"en": "Harbour wars"}, author="Alice")
    store.publish(draft, expected_version=0)
    return draft


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client


@pytest.fixture
def as_root() -> Client:
    """Return a client with an administrator signed in."""
    found = Client()
    found.force_login(User.objects.create_superuser("root", password="correct horse battery"))
    return found


def page_of(draft: BookDraft) -> str:
    return reverse("rules:share", args=[draft.pk])


def listed() -> list[dict[str, Any]]:
    """Return the games in the list, as everybody gets them."""
    answer = Client().get(INDEX)
    assert answer["Content-Type"] == "application/json"
    read_index(answer.content)
    found: list[dict[str, Any]] = json.loads(answer.content)["games"]
    return found


def act(client: Client, slug: str, kind: str, **fields: Any) -> Any:
    address = f"/administration/rulebooks/{slug}/{kind}/"
    return client.post(address, {"reason": "Ours", "token": uuid.uuid4(), **fields})


def test_shared_game_is_on_the_page_and_in_the_list(hers: Client, harbour: BookDraft) -> None:
    assert listed() == []
    assert hers.post(page_of(harbour), LICENSED).status_code == 302
    game = listed()[0]
    state = BookVersion.objects.get(draft=harbour)
    assert (game["slug"], game["digest"]) == ("harbour", state.pk)
    assert (game["licence"], game["author"]) == ("CC BY-SA 4.0", "Alice")
    assert (game["title"], game["languages"]) == ({"en": "Harbour wars"}, ["en"])
    picture = Client().get(game["picture"])
    assert picture.status_code == 200 and picture["Content-Type"] == "image/png"
    page = Client().get("/rules/").content.decode()
    assert "Harbour wars" in page and game["package"] in page and "CC BY-SA 4.0" in page
    assert Client().get(game["page"]).status_code == 200
    # The author gets the address that people paste on other sites.
    assert game["page"] in hers.get(page_of(harbour)).content.decode()
    assert Client().get("/games/")["Location"] == "/rules/"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"licence": "CC0 1.0"}, "may_share"),
        ({"may_share": "on"}, "licence"),
        ({"licence": "mine", "may_share": "on"}, "licence"),
        ({"licence": "other", "other": "  ", "may_share": "on"}, "other"),
        ({"licence": "other", "other": "x" * 201, "may_share": "on"}, "other"),
    ],
)
def test_game_is_shared_only_with_a_licence_and_the_statement(
    hers: Client, harbour: BookDraft, fields: dict[str, str], field: str
) -> None:
    answer = hers.post(page_of(harbour), fields)
    assert answer.status_code == 422 and field in answer.context["form"].errors
    assert listed() == []


def test_game_that_is_deleted_meanwhile_is_not_shared(hers: Client, harbour: BookDraft) -> None:
    delete = BookDraft.objects.filter(pk=harbour.pk).delete
    with just_before('FROM "rules_rulebook"', delete):
        assert hers.post(page_of(harbour), LICENSED).status_code == 404
    assert listed() == []


def test_licence_in_words_is_shared_and_shown_again(hers: Client, harbour: BookDraft) -> None:
    fields = {"licence": "other", "other": "Free to play", "may_share": "on"}
    assert hers.post(page_of(harbour), fields).status_code == 302
    assert listed()[0]["licence"] == "Free to play"
    assert 'value="Free to play"' in hers.get(page_of(harbour)).content.decode()


def test_unpublished_game_is_not_shared(hers: Client, alice: User) -> None:
    draft = start(alice)
    assert hers.post(page_of(draft), LICENSED).status_code == 200
    assert listed() == []


def test_next_version_is_on_the_shelf_once_its_author_shares_it(
    hers: Client, harbour: BookDraft
) -> None:
    hers.post(page_of(harbour), LICENSED)
    first = listed()[0]["digest"]
    data = {**json.loads(harbour.data), "edition": "second"}
    harbour.refresh_from_db()
    store.save_data(harbour, data, expected_version=harbour.version)
    second = store.publish(harbour, expected_version=harbour.version)
    assert listed()[0]["digest"] == first
    assert "You have published a newer version" in hers.get(page_of(harbour)).content.decode()
    hers.post(page_of(harbour), LICENSED)
    assert [(one["digest"], one["edition"]) for one in listed()] == [(second.pk, "second")]


def test_author_takes_a_game_off_the_shelf(hers: Client, harbour: BookDraft) -> None:
    hers.post(page_of(harbour), LICENSED)
    assert hers.post(page_of(harbour), {"off": "1"}).status_code == 302
    assert listed() == []
    assert hers.post(page_of(harbour), {"off": "1"}).status_code == 302


def test_editor_of_a_game_cannot_share_it(harbour: BookDraft, bob: User) -> None:
    store.share(harbour, "bob")
    theirs = Client()
    theirs.force_login(bob)
    assert theirs.get(harbour.get_absolute_url()).status_code == 200
    assert theirs.post(page_of(harbour), LICENSED).status_code == 404
    assert listed() == []


def test_game_from_catalogues_asks_about_other_peoples_texts(
    hers: Client, harbour: BookDraft, alice: User
) -> None:
    assert "quote other people" not in hers.get(page_of(harbour)).content.decode()
    harbour.imports.create(owner=alice, token=uuid.uuid4(), files=b"")
    assert "quote other people" in hers.get(page_of(harbour)).content.decode()


def test_administrators_share_the_sites_own_games_only(
    as_root: Client, hers: Client, harbour: BookDraft
) -> None:
    digest = load(small()).version.pk
    assert act(as_root, "small", "shelve", licence="CC0 1.0").status_code == 422
    assert act(as_root, "small", "shelve", **LICENSED).status_code == 302
    assert [(one["slug"], one["digest"]) for one in listed()] == [("small", digest)]
    assert listed()[0]["picture"] == f"/rules/version/{digest}/preview.png"
    act(as_root, "harbour", "offer", version=BookVersion.objects.get(draft=harbour).pk)
    act(as_root, "harbour", "shelve", **LICENSED)
    assert [one["slug"] for one in listed()] == ["small"]
    assert act(as_root, "small", "unshelve").status_code == 302
    assert listed() == []


def test_author_is_notified_when_an_administrator_takes_a_game_off(
    as_root: Client, hers: Client, harbour: BookDraft, alice: User
) -> None:
    hers.post(page_of(harbour), LICENSED)
    assert act(as_root, "harbour", "unshelve").status_code == 302
    assert listed() == []
    assert [notices.describe(one) for one in Notice.objects.filter(user=alice)] == [
        "An administrator has taken Harbour wars off the shelf. Why: Ours"
    ]


def test_hidden_games_are_not_on_the_shelf(
    as_root: Client, hers: Client, harbour: BookDraft
) -> None:
    hers.post(page_of(harbour), LICENSED)
    package, picture = (listed()[0][name] for name in ("package", "picture"))
    BookDraft.objects.update(hidden_why="Not theirs")
    assert listed() == [] and "Harbour wars" not in Client().get("/rules/").content.decode()
    assert Client().get(package).status_code == Client().get(picture).status_code == 404
    # Its author still reads it, which no proxy may keep for others.
    assert "public" not in hers.get(package).get("Cache-Control", "")
    load(small())
    act(as_root, "small", "shelve", **LICENSED)
    act(as_root, "small", "hide")
    assert listed() == []


def test_package_has_the_book_and_a_known_one_is_not_sent_again(
    hers: Client, harbour: BookDraft
) -> None:
    hers.post(page_of(harbour), LICENSED)
    game = listed()[0]
    answer = Client().get(game["package"])
    assert len(answer.content) == game["size"] and "public" in answer["Cache-Control"]
    packed = zipfile.ZipFile(io.BytesIO(answer.content))
    assert json.loads(packed.read(f"harbour/{LABEL}"))["digest"] == game["digest"]
    for address in (game["package"], INDEX):
        tag = Client().get(address)["ETag"]
        again = Client().get(address, headers={"if-none-match": tag})
        assert (again.status_code, again.content) == (304, b"")


def test_export_names_shared_games_and_deleting_the_account_takes_them_off(
    hers: Client, harbour: BookDraft, alice: User
) -> None:
    hers.post(page_of(harbour), LICENSED)
    files = {one.path: one.content for one in data_export.files_of(alice)}
    assert json.loads(files["shelf.json"])[0]["licence"] == "CC BY-SA 4.0"
    alice.delete()
    assert listed() == [] and not SharedGame.objects.exists()


def test_game_of_the_site_stays_on_the_shelf_without_its_administrator(as_root: Client) -> None:
    load(small())
    act(as_root, "small", "shelve", **LICENSED)
    SharedGame.objects.get().by.delete()  # type: ignore[union-attr]
    assert [one["slug"] for one in listed()] == ["small"]


def whole(**changes: Any) -> dict[str, Any]:
    """Return a list with one game, with changes of that game."""
    game = {
        "slug": "harbour",
        "title": {"en": "Harbour"},
        "languages": ["en"],
        "licence": "CC0 1.0",
        "edition": "v1",
        "author": "Alice",
        "digest": "0" * 64,
        "size": 10,
        "page": "/rules/version/0/",
        "package": "/rules/version/0/rulebook.zip",
        "shared_at": "2026-11-30T12:00:00Z",
    }
    return {
        "format": "skirmish-shelf",
        "format_version": 1,
        "site": "Club",
        "games": [game | changes],
    }


def test_list_of_another_site_may_have_more_than_this_version_knows() -> None:
    data = whole(players=12) | {"motto": "For all"}
    assert read_index(json.dumps(data).encode()).games[0].slug == "harbour"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (whole() | {"format": "shop"}, "no_shelf"),
        (whole() | {"format_version": 2}, "newer"),
        (whole() | {"format_version": True}, "damaged"),
        (whole() | {"games": [*whole()["games"], *whole(digest="1" * 64)["games"]]}, "twice"),
        (whole() | {"games": [*whole()["games"], *whole(slug="docks")["games"]]}, "twice"),
        (whole() | {"games": whole()["games"] * 201}, "damaged"),
        (whole(slug="../up"), "damaged"),
        (whole(digest="0"), "damaged"),
        (whole(size=2_000_000), "damaged"),
        (whole(size=0), "damaged"),
        (whole(licence=""), "damaged"),
        (whole(title={}), "damaged"),
        (whole(title={"en": "x" * 201}), "damaged"),
        (whole(package="https://evil.example/rulebook.zip"), "damaged"),
        (whole(package="//evil.example/rulebook.zip"), "damaged"),
        (whole(package="/\\evil.example/rulebook.zip"), "damaged"),
        (whole(package="/a b"), "damaged"),
        ([], "no_shelf"),
        ("shelf", "no_shelf"),
    ],
)
def test_list_of_another_site_is_refused_for_any_mistake(data: object, code: str) -> None:
    with pytest.raises(BadIndex) as refused:
        read_index(json.dumps(data).encode())
    assert refused.value.code == code
