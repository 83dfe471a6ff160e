"""The request as our views receive it, with the types the middleware gives it."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class Request(HttpRequest):
    """A signed-in request. On public pages `user` may be anonymous: ask `is_authenticated`."""

    user: User
    htmx: HtmxDetails


def actor(request: HttpRequest) -> User | None:
    """Who is acting: the signed-in user, or None for a visitor."""
    return request.user if request.user.is_authenticated else None
