"""Clock changes: after the machine's clock is set back, the order of events is kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from gangs.engine.entries import Renamed
from gangs.ledger import writer
from gangs.ledger.replay import difference
from gangs.models import Gang
from rules import library
from rules.models import BookVersion
from tests.world.gangs import GOLD, make_gang, make_version, shipped

pytestmark = pytest.mark.django_db
Setting = Callable[[timedelta], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Setting:
    """Move the clock that the site reads."""
    really_now = timezone.now

    def move(by: timedelta) -> None:
        monkeypatch.setattr(timezone, "now", lambda: really_now() + by)

    return move


BACK = timedelta(days=-2)


def rename(gang: Gang, name: str) -> None:
    gang.refresh_from_db()
    writer.append(gang, [Renamed(name=name)], expected_version=gang.version, actor=None)


def test_undo_undoes_the_last_change_after_the_clock_was_set_back(
    set_clock: Setting, alice: User
) -> None:
    gang = make_gang(owner=alice)
    rename(gang, "The Drowned")
    set_clock(BACK)
    rename(gang, "The Hanged")
    gang.refresh_from_db()
    times = list(gang.entries.order_by("seq").values_list("at", flat=True))
    assert times == sorted(times)
    client = Client()
    client.force_login(alice)
    undo = reverse("gangs:undo", args=[gang.pk])
    assert client.post(undo, {"version": gang.version}).status_code == 302
    gang.refresh_from_db()
    assert gang.name == "The Drowned"
    assert gang.strikes.latest("pk").at >= max(times)
    assert difference(gang) == ""


def test_loaded_rulebook_is_the_newest_after_the_clock_was_set_back(set_clock: Setting) -> None:
    before = make_version(GOLD)
    set_clock(BACK)
    corrected = shipped(GOLD).model_copy(update={"summary": shipped(GOLD).name})
    newer, new = library.load(corrected)
    assert new and newer.digest != before.digest
    assert BookVersion.objects.newest().get(slug=GOLD) == newer
    # And the other way round, as when a rulebook is restored.
    assert library.load(shipped(GOLD)) == (before, False)
    assert BookVersion.objects.newest().get(slug=GOLD) == before


def test_user_stays_signed_in_after_the_clock_was_set_back(set_clock: Setting, alice: User) -> None:
    gang = make_gang(owner=alice)
    client = Client()
    client.force_login(alice)
    set_clock(BACK)
    page = client.get(reverse("gangs:builder", args=[gang.pk]))
    assert page.status_code == 200
    assert client.get(reverse("gangs:list")).status_code == 200
    assert client.get(reverse("gangs:history", args=[gang.pk])).status_code == 200
    # A session begun now is still valid when the clock is right again.
    later = Client()
    form = {"login": "alice", "password": "correct horse battery"}
    assert later.post(reverse("account_login"), form).status_code == 302
    set_clock(timedelta())
    assert later.get(reverse("gangs:list")).status_code == 200
