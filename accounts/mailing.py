"""Mails of the site, in plain text: jobs, stored with what they tell of and sent after that.

They share one connection, and each is sent by one process of the site. That one was sent is known
only after the mail server said so: where a process dies between, it is sent a second time, under
the same Message-ID.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import reduce
from operator import or_
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused

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
# Errors of one mail: the mail server takes the next one all the same.
OF_ONE_MAIL = (SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused)

_connection: ContextVar[BaseEmailBackend] = ContextVar("connection")


@contextmanager
def _connecting() -> Iterator[None]:
    connection = mailers.default
    token = _connection.set(connection)
    try:
        yield
    finally:
        _connection.reset(token)
        # A server that is out of order may not even say goodbye.
        with suppress(OSError):
            connection.close()


LANE = Lane("mail", session=_connecting, remembers=True)


def compose(subject: str, body: str, to: str) -> Job:
    """A mail of this site to an address; it is not stored yet."""
    line = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{' '.join(subject.split())}"[:LONGEST_SUBJECT]
    return make_job(MAIL, f"{line}{ARROW}{to}", to=to, subject=line, text=body)


def post(mails: Iterable[Job]) -> None:
    """Store mails: they leave when the transaction is done, and only then.

    That a mail server fails is nothing the caller hears of: it is tried again.
    """
    add_jobs(mails)


def stored_mails() -> JobQuerySet:
    """All mails that the site knows of."""
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


@carries_out(MAIL, LANE)
def send(mail: Job) -> None:
    """Send a mail. Raises TryLater if the mail server takes none, or not this one."""
    connection, usable = _connection.get(), False
    try:
        connection.open()
        usable = True
        connection.send_messages([message_of(mail)])
    except Exception as error:
        of_all = isinstance(error, OSError) and not isinstance(error, OF_ONE_MAIL)
        raise TryLater(blocked=of_all or not usable) from error


def message_of(mail: Job) -> EmailMessage:
    """The mail for the mail server. It has the same Message-ID whenever it is tried."""
    host = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].strip("<> ")
    message_id = f"<{mail.created_at.timestamp():.6f}.{mail.pk}@{host}>"
    headers = {"Message-ID": message_id, "Auto-Submitted": "auto-generated"}
    body = mail.body
    return EmailMessage(body["subject"], body["text"], to=[body["to"]], headers=headers)


def confirmed_addresses(users: Iterable[User]) -> dict[int, str]:
    """The address of each user who has one and has confirmed that it is theirs."""
    rows = EmailAddress.objects.filter(user__in=list(users), primary=True, verified=True)
    return dict(rows.values_list("user_id", "email"))
