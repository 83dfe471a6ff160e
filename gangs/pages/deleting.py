"""Deleting a gang for good.

This app knows no campaign. Whoever does registers whether he still needs a gang, and how he parts
with it: what it did to others is not its owner's alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from gangs.ledger import Stale
from gangs.models import Gang
from rules.models import Variant


class Needs(Protocol):
    """Whether a gang has to stay. ``owner_goes``: its owner's whole account is deleted."""

    def __call__(self, gang: Gang, *, owner_goes: bool) -> bool:
        """Ask."""


# Called inside the transaction; says whether the gang was kept, without its owner.
Part = Callable[[Gang, User | None], bool]

_parties: list[tuple[Needs, Part]] = []


def register(needs: Needs, part: Part) -> None:
    """Ask ``needs`` before a gang's page promises anything, and call ``part`` before it goes."""
    if (needs, part) not in _parties:
        _parties.append((needs, part))


def stays(gang: Gang, *, owner_goes: bool = False) -> bool:
    """Whether the gang would be kept without its owner, as somebody needs what it did."""
    return any(needs(gang, owner_goes=owner_goes) for needs, _part in _parties)


def delete(gang: Gang, *, actor: User | None, told: bool | None = None) -> bool:
    """Delete the gang with all its history, or leave it to whoever needs it; returns whether it
    was kept. ``told``: what the owner was told about that. Raises Stale if it is not so by now."""
    with transaction.atomic():
        # Every one of them is asked, also after one has kept it.
        kept = True in [part(gang, actor) for _needs, part in _parties]
        if told is not None and kept != told:
            raise Stale
        if not kept:
            gang.delete()
    return kept


def leave(user: User) -> None:
    """The user's account is deleted: so are his gangs, unless somebody needs them."""
    for gang in Gang.objects.owned_by(user).order_by("pk"):
        delete(gang, actor=user)


def foretell(user: User) -> Iterator[str]:
    """What becomes of the user's gangs and variants when his account is deleted."""
    gangs = list(Gang.objects.owned_by(user).order_by("name").defer("snapshot"))
    kept = {gang.pk for gang in gangs if stays(gang, owner_goes=True)}
    if names := ", ".join(gang.name for gang in gangs if gang.pk not in kept):
        yield _("These gangs are deleted: %(names)s.") % {"names": names}
    if names := ", ".join(gang.name for gang in gangs if gang.pk in kept):
        yield _(
            "These gangs have played in campaigns and stay there without you, with their names,"
            " their notes, their pictures and their history: %(names)s."
        ) % {"names": names}
    if Variant.objects.owned_by(user).exists():
        yield _("Your variants are deleted. Gangs that go by one keep its rules as they are.")
