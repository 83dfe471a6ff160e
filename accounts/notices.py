"""Notices: what somebody should know, shown in the application and, where wanted, by e-mail.

This app knows no game. Whoever has something to tell registers a sentence for each kind of it, and
calls ``notify`` inside the transaction in which it happens: if that fails, nobody is told anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.tasks import task
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation

from accounts import mailing
from accounts.http import public_url
from accounts.models import Notice, User

# Made of the notice's values, in the language that is active.
Sentence = Callable[[dict[str, Any]], str]

_sentences: dict[str, Sentence] = {}


def register(kind: str, sentence: Sentence) -> None:
    """Let notices of this kind be described with ``sentence``."""
    _sentences[kind] = sentence


def notify(
    users: Iterable[User | None],
    kind: str,
    values: Mapping[str, Any],
    url: str,
    *,
    except_for: User | None = None,
) -> None:
    """Tell each of ``users`` once; not ``except_for``, who did it. Nobody (None) is left out.

    ``values``: plain JSON; ``url``: where it leads, on this site, or "". Mails go out after the
    transaction; that they fail stops nobody. Raises KeyError if the kind is not registered.
    """
    if kind not in _sentences:
        raise KeyError(kind)
    readers = {user.pk: user for user in users if user is not None and user != except_for}
    reachable = [user for user in readers.values() if user.is_active and not user.stands_for]
    notices = Notice.objects.bulk_create(
        Notice(user=user, kind=kind, values=dict(values), url=url) for user in reachable
    )
    mailed = [notice.pk for notice in notices if notice.user.mail_notices]
    if mailed:
        transaction.on_commit(partial(send_notices.enqueue, mailed), robust=True)


def describe(notice: Notice) -> str:
    """The notice in words, in the language that is active, on one line; "" if nobody can tell it
    any more."""
    sentence = _sentences.get(notice.kind)
    if sentence is None:
        return ""
    try:
        return " ".join(sentence(notice.values).split())
    except KeyError:
        # The sentence was another one when this happened.
        return ""


def read(user: User, notice: Notice | None = None) -> None:
    """The user has read one of their notices, or all of them."""
    unread = Notice.objects.filter(user=user, read_at=None)
    if notice is not None:
        unread = unread.filter(pk=notice.pk)
    unread.update(read_at=timezone.now())


@task
def send_notices(notices: list[int]) -> None:
    """Send each to its user, in their language, if they want mails and have a confirmed address."""
    found = Notice.objects.filter(pk__in=notices, user__mail_notices=True).order_by("pk")
    found = found.select_related("user")
    addresses = mailing.confirmed_addresses(notice.user for notice in found)
    mailing.send(
        _message(notice, addresses[notice.user_id])
        for notice in found
        if notice.user_id in addresses
    )


def _message(notice: Notice, address: str) -> EmailMessage:
    site = public_url()
    with translation.override(notice.user.language or settings.LANGUAGE_CODE):
        sentence = describe(notice)
        context = {
            "name": notice.user.username,
            "sentence": sentence,
            "link": f"{site}{notice.url}" if notice.url else "",
            "settings_link": f"{site}{reverse('notices')}",
            "site_name": settings.SITE_NAME,
        }
        body = render_to_string("accounts/notice_mail.txt", context)
    return mailing.message(sentence, body, address)
