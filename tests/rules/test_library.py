"""The site's own choice of rulebooks: its editions and removals survive a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from gangs.models import Gang
from rules.book.model import Book
from rules.library import (
    SHIPPED,
    Kept,
    Loaded,
    load,
    load_release,
    newest_books,
    offered_books,
    remove,
    site_folders,
)
from rules.models import BookVersion, Rulebook
from tests.world.gangs import GOLD, POINTS, make_gang, shipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def release() -> Book:
    return shipped(GOLD)


def edition(book: Book, name: str) -> Book:
    return book.changed(edition=name)


def newest(book: Book) -> str:
    return BookVersion.objects.newest_digest(book.slug)


def test_start_leaves_the_sites_own_edition_the_newest(release: Book) -> None:
    assert isinstance(load_release(release), Loaded)
    own, _ = load(edition(release, "ours"))
    assert load_release(release) is Kept.STORED
    assert newest(release) == own.digest


def test_start_makes_a_new_release_the_newest(release: Book) -> None:
    load_release(release)
    load(edition(release, "ours"))
    later = edition(release, "later")
    load_release(later)
    assert newest(release) == later.digest


def test_start_stores_a_new_release_behind_a_pinned_version(release: Book) -> None:
    pinned, _ = load(release)
    Rulebook.objects.filter(slug=release.slug).update(pinned=pinned)
    later = edition(release, "later")
    assert isinstance(load_release(later), Loaded)
    assert newest(release) == pinned.digest
    assert BookVersion.objects.filter(digest=later.digest).exists()


def test_loading_on_purpose_moves_the_pin(release: Book) -> None:
    pinned, _ = load(release)
    Rulebook.objects.filter(slug=release.slug).update(pinned=pinned)
    own, _ = load(edition(release, "ours"))
    assert newest(release) == own.digest
    assert Rulebook.objects.get(slug=release.slug).pinned == own


def test_start_does_not_bring_back_a_removed_version(release: Book) -> None:
    load(release)
    own, _ = load(edition(release, "ours"))
    assert remove(release.slug, release.digest) == 1
    assert load_release(release) is Kept.REMOVED
    assert newest(release) == own.digest


def test_start_does_not_bring_back_a_removed_game_in_another_version(release: Book) -> None:
    load(release)
    remove(release.slug)
    assert load_release(edition(release, "later")) is Kept.REMOVED
    assert not Rulebook.objects.exists()


def test_loading_on_purpose_brings_back_a_removed_version(release: Book) -> None:
    load(release)
    remove(release.slug)
    assert load(release).is_new
    assert load_release(release) is Kept.STORED
    assert load_release(edition(release, "later")) is not Kept.REMOVED


def test_load_adopts_a_version_that_came_with_a_file(release: Book) -> None:
    BookVersion.objects.create(
        digest=release.digest,
        slug=release.slug,
        canonical=release.canonical(),
        loaded_at=timezone.now(),
        number=1,
    )
    assert newest(release) == ""
    load_release(release)
    assert newest(release) == release.digest


def test_removing_the_pinned_version_leaves_no_pin(release: Book) -> None:
    first, _ = load(release)
    pinned, _ = load(edition(release, "ours"))
    Rulebook.objects.update(pinned=pinned)
    remove(release.slug, pinned.digest)
    assert newest(release) == first.digest
    assert Rulebook.objects.get().pinned is None


def test_hidden_book_is_on_no_list_but_has_its_page(release: Book, client: Client) -> None:
    load(release)
    load(shipped(POINTS))
    Rulebook.objects.filter(slug=release.slug).update(is_hidden=True)
    assert [book.slug for _, book in offered_books()] == [POINTS]
    assert {book.slug for _, book in newest_books()} == {POINTS, release.slug}
    link = f'href="/rules/{release.slug}/"'
    for address in ("/", "/rules/", "/sitemap.xml", "/gangs/new/"):
        assert link not in client.get(address).content.decode()
    assert client.get(f"/rules/{release.slug}/").status_code == 200


def test_books_setting_names_shipped_books_and_folders(settings: Any, tmp_path: Path) -> None:
    settings.BOOKS = []
    assert len(site_folders()) == sum(folder.is_dir() for folder in SHIPPED.iterdir())
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "book.toml").touch()
    settings.BOOKS = [POINTS, str(tmp_path)]
    assert site_folders() == [SHIPPED / POINTS, tmp_path / "one", tmp_path / "two"]
    settings.BOOKS = [str(tmp_path / "two"), "/nowhere/at-all"]
    assert site_folders() == [tmp_path / "two", Path("/nowhere/at-all")]


def test_gang_on_the_pinned_version_has_no_newer_one(release: Book, alice: User) -> None:
    gang = make_gang(alice, GOLD)
    Rulebook.objects.filter(slug=GOLD).update(pinned=gang.book_version)
    later = edition(release, "later")
    load_release(later)
    assert Gang.objects.with_newest().get().newer == ""
    Rulebook.objects.filter(slug=GOLD).update(pinned=None)
    assert Gang.objects.with_newest().get().newer == later.digest
