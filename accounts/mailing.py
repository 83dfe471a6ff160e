"""The site's mails, in plain text: jobs stored in the transaction of their event, sent after it.

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

_connection: ContextVar[BaseEmailBackend] = ContextVar("connection")
# Whether the notice of a mail, by its primary key, still needs the mail.
_checks: list[Callable[[int], bool]] = []


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


def compose(subject: str, body: str, to: str, *, notice: int | None = None) -> Job:
    """Make a mail to an address, without storing it. ``notice``: the primary key of the notice
    that decides, when the mail can be sent, whether it still is."""
    line = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{' '.join(subject.split())}"[:LONGEST_SUBJECT]
    asked = {} if notice is None else {"notice": notice}
    return make_job(MAIL, f"{line}{ARROW}{to}", to=to, subject=line, text=body, **asked)


def ask_before_sending(check: Callable[[int], bool]) -> None:
    """Drop mails of notices for which ``check`` returns False."""
    _checks.append(check)


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


@carries_out(MAIL, LANE)
def send(mail: Job) -> None:
    """Send a mail, unless its notice no longer needs it: then delete it. Raises TryLater if the
    mail server refuses this one, or accepts none."""
    notice = mail.body.get("notice")
    if notice is not None and not all(check(notice) for check in _checks):
        mail.delete()
        return
    connection, usable = _connection.get(), False
    try:
        connection.open()
        usable = True
        connection.send_messages([message_of(mail)])
    except Exception as error:
        of_all = isinstance(error, OSError) and not isinstance(error, OF_ONE_MAIL)
        raise TryLater(blocked=of_all or not usable) from error


def message_of(mail: Job) -> EmailMessage:
    """The mail in Django's form, with the same Message-ID at every try."""
    host = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].strip("<> ")
    message_id = f"<{mail.created_at.timestamp():.6f}.{mail.pk}@{host}>"
    headers = {"Message-ID": message_id, "Auto-Submitted": "auto-generated"}
    body = mail.body
    return EmailMessage(body["subject"], body["text"], to=[body["to"]], headers=headers)


def confirmed_addresses(users: Iterable[User]) -> dict[int, str]:
    """The confirmed primary addresses of these users, by primary key. One query."""
    rows = EmailAddress.objects.filter(user__in=list(users), primary=True, verified=True)
    return dict(rows.values_list("user_id", "email"))
