"""The request as our views receive it, with the types the middleware gives it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class Request(HttpRequest):
    """A signed-in request. On public pages `user` may be anonymous: ask `is_authenticated`."""

    user: User
    htmx: HtmxDetails


def actor(request: HttpRequest) -> User | None:
    """Who is acting: the signed-in user, or None for a visitor."""
    return request.user if request.user.is_authenticated else None


def back(request: HttpRequest) -> HttpResponseRedirect:
    """To the page that a form was sent from (its field ``next``), if that is one of ours."""
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return HttpResponseRedirect(wanted if ours else "/")


def site_url(request: HttpRequest) -> str:
    """The address to put into links that leave the site.

    SITE_URL wins over the request's host, so that a printed code or a shared link stays right
    when the page was opened under another name of the same server.
    """
    return settings.SITE_URL or f"{request.scheme}://{request.get_host()}"


def public_url() -> str:
    """The same where there is no request, as in mails: SITE_URL, or the first known host."""
    if settings.SITE_URL:
        return settings.SITE_URL
    return f"{settings.ACCOUNT_DEFAULT_HTTP_PROTOCOL}://{settings.ALLOWED_HOSTS[0].lstrip('.')}"
