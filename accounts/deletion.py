"""Deleting an account: what others still need of it is looked after first.

This app knows no game. Whoever keeps something of a user registers what to do when the user goes,
and how to say beforehand what goes and what stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db import transaction

from accounts import mailing
from accounts.models import User

Leave = Callable[[User], None]
Describe = Callable[[User], Iterable[str]]

_handlers: list[tuple[Leave, Describe]] = []


def register(leave: Leave, describe: Describe) -> None:
    """Call ``leave`` before a user's row goes, in the same transaction; ``describe`` gives
    sentences about what will happen then.

    Those who register later stand on a higher floor, and go first.
    """
    if (leave, describe) not in _handlers:
        _handlers.insert(0, (leave, describe))


def consequences(user: User) -> list[str]:
    """What deleting the account would do, in sentences."""
    return [sentence for _leave, describe in _handlers for sentence in describe(user)]


def delete(user: User) -> None:
    """Delete the account, and what belongs to nobody else. Asked twice at once, it does so once."""
    with transaction.atomic():
        if User.objects.select_for_update().filter(pk=user.pk).first() is None:
            return
        for leave, _describe in _handlers:
            leave(user)
        mailing.mails_to(user).delete()
        user.delete()
