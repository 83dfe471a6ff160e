"""Notices to users, shown in the application and, for those who want it, sent by e-mail.

This app does not know games. Other apps register a sentence for each kind of notice, and call
``notify`` inside the transaction of the event, so that a failure sends nothing. Kinds belong to
topics: users choose for each topic whether its notices also leave the site.

The values of a notice never contain a user's name: ``person`` makes a reference, and a reader sees
the name as it is then. So the name of a deleted account is nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import mailing
from accounts.http import public_url
from accounts.models import Notice, User

# Makes a sentence from a notice's values, in the active language.
Sentence = Callable[[dict[str, Any]], str]
# Makes HTML to show below each of these notices, such as a form, by primary key.
Below = Callable[[HttpRequest, Sequence[Notice]], Mapping[int, SafeString]]
# Whether the duty that a notice reminds of is still to be done.
IsDue = Callable[[Notice], bool]

# Makes the HTML of a part of the page of notices.
Panel = Callable[[HttpRequest], SafeString]
# Sends new notices of one kind on their way, in the transaction that made them.
Deliver = Callable[[Sequence[Notice]], None]

# The ways by which notices leave the site.
MAIL, PUSH = "mail", "push"
WAYS = (MAIL, PUSH)
# Around the key of a person in a notice's values: no text from anybody contains this character
# (``common.text``).
MARK = "\x1a"
# A reference to a person, perhaps in brackets behind the name of their gang.
PERSON = re.compile(f"( \\()?{MARK}([0-9]+){MARK}(?(1)\\))")
# The name of the mails of notices, in jobs.
MAILED = "notice"
# The topic of kinds without another, and that of notices to administrators.
OTHER, SITE = "other", "site"


@dataclass(frozen=True)
class Kind:
    """A registered kind of notices. ``ways``: how it can leave the site; ``is_due``: asked before
    it does, None if it is sent in any case."""

    sentence: Sentence
    below: Below | None = None
    topic: str = OTHER
    ways: tuple[str, ...] = WAYS
    is_due: IsDue | None = None


_kinds: dict[str, Kind] = {}
_topics: dict[str, Promise] = {}
_pushed: list[str] = []
_panels: list[Panel] = []
_deliveries: list[Deliver] = []


def register_topic(topic: str, label: Promise, *, pushed: bool = False) -> None:
    """Let users choose how they get notices of this topic. ``pushed``: a new device shows it."""
    _topics[topic] = label
    if pushed:
        _pushed.append(topic)


def register_push(deliver: Deliver, panel: Panel) -> None:
    """Send notices to devices, too. ``panel``: the part of the page where users choose them."""
    _deliveries.append(deliver)
    _panels.append(panel)


def default_push_topics() -> list[str]:
    """The topics that a new device shows."""
    return list(_pushed)


def topic_of(kind: str) -> str:
    """The topic of a registered kind."""
    return _kinds[kind].topic


def panels(request: HttpRequest) -> list[SafeString]:
    """The parts of the page of notices that other apps have registered."""
    return [panel(request) for panel in _panels]


def register(kind: str, sentence: Sentence, below: Below | None = None, **more: Any) -> None:
    """Register a kind of notices with its ``sentence``; ``below``: makes the HTML below them, in
    one call for all notices of a page; ``more``: the other fields of ``Kind``."""
    _kinds[kind] = Kind(sentence, below, **more)


def topics_for(user: User) -> dict[str, Promise]:
    """The labels of the topics that concern a user, in the order of a page."""
    found = dict(_topics)
    if user.is_staff:
        found[SITE] = gettext_lazy("This site: reported pages and failed backups")
    found[OTHER] = gettext_lazy("Everything else, such as invitations and corrections")
    return found


def is_mailed(user: User, kind: str) -> bool:
    """Whether the user wants this kind of notices by e-mail, too."""
    registered = _kinds[kind]
    return MAIL in registered.ways and user.wants_mail_about(registered.topic)


def below(request: HttpRequest, notices: Sequence[Notice]) -> dict[int, SafeString]:
    """The HTML to show below these notices, by primary key."""
    found: dict[int, SafeString] = {}
    for make in dict.fromkeys(kind.below for kind in _kinds.values() if kind.below):
        asked = [one for one in notices if one.kind in _kinds and _kinds[one.kind].below == make]
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

    ``values``: plain JSON, with people as ``person``; ``url``: a page of this site, or "". Mails
    are stored with the notices, and sent after the transaction. Raises KeyError if the kind is not
    registered.
    """
    if kind not in _kinds:
        raise KeyError(kind)
    readers = {user.pk: user for user in users if user is not None and user != except_for}
    reachable = [user for user in readers.values() if user.is_active and not user.stands_for]
    notices = Notice.objects.bulk_create(
        Notice(user=user, kind=kind, values=dict(values), url=url) for user in reachable
    )
    mailed = [notice for notice in notices if is_mailed(notice.user, kind)]
    if mailed:
        addresses = mailing.confirmed_addresses(notice.user for notice in mailed)
        mailing.post(
            mailing.compose_later(MAILED, addresses[notice.user_id], notice=notice.pk)
            for notice in mailed
            if notice.user_id in addresses
        )
    if PUSH in _kinds[kind].ways:
        push(notices)


def push(notices: Sequence[Notice]) -> None:
    """Send stored notices, all of one kind, to the devices that show it."""
    for deliver in _deliveries:
        if notices:
            deliver(notices)


def find_due(number: int) -> Notice | None:
    """The notice of this primary key, if it is still to leave the site: nobody read it, and its
    duty is not done."""
    notice = Notice.objects.select_related("user").filter(pk=number, read_at=None).first()
    if notice is None or not notice.user.is_active:
        return None
    kind = _kinds.get(notice.kind)
    is_due = kind is None or kind.is_due is None or kind.is_due(notice)
    return notice if is_due else None


def person(user: User) -> str:
    """A reference to a user, for the values of a notice."""
    return f"{MARK}{user.pk}{MARK}"


def name_people(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """These values of notices, with names for references to people. One query, if there are any."""
    keys = {
        int(found[2])
        for values in rows
        for value in values.values()
        if isinstance(value, str)
        for found in PERSON.finditer(value)
    }
    users = User.objects.only("username", "stands_for").filter(pk__in=keys) if keys else ()
    names = {user.pk: str(user) for user in users}

    def name(found: re.Match[str]) -> str:
        known = names.get(int(found[2]))
        if found[1]:
            return f" ({known})" if known is not None else ""
        return known if known is not None else _("[deleted account]")

    return [
        {key: PERSON.sub(name, value) if isinstance(value, str) else value for key, value in items}
        for items in (values.items() for values in rows)
    ]


def describe(notice: Notice) -> str:
    """The notice as one line in the active language; "" if its kind or values are out of date."""
    return describe_all([notice])[0]


def describe_all(found: Sequence[Notice]) -> list[str]:
    """These notices as lines in the active language, as ``describe``. One query at most."""
    rows = name_people([notice.values for notice in found])
    return [_describe(notice.kind, values) for notice, values in zip(found, rows, strict=True)]


def _describe(name: str, values: dict[str, Any]) -> str:
    kind = _kinds.get(name)
    if kind is None:
        return ""
    try:
        return " ".join(kind.sentence(values).split())
    except KeyError:
        # The sentence has changed since, and needs other values.
        return ""


def mark_read(user: User, notice: Notice | None = None) -> None:
    """Mark one of the user's notices, or all of them, as read."""
    unread = Notice.objects.filter(user=user, read_at=None)
    if notice is not None:
        unread = unread.filter(pk=notice.pk)
    unread.update(read_at=timezone.now())


def mark_read_about(user: User, *urls: str) -> None:
    """Mark the user's notices that lead to these addresses as read, since the user has acted."""
    Notice.objects.filter(user=user, url__in=urls, read_at=None).update(read_at=timezone.now())


def lead_elsewhere(before: str, after: str) -> None:
    """Let notices that lead to ``before`` lead to ``after``, since ``before`` will be deleted."""
    Notice.objects.filter(url=before).update(url=after)


def _write_mail(body: dict[str, Any]) -> mailing.Letter | None:
    """Write the mail of a notice, unless the notice no longer exists, or reminds of a duty that is
    done."""
    notice = Notice.objects.select_related("user").filter(pk=body["notice"]).first()
    kind = _kinds.get(notice.kind) if notice is not None else None
    if notice is None or kind is None or (kind.is_due and find_due(notice.pk) is None):
        return None
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
        text = render_to_string("accounts/notice_mail.txt", context)
    return mailing.Letter(sentence, text) if sentence else None


mailing.register_writer(MAILED, _write_mail)
