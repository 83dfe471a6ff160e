"""Deleting a gang for good, unless it did something to others: that is not its owner's alone."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from common.errors import Stale
from gangs import hooks
from gangs.models import Gang
from rules.models import Variant


def delete(gang: Gang, *, actor: User | None, expected: bool | None = None) -> bool:
    """Delete the gang with all its history, or leave it to whoever needs it; returns whether it
    was kept. ``expected``: what the owner expects of that. Raises Stale if it is not so by now."""
    with transaction.atomic():
        kept = hooks.oversight.leave(gang, actor)
        if expected is not None and kept != expected:
            raise Stale
        if not kept:
            gang.delete()
    return kept


def leave(user: User) -> None:
    """The user's account is deleted: so are their gangs, unless somebody needs them."""
    for gang in Gang.objects.owned_by(user).order_by("pk"):
        delete(gang, actor=user)


def foretell(user: User) -> Iterator[str]:
    """What becomes of the user's gangs and variants when their account is deleted."""
    gangs = list(Gang.objects.owned_by(user).order_by("name").defer("snapshot"))
    kept = {gang.pk for gang in gangs if hooks.oversight.must_stay(gang, owner_goes=True)}
    if names := ", ".join(gang.name for gang in gangs if gang.pk not in kept):
        yield _("These gangs are deleted: %(names)s.") % {"names": names}
    if names := ", ".join(gang.name for gang in gangs if gang.pk in kept):
        yield _(
            "These gangs have played in campaigns and stay there without you, with their names,"
            " their notes, their pictures and their history: %(names)s."
        ) % {"names": names}
    if Variant.objects.owned_by(user).exists():
        yield _("Your variants are deleted. Gangs that go by one keep its rules as they are.")
