"""Deletion of an account, after other apps have taken care of data that others still need.

This app does not know games. Other apps with data of users register a function that runs before the
deletion, and one that describes its effects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db import transaction

from accounts import mailing
from accounts.models import User

Leave = Callable[[User], None]
Describe = Callable[[User], Iterable[str]]

_handlers: list[tuple[Leave, Describe]] = []


def register(leave: Leave, describe: Describe = lambda user: ()) -> None:
    """Call ``leave`` before a user's row is deleted, in the same transaction; ``describe`` gives
    sentences about the effects, if there are any to mention.

    Apps that register later belong to a higher layer, so their functions run first.
    """
    if (leave, describe) not in _handlers:
        _handlers.insert(0, (leave, describe))


def consequences(user: User) -> list[str]:
    """The effects of deleting the account, as sentences."""
    return [sentence for _leave, describe in _handlers for sentence in describe(user)]


def delete(user: User) -> None:
    """Delete the account, and all data that only its owner needs. The second of two simultaneous
    calls does nothing."""
    with transaction.atomic():
        if User.objects.select_for_update().filter(pk=user.pk).first() is None:
            return
        for leave, _describe in _handlers:
            leave(user)
        mailing.delete_mails(user)
        user.delete()
