"""Notices to users, shown in the application and, for those who want it, sent by e-mail.

This app does not know games. Other apps register a sentence for each kind of notice, and call
``notify`` inside the transaction of the event, so that a failure sends nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.safestring import SafeString

from accounts import mailing
from accounts.http import public_url
from accounts.models import Notice, User
from common.models import Job

# Makes a sentence from a notice's values, in the active language.
Sentence = Callable[[dict[str, Any]], str]
# Makes HTML to show below each of these notices, such as a form, by primary key.
Below = Callable[[HttpRequest, Sequence[Notice]], Mapping[int, SafeString]]

_sentences: dict[str, Sentence] = {}
_below: dict[str, Below] = {}


def register(kind: str, sentence: Sentence, below: Below | None = None) -> None:
    """Register a kind of notices with its ``sentence``; ``below``: makes the HTML below them, in
    one call for all notices of a page."""
    _sentences[kind] = sentence
    if below is not None:
        _below[kind] = below


def below(request: HttpRequest, notices: Sequence[Notice]) -> dict[int, SafeString]:
    """The HTML to show below these notices, by primary key."""
    found: dict[int, SafeString] = {}
    for make in dict.fromkeys(_below.values()):
        asked = [notice for notice in notices if _below.get(notice.kind) == make]
        found |= make(request, asked) if asked else {}
    return found


def notify(
    users: Iterable[User | None],
    kind: str,
    values: Mapping[str, Any],
    url: str,
    *,
    except_for: User | None = None,
) -> None:
    """Notify each of ``users`` once, except None and the actor, ``except_for``.

    ``values``: plain JSON; ``url``: a page of this site, or "". Mails are stored with the notices,
    and sent after the transaction. Raises KeyError if the kind is not registered.
    """
    if kind not in _sentences:
        raise KeyError(kind)
    readers = {user.pk: user for user in users if user is not None and user != except_for}
    reachable = [user for user in readers.values() if user.is_active and not user.stands_for]
    notices = Notice.objects.bulk_create(
        Notice(user=user, kind=kind, values=dict(values), url=url) for user in reachable
    )
    mailed = [notice for notice in notices if notice.user.mail_notices]
    if mailed:
        addresses = mailing.confirmed_addresses(notice.user for notice in mailed)
        mailing.post(
            _mail(notice, addresses[notice.user_id])
            for notice in mailed
            if notice.user_id in addresses
        )


def describe(notice: Notice) -> str:
    """The notice as one line in the active language; "" if its kind or values are out of date."""
    sentence = _sentences.get(notice.kind)
    if sentence is None:
        return ""
    try:
        return " ".join(sentence(notice.values).split())
    except KeyError:
        # The sentence has changed since, and needs other values.
        return ""


def mark_read(user: User, notice: Notice | None = None) -> None:
    """Mark one of the user's notices, or all of them, as read."""
    unread = Notice.objects.filter(user=user, read_at=None)
    if notice is not None:
        unread = unread.filter(pk=notice.pk)
    unread.update(read_at=timezone.now())


def mark_read_about(user: User, url: str) -> None:
    """Mark the user's notices that lead to ``url`` as read, since the user has acted on them."""
    Notice.objects.filter(user=user, url=url, read_at=None).update(read_at=timezone.now())


def lead_elsewhere(before: str, after: str) -> None:
    """Let notices that lead to ``before`` lead to ``after``, since ``before`` will be deleted."""
    Notice.objects.filter(url=before).update(url=after)


def _mail(notice: Notice, address: str) -> Job:
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
    return mailing.compose(sentence, body, address)
