"""Permanent deletion of gangs, unless other players' games need them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from common.errors import Stale
from gangs import hooks
from gangs.models import Gang, Guest
from rules.models import BookDraft, Variant

# The number of rows deleted in one transaction, so that nobody waits long for their locks.
BATCH = 100


def delete(gang: Gang, *, actor: User | None, expected: bool | None = None) -> bool:
    """Delete the gang with all its history, or leave it to the campaigns that need it. Returns
    whether it was kept. ``expected``: what the page announced; raises Stale if that has changed."""
    with transaction.atomic():
        kept = hooks.oversight.leave(gang, actor)
        if expected is not None and kept != expected:
            raise Stale
        if not kept:
            gang.delete()
    return kept


def leave(user: User) -> None:
    """Delete a user's gangs together with their account, unless somebody needs them."""
    for gang in Gang.objects.owned_by(user).order_by("pk"):
        delete(gang, actor=user)


def foretell(user: User) -> Iterator[str]:
    """The effects of deleting the user's account on their gangs and variants, as sentences."""
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
        yield _("Your variants are deleted. Gangs that use one keep its rules as they are.")
    if BookDraft.objects.owned_by(user).exists():
        yield _("The games that you write are deleted. Gangs that use one keep its rules.")


def tidy_guests() -> int:
    """Delete visitors' gangs that have not changed for ``GUEST_DAYS``, with their pictures, and
    visitors without gangs who were not seen for as long. Returns the number of gangs. Works in
    batches, while the site runs."""
    limit = timezone.now() - timedelta(days=settings.GUEST_DAYS)
    gangs = 0
    while deleted := _delete_some(Gang.objects.of_visitors().filter(changed_at__lt=limit)):
        gangs += deleted
    without = Guest.objects.exclude(Exists(Gang.objects.filter(guest=OuterRef("pk"))))
    while _delete_some(without.filter(seen_at__lt=limit)):
        pass
    return gangs


def _delete_some[M: Model](rows: QuerySet[M]) -> int:
    """Delete a batch of ``rows``, except rows locked by others; return their number."""
    with transaction.atomic():
        locked = rows.select_for_update(skip_locked=True)
        keys = list(locked.order_by("pk").values_list("pk", flat=True)[:BATCH])
        rows.model._default_manager.filter(pk__in=keys).delete()
    return len(keys)
