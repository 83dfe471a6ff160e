"""The outbox: mails that wait are sent over one connection, each by one process of the site.

Mails are tried again for days. That one was sent is known only after the mail server said so: where
a process dies between, it is sent a second time, under the same Message-ID.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused

from django.conf import settings
from django.core.mail import EmailMessage, mailers
from django.core.mail.backends.base import BaseEmailBackend
from django.tasks import task
from django.utils import timezone

from accounts.models import Mail
from common.background import every

logger = logging.getLogger(__name__)

# Whoever takes a mail sends it within this time, or has died.
TAKEN_FOR = timedelta(minutes=2)
# The first of the pauses between tries, each twice as long as the one before, and the longest.
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=1)
GIVEN_UP_AFTER = timedelta(days=3)
LONGEST_ERROR = 500
# What a mail server answers to one mail, and goes on.
OF_ONE_MAIL = (SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused)


@task
def deliver() -> None:
    """Send what waits in the outbox."""
    send_due()


@every(seconds=60, name="mails")
def send_due() -> None:
    """Send the mails whose time has come. If the mail server is found out of order, that is all."""
    due = Mail.objects.waiting().filter(next_try_at__lte=timezone.now())
    numbers = list(due.values_list("pk", flat=True))
    connection = mailers.default
    try:
        for number in numbers:
            mail = _take(number)
            if mail is not None and not _send(mail, connection):
                break
    finally:
        # A server that is out of order may not even say goodbye.
        with suppress(OSError):
            connection.close()


def _take(number: int) -> Mail | None:
    """The mail, to be sent by nobody else meanwhile; None if somebody else was faster."""
    now = timezone.now()
    due = Mail.objects.filter(pk=number, next_try_at__lte=now)
    return Mail.objects.get(pk=number) if due.update(next_try_at=now + TAKEN_FOR) else None


def _send(mail: Mail, connection: BaseEmailBackend) -> bool:
    """Send a mail, and write down what became of it. Whether others are worth a try now."""
    usable = False
    try:
        connection.open()
        usable = True
        connection.send_messages([_message(mail)])
    except Exception as error:
        logger.warning("Mail %s could not be sent: %r", mail.pk, error)
        words = f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
        _write(mail, error=words, **_after_failure(mail))
        return usable and (isinstance(error, OF_ONE_MAIL) or not isinstance(error, OSError))
    _write(mail, error="", body="", sent_at=timezone.now(), next_try_at=None)
    return True


def _write(mail: Mail, **values: object) -> None:
    Mail.objects.filter(pk=mail.pk).update(tries=mail.tries + 1, **values)


def _after_failure(mail: Mail) -> dict[str, object]:
    now = timezone.now()
    if now - mail.created_at > GIVEN_UP_AFTER:
        logger.error("Mail %s is given up after %s tries", mail.pk, mail.tries + 1)
        return {"next_try_at": None, "body": ""}
    pause = min(FIRST_PAUSE * 2 ** min(mail.tries, 6), LONGEST_PAUSE)
    return {"next_try_at": now + pause}


def _message(mail: Mail) -> EmailMessage:
    """The mail for the mail server. It has the same Message-ID whenever it is tried."""
    host = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].strip("<> ")
    message_id = f"<{mail.created_at.timestamp():.6f}.{mail.pk}@{host}>"
    headers = {"Message-ID": message_id, "Auto-Submitted": "auto-generated"}
    return EmailMessage(mail.subject, mail.body, to=[mail.to], headers=headers)
