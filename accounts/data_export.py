"""A user's data as one file: a ZIP to which every app contributes.

This app does not know games. Other apps with data of users register a function for their part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.translation import gettext as _

from accounts import mailing
from accounts.models import DailyUse, Notice, User
from accounts.notices import describe_all


class File(NamedTuple):
    """A file of the ZIP. ``path``: with "/" between folders, another for each file."""

    path: str
    content: str | bytes


Contribute = Callable[[User], Iterable[File]]

_contributors: list[Contribute] = []


def register(contribute: Contribute) -> None:
    """Include the files of ``contribute`` in every ZIP. They are read one at a time, so that only
    one needs to be in memory."""
    if contribute not in _contributors:
        _contributors.append(contribute)


def as_json(data: object) -> str:
    """Plain data as JSON: times in ISO 8601, UUIDs and the like as text."""
    return json.dumps(data, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)


def files_of(user: User) -> Iterator[File]:
    """All files with the user's data, the account's first."""
    yield File("read-me.txt", _read_me())
    yield File("account.json", as_json(_account(user)))
    yield File("notices.json", as_json(_notices(user)))
    yield File("mails.json", as_json(list(_mails(user))))
    for contribute in _contributors:
        yield from contribute(user)


def archive(user: User) -> IO[bytes]:
    """The ZIP, open at its beginning; it is deleted when it is closed.

    It is written to the data folder, since the folder for temporary files may be in memory. Raises
    OSError if the disk is full.
    """
    settings.DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as unless_whole:
        written = unless_whole.enter_context(TemporaryFile(dir=settings.DATA_DIR))
        with ZipFile(written, "w", ZIP_DEFLATED) as zipped:
            for file in files_of(user):
                # Pictures are already compressed.
                how = ZIP_STORED if file.path.endswith(".jpg") else ZIP_DEFLATED
                zipped.writestr(file.path, file.content, compress_type=how)
        written.seek(0)
        unless_whole.pop_all()
    return written


def _account(user: User) -> dict[str, object]:
    addresses = EmailAddress.objects.filter(user=user).order_by("pk")
    return {
        "username": user.username,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "email": user.email,
        "email_addresses": list(addresses.values("email", "verified", "primary")),
        "language": user.language,
        "abbreviations": user.abbreviations,
        "rulebook_languages": user.rulebook_languages,
        "mail_notices": user.mail_notices,
        "mail_off": user.mail_off,
        "two_factor": is_mfa_enabled(user),
        "quotas": list(user.quotas.values("kind", "most")),
        "daily_use": list(DailyUse.objects.filter(user=user).values("kind", "day", "count")),
        "signed_up_at": user.date_joined,
        "last_signed_in_at": user.last_login,
    }


def _notices(user: User) -> list[dict[str, object]]:
    notices = list(Notice.objects.filter(user=user))
    return [
        {"at": notice.at, "text": text, "url": notice.url, "read_at": notice.read_at}
        for notice, text in zip(notices, describe_all(notices), strict=True)
    ]


def _mails(user: User) -> Iterator[dict[str, object]]:
    for mail in mailing.mails_to(user):
        yield {"title": mail.title, "at": mail.created_at, "sent_at": mail.finished_at}


def _read_me() -> str:
    return _(
        "All that %(site)s keeps of you.\n"
        "\n"
        "account.json and notices.json: your account, and what you were told.\n"
        "mails.json: the mails of the last days to addresses that you have confirmed.\n"
        "gangs: each with all its changes, as a file that can be imported again, and pictures.\n"
        "variants: your own rules, as files that can be imported again.\n"
        "campaigns: those that you organise, as files that can be imported again; and what you said"
        " and rolled in those of others.\n"
        "photos: those that you uploaded to games; campaigns/of-others.json says what they show.\n"
        "reports.json: the pages that you reported to the administrators of this site.\n"
        "hidden-texts.json: your texts that administrators took off the pages, and why.\n"
    ) % {"site": settings.SITE_NAME}
