"""The daily look at shelves: news of another edition, one request a day, pauses after failures."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts import notices
from accounts.models import Notice, User
from gangs.models import Gang
from outbound.shelves import store, watching
from rules.library import book_of
from rules.models import BookVersion, ForeignGame, ForeignShelf
from rules.shelf.index import FORMAT
from tests.outbound.servers import answer
from tests.outbound.shelves.conftest import OtherSite
from tests.outbound.shelves.test_shelves import fetch, look, take
from tests.rules.small import small

pytestmark = pytest.mark.django_db


def let_a_day_pass(days: int = 1) -> None:
    """Let the next look of every shelf be due."""
    for shelf in ForeignShelf.objects.all():
        shelf.next_at -= timedelta(days=days)
        shelf.save()


def dearer() -> Any:
    """Return the small rulebook's next edition, with another price."""
    book = small()
    items = (book.items[0].model_copy(update={"price": 9}), *book.items[1:])
    return book.changed(items=items, edition="second")


def test_another_edition_is_noticed_once_and_changes_nothing(
    hers: Client, other: OtherSite, alice: User
) -> None:
    game = take(hers, small().digest)
    hers.post(f"/gangs/new/small/?version={game.digest}", {"name": "The crew"})
    newer = other.share(dearer())
    let_a_day_pass()
    watching.look()
    let_a_day_pass()
    watching.look()
    told = [notices.describe(one) for one in Notice.objects.filter(user=alice)]
    assert told == ["Small: The other club has another edition, second. Nothing changes here."]
    assert not BookVersion.objects.filter(pk=newer.digest).exists()
    assert Gang.objects.get().book_version_id == game.digest
    assert "another edition: second" in hers.get(game.get_absolute_url()).content.decode()
    assert ">another edition<" in hers.get(game.shelf.get_absolute_url()).content.decode()


def test_another_edition_is_taken_by_a_press_with_its_differences(
    hers: Client, other: OtherSite
) -> None:
    game = take(hers, small().digest)
    hers.post(f"/gangs/new/small/?version={game.digest}", {"name": "The crew"})
    newer = other.share(dearer())
    let_a_day_pass()
    watching.look()
    fetch(hers, newer.digest)
    second = ForeignGame.objects.get(digest=newer.digest)
    page = hers.get(second.get_absolute_url()).content.decode()
    assert "<del>4</del>" in page and "<ins>9</ins>" in page
    hers.post(second.get_absolute_url())
    assert book_of(newer.digest).edition == "second"
    assert Gang.objects.get().book_version_id == game.digest
    game.refresh_from_db()
    assert game.news == ""
    assert ">another edition<" not in hers.get(game.shelf.get_absolute_url()).content.decode()
    let_a_day_pass()
    watching.look()
    assert Notice.objects.count() == 1


def test_shelf_is_asked_once_a_day_however_many_watch_it(
    hers: Client, other: OtherSite, bob: User
) -> None:
    take(hers, small().digest)
    theirs = Client()
    theirs.force_login(bob)
    look(theirs)
    shelf = ForeignShelf.objects.get(owner=bob)
    his = store.fetch(bob, shelf, small().digest)
    store.take_in(his)
    other.share(dearer())
    let_a_day_pass()
    other.server.requests.clear()
    for _time in range(3):
        watching.look()
    assert other.asked == ["/games/index.json"]
    assert {one.user.username for one in Notice.objects.all()} == {"alice", "bob"}


def test_claimed_shelf_is_not_asked_by_another_process(hers: Client, other: OtherSite) -> None:
    take(hers, small().digest)
    let_a_day_pass()
    assert len(store.claim_due(20)) == 1 and store.claim_due(20) == []


def test_shelf_without_a_taken_game_is_not_asked(hers: Client, other: OtherSite) -> None:
    look(hers)
    fetch(hers, small().digest)
    let_a_day_pass()
    other.server.requests.clear()
    watching.look()
    assert other.asked == []


def test_failing_shelf_waits_longer_each_time_and_says_so(hers: Client, other: OtherSite) -> None:
    game = take(hers, small().digest)
    other.answers["/games/index.json"] = answer(500)
    pauses = []
    for _time in range(5):
        let_a_day_pass(30)
        watching.look()
        shelf = ForeignShelf.objects.get()
        pauses.append(round((shelf.next_at - timezone.now()) / timedelta(days=1)))
    assert pauses == [1, 2, 4, 8, 8] and shelf.failures == 5
    page = hers.get(game.shelf.get_absolute_url()).content.decode()
    assert "The server answers with an error." in page and "Small" in page
    other.answers.clear()
    let_a_day_pass(30)
    watching.look()
    shelf.refresh_from_db()
    assert (shelf.failures, shelf.error) == (0, "")


def test_shelf_with_a_mistake_says_so_without_an_empty_place(
    hers: Client, other: OtherSite
) -> None:
    game = take(hers, small().digest)
    damaged = {"format": FORMAT, "format_version": 1, "site": 5, "games": []}
    other.answers["/games/index.json"] = answer(200, json.dumps(damaged).encode())
    let_a_day_pass()
    watching.look()
    assert ForeignShelf.objects.get().error == "damaged"
    page = hers.get(game.shelf.get_absolute_url()).content.decode()
    assert "its answer cannot be read" in page and "(at )" not in page


def test_switched_off_site_looks_at_nothing(hers: Client, other: OtherSite, settings: Any) -> None:
    take(hers, small().digest)
    let_a_day_pass()
    other.server.requests.clear()
    settings.FOREIGN_GAMES = False
    watching.look()
    assert other.asked == []


def test_game_that_leaves_the_shelf_is_no_news(hers: Client, other: OtherSite) -> None:
    take(hers, small().digest)
    other.games.clear()
    let_a_day_pass()
    watching.look()
    assert not Notice.objects.exists()
