"""Sending mails: plain text, one connection for many, and nothing breaks when it fails."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, mailers

from accounts.models import User

logger = logging.getLogger(__name__)

# Longer subjects are cut by mail programs anyway.
LONGEST_SUBJECT = 150


def message(subject: str, body: str, to: str) -> EmailMessage:
    """A message of this site, in plain text."""
    line = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{' '.join(subject.split())}"
    return EmailMessage(line[:LONGEST_SUBJECT], body, to=[to])


def send(messages: Iterable[EmailMessage]) -> None:
    """Send messages over one connection. One that cannot be sent is logged, and the others go on.

    Raises what the mail server's connection raises if there is none at all.
    """
    waiting = list(messages)
    if not waiting:
        return
    with mailers.default as connection:
        for mail in waiting:
            try:
                connection.send_messages([mail])
            except Exception:
                # Whatever a mail server does is no reason to lose the other messages.
                logger.exception("A mail could not be sent")


def confirmed_addresses(users: Iterable[User]) -> dict[int, str]:
    """The address of each user who has one and has confirmed that it is theirs."""
    rows = EmailAddress.objects.filter(user__in=list(users), primary=True, verified=True)
    return dict(rows.values_list("user_id", "email"))
