"""Mails of the site, in plain text: stored with what they tell of, and sent after that is."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import Mail, User
from accounts.outbox import deliver

# Longer subjects are cut by mail programs anyway.
LONGEST_SUBJECT = 150
# How long whoever runs the site sees to whom mails have gone.
REMEMBERED = timedelta(days=7)


def compose(subject: str, body: str, to: str) -> Mail:
    """A mail of this site to an address; it is not stored yet."""
    line = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{' '.join(subject.split())}"
    return Mail(to=to, subject=line[:LONGEST_SUBJECT], body=body)


def post(mails: Iterable[Mail]) -> None:
    """Put mails into the outbox: they leave when the transaction is done, and only then.

    That a mail server fails is nothing the caller hears of: it is tried again.
    """
    waiting = Mail.objects.bulk_create(mails)
    if waiting:
        transaction.on_commit(deliver.enqueue, robust=True)


def forget_sent() -> int:
    """Delete what is known of mails that were sent or given up a week ago; how many those were."""
    done = Mail.objects.filter(next_try_at=None, created_at__lt=timezone.now() - REMEMBERED)
    return done.delete()[0]


def confirmed_addresses(users: Iterable[User]) -> dict[int, str]:
    """The address of each user who has one and has confirmed that it is theirs."""
    rows = EmailAddress.objects.filter(user__in=list(users), primary=True, verified=True)
    return dict(rows.values_list("user_id", "email"))
