"""How much an account may have of gangs and pictures, and what of them is cleared away."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts import quotas
from common import upkeep
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage

# So many visitors' gangs go in one transaction, so that nobody waits long for the database.
AT_ONCE = 100


def register() -> None:
    """Let accounts have so many, and let what nobody needs be cleared away."""
    quotas.register(
        "gangs",
        gettext_lazy("Gangs"),
        gettext_lazy(
            "You have %(most)s gangs, archived ones too, and an account has room for no more."
            " Delete one first, or ask whoever runs this site for more room."
        ),
        lambda user: Gang.objects.owned_by(user).count(),
    )
    quotas.register(
        "pictures",
        gettext_lazy("Pictures"),
        gettext_lazy(
            "Your gangs have %(most)s pictures, and an account has room for no more. Take one down"
            " first, or ask whoever runs this site for more room."
        ),
        pictures_storage.count_of,
    )
    quotas.register(
        "imports",
        gettext_lazy("Imports a day"),
        gettext_lazy(
            "You have brought in %(most)s files today, and an account may bring in no more a day."
            " Come back tomorrow, or ask whoever runs this site for more."
        ),
    )
    upkeep.register("visitors' gangs", clear_guests)
    upkeep.register("forgotten pictures", pictures_storage.clear_forgotten)


def clear_guests() -> int:
    """Forget visitors' gangs that no session can reach any more; returns how many.

    A session ends unused after SESSION_COOKIE_AGE, and the gangs it knew with it.
    """
    limit = timezone.now() - timedelta(seconds=2 * settings.SESSION_COOKIE_AGE)
    lost = Gang.objects.filter(owner=None, kept_at=None, changed_at__lt=limit)
    count = 0
    while keys := list(lost.values_list("pk", flat=True)[:AT_ONCE]):
        count += lost.filter(pk__in=keys).delete()[1].get("gangs.Gang", 0)
    return count
