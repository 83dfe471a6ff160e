"""Sending messages to channels, in a lane of their own: jobs, tries, and what follows an answer.

After a failure the channel or its whole host waits (``outbound.pacing``), so a dead server costs
one try for all messages. A channel that fails for days is switched off, and its organisers get a
notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from functools import partial

from django.db.models import F
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from accounts import notices
from common.background import TryLater, add_jobs, carries_out, make_job
from common.models import Job
from common.text import one_line
from outbound import pacing
from outbound.client import Answer, NotSent, Sending
from outbound.hooks import discord, pictures, signed
from outbound.models import Delivery, Hook
from outbound.verdicts import Limited, Verdict

KIND = "message to a channel"
# A job outlives the five days after which its channel is switched off.
LANE = pacing.make_lane("channels", given_up_after=Hook.GIVEN_UP_AFTER + timedelta(days=2))
# Requests for one message in one try: the second has the form that the first answer asks for.
MOST_REQUESTS = 3
# Look again after this time whether administrators still hide a campaign.
HIDDEN_PAUSE = timedelta(hours=1)


def enqueue(rows: Iterable[Delivery]) -> None:
    """Store jobs that send these messages after the transaction commits."""
    add_jobs([make_job(KIND, str(row.hook), delivery=row.pk) for row in rows])


def give_up(job: Job) -> None:
    """Stop waiting for a message whose job is given up: its channel's page says "Not sent"."""
    rows = Delivery.objects.filter(pk=job.body["delivery"], is_waiting=True)
    rows.update(is_waiting=False, content={})


@carries_out(KIND, LANE, given_up=give_up)
def deliver(job: Job) -> None:
    """Bring one message into the state that it should have. Raises TryLater."""
    rows = Delivery.objects.filter(pk=job.body["delivery"], is_waiting=True)
    row = rows.select_related("hook__campaign").first()
    if row is None:
        return
    hook = row.hook
    if hook.off_at is not None:
        rows.update(is_waiting=False, content={})
        return
    if hook.campaign.hidden_why:
        raise TryLater(blocked=False, after=HIDDEN_PAUSE)
    try:
        with translation.override(hook.language):
            _deliver(hook, row)
    except pacing.FailedForLong:
        switch_off(hook, Hook.Off.FAILING)


def _deliver(hook: Hook, row: Delivery) -> None:
    """Send a message and act on the answer. Raises TryLater and FailedForLong."""
    if not row.content and not row.message and hook.is_discord:
        # It never arrived, so there is nothing to delete.
        _close(row)
        return
    for _number in range(MOST_REQUESTS):
        answer = _send(hook, row)
        verdict = discord.judge(hook, row, answer) if hook.is_discord else signed.judge(answer)
        if verdict != Verdict.AGAIN:
            break
        Hook.objects.filter(pk=hook.pk).update(thread=hook.thread, is_forum=hook.is_forum)
    _store_try(row, answer=answer)
    match verdict:
        case Verdict.SENT:
            _succeed(hook, row, answer)
        case Verdict.MISSING:
            # The channel's people deleted it: leave it at that.
            _close(row, is_deleted=True)
        case Verdict.REFUSED:
            _close(row)
        case Verdict.NO_CHANNEL:
            switch_off(hook, Hook.Off.DELETED)
        case Verdict.NO_THREAD:
            switch_off(hook, Hook.Off.THREAD)
        case Verdict.ENDED:
            switch_off(hook, Hook.Off.ENDED)
        case Limited(pause):
            pacing.limit(hook, pause)
        case _:
            pacing.fail(hook, answer)


def _send(hook: Hook, row: Delivery) -> Answer:
    """Send a message and return the answer. Raises TryLater and FailedForLong."""
    try:
        return pacing.send(hook, partial(_compose, hook, row))
    except NotSent as error:
        _store_try(row, reason=error.reason)
        pacing.fail(hook, error)


def _compose(hook: Hook, row: Delivery) -> Sending:
    if hook.is_discord:
        return discord.compose(hook, row, pictures.picture_of(row))
    return signed.compose(hook, row)


def _store_try(row: Delivery, *, answer: Answer | None = None, reason: str = "") -> None:
    """Store the outcome of a try, for the organiser to read."""
    words = one_line(discord.words_of(answer))[:300] if answer is not None else ""
    Delivery.objects.filter(pk=row.pk).update(
        tries=F("tries") + 1,
        tried_at=timezone.now(),
        status=answer.status if answer is not None else None,
        reason=reason,
        answer=words,
        message=row.message,
    )


def _succeed(hook: Hook, row: Delivery, answer: Answer) -> None:
    pause = discord.pause_after(answer) if hook.is_discord else 0.0
    pacing.succeed(hook, pause=pause, thread=hook.thread, is_forum=hook.is_forum)
    _close(row, is_deleted=not row.content)
    Delivery.objects.filter(pk=row.pk).update(sent_at=timezone.now())


def _close(row: Delivery, *, is_deleted: bool = False) -> None:
    """Stop waiting for a message, unless its content has changed again meanwhile. Raises TryLater
    in that case."""
    same = Delivery.objects.filter(pk=row.pk, wanted=row.wanted)
    if not same.update(is_waiting=False, content={}, is_deleted=is_deleted):
        raise TryLater(blocked=False, after=timedelta(seconds=1))


def switch_off(hook: Hook, why: Hook.Off) -> None:
    """Send nothing more to a channel, and tell the organisers, unless one of them did it."""
    changed = Hook.objects.filter(pk=hook.pk, off_at=None)
    if not changed.update(off_at=timezone.now(), off_why=why):
        return
    hook.deliveries.filter(is_waiting=True).update(is_waiting=False, content={})
    campaign = hook.campaign
    if why == Hook.Off.BY_HAND or campaign.archived_at is not None:
        return
    values = {"campaign": campaign.name, "channel": str(hook), "why": str(why)}
    url = reverse("hooks:channel", args=[campaign.pk, hook.pk])
    notices.notify(campaign.organisers, NOTICE, values, url)


NOTICE = "channel_off"
SENTENCE = _(
    "%(campaign)s: no more messages go to the channel %(channel)s. %(why)s You can switch it on "
    "again."
)


def describe_notice(values: dict[str, str]) -> str:
    """Return the sentence of a notice about a channel that was switched off."""
    return str(SENTENCE) % {**values, "why": Hook.Off(values["why"]).label}
