"""How much an account may have of gangs and pictures, and what of them is cleared away."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from accounts import quotas
from common import upkeep
from gangs.files import importing
from gangs.models import Gang
from gangs.pages import deleting
from gangs.pictures import storage as pictures_storage


def register() -> None:
    """Let accounts have so many, and let what nobody needs be cleared away."""
    quotas.register(
        "gangs",
        gettext_lazy("Gangs"),
        gettext_lazy(
            "You have %(most)s gangs, archived ones included, which is the limit. Delete one "
            "first, or ask the administrators of this site for more room."
        ),
        lambda user: Gang.objects.owned_by(user).count(),
    )
    quotas.register(
        "pictures",
        gettext_lazy("Pictures"),
        gettext_lazy(
            "Your gangs have %(most)s pictures, which is the limit. Remove one first, or ask "
            "the administrators of this site for more room."
        ),
        pictures_storage.count_of,
    )
    quotas.register(
        "imports",
        gettext_lazy("Imports a day"),
        gettext_lazy(
            "You have imported %(most)s files today, which is the limit. Come back tomorrow, "
            "or ask the administrators of this site for more."
        ),
    )
    upkeep.register("visitors' gangs", deleting.tidy_guests)
    upkeep.register("gangs that did not arrive whole", importing.tidy)
    upkeep.register("forgotten pictures", pictures_storage.clear_forgotten)
