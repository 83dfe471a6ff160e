"""Names that an older release stored: notices then refer to their people by key, and accounts get
skeletons.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts import deletion, mailing, notices
from accounts.models import Notice, User
from accounts.skeletons import skeleton
from common.background import carry_out
from common.models import Job
from tests.world.addresses import World, make_world

# They migrate back and forth for each test. CI runs them on PostgreSQL, long ones included.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
BEFORE = [("accounts", "0006_reminders"), ("campaigns", "0021_photos")]
GAME = "Reds (alice) – Reds (dora)"


@pytest.fixture
def older() -> Iterator[World]:
    """A database of before, with people and notices; it is migrated to the newest state again
    after the test.
    """
    world = make_world()
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        MigrationExecutor(connection).migrate(BEFORE)
        yield world
    finally:
        MigrationExecutor(connection).migrate(newest)


def store(world: World, kind: str, url: str = "", **values: Any) -> int:
    """Store a notice to the stranger as an older release did; return its key."""
    return Notice.objects.create(
        user_id=world.users["stranger"].pk,  # type: ignore[union-attr]
        kind=kind,
        url=url,
        values={"campaign": "The long winter", **values},
    ).pk


def newest() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_notices_of_an_older_release_forget_deleted_accounts(older: World) -> None:
    world = older
    sides = world.game.sides.order_by("pk")
    sides.update(name="Reds")
    url = world.game.get_absolute_url()
    joined = store(world, "gang_joined", actor="alice", gang="Blues (alice)")
    meets = store(world, "fixture_changed", stage="Autumn", other="Blues (dora)")
    planned = store(world, "game_planned", url, actor="somebody.long.gone", game=GAME)
    elsewhere = f"/campaigns/games/{uuid.uuid4()}/"
    lost = store(world, "game_planned", elsewhere, actor="dora", game="Blues (II) – Greens")
    given = store(world, "gang_taken", actor="bob", gang="Blues", name="alice")
    trophy = store(world, "trophy_awarded", actor="bob", name="alice", why="")
    newest()
    lines = {notice.pk: notices.describe(notice) for notice in Notice.objects.all()}
    assert lines[joined].startswith("alice has joined") and "Blues (alice)" in lines[joined]
    assert "Blues (dora)" in lines[meets]
    assert lines[planned].startswith("[deleted account] has planned") and GAME in lines[planned]
    assert lines[lost].startswith("dora ") and "Blues (II) – Greens" in lines[lost]
    for role in ("owner", "other"):
        deletion.delete(User.objects.get(pk=world.users[role].pk))  # type: ignore[union-attr]
    lines = {notice.pk: notices.describe(notice) for notice in Notice.objects.all()}
    # The names that players gave to gangs and members stay.
    assert lines[joined].startswith("[deleted account] ") and "Blues (alice)" in lines[joined]
    assert "with Blues." not in lines[meets] and "dora" not in lines[meets]
    assert "Reds – Reds" in lines[planned] and "to [deleted account]" in lines[given]
    assert "awarded alice a trophy" in lines[trophy]


def test_names_of_an_older_release_get_skeletons(older: World) -> None:
    newest()
    assert {user.username: user.skeleton for user in User.objects.all()} == {
        name: skeleton(name) for name in ("alice", "bob", "dora", "charlie")
    }


def test_reminding_mail_of_an_older_release_is_not_sent_once_its_duty_is_done(
    older: World, mailoutbox: list[object]
) -> None:
    number = store(older, "game_unreported", about="a game", game=GAME, day="2026-05-01")
    body = {"to": "dora@example.org", "subject": "Reds (alice)", "text": "…", "notice": number}
    Job.objects.create(kind=mailing.MAIL, title="Reds (alice) → dora@example.org", body=body)
    newest()
    [mail] = mailing.stored_mails()
    assert "alice" not in f"{mail.title} {mail.body}"
    carry_out(mailing.LANE)
    assert not mailoutbox and not mailing.stored_mails().exists()
