"""The site's mails, in plain text: jobs stored in the transaction of their event, sent after it.

A mail that names other people is written when it is sent, so that no job contains their names.
They share one connection, and one process sends each mail. A mail counts as sent when the mail
server accepts it; if the process dies before that is stored, it is sent a second time with the same
Message-ID.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import reduce
from operator import or_
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused
from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, mailers
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Q

from accounts.models import User
from common.background import Lane, TryLater, add_jobs, carries_out, make_job
from common.models import Job, JobQuerySet

# The kind of these jobs.
MAIL = "mail"
# Between a mail's subject and its address, in the title of its job.
ARROW = " → "
# Longer subjects are cut by mail programs anyway.
LONGEST_SUBJECT = 150
# Errors that concern one mail; the mail server still accepts others.
OF_ONE_MAIL = (SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused)


class Letter(NamedTuple):
    """The words of a mail."""

    subject: str
    text: str


# Writes a mail, when it is sent, from what its job contains; None if nobody needs it any more.
Write = Callable[[dict[str, Any]], Letter | None]

_connection: ContextVar[BaseEmailBackend] = ContextVar("connection")
_writers: dict[str, Write] = {}


@contextmanager
def _connecting() -> Iterator[None]:
    connection = mailers.default
    token = _connection.set(connection)
    try:
        yield
    finally:
        _connection.reset(token)
        # Closing may fail if the mail server is down.
        with suppress(OSError):
            connection.close()


LANE = Lane("mail", session=_connecting, remembers=True)


def compose(subject: str, body: str, to: str, *, of: User | None = None) -> Job:
    """Make a mail to an address, without storing it. ``of``: the account that it is about, and the
    only one that it may name; the mail is deleted with it."""
    line = _one_line(subject)
    about = {} if of is None else {"of": of.pk}
    return make_job(MAIL, f"{line}{ARROW}{to}", to=to, subject=line, text=body, **about)


def register_writer(name: str, write: Write) -> None:
    """Let ``write`` write the mails that ``compose_later`` makes with this name."""
    _writers[name] = write


def compose_later(name: str, to: str, **body: Any) -> Job:
    """Make a mail that is written when it is sent, without storing it. ``name``: of its writer,
    which gets ``body``; administrators see it instead of a subject."""
    return make_job(MAIL, f"{name}{ARROW}{to}", to=to, writer=name, **body)


def _one_line(subject: str) -> str:
    line = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{' '.join(subject.split())}"
    return line[:LONGEST_SUBJECT]


def post(mails: Iterable[Job]) -> None:
    """Store mails, to be sent after the transaction.

    Errors of the mail server do not reach the caller; the mail is tried again.
    """
    add_jobs(mails)


def stored_mails() -> JobQuerySet:
    """All stored mails."""
    return Job.objects.filter(kind=MAIL)


def mails_to(user: User) -> JobQuerySet:
    """Find the stored mails to the addresses that the user has confirmed. Two queries."""
    addresses = EmailAddress.objects.filter(user=user, verified=True)
    named = [
        Q(title__iendswith=f"{ARROW}{address}")
        for address in addresses.values_list("email", flat=True)
    ]
    found = stored_mails().order_by("pk")
    return found.filter(reduce(or_, named)) if named else found.none()


def delete_mails(user: User) -> None:
    """Delete the stored mails to the user, and those about the account to any address. Those to
    others name nobody."""
    mails_to(user).delete()
    stored_mails().filter(body__of=user.pk).delete()


@carries_out(MAIL, LANE)
def send(mail: Job) -> None:
    """Send a mail, unless nobody needs it any more: then delete it. Raises TryLater if the mail
    server refuses this one, or accepts none."""
    letter = letter_of(mail)
    if letter is None:
        mail.delete()
        return
    connection, usable = _connection.get(), False
    try:
        connection.open()
        usable = True
        connection.send_messages([message_of(mail, letter)])
    except Exception as error:
        of_all = isinstance(error, OSError) and not isinstance(error, OF_ONE_MAIL)
        raise TryLater(blocked=of_all or not usable) from error


def letter_of(mail: Job) -> Letter | None:
    """The words of a stored mail, or None if nobody needs it any more."""
    body = mail.body
    if "writer" not in body:
        return Letter(body["subject"], body["text"])
    letter = _writers[body["writer"]](body)
    return letter and letter._replace(subject=_one_line(letter.subject))


def message_of(mail: Job, letter: Letter) -> EmailMessage:
    """The mail in Django's form, with the same Message-ID at every try."""
    host = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].strip("<> ")
    message_id = f"<{mail.created_at.timestamp():.6f}.{mail.pk}@{host}>"
    headers = {"Message-ID": message_id, "Auto-Submitted": "auto-generated"}
    return EmailMessage(letter.subject, letter.text, to=[mail.body["to"]], headers=headers)


def confirmed_addresses(users: Iterable[User]) -> dict[int, str]:
    """The confirmed primary addresses of these users, by primary key. One query."""
    rows = EmailAddress.objects.filter(user__in=list(users), primary=True, verified=True)
    return dict(rows.values_list("user_id", "email"))
