"""Games from another site: looking, seeing what comes, taking it in, and all that is refused."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts import data_export
from accounts.models import User
from gangs.models import Gang
from outbound.shelves import fetching, store
from outbound.shelves.refusals import Unfetched
from rules import library
from rules.library import load
from rules.models import BookDraft, BookVersion, ForeignGame, ForeignShelf, Rulebook
from rules.shelf.index import ShelfGame
from tests.outbound.servers import Internet, answer
from tests.outbound.shelves.conftest import HOST, SHELF, OtherSite
from tests.rules.small import small

pytestmark = pytest.mark.django_db
LIST = "/games/elsewhere/"


def look(client: Client, address: str = f"https://{HOST}/rules/") -> Any:
    return client.post(LIST, {"address": address})


def fetch(client: Client, digest: str) -> Any:
    shelf = ForeignShelf.objects.get()
    return client.post(reverse("shelves:fetch", args=[shelf.pk, digest]))


def take(client: Client, digest: str) -> ForeignGame:
    """Look at the other site, fetch a game, and take it in."""
    look(client)
    fetch(client, digest)
    game = ForeignGame.objects.get(digest=digest)
    assert client.post(game.get_absolute_url()).status_code == 302
    game.refresh_from_db()
    return game


def said(response: Any) -> str:
    """Return the words of a page that refuses."""
    assert response.status_code == 422
    words: str = response.content.decode()
    return words


@pytest.mark.parametrize(
    ("text", "url", "wanted"),
    [
        ("https://club.example", SHELF, ""),
        (" club.example ", SHELF, ""),
        ("https://CLUB.example/games/", SHELF, ""),
        ("https://club.example/rules/", SHELF, ""),
        ("https://club.example/rules/small/", SHELF, "small"),
        ("https://club.example/rules/small/weapons/?q=1#x", SHELF, "small"),
        (f"https://club.example/rules/version/{'a' * 64}/", SHELF, "a" * 64),
        (SHELF, SHELF, ""),
        ("https://club.example/lists/ours.json?x=1", "https://club.example/lists/ours.json", ""),
        ("https://93.184.215.14/", "https://93.184.215.14/games/index.json", ""),
    ],
)
def test_address_of_a_page_leads_to_the_shelf(text: str, url: str, wanted: str) -> None:
    assert fetching.read_address(text) == fetching.Pasted(url, wanted)


@pytest.mark.parametrize(
    "text",
    [
        "http://club.example/",
        "https://127.0.0.1/",
        "https://[::1]/games/",
        "https://10.0.0.8/games/index.json",
        "https://169.254.169.254/latest",
        "https://localhost/",
        "https://2130706433/",
        "https://me:pass@club.example/",
        "https://club.example:8443/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "x" * 3000,
    ],
)
def test_address_that_leads_nowhere_is_refused_beside_the_field(
    text: str, hers: Client, internet: Internet
) -> None:
    response = look(hers, text)
    assert "address" in response.context["form"].errors and response.status_code == 422
    assert internet.dialled == [] and not ForeignShelf.objects.exists()


def test_shelf_shows_what_is_there(hers: Client, other: OtherSite) -> None:
    response = look(hers, f"https://{HOST}/rules/small/")
    shelf = ForeignShelf.objects.get()
    assert response["Location"] == f"{shelf.get_absolute_url()}#game-small"
    page = hers.get(shelf.get_absolute_url()).content.decode()
    book = small()
    for words in ("The other club", "CC BY 4.0", book.edition, book.digest[:8], "English"):
        assert words in page
    assert other.asked == ["/games/index.json"]


def test_list_is_read_again_by_a_press_and_a_shelf_forgotten(
    hers: Client, other: OtherSite
) -> None:
    look(hers)
    shelf = ForeignShelf.objects.get()
    other.games.clear()
    assert hers.post(shelf.get_absolute_url(), {"again": "1"}).status_code == 302
    assert "No game is shared there" in hers.get(shelf.get_absolute_url()).content.decode()
    other.answers["/games/index.json"] = answer(503)
    assert "answers with an error" in said(hers.post(shelf.get_absolute_url(), {"again": "1"}))
    assert hers.post(shelf.get_absolute_url(), {"forget": "1"}).status_code == 302
    assert not ForeignShelf.objects.exists()


def test_game_is_shown_before_it_is_taken(hers: Client, other: OtherSite) -> None:
    load(small(edition="old", items=small().items[:0]))
    book = small()
    look(hers)
    response = fetch(hers, book.digest)
    game = ForeignGame.objects.get()
    assert response["Location"] == game.get_absolute_url()
    page = hers.get(game.get_absolute_url()).content.decode()
    for words in (book.digest, "CC BY 4.0", book.author, "Differences from the version", "added"):
        assert words in page
    assert not BookVersion.objects.filter(pk=book.digest).exists()


def test_taken_game_is_a_version_with_its_digest_and_never_the_newest(
    hers: Client, other: OtherSite
) -> None:
    here = load(small(edition="ours")).version
    game = take(hers, small().digest)
    version = BookVersion.objects.get(pk=small().digest)
    assert version.canonical == small().canonical() and game.canonical == ""
    assert not version.is_listed and BookVersion.objects.newest_digest("small") == here.pk
    assert [one.slug for one, _book in library.offered_books()] == ["small"]
    assert Rulebook.objects.get(pk="small").versions().count() == 1
    library.load(small(edition="ours, later"))
    assert BookVersion.objects.newest_digest("small") != version.pk


def test_taken_game_whose_slug_is_new_here_is_no_game_of_the_site(
    hers: Client, other: OtherSite
) -> None:
    take(hers, small().digest)
    assert BookVersion.objects.newest_digest("small") == ""
    assert Client().get("/rules/small/").status_code == 404
    assert 'href="/rules/small/"' not in Client().get("/rules/").content.decode()
    assert not Rulebook.objects.filter(pk="small").exists()


def test_owner_founds_a_gang_with_a_taken_game_and_others_do_not_see_it(
    hers: Client, other: OtherSite, bob: User
) -> None:
    game = take(hers, small().digest)
    link = f"/gangs/new/small/?version={game.digest}"
    assert link in hers.get("/gangs/new/").content.decode()
    assert hers.get(link).status_code == 200
    theirs = Client()
    theirs.force_login(bob)
    assert link not in theirs.get("/gangs/new/").content.decode()
    for address in (game.get_absolute_url(), game.shelf.get_absolute_url()):
        assert theirs.get(address).status_code == 404
        assert theirs.post(address).status_code == 404


def test_taking_in_twice_and_fetching_again_does_it_once(hers: Client, other: OtherSite) -> None:
    game = take(hers, small().digest)
    asked = len(other.asked)
    assert hers.post(game.get_absolute_url()).status_code == 302
    assert fetch(hers, small().digest)["Location"] == game.get_absolute_url()
    assert len(other.asked) == asked and BookVersion.objects.count() == 1


def test_copy_of_a_taken_game_is_a_draft_with_its_own_slug(
    hers: Client, other: OtherSite, alice: User
) -> None:
    load(small(edition="ours"))
    game = take(hers, small().digest)
    for _time in range(2):
        hers.post(reverse("shelves:copy", args=[game.pk]))
    draft = BookDraft.objects.get()
    assert (draft.owner, draft.slug) == (alice, "small-2")
    assert not BookVersion.objects.filter(draft=draft).exists()


def test_game_that_was_only_looked_at_is_not_copied(hers: Client, other: OtherSite) -> None:
    look(hers)
    fetch(hers, small().digest)
    game = ForeignGame.objects.get()
    assert hers.post(reverse("shelves:copy", args=[game.pk])).status_code == 404


def test_game_of_a_shelf_that_is_forgotten_meanwhile_is_refused(
    hers: Client, other: OtherSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(hers)
    fetch_game = fetching.fetch_game

    def forget_meanwhile(url: str, game: ShelfGame) -> fetching.Arrived:
        arrived = fetch_game(url, game)
        ForeignShelf.objects.all().delete()
        return arrived

    monkeypatch.setattr(fetching, "fetch_game", forget_meanwhile)
    assert "no longer on that shelf" in said(fetch(hers, small().digest))
    assert not ForeignGame.objects.exists()


def test_game_that_is_forgotten_meanwhile_is_not_taken(hers: Client, other: OtherSite) -> None:
    look(hers)
    fetch(hers, small().digest)
    game = ForeignGame.objects.get()
    ForeignGame.objects.all().delete()
    with pytest.raises(Unfetched):
        store.take_in(game)
    assert not BookVersion.objects.exists()


def test_forgotten_game_stays_for_gangs(hers: Client, other: OtherSite) -> None:
    game = take(hers, small().digest)
    assert hers.post(reverse("shelves:forget", args=[game.pk])).status_code == 302
    assert not ForeignGame.objects.exists()
    assert BookVersion.objects.filter(pk=small().digest).exists()


@pytest.mark.parametrize(
    ("path", "reply", "words"),
    [
        ("/games/index.json", answer(302, Location="https://evil.example/"), "leads to another"),
        ("/games/index.json", answer(404), "There is no shelf"),
        ("/games/index.json", answer(500), "answers with an error"),
        ("/games/index.json", answer(body=b"<!doctype html><p>Hello"), "There is no shelf"),
        ("/games/index.json", answer(body=b"[" * 100_000), "There is no shelf"),
        ("/games/index.json", answer(body=b" " * 600_000), "too large"),
    ],
)
def test_server_without_a_shelf_is_refused_in_words(
    hers: Client, other: OtherSite, path: str, reply: bytes, words: str
) -> None:
    other.answers[path] = reply
    assert words in said(look(hers))
    assert not ForeignShelf.objects.exists() and len(other.asked) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (answer(302, Location="/"), "leads to another"),
        (answer(404), "no longer on that shelf"),
        (answer(body=b"<!doctype html>"), "not a zip"),
        (answer(body=b"PK" + b"0" * 1_100_000), "too large"),
    ],
)
def test_package_that_is_none_is_refused_in_words(
    hers: Client, other: OtherSite, reply: bytes, words: str
) -> None:
    look(hers)
    other.answers[f"/rules/version/{small().digest}/rulebook.zip"] = reply
    assert words in said(fetch(hers, small().digest))
    assert not ForeignGame.objects.exists() and not BookVersion.objects.exists()


def test_game_with_another_digest_is_refused(hers: Client, other: OtherSite) -> None:
    other.stated["digest"] = "0" * 64
    other.stated["package"] = f"/rules/version/{small().digest}/rulebook.zip"
    look(hers)
    assert "not the one that the shelf lists" in said(fetch(hers, "0" * 64))
    assert not ForeignGame.objects.exists() and not BookVersion.objects.exists()


def test_game_that_the_shelf_does_not_list_is_refused(hers: Client, other: OtherSite) -> None:
    look(hers)
    assert "no longer on that shelf" in said(fetch(hers, "1" * 64))
    assert len(other.asked) == 1


def test_lying_size_is_shown_as_it_came(hers: Client, other: OtherSite) -> None:
    other.stated["size"] = 1
    look(hers)
    fetch(hers, small().digest)
    assert ForeignGame.objects.get().size > 100


def test_slow_servers_keep_only_some_of_the_threads(
    hers: Client, other: OtherSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_places", threading.BoundedSemaphore(1))
    assert look(hers).status_code == 302
    with fetching._places:
        assert "The site is busy" in said(look(hers))
    assert look(hers).status_code == 302 and len(other.asked) == 2


def test_requests_of_a_day_are_limited(hers: Client, other: OtherSite, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"shelf_requests": 1}
    look(hers)
    assert "1 times today" in said(fetch(hers, small().digest))
    assert other.asked == ["/games/index.json"]


def test_shelves_and_games_of_an_account_are_limited(
    hers: Client, other: OtherSite, settings: Any
) -> None:
    settings.QUOTAS = settings.QUOTAS | {"shelves": 1, "foreign_games": 0}
    look(hers)
    assert look(hers).status_code == 302
    assert "which is the limit" in said(look(hers, f"https://{HOST}/other.json"))
    assert "which is the limit" in said(fetch(hers, small().digest))
    assert {*other.asked} == {"/games/index.json"}


def test_switched_off_site_asks_nobody(hers: Client, other: OtherSite, settings: Any) -> None:
    settings.FOREIGN_GAMES = False
    assert hers.get(LIST).status_code == look(hers).status_code == 404
    assert LIST not in hers.get("/rules/").content.decode() and other.asked == []


def test_old_looks_are_tidied_and_taken_games_stay(
    hers: Client, other: OtherSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(hers)
    fetch(hers, small().digest)
    monkeypatch.setattr(store, "LOOKED_AT_KEPT", -store.DAILY)
    monkeypatch.setattr(store, "SHELF_KEPT", -store.DAILY)
    assert store.forget_old() == 2 and not ForeignShelf.objects.exists()
    take(hers, small().digest)
    assert store.forget_old() == 0


def test_export_has_shelves_and_games_and_deletion_ends_them(
    hers: Client, other: OtherSite, alice: User
) -> None:
    take(hers, small().digest)
    files = {one.path: one.content for one in data_export.files_of(alice)}
    found = json.loads(files["games-of-other-sites.json"])
    assert found["shelves"][0]["address"] == SHELF
    assert found["games"][0]["digest"] == small().digest
    alice.delete()
    assert not ForeignShelf.objects.exists() and not ForeignGame.objects.exists()
    assert BookVersion.objects.filter(pk=small().digest).exists()


def test_gang_is_founded_with_the_taken_version(hers: Client, other: OtherSite) -> None:
    game = take(hers, small().digest)
    response = hers.post(f"/gangs/new/small/?version={game.digest}", {"name": "The crew"})
    assert response.status_code == 302
    gang = Gang.objects.get()
    assert gang.book_version_id == game.digest
