"""Adding, changing and deleting channels. The callers check who may."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts import quotas
from accounts.data_export import File, as_json
from accounts.http import public_url
from accounts.models import User
from campaigns.locking import lock
from campaigns.models import Campaign
from common.errors import Refusal
from common.locking import update_if
from gangs.text.passages import Link, Passage, TextLine, Title, as_markdown, as_plain
from outbound.hooks import sending, signed, watching
from outbound.hooks.addresses import Address
from outbound.models import HELLO, TEST, Delivery, Hook, Kind

# Channels of one campaign.
MOST = 5
# Between two test messages.
TEST_EVERY = timedelta(seconds=20)
# Messages are kept for this long; those of nights and pairings longer, as they may change.
KEPT, KEPT_LONGER = timedelta(days=60), timedelta(days=400)
# Instead of the sum of a message that must be composed once more.
AGAIN = "again"


def add(
    campaign: Campaign,
    address: Address,
    *,
    by: User,
    kinds: Sequence[str],
    language: str,
    thread: str,
    token: uuid.UUID,
) -> tuple[Hook, bool]:
    """Add a channel and send a first message; return it, and whether it is new: a form that arrives
    twice adds one. Raises QuotaFull, and Refusal if the campaign has enough channels."""
    with quotas.turn(by):
        lock(campaign)
        known = Hook.objects.filter(token=token, campaign=campaign).first()
        if known is not None:
            return known, False
        quotas.check(by, "hooks")
        if Hook.objects.filter(campaign=campaign).count() >= MOST:
            raise Refusal("channels_full", maximum=MOST)
        hook = Hook.objects.create(
            campaign=campaign,
            by=by,
            service=Hook.Service.DISCORD if address.is_discord else Hook.Service.SIGNED,
            secret_url=address.url,
            host=address.host,
            ending=address.ending,
            signing_secret="" if address.is_discord else signed.make_secret(),
            kinds=list(kinds),
            language=language,
            thread=thread or address.thread,
            token=token,
        )
        watching.forget_the_past(hook)
        _greet(hook)
        watching.enqueue(hook)
    return hook, True


def change(
    hook: Hook, *, kinds: Sequence[str], language: str, thread: str, expected_version: int
) -> None:
    """Change a channel's settings. Nothing that happened before a kind was chosen is reported.
    Raises Stale."""
    with transaction.atomic():
        values = {"language": language, "thread": thread, "seen": ""}
        reported = Hook.objects.filter(pk=hook.pk).values_list("kinds", flat=True).first() or ()
        update_if(Hook, hook.pk, expected_version, kinds=list(kinds), **values)
        hook.refresh_from_db()
        watching.forget_the_past(hook, reported=reported)
        watching.enqueue(hook)


def switch_on(hook: Hook) -> None:
    """Send to a channel again. Nothing that happened meanwhile is reported."""
    with transaction.atomic():
        values = {"off_at": None, "off_why": "", "seen": ""}
        working = {"failing_since": None, "failures": 0, "not_before": timezone.now()}
        off = Hook.objects.filter(pk=hook.pk).exclude(off_at=None)
        if not off.update(**values, **working):
            return
        hook.refresh_from_db()
        watching.forget_the_past(hook)
        _greet(hook)
        watching.enqueue(hook)


def renew_secret(hook: Hook) -> str:
    """Give a signed channel another secret, and return it."""
    secret = signed.make_secret()
    Hook.objects.filter(pk=hook.pk).update(signing_secret=secret)
    return secret


def test(hook: Hook) -> None:
    """Send a test message. Raises Refusal right after another one, while nothing is sent, or if the
    channel is deleted."""
    with transaction.atomic():
        found = Hook.objects.select_for_update().filter(pk=hook.pk).first()
        if found is None:
            raise Refusal("gone")
        hook = found
        if hook.off_at is not None:
            raise Refusal("channel_off")
        since = timezone.now() - TEST_EVERY
        if hook.deliveries.filter(kind=TEST, created_at__gt=since).exists():
            raise Refusal("tested_just_now")
        with translation.override(hook.language):
            words = _("This is a test. Nobody needs to do anything.")
            _send_once(hook, TEST, _("Test message"), [Title(hook.campaign.name), TextLine(words)])


def _greet(hook: Hook) -> None:
    """Send the first message of a channel: what comes here from now on."""
    with translation.override(hook.language):
        chosen = [str(Kind(kind).label) for kind in hook.kinds]
        text: list[Passage] = [
            Title(hook.campaign.name),
            TextLine(_("News of this campaign comes to this channel from now on.")),
            *(TextLine(f"• {name}") for name in chosen),
        ]
        _send_once(hook, HELLO, _("First message"), text)


def _send_once(hook: Hook, kind: str, title: str, text: list[Passage]) -> None:
    url = f"{public_url()}{hook.campaign.get_absolute_url()}"
    text = [*text, Link(url)]
    content = {"text": as_plain(text), "markdown": as_markdown(text), "url": url}
    key = f"{kind}:{uuid.uuid4()}"
    row = Delivery.objects.create(hook=hook, kind=kind, key=key, title=title, content=content)
    sending.enqueue([row])


def count_of(user: User) -> int:
    """Count the channels that a user added."""
    return Hook.objects.filter(by=user).count()


def files_of(user: User) -> Iterator[File]:
    """The channels that a user added, without anything that lets somebody post there."""
    columns = ("campaign__name", "service", "host", "ending", "kinds", "language", "thread")
    found = Hook.objects.filter(by=user).values(*columns, "created_at", "off_at", "off_why")
    yield File("channels.json", as_json(list(found)))


def forget_name(user: User) -> None:
    """Take the name of a user, whose account will be deleted, out of the messages of channels:
    those on their way are composed again, and titles have it only in brackets."""
    plays = Q(memberships__gang__owner=user) | Q(memberships__player=user)
    campaigns = Campaign.objects.filter(plays | Q(participants__user=user)).values("pk")
    # Channels before their messages, as a look for news locks them.
    locked = Hook.objects.select_for_update(no_key=True).filter(campaign__in=campaigns)
    hooks = list(locked.order_by("pk"))
    rows = Delivery.objects.filter(hook__in=hooks).exclude(kind__in=(HELLO, TEST))
    rows.filter(is_waiting=True).update(is_waiting=False, content={}, wanted=AGAIN)
    named = f" ({user})"
    for row in rows.filter(title__contains=named).only("title"):
        rows.filter(pk=row.pk).update(title=row.title.replace(named, ""))
    for hook in hooks:
        Hook.objects.filter(pk=hook.pk).update(seen="")
        watching.enqueue(hook)


def delete_old() -> int:
    """Delete old messages, and give up those that wait without a job; return the number deleted."""
    now = timezone.now()
    lost = Delivery.objects.filter(
        is_waiting=True, changed_at__lt=now - sending.LANE.given_up_after
    )
    lost.update(is_waiting=False, content={})
    lasting = (Kind.NIGHTS, Kind.PAIRINGS)
    sent = Delivery.objects.filter(is_waiting=False)
    found = sent.filter(changed_at__lt=now - KEPT).exclude(kind__in=lasting)
    longer = sent.filter(changed_at__lt=now - KEPT_LONGER, kind__in=lasting)
    return found.delete()[0] + longer.delete()[0]
