"""Who reads what became of a gang: everybody in a campaign that it plays or played in."""

from __future__ import annotations

from accounts.models import User
from campaigns.models import Membership
from gangs.models import Gang


def may_read(user: User, gang: Gang) -> bool:
    """Whether the user takes part in a campaign that the gang is or was in."""
    return Membership.objects.filter(gang=gang, campaign__participants__user=user).exists()
