"""Who is signed in, with what a page says about him, in one query."""

from __future__ import annotations

from allauth.account.auth_backends import AuthenticationBackend
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from accounts.models import Notice, User


class NoticedBackend(AuthenticationBackend):  # type: ignore[misc]
    """The usual sign-in. Every user it finds comes with the number of his unread notices."""

    def get_user(self, user_id: int) -> User | None:
        """The user of a session, with ``unread``."""
        unread = Notice.objects.filter(user=OuterRef("pk"), read_at=None).order_by()
        counted = unread.values("user").annotate(count=Count("pk")).values("count")
        users = User.objects.annotate(unread=Coalesce(Subquery(counted), 0))
        user = users.filter(pk=user_id).first()
        return user if user is not None and self.user_can_authenticate(user) else None
