"""Notices: what somebody should know, shown in the application and, where wanted, by e-mail.

This app knows no game. Whoever has something to tell registers a sentence for each kind of it, and
calls ``notify`` inside the transaction in which it happens: if that fails, nobody is told anything.
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

# Made of the notice's values, in the language that is active.
Sentence = Callable[[dict[str, Any]], str]
# What stands below each of these notices on their page, by primary key: a form, say.
Below = Callable[[HttpRequest, Sequence[Notice]], Mapping[int, SafeString]]

_sentences: dict[str, Sentence] = {}
_below: dict[str, Below] = {}


def register(kind: str, sentence: Sentence, below: Below | None = None) -> None:
    """Let notices of this kind be described with ``sentence``; ``below``: what can be done about
    them where they are read, asked once for all notices of a page."""
    _sentences[kind] = sentence
    if below is not None:
        _below[kind] = below


def below(request: HttpRequest, notices: Sequence[Notice]) -> dict[int, SafeString]:
    """What stands below these notices, by primary key."""
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
    """Tell each of ``users`` once; not ``except_for``, who did it. Nobody (None) is left out.

    ``values``: plain JSON; ``url``: where it leads, on this site, or "". Mails are stored with the
    notices, and leave after the transaction. Raises KeyError if the kind is not registered.
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


def mark_read(user: User, notice: Notice | None = None) -> None:
    """The user has read one of their notices, or all of them."""
    unread = Notice.objects.filter(user=user, read_at=None)
    if notice is not None:
        unread = unread.filter(pk=notice.pk)
    unread.update(read_at=timezone.now())


def mark_read_about(user: User, url: str) -> None:
    """The user has done what their notices that lead to ``url`` ask for."""
    Notice.objects.filter(user=user, url=url, read_at=None).update(read_at=timezone.now())


def lead_elsewhere(before: str, after: str) -> None:
    """What is at the address ``before`` goes: notices that lead there lead to ``after``."""
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
