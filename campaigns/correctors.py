"""Who may correct a gang that is not his: the organisers of the campaign that it plays in."""

from __future__ import annotations

from accounts.models import User
from campaigns.models import Campaign
from gangs.models import Gang


def may_correct(user: User, gang: Gang) -> bool:
    """Whether the user runs a campaign that is not over and that the gang has not left."""
    playing = Campaign.objects.organised_by(user).open()
    return playing.filter(memberships__gang=gang, memberships__left_at=None).exists()
