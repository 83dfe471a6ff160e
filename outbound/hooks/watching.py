"""Noticing what is new in campaigns with channels, and storing the messages about it.

Nothing in the campaigns calls this code. Every half a minute, one query for each campaign compares
its state with the state at the last look. If that has changed, the messages that should be in the
channel are composed again, and those that differ from what was sent are sent or edited. So no event
is lost when a process dies, and ten answers to a night are one edit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from itertools import groupby

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone, translation

from accounts.language import reading
from campaigns.season.freshness import CampaignState, state_of
from campaigns.season.loading import load_season
from common.background import add_jobs, carries_out, every, make_job
from common.models import Job
from gangs.text.passages import as_markdown, as_plain
from outbound.hooks import sending
from outbound.hooks.posts import find_past, find_subjects, is_gone
from outbound.hooks.subjects import WINDOW, Message, Sight
from outbound.models import HELLO, TEST, Delivery, Hook

KIND = "look for news"
LOOKS_EVERY = 30


def enqueue(hook: Hook) -> None:
    """Look at a channel's campaign as soon as the transaction commits."""
    add_jobs([make_job(KIND, str(hook), hook=hook.pk)])


@carries_out(KIND, sending.LANE)
def look_for(job: Job) -> None:
    """Look at the campaign of one channel."""
    look(_open_hooks().filter(pk=job.body["hook"]))


@every(LOOKS_EVERY, "news for channels", sending.LANE)
def look_everywhere() -> None:
    """Look at all campaigns with channels. One query for each without news."""
    look(_open_hooks())


def _open_hooks() -> QuerySet[Hook]:
    shown = Hook.objects.filter(campaign__archived_at=None, campaign__hidden_why="")
    return shown.filter(off_at=None).select_related("campaign").order_by("campaign_id", "pk")


def look(hooks: Iterable[Hook]) -> None:
    """Send what is new to these channels. ``hooks``: sorted by campaign.

    Raises the errors of campaigns that cannot be read, after looking at all others.
    """
    errors = []
    for campaign_id, of_campaign in groupby(hooks, key=lambda hook: hook.campaign_id):
        try:
            state = state_of(campaign_id)
            for hook in of_campaign:
                if state is not None and hook.seen != (seen := _digest(hook, state)):
                    _compare(hook, state, seen)
        except Exception as error:
            error.add_note(f"The campaign is {campaign_id}.")
            errors.append(error)
    if errors:
        raise ExceptionGroup("Some campaigns cannot be read", errors)


def _digest(hook: Hook, state: CampaignState) -> str:
    """Return the sum of everything that messages depend on; a new day may bring some, too."""
    parts = (state, timezone.localdate(), hook.kinds, hook.language)
    return sha256(repr(parts).encode()).hexdigest()


def forget_the_past(hook: Hook) -> None:
    """Keep the keys of all recent events, so that the channel is spared them. Messages that were
    sent already stay up to date."""
    state = state_of(hook.campaign_id)
    if state is not None:
        sight = Sight(hook, load_season(hook.campaign_id, state), {}, timezone.now())
        Hook.objects.filter(pk=hook.pk).update(known=sorted(set(find_past(sight))))


def _compare(hook: Hook, state: CampaignState, seen: str) -> None:
    """Compose the channel's messages, then store those that differ. Texts are composed before the
    transaction, so that no other writer waits for them."""
    loaded, now = load_season(hook.campaign_id, state), timezone.now()
    own = hook.deliveries.exclude(kind__in=(HELLO, TEST))
    rows = {row.key: row for row in own.defer("content")}
    sight = Sight(hook, loaded, {key: row.created_at for key, row in rows.items()}, now)
    with translation.override(hook.language), reading():
        messages = {
            subject.key: (subject.kind, subject.compose()) for subject in find_subjects(sight)
        }
    gone = [
        key
        for key, row in rows.items()
        if key not in messages
        and row.kind in hook.kinds
        and row.created_at > now - WINDOW
        and is_gone(sight, key)
    ]
    with transaction.atomic():
        same = Hook.objects.select_for_update().filter(pk=hook.pk, off_at=None)
        # Another process may have looked at the same time, or an organiser changed the settings.
        if not same.filter(seen=hook.seen, version=hook.version).exists():
            return
        stored = {row.key: row for row in own.defer("content")}
        changed = [
            _want(hook, kind, key, message, stored.get(key))
            for key, (kind, message) in messages.items()
        ]
        changed += [_want_deleted(stored[key]) for key in gone if key in stored]
        sending.enqueue([row for row in changed if row is not None])
        same.update(seen=seen)


def _want(
    hook: Hook, kind: str, key: str, message: Message, row: Delivery | None
) -> Delivery | None:
    """Store the content that a message should have; return its row if a job must send it."""
    passages = message.passages
    content = {
        "text": as_plain(passages),
        "markdown": as_markdown(passages),
        "url": message.url,
        "picture": message.picture,
    }
    wanted = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    title = message.title[:200]
    if row is None:
        return Delivery.objects.create(
            hook=hook, kind=kind, key=key, title=title, content=content, wanted=wanted
        )
    # Nobody wants a message back that was deleted in the channel.
    if row.wanted == wanted or (row.is_deleted and row.wanted):
        return None
    return _store(row, content, wanted, title)


def _want_deleted(row: Delivery) -> Delivery | None:
    """Have the message about something that no longer exists deleted."""
    return None if row.is_deleted or not row.wanted else _store(row, {}, "", row.title)


def _store(row: Delivery, content: dict[str, str], wanted: str, title: str) -> Delivery | None:
    """Store another content; return the row unless a job for it waits already."""
    was_waiting = row.is_waiting
    if row.is_deleted:
        row.message, row.sent_at = "", None
    row.content, row.wanted, row.title = content, wanted, title
    row.is_waiting, row.is_deleted, row.tries = True, False, 0
    row.changed_at = timezone.now()
    row.save(
        update_fields=[
            "content",
            "wanted",
            "title",
            "message",
            "sent_at",
            "is_waiting",
            "is_deleted",
            "tries",
            "changed_at",
        ]
    )
    return None if was_waiting else row
