"""A game between two gangs of a variant, reported and confirmed, so that its post-game is open."""

from __future__ import annotations

import re
import threading
import traceback
import uuid
from collections.abc import Callable

from django.db import connections
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from common.errors import Refusal
from gangs.models import Gang
from rules.models import BookVersion
from tests.world import campaigns as making

# A rulebook that keeps this process busy for longer is skipped.
PATIENCE = 30


def postgame_of(user: User, digest: str, gangs: list[str]) -> tuple[str, str]:
    """Return the address of an open post-game of the first of these gangs, "" if there is none; and
    the failure, if playing the game failed.
    """
    keys = [re.findall(r"[0-9a-f-]{36}", path)[0] for path in gangs]
    return _within(PATIENCE, lambda: _played(user, digest, keys))


def _within(seconds: float, work: Callable[[], str]) -> tuple[str, str]:
    """Return the result of the work, or its traceback; the work runs in a thread that is abandoned
    if it takes long.
    """
    found: list[tuple[str, str]] = []

    def run() -> None:
        try:
            found.append((work(), ""))
        except Exception:
            found.append(("", traceback.format_exc()))
        finally:
            connections.close_all()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else ("", "It did not end")


def _played(user: User, digest: str, keys: list[str]) -> str:
    version = BookVersion.objects.get(pk=digest)
    other = User.objects.create(username=f"{user.username}-other")
    try:
        campaign = joining.start(
            name="The long winter",
            version=version,
            settings={},
            notes="",
            organiser=user,
            token=uuid.uuid4(),
        )
        gangs = []
        for key, owner in zip(keys, (user, other), strict=False):
            Gang.objects.filter(pk=key).update(owner=owner)
            gang = Gang.objects.get(pk=key)
            joining.join(campaign, gang, actor=owner, expected_version=gang.version)
            gangs.append(Gang.objects.get(pk=key))
        game = making.make_game(campaign, user, *gangs)
        result = next(row.key for row in campaign.book.campaign.results if row.kind == "decided")
        game = making.confirmed(making.reported(game, user, result=result), other)
    except (Refusal, StopIteration):
        return ""
    side = making.side_of(game, gangs[0])
    return reverse("campaigns:postgame", args=[game.pk, side.pk])
