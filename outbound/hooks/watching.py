"""Noticing what is new in campaigns with channels, and storing the messages about it.

Nothing in the campaigns calls this code. Every half a minute, some queries for many campaigns
together compare their states with those at the last look. If one has changed, the messages that
should be in the channel are composed again, and those that differ are sent or edited. So no event
is lost when a process dies, and ten answers to a night are one edit.
"""

from __future__ import annotations

import json
import uuid
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from datetime import date, timedelta
from hashlib import sha256
from itertools import batched
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone, translation

from accounts.language import reading
from campaigns.models import Game, Night, Round
from campaigns.season.freshness import CampaignState, state_of, states_of
from campaigns.season.loading import load_season
from common.background import (
    Lane,
    LostLease,
    add_jobs,
    carries_out,
    every,
    make_job,
    note_progress,
    renew_lease,
    resume_place,
)
from common.models import Job
from gangs.text.passages import as_markdown, as_plain
from outbound.hooks import sending
from outbound.hooks.nights import SOON
from outbound.hooks.posts import find_past, find_subjects, is_gone
from outbound.hooks.subjects import WINDOW, Message, Sight
from outbound.models import HELLO, TEST, Delivery, Hook

KIND = "look for news"
LOOKS_EVERY = 30
# Campaigns whose states are read together.
PIECE = 200
# Channels whose messages one look composes; the next look goes on with the others.
MOST_COMPOSED = 200
# The fields that say whether a channel has news.
COMPARED = ("campaign", "seen", "kinds", "language")
# A long look delays no message.
WATCHING = Lane("news", taken_for=timedelta(minutes=5))


def enqueue(hook: Hook) -> None:
    """Look at a channel's campaign as soon as the transaction commits."""
    add_jobs([make_job(KIND, str(hook), hook=hook.pk)])


@carries_out(KIND, sending.LANE)
def look_for(job: Job) -> None:
    """Look at the campaign of one channel."""
    errors: list[Exception] = []
    hooks = _open_hooks().filter(pk=job.body["hook"])
    for _looked in _look_in_turn([hook.campaign_id for hook in hooks], hooks, errors):
        pass
    _raise_all(errors)


@every(LOOKS_EVERY, "news for channels", WATCHING)
def look_everywhere() -> None:
    """Look at all campaigns with channels, from where the last look stopped: it composes the
    messages of at most ``MOST_COMPOSED`` channels. Some twenty queries for each ``PIECE`` of
    campaigns without news. Raises the errors of campaigns that cannot be read, after looking at the
    others."""
    errors: list[Exception] = []
    campaigns = _open_hooks().order_by("campaign_id").values_list("campaign_id", flat=True)
    keys = list(campaigns.distinct())
    # All of them are looked at in turn, even if the first ones have news at each look.
    begin = bisect_right([str(key) for key in keys], resume_place()) % max(len(keys), 1)
    keys = keys[begin:] + keys[:begin]
    composed = 0
    for done, (key, number) in enumerate(_look_in_turn(keys, _open_hooks(), errors), 1):
        composed += number
        if composed >= MOST_COMPOSED and done < len(keys):
            note_progress(place=str(key), backlog=len(keys) - done)
            break
    else:
        note_progress()
    _raise_all(errors)


def _open_hooks() -> QuerySet[Hook]:
    shown = Hook.objects.filter(campaign__archived_at=None, campaign__hidden_why="")
    return shown.filter(off_at=None).order_by("campaign_id", "pk")


def _look_in_turn(
    keys: Sequence[uuid.UUID], hooks: QuerySet[Hook], errors: list[Exception]
) -> Iterator[tuple[uuid.UUID, int]]:
    """Send what is new in these campaigns to those of the channels that are theirs; yield each
    campaign with the number of channels whose messages were composed. Adds the errors of campaigns
    that cannot be read."""
    for piece in batched(keys, PIECE):
        by_campaign = defaultdict[uuid.UUID, list[Hook]](list)
        for hook in hooks.filter(campaign__in=piece).only(*COMPARED):
            by_campaign[hook.campaign_id].append(hook)
        states, days = states_of(piece), _days_of(piece)
        for key in piece:
            composed = 0
            try:
                if key in states:
                    composed = _look_at(by_campaign[key], states[key], days[key])
            except LostLease:
                raise
            except Exception as error:
                error.add_note(f"The campaign is {key}.")
                errors.append(error)
            yield key, composed
        renew_lease()


def _look_at(hooks: Sequence[Hook], state: CampaignState, day: date | None) -> int:
    """Send what is new in a campaign to its channels; return the number of those whose messages
    were composed. ``day``: as for ``_digest``."""
    composed, lines = 0, _lines(state)
    for hook in hooks:
        if hook.seen == _digest(hook, lines, day):
            continue
        # The rest of its row, which most channels do not need. If another process has looked since
        # this one read the states, those are too old for this channel.
        whole = _open_hooks().filter(pk=hook.pk, seen=hook.seen).first()
        if whole is not None:
            _compare(whole, state, _digest(whole, lines, day))
            composed += 1
        renew_lease()
    return composed


def _raise_all(errors: Sequence[Exception]) -> None:
    if errors:
        raise ExceptionGroup("Some campaigns cannot be read", errors)


def _days_of(campaigns: Collection[uuid.UUID]) -> dict[uuid.UUID, date | None]:
    """Return today for the campaigns whose messages a new day may change: those with a night that
    is near, and with games or rounds of the last days; None for all others. Three queries."""
    now, today = timezone.now(), timezone.localdate()
    # A day more, since a campaign must be seen once more after its last change.
    nights = Night.objects.filter(
        campaign__in=campaigns, starts_at__gt=now - WINDOW, starts_at__lt=now + SOON
    )
    games = Game.objects.filter(
        campaign__in=campaigns, played_on__gt=today - WINDOW, played_on__lte=today
    )
    rounds = Round.objects.filter(
        stage__campaign__in=campaigns, opens__gt=today - SOON, opens__lte=today
    )
    restless = {
        *nights.order_by().values_list("campaign", flat=True).distinct(),
        *games.order_by().values_list("campaign", flat=True).distinct(),
        *rounds.order_by().values_list("stage__campaign", flat=True).distinct(),
    }
    return {key: today if key in restless else None for key in campaigns}


def _digest(hook: Hook, lines: str, day: date | None) -> str:
    """Return the sum of everything that messages depend on. ``lines``: the campaign's state;
    ``day``: today, if a new day may bring messages, too."""
    values = f"({lines}, {day!r}, {hook.kinds!r}, {hook.language!r})"
    return sha256(values.encode()).hexdigest()


def _lines(state: CampaignState) -> str:
    """Return a state as text. The order in which a database reads rows does not count."""
    parts = _parts(state)
    return repr([sorted(part.split("\n")) if isinstance(part, str) else part for part in parts])


def _parts(state: CampaignState) -> Iterator[object]:
    for one in fields(state):
        value = getattr(state, one.name)
        yield from value if isinstance(value, tuple) else (value,)


def forget_the_past(hook: Hook, *, reported: Collection[str] = ()) -> None:
    """Keep the keys of all recent events, so that the channel is spared them. Messages that were
    sent already stay up to date. ``reported``: the kinds that it got until now: the next look sends
    their events since the last one."""
    state = state_of(hook.campaign_id)
    if state is not None:
        sight = Sight(hook, load_season(hook.campaign_id, state), {}, timezone.now())
        known = {
            subject.key
            for subject in find_past(sight)
            if subject.kind not in reported or subject.key in hook.known
        }
        Hook.objects.filter(pk=hook.pk).update(known=sorted(known))


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
    columns: dict[str, Any] = {"content": content, "wanted": wanted, "title": title}
    columns |= {"is_deleted": False, "tries": 0, "changed_at": timezone.now()}
    if row.is_deleted:
        columns |= {"message": "", "sent_at": None}
    # The message may have been sent since the row was read: then its job does not wait any more.
    same = Delivery.objects.filter(pk=row.pk)
    if same.filter(is_waiting=True).update(**columns):
        return None
    same.update(**columns, is_waiting=True)
    return row
