"""Deleting an account: what others still need of it is looked after first.

This app knows no game. Whoever keeps something of a user registers what to do when the user goes,
and how to say beforehand what goes and what stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db import transaction

from accounts.models import User

Leave = Callable[[User], None]
Foretell = Callable[[User], Iterable[str]]

_leavers: list[tuple[Leave, Foretell]] = []


def register(leave: Leave, foretell: Foretell) -> None:
    """Call ``leave`` before a user's row goes, in the same transaction; ``foretell`` gives
    sentences about what will happen then.

    Those who register later stand on a higher floor, and go first.
    """
    if (leave, foretell) not in _leavers:
        _leavers.insert(0, (leave, foretell))


def foretold(user: User) -> list[str]:
    """What deleting the account would do, in sentences."""
    return [sentence for _leave, foretell in _leavers for sentence in foretell(user)]


def delete(user: User) -> None:
    """Delete the account, and what belongs to nobody else."""
    with transaction.atomic():
        for leave, _foretell in _leavers:
            leave(user)
        user.delete()
