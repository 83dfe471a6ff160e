"""Parsing of rulebooks: once in a process, and for no page again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from gangs.engine import offers
from gangs.models import Gang
from rules import library
from rules.book.model import Book
from rules.library import book_of
from tests.random_cases import one_soon
from tests.world.gangs import SLUGS, make_gang, make_version, scene_of, shipped

pytestmark = pytest.mark.parametrize("slug", one_soon(SLUGS))


class Parses:
    """Counts how often a rulebook is made from data: every way uses these two functions."""

    def __init__(self) -> None:
        self.count = 0

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("model_validate", "model_validate_json"):
            real = getattr(Book, name)

            def counted(cls: type[Book], *given: Any, real: Any = real, **more: Any) -> Book:
                self.count += 1
                return real(*given, **more)

            monkeypatch.setattr(Book, name, classmethod(counted))


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> Iterator[Parses]:
    """Return the counter, in a process that has loaded no rulebook yet."""
    counter = Parses()
    know_nothing()
    counter.watch(monkeypatch)
    yield counter


def know_nothing() -> None:
    """Let the process forget every rulebook, also those that a page still holds."""
    library.parse_stored.cache_clear()
    library._held.clear()


@pytest.mark.django_db
def test_rulebook_in_use_is_not_parsed_again(slug: str, parses: Parses) -> None:
    version = make_version(slug)
    parses.count = 0
    held = book_of(version.digest)
    library.parse_stored.cache_clear()
    assert book_of(version.digest) is held
    assert parses.count == 1


def addresses(gang: Gang, slug: str) -> list[str]:
    home = gang.get_absolute_url()
    member = gang.roster.members[0].id
    return [
        home,
        f"{home}?open={member}",
        f"{home}members/{member}/items/",
        f"{home}stash/",
        f"{home}history/",
        f"{home}sheet/",
        "/gangs/",
        f"/gangs/new/{slug}/",
        "/rules/",
        f"/rules/{slug}/",
        f"/rules/version/{gang.book_version_id}/",
    ]


@pytest.mark.long
def test_a_process_parses_a_rulebook_once(
    client: Client, alice: User, slug: str, parses: Parses
) -> None:
    shipped(slug)
    gang = make_gang(alice, slug)
    client.force_login(alice)
    know_nothing()
    parses.count = 0
    rules = f"/rules/{slug}/"
    pages = [*addresses(gang, slug), f"{rules}search/?q=a"]
    for address in pages:
        assert client.get(address).status_code == 200, address
    assert parses.count == 1, "the first page reads it, the others do not"
    chapters = re.findall(rf'href="({rules}[a-z-]+/)"', client.get(rules).content.decode())
    assert len(set(chapters)) > 3
    for address in (*pages, *set(chapters)):
        assert client.get(address).status_code == 200, address
    assert parses.count == 1


def test_a_change_parses_nothing(client: Client, alice: User, slug: str, parses: Parses) -> None:
    gang = make_gang(alice, slug)
    client.force_login(alice)
    page = client.get(gang.get_absolute_url()).content.decode()
    version = re.search(r'data-version="(\d+)"', page)
    assert version
    rank = offers.ranks(scene_of(gang))[-1].row.key
    parses.count = 0
    answer = client.post(
        f"{gang.get_absolute_url()}members/", {"version": version[1], "rank": rank}, follow=True
    )
    assert answer.status_code == 200
    gang.refresh_from_db()
    assert gang.size == len(shipped(slug).samples[0].members) + 1
    assert parses.count == 0


def test_version_is_the_same_object_in_every_module(db: None, slug: str) -> None:
    version = make_version(slug)
    assert book_of(version.digest) is book_of(version.digest)
    assert book_of(version.digest) == shipped(slug)


@pytest.mark.django_db
def test_rulebooks_are_forgotten_when_they_are_too_large_together(
    slug: str, parses: Parses, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = make_version(slug)
    monkeypatch.setattr(library.parse_stored, "_most", len(version.canonical) * 3 // 2)
    digests = [version.digest, make_version(next(one for one in SLUGS if one != slug)).digest]
    know_nothing()
    for digest in digests:
        book_of(digest)
    assert library.parse_stored.weight <= len(version.canonical) * 3 // 2
